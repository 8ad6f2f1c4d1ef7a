/* SPDX-License-Identifier: Apache-2.0
 *
 * cairo's calls, by name. The file that is opened is TMA_CAIRO_FILE, which the build says.
 */
#include "cairo_calls.h"

#include <dlfcn.h>
#include <string.h>

/* NOLINTBEGIN(bugprone-macro-parentheses): types */
#define CALL(result, name, parameters)                                                             \
    _Static_assert(_Generic(&cairo_##name, result(*) parameters : 1, default : 0),                 \
                   "cairo_" #name " is declared otherwise");
#include "cairo_calls.def"
/* NOLINTEND(bugprone-macro-parentheses) */

static const char *const names[] = {
#define CALL(result, name, parameters) "cairo_" #name,
#include "cairo_calls.def"
};

/* The members of cairo_calls in turn: all are pointers to functions, which POSIX gives the size and
 * the form of a void *. */
_Static_assert(sizeof(cairo_calls) == sizeof(names) / sizeof(*names) * sizeof(void *),
               "a member for each name");

int cairo_calls_find(cairo_calls *calls, tma_error *error) {
    void *library = dlopen(TMA_CAIRO_FILE, RTLD_NOW | RTLD_LOCAL); /* stays open */
    for (size_t i = 0; library && i < sizeof(names) / sizeof(*names); i++) {
        void *call = dlsym(library, names[i]);
        if (!call) {
            return tma_fail(error, "%s has no %s", TMA_CAIRO_FILE, names[i]);
        }
        memcpy((unsigned char *)calls + i * sizeof(call), &call, sizeof(call));
    }
    return library ? 0 : tma_fail(error, "%.200s", dlerror());
}
