/* SPDX-License-Identifier: Apache-2.0
 *
 * Libraries in the programs that this one starts: beside this program, where the two are
 * installed, or in the Python package with both.
 */
#include "preload.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_error.h"
#include "ptxas_find.h"

#define FILE_NAME "libtma-cuda.so"

/* With sanitizers it has a runtime in it that other programs have not. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Where this program lies; free() it. Null where the system does not say. */
static char *own_folder(void) {
    char *self = ptxas_self();
    char *slash = self ? strrchr(self, '/') : NULL;
    if (slash) {
        *slash = 0;
    }
    return self;
}

/* In the Python package that this command came with: the only one beside it. */
static char *in_package(void) {
    glob_t found;
    char *self = own_folder();
    char *pattern =
        cli_printed("%s/../lib/python3*/site-packages/libtma/" FILE_NAME, self ? self : "");
    char *file = NULL;
    if (self && !glob(pattern, GLOB_NOSORT, NULL, &found)) {
        file = found.gl_pathc == 1 ? realpath(found.gl_pathv[0], NULL) : NULL;
        globfree(&found);
    }
    free(pattern);
    free(self);
    return file;
}

char *preload_find(const char *name) {
    static const char *const places[] = {"", "/../lib", "/../lib64", "/../lib/x86_64-linux-gnu",
                                         "/../lib/aarch64-linux-gnu"};
    static const char *const folders[] = {"", "/libtma"}; /* the second: Debian's package */
    char *self = own_folder();
    char *found = NULL;
    for (size_t i = 0; self && !found && i < 2 * sizeof(places) / sizeof(places[0]); i++) {
        found = cli_printed("%s%s%s/%s", self, places[i / 2], folders[i % 2], name);
        if (access(found, R_OK)) {
            free(found);
            found = NULL;
        }
    }
    free(self);
    return found;
}

void preload_first(const char *variable, const char *value) {
    const char *before = getenv(variable);
    const int more = before && *before;
    char *all = cli_printed("%s%s%s", value, more ? ":" : "", more ? before : "");
    setenv(variable, all, 1);
    free(all);
}

static char *find_shim(void) {
    char *there = preload_find(FILE_NAME);
    char *found = there ? realpath(there, NULL) : in_package();
    free(there);
    return found;
}

/* LD_PRELOAD's names end at a blank and at a colon: what lies at such a path gets a link in FOLDER.
 */
static char *preloadable(char *shim, const char *folder) {
    if (!shim || !strpbrk(shim, " :")) {
        return shim;
    }
    char *link = cli_printed("%s/" FILE_NAME, folder);
    if (strpbrk(link, " :") || symlink(shim, link)) {
        cli_say("LD_PRELOAD, whose names end at a blank and at a colon, can have neither %s nor a "
                "link to it in %s",
                shim, folder);
        free(link);
        link = NULL;
    }
    free(shim);
    return link;
}

int preload_shim(const char *folder) {
    char *shim = SANITIZED ? NULL : preloadable(find_shim(), folder);
    if (!shim) {
        return -1;
    }
    preload_first("LD_PRELOAD", shim);
    setenv("LIBTMA_MODE", "watch", 0);
    free(shim);
    return 0;
}
