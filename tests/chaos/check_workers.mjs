// SPDX-License-Identifier: MIT
//
// Workers end when they are told to and not before, go on after whatever has happened, and lose no run
// but by a fault.

const processOf = (consumer) => consumer.match(/^(w\d+g\d+)-/)?.[1];

export function checkWorkers(story, { results }, violate) {
    for (const { worker, how, asked } of story.of('gone')) {
        if (asked === 'TERM' && how !== 'exit 0') violate('', `worker ${worker} was told to end, and ended with ${how}`);
        if (!asked) violate('', `worker ${worker} ended by itself, with ${how}`);
    }
    for (const { empty, left } of story.of('drained')) {
        if (!empty) violate('', `the queue got no shorter after the last fault: ${left} jobs are left`);
    }
    for (const { ids, workers } of story.of('roll')) {
        const there = new Set(ids.map((id) => results.get(id)?.value.worker).filter(Boolean).map(processOf));
        for (const worker of workers) if (!there.has(worker)) violate('', `worker ${worker} has stopped taking jobs`);
    }
    if (story.of('roll').length === 0) violate('', 'the run was not finished');
}

const CLOCKS_MS = 50; // between Redis's clock and the history's

// How many runs an entry has lost, by who holds it and how often it was given.
const lossesOf = ({ consumer, count }) => (consumer === 'released' ? count : count - 1);

/** Every loss that somebody saw in the pending list took a lease, and falls into a time in which the worker could lose it. */
export function checkLosses(story, violate) {
    const last = new Map();
    let seen = 0;
    for (const line of story.of('held')) {
        // Nobody has lost it when it is added, at the time that its id begins with.
        const added = { t: Number(line.ref.slice(1).split('-')[0]) - story.plan.wall, consumer: 'released', count: 0 };
        const before = last.get(line.ref) ?? added;
        last.set(line.ref, line);
        const lost = lossesOf(line) - lossesOf(before);
        const isFailover = story.lossy.some(([from, to]) => before.t <= to && line.t >= from);
        if (line.t - added.t < lossesOf(line) * story.plan.lease_ms - CLOCKS_MS) {
            violate('', `${line.ref} is said to have been lost ${lossesOf(line)} times, sooner than its leases end`, line.ref);
        }
        if (lost < 0 && !isFailover) violate('', `${line.ref} had ${lossesOf(before)} losses and has ${lossesOf(line)}`);
        if (lost <= 0) continue;
        seen += lost;
        const holder = before.consumer === 'released' || before.consumer.endsWith(':next') ? '' : processOf(before.consumer);
        if (!story.couldLose(holder, before.t, line.t)) violate('', `${before.consumer} had ${line.ref}, whose run was lost without a fault`, line.ref);
    }
    return seen;
}
