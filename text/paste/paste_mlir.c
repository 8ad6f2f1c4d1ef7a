/* SPDX-License-Identifier: Apache-2.0
 *
 * MLIR's descriptors, which are operations and types and no calls:
 *   %d = nvgpu.tma.create.descriptor %m box[%c128, %c64] : memref<*xf16> -> !type
 *   !type = !nvgpu.tensormap.descriptor<tensor = memref<128x64xf16, 3>, swizzle = swizzle_128b,
 * ...> Sizes stand in the type of what %m was cast from, the outermost first.
 */
#include <string.h>

#include "paste_call.h"
#include "source_parts.h"
#include "tma/detail/chars.h"
#include "tma/spec.h"
#include "tma/synonyms.h"

/* "memref<128x64xf16, strided<[64, 1]>>": the outermost first. */
typedef struct shaped {
    source_value size;
    source_value stride_el; /* count 0: one row behind the other */
    const char *from;       /* its words */
    const char *to;
    const char *type;
    size_t type_length;
    int is_mapped; /* by a layout that is not read */
} shaped;

static paste_cursor cursor_at(const call_reading *r, size_t at) {
    return (paste_cursor){r->text.text + at, r->text.size - at};
}

static size_t place_of(const call_reading *r, const paste_cursor *c) {
    return (size_t)(c->at - r->text.text);
}

static char over_blanks(paste_cursor *c) {
    while (c->left && (*c->at == '\n' || *c->at == '\r' || paste_is_blank(*c->at))) {
        paste_skip(c, 1);
    }
    return paste_peek(c);
}

static int over(paste_cursor *c, char sign) {
    if (over_blanks(c) != sign) {
        return 0;
    }
    paste_skip(c, 1);
    over_blanks(c);
    return 1;
}

/* "%name", "!name": its length without what stands behind a # or a colon. */
static size_t name_length(const paste_cursor *c, char sigil) {
    size_t n = 1;
    while (paste_peek(c) == sigil && n < c->left && text_is_word(c->at[n])) {
        n++;
    }
    return n > 1 ? n : 0;
}

/* Behind the last "name = " before byte `before`; 0 if there is none. */
static int find_definition(call_reading *r, paste_cursor name, size_t length, size_t before,
                           paste_cursor *out) {
    size_t *work_B = r->reader.scope->work_B;
    if (*work_B < before) {
        return 0;
    }
    *work_B -= before;
    for (size_t at = before; at-- > 0;) {
        if (r->text.text[at] != *name.at || at + length >= before ||
            !text_equal(r->text.text + at, name.at, length) ||
            text_is_word(r->text.text[at + length])) {
            continue;
        }
        *out = cursor_at(r, at + length);
        if (over(out, '=')) {
            return 1;
        }
    }
    return 0;
}

/* Digits, which an x or a type may follow. */
static int read_digits(paste_cursor *c, source_value *v) {
    uint64_t number = 0;
    size_t digits = 0;
    for (; text_is_digit(paste_peek(c)); paste_skip(c, 1), digits++) {
        const uint64_t digit = (uint64_t)(*c->at - '0');
        if (number > (UINT64_MAX - digit) / 10) {
            return 0;
        }
        number = 10 * number + digit;
    }
    source_set_number(v, number);
    return digits > 0;
}

/* "[64, 1]"; what is no number is not known. */
static int read_strides(paste_cursor *c, source_value *out) {
    out->is_list = 1;
    while (c->left && paste_peek(c) != ']') {
        source_value v = {.count = 0};
        const int is_known = read_digits(c, &v);
        source_append(out, &v, is_known);
        while (!is_known && c->left && *c->at != ',' && *c->at != ']') {
            paste_skip(c, 1);
        }
        over(c, ',');
    }
    return c->left > 0;
}

/* Behind the bracket that closes what is open. */
static int close_angle(paste_cursor *c) {
    for (size_t depth = 1; c->left; paste_skip(c, 1)) {
        depth += *c->at == '<';
        depth -= *c->at == '>' && c->at[-1] != '-';
        if (!depth) {
            paste_skip(c, 1);
            return 1;
        }
    }
    return 0;
}

