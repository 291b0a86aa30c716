/* SPDX-License-Identifier: MIT */
/*
 * The fast flock: one source for every instruction set, included once per backend behind one of the
 * simd_*.h. It gives the bytes of flock_reference.c, and this is why.
 *
 * ORDER. A sum of doubles depends on the order of its terms, and the specification's order is
 * ascending j for each bird i. So the eight lanes of a vector hold eight different birds i, and one
 * loop over ascending j adds to all of them: each lane sees its own terms in its own order, as a
 * scalar loop would. Where j is no neighbour of a lane, the add is masked out there: nothing or +0
 * is added, and +0 changes no sum that started at +0, since such a one never is -0. Which birds
 * share a vector is free to choose, because it changes nothing in any lane: they are sorted along a
 * space-filling curve, so that most j concern none of the eight and are left out for all at once.
 * In a crowd, where about all j concern about all of them, lanes are in the order of the birds, and
 * the pairs go in tiles, from which each lane still gets its j ascending (flock_kernel_crowd.h).
 *
 * DECISIONS. Whether a distance is below 90 or 28 is decided on its square, which is cheap and
 * almost always certain; next to the limit the exact distance decides. Deltas that enter a sum are
 * always computed as the specification says: subtract, then one wrap. What only rules birds out may
 * be coarser: lists that hold for a dozen ticks, and coordinates of 16 bits that wrap by
 * themselves.
 *
 * FUNCTIONS. hypot is a square root, the exact residual of its square, and a correction that is
 * tested for certainty (exact_hypot.c has the argument); uncertain lanes take exact_hypot itself.
 *
 * A tick, for each block of eight lanes, but in a crowd:
 *
 *   candidates --filter--> hits --sum--> deltas, velocities, a row of bits     then all blocks
 *   (kept for some ticks)         |      (who is near: neighbours, clusters)   move at once
 *                                 '----> close --pack, divide, unpack--> separation, nearest
 *
 * No step branches on a single pair: lists are written without a branch, and loops run over what
 * they hold.
 */
#include "engine_work.h"
#include "exact.h"
#include "flock_engines.h"

#include <stddef.h>

#define KERNEL static inline __attribute__((always_inline))
#define KERNEL_PART static __attribute__((noinline))

/* Lists live for so many ticks; meanwhile two birds come closer by at most twice the top speed a
 * tick. */
#define KERNEL_KEEP 12
#define KERNEL_DRIFT (FLOCK_MAX_SPEED * (KERNEL_KEEP - 1) + 0.001)
#define KERNEL_REACH (FLOCK_PERCEPTION + 2 * KERNEL_DRIFT)

/* So few birds are not worth sorting. */
#define KERNEL_FEW 16

/* A squared distance below LOW limits is surely less than the limit, from HIGH limits on surely
 * not; one that is off by UNSURE surely is where it seems. */
#define KERNEL_LOW (1 - 0x1p-40)
#define KERNEL_HIGH (1 + 0x1p-40)
#define KERNEL_UNSURE (KERNEL_PERCEPTION_2 * 0x1p-40)
#define KERNEL_PERCEPTION_2 (FLOCK_PERCEPTION * FLOCK_PERCEPTION)
#define KERNEL_SEPARATION_2 (FLOCK_SEPARATION_DISTANCE * FLOCK_SEPARATION_DISTANCE)

/* Where no coordinate is below SMALL but 0, every distance but 0 has a square above TINY; other
 * states are left to the reference. */
#define KERNEL_SMALL 0x1p-439
#define KERNEL_TINY 0x1p-1000

/*
 * One wrap of a difference, as the specification has it but where the difference is half the field
 * within rounding: there it may come out with either sign. Nobody looks there, that is farther than
 * anything reaches.
 */
KERNEL simd kernel_wrap(simd d, double size) {
    return simd_sub_multiple(d, simd_round(simd_mul(d, simd_all(1 / size))), size);
}

KERNEL simd kernel_square_sum(simd x, simd y) {
    return simd_add(simd_mul(x, x), simd_mul(y, y));
}

/*
 * hypot(x, y) of every lane, 0 for x = y = 0, and in *uncertain the lanes where it may be wrong.
 * With h = x*x + y*y rounded and r = sqrt(h), r is off by at most 2^-52 r; the correction is found
 * to 2^-13 of itself, and 2^-64 r is allowed. That is true if x and y are 0 or not below 2^-492:
 * all the products are normal numbers then, and errors that are not are far below what is allowed.
 */
