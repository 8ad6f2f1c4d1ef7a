/* SPDX-License-Identifier: Apache-2.0
 *
 * libtma-cuda.so in the programs that this one starts: beside this program, where the two are
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

/* In the Python package that this command came with: the only one beside it. */
static char *in_package(const char *folder) {
    glob_t found;
    char *pattern = cli_printed("%s/../lib/python3*/site-packages/libtma/" FILE_NAME, folder);
    char *file = NULL;
    if (!glob(pattern, GLOB_NOSORT, NULL, &found)) {
        file = found.gl_pathc == 1 ? realpath(found.gl_pathv[0], NULL) : NULL;
        globfree(&found);
    }
    free(pattern);
    return file;
}

static char *find_shim(void) {
    static const char *const places[] = {"",
                                         "/../lib",
                                         "/../lib64",
                                         "/../lib/x86_64-linux-gnu",
                                         "/../lib/aarch64-linux-gnu",
                                         "/../lib/x86_64-linux-gnu/libtma", /* Debian's package */
                                         "/../lib/aarch64-linux-gnu/libtma"};
    char *self = ptxas_self();
    char *slash = self ? strrchr(self, '/') : NULL;
    char *found = NULL;
    if (slash) {
        *slash = 0;
    }
    for (size_t i = 0; slash && !found && i < sizeof(places) / sizeof(places[0]); i++) {
        char *file = cli_printed("%s%s/" FILE_NAME, self, places[i]);
        found = access(file, R_OK) == 0 ? realpath(file, NULL) : NULL;
        free(file);
    }
    if (slash && !found) {
        found = in_package(self);
    }
    free(self);
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
    const char *before = getenv("LD_PRELOAD");
    const int more = before && *before;
    char *all = cli_printed("%s%s%s", shim, more ? ":" : "", more ? before : "");
    setenv("LD_PRELOAD", all, 1);
    setenv("LIBTMA_MODE", "watch", 0);
    free(all);
    free(shim);
    return 0;
}
