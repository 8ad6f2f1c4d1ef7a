/* SPDX-License-Identifier: Apache-2.0
 *
 * tma-conformance: asks a driver and a GPU, and says where the library would have answered
 * otherwise.
 */
#include "args.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tma/export.h>
#include <unistd.h>

#include "answers_file.h"
#include "cluster_pass.h"
#include "parts.h"
#include "refused_pass.h"

#define USUAL_SEED  1
#define USUAL_TRAPS 40

enum {
    KEY_FIRST = 0x100,
    KEY_ENCODE_ONLY,
    KEY_TRAPS,
    KEY_DRIVER,
    KEY_VECTORS,
    KEY_WORKER,
    KEY_BATCH,
    KEY_DEVICE,
    KEY_REPORT,
    KEY_SAMPLE,
    KEY_WITHOUT,
    KEY_NUMBERS,
    KEY_QUIET,
    KEY_READINGS
};

static const struct {
    unsigned part;
    const char *name;
    struct tally (*run)(const struct session *);
} parts[] = {{PART_ENCODE, "encode", encode_part},    {PART_COPIES, "copies", copies_part},
             {PART_REPLACE, "replace", replace_part}, {PART_SPEED, "speed", speed_part},
             {PART_WGMMA, "wgmma", wgmma_part},       {PART_BARRIER, "barrier", barrier_part},
             {PART_TCGEN05, "tcgen05", tcgen05_part}};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

static const args_option options[] = {
    {"part", 'p', "PART", 0,
     "encode, copies, replace, speed or all (default); wgmma (sm_90a), tcgen05 (sm_100a), barrier; "
     "may be repeated",
     0},
    {"encode-only", KEY_ENCODE_ONLY, 0, 0, "the driver's encode calls alone: --part encode", 0},
    {"seed", 's', "N", 0, "seed of the random cases (default 1)", 0},
    {"count", 'c', "N", 0,
     "cases of each part (default: 1000000000 encodes, 100000 copies, 100000 edits, 1000000 "
     "operations on barriers, 1000 launches of 16 products, 401 rounds of timing, which are the "
     "most)",
     0},
    {"first", KEY_FIRST, "N", 0, "number of the first case (default 0)", 0},
    {"threads", 't', "N", 0, "host threads or processes (default: one a processor)", 0},
    {"traps", KEY_TRAPS, "N", 0, "how many copies that should trap are run apart (default 40)", 0},
    {"write-vectors", KEY_VECTORS, "FILE", 0,
     "write the cases with the answers of driver and hardware to FILE, as case lines", 0},
    {"report", KEY_REPORT, "FILE", 0,
     "write a report to FILE: what agreed, all that did not, and where to send it", 0},
    {"device", KEY_DEVICE, "N", 0, "which GPU (default 0)", 0},
    {"driver", KEY_DRIVER, "FILE", 0, "which driver library (default libcuda.so.1)", 0},
    {"batch", KEY_BATCH, "N", 0, "copies or edits in one launch (default 2048 and 1000000)", 0},
    {"worker", KEY_WORKER, "TASK", ARGS_HIDDEN, "used between processes of this program", 0},
    {"sample", KEY_SAMPLE, "N", ARGS_HIDDEN, "", 0},
    {"without", KEY_WITHOUT, "SET", ARGS_HIDDEN, "", 0},
    {"numbers", KEY_NUMBERS, "N,...", ARGS_HIDDEN, "", 0},
    {"readings", KEY_READINGS, "SET", ARGS_HIDDEN, "", 0},
    {"quiet", KEY_QUIET, 0, ARGS_HIDDEN, "", 0},
    {0},
};

static uint64_t number(args_state *state, const char *what, const char *text, uint64_t most) {
    char *end = NULL;
    const uint64_t value = strtoull(text, &end, 0);
    if (end == text || *end || *text == '-' || value > most) {
        args_error(state, "%s is '%s', must be a number of at most %" PRIu64, what, text, most);
    }
    return value;
}

static unsigned part_named(args_state *state, const char *name) {
    for (size_t i = 0; i < PARTS; i++) {
        if (strcmp(name, parts[i].name) == 0) {
            return parts[i].part;
        }
    }
    if (strcmp(name, "all") != 0) {
        args_error(
            state,
            "--part '%s' is none of encode, copies, replace, speed, wgmma, tcgen05, barrier, "
            "all",
            name);
    }
    return PART_ALL;
}

static void numbers(args_state *state, struct session *s, const char *text) {
    const char *at = text;
    while (*at && s->number_count < MOST_NUMBERS) {
        char *end = NULL;
        s->numbers[s->number_count++] = strtoull(at, &end, 10);
        if (end == at || (*end && *end != ',')) {
            args_error(state, "--numbers is '%s'", text);
        }
        at = *end ? end + 1 : end;
    }
}

