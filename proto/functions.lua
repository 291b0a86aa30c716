#!lua name=susurration_v1
-- SPDX-License-Identifier: MIT
--
-- Everything about a queue that must be atomic, as one Redis function library. It runs inside Redis,
-- one call at a time, on Redis's own clock. PROTOCOL.md is the manual of each call (arguments,
-- replies, errors); here stands how it works and why.
--
-- An entry of one of the two job streams lives like this:
--
--      XADD                     claim                            complete
--   ---------> waiting ----------------------> NAME (started) --------------> result, entry gone
--                 | claim                        ^   |    |
--                 v              beat, started   |   |    | lease over: lost, claimed by another
--             NAME:next  ------------------------'   |    v   losses + 1; at max_lost: dead + result
--                 | lease over, or release           |   ...
--                 v                                  | release
--             released  <----------------------------'
--
-- The pending entries list (PEL) of the group `workers` is the only record of who has what. Its
-- consumer says whether the run may have started, its delivery count is the number of the attempt,
-- and the pair of both is the fence: whoever wants to renew, complete or release an entry must be
-- its consumer *and* name the attempt that stands there. The losses so far follow from the same pair:
--
--   consumer      delivery count   losses
--   NAME          n                n          the run may have begun, and it was the n-th
--   NAME:next     n                n - 1      surely not begun
--   released      n                n          handed back, not counted
--
-- No clock but Redis's, no state between calls, no number made of an entry id (they have 64-bit
-- halves, Lua numbers have 53). Check everything first, then write: an error leaves nothing behind.

local VERSION = 1

-- KEYS of every call but version: these ten in this order, then what the function asks for.
local INTERACTIVE, BATCH, IDS, RUNNING, CANCELLED, WORKERS, DEAD, STATS, CONFIG, TRACES =
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10
local FIXED = 10

local GROUP = 'workers'
local RELEASED = 'released'
local LETTERS = {'i', 'b'}
local LANES = {interactive = INTERACTIVE, batch = BATCH}
local LETTER_LANES = {i = INTERACTIVE, b = BATCH}

local BATCH_MAX = 1000       -- jobs in one call; unpack() of Lua 5.1 ends near 8,000 values
local REPLIES_MAX = 100000   -- results kept in one reply list
local CLAIM_BYTES = 1048576  -- of fresh jobs in one reply; and how many are read at a time, of which
local CLAIM_SOME = 32        -- the last ones may go beyond
local JOB_BYTES = 16777216    -- a larger job came by plain XADD, and no worker is asked to read it
local RING_BYTES = 120000    -- 5,000 slots of 24 bytes
local FORGET_MS = 300000     -- a worker that has not beaten for so long leaves the registry
local SCAN_VALUES = 100000   -- msgpack keys and values of one job, and how deep they may lie
local SCAN_DEPTH = 8
local CUT_LEAST = 8          -- fewer entries are deleted one by one

-- Fields of `config`: {default, least}. Anything that is not such a whole number counts as absent.
local SETTINGS = {
    max_jobs = {100000, 0},
    max_bytes = {268435456, 0},
    max_job_bytes = {1048576, 0},
    max_lost = {3, 1},
    result_ttl = {3600, 1},
    session_ttl = {86400, 1},
    traces_max = {10000, 1},
    dead_max = {10000, 1},
}

-- Arguments ---------------------------------------------------------------------------------------

local function refuse(...)
    error({err = 'ERR ' .. string.format(...)})
end

