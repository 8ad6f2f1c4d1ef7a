/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes of a tensor.
 */
#include "changes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/walk.h"

/* Bytes that lie together in the tensor. */
typedef struct written {
    tma_run run;
    size_t bytes_at; /* in changes.bytes */
} written;

struct changes {
    const tensor *tensor;
    uint64_t end; /* address behind the last element */
    written *rows;
    size_t count, room;
    uint8_t *bytes;
    size_t size_B;
};

static void *grown(void *old, size_t size) {
    return cli_got(realloc(old, size));
}

static int keep_run(void *context, const tma_run *run) {
    changes *c = context;
    if (run->kind != TMA_RUN_INSIDE && run->kind != TMA_RUN_PAST_EDGE) {
        return 0;
    }
    TMA_ASSERT(tensor_at(c->tensor, run->address, run->global_length_B)); /* the copy has run */
    if (c->count == c->room) {
        c->room = 2 * c->room + 16;
        c->rows = grown(c->rows, c->room * sizeof(*c->rows));
    }
    c->bytes = grown(c->bytes, c->size_B + run->global_length_B);
    memcpy(c->bytes + c->size_B, tensor_at(c->tensor, run->address, run->global_length_B),
           run->global_length_B);
    c->rows[c->count++] = (written){*run, c->size_B};
    c->size_B += run->global_length_B;
    return 0;
}

changes *changes_before(const tensor *tensor, const tma_spec *spec, const tma_plan *plan,
                        const tma_position *at) {
    changes *c = cli_got(calloc(1, sizeof(*c)));
    c->tensor = tensor;
    c->end = tensor_end(spec);
    tma_walk_rows(plan, at, keep_run, c);
    return c;
}

void changes_free(changes *c) {
    if (c) {
        free(c->rows);
        free(c->bytes);
        free(c);
    }
}

static uint64_t changed_B(const changes *c, const written *w) {
    const uint8_t *now = tensor_at(c->tensor, w->run.address, w->run.global_length_B);
    uint64_t changed = 0;
    for (uint32_t i = 0; i < w->run.global_length_B; i++) {
        changed += now[i] != c->bytes[w->bytes_at + i];
    }
    return changed;
}

static void print_row(FILE *out, const changes *c, const written *w, const color_set *colors) {
    const tma_run *run = &w->run;
    char text[96];
    size_t used = 0;
    for (uint32_t i = 0; i < run->rank; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRId64, i ? ", " : "{",
                                 run->coord[i]);
    }
    snprintf(text + used, sizeof(text) - used, "}");
    const int past = run->kind == TMA_RUN_PAST_EDGE;
    fprintf(out, "%s%-24s 0x%" PRIx64 "  %5" PRIu32 " B, %5" PRIu64 " B changed%s%s\n",
            past ? colors->severity[1] : "", text, run->address, run->global_length_B,
            changed_B(c, w), past ? "  behind the row's end" : "", past ? colors->end : "");
}

static void warn(FILE *out, const changes *c, const color_set *colors) {
    uint64_t past_B = 0;
    uint64_t behind_B = 0; /* the whole tensor */
    size_t rows = 0;
    for (size_t i = 0; i < c->count; i++) {
        const tma_run *run = &c->rows[i].run;
        const uint64_t end = run->address + run->global_length_B;
        if (run->kind == TMA_RUN_PAST_EDGE) {
            rows++;
            past_B += run->global_length_B;
            behind_B += end <= c->end           ? 0
                        : run->address < c->end ? end - c->end
                                                : run->global_length_B;
        }
    }
    if (!rows) {
        return;
    }
    fprintf(out,
            "%swarning%s: %" PRIu64 " B behind the end%s of %zu row%s are written: the hardware "
            "stores whole units of 16 B.\n",
            colors->severity[1], colors->end, past_B, text_plural(rows), rows, text_plural(rows));
    if (behind_B) {
        fprintf(out,
                "         %" PRIu64 " B of them, at 0x%" PRIx64 ", lie behind the whole tensor: "
                "somebody else's memory, maybe.\n",
                behind_B, c->end);
    }
}

void changes_print(FILE *out, const changes *c, size_t most, const color_set *colors) {
    uint64_t all_B = 0;
    for (size_t i = 0; i < c->count; i++) {
        all_B += changed_B(c, &c->rows[i]);
    }
    fprintf(out, "written to the tensor: %zu B, %" PRIu64 " B of them changed\n", c->size_B, all_B);
    for (size_t i = 0; i < c->count && i < most; i++) {
        print_row(out, c, &c->rows[i], colors);
    }
    if (c->count > most) {
        fprintf(out, "... %zu more (--lines all)\n", c->count - most);
    }
    warn(out, c, colors);
}
