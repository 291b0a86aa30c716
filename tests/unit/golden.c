/* SPDX-License-Identifier: MIT */
/*
 * Fixed scenes and the bytes they must give, from tests/golden/flock.tsv. A line that differs is
 * printed as this engine has it; a golden line changes only in a commit of its own, with the
 * reason.
 */
#include "engine.h"
#include "flock.h"
#include "suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define GOLDEN_FILE "tests/golden/flock.tsv"
#define GOLDEN_LINE 512
#define GOLDEN_CHANGES 8

struct scene {
    uint32_t seed, tick;
    struct sim_params params;
    struct sim_change change[GOLDEN_CHANGES];
    size_t change_count;
};

/* "TICK:C,A,S;TICK:C,A,S" or "-". */
static void scene_read_changes(struct scene *scene, char *text) {
    for (char *one = strtok(text, ";"); one && *one != '-'; one = strtok(NULL, ";")) {
        struct sim_change *change = &scene->change[scene->change_count++];
        ck_assert_uint_le(scene->change_count, GOLDEN_CHANGES);
        double *value = change->params.value;
        change->set = 7u << FLOCK_COHESION;
        ck_assert_int_eq(sscanf(one, "%" SCNu32 ":%lf,%lf,%lf", &change->tick,
                                &value[FLOCK_COHESION], &value[FLOCK_ALIGNMENT],
                                &value[FLOCK_SEPARATION]),
                         4);
    }
}

static struct scene scene_read(const char *line) {
    struct scene scene = {0};
    char changes[256];
    double *value = scene.params.value;
    ck_assert_int_eq(sscanf(line, "%" SCNu32 "\t%lf\t%lf\t%lf\t%lf\t%255s\t%" SCNu32, &scene.seed,
                            &value[FLOCK_BIRDS], &value[FLOCK_COHESION], &value[FLOCK_ALIGNMENT],
                            &value[FLOCK_SEPARATION], changes, &scene.tick),
                     7);
    scene_read_changes(&scene, changes);
    return scene;
}

/* The line's answers: hash, polarization, cluster count, distance ("null"), numbers to 17 digits.
 */
static void scene_run(const struct scene *scene, char *out, size_t size) {
    static struct sim sim;
    struct sim_metrics metrics;
    struct sim_changes changes = {scene->change, scene->change_count};
    char distance[32] = "null";
    sim_init(&sim, &flock_model, scene->seed, &scene->params);
    sim_run(&sim, &engine_reference, scene->tick, &changes, NULL);
    sim_measure(&sim, &engine_reference, &metrics);
    if (!isnan(metrics.mean_neighbor_distance))
        (void)snprintf(distance, sizeof distance, "%.17g", metrics.mean_neighbor_distance);
    (void)snprintf(out, size, "%016" PRIx64 "\t%.17g\t%" PRIu32 "\t%s", sim_hash(&sim),
                   metrics.polarization, metrics.cluster_count, distance);
}

/* Where the answers begin: behind the seventh tab. */
static char *golden_answers(char *line) {
    for (int tab = 0; tab < 7; tab++) {
        line = strchr(line, '\t');
        ck_assert_ptr_nonnull(line);
        line++;
    }
    return line;
}

START_TEST(golden_every_scene_gives_its_bytes) {
    FILE *file = fopen(GOLDEN_FILE, "r");
    ck_assert_ptr_nonnull(file);
    char line[GOLDEN_LINE], ours[GOLDEN_LINE];
    int scenes = 0, wrong = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        struct scene scene = scene_read(line);
        char *answers = golden_answers(line);
        scene_run(&scene, ours, sizeof ours);
        scenes++;
        if (strcmp(answers, ours) == 0)
            continue;
        wrong++;
        *answers = '\0';
        printf("differs, ours is:\n%s%s\n", line, ours);
    }
    (void)fclose(file);
    ck_assert_int_ge(scenes, 13);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, golden_every_scene_gives_its_bytes);
}

int main(void) {
    return suite_run("golden", add, 120);
}
