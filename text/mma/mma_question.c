/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of a map and an MMA, out of words: mma_options.def.
 */
#include <string.h>

#include "tma/detail/chars.h"
#include "tma/grammar.h"
#include "tma/limits.def"
#include "tma/mma_text.h"

/* Where shared memory begins for a kernel that has none but dynamic: behind the system's KiB. */
#define USUAL_AT    1024
#define USUAL_SHAPE "m64n128k16"

static const char *const names[TMA_MMA_OPTIONS] = {
#define MMA_OPTION(id, name, ...) name,
#include "tma/mma_options.def"
};

const char *tma_mma_option_name(size_t option) {
    return option < TMA_MMA_OPTIONS ? names[option] : NULL;
}

static const char *type_name(size_t index) {
    const tma_mma_type *type = tma_mma_type_at((uint32_t)index);
    return type ? type->name : NULL;
}

static int is_given(const tma_mma_question *q, tma_mma_option option) {
    return (int)(q->given >> option & 1);
}

/* The digits behind a letter; *at goes behind them. */
static int side(uint32_t *out, const char **at, char letter) {
    const char *from = *at + 1;
    size_t length = 0;
    if (**at != letter) {
        return -1;
    }
    while (text_is_digit(from[length])) {
        length++;
    }
    *at = from + length;
    tma_error ignored;
    return length && !tma_read_u32(out, from, length, TMA_VALUE(MMA_SIDE), "a side", &ignored) &&
                   *out
               ? 0
               : -1;
}

/* Numbers with commas, as the sizes of a tensor. */
static int is_list(const char *text) {
    int commas = 0;
    for (; *text; text++) {
        commas += *text == ',';
        if (*text != ',' && (*text < '0' || *text > '9')) {
            return 0;
        }
    }
    return commas > 0;
}

static int set_shape(tma_mma_question *q, const char *text, tma_error *error) {
    uint32_t m = 0, n = 0, k = 0;
    const char *at = text;
    if (side(&m, &at, 'm') || side(&n, &at, 'n') || side(&k, &at, 'k') || *at) {
        return tma_fail(error, "--shape is '%.40s', must be mMnNkK, as %s, each 1 to %u%s", text,
                        USUAL_SHAPE, (unsigned)TMA_VALUE(MMA_SIDE),
                        is_list(text)
                            ? ", the shape of an MMA; the sizes of a map are --dim, innermost first"
                            : "");
    }
    q->m_el = m;
    q->n_el = n;
    q->k_el = k;
    return 0;
}

static int set_operand(tma_mma_question *q, const char *text, tma_error *error) {
    if ((text[0] != 'A' && text[0] != 'B') || text[1]) {
        return tma_fail(error, "--operand is '%.40s', must be A or B", text);
    }
    q->operand.matrix = text[0] == 'B' ? TMA_MMA_B : TMA_MMA_A;
    return 0;
}

static int set_major(tma_mma_question *q, const char *text, tma_error *error) {
    const char *rest = text[0] == 'M' && text[1] == 'N' ? text + 1 : text;
    if ((rest[0] != 'K' && rest[0] != 'M' && rest[0] != 'N') || rest[1]) {
        return tma_fail(error, "--major is '%.40s', must be K, or MN, M, N", text);
    }
    q->operand.major = rest[0] == 'K' ? TMA_MMA_K_MAJOR : TMA_MMA_MN_MAJOR;
    return 0;
}

static int set_number(uint32_t *out, const char *what, const char *text, size_t length,
                      uint32_t most, tma_error *error) {
    return tma_read_u32(out, text, length, most, what, error);
}

/* 0 is what the question holds where nobody asked: said, it would be answered as the usual value.
 */
static int set_count(uint32_t *out, const char *what, const char *text, uint32_t most,
                     tma_error *error) {
    uint32_t count = 0;
    if (set_number(&count, what, text, text_length(text), most, error)) {
        return -1;
    }
    if (!count) {
        return tma_fail(error, "%s is 0, must be at least 1", what);
    }
    *out = count;
    return 0;
}

/* A list of so many numbers; *at goes behind the comma. */
static int set_next(uint32_t *out, const char *what, const char **at, int is_last,
                    tma_error *error) {
    const char *from = *at;
    const size_t length = is_last ? text_length(from) : text_until(from, text_length(from), ',');
    *at = from + length + (from[length] == ',');
    return set_number(out, what, from, length, TMA_VALUE(MMA_REACH), error);
}

