/* SPDX-License-Identifier: MIT */
#pragma once
/* How many CPUs this process may use: what the default number of slots is. */

/*
 * The least of the CPUs it may be scheduled on (sched_getaffinity) and the quotas of its cgroup and
 * of all above it (v2: cpu.max; v1: cpu.cfs_quota_us / cpu.cfs_period_us), rounded up. At least 1.
 */
unsigned cpus_usable(void);

/*
 * The quota alone, in CPUs rounded up; 0 where there is none. `root` is put in front of
 * /proc/self/cgroup and /sys/fs/cgroup, so that tests can bring files of their own ("" in service).
 */
unsigned cpus_quota(const char *root);
