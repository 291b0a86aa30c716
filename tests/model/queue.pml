/* SPDX-License-Identifier: MIT */
/*
 * How two workers share the queue: claim, beat, complete, release, cancel, bury, and what goes wrong
 * meanwhile. spin looks at every order in which it can happen (run.sh; docs/reliability.md says what came of it).
 *
 * Two jobs: job 0 is poison, whoever runs it to its end dies of it; job 1 is innocent. A worker runs both at a time.
 * A step is one call of Redis (they are atomic there) together with what the worker makes of its answer, or one
 * step of the worker alone. Whether and when a step is taken, is a choice, and spin tries each.
 *
 *   here                        there
 *   holder, count               the pending entries list: consumer and delivery count
 *   fence, give_again, ...      proto/functions.lua, functions of the same names
 *   take, begin_alone           worker/intake.c: intake_take, intake_goes_on, intake_settle_alone
 *   hear_lost                   worker/beat.c: beat_stop; worker/intake.c: intake_lose
 *   reconnect                   worker/recover.c
 *   may_claim, may_reclaim      worker/hunt.c: hunt_decide; worker/claim.c: claim_send
 *   hand_back                   worker/drain.c; worker/intake.c: intake_give_up, intake_yield
 *
 * Faults, each a switch (-D):
 *   CRASHES    a worker is killed, at any step; it comes back under another name
 *   BREAKS     a connection breaks: the call was carried out, its answer is lost; then the worker asks what it has
 *   STALLS     a living worker is silent beyond its lease, and goes on as if nothing had been
 *   LATES      a connection breaks, and a call that was sent on it arrives at any time later, or never
 *   CONFLICTS  a finished job lost the compare-and-set of its session, and runs again
 *   CANCELS    clients cancel jobs
 *   DRAINS     workers hand back what they hold: before their end, and what was claimed ahead in vain
 * Of STALLS, LATES and CONFLICTS there are FAULTS in a run, all together; of the others any number.
 *
 * Left out: lanes and turns (who is first), pause, limits, time to live, jobs that are too big; Redis that loses what
 * it has acknowledged or refuses to serve; two jobs of one id; the blocking read. A call of a dead process that
 * arrives after its death is like one that arrives before it: nobody else has its jobs in between.
 *
 * What must hold is said by assert where it is done, and by the last lines: however it goes on, both jobs are answered.
 * At most MAX_LOST + 1 workers die of the poison job (its first run may have been claimed ahead, so that nobody knew of
 * it yet), and one more for each of the FAULTS; of the innocent job it takes one run with it.
 * BREAK_... are defects made on purpose, which spin must find (run.sh).
 */
#define JOBS 2
#define MAX_LOST 3
#ifndef FAULTS
#define FAULTS 0
#endif

#define is_poison(e) ((e) == 0)
#define other(e) (1 - (e))

/* --- what Redis knows ------------------------------------------------------------------------- */

/* holder[e]: the consumer of the entry, or where else it is. */
#define WAITING 0  /* nobody has had it */
#define RELEASED 1 /* handed back */
#define GONE 2     /* answered, and out of the queue */
#define CRASHED 3  /* NAME of a worker that is no more */
#define KILLED 4   /* the same; it died of a poison job */
#define VACANT 5   /* NAME:next of a worker that is no more */
#define NAME(w) (6 + 2 * (w))
#define NEXT(w) (7 + 2 * (w))
#define is_next(e) (holder[e] == VACANT || holder[e] == NEXT(0) || holder[e] == NEXT(1))
#define is_with(w, e) (holder[e] == NAME(w) || holder[e] == NEXT(w))
#define is_pending(e) (holder[e] >= CRASHED)

#define NONE 0
#define OK 1
#define CANCELLED 2
#define BURIED 3

byte holder[JOBS];
byte count[JOBS];
bit marked[JOBS]; /* in the set `cancelled` */
byte result[JOBS];

/* --- what a worker knows ---------------------------------------------------------------------- */

/* state[AT(w, e)] */
#define WAIT 1    /* in line for a slot */
#define HOLD 2    /* to run alone: waits until nothing else is held */
#define DECLARE 3 /* its start is to be told before it starts */
#define RUN 4
#define DONE 5 /* to be completed */
#define CUT 6  /* to be completed as cancelled */
#define BACK 7 /* to be released */
#define AT(w, e) ((w) * JOBS + (e))

byte state[2 * JOBS];
byte attempt[2 * JOBS];
bit winding[2 * JOBS]; /* a run that was given up is still in its slot */
bit broken[2];         /* no connection, since a call */
bit draining[2];

