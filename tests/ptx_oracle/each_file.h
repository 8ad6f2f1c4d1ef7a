/* SPDX-License-Identifier: Apache-2.0
 *
 * The programs of this folder: PTX files, one after the other.
 */
#ifndef TESTS_PTX_ORACLE_EACH_FILE_H
#define TESTS_PTX_ORACLE_EACH_FILE_H

#include <stdio.h>

/* The exit status. `put` says what is known of a file; not 0: it cannot be read. */
static int each_file(int argc, char **argv,
                     int (*put)(const char *file, const char *text, size_t size)) {
    static char text[1 << 22];
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        const size_t size = file ? fread(text, 1, sizeof(text), file) : 0;
        if (!file || fclose(file) || size == sizeof(text) || put(argv[i], text, size)) {
            fprintf(stderr, "%s: %s cannot be read\n", argv[0], argv[i]);
            return 1;
        }
    }
    return 0;
}

#endif
