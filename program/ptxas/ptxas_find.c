/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the real ptxas is.
 */
#include "ptxas_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_error.h"

int ptxas_is_named(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return strcmp(name, "ptxas") == 0 || strcmp(name, "ptxas-blackwell") == 0;
}

char *ptxas_self(void) {
    return realpath("/proc/self/exe", NULL);
}

/* The file itself, but not this program. */
static char *usable(const char *path) {
    char *self = ptxas_self();
    char *file = access(path, X_OK) == 0 ? realpath(path, NULL) : NULL;
    if (file && self && strcmp(file, self) == 0) {
        free(file);
        file = NULL;
    }
    free(self);
    return file;
}

static char *in_path(const char *name) {
    const char *path = getenv("PATH");
    while (path && *path) {
        const size_t length = strcspn(path, ":");
        char *file = cli_printed("%.*s/%s", (int)length, path, name);
        char *found = length ? usable(file) : NULL;
        free(file);
        if (found) {
            return found;
        }
        path += length + (path[length] == ':');
    }
    return NULL;
}

/* Triton's own, where Triton is what started this program: beside its libtriton.so. */
static char *of_triton(const char *name) {
    char *maps = cli_printed("/proc/%ld/maps", (long)getppid());
    char *line = NULL;
    char *found = NULL;
    size_t room = 0;
    FILE *file = fopen(maps, "re");
    while (file && !found && getline(&line, &room, file) >= 0) {
        char *folder = strchr(line, '/');
        char *end = folder ? strstr(folder, "/_C/libtriton") : NULL;
        if (end) {
            char *path =
                cli_printed("%.*s/backends/nvidia/bin/%s", (int)(end - folder), folder, name);
            found = usable(path);
            free(path);
        }
    }
    if (file) {
        fclose(file);
    }
    free(line);
    free(maps);
    return found;
}

char *ptxas_find(const char *given, const char *called) {
    const char *slash = strrchr(called, '/');
    const char *name = ptxas_is_named(called) ? (slash ? slash + 1 : called) : "ptxas";
    const char *named = given ? given : getenv("TMA_PTXAS");
    if (named && *named) {
        return strchr(named, '/') ? usable(named) : in_path(named);
    }
    char *found = of_triton(name);
    return found ? found : in_path("ptxas");
}
