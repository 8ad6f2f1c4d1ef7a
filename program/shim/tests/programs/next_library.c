/* SPDX-License-Identifier: Apache-2.0
 *
 * What a preloaded library must not break, built three times by LEVEL: a program (0) calls a
 * library (1) whose function finds the next one of its name (2) with RTLD_NEXT, and which opens a
 * file that only its own RUNPATH has.
 */
#include <dlfcn.h>
#include <stdio.h>

int level_value(void);

#if LEVEL == 0
int main(void) {
    const int value = level_value();
    printf("%d\n", value);
    return value != 12;
}
#elif LEVEL == 1
int level_value(void) {
    static int depth;
    union {
        void *address;
        int (*call)(void);
    } as = {depth++ ? NULL : dlsym(RTLD_NEXT, "level_value")};
    void *there = dlopen("libonly_by_runpath.so", RTLD_NOW);
    return (as.call ? as.call() : 0) + (there ? 10 : 0);
}
#else
int level_value(void) {
    return 2;
}
#endif