KERNEL simd kernel_hypot(simd x, simd y, unsigned *uncertain) {
    simd xx = simd_mul(x, x), yy = simd_mul(y, y);
    simd h = simd_add(xx, yy);
    simd r = simd_sqrt(h), rr = simd_mul(r, r);
    simd rest = simd_sub(h, xx); /* h + low is xx + yy exactly (Knuth) */
    simd low = simd_add(simd_sub(xx, simd_sub(h, rest)), simd_sub(yy, rest));
    simd errors = simd_sub(simd_add(simd_square_error(x, xx), simd_square_error(y, yy)),
                           simd_square_error(r, rr));
    simd residual = simd_add(simd_sub(h, rr), simd_add(low, errors));
    simd inverse = simd_rsqrt(simd_max(h, simd_all(KERNEL_TINY)));
    simd correction = simd_mul(simd_mul(residual, simd_all(0.5)), inverse);
    simd allowed = simd_mul(r, simd_all(0x1p-64));
    simd below = simd_add(r, simd_sub(correction, allowed));
    simd above = simd_add(r, simd_add(correction, allowed));
    *uncertain = simd_bits(simd_less(below, above));
    return below;
}

/* The lanes in `which` from exact_hypot. */
KERNEL_PART simd kernel_hypot_exact(simd x, simd y, simd d, unsigned which) {
    double a[8], b[8], c[8];
    simd_store(a, x);
    simd_store(b, y);
    simd_store(c, d);
    for (; which; which &= which - 1) {
        int k = __builtin_ctz(which);
        c[k] = exact_hypot(a[k], b[k]);
    }
    return simd_load(c);
}

/* hypot(x, y) of whatever numbers below 2^510. With a sum of squares above 2^-900, one of x and y
 * may be as small as it likes: what is lost of it is not seen beside the other. */
KERNEL simd kernel_hypot_of(simd x, simd y) {
    unsigned uncertain;
    simd d = kernel_hypot(x, y, &uncertain);
    uncertain |= 0xffu & ~simd_bits(simd_less(simd_all(0x1p-900), kernel_square_sum(x, y)));
    return __builtin_expect(uncertain != 0, 0) ? kernel_hypot_exact(x, y, d, uncertain) : d;
}

#include "flock_kernel_crowd.h"
#include "flock_kernel_lists.h"
#include "flock_kernel_metrics.h"
#include "flock_kernel_move.h"
#include "flock_kernel_pairs.h"

/* Who is near a bird is a bit in its row, just as it is one in theirs. Padding has none, and flies
 * straight on. */
KERNEL_PART void kernel_count_neighbors(struct flock_work *work) {
    for (uint32_t l = 0; l < work->blocks * WORK_LANES; l++) {
        int neighbors = 0;
        for (uint32_t b = 0; b < work->blocks; b += 8) {
            uint64_t bits;
            __builtin_memcpy(&bits, &work->adjacent[l][b], sizeof bits);
            neighbors += __builtin_popcountll(bits);
        }
        work->neighbors[l] = neighbors;
    }
}

static void kernel_pairs(struct flock_work *work) {
    __builtin_memset(work->adjacent, 0, work->blocks * WORK_LANES * sizeof work->adjacent[0]);
    if (work->crowd)
        kernel_crowd_pairs(work);
    else
        kernel_listed_pairs(work);
    kernel_count_neighbors(work);
}

/* Whether distances are 0 or at least such that kernel_hypot is right. Numbers that flew here are;
 * a stored state may hold any. */
KERNEL_PART bool kernel_is_regular(const struct sim *sim) {
    bool regular = true;
    for (uint32_t i = 0; i < sim->count; i++)
        regular &= (sim->x[i] >= KERNEL_SMALL || sim->x[i] == 0) &&
                   (sim->y[i] >= KERNEL_SMALL || sim->y[i] == 0);
    return regular;
}

static void kernel_begin(struct engine_work *work, const struct sim *sim) {
    work->flock.expires = sim->tick;
}

static void kernel_look(struct engine_work *work, const struct sim *sim,
                        struct sim_metrics *metrics) {
    work->flock.regular = kernel_is_regular(sim);
    if (!work->flock.regular) {
        work->flock.expires = sim->tick + 1;
        flock_reference.look(work, sim, metrics);
        return;
    }
    if (sim->tick >= work->flock.expires)
        kernel_rebuild(&work->flock, sim);
    kernel_pairs(&work->flock);
    if (metrics)
        kernel_metrics(&work->flock, metrics);
}

static void kernel_advance(struct engine_work *work, struct sim *sim) {
    if (work->flock.regular)
        kernel_move(&work->flock, sim);
    else
        flock_reference.advance(work, sim);
}
