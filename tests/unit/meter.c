/* SPDX-License-Identifier: MIT */
#include "meter.h"

#include "suite.h"

#include <stdio.h>
#include <string.h>

static struct meter meter;
static struct mem_buffer out;

static const char *write_all(void) {
    struct meter_now now = {.worker = "anna",
                            .isa = "scalar",
                            .state = "running",
                            .slots = 4,
                            .running = 2,
                            .link_up = true,
                            .rss_bytes = 5000000,
                            .uptime_s = 1.5};
    mem_buffer_release(&out);
    meter_write(&meter, &now, &out);
    mem_buffer_add(&out, "", 1);
    ck_assert(!out.failed);
    return (const char *)out.data;
}

#define EXPECT(text, line) ck_assert_msg(strstr(text, "\n" line "\n"), "no line \"%s\"", line)

START_TEST(meter_counts_jobs_and_their_time) {
    meter = (struct meter){.claims = 7};
    meter_job(&meter, JOB_VERIFY, RESULT_OK, 400000);
    meter_job(&meter, JOB_VERIFY, RESULT_REJECTED, 20000000000);
    meter_job(&meter, JOB_SWEEP, RESULT_OK, 1000000000);
    meter_job(&meter, JOB_KINDS, RESULT_REJECTED, 0);
    ck_assert_uint_eq(meter_jobs(&meter), 4);
    const char *text = write_all();
    EXPECT(text, "susurration_jobs_total{kind=\"verify\",status=\"ok\"} 1");
    EXPECT(text, "susurration_jobs_total{kind=\"verify\",status=\"rejected\"} 1");
    EXPECT(text, "susurration_jobs_total{kind=\"unknown\",status=\"rejected\"} 1");
    EXPECT(text, "susurration_job_run_seconds_bucket{kind=\"verify\",le=\"0.0001\"} 0");
    EXPECT(text, "susurration_job_run_seconds_bucket{kind=\"verify\",le=\"0.0005\"} 1");
    EXPECT(text, "susurration_job_run_seconds_bucket{kind=\"verify\",le=\"10\"} 1");
    EXPECT(text, "susurration_job_run_seconds_bucket{kind=\"verify\",le=\"+Inf\"} 2");
    EXPECT(text, "susurration_job_run_seconds_count{kind=\"verify\"} 2");
    EXPECT(text, "susurration_job_run_seconds_sum{kind=\"sweep\"} 1");
    EXPECT(text, "susurration_job_run_seconds_bucket{kind=\"sweep\",le=\"1\"} 1");
    EXPECT(text, "susurration_claims_total 7");
    EXPECT(text, "susurration_slots 4");
    EXPECT(text, "susurration_jobs_running 2");
    EXPECT(text, "susurration_redis_up 1");
    EXPECT(text, "susurration_uptime_seconds 1.5");
    EXPECT(text, "process_resident_memory_bytes 5000000");
    mem_buffer_release(&out);
}
END_TEST

/* Every sample belongs to a family whose HELP and TYPE stand before it, once. */
START_TEST(meter_families_are_whole) {
    char family[128] = "", line[512];
    meter = (struct meter){0};
    for (const char *at = write_all(); *at; at = strchr(at, '\n') + 1) {
        (void)snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        if (sscanf(line, "# HELP %127s", family) == 1) {
            char type[160];
            (void)snprintf(type, sizeof type, "\n# TYPE %s ", family);
            const char *first = strstr((const char *)out.data, type);
            ck_assert_msg(first, "no type of %s", family);
            ck_assert_msg(!strstr(first + 1, type), "%s twice", family);
        } else if (line[0] != '#') {
            ck_assert_msg(strncmp(line, family, strlen(family)) == 0, "%s behind %s", line, family);
        }
    }
    mem_buffer_release(&out);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, meter_counts_jobs_and_their_time);
    tcase_add_test(tests, meter_families_are_whole);
}

int main(void) {
    return suite_run("meter", add, 10);
}
