/* SPDX-License-Identifier: MIT */
/*
 * replay FOLDER...: gives a target every file of the folders, without libFuzzer: so that what was
 * once found is looked at by every compiler and sanitizer. The first folder is the target's own and
 * must not be empty.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void replay_file(const char *path, size_t size) {
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size ? size : 1);
    assert(file && data);
    size_t got = fread(data, 1, size, file);
    assert(got == size);
    (void)fclose(file);
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
}

/* How many files there were. */
static unsigned replay_folder(const char *folder) {
    char path[512];
    unsigned files = 0;
    DIR *dir = opendir(folder);
    if (!dir) {
        (void)fprintf(stderr, "there is no folder %s\n", folder);
        exit(EXIT_FAILURE);
    }
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        struct stat about;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert(length > 0 && (size_t)length < sizeof path);
        if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
            continue;
        replay_file(path, (size_t)about.st_size);
        files++;
    }
    (void)closedir(dir);
    return files;
}

int main(int argc, char **argv) {
    unsigned own = argc > 1 ? replay_folder(argv[1]) : 0, files = own;
    for (int i = 2; i < argc; i++)
        files += replay_folder(argv[i]);
    (void)printf("%u inputs\n", files);
    return own > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
