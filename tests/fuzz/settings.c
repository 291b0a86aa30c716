/* SPDX-License-Identifier: MIT */
/*
 * The worker's command line, and how parameters and changes of them are written on that of
 * `susurration`. The input is cut at line ends into arguments. What is taken is in range, what is
 * not has words.
 */
#include "fuzz.h"

#include "param.h"
#include "settings.h"

#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 40 };

static void check_settings(int argc, char **argv) {
    struct settings settings;
    char why[256] = "";
    enum settings_outcome outcome = settings_read(&settings, argc, argv, 4, why, sizeof why);
    assert(memchr(why, '\0', sizeof why));
    assert((outcome == SETTINGS_WRONG) == (why[0] != '\0'));
    if (outcome != SETTINGS_GO)
        return;
    assert(settings.redis && *settings.redis && settings.admin && *settings.admin);
    assert(job_id_is_legal(settings.queue, strlen(settings.queue)));
    assert(!settings.name || (job_id_is_legal(settings.name, strlen(settings.name)) &&
                              strlen(settings.name) <= SETTINGS_NAME_MAX));
    assert(!settings.password_file || *settings.password_file);
    assert(settings.slots >= 1 && settings.slots <= 256);
    assert(settings.lease_s >= 2 && settings.lease_s <= 300);
    assert(settings.drain_timeout_s <= 3600 && settings.prefetch <= 256);
    assert(settings.log_level >= LOG_LEVEL_DEBUG && settings.log_level <= LOG_LEVEL_ERROR);
    assert(settings.log_format == LOG_FORMAT_LOGFMT || settings.log_format == LOG_FORMAT_JSON);
}

static void check_param(const char *text) {
    const struct model *model = model_at(MODEL_FLOCK);
    struct sim_params params;
    struct sim_change change;
    char why[PARAM_WHY_MAX] = "";
    int index = -1;
    model_default_params(model, &params);
    int code = param_assign(model, text, &params, &index, why);
    assert(memchr(why, '\0', sizeof why) && (code == 0) == (why[0] == '\0'));
    assert(model_check_params(model, &params) == -1);
    assert(code != 0 || (index >= 0 && (size_t)index < model->param_count));
    memset(why, 0, sizeof why);
    code = param_change(model, text, &change, why);
    assert(memchr(why, '\0', sizeof why) && (code == 0) == (why[0] == '\0'));
    if (code != 0)
        return;
    assert(change.tick < SIM_TICKS_MAX && change.set != 0);
    assert(model_check_params(model, &change.params) == -1);
    for (size_t p = 0; p < 32; p++)
        if (change.set >> p & 1u)
            assert(p < model->param_count && !model->param[p].fixed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), *argv[ARGS_MAX + 1] = {(char[]){"susurration-worker"}};
    int argc = 1;
    assert(text);
    memcpy(text, data, size);
    text[size] = '\0';
    check_param(text);
    char *rest = text;
    while (argc < ARGS_MAX && rest)
        argv[argc++] = strsep(&rest, "\n");
    argv[argc] = NULL;
    check_settings(argc, argv);
    free(text);
    return 0;
}
