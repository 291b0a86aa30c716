/* SPDX-License-Identifier: MIT */
/*
 * A container that is given two CPUs of ninety-six still sees ninety-six. The kernel tells the
 * truth in two places, the affinity mask and the cgroup's quota; a quota binds everything below it,
 * so the path is walked from the process's own group up to the root. Called once, at start.
 */
#include "cpus.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line of a file below `root`, without its end. */
static bool cpus_read_line(const char *root, const char *folder, const char *group,
                           const char *name, char *out, int size) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s%s/%s", root, folder, group, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool got = fgets(out, size, file) != NULL;
    (void)fclose(file);
    if (got)
        out[strcspn(out, "\n")] = '\0';
    return got;
}

static unsigned cpus_from(long long quota, long long period) {
    if (quota <= 0 || period <= 0)
        return 0;
    long long cpus = (quota + period - 1) / period;
    return cpus > INT_MAX ? 0 : (unsigned)cpus;
}

/* "max 100000" or "150000 100000" */
static unsigned cpus_quota_v2(const char *root, const char *group) {
    char line[64];
    if (!cpus_read_line(root, "/sys/fs/cgroup", group, "cpu.max", line, sizeof line))
        return 0;
    char *end;
    long long quota = strtoll(line, &end, 10);
    return end == line ? 0 : cpus_from(quota, strtoll(end, NULL, 10));
}

static unsigned cpus_quota_v1(const char *root, const char *group) {
    char quota[64], period[64];
    static const char folder[] = "/sys/fs/cgroup/cpu";
    if (!cpus_read_line(root, folder, group, "cpu.cfs_quota_us", quota, sizeof quota) ||
        !cpus_read_line(root, folder, group, "cpu.cfs_period_us", period, sizeof period))
        return 0;
    return cpus_from(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

static unsigned cpus_least(unsigned a, unsigned b) {
    if (a == 0 || b == 0)
        return a + b;
    return a < b ? a : b;
}

/* From `group` ("/a/b") up to the root (""). Inside a container the path may be the host's, of
 * which only the root is mounted; what is not there has no say. */
static unsigned cpus_quota_up(const char *root, char *group,
                              unsigned (*quota)(const char *root, const char *group)) {
    unsigned least = 0;
    for (;;) {
        char *slash = strrchr(group, '/');
        if (slash && slash[1] == '\0')
            *slash = '\0';
        least = cpus_least(least, quota(root, group));
        slash = strrchr(group, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

/* Whether a comma-separated list of v1 controllers ("cpu,cpuacct") has "cpu". */
static bool cpus_lists_cpu(const char *list) {
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, "cpu", 3) == 0 && (at[3] == ',' || at[3] == '\0'))
            return true;
    return false;
}

/* A line is HIERARCHY:CONTROLLERS:PATH; v2 is the one with no controllers. */
static unsigned cpus_quota_of_line(const char *root, char *line) {
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return 0;
    *group++ = '\0';
    controllers++;
    if (*controllers == '\0')
        return cpus_quota_up(root, group, cpus_quota_v2);
    return cpus_lists_cpu(controllers) ? cpus_quota_up(root, group, cpus_quota_v1) : 0;
}

unsigned cpus_quota(const char *root) {
    char path[PATH_MAX], line[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    unsigned least = 0;
    while (fgets(line, sizeof line, file))
        least = cpus_least(least, cpus_quota_of_line(root, line));
    (void)fclose(file);
    return least;
}

unsigned cpus_usable(void) {
    cpu_set_t set;
    unsigned mask = 0;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        mask = (unsigned)CPU_COUNT(&set);
    unsigned cpus = cpus_least(mask, cpus_quota(""));
    return cpus > 0 ? cpus : 1;
}
