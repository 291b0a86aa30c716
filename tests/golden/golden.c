/* SPDX-License-Identifier: MIT */
/*
 * golden [FILE [PAIRS]]: fixed scenes and the bytes that every engine of this build must give, from
 * tests/golden/flock.tsv. A line that differs is printed as the engine has it; a golden line
 * changes only in a commit of its own, with the reason. Scenes of more pairs than
 * PAIRS are left out. Needs nothing but the C library, so that it
 * runs wherever an engine can be compiled for.
 */
#include "engine.h"
#include "flock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_SIZE = 512, CHANGES_MAX = 8, FIELDS = 7, SCENES_MIN = 16 };

struct scene {
    uint32_t seed, tick;
    struct sim_params params;
    struct sim_change change[CHANGES_MAX];
    size_t change_count;
};

static void give_up(const char *what, const char *line) {
    (void)fprintf(stderr, "golden: %s: %s\n", what, line);
    exit(2);
}

/* "TICK:C,A,S;TICK:C,A,S" or "-". */
static void scene_read_changes(struct scene *scene, char *text) {
    for (char *one = strtok(text, ";"); one && *one != '-'; one = strtok(NULL, ";")) {
        if (scene->change_count == CHANGES_MAX)
            give_up("too many changes", text);
        struct sim_change *change = &scene->change[scene->change_count++];
        double *value = change->params.value;
        change->set = 7u << FLOCK_COHESION;
        if (sscanf(one, "%" SCNu32 ":%lf,%lf,%lf", &change->tick, &value[FLOCK_COHESION],
                   &value[FLOCK_ALIGNMENT], &value[FLOCK_SEPARATION]) != 4)
            give_up("a change is TICK:C,A,S", one);
    }
}

static void scene_read(struct scene *scene, const char *line) {
    char changes[256];
    memset(scene, 0, sizeof *scene);
    double *value = scene->params.value;
    if (sscanf(line, "%" SCNu32 "\t%lf\t%lf\t%lf\t%lf\t%255s\t%" SCNu32, &scene->seed,
               &value[FLOCK_BIRDS], &value[FLOCK_COHESION], &value[FLOCK_ALIGNMENT],
               &value[FLOCK_SEPARATION], changes, &scene->tick) != FIELDS)
        give_up("not a scene", line);
    scene_read_changes(scene, changes);
}

/* The line's answers: hash, polarization, cluster count, distance ("null"), numbers to 17 digits.
 */
static void scene_run(const struct scene *scene, const struct engine *engine, char *out,
                      size_t size) {
    static struct sim sim;
    struct sim_metrics metrics;
    struct sim_changes changes = {scene->change, scene->change_count};
    char distance[32] = "null";
    sim_init(&sim, &flock_model, scene->seed, &scene->params);
    sim_run(&sim, engine, scene->tick, &changes, NULL);
    sim_measure(&sim, engine, &metrics);
    if (metrics.mean_neighbor_distance == metrics.mean_neighbor_distance)
        (void)snprintf(distance, sizeof distance, "%.17g", metrics.mean_neighbor_distance);
    (void)snprintf(out, size, "%016" PRIx64 "\t%.17g\t%" PRIu32 "\t%s", sim_hash(&sim),
                   metrics.polarization, metrics.cluster_count, distance);
}

/* Where the answers begin: behind the seventh tab. */
static char *find_answers(char *line) {
    char *at = line;
    for (int tab = 0; tab < FIELDS; tab++) {
        at = strchr(at, '\t');
        if (!at)
            give_up("too few fields", line);
        at++;
    }
    return at;
}

/* How many engines gave other bytes. */
static int scene_check(char *line, double most) {
    struct scene scene;
    char ours[LINE_MAX_SIZE];
    int wrong = 0;
    scene_read(&scene, line);
    double birds = scene.params.value[FLOCK_BIRDS];
    if (birds * birds * scene.tick > most)
        return 0;
    char *answers = find_answers(line);
    for (size_t e = 0; engine_at(e); e++) {
        if (!engine_at(e)->runs_here())
            continue;
        scene_run(&scene, engine_at(e), ours, sizeof ours);
        if (strcmp(answers, ours) == 0)
            continue;
        wrong++;
        printf("differs, engine %s has:\n%.*s%s\n", engine_at(e)->isa, (int)(answers - line), line,
               ours);
    }
    return wrong;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "tests/golden/flock.tsv";
    double most = argc > 2 ? strtod(argv[2], NULL) : 1e18; /* pairs times ticks of a scene */
    FILE *file = fopen(name, "r");
    char line[LINE_MAX_SIZE];
    int scenes = 0, wrong = 0;
    if (!file) {
        perror(name);
        return 2;
    }
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        scenes++;
        wrong += scene_check(line, most);
    }
    (void)fclose(file);
    printf("%d scenes, engines", scenes);
    for (size_t e = 0; engine_at(e); e++)
        printf(" %s%s", engine_at(e)->isa, engine_at(e)->runs_here() ? "" : " (not on this CPU)");
    printf(": %d differ\n", wrong);
    return wrong == 0 && scenes >= SCENES_MIN ? EXIT_SUCCESS : EXIT_FAILURE;
}
