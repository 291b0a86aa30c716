/* SPDX-License-Identifier: MIT */
/* Waiting is a timer on the same loop, so that a test never sleeps while its link should work. */
#include "link_probe.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { LINK_PROBE_PATIENCE_MS = 20000, LINK_PROBE_WORDS_MAX = 16 };

static void link_probe_on_state(void *context, bool up, const char *reason) {
    struct link_probe *probe = context;
    (void)snprintf(probe->reason, sizeof probe->reason, "%s", reason);
    if (up)
        probe->ups++;
    else
        probe->downs++;
    if (up && probe->on_up)
        probe->on_up(probe);
    if (!up && probe->on_down)
        probe->on_down(probe);
}

uv_loop_t *link_probe_loop(struct link_probe *probe) {
    if (!probe->looped)
        ck_assert_int_eq(uv_loop_init(&probe->loop), 0);
    probe->looped = true;
    return &probe->loop;
}

void link_probe_open(struct link_probe *probe, const struct link_options *options) {
    struct link_options mine = *options;
    char why[256] = "";
    mine.state = link_probe_on_state;
    mine.context = probe;
    int result = link_open(&probe->link, link_probe_loop(probe), &mine, why, sizeof why);
    ck_assert_msg(result == 0, "%s: %s", options->url, why);
}

void link_probe_open_up(struct link_probe *probe, const char *url) {
    link_probe_open(probe, &(struct link_options){.url = url});
    link_probe_until(probe, &probe->ups, 1);
}

static void link_probe_on_timer(uv_timer_t *timer) {
    *(bool *)timer->data = true;
}

static void link_probe_wait(struct link_probe *probe, const int *count, int least, unsigned ms) {
    bool over = false;
    uv_timer_t timer;
    uv_update_time(&probe->loop);
    uv_timer_init(&probe->loop, &timer);
    uv_timer_start(&timer, link_probe_on_timer, ms, 0);
    timer.data = &over;
    while (!over && !(count && *count >= least))
        uv_run(&probe->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&probe->loop, UV_RUN_NOWAIT);
}

void link_probe_until(struct link_probe *probe, const int *count, int least) {
    link_probe_wait(probe, count, least, LINK_PROBE_PATIENCE_MS);
    ck_assert_msg(*count >= least, "%d of %d; the last reason was: %s", *count, least,
                  probe->reason);
}

void link_probe_run(struct link_probe *probe, unsigned ms) {
    link_probe_wait(probe, NULL, 0, ms);
}

static void link_probe_on_closed(void *context) {
    struct link_probe *probe = context;
    ck_assert(!probe->closed);
    probe->closed = true;
}

void link_probe_close(struct link_probe *probe) {
    if (probe->link)
        link_close(probe->link, link_probe_on_closed, probe);
    probe->link = NULL;
    ck_assert_int_eq(uv_run(&probe->loop, UV_RUN_DEFAULT), 0);
    ck_assert(probe->closed);
    ck_assert_int_eq(uv_loop_close(&probe->loop), 0);
}

void link_answers_take(void *context, const struct link_reply *reply) {
    struct link_answers *answers = context;
    answers->count++;
    answers->none += reply == NULL;
    size_t size;
    const char *text = link_reply_text(reply, &size);
    if (!reply)
        (void)snprintf(answers->text, sizeof answers->text, "(none)");
    else if (text)
        (void)snprintf(answers->text, sizeof answers->text, "%.*s", (int)size, text);
    else if (link_reply_type(reply) == LINK_INTEGER)
        (void)snprintf(answers->text, sizeof answers->text, "%lld",
                       (long long)link_reply_integer(reply, 0));
    else if (link_reply_type(reply) == LINK_LIST)
        (void)snprintf(answers->text, sizeof answers->text, "(list of %zu)",
                       link_reply_count(reply));
    else
        (void)snprintf(answers->text, sizeof answers->text, "(nil)");
}

int link_probe_send(struct link_probe *probe, struct link_answers *answers, unsigned timeout_ms,
                    const char *command) {
    char copy[512], *rest = NULL;
    const char *word[LINK_PROBE_WORDS_MAX];
    size_t count = 0;
    ck_assert_uint_lt(strlen(command), sizeof copy);
    strcpy(copy, command);
    for (char *at = strtok_r(copy, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
        ck_assert_uint_lt(count, LINK_PROBE_WORDS_MAX);
        word[count++] = at;
    }
    return link_send(probe->link, link_answers_take, answers, timeout_ms, count, word, NULL);
}

const char *link_probe_ask(struct link_probe *probe, const char *command) {
    static struct link_answers answers;
    answers.count = 0;
    int result = link_probe_send(probe, &answers, 0, command);
    ck_assert_msg(result == 0, "%s: %s", command, err_text(result));
    link_probe_until(probe, &answers.count, 1);
    return answers.text;
}