#define has(w, e) (state[AT(w, e)] != NONE)
#define is_cuttable(w, e) (state[AT(w, e)] == WAIT || state[AT(w, e)] == RUN)
#define is_in_slot(w, e) (state[AT(w, e)] == RUN || winding[AT(w, e)])
#define is_busy(w) (has(w, 0) || has(w, 1) || winding[AT(w, 0)] || winding[AT(w, 1)])
#if defined(BREAK_TOGETHER)
#define has_others(w, e) false
#elif defined(BREAK_UNDELIVERED)
#define has_others(w, e) (has(w, other(e)) && state[AT(w, other(e))] < DONE || winding[AT(w, 0)] || winding[AT(w, 1)])
#else
#define has_others(w, e) (has(w, other(e)) || winding[AT(w, 0)] || winding[AT(w, 1)])
#endif
#define is_alone(w, e) (has(w, e) && attempt[AT(w, e)] > 1)
#define has_state(w, s) (state[AT(w, 0)] == s || state[AT(w, 1)] == s)

/* --- what only this model knows --------------------------------------------------------------- */

byte left = FAULTS;
byte losses[JOBS]; /* how often the job was taken over from who may have begun it */
byte blamed[JOBS]; /* how many of those died of a poison job */
byte kills;        /* workers that died of job 0 */
byte given[JOBS];  /* 1 + the worker that got it last, as long as it is neither answered nor handed back */
bit asked[JOBS];   /* to be cancelled */
bit was_late;      /* a call has arrived late */

/* --- the functions of Redis ------------------------------------------------------------------- */

#if defined(BREAK_FENCE_COUNT)
#define fence(w, e, n) is_with(w, e)
#elif defined(BREAK_FENCE_NAME)
#define fence(w, e, n) (is_pending(e) && count[e] == n)
#else
#define fence(w, e, n) (is_with(w, e) && count[e] == n)
#endif

inline answer(E, what) {
    assert(result[E] == NONE);
    assert(what != CANCELLED || asked[E]);
    assert(what != OK || !is_poison(E));
    result[E] = what;
#ifdef BREAK_ANSWER
    if
    :: what != OK -> holder[E] = GONE
    :: else
    fi;
#else
    holder[E] = GONE;
#endif
    count[E] = 0; marked[E] = 0; losses[E] = 0; blamed[E] = 0; given[E] = 0; asked[E] = 0
}

/* A fresh entry, for W as `to`. `heard`: W gets the answer. */
inline give_fresh(W, E, to, heard) {
    holder[E] = to;
    count[E] = 1;
    given[E] = W + 1;
    if
    :: heard -> take(W, E, WAIT)
    :: else
    fi
}

/* The losses that are counted are those that were. */
inline count_loss(E) {
    if
    :: holder[E] == KILLED -> losses[E]++; blamed[E]++; assert(is_poison(E) || blamed[E] <= 1 + was_late)
    :: is_pending(E) && holder[E] != KILLED && !is_next(E) -> losses[E]++
    :: else
    fi;
    count[E] = (is_next(E) -> count[E] - 1 : count[E]);
    assert(count[E] == losses[E])
}

/* Released, or lost. */
inline give_again(W, E, heard) {
    count_loss(E);
    given[E] = W + 1;
    if
    :: marked[E] -> answer(E, CANCELLED)
    :: !marked[E] && count[E] >= MAX_LOST -> answer(E, BURIED)
    :: !marked[E] && count[E] < MAX_LOST && count[E] > 0 ->
        holder[E] = NEXT(W);
        count[E]++;
        if
        :: heard -> take(W, E, HOLD)
        :: else
        fi
    :: else ->
        holder[E] = NAME(W);
        count[E] = 1;
        if
        :: heard -> take(W, E, WAIT)
        :: else
        fi
    fi
}

inline complete(W, E, N, what) {
    if
    :: fence(W, E, N) -> assert(given[E] == W + 1); answer(E, what)
    :: else
    fi
}

inline release(W, E, N) {
    if
    :: fence(W, E, N) ->
        assert(given[E] == W + 1);
        given[E] = 0;
        holder[E] = RELEASED;
#ifdef BREAK_RELEASE
        count[E] = N
#else
        count[E] = N - 1
#endif
    :: else
    fi
}

/* Renewing is not seen here: a lease is over when a fault says so. */
inline beat(W, E, N, started, heard) {
    if
    :: fence(W, E, N) ->
        assert(given[E] == W + 1);
        if
        :: started -> holder[E] = NAME(W)
        :: else
        fi;
        if
        :: heard -> hear_told(W, E)
        :: else
        fi
    :: else ->
        if
        :: heard -> hear_lost(W, E)
        :: else
        fi
    fi
}

