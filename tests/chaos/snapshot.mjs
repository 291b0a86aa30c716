// SPDX-License-Identifier: MIT
//
// What Redis holds under a queue's name, as plain objects: {name, type, ttl_ms (-1: for ever), value}.
// Bytes are base64: of a string; {field: bytes} of a hash; [bytes] of a list; [member] of a set,
// [[member, score]] of a sorted set; {entries: [[id, {field: bytes}]], groups: {name: {pending,
// consumers: {name: pending}}}} of a stream.

const coded = (bytes) => bytes.toString('base64');
const pairs = (list, value) =>
    Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[String(name), value(list[i + 1])]] : [])));

const READERS = {
    string: async (redis, key) => coded(await redis.getBuffer(key)),
    hash: async (redis, key) => pairs(await redis.callBuffer('HGETALL', key), coded),
    list: async (redis, key) => (await redis.lrangeBuffer(key, 0, -1)).map(coded),
    set: async (redis, key) => redis.smembers(key),
    zset: async (redis, key) => {
        const flat = await redis.zrange(key, 0, -1, 'WITHSCORES');
        return flat.flatMap((member, i) => (i % 2 === 0 ? [[member, Number(flat[i + 1])]] : []));
    },
    stream: async (redis, key) => {
        const entries = await redis.callBuffer('XRANGE', key, '-', '+');
        const groups = {};
        for (const row of await redis.call('XINFO', 'GROUPS', key)) {
            const group = pairs(row, (value) => value);
            const rows = await redis.call('XINFO', 'CONSUMERS', key, group.name);
            const consumers = rows.map((consumer) => pairs(consumer, (value) => value));
            groups[group.name] = { pending: group.pending,
                                   consumers: Object.fromEntries(consumers.map((c) => [c.name, c.pending])) };
        }
        return { entries: entries.map(([id, fields]) => [String(id), pairs(fields, coded)]), groups };
    },
};

export async function snapshot(redis, queue) {
    const prefix = `flock:{${queue}}:`;
    const keys = (await redis.keys('*')).sort();
    const rows = keys.map(async (key) => {
        const type = await redis.type(key);
        // One that is in no queue keeps its whole name, which no reader expects.
        const name = key.startsWith(prefix) ? key.slice(prefix.length) : `/${key}`;
        return { name, type, ttl_ms: await redis.pttl(key), value: await READERS[type]?.(redis, key) };
    });
    return Promise.all(rows);
}
