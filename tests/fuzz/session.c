/* SPDX-License-Identifier: MIT */
/*
 * wire_decode_session, twice: as the bytes are, and with the hash in them set right, because what a
 * stranger with the specification at hand could write must be found too. What is taken can be
 * stepped: a state that the model can be in, parameters that the changes lead to. Written and read
 * again it is the same.
 */
#include "fuzz.h"

#include "text.h"
#include "wire.h"
#include "wire_params.h"
#include "wire_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_session(const struct session *session) {
    const struct sim *sim = &session->sim;
    struct sim_params params = session->start;
    assert(job_id_is_legal(session->id, strnlen(session->id, sizeof session->id)));
    assert(sim->model && sim->count >= 1 && sim->count <= SIM_AGENTS_MAX);
    assert((double)sim->count == sim->params.value[0]);
    assert(sim->model->is_legal(sim));
    assert(model_check_params(sim->model, &sim->params) == -1);
    assert(session->change_count <= SIM_CHANGES_MAX);
    for (size_t i = 0; i < session->change_count; i++) {
        const struct sim_change *change = &session->change[i];
        assert(change->tick <= sim->tick && (i == 0 || change->tick > change[-1].tick));
        sim_apply(&params, change->set, &change->params);
    }
    assert(wire_params_differing(sim->model, &params, &sim->params) == 0);
    assert(session->start.value[0] == sim->params.value[0]);
}

static void check_bytes(const uint8_t *data, size_t size) {
    struct mem_buffer once = {0}, twice = {0};
    struct session session, again;
    if (wire_decode_session(data, size, &session) == 0) {
        check_session(&session);
        assert(wire_encode_session(&session, &once) == 0);
        assert(wire_decode_session(once.data, once.size, &again) == 0);
        check_session(&again);
        assert(wire_encode_session(&again, &twice) == 0);
        assert(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
        session_release(&again);
    }
    session_release(&session);
    mem_buffer_release(&once);
    mem_buffer_release(&twice);
}

/* The columns, as far as they are there. */
static bool read_state(const struct wire_map *top, struct sim *sim) {
    static const char *const key[] = {"x", "y", "vx", "vy"};
    double *const column[] = {sim->x, sim->y, sim->vx, sim->vy};
    struct wire_list list;
    for (int c = 0; c < 4; c++) {
        if (!wire_read_list(top, key[c], WIRE_REQUIRED, 1, SIM_AGENTS_MAX, &list))
            return false;
        sim->count = list.count;
        for (uint32_t i = 0; i < list.count; i++)
            if (!wire_read_item_real(&list, i, -INFINITY, INFINITY, &column[c][i]))
                return false;
    }
    return true;
}

/* Writes the hash of the state over the one that the bytes have; false where there is none. */
static bool set_hash(uint8_t *data, size_t size) {
    static struct sim sim;
    msgpack_unpacked unpacked;
    struct wire_map top;
    struct fault fault = {0};
    struct wire_text hash;
    char digits[17];
    wire_read_open(data, size, "session", &unpacked, &top, &fault);
    bool is_there = read_state(&top, &sim) &&
                    wire_read_bytes(&top, "state_hash", WIRE_REQUIRED, &hash) && hash.length == 16;
    if (is_there) {
        text_from_hash(sim_hash(&sim), digits);
        memcpy(data + (hash.start - (const char *)data), digits, 16);
    }
    wire_read_close(&unpacked);
    return is_there;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    check_bytes(data, size);
    uint8_t *copy = malloc(size ? size : 1);
    assert(copy);
    memcpy(copy, data, size);
    if (set_hash(copy, size))
        check_bytes(copy, size);
    free(copy);
    return 0;
}
