/* SPDX-License-Identifier: MIT */
#include "cpus.h"
#include "log.h"
#include "worker.h"

#include <stdio.h>

int main(int argc, char **argv) {
    struct settings settings;
    char why[256];
    switch (settings_read(&settings, argc, argv, cpus_usable(), why, sizeof why)) {
    case SETTINGS_HELP:
        settings_help(stdout);
        return 0;
    case SETTINGS_VERSION:
        (void)puts("susurration-worker " SUSURRATION_VERSION);
        return 0;
    case SETTINGS_WRONG:
        (void)fprintf(stderr, "susurration-worker: %s\nTry --help.\n", why);
        return 2;
    case SETTINGS_GO:
        break;
    }
    log_setup(settings.log_level, settings.log_format);
    return worker_run(&settings);
}