static int read_memref(paste_cursor *c, shaped *out) {
    memset(out, 0, sizeof(*out));
    if (!paste_begins(c, "memref<")) {
        return 0;
    }
    out->from = c->at;
    paste_skip(c, 7);
    out->size.is_list = 1;
    while (text_is_digit(paste_peek(c)) || paste_peek(c) == '?') {
        source_value v = {.count = 0};
        const int is_known = read_digits(c, &v);
        paste_skip(c, !is_known);
        source_append(&out->size, &v, is_known);
        if (paste_peek(c) != 'x') {
            return 0;
        }
        paste_skip(c, 1);
    }
    out->type = c->at;
    out->type_length = paste_word(c);
    paste_skip(c, out->type_length);
    if (over(c, ',') && paste_begins(c, "strided<[")) {
        paste_skip(c, 9);
        read_strides(c, &out->stride_el);
        if (!close_angle(c)) { /* an offset stands there, too */
            return 0;
        }
    } else {
        out->is_mapped =
            paste_begins(c, "affine_map<") || (paste_peek(c) == '#' && !paste_begins(c, "#gpu."));
    }
    const int ok = out->type_length && out->size.count && close_angle(c);
    out->to = c->at;
    return ok;
}

/* A memref, or the alias of one. */
static int read_shaped(call_reading *r, paste_cursor *c, shaped *out) {
    paste_cursor type = *c;
    const size_t alias = name_length(c, '!');
    if (!alias) {
        return read_memref(c, out);
    }
    paste_skip(c, alias);
    return find_definition(r, type, alias, place_of(r, &type), &type) && read_memref(&type, out);
}

static source_value innermost_first(const source_value *v) {
    source_value out = {.is_list = 1};
    for (size_t i = v->count; i-- > 0;) {
        const source_value item = {.item = {v->item[i]}, .count = 1, .known = 1};
        source_append(&out, &item, v->known >> i & 1);
    }
    return out;
}

/* Integers without a sign are of more than one of the driver's types: they are not read. */
static uint32_t keep_type(call_reading *r, const shaped *m) {
    source_value v = {.count = 0};
    const tma_enum_row *row =
        *m->type == 'i' ? NULL : tma_enum_synonym(TMA_ENUM_DTYPE, m->type, m->type_length);
    r->span[PASTE_DTYPE].from = (size_t)(m->type - r->text.text);
    r->span[PASTE_DTYPE].to = r->span[PASTE_DTYPE].from + m->type_length;
    if (!row || row->driver < 0) {
        r->block.has |= UINT32_C(1) << PASTE_DTYPE;
        r->unread |= UINT32_C(1) << PASTE_DTYPE;
        return 0;
    }
    source_set_number(&v, (uint64_t)row->driver);
    call_keep(r, PASTE_DTYPE, &v);
    return tma_dtype_bits((uint32_t)row->driver);
}

/* Bytes from one row to the next, the innermost first. */
static source_value strides_of(const shaped *m, uint32_t bits) {
    const source_value size = innermost_first(&m->size);
    const source_value given = innermost_first(&m->stride_el);
    source_value out = {.is_list = 1};
    uint64_t extent = bits / 8;
    int is_known = bits >= 8 && !m->is_mapped;
    for (size_t i = 0; i + 1 < size.count; i++) {
        const int is_given = m->stride_el.count == m->size.count;
        const int fits = size.item[i] && extent <= UINT64_MAX / size.item[i];
        extent *= size.item[i];
        is_known = is_known && (is_given || (size.known >> i & 1 && fits));
        const int has_one = is_given ? is_known && given.known >> (i + 1) & 1 : is_known;
        const source_value v = {
            .item = {is_given ? given.item[i + 1] * (bits / 8) : extent}, .count = 1, .known = 1};
        source_append(&out, &v, has_one);
    }
    return out;
}