local function shown(text)
    text = tostring(text)
    return '"' .. text:sub(1, 64):gsub('[^%w%p ]', '?') .. (#text > 64 and '..."' or '"')
end

local function is_whole(value, least, most)
    return value and value >= least and value <= most and value == math.floor(value)
end

local function whole(text, name, least)
    local value = tonumber(text)
    if not is_whole(value, least, 2 ^ 53) then
        refuse('%s must be a whole number from %d, got %s', name, least, shown(text))
    end
    return value
end

-- Of the fence. Nearly always the first.
local function read_attempt(text)
    return text == '1' and 1 or whole(text, 'attempt', 1)
end

local function setting(raw, name)
    local value, rule = tonumber(raw), SETTINGS[name]
    return is_whole(value, rule[2], 2 ^ 40) and value or rule[1]
end

local function read_setting(keys, name)
    return setting(redis.call('HGET', keys[CONFIG], name), name)
end

-- As text: a number that is handed to redis.call is printed anew each time.
local function read_ttl(keys, name)
    return string.format('%.0f', read_setting(keys, name))
end

-- When the entry was added.
local function entry_ms(id)
    return tonumber(id:sub(1, id:find('-', 1, true) - 1))
end

-- Job ids, names of reply lists and names of workers: 1 to 64 of these characters.
local function is_name(text)
    return text and #text <= 64 and text:find('^[%w._-]+$') ~= nil
end

local function worker_name(text)
    if not is_name(text) or text == RELEASED then
        refuse('worker must be 1 to 64 of A-Z a-z 0-9 . _ - and not "released", got %s', shown(text))
    end
    return text
end

local function is_entry(text)
    return #text <= 41 and text:find('^%d+%-%d+$') ~= nil
end

local function is_ref(text)
    return LETTER_LANES[text:sub(1, 1)] ~= nil and is_entry(text:sub(2))
end

-- A ref is the lane's letter and the entry's id. The id itself is checked by the first stream
-- command that takes it, which fails before anything is written.
local function split(ref)
    local letter = ref:byte(1)
    local lane = letter == 105 and INTERACTIVE or letter == 98 and BATCH
    if not lane then
        refuse('an entry is named i<id> or b<id>, got %s', shown(ref))
    end
    return lane, ref:sub(2)
end

-- How many groups of `size` arguments stand from args[from] on.
local function groups(args, from, size, least)
    local count = (#args - from + 1) / size
    if not is_whole(count, least, BATCH_MAX) then
        refuse('expected %d arguments and then %d to %d times %d, got %d', from - 1, least, BATCH_MAX,
            size, #args)
    end
    return count
end

local function need_keys(keys, extra)
    if #keys < FIXED + extra then
        refuse('expected at least %d keys, got %d', FIXED + extra, #keys)
    end
end

local function server_ms()
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Keys whose names only the job tells cannot be declared by a caller who has not read the job: those
-- of a burial, of a cancel, and of a trace that is dropped. They lie in the queue's slot like all.
local function queue_key(keys, name)
    return keys[INTERACTIVE]:sub(1, -#'jobs:interactive' - 1) .. name
end

-- Reading a job that may kill its reader ------------------------------------------------------------

-- Type bytes 0xc0 to 0xdf: how many bytes the value has; or {how many bytes tell its size, values a
-- unit of it (0: bytes), is text}. Those that are missing (extensions, 0xc1) no job may have.
local TYPES = {
    [0xc0] = 0, [0xc2] = 0, [0xc3] = 0, [0xca] = 4, [0xcb] = 8, [0xcc] = 1, [0xcd] = 2, [0xce] = 4,
    [0xcf] = 8, [0xd0] = 1, [0xd1] = 2, [0xd2] = 4, [0xd3] = 8,
    [0xc4] = {1, 0}, [0xc5] = {2, 0}, [0xc6] = {4, 0},
    [0xd9] = {1, 0, true}, [0xda] = {2, 0, true}, [0xdb] = {4, 0, true},
    [0xdc] = {2, 1}, [0xdd] = {4, 1}, [0xde] = {2, 2}, [0xdf] = {4, 2},
}

local function big_endian(bytes, at, width)
    local value = 0
    for offset = 0, width - 1 do
        value = value * 256 + (bytes:byte(at + offset) or 0)
    end
    return value
end

-- The msgpack value at `at`: where the next one begins, how many values a list or map has inside (nil
-- for others), where its text begins if it is text. nil if it is none.
local function value_at(bytes, at)
    local kind = bytes:byte(at)
    if not kind then
        return nil
    elseif kind < 0x80 or kind >= 0xe0 then
        return at + 1
    elseif kind < 0x90 then
        return at + 1, (kind - 0x80) * 2
    elseif kind < 0xa0 then
        return at + 1, kind - 0x90
    elseif kind < 0xc0 then
        return at + 1 + kind - 0xa0, nil, at + 1
    end
    local shape = TYPES[kind]
    if type(shape) ~= 'table' then
        return shape and at + 1 + shape
    end
    local size, start = big_endian(bytes, at + 1, shape[1]), at + 1 + shape[1]
    if shape[2] > 0 then
        return start, size * shape[2]
    end
    return start + size, nil, shape[3] and start
end

-- The texts of the wanted keys in a msgpack map; none at all if it is not well formed, none of a key
-- that stands twice: as the decoder of the worker reads it (wire_scan.c), so that both answer under one
-- id. One loop that ends: each step eats a byte, and steps and depth are bounded. (cmsgpack.unpack
-- would follow a megabyte of nesting.)
local function scan(bytes, wanted)
    local first = bytes:byte(1)
    if not first or not (first >= 0x80 and first < 0x90 or first == 0xde or first == 0xdf) then
        return {}
    end
    local found, seen, key = {}, {}, nil
    local left, depth, at = {[0] = 1}, 0, 1
    for _ = 1, SCAN_VALUES do
        local next_at, inside, text_at = value_at(bytes, at)
        if not next_at or next_at > #bytes + 1 or inside and depth == SCAN_DEPTH then
            return {}
        end
        left[depth] = left[depth] - 1
        if depth == 1 and left[1] % 2 == 1 then
            key = text_at and bytes:sub(text_at, math.min(next_at - 1, text_at + 16))
        elseif depth == 1 and wanted[key or false] then
            found[key] = not seen[key] and text_at and bytes:sub(text_at, next_at - 1) or nil
            seen[key] = true
        end
        at = next_at
        if inside then
            depth = depth + 1
            left[depth] = inside
        end
        while depth > 0 and left[depth] == 0 do
            depth = depth - 1
        end
        if left[depth] == 0 then
            return at == #bytes + 1 and found or {}
        end
    end
    return {}
end

local JOB_TEXTS = {id = true, kind = true, reply_to = true, traceparent = true}

-- What a job says about itself, each only if it is legal.
local function read_job(job)
    local seen = scan(job, JOB_TEXTS)
    local kind, trace = seen.kind, seen.traceparent
    return {
        id = is_name(seen.id) and seen.id or nil,
        kind = is_name(kind) and kind or nil,
        reply_to = is_name(seen.reply_to) and seen.reply_to or nil,
        traceparent = trace and #trace <= 55 and trace:find('^[!-~]+$') and trace or nil,
    }
end

-- Entries and who has them ------------------------------------------------------------------------

-- A command that may fail in one way that is not our fault: its reply, or nil where it did.
local function try(failure, ...)
    local reply = redis.pcall(...)
    if type(reply) == 'table' and reply.err then
        if reply.err:find(failure, 1, true) ~= 1 then
            error(reply)
        end
        return nil
    end
    return reply
end

-- Rows {id, consumer, idle, count} of the PEL; none where there is no group yet.
local function pending(...)
    return try('NOGROUP', 'XPENDING', ...) or {}
end

-- The last entry of a lane that was given to somebody. Other groups may be there, for whoever watches.
local function last_delivered(key)
    for _, group in ipairs(redis.call('XINFO', 'GROUPS', key)) do
        local about = {}
        for i = 1, #group, 2 do
            about[group[i]] = group[i + 1]
        end
        if about.name == GROUP then
            return about['last-delivered-id']
        end
    end
end

local function create_groups(keys)
    for lane = INTERACTIVE, BATCH do
        try('BUSYGROUP', 'XGROUP', 'CREATE', keys[lane], GROUP, '0', 'MKSTREAM')
    end
end

local function is_next(consumer)
    return consumer:sub(-5) == ':next'
end

-- The consumer of an entry and its delivery count, or nil.
local function holder(keys, lane, id)
    local row = pending(keys[lane], GROUP, id, id, 1)[1]
    if row then
        return row[2], row[4]
    end
end

-- What `name` has of the entries first to last of a lane: into `found`, id -> row.
local function find_pending(keys, lane, name, ids, found)
    local rows = pending(keys[lane], GROUP, ids[1], ids[#ids], 2 * #ids + 16, name)
    for i = 1, #rows do
        found[rows[i][1]] = rows[i]
    end
end

-- The fence when a plain look does not settle it: two range reads, which find all where `ids` ascend;
-- what they miss is asked for by itself, so order is only a matter of speed.
local function fence_each(keys, lane, name, ids)
    local found, next_name, counts, nexts = {}, name .. ':next', {}, {}
    find_pending(keys, lane, name, ids, found)
    find_pending(keys, lane, next_name, ids, found)
    for i = 1, #ids do
        local id = ids[i]
        local row = found[id]
        if not row then
            row = pending(keys[lane], GROUP, id, id, 1)[1]
        end
        local is_held = row and (row[2] == name or row[2] == next_name)
        counts[i] = is_held and row[4]
        nexts[i] = is_held and row[2] == next_name
    end
    return counts, nexts
end

-- The fence for many entries of one lane. Aligned with `ids`: the delivery count of those that `name`
-- has and false for others, and whether it holds them as next; then whether the plain look was enough.
-- What was claimed together stands together, so it nearly always is.
local function fence(keys, lane, name, ids)
    local counts, nexts, total, next_name = {}, {}, #ids, name .. ':next'
    if total == 0 then
        return counts, nexts, true
    end
    local rows = pending(keys[lane], GROUP, ids[1], ids[total], total)
    for i = 1, total do
        local row = rows[i]
        if not row or row[1] ~= ids[i] then
            counts, nexts = fence_each(keys, lane, name, ids)
            return counts, nexts, false
        end
        local consumer = row[2]
        counts[i] = (consumer == name or consumer == next_name) and row[4]
        nexts[i] = consumer == next_name
    end
    return counts, nexts, true
end

-- The delivery counts alone, for calls that let an entry go: named twice, it is gone the second time.
-- Then whether the plain look was enough, so that `ids` ascend.
local function fence_once(keys, lane, name, ids)
    local counts, _, is_plain = fence(keys, lane, name, ids)
    local seen = {}
    for i = 1, is_plain and 0 or #ids do
        counts[i] = not seen[ids[i]] and counts[i]
        seen[ids[i]] = true
    end
    return counts, is_plain
end

-- The same of both lanes, each by lane.
local function fence_lanes(keys, name, ids)
    local counts, ascending = {}, {}
    for lane = INTERACTIVE, BATCH do
        counts[lane], ascending[lane] = fence_once(keys, lane, name, ids[lane])
    end
    return counts, ascending
end

local function job_field(fields)
    for i = 1, #fields, 2 do
        if fields[i] == 'job' then
            return fields[i + 1]
        end
    end
    return false
end

-- Whether the entry exists, and its job (false if it has no such field).
local function read_entry(keys, lane, id)
    local entry = redis.call('XRANGE', keys[lane], id, id)[1]
    if not entry then
        return false, false
    end
    return true, job_field(entry[2])
end

-- + 0 makes 0 of -0, which HINCRBY does not take for a number.
local function count_stat(keys, name, by)
    redis.call('HINCRBY', keys[STATS], name, by + 0)
end

-- Appends results to a reply list. The list belongs to a client: what is wrong with it must not
-- keep the job in the queue.
local function push_replies(keys, reply_key, results, ttl)
    local length = try('WRONGTYPE', 'RPUSH', reply_key, unpack(results))
    if not length then
        count_stat(keys, 'replies_failed', #results)
        return
    end
    if length > REPLIES_MAX then
        redis.call('LTRIM', reply_key, -REPLIES_MAX, -1)
        count_stat(keys, 'replies_dropped', length - REPLIES_MAX)
    end
    redis.call('EXPIRE', reply_key, ttl)
end

-- Every trace of an entry but its result.
local function remove_entry(keys, lane, id)
    local ref = LETTERS[lane] .. id
    redis.call('XACK', keys[lane], GROUP, id)
    redis.call('XDEL', keys[lane], id)
    redis.call('HDEL', keys[RUNNING], ref)
    redis.call('SREM', keys[CANCELLED], ref)
end

-- `ids` has an entry for exactly the jobs that went through enqueue, so their bytes are the ones counted.
local function forget_id(keys, job_id, ref, bytes)
    if redis.call('HGET', keys[IDS], job_id) == ref then
        redis.call('HDEL', keys[IDS], job_id)
        count_stat(keys, 'bytes_waiting', -bytes)
    end
end

-- Ends a job that no worker will answer for: result, reply, entry. `what` is {status, code, message,
-- advice, worker, losses, reason}; with a reason the job goes to the dead letters. False if the
-- entry has vanished.
local function conclude(keys, lane, id, now, what)
    local exists, job = read_entry(keys, lane, id)
    if not exists then
        remove_entry(keys, lane, id)
        return false
    end
    local ref = LETTERS[lane] .. id
    local seen = read_job(job or '')
    local job_id = seen.id or id
    local ttl = read_ttl(keys, 'result_ttl')
    local result = cmsgpack.pack({
        v = 1,
        id = job_id,
        kind = seen.kind,
        status = what.status,
        error = {code = what.code, message = what.message, field = what.field, advice = what.advice},
        worker = what.worker,
        queued_ms = math.max(0, now - entry_ms(id)),
        traceparent = seen.traceparent,
    })
    local is_first = redis.call('SET', queue_key(keys, 'result:' .. job_id), result, 'EX', ttl, 'NX')
    if is_first and seen.reply_to then
        push_replies(keys, queue_key(keys, 'reply:' .. seen.reply_to), {result}, ttl)
    end
    if what.reason then
        redis.call('XADD', keys[DEAD], 'MAXLEN', read_setting(keys, 'dead_max'), '*', 'ref', ref, 'id', job_id,
            'job', job or '', 'reason', what.reason, 'losses', what.losses, 'worker', what.worker or '')
        count_stat(keys, 'buried', 1)
    else
        count_stat(keys, what.status, 1)
    end
    forget_id(keys, job_id, ref, #(job or ''))
    remove_entry(keys, lane, id)
    return true
end

local function conclude_cancelled(keys, lane, id, now)
    return conclude(keys, lane, id, now, {
        status = 'cancelled', code = 'cancelled', message = 'the job was cancelled before it ran',
    })
end

local function conclude_lost(keys, lane, id, now, losses, worker)
    return conclude(keys, lane, id, now, {
        status = 'failed', code = 'worker_lost', losses = losses, worker = worker, reason = 'worker_lost',
        message = string.format('%d workers were lost while they ran this job', losses),
        advice = 'the job is kept among the dead letters; an operator can requeue it',
    })
end

-- A job that would keep Redis and its worker busy for longer than a command may take.
local function is_too_big(job)
    return job and #job > JOB_BYTES
end

local function conclude_too_big(keys, lane, id, now, job)
    return conclude(keys, lane, id, now, {
        status = 'rejected', code = 'too_long', field = 'job',
        message = string.format('job must have at most %.0f bytes, got %.0f', JOB_BYTES, #job),
    })
end

-- enqueue -----------------------------------------------------------------------------------------

-- waiting (also held by a worker as next) or running
local function entry_state(keys, lane, id)
    local consumer = holder(keys, lane, id)
    if not consumer or consumer == RELEASED or is_next(consumer) then
        return 'waiting'
    end
    return 'running'
end

-- The state of a job that may be there already, and its ref; nil if the id is free.
local function known_state(keys, job_id, ref, result_key)
    if ref then
        local lane, id = split(ref)
        if read_entry(keys, lane, id) then
            return entry_state(keys, lane, id), ref
        end
        redis.call('HDEL', keys[IDS], job_id) -- somebody removed the entry by hand
    end
    if redis.call('EXISTS', result_key) == 1 then
        return 'done', ''
    end
end

-- Whether a job begins as encoders write it, with its id as the first pair or behind v, and has nothing
-- more that could be an id.
local function begins_with_id(id, job)
    local first, at = job:byte(1), job:sub(2, 4) == '\161v\1' and 5 or 2
    local head = #id < 32 and string.char(0xa0 + #id) or string.char(0xd9, #id)
    local pair = '\162id' .. head .. id
    return first and first >= 0x80 and first < 0x90 and job:sub(at, at + #pair - 1) == pair and
        not job:find('\162id', at + #pair, true)
end

-- The id under which the worker will answer must be the one that is registered. A look settles it for
-- nearly every job; the scanner decides the rest.
local function check_job_id(id, job)
    if id == '' then
        if not job:find('\162id', 1, true) then
            return
        end
    elseif not is_name(id) then
        refuse('id must be 1 to 64 of A-Z a-z 0-9 . _ -, got %s', shown(id))
    elseif begins_with_id(id, job) then
        return
    end
    local inside = read_job(job).id or ''
    if inside ~= id then
        refuse('the id given is %s and the id in the job is %s', shown(id), shown(inside))
    end
end

-- A job without an id of its own answers under its entry's id, which the other lane may have given
-- out in the same millisecond: then it takes the next one.
local function add_nameless(keys, lane, job)
    while true do
        local id = redis.call('XADD', keys[lane], '*', 'job', job)
        local ref = LETTERS[lane] .. id
        if redis.call('HSETNX', keys[IDS], id, ref) == 1 then
            return ref
        end
        redis.call('XDEL', keys[lane], id)
    end
end

-- nil if `jobs` more of `bytes` together fit, else the error.
local function check_room(keys, jobs, bytes)
    local limits = redis.call('HMGET', keys[CONFIG], 'max_jobs', 'max_bytes')
    local max_jobs, max_bytes = setting(limits[1], 'max_jobs'), setting(limits[2], 'max_bytes')
    local length = redis.call('XLEN', keys[INTERACTIVE]) + redis.call('XLEN', keys[BATCH])
    local held = 0
    if length > 0 then
        held = math.max(0, tonumber(redis.call('HGET', keys[STATS], 'bytes_waiting')) or 0)
    end
    if length + jobs > max_jobs then
        return redis.error_reply(string.format(
            'QUEUEFULL %.0f jobs are queued and %.0f more were given; max_jobs is %.0f', length, jobs, max_jobs))
    end
    if held + bytes > max_bytes then
        return redis.error_reply(string.format(
            'QUEUEFULL %.0f bytes of jobs are queued and %.0f more were given; max_bytes is %.0f',
            held, bytes, max_bytes))
    end
    if length == 0 then
        -- Where nothing is queued, what entries removed by hand have left behind is set right.
        redis.call('HDEL', keys[STATS], 'bytes_waiting')
        redis.call('DEL', keys[IDS])
    end
end

-- Which jobs of a call to enqueue are there already: writes state and ref of those into `reply` and
-- returns number and bytes of the others. first[id] is where a job's id comes first in `args`.
local function mark_known(keys, args, refs, first, reply)
    local name, jobs, bytes = 0, 0, 0
    for at = 2, #args, 2 do
        local id = args[at]
        if id ~= '' then
            name = name + 1
            reply[at - 1], reply[at] = known_state(keys, id, refs[name], keys[FIXED + name])
        end
        if not reply[at - 1] and (id == '' or first[id] == at) then
            jobs, bytes = jobs + 1, bytes + #args[at + 1]
        end
    end
    return jobs, bytes
end

local function enqueue(keys, args)
    local lane, call = LANES[args[1]], redis.call
    if not lane then
        refuse('lane must be interactive or batch, got %s', shown(args[1]))
    end
    local jobs, bytes = groups(args, 2, 2, 1), 0
    local max_job = read_setting(keys, 'max_job_bytes')
    local names, first = {}, {}
    local named, may_be_known = 0, false
    for at = 2, #args, 2 do
        local id, size = args[at], #args[at + 1]
        if size > max_job then
            return redis.error_reply(string.format('JOBTOOBIG job %s has %d bytes; max_job_bytes is %.0f',
                shown(id), size, max_job))
        end
        check_job_id(id, args[at + 1])
        bytes = bytes + size
        if id ~= '' then
            named = named + 1
            names[named] = id
            may_be_known = may_be_known or first[id]
            first[id] = first[id] or at
        end
    end
    need_keys(keys, named)

    local reply = {}
    if named > 0 then
        local refs = call('HMGET', keys[IDS], unpack(names))
        may_be_known = may_be_known or call('EXISTS', unpack(keys, FIXED + 1, FIXED + named)) > 0
        for i = 1, named do
            may_be_known = may_be_known or refs[i]
        end
        if may_be_known then
            jobs, bytes = mark_known(keys, args, refs, first, reply)
        end
    end
    local full = jobs > 0 and check_room(keys, jobs, bytes)
    if full then
        return full
    end

    local key, letter, fields, last = keys[lane], LETTERS[lane], {}, 0
    for at = 2, #args, 2 do
        local id = args[at]
        if id == '' then
            reply[at - 1], reply[at] = 'queued', add_nameless(keys, lane, args[at + 1])
        elseif not reply[at - 1] and first[id] == at then
            local ref = letter .. call('XADD', key, '*', 'job', args[at + 1])
            reply[at - 1], reply[at] = 'queued', ref
            fields[last + 1], fields[last + 2] = id, ref
            last = last + 2
        elseif not reply[at - 1] then
            reply[at - 1], reply[at] = 'waiting', reply[first[id]]
        end
    end
    if last > 0 then
        call('HSET', keys[IDS], unpack(fields))
    end
    if bytes > 0 then
        count_stat(keys, 'bytes_waiting', bytes)
    end
    return reply
end

-- claim -------------------------------------------------------------------------------------------

-- What one call of claim knows: whose it is, what is free, and the reply that it fills.
--   places: `slots` for both lanes; when batch fills them all, one more for one interactive job.
local function room(state, lane)
    local free = state.slots - state.busy[INTERACTIVE] - state.busy[BATCH]
    if free > 0 then
        return free
    end
    local is_batch_only = state.busy[BATCH] >= state.slots and state.busy[INTERACTIVE] == 0
    return lane == INTERACTIVE and state.slots > 0 and is_batch_only and 1 or 0
end

local RUN, NEXT, ALONE = 0, 1, 2

local function give(state, lane, id, attempt, how, job)
    local reply = state.reply
    local at = #reply
    reply[at + 1], reply[at + 2], reply[at + 3], reply[at + 4] = LETTERS[lane] .. id, attempt, how, job
end

-- Up to `count` entries that nobody has had yet, of a lane; how many there were. The hot path: `give`
-- inlined.
local function give_some(keys, state, lane, count, consumer, how)
    local got = redis.call('XREADGROUP', 'GROUP', GROUP, consumer, 'COUNT', count, 'STREAMS', keys[lane], '>')
    if not got then
        return 0
    end
    local entries, letter, reply = got[1][2], LETTERS[lane], state.reply
    local at, bytes = #reply, 0
    for i = 1, #entries do
        local entry = entries[i]
        local fields = entry[2]
        local job = fields[1] == 'job' and fields[2] or job_field(fields)
        if is_too_big(job) then
            conclude_too_big(keys, lane, entry[1], state.now, job)
        else
            reply[at + 1], reply[at + 2], reply[at + 3], reply[at + 4] = letter .. entry[1], 1, how, job
            at = at + 4
            bytes = bytes + (job and #job or 0)
        end
    end
    state.bytes = state.bytes + bytes
    return #entries
end

-- The same some at a time, as long as the reply has not grown big; and whether there are no more.
local function give_fresh(keys, state, lane, count, how)
    local consumer = how == NEXT and state.name .. ':next' or state.name
    local left = count
    while left > 0 and state.bytes < CLAIM_BYTES do
        local some = math.min(left, CLAIM_SOME)
        local got = give_some(keys, state, lane, some, consumer, how)
        left = left - got
        if got < some then
            return count - left, true
        end
    end
    return count - left, false
end

-- Takes over one entry that was handed back or lost. It is cancelled or buried if it is due, and
-- runs alone if it has been lost before.
local function give_again(keys, state, lane, row)
    local id, consumer, count = row[1], row[2], row[4]
    local losses = is_next(consumer) and count - 1 or count
    if consumer ~= RELEASED then
        count_stat(keys, 'reclaimed', 1)
    end
    if redis.call('SISMEMBER', keys[CANCELLED], LETTERS[lane] .. id) == 1 then
        conclude_cancelled(keys, lane, id, state.now)
        return
    end
    if losses >= state.max_lost then
        conclude_lost(keys, lane, id, state.now, losses, consumer)
        return
    end
    local how, taker = RUN, state.name
    if losses > 0 then
        how, taker = ALONE, state.name .. ':next'
    end
    local entry = redis.call('XCLAIM', keys[lane], GROUP, taker, 0, id, 'RETRYCOUNT', losses + 1)[1]
    if not entry then
        remove_entry(keys, lane, id) -- somebody removed the entry by hand
        return
    end
    local job = job_field(entry[2])
    if is_too_big(job) then
        conclude_too_big(keys, lane, id, state.now, job)
        return
    end
    give(state, lane, id, losses + 1, how, job)
    state.busy[lane] = state.busy[lane] + 1
    state.alone = how == ALONE
end

-- A few more rows than places: some of them may be buried.
local ROWS_BESIDE = 16

local function give_released(keys, state, lane)
    local free = room(state, lane)
    if free == 0 then
        return
    end
    for _, row in ipairs(pending(keys[lane], GROUP, '-', '+', free + ROWS_BESIDE, RELEASED)) do
        if state.alone or room(state, lane) == 0 then
            return
        end
        give_again(keys, state, lane, row)
    end
end

local function give_expired(keys, state, lane, takes_own)
    local free = room(state, lane)
    if state.alone or free == 0 then
        return
    end
    local own, own_next = state.name, state.name .. ':next'
    for _, row in ipairs(pending(keys[lane], GROUP, 'IDLE', state.lease_ms, '-', '+', free + ROWS_BESIDE)) do
        if state.alone or room(state, lane) == 0 then
            return
        end
        if takes_own or row[2] ~= own and row[2] ~= own_next then
            give_again(keys, state, lane, row)
        end
    end
end

-- The verdict on an entry that the worker got from a blocking XREADGROUP.
local function adopt(keys, state, ref, paused)
    local lane, id = split(ref)
    local consumer, count = holder(keys, lane, id)
    if consumer ~= state.name or count ~= 1 then
        return 'lost'
    end
    if redis.call('SISMEMBER', keys[CANCELLED], ref) == 1 then
        conclude_cancelled(keys, lane, id, state.now)
        return 'cancelled'
    end
    if paused then
        redis.call('XCLAIM', keys[lane], GROUP, RELEASED, 0, id, 'TIME', 0, 'RETRYCOUNT', 0, 'JUSTID')
        return 'paused'
    end
    state.busy[lane] = state.busy[lane] + 1
    return 'run'
end

local function claim(keys, args)
    if #args < 8 then
        refuse('expected at least 8 arguments, got %d', #args)
    end
    local state = {
        name = worker_name(args[1]),
        slots = whole(args[2], 'slots', 0),
        busy = {whole(args[3], 'busy_interactive', 0), whole(args[4], 'busy_batch', 0)},
        lease_ms = whole(args[8], 'lease_ms', 1),
        now = server_ms(),
        alone = false,
        bytes = 0,
    }
    local prefetch, turn = whole(args[5], 'prefetch', 0), whole(args[6], 'turn', 0)
    local reclaim = whole(args[7], 'reclaim', 0)
    if reclaim > 2 then
        refuse('reclaim must be 0, 1 or 2, got %d', reclaim)
    end
    local config = redis.call('HMGET', keys[CONFIG], 'paused', 'max_lost')
    local paused = config[1] == '1'
    state.max_lost = setting(config[2], 'max_lost')
    local verdicts = {}
    for at = 9, #args do
        verdicts[at - 8] = adopt(keys, state, args[at], paused)
    end
    state.reply = {state.now, paused and 1 or 0, verdicts}
    if paused then
        return state.reply
    end

    local first = try('NOGROUP', 'XPENDING', keys[INTERACTIVE], GROUP, '-', '+', 1, RELEASED)
    local second = try('NOGROUP', 'XPENDING', keys[BATCH], GROUP, '-', '+', 1, RELEASED)
    if not (first and second) then
        create_groups(keys)
    end
    if first and first[1] then
        give_released(keys, state, INTERACTIVE)
    end
    if second and second[1] and not state.alone then
        give_released(keys, state, BATCH)
    end
    if reclaim > 0 then
        give_expired(keys, state, INTERACTIVE, reclaim == 2)
        give_expired(keys, state, BATCH, reclaim == 2)
    end
    if state.alone then
        return state.reply
    end

    local lane, other = INTERACTIVE, BATCH
    if turn % 8 == 7 then
        lane, other = BATCH, INTERACTIVE
    end
    local drained = {}
    for _ = 1, 2 do
        local free = room(state, lane)
        if free > 0 then
            local got
            got, drained[lane] = give_fresh(keys, state, lane, free, RUN)
            state.busy[lane] = state.busy[lane] + got
        end
        lane, other = other, lane
    end
    for _ = 1, 2 do
        if prefetch > 0 and not drained[lane] then
            prefetch = prefetch - give_fresh(keys, state, lane, prefetch, NEXT)
        end
        lane, other = other, lane
    end
    return state.reply
end

-- beat --------------------------------------------------------------------------------------------

-- Removes the consumers of a worker that has nothing pending; false if it has.
local function drop_consumers(keys, name)
    local is_free = true
    for lane = INTERACTIVE, BATCH do
        for _, consumer in ipairs({name, name .. ':next'}) do
            local rows = try('NOGROUP', 'XPENDING', keys[lane], GROUP, '-', '+', 1, consumer)
            if rows and rows[1] then
                is_free = false
            elseif rows then
                redis.call('XGROUP', 'DELCONSUMER', keys[lane], GROUP, consumer)
            end
        end
    end
    return is_free
end

local function prune_registry(keys, now)
    local gone = redis.call('ZRANGEBYSCORE', keys[WORKERS], '-inf', now - FORGET_MS, 'LIMIT', 0, 10)
    for _, name in ipairs(gone) do
        if drop_consumers(keys, name) then
            redis.call('ZREM', keys[WORKERS], name)
        end
    end
end

-- The entries named by args[from], args[from + size], ... and the attempts behind each, by lane.
local function by_lane(args, from, size)
    local ids, attempts = {{}, {}}, {{}, {}}
    for at = from, #args, size do
        local lane, id = split(args[at])
        local place = #ids[lane] + 1
        ids[lane][place], attempts[lane][place] = id, read_attempt(args[at + 1])
    end
    return ids, attempts
end

-- JUSTID leaves the delivery count as it is.
local function renew(keys, lane, consumer, ids)
    if #ids > 0 then
        ids[#ids + 1] = 'JUSTID'
        redis.call('XCLAIM', keys[lane], GROUP, consumer, 0, unpack(ids))
    end
end

local function beat(keys, args)
    local name, ttl_ms = worker_name(args[1]), whole(args[2], 'ttl_ms', 1)
    need_keys(keys, 1)
    groups(args, 4, 4, 0)
    local ids, attempts = by_lane(args, 4, 4)
    local counts, nexts = {}, {}
    for lane = INTERACTIVE, BATCH do
        counts[lane], nexts[lane] = fence(keys, lane, name, ids[lane])
    end
    local now = server_ms()
    local reply, running, at_lane = {now}, {}, {0, 0}
    local started, waiting = {{}, {}}, {{}, {}}
    for at = 4, #args, 4 do
        local ref, is_started = args[at], args[at + 2] == '1'
        local lane, id = split(ref)
        local i = at_lane[lane] + 1
        at_lane[lane] = i
        if counts[lane][i] ~= attempts[lane][i] then
            reply[#reply + 1], reply[#reply + 2] = ref, 'lost'
        else
            if redis.call('SISMEMBER', keys[CANCELLED], ref) == 1 then
                reply[#reply + 1], reply[#reply + 2] = ref, 'cancelled'
            end
            if is_started then
                running[#running + 1], running[#running + 2] = ref, args[at + 3]
            end
            local list = (not is_started and nexts[lane][i] and waiting or started)[lane]
            list[#list + 1] = id
        end
    end
    for lane = INTERACTIVE, BATCH do
        renew(keys, lane, name, started[lane])
        renew(keys, lane, name .. ':next', waiting[lane])
    end
    if #running > 0 then
        redis.call('HSET', keys[RUNNING], unpack(running))
    end
    redis.call('ZADD', keys[WORKERS], now, name)
    redis.call('SET', keys[FIXED + 1], args[3], 'PX', ttl_ms)
    prune_registry(keys, now)
    return reply
end

-- complete ----------------------------------------------------------------------------------------

local function effect_key(keys, index, first)
    if not is_whole(index, first, #keys) then
        refuse('an effect names key %s of %d', shown(index), #keys)
    end
    return keys[index]
end

-- The effects of a job, checked as far as they can be without Redis. Our own worker made them.
local function read_effects(keys, packed, first)
    local effects = cmsgpack.unpack(packed)
    if type(effects) ~= 'table' then
        refuse('effects must be a msgpack map')
    end
    local session, ring, trace = effects.session, effects.ring, effects.trace
    if session then
        session.key = effect_key(keys, session.key, first)
        for _, field in ipairs({'expect', 'rev', 'tick', 'body'}) do
            if type(session[field]) ~= 'string' then
                refuse('session.%s must be a string', field)
            end
        end
    end
    if ring then
        ring.key = effect_key(keys, ring.key, first)
        for at = 1, #ring.writes, 2 do
            local offset, bytes = ring.writes[at], ring.writes[at + 1]
            if type(bytes) ~= 'string' or not is_whole(offset, 0, RING_BYTES - #bytes) then
                refuse('a ring has %d bytes; a write at %s does not fit', RING_BYTES, shown(offset))
            end
        end
    end
    if trace then
        trace.key = effect_key(keys, trace.key, first)
        if not is_name(trace.id) or type(trace.body) ~= 'string' then
            refuse('trace must have a legal id and a body')
        end
    end
    return effects
end

local function store_trace(keys, trace)
    redis.call('SET', trace.key, trace.body)
    redis.call('ZADD', keys[TRACES], server_ms(), trace.id)
    local excess = redis.call('ZCARD', keys[TRACES]) - read_setting(keys, 'traces_max')
    if excess > 0 then
        local oldest = redis.call('ZPOPMIN', keys[TRACES], math.min(excess, 100))
        for i = 1, #oldest, 2 do
            redis.call('DEL', queue_key(keys, 'trace:' .. oldest[i]), queue_key(keys, 'ring:' .. oldest[i]))
        end
    end
end

-- Writes result and effects, or nothing. A session is written only onto the revision that the worker
-- read ('' for one that must not exist yet).
local function apply(keys, result_key, result, ttl, effects)
    local session, ring, trace = effects.session, effects.ring, effects.trace
    if redis.call('EXISTS', result_key) == 1 then
        return 'duplicate'
    end
    if session then
        local rev = try('WRONGTYPE', 'HGET', session.key, 'rev')
        if rev == nil or (rev or '') ~= session.expect then
            return 'conflict'
        end
    end
    redis.call('SET', result_key, result, 'EX', ttl)
    local session_ttl = read_ttl(keys, 'session_ttl')
    if session then
        redis.call('HSET', session.key, 'rev', session.rev, 'tick', session.tick, 'body', session.body)
        redis.call('EXPIRE', session.key, session_ttl)
    end
    if ring then
        for at = 1, #ring.writes, 2 do
            local offset, bytes = ring.writes[at], ring.writes[at + 1]
            if not try('WRONGTYPE', 'SETRANGE', ring.key, offset, bytes) then
                redis.call('DEL', ring.key)
                redis.call('SETRANGE', ring.key, offset, bytes)
            end
        end
        redis.call('EXPIRE', ring.key, session_ttl)
    end
    if trace then
        store_trace(keys, trace)
    end
    return 'ok'
end

-- Those of a call's entries that leave the queue: all but kept[job]. By lane, as `ids` is.
local function without(kept, lanes, entries)
    local ids = {{}, {}}
    for job = 1, #lanes do
        if not kept[job] then
            local list = ids[lanes[job]]
            list[#list + 1] = entries[job]
        end
    end
    return ids
end

-- Whether entry id `a` comes before `b`. By their digits: numbers in Lua are too short for them.
local function is_before(a, b)
    local dash_a, dash_b = a:find('-', 1, true), b:find('-', 1, true)
    if dash_a ~= dash_b then
        return dash_a < dash_b
    end
    local ms_a, ms_b = a:sub(1, dash_a), b:sub(1, dash_b)
    if ms_a ~= ms_b then
        return ms_a < ms_b
    end
    return #a < #b or #a == #b and a < b
end

-- The first entry of a lane that may still be of use: all before it were delivered and are not pending
-- any more. (After XGROUP SETID what is pending may come behind what is yet to be delivered.)
local function first_alive(key)
    local held, delivered = redis.call('XPENDING', key, GROUP), last_delivered(key)
    return held[1] > 0 and is_before(held[2], delivered) and held[2] or delivered
end

-- Takes acknowledged entries out of their stream. XDEL seeks each from the beginning of its node, which
-- costs as much as a result; so entries before the first that is alive are cut off together.
local function delete_entries(key, ids, is_ascending)
    local total, last = #ids, 0
    if is_ascending and total >= CUT_LEAST then
        local alive = first_alive(key)
        redis.call('XTRIM', key, 'MINID', alive)
        last = total
        while last > 0 and not is_before(ids[last], alive) do
            last = last - 1
        end
    end
    if last < total then
        redis.call('XDEL', key, unpack(ids, last + 1))
    end
end

-- Takes the answered jobs of one call out of the queue, all at once: entries `ids` by lane.
local function remove_completed(keys, args, about, ids, ascending, kept)
    local call = redis.call
    for lane = INTERACTIVE, BATCH do
        if ids[lane][1] then
            call('XACK', keys[lane], GROUP, unpack(ids[lane]))
            delete_entries(keys[lane], ids[lane], ascending[lane])
        end
    end
    local is_watched = call('EXISTS', keys[RUNNING], keys[CANCELLED]) > 0
    local before_id = #queue_key(keys, 'result:') + 1
    local refs, job_ids, count, bytes = {}, {}, 0, 0
    for job = 1, #about do
        if not kept[job] then
            count = count + 1
            job_ids[count] = keys[FIXED + job]:sub(before_id)
            bytes = bytes + about[job].bytes
            if is_watched then
                refs[count] = args[4 * job - 2]
            end
        end
    end
    if is_watched and count > 0 then
        call('HDEL', keys[RUNNING], unpack(refs))
        call('SREM', keys[CANCELLED], unpack(refs))
    end
    -- What was added by plain XADD is not in `ids`, and its bytes were not counted. In a call that has
    -- both kinds a share is as good as the truth: the count is set right when the queue is empty.
    local counted = count > 0 and call('HDEL', keys[IDS], unpack(job_ids)) or 0
    if counted > 0 then
        count_stat(keys, 'bytes_waiting', -math.floor(bytes * counted / count))
    end
end

-- What is said about a job beside its result: "attempt,reply,counter,bytes". Most jobs of a call say
-- the same, and share what is read from it.
local function read_about(keys, text, others)
    local attempt, to, stat, bytes = text:match('^([^,]*),([^,]*),([^,]+),(%d+)$')
    if not attempt then
        refuse('expected attempt,reply,counter,bytes, got %s', shown(text))
    end
    return {
        attempt = read_attempt(attempt), stat = stat, bytes = tonumber(bytes),
        reply_key = to ~= '0' and effect_key(keys, tonumber(to), others),
    }
end

-- The arguments of complete, taken apart and checked: of each job its lane, its entry's id and what is
-- said about it; the ids by lane; and the effects of those jobs that have some.
local function read_completions(keys, args, count)
    local others = FIXED + count + 1 -- the first key that is not a result's
    local lanes, entries, about, ids, effects, read = {}, {}, {}, {{}, {}}, {}, {}
    for job = 1, count do
        local at = 4 * job - 2
        local lane, id = split(args[at])
        local list, text = ids[lane], args[at + 1]
        list[#list + 1] = id
        read[text] = read[text] or read_about(keys, text, others)
        lanes[job], entries[job], about[job] = lane, id, read[text]
        if args[at + 3] ~= '' then
            effects[job] = read_effects(keys, args[at + 3], others)
        end
    end
    return lanes, entries, about, ids, effects
end

local function complete(keys, args)
    local call, name = redis.call, args[1]
    local count = groups(args, 2, 4, 1)
    need_keys(keys, count)
    local lanes, entries, about, ids, effects = read_completions(keys, args, count)
    local counts, ascending = fence_lanes(keys, name, ids)
    local ttl = read_ttl(keys, 'result_ttl')

    local reply, at_lane, kept, pushes, tally = {}, {0, 0}, {}, {}, {}
    for job = 1, count do
        local lane, said, result, answer = lanes[job], about[job], args[4 * job], 'lost'
        local i = at_lane[lane] + 1
        at_lane[lane] = i
        if counts[lane][i] == said.attempt then
            if effects[job] then
                answer = apply(keys, keys[FIXED + job], result, ttl, effects[job])
            else
                answer = call('SET', keys[FIXED + job], result, 'EX', ttl, 'NX') and 'ok' or 'duplicate'
            end
        end
        reply[job] = answer
        if answer == 'ok' then
            local stat, to = said.stat, said.reply_key
            tally[stat] = (tally[stat] or 0) + 1
            if to then
                local list = pushes[to] or {}
                list[#list + 1] = result
                pushes[to] = list
            end
        elseif answer == 'duplicate' then
            tally.duplicate = (tally.duplicate or 0) + 1
        else
            kept[job] = true
        end
    end
    for to, list in pairs(pushes) do
        push_replies(keys, to, list, ttl)
    end
    for stat, by in pairs(tally) do
        count_stat(keys, stat, by)
    end
    local gone = next(kept) and without(kept, lanes, entries) or ids
    remove_completed(keys, args, about, gone, ascending, kept)
    return reply
end

-- release, leave -----------------------------------------------------------------------------------

local function release(keys, args)
    local name = worker_name(args[1])
    groups(args, 2, 2, 0)
    local ids, attempts = by_lane(args, 2, 2)
    local reply, released, at_lane = {}, 0, {0, 0}
    local counts = fence_lanes(keys, name, ids)
    for at = 2, #args, 2 do
        local lane, id = split(args[at])
        local i = at_lane[lane] + 1
        local attempt = attempts[lane][i]
        at_lane[lane] = i
        if counts[lane][i] ~= attempt then
            reply[at / 2] = 'lost'
        else
            -- TIME 0 and not a huge IDLE, which Redis silently takes for 0.
            redis.call('XCLAIM', keys[lane], GROUP, RELEASED, 0, id, 'TIME', 0, 'RETRYCOUNT', attempt - 1, 'JUSTID')
            redis.call('HDEL', keys[RUNNING], args[at])
            reply[at / 2] = 'ok'
            released = released + 1
        end
    end
    if released > 0 then
        count_stat(keys, 'released', released)
    end
    return reply
end

local function leave(keys, args)
    local name = worker_name(args[1])
    need_keys(keys, 1)
    redis.call('DEL', keys[FIXED + 1])
    if not drop_consumers(keys, name) then
        return 0
    end
    redis.call('ZREM', keys[WORKERS], name)
    return 1
end

-- What operators and clients ask ---------------------------------------------------------------------

-- Lane and entry of a job by its id or its ref; nil if it neither waits nor runs, as far as can be told.
local function resolve(keys, target)
    local ref = redis.call('HGET', keys[IDS], target)
    if not ref then
        local running = redis.call('HGETALL', keys[RUNNING])
        for i = 1, #running, 2 do
            if scan(running[i + 1], JOB_TEXTS).id == target then
                ref = running[i]
                break
            end
        end
    end
    if not ref and is_ref(target) then
        ref = target
    end
    if ref then
        local lane, id = split(ref)
        if read_entry(keys, lane, id) then
            return lane, id
        end
    end
    -- An entry's bare id is the id of a job that has none of its own, and of no other.
    if is_entry(target) then
        for lane = INTERACTIVE, BATCH do
            local exists, job = read_entry(keys, lane, target)
            if exists and not read_job(job or '').id then
                return lane, target
            end
        end
    end
end

local function need_target(keys, args)
    if #args < 1 or not is_name(args[1]) then
        refuse('expected the id or the ref of a job, got %s', shown(args[1]))
    end
    need_keys(keys, 1)
    return args[1]
end

local function find_job(keys, args)
    local target = need_target(keys, args)
    local lane, id = resolve(keys, target)
    if lane then
        local ref = LETTERS[lane] .. id
        return {entry_state(keys, lane, id), ref, redis.call('HGET', keys[RUNNING], ref)}
    end
    return {redis.call('EXISTS', keys[FIXED + 1]) == 1 and 'done' or 'unknown', '', false}
end

-- Renews what is kept for as long as it is used: sessions and rings that somebody read.
local function touch(keys)
    need_keys(keys, 1)
    local ttl, found = read_ttl(keys, 'session_ttl'), 0
    for at = FIXED + 1, #keys do
        found = found + redis.call('EXPIRE', keys[at], ttl)
    end
    return found
end

local function cancel(keys, args)
    local target = need_target(keys, args)
    local lane, id = resolve(keys, target)
    if not lane then
        return redis.call('EXISTS', keys[FIXED + 1]) == 1 and 'done' or 'unknown'
    end
    local consumer = holder(keys, lane, id)
    if not consumer or consumer == RELEASED then
        conclude_cancelled(keys, lane, id, server_ms())
        return 'cancelled'
    end
    -- A worker has it, and may have started a `next` one since its last beat: it is told.
    redis.call('SADD', keys[CANCELLED], LETTERS[lane] .. id)
    return 'cancelling'
end

local function bury(keys, args)
    if #args ~= 4 then
        refuse('expected ref, reason, worker and attempt, got %d arguments', #args)
    end
    local ref, reason, name = args[1], args[2], args[3]
    if not is_ref(ref) then
        refuse('an entry is named i<id> or b<id>, got %s', shown(ref))
    end
    local lane, id = split(ref)
    local consumer, count = holder(keys, lane, id)
    if name ~= '' then
        worker_name(name)
        if consumer ~= name and consumer ~= name .. ':next' or count ~= tonumber(args[4]) then
            return 'lost'
        end
    end
    local losses = 0
    if consumer then
        losses = (consumer == RELEASED and count) or count - 1
    end
    local was_there = conclude(keys, lane, id, server_ms(), {
        status = 'failed', code = 'buried', message = reason ~= '' and reason or 'the job was taken out of the queue',
        advice = 'the job is kept among the dead letters; an operator can requeue it',
        worker = name ~= '' and name or nil, losses = losses, reason = reason ~= '' and reason or 'buried',
    })
    return was_there and 'buried' or 'unknown'
end

-- Puts a dead letter back, as a fresh entry of its lane. Limits do not hold here: it was accepted once.
local function requeue_one(keys, dead_id)
    local entry = is_entry(dead_id) and redis.call('XRANGE', keys[DEAD], dead_id, dead_id)[1]
    if not entry then
        return 'unknown', ''
    end
    local fields = {}
    for i = 1, #entry[2], 2 do
        fields[entry[2][i]] = entry[2][i + 1]
    end
    local lane, job = LETTER_LANES[fields.ref:sub(1, 1)], fields.job
    local job_id = read_job(job).id
    if job_id then
        local result_key = queue_key(keys, 'result:' .. job_id)
        local result = redis.call('GET', result_key)
        if result and scan(result, {status = true}).status == 'failed' then
            redis.call('DEL', result_key)
        end
        local state, ref = known_state(keys, job_id, redis.call('HGET', keys[IDS], job_id), result_key)
        if state then
            return state, ref
        end
    end
    local ref
    if job_id then
        ref = LETTERS[lane] .. redis.call('XADD', keys[lane], '*', 'job', job)
        redis.call('HSET', keys[IDS], job_id, ref)
    else
        ref = add_nameless(keys, lane, job)
    end
    redis.call('XDEL', keys[DEAD], dead_id)
    count_stat(keys, 'bytes_waiting', #job)
    count_stat(keys, 'requeued', 1)
    return 'queued', ref
end

local function requeue(keys, args)
    groups(args, 1, 1, 1)
    local reply = {}
    for i, dead_id in ipairs(args) do
        reply[2 * i - 1], reply[2 * i] = requeue_one(keys, dead_id)
    end
    return reply
end

local function purge(keys, args)
    groups(args, 1, 1, 1)
    if #args == 1 and args[1] == 'all' then
        local count = redis.call('XLEN', keys[DEAD])
        redis.call('DEL', keys[DEAD])
        return count
    end
    for _, dead_id in ipairs(args) do
        if not is_entry(dead_id) then
            refuse('a dead letter is named by its entry id or all, got %s', shown(dead_id))
        end
    end
    return redis.call('XDEL', keys[DEAD], unpack(args))
end

local function lane_status(keys, lane, now)
    local length, running, nexts, released = redis.call('XLEN', keys[lane]), 0, 0, 0
    local held = try('NOGROUP', 'XPENDING', keys[lane], GROUP)
    local after = '-'
    if held then
        for _, row in ipairs(held[4] or {}) do
            local count = tonumber(row[2])
            if row[1] == RELEASED then
                released = released + count
            elseif is_next(row[1]) then
                nexts = nexts + count
            else
                running = running + count
            end
        end
        after = '(' .. last_delivered(keys[lane])
    end
    local oldest = redis.call('XRANGE', keys[lane], after, '+', 'COUNT', 1)[1]
    return {
        'length', length, 'waiting', math.max(0, length - running - nexts), 'running', running, 'next', nexts,
        'released', released, 'oldest_ms', oldest and math.max(0, now - entry_ms(oldest[1])) or 0,
    }
end

local function status(keys)
    local now = server_ms()
    local paused = redis.call('HGET', keys[CONFIG], 'paused') == '1'
    local workers = {}
    local beats = redis.call('ZREVRANGE', keys[WORKERS], 0, 999, 'WITHSCORES')
    for i = 1, #beats, 2 do
        local at = #workers
        workers[at + 1], workers[at + 2] = beats[i], tonumber(beats[i + 1])
        workers[at + 3] = redis.call('GET', queue_key(keys, 'worker:' .. beats[i]))
    end
    return {
        'version', VERSION, 'server_ms', now, 'paused', paused and 1 or 0,
        'interactive', lane_status(keys, INTERACTIVE, now), 'batch', lane_status(keys, BATCH, now),
        'dead', redis.call('XLEN', keys[DEAD]), 'traces', redis.call('ZCARD', keys[TRACES]),
        'stats', redis.call('HGETALL', keys[STATS]), 'config', redis.call('HGETALL', keys[CONFIG]),
        'workers', workers, 'running', redis.call('HGETALL', keys[RUNNING]),
    }
end

-- The functions -------------------------------------------------------------------------------------

-- allow-oom: what drains the queue must work when memory is short; only what fills it is refused.
local function register(name, callback, ...)
    redis.register_function({
        function_name = 'susurration_v1_' .. name,
        callback = function(keys, args)
            need_keys(keys, 0)
            return callback(keys, args)
        end,
        flags = {...},
    })
end

register('enqueue', enqueue)
register('claim', claim, 'allow-oom')
register('beat', beat, 'allow-oom')
register('complete', complete, 'allow-oom')
register('release', release, 'allow-oom')
register('leave', leave, 'allow-oom')
register('cancel', cancel, 'allow-oom')
register('touch', touch, 'allow-oom')
register('bury', bury, 'allow-oom')
register('requeue', requeue)
register('purge', purge, 'allow-oom')
register('find', find_job, 'no-writes')
register('status', status, 'no-writes')
redis.register_function({
    function_name = 'susurration_v1_version',
    callback = function()
        return VERSION
    end,
    flags = {'no-writes', 'allow-stale'},
})
