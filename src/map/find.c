/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps among other bytes: two quick looks at each place, then the whole judgement.
 */
#include "tma/find.h"

#include "map_layout.h"
#include "tma/check.h"

#define HEAD_B                                                                                     \
    TMA_CUTE_DSL_BYTES /* what the CuTe DSL writes, and what the copies' hardware reads */
#define HEAD_WORDS (HEAD_B / 4)

/* Of the word of KIND_HIGH in a map of nvidia-cutlass-dsl 4.7.0: 1 in each of 84. */
#define MARK_BITS TMA_MASK(KIND_HIGH, 0)
#define MARK      TMA_IN(KIND_HIGH, TMA_KIND_HIGH_CUTE_DSL)

/* Nothing lies in the first pages of an address space. */
#define LEAST_ADDRESS   (UINT64_C(1) << 24)
#define MOST_SPAN_B     (UINT64_C(1) << 47)
#define STALE_IN_EDITED (TMA_ODD_BOX_BYTES | TMA_ODD_REPEAT | TMA_ODD_TF32_FLAG)
#define STALE_IN_BUILT  (TMA_ODD_BOX_BYTES | TMA_ODD_REPEAT)

#define STORED_RANKS (1 << TMA_WIDTH_RANK)

/* Bits that no map has, by word: whatever its kind and rank; and for each kind, by the rank as it
 * is stored. */
typedef struct never_set {
    uint32_t word[TMA_MAP_WORDS];
    uint32_t of_kind[2][STORED_RANKS][TMA_MAP_WORDS];
} never_set;

static uint32_t empty_word_2(uint32_t api, uint32_t rank) {
    tma_map map;
    tma_spec spec;
    memset(&spec, 0, sizeof(spec));
    spec.api = api;
    spec.rank = rank;
    return tma_encode_forced(map.bytes, &spec, NULL, NULL) == TMA_OK ? tma_word(map.bytes, 2) : 0;
}

static uint32_t *of_kind(never_set *never, uint32_t word_2) {
    return never->of_kind[TMA_OUT(KIND, word_2)][TMA_OUT(RANK, word_2)];
}

/* Asks a map of ones for each kind and rank which of its bits belong to no field. */
static void ask_never_set(never_set *never) {
    uint32_t says_kind_and_rank = MARK_BITS;
    memset(never, 0xFF, sizeof(*never)); /* a rank that there is not has no bit */
    for (uint32_t api = TMA_API_TILED; api <= TMA_API_IM2COL; api++) {
        for (uint32_t rank = 1; rank <= TMA_MAX_RANK; rank++) {
            says_kind_and_rank |= empty_word_2(api, rank);
        }
    }
    for (uint32_t api = TMA_API_TILED; api <= TMA_API_IM2COL; api++) {
        for (uint32_t rank = 1; rank <= TMA_MAX_RANK; rank++) {
            const uint32_t word_2 = empty_word_2(api, rank);
            uint8_t ones[TMA_MAP_BYTES];
            uint32_t *unowned = of_kind(never, word_2);
            memset(ones, 0xFF, sizeof(ones));
            tma_store32(ones + 8, ~says_kind_and_rank | word_2);
            tma_unowned(unowned, ones);
            for (uint32_t i = 0; i < TMA_MAP_WORDS; i++) {
                never->word[i] &= unowned[i];
            }
        }
    }
}

/* By a driver, for some target. */
static int is_accepted(const tma_spec *spec) {
    const size_t count = tma_arch_count();
    for (size_t i = 0; i < count; i++) {
        const tma_target target = {.sm = tma_arch_at(i)->sm,
                                   .suffix = tma_arch_at(i)->suffix,
                                   .driver = TMA_VALUE(SEEN_DRIVER)};
        if (tma_accepts(spec, &target)) {
            return 1;
        }
    }
    return 0;
}

/* Whether the rows of the tensor lie beside one another, in whatever order, in an address space as
 * large as processes have. What merely looks like a map hardly ever does. */