/* --- a worker --------------------------------------------------------------------------------- */

inline forget(W, E) {
    state[AT(W, E)] = NONE;
    attempt[AT(W, E)] = 0
}

/* A run cannot be stopped at once: it keeps its slot for a while. */
inline give_up(W, E) {
    winding[AT(W, E)] = winding[AT(W, E)] || state[AT(W, E)] == RUN;
    forget(W, E)
}

/* What it was given. What it has already goes on; but what is to run alone begins anew. */
inline take(W, E, how) {
    if
    :: how == HOLD || !has(W, E) ->
#ifdef BREAK_GOES_ON
        if
        :: !has(W, E) -> state[AT(W, E)] = how
        :: else
        fi;
#else
        give_up(W, E);
        state[AT(W, E)] = how;
#endif
    :: else
    fi;
    attempt[AT(W, E)] = count[E]
}

inline hear_told(W, E) {
    if
    :: marked[E] && is_cuttable(W, E) -> state[AT(W, E)] = CUT
    :: !marked[E] && state[AT(W, E)] == DECLARE -> state[AT(W, E)] = WAIT
    :: marked[E] && state[AT(W, E)] == DECLARE -> state[AT(W, E)] = CUT
    :: else
    fi
}

inline hear_lost(W, E) {
    give_up(W, E)
}

inline begin_run(W, E) {
    assert(!is_alone(W, other(E)) || state[AT(W, other(E))] != RUN);
    assert(!is_alone(W, E) || !is_in_slot(W, other(E)) && !winding[AT(W, E)]);
    assert(!is_alone(W, E) || holder[E] != NEXT(W) || count[E] != attempt[AT(W, E)]);
    state[AT(W, E)] = RUN
}

/* What Redis has under the names of a process that is no more. */
inline leave(W, E, as) {
    if
    :: holder[E] == NAME(W) -> holder[E] = as
    :: holder[E] == NEXT(W) -> holder[E] = VACANT
    :: else
    fi;
    given[E] = (given[E] == W + 1 -> 0 : given[E]);
    forget(W, E);
    winding[AT(W, E)] = 0
}

/* It ends, and is started anew. */
inline restart(W, as) {
    leave(W, 0, as);
    leave(W, 1, as);
    broken[W] = 0;
    draining[W] = 0;
    arrived(W)
}

inline die_of_poison(W) {
    kills++;
    assert(kills <= MAX_LOST + 1 + FAULTS - left);
    restart(W, KILLED)
}

/* What Redis has under its names, and it does not hold as that attempt, is handed back. */
#ifdef BREAK_RECOVER_STALE
#define is_held(w, e) (has(w, e) || winding[AT(w, e)])
#else
#define is_held(w, e) (has(w, e) && attempt[AT(w, e)] == count[e])
#endif
inline recover(W, E) {
    if
    :: is_with(W, E) && !is_held(W, E) ->
        give_up(W, E);
        state[AT(W, E)] = BACK;
        attempt[AT(W, E)] = count[E]
    :: else
    fi
}

/* --- leases ----------------------------------------------------------------------------------- */

/* By a worker that lives and does not know of it, though it has asked. */
#define is_leaked(w, e) (is_with(w, e) && !has(w, e) && !broken[w])
#define is_orphan(e) (holder[e] == CRASHED || holder[e] == KILLED || holder[e] == VACANT)
#define is_over(e) (is_orphan(e) || is_leaked(0, e) || is_leaked(1, e))
#define is_stale(w, e) (has(w, e) && !fence(w, e, attempt[AT(w, e)]))

#define can_call(w) (!broken[w])
/* What is handed back is sent before a claim. */
#define may_claim(w) (can_call(w) && !draining[w] && !has_state(w, BACK) && !is_alone(w, 0) && !is_alone(w, 1))
/* Ahead of a look among its own goes a beat: the worker has heard what it has lost, and has renewed the rest. */
#ifdef BREAK_BEAT_AHEAD
#define may_reclaim(w, e) may_claim(w)
#define is_silent(w, e) (is_with(0, e) || is_with(1, e))
#else
#define may_reclaim(w, e) (may_claim(w) && (!is_with(w, e) || !is_stale(w, 0) && !is_stale(w, 1)))
#define is_silent(w, e) (is_with(1 - (w), e))
#endif