/* The sizes of what the operand is, or was cast from. */
static void read_tensor(call_reading *r, size_t from, size_t to, const shaped *type) {
    const paste_cursor name = cursor_at(r, from);
    source_value none = {.count = 0};
    paste_cursor c;
    shaped m = *type;
    r->span[PASTE_DIM].from = from;
    r->span[PASTE_DIM].to = to;
    int ok = m.size.count > 0;
    if (!ok && find_definition(r, name, name_length(&name, '%'), from, &c) &&
        paste_begins(&c, "memref.cast")) {
        while (c.left && *c.at != ':' && *c.at != '\n') {
            paste_skip(&c, 1);
        }
        ok = over(&c, ':') && read_shaped(r, &c, &m);
    }
    const source_value size = innermost_first(&m.size);
    call_keep(r, PASTE_DIM, ok ? &size : &none);
    r->unread |= ok ? 0 : UINT32_C(1) << PASTE_DIM;
    if (ok) {
        const source_value strides = strides_of(&m, keep_type(r, &m));
        r->span[PASTE_STRIDE_CUDA] = r->span[PASTE_DIM];
        call_keep(r, PASTE_STRIDE_CUDA, &strides);
    }
}

/* A constant, by its definition; by its name (%c64, %c64_5) where the tile's type says the same. */
static int read_constant(call_reading *r, paste_cursor *c, const source_value *tile,
                         source_value *out) {
    const paste_cursor name = *c;
    const size_t length = name_length(c, '%');
    const size_t place = out->count;
    source_value v = {.count = 0};
    paste_cursor d;
    int ok = 0;
    if (!length) {
        return 0;
    }
    paste_skip(c, length);
    if (find_definition(r, name, length, place_of(r, &name), &d)) {
        const size_t words = paste_begins(&d, "arith.constant ");
        paste_skip(&d, words);
        ok = words && read_digits(&d, &v);
    } else if (length > 2 && name.at[1] == 'c' && place < tile->count) {
        d = (paste_cursor){name.at + 2, length - 2};
        ok = read_digits(&d, &v) && (!d.left || *d.at == '_') && tile->known >> place & 1 &&
             v.item[0] == tile->item[place];
    }
    source_append(out, &v, ok);
    return 1;
}

/* What behind "swizzle =" and its like. */
static void read_property(call_reading *r, const paste_cursor *word, size_t length,
                          paste_cursor *c) {
    static const struct {
        const char *word;
        uint32_t field;
        tma_enum_kind kind;
    } rows[] = {{"swizzle", PASTE_SWIZZLE, TMA_ENUM_SWIZZLE},
                {"l2promo", PASTE_L2, TMA_ENUM_L2},
                {"oob", PASTE_FILL, TMA_ENUM_FILL},
                {"interleave", PASTE_INTERLEAVE, TMA_ENUM_INTERLEAVE}};
    const size_t n = paste_word(c);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        source_value v = {.word = place_of(r, c), .word_length = n};
        const uint32_t field = rows[i].field;
        if (!text_is(word->at, length, rows[i].word)) {
            continue;
        }
        r->span[field].from = place_of(r, c);
        r->span[field].to = place_of(r, c) + n;
        if (!call_enumerator(r, rows[i].kind, &v)) {
            v = (source_value){.count = 0};
            r->unread |= UINT32_C(1) << field;
        }
        call_keep(r, field, &v);
    }
    paste_skip(c, n);
}

/* "tensor = memref<...>, swizzle = none, ...>", of which the bracket was read. */
static int read_type(call_reading *r, paste_cursor *c, shaped *tile) {
    for (;;) {
        const paste_cursor word = *c;
        const size_t n = paste_word(c);
        paste_skip(c, n);
        if (!n || !over(c, '=')) {
            return 0;
        }
        if (!text_is(word.at, n, "tensor")) {
            read_property(r, &word, n, c);
        } else if (!read_shaped(r, c, tile)) {
            return 0;
        }
        if (!over(c, ',')) {
            return over(c, '>') && tile->size.count;
        }
    }
}

