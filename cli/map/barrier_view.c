/* SPDX-License-Identifier: Apache-2.0
 *
 * A word of 64 bits: what an mbarrier's open phase lacks, what a matrix descriptor says, and which
 * bits say it.
 */
#include "barrier_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli_error.h"
#include "cli_out.h"
#include "hang_view.h"
#include "tma/mma_text.h"
#include "tma/view.h"
#include "tma/word.h"

static const char *const not_one =
    "no mbarrier's word: its count and what is missing do not fit together";

static void print_fields(uint64_t word) {
    size_t i = 0;
    puts("bits     stored      field             meaning");
    while (tma_barrier_field_at(i)) {
        i++;
    }
    while (i-- > 0) {
        const tma_barrier_field *f = tma_barrier_field_at(i);
        const uint64_t stored = word >> f->bit & ((UINT64_C(1) << f->width_bit) - 1);
        char bits[16];
        if (f->width_bit == 1) {
            snprintf(bits, sizeof(bits), "[%" PRIu32 "]", f->bit);
        } else {
            snprintf(bits, sizeof(bits), "[%" PRIu32 ":%" PRIu32 "]", f->bit + f->width_bit - 1,
                     f->bit);
        }
        printf("%-8s 0x%-9" PRIx64 " %-17s %s\n", bits, stored, f->name, f->meaning);
    }
}

static void print_descriptor(uint64_t word, uint32_t kind) {
    const uint32_t family = kind == TMA_WORD_TCGEN05 ? TMA_MMA_TCGEN05 : TMA_MMA_WGMMA;
    tma_out out = out_to(stdout);
    printf("%s: ", tma_word_kind_name(kind));
    tma_word_put(&out, word, kind);
    puts("\n");
    tma_put_mma_fields(&out, family, word);
    tma_put_mma_said(&out, tma_mma_judge(family, word, NULL));
}

/* A word that no barrier of a usual count has, and that is a descriptor. */
static int descriptors_view(uint64_t word, uint32_t kinds, int as_json) {
    out_json line;
    tma_json *json = as_json ? out_json_begin(&line, "decode") : NULL;
    if (json) {
        tma_json_hex(json, "word", word);
        tma_json_list(json, "descriptors");
    }
    for (uint32_t kind = TMA_WORD_WGMMA; kind < TMA_WORD_KINDS; kind++) {
        if (!(kinds >> kind & 1)) {
            continue;
        }
        if (json) {
            tma_json_object(json, NULL);
            tma_json_word(json, word, kind);
            tma_json_end(json);
        } else {
            print_descriptor(word, kind);
        }
    }
    if (json) {
        tma_json_end(json);
        out_json_end(&line);
    }
    return CLI_CLEAN;
}

int barrier_view(uint64_t word, int as_json) {
    const uint32_t kinds = tma_word_kinds(word);
    const int likely = tma_barrier_is_likely(word);
    if (kinds && !(kinds >> TMA_WORD_BARRIER & 1)) {
        return descriptors_view(word, kinds, as_json);
    }
    if (as_json) {
        out_json line;
        tma_json *json = out_json_begin(&line, "decode");
        tma_json_object(json, "barrier");
        hang_barrier_json(json, word);
        tma_json_end(json);
        out_json_end(&line);
        return likely ? CLI_CLEAN : CLI_FINDINGS;
    }
    if (!likely) {
        printf("0x%016" PRIx64 ": %s\n\n", word, not_one);
    } else {
        tma_out out = out_to(stdout);
        printf("mbarrier: ");
        tma_word_put(&out, word, TMA_WORD_BARRIER);
        puts("\n");
    }
    print_fields(word);
    return likely ? CLI_CLEAN : CLI_FINDINGS;
}
