/* SPDX-License-Identifier: Apache-2.0
 *
 * Files in folders of their own, gone when the program ends.
 */
#include "ptxas_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_error.h"

/* The files in folders of their own: gone at the end, however it comes. */
static char *places[PTXAS_MOST_FILES + 1]; /* one that is ptxas's output */

void ptxas_place_remove(char *place) {
    for (size_t i = 0; place && i < sizeof(places) / sizeof(places[0]); i++) {
        if (places[i] == place) {
            places[i] = NULL;
            unlink(place);
            *strrchr(place, '/') = 0;
            rmdir(place);
            free(place);
            return;
        }
    }
}

void ptxas_places_remove(void) {
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        ptxas_place_remove(places[i]);
    }
}

char *ptxas_place_for(const char *path) {
    const char *folder = getenv("TMPDIR");
    const char *slash = strrchr(path, '/');
    size_t i = 0;
    while (places[i]) { /* there are as many files at most */
        i++;
    }
    char *file = cli_printed("%s/tma-ptxas-XXXXXX/%s", folder && *folder ? folder : "/tmp",
                             slash ? slash + 1 : path);
    char *end = strrchr(file, '/');
    *end = 0;
    const int made = mkdtemp(file) != NULL;
    *end = '/';
    if (!made) {
        free(file);
        return NULL;
    }
    places[i] = file;
    return file;
}

int ptxas_is_input(char *const *words, int i) {
    const size_t length = strlen(words[i]);
    if (words[i][0] == '-' || length < 4 || strcmp(words[i] + length - 4, ".ptx") != 0) {
        return 0;
    }
    return !i || (strcmp(words[i - 1], "-o") != 0 && strcmp(words[i - 1], "--output-file") != 0);
}

/* Where nothing can be lost. */
int ptxas_place_write(const char *place, const char *text, size_t size) {
    FILE *file = fopen(place, "wb");
    if (!file) {
        return -1;
    }
    const int wrong = fwrite(text, 1, size, file) != size;
    return fclose(file) || wrong ? -1 : 0;
}
