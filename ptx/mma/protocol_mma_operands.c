/* SPDX-License-Identifier: Apache-2.0
 *
 * Which operands an MMA reads from shared memory: by its instruction's words, tcgen05's also by its
 * instruction descriptor.
 */
#include "protocol_mma.h"

static int next_word(tma_ptx_span *rest, tma_ptx_span *word) {
    size_t end = 0;
    while (end < rest->length && rest->at[end] != '.') {
        end++;
    }
    *word = (tma_ptx_span){rest->at, end};
    rest->at += end + (end < rest->length);
    rest->length -= end + (end < rest->length);
    return end != 0;
}

static uint32_t type_named(tma_ptx_span word) {
    for (uint32_t i = 0; i < TMA_MMA_TYPES; i++) {
        if (ptx_is_text(word, tma_mma_type_at(i)->name)) {
            return i;
        }
    }
    return TMA_MMA_TYPES;
}

/* A letter and a number of at most four digits, which are cut off. */
static int take_size(tma_ptx_span *word, const char *letter, uint32_t *number) {
    size_t at = 1;
    if (!ptx_begins(*word, letter)) {
        return 0;
    }
    *number = 0;
    for (; at < word->length && at < 5 && text_is_digit(word->at[at]); at++) {
        *number = 10 * *number + (uint32_t)(word->at[at] - '0');
    }
    word->at += at;
    word->length -= at;
    return at > 1;
}

/* "m64n128k16" */
static int read_shape(tma_ptx_span word, uint32_t *n) {
    uint32_t m = 0;
    uint32_t k = 0;
    return take_size(&word, "m", &m) && take_size(&word, "n", n) && take_size(&word, "k", &k) &&
           m == 64 && *n && *n <= 256;
}

static int number_at(const ptx_protocol *p, const ptx_step *step, const tma_ptx_parts *parts,
                     uint32_t i, uint64_t *number) {
    ptx_first first = {.p = p, .around = PTX_NONE, .variable = PTX_NONE};
    return i < parts->count && i < TMA_PTX_PARTS &&
           ptx_value_first(&first, ptx_value_of_text(p->v, step, parts->operand[i]), number) &&
           !first.by_thread;
}

/* wgmma.mma_async.sync.aligned.SHAPE.D.A.B d, a, b, scale, negations, majors */
static int read_wgmma(ptx_mma_reads q[2], const ptx_protocol *p, const ptx_step *step,
                      const tma_ptx_parts *parts) {
    tma_ptx_span rest = parts->opcode;
    tma_ptx_span word;
    uint32_t n = 0;
    uint32_t types[3] = {TMA_MMA_TYPES, TMA_MMA_TYPES, TMA_MMA_TYPES};
    while (!n && next_word(&rest, &word)) {
        n = read_shape(word, &n) ? n : 0;
    }
    for (int i = 0; i < 3 && n && next_word(&rest, &word); i++) {
        types[i] = type_named(word);
    }
    const int turns = types[1] == TMA_MMA_TYPE_F16 || types[1] == TMA_MMA_TYPE_BF16;
    const int a_shared = parts->count > 2 && parts->operand[1].at[0] != '{';
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t major = 0;
        q[i].family = TMA_MMA_WGMMA;
        q[i].operand = (tma_mma_operand){.matrix = i, .type = types[i + 1], .mn_el = i ? n : 64};
        if (types[i + 1] >= TMA_MMA_TYPES || (!i && !a_shared) ||
            (turns && !number_at(p, step, parts, i ? parts->count - 1 : 6, &major)) || major > 1) {
            continue;
        }
        q[i].operand.major = (uint32_t)major;
        q[i].value = ptx_value_of_text(p->v, step, parts->operand[i + 1]);
    }
    return parts->count > 5;
}

static uint32_t kind_of(const tma_ptx_parts *parts) {
    static const struct {
        const char *word;
        uint32_t kind;
    } kinds[] = {{"kind::f16", TMA_IDESC_KIND_F16},           {"kind::tf32", TMA_IDESC_KIND_TF32},
                 {"kind::f8f6f4", TMA_IDESC_KIND_F8F6F4},     {"kind::i8", TMA_IDESC_KIND_I8},
                 {"kind::mxf8f6f4", TMA_IDESC_KIND_MXF8F6F4}, {"kind::mxf4", TMA_IDESC_KIND_MXF4},
                 {"kind::mxf4nvf4", TMA_IDESC_KIND_MXF4}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (tma_ptx_is(parts, "tcgen05", kinds[i].word)) {
            return kinds[i].kind;
        }
    }
    return TMA_IDESC_KINDS;
}

/* tcgen05.mma.cta_group::1.kind::f16 [d], a, b, idesc, ... */
static int read_tcgen05(ptx_mma_reads q[2], const ptx_protocol *p, const ptx_step *step,
                        const tma_ptx_parts *parts) {
    static const char *const types[] = {"a_type", "b_type"};
    static const char *const majors[] = {"transpose_a", "transpose_b"};
    static const char *const sides[] = {"m", "n"};
    const uint32_t kind = kind_of(parts);
    const uint32_t ctas = tma_ptx_is(parts, "tcgen05", "cta_group::2") ? 2 : 1;
    uint64_t idesc = 0;
    if (kind == TMA_IDESC_KINDS || parts->count < 4 || !number_at(p, step, parts, 3, &idesc)) {
        return 0;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t side = tma_idesc_read((uint32_t)idesc, tma_idesc_field_find(kind, sides[i]));
        const uint32_t type = tma_idesc_type(
            kind, tma_idesc_read((uint32_t)idesc, tma_idesc_field_find(kind, types[i])));
        q[i].family = TMA_MMA_TCGEN05;
        q[i].operand = (tma_mma_operand){
            .matrix = i,
            .type = type,
            .mn_el = side / ctas,
            .major = tma_idesc_read((uint32_t)idesc, tma_idesc_field_find(kind, majors[i]))};
        if (type < TMA_MMA_TYPES && side >= ctas && side <= 256 &&
            parts->operand[i + 1].at[0] != '[') {
            q[i].value = ptx_value_of_text(p->v, step, parts->operand[i + 1]);
        }
    }
    return 1;
}

int ptx_mma_operands(ptx_mma_reads q[2], const ptx_protocol *p, const ptx_step *step) {
    tma_ptx_parts parts;
    q[0].value = q[1].value = PTX_UNKNOWN;
    return !tma_ptx_split(&parts, &p->r->rows.row[step->row].piece) &&
           (tma_ptx_is(&parts, "wgmma", NULL) ? read_wgmma(q, p, step, &parts)
                                              : read_tcgen05(q, p, step, &parts));
}
