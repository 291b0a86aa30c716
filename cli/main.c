/* SPDX-License-Identifier: MIT */
#include "command.h"
#include "report.h"

int main(int argc, char **argv) {
    return report_finish(command_main(argc > 0 ? argc - 1 : 0, argv + 1));
}