/* "<...>", "!nvgpu.tensormap.descriptor<...>", "!alias". */
static int read_result(call_reading *r, paste_cursor *c, shaped *tile) {
    static const char type[] = "!nvgpu.tensormap.descriptor";
    paste_cursor d = *c;
    const size_t alias = name_length(c, '!');
    const int is_whole = paste_begins(c, type) != 0;
    if (is_whole || !alias) {
        paste_skip(c, is_whole ? sizeof(type) - 1 : 0);
        return over(c, '<') && read_type(r, c, tile);
    }
    paste_skip(c, alias);
    if (!find_definition(r, d, alias, place_of(r, &d), &d) || !paste_begins(&d, type)) {
        return 0;
    }
    paste_skip(&d, sizeof(type) - 1);
    return over(&d, '<') && read_type(r, &d, tile);
}

/* "box[%c128, %c64]": behind it; the sizes are read when the type is. */
static int over_box(call_reading *r, paste_cursor *c) {
    if (!paste_begins(c, "box[")) {
        return 0;
    }
    r->span[PASTE_BOX].from = place_of(r, c) + 3;
    while (c->left && *c->at != ']' && *c->at != '>') {
        paste_skip(c, 1);
    }
    r->span[PASTE_BOX].to = place_of(r, c) + 1;
    return over(c, ']');
}

static int read_box(call_reading *r, const shaped *tile) {
    paste_cursor c = cursor_at(r, r->span[PASTE_BOX].from + 1);
    source_value box = {.is_list = 1};
    do {
        over_blanks(&c);
        if (!read_constant(r, &c, &tile->size, &box)) {
            return 0;
        }
    } while (over(&c, ',') && box.count < SOURCE_ITEMS);
    box = innermost_first(&box);
    call_keep(r, PASTE_BOX, &box);
    return box.count == tile->size.count;
}

static int read_creation(call_reading *r, size_t name, paste_cursor *c) {
    static const char before[] = "nvgpu.tma.create.";
    const size_t length = sizeof(before) - 1;
    shaped tile = {.type = NULL};
    shaped source = {.type = NULL};
    if (name < length || !text_equal(r->text.text + name - length, before, length) ||
        over_blanks(c) != '%') {
        return 0;
    }
    const size_t from = place_of(r, c);
    const size_t n = name_length(c, '%');
    paste_skip(c, n);
    while (n && (text_is_digit(paste_peek(c)) || paste_peek(c) == '#')) { /* %m#0 */
        paste_skip(c, 1);
    }
    const size_t to = place_of(r, c);
    over_blanks(c);
    if (!n || !over_box(r, c) || !over(c, ':')) {
        return 0;
    }
    if (paste_begins(c, "memref<*x")) {
        paste_skip(c, 9);
        if (!close_angle(c)) {
            return 0;
        }
    } else if (!read_shaped(r, c, &source)) {
        return 0;
    }
    if (!over(c, '-') || !over(c, '>') || !read_result(r, c, &tile) || !read_box(r, &tile)) {
        return 0;
    }
    keep_type(r, &tile);
    read_tensor(r, from, to, &source);
    return 1;
}

int call_read_mlir(call_reading *r, size_t name, size_t length, size_t *end) {
    paste_cursor c = cursor_at(r, name + length);
    shaped tile = {.type = NULL};
    int ok = 0;
    if (r->row->flags & CALL_OBJECTS) {
        ok = over(&c, '<') && read_type(r, &c, &tile);
        if (ok) {
            const source_value box = innermost_first(&tile.size);
            r->span[PASTE_BOX].from = (size_t)(tile.from - r->text.text);
            r->span[PASTE_BOX].to = (size_t)(tile.to - r->text.text);
            keep_type(r, &tile);
            call_keep(r, PASTE_BOX, &box);
        }
    } else {
        ok = read_creation(r, name, &c);
    }
    *end = place_of(r, &c);
    r->placed += (size_t)ok;
    return ok;
}