static int is_laid_out(const tma_spec *s) {
    uint64_t extent_B = (s->dim_el[0] * tma_dtype_bits(s->dtype) + 7) / 8;
    uint32_t left = (1u << s->rank) - 2; /* dimensions, the innermost apart */
    if (s->address < LEAST_ADDRESS || s->address >= MOST_SPAN_B || s->dim_el[0] == 1) {
        return 0;
    }
    for (uint32_t i = 1; i < s->rank; i++) {
        left &= s->dim_el[i] == 1 || s->stride_B[i - 1] == 0 ? ~(1u << i) : ~0u;
    }
    if (s->interleave != TMA_INTERLEAVE_NONE) {
        extent_B = s->interleave == TMA_INTERLEAVE_16B ? 16 : 32;
    }
    while (left) {
        uint32_t next = 0;
        for (uint32_t i = 1; i < s->rank; i++) {
            if (left >> i & 1 && (!next || s->stride_B[i - 1] < s->stride_B[next - 1])) {
                next = i;
            }
        }
        const uint64_t stride_B = s->stride_B[next - 1];
        if (stride_B < extent_B || s->dim_el[next] > MOST_SPAN_B / stride_B) {
            return 0;
        }
        extent_B = s->dim_el[next] * stride_B;
        left &= ~(1u << next);
    }
    return extent_B <= MOST_SPAN_B;
}

/* The first 64 bytes as a map of their own; `whole` has room for all. */
static int is_head(tma_decoded *decoded, const uint8_t *bytes, uint32_t clear) {
    uint8_t map[TMA_MAP_BYTES];
    memset(map, 0, sizeof(map));
    memcpy(map, bytes, HEAD_B);
    tma_store32(map + 8, tma_word(map, 2) & ~clear);
    return tma_decode(decoded, map) == TMA_OK && !(decoded->odd & ~STALE_IN_BUILT) &&
           is_accepted(&decoded->spec) && is_laid_out(&decoded->spec);
}

static int is_zero(const uint8_t *bytes, size_t size_B) {
    uint64_t any = 0;
    for (size_t i = 0; i < size_B; i += 8) {
        any |= tma_load64(bytes + i);
    }
    return !any;
}

/* What stands at `bytes`, of which `left` may be read; TMA_FOUND_FORMS if no map. */
static uint32_t judge(tma_decoded *decoded, const uint8_t *bytes, size_t left) {
    const uint32_t mark = tma_word(bytes, 2) & MARK_BITS;
    if (left >= TMA_MAP_BYTES && !mark && tma_decode(decoded, bytes) == TMA_OK) {
        if (!(decoded->odd & ~STALE_IN_EDITED) && decoded->repeat_B) {
            const int accepted = is_accepted(&decoded->spec);
            if (!decoded->odd && accepted) {
                return TMA_FOUND_WHOLE;
            }
            if (is_laid_out(&decoded->spec) && (accepted || !(decoded->odd & TMA_ODD_REPEAT))) {
                return TMA_FOUND_EDITED;
            }
        }
        if (is_zero(bytes + HEAD_B, HEAD_B) && tma_word(bytes, 2) && is_head(decoded, bytes, 0)) {
            return TMA_FOUND_BUILT;
        }
    }
    return mark == MARK && is_head(decoded, bytes, MARK_BITS) ? TMA_FOUND_CUTE_DSL
                                                              : TMA_FOUND_FORMS;
}

/* Above the address's 57 bits the second word of the eight bytes has none. */
#define NO_ADDRESS_HIGH (~(uint32_t)((TMA_VALUE(ADDRESS) - 1) >> 32))

/* The quick looks. A head: an aligned address, and nothing in word 2, 7 or 13 that is never set. A
 * whole map may have a word 2 of 0, and once edited an address off 16 bytes, but has something in
 * the words behind, and some of the words there are always 0. */
