/* SPDX-License-Identifier: Apache-2.0
 *
 * What is found, in words.
 */
#include "support/paste_words.h"

#include <inttypes.h>

#include "support/testing.h"
#include <tma/paste.h>

struct words {
    char text[4096];
    size_t length;
};

static void add_list(struct words *w, const char *before, const uint64_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        w->length += (size_t)snprintf(w->text + w->length, sizeof(w->text) - w->length,
                                      "%s%" PRIu64, i ? "," : before, list[i]);
    }
}

static void add_list32(struct words *w, const char *before, const uint32_t *list, uint32_t count) {
    uint64_t wide[TMA_MAX_RANK] = {0};
    for (uint32_t i = 0; i < count; i++) {
        wide[i] = list[i];
    }
    add_list(w, before, wide, count);
}

#define ADD(w, ...)                                                                                \
    ((w)->length +=                                                                                \
     (size_t)snprintf((w)->text + (w)->length, sizeof((w)->text) - (w)->length, __VA_ARGS__))

static void add_spec(struct words *w, const tma_spec *s) {
    const uint32_t rank = s->rank < TMA_MAX_RANK ? s->rank : TMA_MAX_RANK;
    ADD(w, " %s t%u r%u a%" PRIx64, s->api == TMA_API_TILED ? "tiled" : "im2col",
        (unsigned)s->dtype, (unsigned)s->rank, s->address);
    add_list(w, " d", s->dim_el, rank);
    add_list(w, " s", s->stride_B, rank ? rank - 1 : 0);
    if (s->api == TMA_API_TILED) {
        add_list32(w, " b", s->box_el, rank);
    } else {
        ADD(w, " c%u p%u", (unsigned)s->channels_per_pixel, (unsigned)s->pixels_per_column);
        for (uint32_t i = 0; i + 2 < rank; i++) {
            ADD(w, " %d..%d", (int)s->lower_px[i], (int)s->upper_px[i]);
        }
    }
    add_list32(w, " e", s->element_stride, rank);
    ADD(w, " i%u s%u l%u f%u", (unsigned)s->interleave, (unsigned)s->swizzle, (unsigned)s->l2,
        (unsigned)s->fill);
}

/* " -tensorRank" for each argument of the call that the text has not, "=" if it is always so. */
static void add_hidden(struct words *w, const tma_paste *p) {
    for (uint32_t a = TMA_ARG_DTYPE; a <= TMA_ARG_FILL; a++) {
        const int is_im2col = a >= TMA_ARG_LOWER && a <= TMA_ARG_PIXELS;
        const int is_argument = p->spec.api == TMA_API_TILED ? !is_im2col : a != TMA_ARG_BOX;
        if (is_argument && !(p->shown & TMA_PASTE_BIT(a))) {
            ADD(w, " %s%s", p->fixed & TMA_PASTE_BIT(a) ? "=" : "-", tma_argument_name(a));
        }
    }
}

static void add(void *context, const tma_paste *p) {
    static const char *const kinds[TMA_PASTE_KINDS] = {"map", "pointers", "torn", "error",
                                                       "remark"};
    struct words *w = context;
    assert_true(p->kind < TMA_PASTE_KINDS && w->length < sizeof(w->text) / 2);
    ADD(w, "%s%s %s %zu-%zu", w->length ? "; " : "", kinds[p->kind],
        tma_paste_source_name(p->source), p->line, p->last_line);
    if (p->code != TMA_PASTE_NO_CODE) {
        ADD(w, " code %d", (int)p->code);
    }
    if (p->kind == TMA_PASTE_REMARK) {
        const tma_rule *rule = tma_rule_of(p->rule);
        ADD(w, " %s %d", rule ? rule->name : "no rule", (int)p->index);
    }
    if (p->kind != TMA_PASTE_MAP) {
        ADD(w, " (%s)", p->says);
        return;
    }
    if (p->has_map) {
        ADD(w, " at %" PRIx64, p->map_address);
    }
    add_spec(w, &p->spec);
    add_hidden(w, p);
    if (p->element_bits) {
        ADD(w, " %u bit", (unsigned)p->element_bits);
    }
}

/* From a block of its own size, so that a sanitizer sees a byte too far. */
int finds(const struct small_log *log) {
    struct words w = {.length = 0};
    const size_t size = strlen(log->text);
    char *own = malloc(size ? size : 1);
    assert_non_null(own);
    memcpy(own, log->text, size);
    tma_paste_read(own, size, add, &w);
    free(own);
    assert_true(w.length < sizeof(w.text));
    if (strcmp(w.text, log->found) != 0) {
        fprintf(stderr, "%s\nfound: %s\n  not: %s\n", log->text, w.text, log->found);
        return 0;
    }
    return 1;
}

void expect_found(const struct small_log *logs, size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        wrong += !finds(&logs[i]);
    }
    assert_int_equal(wrong, 0);
}
