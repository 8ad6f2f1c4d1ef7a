/* SPDX-License-Identifier: Apache-2.0
 *
 * Small logs and all that is found in each (said/paste_*.txt), and a call that ends anywhere.
 *
 * "map CUTLASS 1-12 code 1 at 7ffe10a2c340 tiled t9 r2 a7f2a40000000 d64,32 s128 b64,8 e1,1 i0 s3
 * l2 f0 -tensorRank": lines, the map's address, the arguments, those that the text has not, "="
 * where it is always so; "; " between two. Of what is no map what is said in parentheses.
 */
#include <ctype.h>

#include "support/testing.h"

#include "support/guard_page.h"
#include "support/said.h"
#include "tma/paste.h"

#define NOISE                                                                                      \
    2 /* lines before the last: by its number alone that one still belongs to the others */

static const char *const block[] = {"TMA Desc Addr:   0x7ffe10a2c340",
                                    "format         9",
                                    "dim            3",
                                    "gmem_address   0x7f2a40000000",
                                    "globalDim      (896,4608,6,1,1)",
                                    "globalStrides  (2,1800,8294400,0,0)",
                                    "boxDim         (64,96,1,1,1)",
                                    "elementStrides (1,1,1,1,1)",
                                    "interleave     0",
                                    "swizzle        3",
                                    "l2Promotion    2",
                                    "oobFill        0"};

static void put_list(tma_out *out, const char *before, const uint64_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        tma_putf(out, "%s%" TMA_U64, i ? "," : before, list[i]);
    }
}

static void put_list32(tma_out *out, const char *before, const uint32_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        tma_putf(out, "%s%u", i ? "," : before, (unsigned)list[i]);
    }
}

static void put_arguments(tma_out *out, const tma_spec *s) {
    const uint32_t rank = s->rank < TMA_MAX_RANK ? s->rank : TMA_MAX_RANK;
    tma_putf(out, " %s t%u r%u a%" TMA_X64, s->api == TMA_API_TILED ? "tiled" : "im2col",
             (unsigned)s->dtype, (unsigned)s->rank, s->address);
    put_list(out, " d", s->dim_el, rank);
    put_list(out, " s", s->stride_B, rank ? rank - 1 : 0);
    if (s->api == TMA_API_TILED) {
        put_list32(out, " b", s->box_el, rank);
    } else {
        tma_putf(out, " c%u p%u", (unsigned)s->channels_per_pixel, (unsigned)s->pixels_per_column);
        for (uint32_t i = 0; i + 2 < rank; i++) {
            tma_putf(out, " %d..%d", (int)s->lower_px[i], (int)s->upper_px[i]);
        }
    }
    put_list32(out, " e", s->element_stride, rank);
    tma_putf(out, " i%u s%u l%u f%u", (unsigned)s->interleave, (unsigned)s->swizzle,
             (unsigned)s->l2, (unsigned)s->fill);
}

static void put_hidden(tma_out *out, const tma_paste *p) {
    for (uint32_t a = TMA_ARG_DTYPE; a <= TMA_ARG_FILL; a++) {
        const int is_im2col = a >= TMA_ARG_LOWER && a <= TMA_ARG_PIXELS;
        const int is_argument = p->spec.api == TMA_API_TILED ? !is_im2col : a != TMA_ARG_BOX;
        if (is_argument && !((p->shown | p->unread) & TMA_PASTE_BIT(a))) {
            tma_putf(out, " %s%s", p->fixed & TMA_PASTE_BIT(a) ? "=" : "-", tma_argument_name(a));
        }
    }
}

/* What stands there and was not read: its words; the entries that were, a bit each. */
static void put_unread(tma_out *out, const tma_paste *p) {
    for (uint32_t i = 0; i < p->quotes; i++) {
        const tma_paste_quote *q = &p->quote[i];
        assert_true(p->unread & TMA_PASTE_BIT(q->argument));
        assert_false(p->shown & TMA_PASTE_BIT(q->argument));
        tma_putf(out, " ?%s(%s)%u", tma_argument_name(q->argument), q->text,
                 (unsigned)p->known[q->argument]);
    }
}

static void put_found(void *context, const tma_paste *p) {
    static const char *const kinds[TMA_PASTE_KINDS] = {"map", "pointers", "torn", "error",
                                                       "remark"};
    tma_out *out = context;
    assert_true(p->kind < TMA_PASTE_KINDS);
    tma_putf(out, "%s%s %s %zu-%zu", out->length ? "; " : "", kinds[p->kind],
             tma_paste_source_name(p->source), p->line, p->last_line);
    if (p->code != TMA_PASTE_NO_CODE) {
        tma_putf(out, " code %d", (int)p->code);
    }
    if (p->kind == TMA_PASTE_REMARK) {
        const tma_rule *rule = tma_rule_of(p->rule);
        tma_putf(out, " %s %d", rule ? rule->name : "no rule", (int)p->index);
    }
    if (p->kind != TMA_PASTE_MAP) {
        tma_putf(out, " (%s)", p->says);
        return;
    }
    if (p->has_map) {
        tma_putf(out, " at %" TMA_X64, p->map_address);
    }
    put_arguments(out, &p->spec);
    put_hidden(out, p);
    put_unread(out, p);
    if (p->element_bits) {
        tma_putf(out, " %u bit", (unsigned)p->element_bits);
    }
}

/* Against a page that nobody may touch, and so does each beginning of the text that ends behind
 * something else than a letter. */
