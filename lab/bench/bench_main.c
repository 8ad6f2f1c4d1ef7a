/* SPDX-License-Identifier: Apache-2.0
 *
 * tma-bench: this library against its limits and yardsticks, one row a claim.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tma/tma.h>

#include "args.h"
#include "bench_copy.h"
#include "bench_judge.h"
#include "bench_map.h"
#include "report.h"

static const struct section {
    const char *name;
    void (*run)(report *r);
} sections[] = {{"map", bench_map}, {"copy", bench_copies}, {"judge", bench_judge}};

#define SECTIONS (sizeof(sections) / sizeof(sections[0]))

typedef struct arguments {
    report report;
    unsigned wanted; /* a bit for each section; none: all */
} arguments;

static int want(arguments *args, const char *name, args_state *state) {
    for (unsigned i = 0; i < SECTIONS; i++) {
        if (strcmp(name, sections[i].name) == 0) {
            args->wanted |= 1u << i;
            return 0;
        }
    }
    args_error(state, "no section '%s': map, copy, judge", name);
}

static int want_path(arguments *args, const char *name, args_state *state) {
    for (unsigned i = TMA_PATH_PORTABLE; i < TMA_PATHS; i++) {
        if (strcmp(name, tma_path_name(i)) == 0) {
            if (!tma_path_available(i)) {
                args_error(state, "this machine has no path '%s'", name);
            }
            args->report.path = i;
            return 0;
        }
    }
    args_error(state, "no path '%s': portable, avx2, avx512, avx512fp16", name);
}

/* glibc chooses its memcpy when a program starts: as on a processor with no wider vectors. */
static void narrow_memcpy(unsigned path, char **argv) {
    static const char tunables[] = "GLIBC_TUNABLES";
    static const char *const without[TMA_PATHS] = {
        [TMA_PATH_PORTABLE] = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,"
                              "-AVX_Fast_Unaligned_Load",
        [TMA_PATH_AVX2] = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW",
    };
    const char *const now = getenv(tunables);
    if (!without[path] || (now && strcmp(now, without[path]) == 0)) {
        return;
    }
    setenv(tunables, without[path], 1);
    execv("/proc/self/exe", argv);
    perror("bench: /proc/self/exe");
    exit(2);
}

static int parse(int key, char *text, args_state *state) {
    arguments *args = state->input;
    switch (key) {
    case 'j':
        args->report.json = 1;
        return 0;
    case 'o':
        args->report.only = text;
        return 0;
    case 'p':
        return want_path(args, text, state);
    case ARGS_KEY_ARG:
        return want(args, text, state);
    default:
        return ARGS_UNKNOWN;
    }
}

int main(int argc, char **argv) {
    static const args_option options[] = {
        {"json", 'j', 0, 0, "one JSON object, with the rows in \"rows\"", 0},
        {"only", 'o', "TEXT", 0, "only copies whose name has TEXT in it", 0},
        {"path", 'p', "PATH", 0,
         "copies take this path (portable, avx2, avx512, avx512fp16), and the yardsticks, memcpy "
         "too, no wider vectors",
         0},
        {0},
    };
    static const args_parser parser = {
        options,
        parse,
        "[SECTION...]",
        "Measures this library: map (encode and decode), copy (against memcpy), judge (walks and "
        "checks). A ratio is how "
        "much "
        "better than the limit or the yardstick: the median of rounds in turns, its quartiles in "
        "brackets. BUSY: the machine was too busy to tell.",
        0,
        0};
    arguments args;
    memset(&args, 0, sizeof(args));
    args_parse(&parser, argc, argv, ARGS_ANY_ORDER, &args);
    narrow_memcpy(args.report.path, argv);
    report_begin(&args.report);
    for (unsigned i = 0; i < SECTIONS; i++) {
        if (!args.wanted || args.wanted >> i & 1) {
            sections[i].run(&args.report);
        }
    }
    report_end(&args.report);
    return 0; /* what is missed is in the rows: a slow machine is no error */
}