/* What one process of this program tells another. */
static int parse_told(int key, char *text, struct session *s, args_state *state) {
    switch (key) {
    case KEY_WORKER:
        s->worker = text;
        return 0;
    case KEY_SAMPLE:
        s->sample = number(state, "--sample", text, UINT64_MAX);
        return 0;
    case KEY_WITHOUT:
        s->without = (uint32_t)number(state, "--without", text, UINT32_MAX);
        return 0;
    case KEY_NUMBERS:
        numbers(state, s, text);
        return 0;
    case KEY_QUIET:
        s->quiet = 1;
        return 0;
    case KEY_READINGS:
        s->readings = (uint32_t)number(state, "--readings", text, UINT32_MAX);
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static int parse_hidden(int key, char *text, struct session *s, args_state *state) {
    switch (key) {
    case KEY_DRIVER:
        s->driver_path = text;
        return 0;
    case KEY_VECTORS:
        s->vectors_path = text;
        return 0;
    case KEY_REPORT:
        s->report = text;
        return 0;
    case KEY_BATCH:
        s->batch = number(state, "--batch", text, 65536);
        return 0;
    case KEY_DEVICE:
        s->ordinal = (int)number(state, "--device", text, 255);
        return 0;
    default:
        return parse_told(key, text, s, state);
    }
}

static int parse(int key, char *text, args_state *state) {
    struct session *s = state->input;
    switch (key) {
    case 'p':
        s->parts |= part_named(state, text);
        return 0;
    case KEY_ENCODE_ONLY:
        s->parts |= PART_ENCODE;
        return 0;
    case 's':
        s->seed = number(state, "--seed", text, UINT64_MAX);
        return 0;
    case 'c':
        s->count = number(state, "--count", text, UINT64_C(1) << 48);
        return 0;
    case 't':
        s->threads = (unsigned)number(state, "--threads", text, 1024);
        return 0;
    case KEY_FIRST:
        s->first = number(state, "--first", text, UINT64_C(1) << 62);
        return 0;
    case KEY_TRAPS:
        s->traps = (unsigned)number(state, "--traps", text, 1000);
        return 0;
    default:
        return parse_hidden(key, text, s, state);
    }
}

static const args_parser parser = {
    options,
    parse,
    0,
    "Compares libtma with this machine's driver and GPU.\v"
    "Each part closes with a line `PART: N passed, N failed`. A difference is printed with both "
    "answers and a command that repeats it: cases depend on the seed and their number alone.\n\n"
    "Exit status: 0 no differences, 1 differences, 2 wrong arguments, 3 no driver or no GPU.",
    0,
    0,
};

static int run_parts(const struct session *session) {
    int status = 0;
    for (size_t i = 0; i < PARTS; i++) {
        if (session->parts & parts[i].part) {
            const struct tally tally = parts[i].run(session);
            printf("%s: %" PRIu64 " passed, %" PRIu64 " failed\n", parts[i].name, tally.passed,
                   tally.failed);
            fflush(stdout);
            report_part(session, parts[i].name, &tally);
            if (session->vectors) {
                fflush(session->vectors);
            }
            status |= tally.failed || !tally.passed;
        }
    }
    return status;
}

static int run_task(const struct session *session) {
    if (strcmp(session->worker, "encode") == 0) {
        return encode_worker(session);
    }
    if (strcmp(session->worker, "refused") == 0) {
        return refused_worker(session);
    }
    if (strcmp(session->worker, "cluster") == 0) {
        return cluster_worker(session);
    }
    if (strcmp(session->worker, "barrier") == 0) {
        return barrier_worker(session);
    }
    if (strcmp(session->worker, "barrier-alone") == 0) {
        return barrier_alone_worker(session);
    }
    if (strcmp(session->worker, "barrier-kill") == 0) {
        return barrier_kill_worker(session);
    }
    if (strcmp(session->worker, "wgmma") == 0) {
        return wgmma_worker(session);
    }
    return strcmp(session->worker, "trap") ? copies_worker(session) : trap_worker(session);
}

int main(int argc, char **argv) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct session session = {.seed = USUAL_SEED,
                              .traps = USUAL_TRAPS,
                              .threads = processors > 0 ? (unsigned)processors : 1};
    args_parse(&parser, argc, argv, ARGS_ANY_ORDER, &session);
    session.parts = session.parts ? session.parts : PART_ALL;
    if (session.report && session.vectors_path) {
        fprintf(stderr, "tma-conformance: --report or --write-vectors, not both\n");
        return 2;
    }
    session_open(&session);
    session.device.target.readings = session.readings;
    vectors_open(&session);
    int status = 0;
    if (session.worker) {
        status = run_task(&session);
    } else {
        printf("libtma %s, %s, sm_%u%.1s, driver %u.%u, seed %" PRIu64 "\n", TMA_VERSION,
               session.device.name, (unsigned)session.device.target.sm,
               &session.device.target.suffix, session.device.target.driver / 1000,
               session.device.target.driver % 1000 / 10, session.seed);
        fflush(stdout);
        status = run_parts(&session);
    }
    if (vectors_close(&session)) {
        status = 2;
    } else if (session.report && !session.worker) {
        printf("report: %s is the file to send back\n", session.report);
    }
    return status;
}
