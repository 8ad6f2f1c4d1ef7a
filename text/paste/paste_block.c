/* SPDX-License-Identifier: Apache-2.0
 *
 * From labelled values to a spec.
 */
#include <string.h>

#include "paste_parts.h"

#define DEFAULT_ADDRESS    UINT64_C(0x7f0000000000)
#define LEAST_POINTER      (UINT64_C(1) << 32)
#define HAS(b, field)      ((b)->has >> PASTE_##field & 1)
#define VALUE(b, field)    (&(b)->value[PASTE_##field])
#define SHOWN(out, a)      ((out)->shown |= TMA_PASTE_BIT(TMA_ARG_##a))
#define OWN_FOR_A_BLOCK    3 /* so many own labels, and it was one */
#define OWN_FOR_A_TORN_ONE 2

static uint32_t first_source(uint32_t sources) {
    uint32_t i = 0;
    while (i + 1 < TMA_PASTE_SOURCES && !(sources >> i & 1)) {
        i++;
    }
    return i;
}

/* Sources that print no value as this one is printed; 0: that says nothing. */
static uint32_t excluded_by(const paste_value *value) {
    return !value                  ? 0
           : value->is_item        ? PASTE_CUTE_SOURCES
           : value->bracket == '(' ? UINT32_C(1) << TMA_PASTE_FROM_TILELANG
           : value->bracket == '[' ? UINT32_C(1) << TMA_PASTE_FROM_CUTLASS
                                   : 0;
}

void paste_narrow_sources(paste_block *b, const paste_label *label, const paste_value *value) {
    const uint32_t excluded = excluded_by(value);
    b->labelled &= label->sources;
    b->sources &= label->sources;
    if (!b->sources) { /* a word of those alone that the values' form spoke against */
        b->sources = b->labelled;
    }
    if (b->sources & ~excluded) {
        b->sources &= ~excluded;
    }
}