/* A worker does not lose what it knows of and renews. */
inline assert_over(E) {
    assert(is_orphan(E) || was_late)
}
/* Nor does it take over what it runs itself. */
inline assert_not_own(W, E) {
    assert(!is_with(W, E) || !has(W, E))
}

/* --- calls and their fate --------------------------------------------------------------------- */

/* One call that the network still has, by worker. */
#define CLAIM 1
#define BEAT 2
#define STARTED 3 /* a beat that tells the start */
#define COMPLETE 4
#define CUT_SHORT 5 /* complete as cancelled */
#define RELEASE 6
byte late[2];
byte late_job[2];
byte late_attempt[2];

inline arrived(W) {
    late[W] = NONE; late_job[W] = 0; late_attempt[W] = 0
}

inline send_late(W, E, kind) {
    left--;
    broken[W] = 1;
    late[W] = kind; late_job[W] = E; late_attempt[W] = attempt[AT(W, E)]
}

/* Each call stands here three times: answered; carried out, but the answer is lost; and late. */
#ifdef BREAKS
#define UNHEARD(guard, effect) :: d_step { can_call(w) && guard -> effect; broken[w] = 1 }
#else
#define UNHEARD(guard, effect)
#endif
#ifdef LATES
#define LATE(guard, kind) :: d_step { left > 0 && can_call(w) && late[w] == NONE && guard -> send_late(w, e, kind) }
#else
#define LATE(guard, kind)
#endif

#define is_told(w, e) (state[AT(w, e)] == RUN || state[AT(w, e)] == DONE || state[AT(w, e)] == DECLARE)
/* A beat that would change something. */
#define has_news(w, e) (is_stale(w, e) || state[AT(w, e)] == DECLARE || \
    is_told(w, e) && holder[e] == NEXT(w) || is_cuttable(w, e) && marked[e])
#define is_takeable(e) (holder[e] == RELEASED || is_over(e))

/* What worker w does about job e. */
proctype worker(byte w; byte e) {
end:
    do
    /* claim: fresh, ahead, again */
    :: d_step { may_claim(w) && holder[e] == WAITING -> give_fresh(w, e, NAME(w), true) }
    UNHEARD(may_claim(w) && holder[e] == WAITING, give_fresh(w, e, NAME(w), false))
    :: d_step { may_claim(w) && holder[e] == WAITING -> give_fresh(w, e, NEXT(w), true) }
    UNHEARD(may_claim(w) && holder[e] == WAITING, give_fresh(w, e, NEXT(w), false))
    :: d_step { may_claim(w) && holder[e] == RELEASED -> give_again(w, e, true) }
    UNHEARD(may_claim(w) && holder[e] == RELEASED, give_again(w, e, false))
#ifndef BREAK_RECLAIM
    :: d_step { may_reclaim(w, e) && is_over(e) -> assert_over(e); give_again(w, e, true) }
    UNHEARD(may_reclaim(w, e) && is_over(e), assert_over(e); give_again(w, e, false))
#endif
    LATE(may_claim(w), CLAIM)

    /* beat */
    :: d_step { can_call(w) && has_news(w, e) -> beat(w, e, attempt[AT(w, e)], is_told(w, e), true) }
    UNHEARD(has_news(w, e), beat(w, e, attempt[AT(w, e)], is_told(w, e), false))
    LATE(has(w, e), (is_told(w, e) -> STARTED : BEAT))

    /* its run */
    :: d_step { state[AT(w, e)] == HOLD && !has_others(w, e) -> state[AT(w, e)] = DECLARE }
#ifdef BREAK_DECLARE
    :: d_step { state[AT(w, e)] == DECLARE -> state[AT(w, e)] = WAIT }
#endif
    :: d_step { state[AT(w, e)] == WAIT -> begin_run(w, e) }
    :: d_step { is_in_slot(w, e) && is_poison(e) -> die_of_poison(w) }
    :: d_step { state[AT(w, e)] == RUN && !is_poison(e) -> state[AT(w, e)] = DONE }
    :: d_step { winding[AT(w, e)] -> winding[AT(w, e)] = 0 }

    /* complete */
    :: d_step { can_call(w) && state[AT(w, e)] == DONE -> complete(w, e, attempt[AT(w, e)], OK); forget(w, e) }
    UNHEARD(state[AT(w, e)] == DONE, complete(w, e, attempt[AT(w, e)], OK))
    LATE(state[AT(w, e)] == DONE, COMPLETE)
#ifdef CANCELS
    :: d_step { can_call(w) && state[AT(w, e)] == CUT -> complete(w, e, attempt[AT(w, e)], CANCELLED); forget(w, e) }
    UNHEARD(state[AT(w, e)] == CUT, complete(w, e, attempt[AT(w, e)], CANCELLED))
    LATE(state[AT(w, e)] == CUT, CUT_SHORT)
#endif

    /* release */
    :: d_step { can_call(w) && state[AT(w, e)] == BACK -> release(w, e, attempt[AT(w, e)]); forget(w, e) }
    UNHEARD(state[AT(w, e)] == BACK, release(w, e, attempt[AT(w, e)]))
    LATE(state[AT(w, e)] == BACK, RELEASE)

    /* faults that concern one job */
#ifdef STALLS
    :: d_step { left > 0 && may_reclaim(w, e) && is_silent(w, e) -> left--; assert_not_own(w, e); give_again(w, e, true) }
    UNHEARD(left > 0 && may_reclaim(w, e) && is_silent(w, e), left--; assert_not_own(w, e); give_again(w, e, false))
#endif
#ifdef CONFLICTS
    :: d_step { left > 0 && can_call(w) && state[AT(w, e)] == DONE && !is_stale(w, e) ->
        left--;
        state[AT(w, e)] = WAIT }
#endif
#ifdef DRAINS
    :: d_step { state[AT(w, e)] == WAIT && !is_alone(w, e) -> state[AT(w, e)] = BACK }
    :: d_step { draining[w] && has(w, e) && state[AT(w, e)] <= RUN -> state[AT(w, e)] = BACK }
#endif
#ifdef LATES
    :: d_step { late[w] == CLAIM && holder[e] == WAITING -> was_late = 1; give_fresh(w, e, NAME(w), false); arrived(w) }
    :: d_step { late[w] == CLAIM && holder[e] == WAITING -> was_late = 1; give_fresh(w, e, NEXT(w), false); arrived(w) }
    :: d_step { late[w] == CLAIM && is_takeable(e) -> was_late = 1; give_again(w, e, false); arrived(w) }
    :: d_step { late[w] >= BEAT && late_job[w] == e -> was_late = 1;
        if
        :: late[w] == BEAT -> beat(w, e, late_attempt[w], false, false)
        :: late[w] == STARTED -> beat(w, e, late_attempt[w], true, false)
        :: late[w] == COMPLETE -> complete(w, e, late_attempt[w], OK)
        :: late[w] == CUT_SHORT -> complete(w, e, late_attempt[w], CANCELLED)
        :: late[w] == RELEASE -> release(w, e, late_attempt[w])
        fi;
        arrived(w) }
#endif
    od
}