static size_t commas(const char *text) {
    size_t count = 0;
    for (; *text; text++) {
        count += *text == ',';
    }
    return count;
}

static int set_from(tma_mma_question *q, const char *text, tma_error *error) {
    const char *at = text;
    if (commas(text) != 1) {
        return tma_fail(error, "--from is '%.40s', must be two numbers, as 64,16", text);
    }
    return set_next(&q->mn0, "--from", &at, 0, error) || set_next(&q->k0, "--from", &at, 1, error)
               ? -1
               : 0;
}

/* One more copy of the tile. */
static int set_copy(tma_mma_question *q, const char *text, tma_error *error) {
    const char *at = text;
    tma_mma_placed placed = {0};
    if (commas(text) != 2) {
        return tma_fail(error,
                        "--copy is '%.40s', must be a shared address and the m or n and k of the "
                        "copy's first element, as 0x4400,0,64",
                        text);
    }
    if (q->tile.placed_count >= TMA_MMA_PLACED) {
        return tma_fail(error, "--copy: a tile has at most %u", TMA_MMA_PLACED);
    }
    if (set_next(&placed.shared_address, "--copy", &at, 0, error) ||
        set_next(&placed.mn, "--copy", &at, 0, error) ||
        set_next(&placed.k, "--copy", &at, 1, error)) {
        return -1;
    }
    q->placed[q->tile.placed_count++] = placed;
    return 0;
}

static const char *reading_name(size_t i) {
    return tma_mma_reading_at(i) ? tma_mma_reading_at(i)->name : NULL;
}

/* One question each, as often as there are any. */
int tma_read_mma_reading(uint32_t *readings, const char *text, const char *what, tma_error *error) {
    const size_t equals = text_until(text, text_length(text), '=');
    char name[64] = "";
    size_t reading = 0;
    if (!text[equals] || equals >= sizeof(name)) {
        return tma_fail(error, "%s '%.80s' is no NAME=VALUE: see tma list mma-readings", what,
                        text);
    }
    memcpy(name, text, equals);
    if (tma_read_name(&reading, name, what, reading_name, error)) {
        return -1;
    }
    for (uint32_t i = 0; tma_mma_reads_at(reading, i); i++) {
        if (text_same(tma_mma_reads_at(reading, i)->name, text + equals + 1)) {
            const uint32_t shift = (uint32_t)reading * TMA_READING_BITS;
            const uint32_t mask = ((1u << TMA_READING_BITS) - 1) << shift;
            *readings = (*readings & ~mask) | i << shift;
            return 0;
        }
    }
    return tma_fail(error, "%s %s='%.40s': one of %s, %s", what, name, text + equals + 1,
                    tma_mma_reads_at(reading, 0)->name, tma_mma_reads_at(reading, 1)->name);
}

static int set_type(tma_mma_question *q, const char *text, tma_error *error) {
    size_t index = 0;
    if (tma_read_name(&index, text, "element type of an MMA", type_name, error)) {
        return -1;
    }
    q->operand.type = (uint32_t)index;
    return 0;
}

static int set_tile(tma_mma_question *q, tma_mma_option option, const char *text,
                    tma_error *error) {
    const size_t length = text_length(text);
    switch (option) {
    case TMA_MMA_OPTION_AT:
        return set_number(&q->tile.shared_address, "--at", text, length, TMA_VALUE(MMA_REACH) - 1,
                          error);
    case TMA_MMA_OPTION_STEP:
        return set_count(&q->tile.copy_step_B, "--step", text, TMA_VALUE(MMA_REACH) - 1, error);
    case TMA_MMA_OPTION_COPIES:
        return set_count(&q->tile.copies, "--copies", text, TMA_VALUE(MMA_SIDE), error);
    default:
        return set_number(&q->tile.panel_dims, "--panels", text, length, TMA_MAX_RANK - 1, error);
    }
}

