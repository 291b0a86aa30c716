/* SPDX-License-Identifier: MIT */
/* Read anew for each connection, so that a password can be changed while the program runs. */
#include "link_secret.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int link_secret_read(const char *path, char *secret, char *why, size_t why_size) {
    char line[LINK_SECRET_MAX + 3]; /* line end and terminator */
    FILE *file = fopen(path, "re");
    if (!file) {
        (void)snprintf(why, why_size, "password file %s: %s", path, strerror(errno));
        return ERR_INVALID;
    }
    size_t size = fread(line, 1, sizeof line - 1, file);
    int broken = ferror(file);
    (void)fclose(file);
    line[size] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    size_t length = strlen(line);
    if (broken || length == 0 || length > LINK_SECRET_MAX) {
        (void)snprintf(why, why_size, "password file %s: %s", path,
                       broken        ? "cannot be read"
                       : length == 0 ? "its first line is empty"
                                     : "its first line is longer than 1024 bytes");
        return ERR_INVALID;
    }
    memcpy(secret, line, length + 1);
    return 0;
}
