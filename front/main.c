/* SPDX-License-Identifier: MIT */
#include "front.h"

#include <stdio.h>

int main(int argc, char **argv) {
    struct front_settings settings;
    char why[256];
    switch (front_settings_read(&settings, argc, argv, why, sizeof why)) {
    case SETTINGS_HELP:
        front_settings_help(stdout);
        return 0;
    case SETTINGS_VERSION:
        (void)puts("susurration-front " SUSURRATION_VERSION);
        return 0;
    case SETTINGS_WRONG:
        (void)fprintf(stderr, "susurration-front: %s\nTry --help.\n", why);
        return 2;
    case SETTINGS_GO:
        break;
    }
    log_setup(settings.log_level, settings.log_format);
    return front_run(&settings);
}
