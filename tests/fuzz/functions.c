/* SPDX-License-Identifier: MIT */
/*
 * The library of Redis functions reads jobs too, where no worker may: a cancel, a burial, an
 * enqueue. Here it runs in a Lua of this process, on a Redis of a few lines that holds one job, and
 * must read that job as wire_decode_job does: the same id, the same reply list, and where the job
 * is good, the same kind and traceparent. Lua 5.1, as in Redis.
 */
#include "fuzz.h"

#include "queue_load.h"
#include "wire.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY "1-0"

/* What Redis brings: commands that do nothing but say what was asked of them. */
static const char redis[] =
    "local functions, job, seen = {}, nil, nil\n"
    "local keys = {}\n"
    "for _, name in ipairs({'jobs:interactive', 'jobs:batch', 'ids', 'running', 'cancelled', "
    "'workers',\n"
    "                       'dead', 'stats', 'config', 'traces', 'result:x'}) do\n"
    "    keys[#keys + 1] = 'flock:{main}:' .. name\n"
    "end\n"
    "local answers = {\n"
    "    XRANGE = function(_, id) return {{id, {'job', job}}} end,\n"
    "    XADD = function(_, _, _, text) seen.added = text return '1-0' end,\n"
    "    SET = function(key) seen.result = key:match('^flock:{main}:result:(.*)$') return 'OK' "
    "end,\n"
    "    RPUSH = function(key) seen.reply = key:match('^flock:{main}:reply:(.*)$') return 1 end,\n"
    "    TIME = function() return {'1700000000', '0'} end,\n"
    "    HGETALL = function() return {} end,\n"
    "    XPENDING = function() return {} end,\n"
    "    HMGET = function(_, ...) local all = {} for i = 1, select('#', ...) do all[i] = false "
    "end\n"
    "        return all end,\n"
    "    HGET = function() return false end,\n"
    "    HSETNX = function() return 1 end,\n"
    "}\n"
    "redis = {\n"
    "    register_function = function(row) functions[row.function_name] = row.callback end,\n"
    "    error_reply = function(text) return {err = text} end,\n"
    "    call = function(name, ...)\n"
    "        local answer = answers[name]\n"
    "        if answer then return answer(...) end\n"
    "        return 0\n"
    "    end,\n"
    "}\n"
    "redis.pcall = redis.call\n"
    "cmsgpack = {pack = function(message) seen.message = message return 'R' end}\n"
    "function cancel(bytes)\n"
    "    job, seen = bytes, {}\n"
    "    assert(functions.susurration_v1_cancel(keys, {'b1-0'}) == 'cancelled')\n"
    "    return seen.result, seen.message.id, seen.reply, seen.message.kind, "
    "seen.message.traceparent\n"
    "end\n"
    "function enqueue(id, bytes)\n"
    "    job, seen = bytes, {}\n"
    "    local is_done, reply = pcall(functions.susurration_v1_enqueue, keys, {'batch', id, "
    "bytes})\n"
    "    return is_done and reply[1] == 'queued'\n"
    "end\n";

static lua_State *lua;

static void must(int code) {
    if (code != 0)
        (void)fprintf(stderr, "%s\n", lua_tostring(lua, -1));
    assert(code == 0);
}

static void prepare(void) {
    size_t size;
    const char *library = queue_library(&size), *code = strchr(library, '\n'); /* behind #!lua */
    lua = luaL_newstate();
    assert(lua && code);
    luaL_openlibs(lua);
    must(luaL_dostring(lua, redis));
    must(luaL_loadbuffer(lua, code, size - (size_t)(code - library), "functions.lua"));
    must(lua_pcall(lua, 0, 0, 0));
}

/* The text at that place of the stack; empty for nil. */
static const char *text_at(int place) {
    const char *text = lua_tostring(lua, place);
    return text ? text : "";
}

static void check_cancel(const uint8_t *data, size_t size, const struct job *job, bool is_good) {
    lua_getglobal(lua, "cancel");
    lua_pushlstring(lua, (const char *)data, size);
    must(lua_pcall(lua, 1, 5, 0));
    assert(strcmp(text_at(-5), job->id) == 0 && strcmp(text_at(-4), job->id) == 0);
    assert(strcmp(text_at(-3), job->reply_to) == 0);
    if (is_good) {
        assert(strcmp(text_at(-2), job_kind_name(job->kind)) == 0);
        assert(strcmp(text_at(-1), job->traceparent) == 0);
    }
    lua_settop(lua, 0);
}

static bool is_enqueued(const uint8_t *data, size_t size, const char *id) {
    lua_getglobal(lua, "enqueue");
    lua_pushstring(lua, id);
    lua_pushlstring(lua, (const char *)data, size);
    must(lua_pcall(lua, 2, 1, 0));
    bool is_done = lua_toboolean(lua, -1);
    lua_settop(lua, 0);
    return is_done;
}

/* Under the id that is in it, or none where there is none; under no other. */
static void check_enqueue(const uint8_t *data, size_t size, const struct job *job, bool is_good) {
    bool has_own = strcmp(job->id, ENTRY) != 0;
    assert(is_enqueued(data, size, has_own ? job->id : ""));
    if (is_good && has_own) {
        assert(!is_enqueued(data, size, ""));
        assert(!is_enqueued(data, size, strcmp(job->id, "x") != 0 ? "x" : "y"));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct job job;
    struct fault fault;
    if (!lua)
        prepare();
    bool is_good = wire_decode_job(data, size, ENTRY, &job, &fault) == 0;
    check_cancel(data, size, &job, is_good);
    check_enqueue(data, size, &job, is_good);
    job_release(&job);
    return 0;
}
