/* SPDX-License-Identifier: MIT */
/* The document's list: the indented lines under its heading, {QUEUE} made {main}. */
#include "rights.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

void rights_read(struct rights *rights) {
    char line[512];
    FILE *file = fopen("proto/PROTOCOL.md", "r");
    ck_assert_ptr_nonnull(file);
    int inside = 0;
    size_t used = 0;
    *rights = (struct rights){.count = 0};
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "### ", 4) == 0)
            inside = strcmp(line, "### Rights\n") == 0;
        else if (inside && strncmp(line, "    ", 4) == 0)
            used +=
                (size_t)snprintf(rights->text + used, sizeof rights->text - used, "%s", line + 3);
        ck_assert_uint_lt(used, sizeof rights->text);
    }
    fclose(file);
    char *queue = strstr(rights->text, "{QUEUE}");
    ck_assert_ptr_nonnull(queue);
    memcpy(queue, "{main}", 6);
    memmove(queue + 6, queue + 7, strlen(queue + 7) + 1);
    for (char *word = strtok(rights->text, " \n"); word; word = strtok(NULL, " \n")) {
        ck_assert_int_lt(rights->count, RIGHTS_MAX);
        rights->word[rights->count++] = word;
    }
}
