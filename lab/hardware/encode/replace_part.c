/* SPDX-License-Identifier: Apache-2.0
 *
 * tensormap.replace on the device against tma_replace(): on maps that the library encoded, and on
 * 128 random bytes, which show every bit that an edit touches.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answers_file.h"
#include "case_lines.h"
#include "parts.h"
#include "random_edits.h"

#define USUAL_COUNT  UINT64_C(100000)
#define MOST_AT_ONCE UINT64_C(1000000)

static void print_line(FILE *out, const struct session *session, const struct replace_case *c,
                       const tma_map *after) {
    if (c->encoded) {
        print_case(out, "dev", &c->spec, &session->device.target);
    } else {
        fputs("random bytes:", out);
    }
    fprintf(out, " field=%" PRIu32 " ord=%" PRIu32 " val=0x%" PRIx64 " rc=0", c->edit.field,
            c->edit.ordinal, c->edit.value);
    print_bytes(out, "before", &c->before, sizeof(c->before));
    print_bytes(out, "desc", after, sizeof(*after));
    fputc('\n', out);
}

static int compare_case(const struct session *session, uint64_t number,
                        const struct replace_case *c, const tma_map *theirs, int quiet) {
    tma_map ours = c->before;
    const tma_status status = tma_replace(
        ours.bytes,
        &(tma_edit){.field = c->edit.field, .ordinal = c->edit.ordinal, .value = c->edit.value},
        NULL);
    const int same = status == TMA_OK && !memcmp(&ours, theirs, sizeof(ours));
    if (c->encoded && vector_is_wanted(session, number, !same)) {
        print_line(session->vectors, session, c, theirs);
    }
    if (same) {
        return 1;
    }
    if (!quiet) {
        printf("case %" PRIu64 ": %s, libtma answers %s\n", number,
               tma_replace_row_of(c->edit.field)->name, tma_status_name(status));
        print_line(stdout, session, c, theirs);
        print_map_differences(stdout, theirs, &ours);
        printf("  again: tma-conformance --part replace --seed %" PRIu64 " --first %" PRIu64
               " --count 1\n",
               session->seed, number);
    }
    return 0;
}

static void *allocate(size_t count, size_t size) {
    void *memory = aligned_alloc(sizeof(tma_map), (count * size + sizeof(tma_map)) /
                                                      sizeof(tma_map) * sizeof(tma_map));
    if (!memory) {
        fprintf(stderr, "tma-conformance: no memory for %zu edits\n", count);
        exit(3);
    }
    return memory;
}

static void run_edits(const struct session *session, uint64_t first, uint64_t count,
                      struct tally *tally) {
    struct replace_case *cases = allocate(count, sizeof(*cases));
    tma_map *maps = allocate(count, sizeof(*maps));
    struct device_edit *edits = allocate(count, sizeof(*edits));
    for (uint64_t i = 0; i < count; i++) {
        replace_case_make(&cases[i], session->seed, first + i, &session->device.target);
        maps[i] = cases[i].before;
        edits[i] = cases[i].edit;
    }
    const char *error = device_replace(maps, edits, count);
    if (error) {
        printf("replace: the kernel ended with %s\n", error);
        tally->failed += count;
    }
    for (uint64_t i = 0; i < count && !error; i++) {
        const int same =
            compare_case(session, first + i, &cases[i], &maps[i], tally->failed >= MOST_REPORTS);
        tally->passed += same != 0;
        tally->failed += !same;
    }
    free(cases);
    free(maps);
    free(edits);
}

struct tally replace_part(const struct session *session) {
    struct tally tally = {0, 0};
    const uint64_t count = session->count ? session->count : USUAL_COUNT;
    const uint64_t most = session->batch ? session->batch : MOST_AT_ONCE;
    const struct session sampling = session_sampling(session, count);
    if (!(tma_arch_of(&session->device.target)->features & TMA_FEATURE_REPLACE)) {
        printf("replace: this program was compiled without the instruction; build it for the GPU's "
               "own target, such as sm_90a\n");
        return (struct tally){0, 1};
    }
    for (uint64_t done = 0; done < count; done += most) {
        const uint64_t left = count - done;
        run_edits(&sampling, session->first + done, left < most ? left : most, &tally);
    }
    return tally;
}