static int set(tma_mma_question *q, tma_mma_option option, const char *text, tma_error *error) {
    switch (option) {
    case TMA_MMA_OPTION_DESC:
        return tma_read_u64(&q->desc, text, text_length(text), "--desc", error);
    case TMA_MMA_OPTION_ZERO_MASK:
        return tma_read_u64(&q->desc, text, text_length(text), "--zero-mask", error);
    case TMA_MMA_OPTION_OPERAND:
        return set_operand(q, text, error);
    case TMA_MMA_OPTION_MAJOR:
        return set_major(q, text, error);
    case TMA_MMA_OPTION_SHAPE:
        return set_shape(q, text, error);
    case TMA_MMA_OPTION_TYPE:
        return set_type(q, text, error);
    case TMA_MMA_OPTION_FROM:
        return set_from(q, text, error);
    case TMA_MMA_OPTION_COPY:
        return set_copy(q, text, error);
    case TMA_MMA_OPTION_READING:
        return tma_read_mma_reading(&q->operand.readings, text, "--mma-reading", error);
    default:
        return set_tile(q, option, text, error);
    }
}

int tma_mma_words_set(tma_mma_question *q, tma_mma_option option, const char *value,
                      tma_error *error) {
    if ((uint32_t)option >= TMA_MMA_OPTIONS) {
        return tma_fail(error, "option %u is none of an MMA", (unsigned)option);
    }
    if (set(q, option, value, error)) {
        return -1;
    }
    q->given |= 1u << option;
    return 0;
}

static int settle_family(tma_mma_question *q, const tma_target *target, tma_error *error) {
    const int is_wgmma = !target || target->sm == 90;
    if (!is_wgmma && (target->sm < 100 || target->sm >= 120 || !target->suffix)) {
        return tma_fail(error,
                        "--arch: wgmma is of sm_90a, tcgen05 of sm_100a, sm_100f and its family");
    }
    q->family = is_wgmma ? TMA_MMA_WGMMA : TMA_MMA_TCGEN05;
    q->sm = target ? target->sm : 0;
    return 0;
}

/* Of no map, and of tcgen05 alone. */
static int settle_zero_mask(tma_mma_question *q, const tma_spec *spec, const tma_target *target,
                            tma_error *error) {
    const uint32_t alone =
        1u << TMA_MMA_OPTION_ZERO_MASK | 1u << TMA_MMA_OPTION_SHAPE | 1u << TMA_MMA_OPTION_READING;
    if (spec || q->given & ~alone) {
        return tma_fail(error, "--zero-mask goes with --shape and --mma-reading alone");
    }
    if (target && q->family == TMA_MMA_WGMMA) {
        return tma_fail(error, "--arch: a zero-column mask is of tcgen05.mma.ws, of sm_100a, "
                               "sm_100f and its family");
    }
    q->family = TMA_MMA_TCGEN05;
    if ((q->m_el != 32 && q->m_el != 64 && q->m_el != 128) || q->n_el % (128 / q->m_el)) {
        return tma_fail(error, "--shape: tcgen05.mma.ws has m 32, 64 or 128, and its mask a part "
                               "for each 128 / m of the n columns");
    }
    return 0;
}

static int settle_tile(tma_mma_question *q, const tma_spec *spec, tma_error *error) {
    for (uint32_t i = TMA_MMA_OPTION_AT; i <= TMA_MMA_OPTION_FROM && !spec; i++) {
        if (is_given(q, (tma_mma_option)i)) {
            return tma_fail(error, "--%s is about the copies of a map: none was given", names[i]);
        }
    }
    for (uint32_t i = TMA_MMA_OPTION_AT; i <= TMA_MMA_OPTION_STEP; i++) {
        if (is_given(q, (tma_mma_option)i) && is_given(q, TMA_MMA_OPTION_COPY)) {
            return tma_fail(error, "--%s: each --copy says where it lies", names[i]);
        }
    }
    if (!is_given(q, TMA_MMA_OPTION_AT)) {
        q->tile.shared_address = USUAL_AT;
    }
    if (q->tile.placed_count) {
        q->tile.shared_address = q->placed[0].shared_address;
        q->tile.placed = q->placed;
    }
    return 0;
}

