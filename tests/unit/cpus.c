/* SPDX-License-Identifier: MIT */
#include "cpus.h"

#include "suite.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A root directory of a test's own, with files like the kernel's. */
static char root[64];

static void make_root(void) {
    snprintf(root, sizeof root, "/tmp/cpus.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
}

static void make_file(const char *path, const char *text) {
    char whole[256];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *at = whole + strlen(root) + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(whole, 0700);
            *at = '/';
        }
    FILE *file = fopen(whole, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void remove_root(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(cpus_are_at_least_one_and_at_most_the_mask) {
    cpu_set_t set;
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    ck_assert_uint_ge(cpus_usable(), 1);
    ck_assert_uint_le(cpus_usable(), (unsigned)CPU_COUNT(&set));
}
END_TEST

START_TEST(cpus_mask_of_one_is_one) {
    cpu_set_t set, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &set))
            CPU_SET(i, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    ck_assert_uint_eq(cpus_usable(), 1);
}
END_TEST

static const struct {
    const char *name;
    const char *cgroup;
    struct {
        const char *path, *text;
    } file[4];
    unsigned cpus;
} cases[] = {
    {"no cgroup at all", NULL, {{0}}, 0},
    {"v2 without a limit", "0::/a/b\n", {{"/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"}}, 0},
    {"v2 with its own", "0::/a/b\n", {{"/sys/fs/cgroup/a/b/cpu.max", "250000 100000\n"}}, 3},
    {"v2 of the group above",
     "0::/a/b\n",
     {{"/sys/fs/cgroup/a/b/cpu.max", "400000 100000\n"},
      {"/sys/fs/cgroup/a/cpu.max", "150000 100000\n"}},
     2},
    {"v2, a namespace that shows only its root",
     "0::/\n",
     {{"/sys/fs/cgroup/cpu.max", "50000 100000\n"}},
     1},
    {"v2, the host's path, only the root mounted",
     "0::/kube/pod/x\n",
     {{"/sys/fs/cgroup/cpu.max", "200000 100000\n"}},
     2},
    {"v1 with its own",
     "4:memory:/m\n3:cpu,cpuacct:/a\n1:name=systemd:/x\n",
     {{"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "150000\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}},
     2},
    {"v1 without a limit",
     "3:cpuacct,cpu:/a\n",
     {{"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}},
     0},
    {"v1 of a controller that only sounds like it",
     "3:cpuset:/a\n",
     {{"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}},
     0},
    {"nonsense", "what\n0\n::\n0::/a\n", {{"/sys/fs/cgroup/a/cpu.max", "?\n"}}, 0},
    {"a period of nothing", "0::/a\n", {{"/sys/fs/cgroup/a/cpu.max", "100 0\n"}}, 0},
};

START_TEST(cpus_quota_is_read) {
    make_root();
    if (cases[_i].cgroup)
        make_file("/proc/self/cgroup", cases[_i].cgroup);
    for (int i = 0; i < 4 && cases[_i].file[i].path; i++)
        make_file(cases[_i].file[i].path, cases[_i].file[i].text);
    unsigned cpus = cpus_quota(root);
    remove_root();
    ck_assert_msg(cpus == cases[_i].cpus, "%s: %u", cases[_i].name, cpus);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, cpus_are_at_least_one_and_at_most_the_mask);
    tcase_add_test(tests, cpus_mask_of_one_is_one);
    tcase_add_loop_test(tests, cpus_quota_is_read, 0, (int)(sizeof cases / sizeof *cases));
}

int main(void) {
    return suite_run("cpus", add, 10);
}