static inline int may_be_head(const uint8_t *at, const never_set *never) {
    const uint32_t word_2 = tma_word(at, 2);
    return word_2 && !(word_2 & never->word[2]) && tma_load64(at) &&
           !((tma_word(at, 0) & (TMA_VALUE(ALIGN) - 1u)) | (tma_word(at, 1) & NO_ADDRESS_HIGH) |
             (tma_word(at, 7) & never->word[7]) | (tma_word(at, 13) & never->word[13]) |
             (tma_word(at, 15) & never->word[15]));
}

static inline int may_be_whole(const uint8_t *at, const never_set *never) {
    return tma_word(at, 18) && !(tma_word(at, 1) & NO_ADDRESS_HIGH) &&
           !((tma_word(at, 17) & never->word[17]) | (tma_word(at, 19) & never->word[19]) |
             (tma_word(at, 31) & never->word[31]) | (tma_word(at, 13) & never->word[13]));
}

/* Nothing is set that maps of its kind and rank never have: in the head alone, if it says that the
 * CuTe DSL wrote it. */
static int is_owned(const uint8_t *at, size_t left, never_set *never) {
    const uint32_t word_2 = tma_word(at, 2);
    const uint32_t *unowned = of_kind(never, word_2);
    const uint32_t words = word_2 & MARK_BITS || left < TMA_MAP_BYTES ? HEAD_WORDS : TMA_MAP_WORDS;
    uint32_t any = 0;
    for (uint32_t i = 0; i < words; i++) {
        any |= tma_word(at, i) & unowned[i];
    }
    return !any;
}

static inline int may_be_map(const uint8_t *at, size_t left, never_set *never) {
    return (may_be_head(at, never) || (left >= TMA_MAP_BYTES && may_be_whole(at, never))) &&
           is_owned(at, left, never);
}

/* Places to judge before it is worth while to ask for the never set: 128 bytes have few. */
#define FEW 4

bool tma_find_next(tma_found *found, const void *bytes, size_t size, size_t *at, size_t end) {
    never_set never;
    uint32_t judged = 0;
    int is_asked = 0;
    if (!found || !bytes || !at) {
        return false;
    }
    memset(&never, 0, sizeof(never)); /* keeps nothing out */
    const uint8_t *all = bytes;
    const size_t last = size < HEAD_B ? 0 : size - HEAD_B + 1; /* one past the last beginning */
    const size_t stop = end < last ? end : last;
    for (size_t i = *at; i < stop; i += TMA_FIND_STEP_B) {
        const size_t left = size - i;
        if (!may_be_map(all + i, left, &never)) {
            continue;
        }
        if (!is_asked && judged++ == FEW) {
            ask_never_set(&never);
            is_asked = 1;
            if (!may_be_map(all + i, left, &never)) {
                continue;
            }
        }
        const uint32_t form = judge(&found->decoded, all + i, left);
        if (form != TMA_FOUND_FORMS) {
            found->offset = i;
            found->form = form;
            *at = i + (form == TMA_FOUND_CUTE_DSL ? HEAD_B : TMA_MAP_BYTES);
            return true;
        }
    }
    *at = end;
    return false;
}

static const struct form_words {
    const char *name;
    const char *text;
} forms[TMA_FOUND_FORMS] = {
    {"whole", "all 128 bytes are as an encode call writes them"},
    {"edited",
     "as an encode call writes it, then edited: stale words, or arguments that the driver "
     "refuses"},
    {"built", "64 bytes of a map and 64 zeros: built on the device by tensormap.replace"},
    {"cute-dsl", "64 bytes of a map as the CuTe DSL's compiler writes them, no more"},
};

const char *tma_found_form_name(uint32_t form) {
    return form < TMA_FOUND_FORMS ? forms[form].name : "";
}

const char *tma_found_form_text(uint32_t form) {
    return form < TMA_FOUND_FORMS ? forms[form].text : "";
}