static uint32_t small(uint64_t number) {
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* The list of strides, and how many entries stand before the driver's. */
static const paste_value *strides_of(const paste_block *b, uint32_t form, size_t *front) {
    const paste_value *v = VALUE(b, STRIDE);
    *front = 0;
    if (HAS(b, STRIDE_CUDA)) {
        return VALUE(b, STRIDE_CUDA);
    }
    if (HAS(b, STRIDE_RAW)) {
        *front = 1;
        return VALUE(b, STRIDE_RAW);
    }
    if (!HAS(b, STRIDE)) {
        return NULL;
    }
    /* With as many strides as sizes the first is the element's size; a fork of Triton prints the
     * whole tensor's size behind them instead. */
    const int is_long = v->count >= VALUE(b, DIM)->count;
    *front = (form & PASTE_FRONT || (v->bracket && v->item[0] < 16)) && is_long ? 1 : 0;
    return v;
}

/* The last entry that is more than what padding is, counted from 1. */
static uint32_t used(const paste_value *v, size_t from, uint64_t padding) {
    uint32_t count = 0;
    for (size_t i = from; i < v->count; i++) {
        count = v->item[i] != padding ? (uint32_t)(i + 1) : count;
    }
    return count;
}

static uint32_t rank_of(const paste_block *b, uint32_t form) {
    const paste_value *dim = VALUE(b, DIM);
    size_t front = 0;
    const paste_value *strides = strides_of(b, form, &front);
    if (b->is_call) {
        return b->rank;
    }
    if (HAS(b, RANK)) {
        return small(VALUE(b, RANK)->item[0]);
    }
    if (dim->count < TMA_MAX_RANK || dim->bracket != '(' || !strides || !front) {
        return dim->count;
    }
    const uint32_t by_stride = used(strides, 1, 0);
    const uint32_t by_size = used(dim, 0, 1);
    const uint32_t rank = by_stride > by_size ? by_stride : by_size;
    return rank ? rank : 1;
}

/* The type, or what is known of it. */
static void type_of(const paste_block *b, uint32_t form, tma_paste *out) {
    size_t front = 0;
    const paste_value *strides = strides_of(b, form, &front);
    const int is_nan =
        !(form & PASTE_UNSIGNED) && HAS(b, FILL) && VALUE(b, FILL)->item[0] == TMA_FILL_NAN;
    if (HAS(b, DTYPE)) {
        out->spec.dtype = small(VALUE(b, DTYPE)->item[0]);
        SHOWN(out, DTYPE);
        return;
    }
    uint64_t size_B = strides && front && strides->known & 1 ? strides->item[0] : UINT64_MAX;
    size_B =
        HAS(b, ELEMENT_B) && VALUE(b, ELEMENT_B)->known ? VALUE(b, ELEMENT_B)->item[0] : size_B;
    out->element_bits = size_B == 0 ? 4 : size_B <= 8 ? (uint32_t)size_B * 8 : 0;
    switch (size_B) {
    case 0:
        out->spec.dtype = TMA_DTYPE_16U4_ALIGN8B;
        return;
    case 2:
        out->spec.dtype = is_nan ? TMA_DTYPE_FLOAT16 : TMA_DTYPE_UINT16;
        return;
    case 4:
        out->spec.dtype = is_nan ? TMA_DTYPE_FLOAT32 : TMA_DTYPE_UINT32;
        return;
    case 8:
        out->spec.dtype = is_nan ? TMA_DTYPE_FLOAT64 : TMA_DTYPE_UINT64;
        return;
    default:
        out->spec.dtype = TMA_DTYPE_UINT8;
        return;
    }
}

/* Where entry i of the driver's arrays stands in the text. */
static size_t place(const paste_block *b, uint32_t form, uint32_t rank, size_t i) {
    if (HAS(b, LAYOUT) && VALUE(b, LAYOUT)->count == rank && VALUE(b, LAYOUT)->item[i] < rank) {
        return (size_t)VALUE(b, LAYOUT)->item[i];
    }
    return form & PASTE_LOGICAL ? rank - 1 - i : i;
}

static int known_at(const paste_value *v, size_t i) {
    return i < v->count && v->known >> i & 1;
}

static void pack_strides(tma_spec *s) {
    uint64_t extent_B = (s->dim_el[0] * tma_dtype_bits(s->dtype) + 7) / 8;
    for (uint32_t i = 1; i < s->rank && i < TMA_MAX_RANK; i++) {
        s->stride_B[i - 1] = extent_B;
        extent_B *= s->dim_el[i];
    }
}

static void set_strides(const paste_block *b, uint32_t form, tma_paste *out) {
    tma_spec *s = &out->spec;
    size_t front = 0;
    const uint32_t rank = s->rank < TMA_MAX_RANK ? s->rank : TMA_MAX_RANK;
    const paste_value *v = strides_of(b, form, &front);
    const uint64_t bits = tma_dtype_bits(s->dtype);
    const int is_sized = out->element_bits || out->shown & TMA_PASTE_BIT(TMA_ARG_DTYPE);
    int all = v != NULL || rank < 2;
    out->known[TMA_ARG_STRIDE] = 0;
    pack_strides(s);
    for (uint32_t i = 1; v && i < rank; i++) {
        const size_t at = form & PASTE_LOGICAL ? place(b, form, rank, i) : i - 1 + front;
        out->known[TMA_ARG_STRIDE] |= (uint8_t)((known_at(v, at) != 0) << (i - 1));
        if (!known_at(v, at)) {
            all = 0;
        } else if (form & PASTE_STRIDE_EL && !b->stride_B) {
            all = all && is_sized;
            s->stride_B[i - 1] = bits < 8 ? v->item[at] * bits / 8 : v->item[at] * (bits / 8);
        } else {
            s->stride_B[i - 1] = v->item[at];
        }
    }
    if (all) {
        SHOWN(out, STRIDE);
    }
}

static void set_arrays(const paste_block *b, uint32_t form, tma_paste *out) {
    tma_spec *s = &out->spec;
    const uint32_t rank = s->rank < TMA_MAX_RANK ? s->rank : TMA_MAX_RANK;
    int dims = 1;
    int boxes = HAS(b, BOX);
    int steps = HAS(b, ES);
    for (uint32_t i = 0; i < rank; i++) {
        const size_t at = place(b, form, rank, i);
        const int has_box = HAS(b, BOX) && known_at(VALUE(b, BOX), at);
        const int has_step = HAS(b, ES) && known_at(VALUE(b, ES), at);
        const int has_dim = known_at(VALUE(b, DIM), at);
        s->box_el[i] = has_box ? small(VALUE(b, BOX)->item[at]) : 1;
        s->element_stride[i] = has_step ? small(VALUE(b, ES)->item[at]) : 1;
        s->dim_el[i] = has_dim ? VALUE(b, DIM)->item[at] : s->box_el[i];
        out->known[TMA_ARG_DIM] |= (uint8_t)(has_dim << i);
        out->known[TMA_ARG_BOX] |= (uint8_t)(has_box << i);
        out->known[TMA_ARG_ELEMENT_STRIDE] |= (uint8_t)(has_step << i);
        dims &= has_dim;
        boxes &= has_box;
        steps &= has_step;
    }
    out->shown |= dims ? TMA_PASTE_BIT(TMA_ARG_DIM) : 0;
    out->shown |= boxes ? TMA_PASTE_BIT(TMA_ARG_BOX) : 0;
    out->shown |= steps ? TMA_PASTE_BIT(TMA_ARG_ELEMENT_STRIDE) : 0;
}

/* Whether all entries are there that the rank asks for. */
static int set_corner(const paste_block *b, paste_field field, uint32_t rank, int32_t *corner_px) {
    int all = b->has >> field & 1;
    for (uint32_t i = 0; i < TMA_MAX_SPATIAL; i++) {
        const int has = (b->has >> field & 1) && i + 2 < rank && known_at(&b->value[field], i);
        corner_px[i] = has ? (int32_t)(uint32_t)b->value[field].item[i] : 0;
        all &= has || i + 2 >= rank;
    }
    return all;
}

static void set_im2col(const paste_block *b, tma_paste *out) {
    tma_spec *s = &out->spec;
    if (s->api == TMA_API_TILED) {
        return;
    }
    s->channels_per_pixel = HAS(b, CHANNELS) ? small(VALUE(b, CHANNELS)->item[0]) : 1;
    s->pixels_per_column = HAS(b, PIXELS) ? small(VALUE(b, PIXELS)->item[0]) : 1;
    const uint32_t rank = s->api == TMA_API_WIDE ? 3 : s->rank; /* a corner is one number */
    const int has_lower = set_corner(b, PASTE_LOWER, rank, s->lower_px);
    const int has_upper = set_corner(b, PASTE_UPPER, rank, s->upper_px);
    s->wide_mode = HAS(b, WIDE_MODE) ? small(VALUE(b, WIDE_MODE)->item[0]) : 0;
    out->shown |= HAS(b, WIDE_MODE) ? TMA_PASTE_BIT(TMA_ARG_WIDE_MODE) : 0;
    out->known[TMA_ARG_LOWER] = VALUE(b, LOWER)->known;
    out->known[TMA_ARG_UPPER] = VALUE(b, UPPER)->known;
    out->shown |= HAS(b, CHANNELS) ? TMA_PASTE_BIT(TMA_ARG_CHANNELS) : 0;
    out->shown |= HAS(b, PIXELS) ? TMA_PASTE_BIT(TMA_ARG_PIXELS) : 0;
    out->shown |= has_lower ? TMA_PASTE_BIT(TMA_ARG_LOWER) : 0;
    out->shown |= has_upper ? TMA_PASTE_BIT(TMA_ARG_UPPER) : 0;
}

/* DeepGEMM's swizzle: bytes, and the bytes of its atom. */
static uint32_t swizzle_in_bytes(const paste_block *b) {
    const uint64_t bytes = VALUE(b, SWIZZLE)->item[0];
    const uint64_t base = HAS(b, SWIZZLE_BASE) ? VALUE(b, SWIZZLE_BASE)->item[0] : 0;
    switch (bytes) {
    case 0:
    case 16:
        return TMA_SWIZZLE_NONE;
    case 32:
        return TMA_SWIZZLE_32B;
    case 64:
        return TMA_SWIZZLE_64B;
    case 128:
        return base == 32 ? TMA_SWIZZLE_128B_ATOM_32B : TMA_SWIZZLE_128B;
    default:
        return small(bytes);
    }
}

static void set_enums(const paste_block *b, uint32_t form, tma_paste *out) {
    tma_spec *s = &out->spec;
    if (HAS(b, INTERLEAVE)) {
        s->interleave = small(VALUE(b, INTERLEAVE)->item[0]);
        SHOWN(out, INTERLEAVE);
    }
    if (HAS(b, SWIZZLE)) {
        s->swizzle =
            form & PASTE_SWIZZLE_B ? swizzle_in_bytes(b) : small(VALUE(b, SWIZZLE)->item[0]);
        SHOWN(out, SWIZZLE);
    }
    if (HAS(b, L2)) {
        s->l2 = small(VALUE(b, L2)->item[0]);
        SHOWN(out, L2);
    }
    if (HAS(b, FILL)) {
        s->fill = small(VALUE(b, FILL)->item[0]);
        SHOWN(out, FILL);
    }
    s->address = DEFAULT_ADDRESS;
    if (HAS(b, ADDRESS) && VALUE(b, ADDRESS)->known & 1) {
        s->address = VALUE(b, ADDRESS)->item[0];
        SHOWN(out, ADDRESS);
    }
    if (HAS(b, MAP_ADDRESS)) {
        out->has_map = 1;
        out->map_address = VALUE(b, MAP_ADDRESS)->item[0];
    }
}

/* Arrays that C++ printed as pointers. */
static int has_pointers(const paste_block *b) {
    const paste_value *dim = VALUE(b, DIM);
    const paste_value *box = VALUE(b, BOX);
    return HAS(b, DIM) && HAS(b, BOX) && dim->count == 1 && box->count == 1 && dim->is_hex &&
           box->is_hex && dim->item[0] >= LEAST_POINTER && box->item[0] >= LEAST_POINTER;
}

/* CUTLASS prints five entries of each array, and the size of the very type: anything else is two
 * blocks' lines in one. */
static int disagrees(const paste_block *b, uint32_t source, const tma_paste *out) {
    const uint32_t bits = tma_dtype_bits(out->spec.dtype);
    size_t front = 0;
    const paste_value *strides = strides_of(b, paste_source_form(source), &front);
    if (source != TMA_PASTE_FROM_CUTLASS || !strides || VALUE(b, DIM)->bracket != '(') {
        return 0;
    }
    if (VALUE(b, DIM)->count == TMA_MAX_RANK && HAS(b, BOX) &&
        (VALUE(b, BOX)->count != TMA_MAX_RANK || strides->count != TMA_MAX_RANK)) {
        return 1;
    }
    return HAS(b, DTYPE) && front && bits && strides->item[0] != bits / 8;
}

static int unreadable(const paste_block *b, uint32_t kind, const char *says, tma_paste *out) {
    if (b->own < (kind == TMA_PASTE_TORN && b->is_torn ? OWN_FOR_A_TORN_ONE : OWN_FOR_A_BLOCK)) {
        return 0;
    }
    if (b->is_torn && b->has && !(b->has & (b->has - 1))) {
        return 0; /* one word, twice */
    }
    out->kind = kind;
    out->says = says;
    return 1;
}

int paste_finish(const paste_block *b, tma_paste *out) {
    const uint32_t source = first_source(b->sources);
    const uint32_t form = paste_source_form(source);
    paste_empty(out, TMA_PASTE_MAP, source, b->line, b->last_line);
    out->code = b->code;
    if (b->is_torn) {
        return unreadable(b, TMA_PASTE_TORN, "lines of several writers got into one another", out);
    }
    if (has_pointers(b)) {
        return unreadable(b, TMA_PASTE_POINTERS,
                          "the arrays are printed as pointers; the generated host source has the "
                          "values",
                          out);
    }
    const int is_im2col = b->is_call ? b->api != TMA_API_TILED : HAS(b, PIXELS) || HAS(b, CHANNELS);
    if (!HAS(b, DIM) || (!HAS(b, BOX) && !is_im2col)) {
        return unreadable(b, TMA_PASTE_TORN, "the sizes or the box are not in the text", out);
    }
    out->spec.api = b->is_call ? b->api : is_im2col ? TMA_API_IM2COL : TMA_API_TILED;
    out->spec.rank = rank_of(b, form);
    out->shown |= HAS(b, RANK) ? TMA_PASTE_BIT(TMA_ARG_RANK) : 0;
    const uint32_t rank = out->spec.rank < TMA_MAX_RANK ? out->spec.rank : TMA_MAX_RANK;
    const int has_few = VALUE(b, DIM)->count < rank || (HAS(b, BOX) && VALUE(b, BOX)->count < rank);
    if (has_few && !b->is_call) {
        return unreadable(b, TMA_PASTE_TORN, "fewer sizes than dimensions are printed", out);
    }
    type_of(b, form, out);
    set_arrays(b, form, out);
    set_strides(b, form, out);
    set_im2col(b, out);
    set_enums(b, form, out);
    paste_always(source, out);
    if (disagrees(b, source, out)) {
        return unreadable(b, TMA_PASTE_TORN, "its lines do not belong together", out);
    }
    return 1;
}

int paste_prints_error_first(const paste_block *b) {
    for (uint32_t i = 0; i < TMA_PASTE_SOURCES; i++) {
        if (b->sources >> i & 1) {
            return (paste_source_form(i) & PASTE_ERROR_FIRST) != 0;
        }
    }
    return 0;
}

int paste_is_finished(const paste_block *b) {
    const uint32_t last = b->sources & (UINT32_C(1) << TMA_PASTE_FROM_TRTLLM)     ? PASTE_SWIZZLE
                          : b->sources & (UINT32_C(1) << TMA_PASTE_FROM_DEEPGEMM) ? PASTE_ELEMENT_B
                          : b->sources & (UINT32_C(1) << TMA_PASTE_FROM_XLA_IR)   ? PASTE_SWIZZLE
                                                                                  : PASTE_FILL;
    return b->has >> PASTE_DIM & 1 && (b->has >> PASTE_BOX & 1 || b->has >> PASTE_PIXELS & 1) &&
           b->has >> last & 1;
}

int paste_is_surer(const paste_block *a, const paste_block *b) {
    return !a->own != !b->own ? a->own > 0 : a->last_line > b->last_line;
}
