/* SPDX-License-Identifier: MIT */
/* The log of a session's parameter changes. */
#include "session.h"

#include "mem.h"

#include <stdlib.h>

void session_release(struct session *session) {
    free(session->change);
    session->change = NULL;
    session->change_count = 0;
}

/* The log's last entry if it is of this tick, else a new one; NULL and *fault when there is no
 * room. */
static struct sim_change *session_entry(struct session *session, struct fault *fault) {
    size_t count = session->change_count;
    if (count > 0 && session->change[count - 1].tick == session->sim.tick)
        return &session->change[count - 1];
    if (count == SIM_CHANGES_MAX) {
        fault_set(fault, FAULT_CHANGES_FULL, "session",
                  "session %s has its %u parameter changes already", session->id, SIM_CHANGES_MAX);
        fault_advise(fault, "create a new session");
        return NULL;
    }
    struct sim_change *grown = mem_resize(session->change, (count + 1) * sizeof *grown);
    if (!grown) {
        fault_set(fault, FAULT_NO_MEMORY, "", "no memory for the session's changes");
        return NULL;
    }
    session->change = grown;
    session->change_count = count + 1;
    grown[count] = (struct sim_change){.tick = session->sim.tick};
    return &grown[count];
}

int session_change(struct session *session, uint32_t set, const struct sim_params *values,
                   struct fault *fault) {
    struct sim_change *entry = session_entry(session, fault);
    if (!entry)
        return -1;
    entry->set |= set;
    sim_apply(&entry->params, set, values);
    sim_apply(&session->sim.params, set, values);
    return 0;
}
