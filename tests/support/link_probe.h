/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * A link on a loop of its own that counts what it reports. Whatever is waited for comes within 20 s
 * or fails the test.
 */
#include "link.h"

#include <stdbool.h>
#include <uv.h>

struct link_probe {
    uv_loop_t loop;
    bool looped;                             /* the loop is made */
    struct link *link;                       /* NULL: not opened, or closed */
    int ups, downs;                          /* how often `state` said so */
    char reason[512];                        /* the last one */
    bool closed;                             /* `closed` was called */
    void (*on_up)(struct link_probe *probe); /* may be NULL */
    void (*on_down)(struct link_probe *probe);
};

/* Makes the loop, for a test that has other things on it as well. */
uv_loop_t *link_probe_loop(struct link_probe *probe);

/* Opens; `options` without state and context. The loop has not run yet. */
void link_probe_open(struct link_probe *probe, const struct link_options *options);

/* Opens with that URL and all else at its default, and waits until it is up. */
void link_probe_open_up(struct link_probe *probe, const char *url);

/* Runs the loop until *count is at least `least`. */
void link_probe_until(struct link_probe *probe, const int *count, int least);

/* Runs the loop for so long. */
void link_probe_run(struct link_probe *probe, unsigned ms);

/* Closes the link if it is open, and checks that nothing is left on the loop. */
void link_probe_close(struct link_probe *probe);

/*
 * What came back for one or more commands: into `text` an error, status or text as it is, an
 * integer in decimal, "(nil)", "(list of N)", or "(none)" for NULL.
 */
struct link_answers {
    int count, none;
    char text[256];
};

void link_answers_take(void *context, const struct link_reply *reply);

/* Sends the words of `command` (no quoting); link_send's result. */
int link_probe_send(struct link_probe *probe, struct link_answers *answers, unsigned timeout_ms,
                    const char *command);

/* Sends them and runs the loop until the answer is there; its text, valid until the next call. */
const char *link_probe_ask(struct link_probe *probe, const char *command);