/* What befalls worker w as a whole. */
proctype fate(byte w) {
end:
    do
    :: d_step { broken[w] -> broken[w] = 0;
#ifndef BREAK_RECOVER
        recover(w, 0); recover(w, 1)
#endif
    }
#ifdef LATES
    :: d_step { late[w] != NONE -> arrived(w) }
#endif
#ifdef CRASHES
    :: d_step { is_busy(w) || broken[w] -> restart(w, CRASHED) }
#endif
#ifdef DRAINS
    :: d_step { is_busy(w) && !draining[w] -> draining[w] = 1 }
    :: d_step { draining[w] && !is_busy(w) -> restart(w, CRASHED) }
#endif
    od
}

#ifdef CANCELS
proctype client(byte e) {
    d_step {
        if
        :: is_pending(e) -> asked[e] = 1; marked[e] = 1
        :: holder[e] == WAITING || holder[e] == RELEASED -> asked[e] = 1; answer(e, CANCELLED)
        :: else /* answered already */
        fi
    }
}
#endif

/* What must be possible, else the rest would say little: run.sh expects each to be found. */
inline seen() {
#if defined(SEEN_KILLS)
    assert(result[0] != BURIED || result[1] != OK || kills != MAX_LOST + 1)
#elif defined(SEEN_CANCELLED)
    assert(result[0] != CANCELLED || result[1] != CANCELLED || !kills)
#elif defined(SEEN_UNLUCKY)
    assert(result[1] != BURIED)
#else
    skip
#endif
}

/* The end: both jobs are answered, and nothing is left. pan reports any other end as an invalid end state. */
init {
    atomic {
        run worker(0, 0); run worker(0, 1); run worker(1, 0); run worker(1, 1); run fate(0); run fate(1);
#ifdef CANCELS
        run client(0); run client(1)
#endif
    }
    holder[0] == GONE && holder[1] == GONE && result[0] != NONE && result[1] != NONE && !is_busy(0) && !is_busy(1);
    seen()
}
