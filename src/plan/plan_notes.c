/* SPDX-License-Identifier: Apache-2.0
 *
 * What a copy that runs does otherwise than its arguments seem to say.
 */
#include "plan_internal.h"

/* The largest im2col offset along each dimension; more does not fit its bits. */
static uint32_t most_offset(const tma_plan *plan) {
    const uint32_t bits = plan->spatial == 3   ? TMA_VALUE(OFFSET_5D)
                          : plan->spatial == 2 ? TMA_VALUE(OFFSET_4D)
                                               : TMA_VALUE(OFFSET_3D);
    return (UINT32_C(1) << bits) - 1;
}

static void note_offsets(tma_judge *j, const tma_plan *plan, const tma_position *at) {
    for (int i = 0; i < plan->spatial; i++) {
        if (at->offset[i] > most_offset(plan)) {
            tma_report_legal(
                j, TMA_RULE_OFFSET_RANGE, AT(TMA_ARG_OFFSET, i, at->offset[i]),
                BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_PX, at->offset[i], most_offset(plan)),
                most_offset(plan));
        }
    }
}

/* im2col::w: H and D, which stay as they are. */
static void note_rows(tma_judge *j, const tma_plan *plan, const tma_position *at) {
    for (int dim = plan->first + 1; dim + 1 < plan->rank; dim++) {
        const int64_t given = at->coord[dim];
        const int64_t last = tma_last_pixel(plan->dim_el[dim], 0);
        if (given < 0) {
            tma_report(j, TMA_RULE_WIDE_ROW, AT(TMA_ARG_COORD, dim, given),
                       BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_PX, given, 0));
        } else if (given > last) {
            tma_report(j, TMA_RULE_WIDE_ROW, AT(TMA_ARG_COORD, dim, given),
                       BAD(TMA_MUST_BE_AT_MOST, TMA_UNIT_PX, given, last));
        }
    }
}

/* What PTX 9.4 asks for beside the copy, which no copy can see. */
static void note_newer(tma_judge *j, const tma_plan *plan) {
    if (plan->overrides & TMA_OVERRIDE_ADDRESS) {
        tma_report(j, TMA_RULE_OVERRIDE_MEMORY, AT(TMA_ARG_ADDRESS, -1, plan->address),
                   NOT(plan->address));
    }
    if (plan->inspection > TMA_INSPECTION_DISABLED) {
        tma_report(j, TMA_RULE_REPORT_LAYOUT, AT(TMA_ARG_OPERATION, -1, plan->op), NOT(plan->op));
    }
}

/* Each finding names its question's argument. */
static void note_readings(tma_judge *j, const tma_plan *plan, const tma_position *at) {
    const uint32_t set = tma_plan_readings(plan, at);
    const uint32_t images = plan->rank - 1u;
    const tma_place places[TMA_READINGS] = {
        [TMA_READING_W128_HALO] = AT(TMA_ARG_MODE, -1, plan->mode),
        [TMA_READING_HALO_PIXELS] = AT(TMA_ARG_MODE, -1, plan->mode),
        [TMA_READING_W_IMAGES] = AT(TMA_ARG_ELEMENT_STRIDE, (int)images, plan->stride_el[images]),
        [TMA_READING_ATOM_64B_LOADS] = AT(TMA_ARG_SWIZZLE, -1, plan->swizzle),
        [TMA_READING_B4_COLUMN] = AT(TMA_ARG_COORD, 0, (int64_t)at->coord[0]),
        [TMA_READING_B4_STORE_EDGE] = AT(TMA_ARG_DIM, 0, plan->dim_el[0]),
        [TMA_READING_NO_OFFS_W_END] = AT(TMA_ARG_MODE, -1, plan->mode),
        [TMA_READING_SCATTER4_NEGATIVE] = AT(TMA_ARG_COORD, 0, (int64_t)at->coord[0]),
        [TMA_READING_OVERRIDE_SIZE] = AT(TMA_ARG_OVERRIDE, -1, plan->overrides),
        [TMA_READING_OVERRIDE_ORDER] = AT(TMA_ARG_OVERRIDE, -1, plan->overrides),
    };
    for (uint32_t i = 0; i < TMA_READINGS; i++) {
        if (set >> i & 1) {
            tma_report(j, (tma_rule_id)tma_reading_at(i)->rule, places[i], NOT(places[i].given));
        }
    }
}

size_t tma_plan_notes(tma_finding *out, size_t capacity, const tma_plan *plan,
                      const tma_position *at) {
    tma_judge j = {.out = out, .capacity = out ? capacity : 0};
    if (!plan || !at) {
        return 0;
    }
    const int wide = plan->mode == TMA_MODE_IM2COL_W || plan->mode == TMA_MODE_IM2COL_W128;
    j.sm = plan->sm;
    j.driver = TMA_VALUE(SEEN_DRIVER);
    if (plan->lone_atomicity) {
        tma_report(&j, TMA_RULE_LONE_ATOMICITY, AT(TMA_ARG_SWIZZLE, -1, plan->swizzle),
                   NOT(plan->swizzle));
    }
    if (wide && !tma_swizzle_has(plan->swizzle, TMA_TRAIT_WIDE_CALL)) {
        tma_report(&j, tma_wide_unlisted(plan->swizzle), AT(TMA_ARG_SWIZZLE, -1, plan->swizzle),
                   NOT(plan->swizzle));
    }
    note_newer(&j, plan);
    if (wide) {
        note_rows(&j, plan, at);
    } else if (plan->mode == TMA_MODE_IM2COL && tma_is_load(plan->op)) {
        note_offsets(&j, plan, at);
    }
    note_readings(&j, plan, at);
    return j.count;
}

static int is_word(const char *text, const char *word) {
    text += *text == '.';
    while (*word && (*text | 0x20) == (*word | 0x20)) {
        text++;
        word++;
    }
    return !*text && !*word;
}

/* The row's own name of PTX's is that of loads; of a type that has another, that is a store's. */
static int names_direction(const char *word, uint32_t dtype, int *is_store) {
    static const struct {
        const char *word;
        uint32_t dtype;
    } words[] = {
#define TMA_DTYPE_WORDS(word, id) {word, TMA_DTYPE_##id},
#include "tma/enums.def"
    };
    const tma_enum_row *row = tma_enum_row_of(TMA_ENUM_DTYPE, dtype);
    int has_two = 0;
    *is_store = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const int same_type = words[i].dtype == dtype && tma_dtype_bits(dtype) % 8 != 0;
        has_two |= same_type;
        *is_store |= same_type && is_word(word, words[i].word);
    }
    return has_two && (*is_store || (row && is_word(word, row->ptx_name)));
}

bool tma_plan_named_right(tma_finding *out, const tma_plan *plan, const char *word) {
    int is_store = 0;
    if (!plan || !word || !names_direction(word, plan->dtype, &is_store) ||
        is_store == !tma_is_load(plan->op)) {
        return true;
    }
    tma_judge j = {.out = out, .capacity = out != NULL};
    j.sm = plan->sm;
    j.driver = TMA_VALUE(SEEN_DRIVER);
    tma_report(&j, TMA_RULE_PACKED_NAME, AT(TMA_ARG_OPERATION, -1, plan->op),
               BAD(TMA_MUST_BE, TMA_UNIT_NONE, plan->op, is_store ? TMA_OP_STORE : TMA_OP_LOAD));
    return false;
}
