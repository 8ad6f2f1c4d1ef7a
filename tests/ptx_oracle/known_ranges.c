/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_known_ranges FILE...: where ptx/ says the shared address of each copy moves, a line a copy:
 * FILE LINE LOW HIGH STEP, in bytes behind its variable, or FILE LINE - - -, where it is not known;
 * and behind that what it is in the first turn of all loops for some threads of the first CTA: a
 * number, with a t where it hangs on the thread or the CTA, or -.
 */
#include <inttypes.h>
#include <stdio.h>

#include "each_file.h"
#include "ptx_heap.h"
#include "ptx_protocol.h"

#define PLACE_B (1 << 20) /* of the variable */

static void put_first(const ptx_protocol *p, const ptx_act *a, uint32_t thread) {
    ptx_first t = {.p = p,
                   .around = PTX_NONE,
                   .variable = ptx_shared_variable(p->v, a->at),
                   .thread = thread,
                   .address = PLACE_B,
                   .first_cta = 1};
    uint64_t is = 0;
    if (ptx_value_first(&t, a->at, &is)) {
        printf(" %" PRId64 "%s", (int64_t)is - PLACE_B, t.by_thread ? "t" : "");
    } else {
        printf(" -");
    }
}

static int put_kernel(const char *file, ptx_report *report, uint32_t function) {
    static const uint32_t threads[] = {0, 1, 33};
    ptx_graph g;
    ptx_values v;
    ptx_protocol p;
    ptx_memory *memory = &report->work;
    if (ptx_graph_make(&g, memory, &report->functions, &report->codes, function, 1) ||
        ptx_values_make(&v, memory, &g) || ptx_protocol_make(&p, memory, report, &v)) {
        return -1;
    }
    for (uint32_t i = 0; i < p.acts; i++) {
        const ptx_act *a = &p.act[i];
        if (a->kind != PTX_ACT_LOAD) {
            continue;
        }
        const ptx_reach is = ptx_reach_at(&p, a->at, a);
        printf("%s %zu ", file, report->rows.row[g.step[a->step].row].piece.line);
        if (is.base == PTX_UNKNOWN) {
            printf("- - -");
        } else {
            printf("%" PRId64 " %" PRId64 " %" PRIu64, is.low, is.high, is.step);
        }
        for (size_t k = 0; k < sizeof(threads) / sizeof(threads[0]); k++) {
            put_first(&p, a, threads[k]);
        }
        puts("");
    }
    return 0;
}

static int put(const char *file, const char *text, size_t size) {
    ptx_heap heap = {NULL};
    ptx_report report;
    int failed = ptx_report_make(&report, ptx_heap_more, &heap, text, size, NULL, 0, NULL);
    for (uint32_t i = 0; !failed && i < report.rows.functions; i++) {
        failed = put_kernel(file, &report, i);
    }
    ptx_heap_free(&heap);
    return failed;
}

int main(int argc, char **argv) {
    return each_file(argc, argv, put);
}