int tma_mma_words_finish(tma_mma_question *q, const tma_spec *spec, const tma_target *target,
                         tma_error *error) {
    if (settle_family(q, target, error)) {
        return -1;
    }
    if (settle_tile(q, spec, error)) {
        return -1;
    }
    if (spec && !is_given(q, TMA_MMA_OPTION_TYPE) &&
        tma_mma_type_for(&q->operand.type, spec->dtype) != TMA_OK) {
        const tma_enum_row *dtype = tma_enum_row_of(TMA_ENUM_DTYPE, spec->dtype);
        return tma_fail(error,
                        "no MMA takes %s; if the elements are others of as many bits, --type names "
                        "them",
                        dtype ? dtype->name : "the map's element type");
    }
    if (!is_given(q, TMA_MMA_OPTION_SHAPE)) {
        if (set_shape(q, USUAL_SHAPE, error)) {
            return -1;
        }
        const tma_mma_type *type = tma_mma_type_at(q->operand.type);
        if (!type) {
            return tma_fail(error, "type %u is none of an MMA", (unsigned)q->operand.type);
        }
        q->k_el = type->k_el;
    }
    q->operand.mn_el = q->operand.matrix == TMA_MMA_B ? q->n_el : q->m_el;
    q->operand.k_el = q->k_el;
    return is_given(q, TMA_MMA_OPTION_ZERO_MASK) ? settle_zero_mask(q, spec, target, error) : 0;
}

bool tma_mma_is_alone(const tma_mma_question *q) {
    return is_given(q, TMA_MMA_OPTION_DESC) || is_given(q, TMA_MMA_OPTION_ZERO_MASK);
}

static void put_value(tma_out *out, const tma_mma_question *q, tma_mma_option option) {
    switch (option) {
    case TMA_MMA_OPTION_DESC:
    case TMA_MMA_OPTION_ZERO_MASK:
        tma_putf(out, "0x%016" TMA_X64, q->desc);
        break;
    case TMA_MMA_OPTION_OPERAND:
        tma_put(out, q->operand.matrix == TMA_MMA_B ? "B" : "A");
        break;
    case TMA_MMA_OPTION_MAJOR:
        tma_put(out, q->operand.major == TMA_MMA_K_MAJOR ? "K" : "MN");
        break;
    case TMA_MMA_OPTION_SHAPE:
        tma_putf(out, "m%un%uk%u", (unsigned)q->m_el, (unsigned)q->n_el, (unsigned)q->k_el);
        break;
    case TMA_MMA_OPTION_TYPE:
        tma_put(out, type_name(q->operand.type) ? type_name(q->operand.type) : "?");
        break;
    case TMA_MMA_OPTION_AT:
        tma_putf(out, "0x%x", (unsigned)q->tile.shared_address);
        break;
    case TMA_MMA_OPTION_COPIES:
        tma_putf(out, "%u", (unsigned)q->tile.copies);
        break;
    case TMA_MMA_OPTION_STEP:
        tma_putf(out, "%u", (unsigned)q->tile.copy_step_B);
        break;
    case TMA_MMA_OPTION_PANELS:
        tma_putf(out, "%u", (unsigned)q->tile.panel_dims);
        break;
    default:
        tma_putf(out, "%u,%u", (unsigned)q->mn0, (unsigned)q->k0);
        break;
    }
}

static void put_many(tma_out *out, const tma_mma_question *q) {
    for (uint32_t i = 0; i < q->tile.placed_count && i < TMA_MMA_PLACED; i++) {
        const tma_mma_placed *p = &q->placed[i];
        tma_putf(out, " --%s 0x%x,%u,%u", names[TMA_MMA_OPTION_COPY], (unsigned)p->shared_address,
                 (unsigned)p->mn, (unsigned)p->k);
    }
    for (size_t i = 0; tma_mma_reading_at(i); i++) {
        const uint32_t value = q->operand.readings >> i * TMA_READING_BITS & 3;
        if (value && tma_mma_reads_at(i, value)) {
            tma_putf(out, " --%s %s=%s", names[TMA_MMA_OPTION_READING], tma_mma_reading_at(i)->name,
                     tma_mma_reads_at(i, value)->name);
        }
    }
}

void tma_put_mma_options(tma_out *out, const tma_mma_question *q) {
    for (uint32_t i = 0; i < TMA_MMA_OPTIONS; i++) {
        if (is_given(q, (tma_mma_option)i) && i != TMA_MMA_OPTION_READING &&
            i != TMA_MMA_OPTION_COPY) {
            tma_putf(out, " --%s ", names[i]);
            put_value(out, q, (tma_mma_option)i);
        }
    }
    put_many(out, q);
}