static int read_log(tma_out *out, const char *text, tma_error *error) {
    const size_t size = strlen(text);
    struct guard_arena arena;
    (void)error;
    guard_arena_make(&arena, size);
    for (size_t end = 1; end < size; end++) {
        if (!isalpha((unsigned char)text[end - 1])) {
            tma_paste_read(memcpy(guard_arena_place(&arena, end, 1), text, end), end, NULL, NULL);
        }
    }
    tma_paste_read(memcpy(guard_arena_place(&arena, size, 1), text, size), size, put_found, out);
    guard_arena_free(&arena);
    return 0;
}

/* The block with these lines in place of those that begin with the same word; a word alone:
 * missing.
 */
static int read_block(tma_out *out, const char *changes, tma_error *error) {
    char text[SAID_SIZE];
    tma_out log = tma_out_into(text, sizeof(text));
    for (size_t k = 0; k < COUNT_OF(block); k++) {
        const size_t word = strcspn(block[k], " ");
        const char *line = block[k];
        for (const char *at = changes; *at && line == block[k]; at += strspn(at, "\n")) {
            const size_t length = strcspn(at, "\n");
            if (length >= word && !strncmp(at, line, word) && strchr(" [:\n", at[word])) {
                line = at;
            }
            at += length;
        }
        const size_t length = strcspn(line, "\n");
        if (length > word) {
            tma_put_bytes(&log, line, length);
            tma_put(&log, "\n");
        }
    }
    return read_log(out, text, error);
}

/* Cuts "a~b~c" where its "~" are. */
static void cut(char *text, char *parts[], size_t count) {
    for (size_t i = 0; i < count; i++) {
        parts[i] = text;
        text = text + strcspn(text, "~");
        assert_int_equal(*text, i + 1 < count ? '~' : 0);
        *text++ = 0;
    }
}

/* "BEFORE~BEHIND": each line of the block between these. */
static int read_between(tma_out *out, const char *words, tma_error *error) {
    char text[SAID_SIZE];
    char copy[SAID_SIZE];
    char *part[2];
    tma_out log = tma_out_into(text, sizeof(text));
    strcpy(copy, words);
    cut(copy, part, COUNT_OF(part));
    for (size_t k = 0; k < COUNT_OF(block); k++) {
        tma_putf(&log, "%s%s%s", part[0], block[k], part[1]);
    }
    return read_log(out, text, error);
}

/* "BEFORE~FIRST~STEP~LAST~BEHIND": a number before each line, the last line's apart. */
static int read_numbered(tma_out *out, const char *words, tma_error *error) {
    char text[SAID_SIZE];
    char copy[SAID_SIZE];
    char *part[5];
    tma_out log = tma_out_into(text, sizeof(text));
    strcpy(copy, words);
    cut(copy, part, COUNT_OF(part));
    unsigned number = (unsigned)strtoul(part[1], NULL, 10);
    for (size_t k = 0; k < COUNT_OF(block) - 1 + NOISE; k++) {
        const char *line = k < COUNT_OF(block) - 1 ? block[k] : "loading";
        tma_putf(&log, "%s%u%s%s\n", part[0], number, part[4], line);
        number += (unsigned)strtoul(part[2], NULL, 10);
    }
    tma_putf(&log, "%s%s%s%s\n", part[0], part[3], part[4], block[COUNT_OF(block) - 1]);
    return read_log(out, text, error);
}

/* Words before each line of the block, # for the line's number, from 10 on. Between two lines of
 * the block stand others, so that nothing else joins them. */
static int read_behind_words(tma_out *out, const char *words, tma_error *error) {
    char text[SAID_SIZE];
    tma_out log = tma_out_into(text, sizeof(text));
    const int before = (int)strcspn(words, "#");
    for (unsigned k = 0; k < COUNT_OF(block); k++) {
        tma_putf(&log, "%.*s", before, words);
        if (words[before]) {
            tma_putf(&log, "%u%s", 10 + k, words + before + 1);
        }
        tma_putf(&log, "%s\nloading\nloading\n", block[k]);
    }
    return read_log(out, text, error);
}

/* Each beginning of a call with blanks as they are escaped and colours lies against a page that
 * nobody may touch; it is a map from the bracket on that closes it. */
static void calls_that_end_anywhere(void **state) {
    static const char text[] =
        "\\t\\e[1mcuTensorMapEncodeTiled(&map, 6,\\t2,\\n(void *)0x7f2a40000000,\xC2\xA0"
        "{64, 32}, \033[36m{256}\033[0m,\n\\t\\e[2m{32, 8}, {1, 1}, 0, 3, 2, 1)\\t\033[0m";
    const size_t end = (size_t)(strrchr(text, ')') - text);
    struct guard_arena arena;
    (void)state;
    guard_arena_make(&arena, sizeof(text));
    for (size_t size = 0; size < sizeof(text); size++) {
        char *placed = (char *)guard_arena_place(&arena, size, 1);
        memcpy(placed, text, size);
        assert_int_equal(tma_paste_read(placed, size, NULL, NULL), size > end);
    }
    guard_arena_free(&arena);
}

static const struct said_reader readers[] = {
    {"paste_log", read_log},
    {"paste_block", read_block},
    {"paste_between", read_between},
    {"paste_numbered", read_numbered},
    {"paste_words", read_behind_words},
};

int main(void) {
    struct CMUnitTest tests[COUNT_OF(readers) + 1] = {cmocka_unit_test(calls_that_end_anywhere)};
    for (size_t i = 0; i < COUNT_OF(readers); i++) {
        tests[i + 1] = (struct CMUnitTest){readers[i].name, says, NULL, NULL, (void *)&readers[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
