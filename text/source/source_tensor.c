/* SPDX-License-Identifier: Apache-2.0
 *
 * What source text says of a tensor: type, sizes and strides of the one that a name stands for,
 * made by a function (torch.empty((4, 8), dtype=torch.float16).cuda()) or set member by member
 * (tensor.shape = sizes). Sizes are outermost first, strides in elements.
 */
#include <string.h>

#include "source_parts.h"
#include "tma/detail/chars.h"
#include "tma/spec.h"
#include "tma/synonyms.h"

/* What a function makes of its arguments: MAKE_SIZES(4, 8) or ((4, 8)), MAKE_RANGE(32), MAKE_LIST
 * (0, 10, (4, 8)), MAKE_LIKE(tensor), MAKE_SAME(tensor). */
enum { MAKE_NONE, MAKE_SIZES, MAKE_RANGE, MAKE_LIST, MAKE_LIKE, MAKE_SAME };

static const struct maker {
    const char *word;
    uint8_t makes;
} makers[] = {
    {"empty", MAKE_SIZES},
    {"zeros", MAKE_SIZES},
    {"ones", MAKE_SIZES},
    {"rand", MAKE_SIZES},
    {"randn", MAKE_SIZES},
    {"full", MAKE_LIST},
    {"randint", MAKE_LIST},
    {"normal", MAKE_LIST},
    {"arange", MAKE_RANGE},
    {"empty_like", MAKE_LIKE},
    {"zeros_like", MAKE_LIKE},
    {"ones_like", MAKE_LIKE},
    {"rand_like", MAKE_LIKE},
    {"randn_like", MAKE_LIKE},
    {"from_dlpack", MAKE_SAME},
    {"from_any_interface", MAKE_SAME},
    {"StridedMemoryView", MAKE_SAME},
};

/* Methods that give the same sizes: of another type (its name), or of the same one (""). */
static const struct method {
    const char *word;
    const char *type;
} methods[] = {{"half", "float16"},    {"bfloat16", "bfloat16"},
               {"float", "float32"},   {"double", "float64"},
               {"cuda", ""},           {"contiguous", ""},
               {"clone", ""},          {"detach", ""},
               {"requires_grad_", ""}, {"uniform_", ""},
               {"normal_", ""},        {"to", ""},
               {"type", ""},           {"astype", ""}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint8_t maker_of(const source_text *s, const source_token *t) {
    for (size_t i = 0; i < COUNT(makers); i++) {
        if (source_is_word(s, t, makers[i].word)) {
            return makers[i].makes;
        }
    }
    return MAKE_NONE;
}

static int set_type(source_tensor *out, const char *name, size_t length) {
    const tma_enum_row *row = tma_enum_synonym(TMA_ENUM_DTYPE, name, length);
    if (!row || row->driver < 0) {
        return 0;
    }
    source_set_number(&out->type, (uint64_t)row->driver);
    return 1;
}

/* A type among arguments: its last word. */
static int read_type(source_reader *r, size_t from, size_t to, source_tensor *out) {
    source_value v;
    if (!source_read(r, from, to, &v) || !v.word_length) {
        return 0;
    }
    return set_type(out, r->text->text + v.word, v.word_length);
}

/* The sizes one after the other in memory. */
static void pack(source_tensor *out) {
    const source_value *shape = &out->shape;
    uint64_t extent = 1;
    int is_known = 1;
    memset(&out->stride_el, 0, sizeof(out->stride_el));
    out->stride_el.is_list = 1;
    out->stride_el.count = shape->count;
    for (size_t i = shape->count; i-- > 0;) {
        out->stride_el.item[i] = is_known ? extent : 0;
        out->stride_el.known = (uint8_t)(out->stride_el.known | (unsigned)is_known << i);
        is_known = is_known && shape->known >> i & 1;
        extent *= is_known ? shape->item[i] : 1;
    }
}

/* Sizes that are being read: numbers one after the other, or one list. */
typedef struct sizes {
    size_t numbers;
    int has_list;
    int makes;
} sizes;

/* "dtype=torch.float16", "size=(4, 8)"; 0 if the argument has no name. */
static int read_named_item(source_reader *r, const source_item *item, sizes *n,
                           source_tensor *out) {
    const source_token word = source_next(r->text, item->from);
    const source_token sign = source_next(r->text, word.behind);
    source_value v;
    if (word.kind != SOURCE_WORD || !source_is(&sign, '=')) {
        return 0;
    }
    const int is_size =
        source_is_word(r->text, &word, "size") || source_is_word(r->text, &word, "shape");
    if (source_is_word(r->text, &word, "dtype")) {
        read_type(r, sign.behind, item->to, out);
    } else if (is_size && source_read(r, sign.behind, item->to, &v) && v.is_list) {
        out->shape = v;
        n->has_list = 1;
    }
    return 1;
}

static void read_item(source_reader *r, const source_item *item, sizes *n, source_tensor *out) {
    source_value v = {.count = 0};
    const source_token first = source_next(r->text, item->from);
    if (source_is(&first, '*')) { /* a list of sizes, of any length */
        out->shape = v;
        n->has_list = 1;
        return;
    }
    if (item->is_empty || read_named_item(r, item, n, out) ||
        ((n->numbers || n->has_list) && read_type(r, item->from, item->to, out)) || n->has_list) {
        return;
    }
    const int is_read = source_read(r, item->from, item->to, &v);
    if (is_read && v.is_list) {
        out->shape = v;
        n->has_list = 1;
    } else if (n->makes != MAKE_LIST) {
        n->numbers++;
        source_append(&out->shape, &v, is_read && source_is_number(&v));
    }
}

/* Sizes in a maker's arguments; what is no number and no list is a size where others stand beside
 * it, and may be a list where it is alone. */
static void read_sizes(source_reader *r, size_t at, int makes, source_tensor *out) {
    source_item item = {.is_last = 0};
    sizes n = {.makes = makes};
    for (; !item.is_last && source_next_item(r->text, at, &item); at = item.behind) {
        read_item(r, &item, &n, out);
    }
    const int is_one = n.numbers == 1 && out->shape.known == 1;
    const int is_row = makes == MAKE_RANGE ? is_one && !n.has_list : is_one || n.numbers > 1;
    if (!n.has_list && !is_row) {
        memset(&out->shape, 0, sizeof(out->shape));
    }
    pack(out);
}

/* NOLINTBEGIN(misc-no-recursion) */
static int read_at(source_reader *r, size_t from, size_t to, source_tensor *out);

static int read_maker(source_reader *r, size_t inside, int makes, source_tensor *out) {
    source_item item;
    if (makes != MAKE_LIKE && makes != MAKE_SAME) {
        read_sizes(r, inside, makes, out);
        return 1;
    }
    if (!source_next_item(r->text, inside, &item) || !read_at(r, item.from, item.to, out)) {
        return 0;
    }
    if (makes == MAKE_LIKE && !item.is_last) {
        source_tensor other = {.type = {.count = 0}};
        read_sizes(r, item.behind, MAKE_LIST, &other);
        out->type = other.type.count ? other.type : out->type;
        pack(out);
    }
    return 1;
}

/* ".to("cuda", torch.float16)", ".to(dtype=torch.float16)": a type is any of the arguments. */
static void read_types(source_reader *r, size_t at, source_tensor *out) {
    source_item item = {.is_last = 0};
    for (; !item.is_last && source_next_item(r->text, at, &item); at = item.behind) {
        const source_token word = source_next(r->text, item.from);
        const source_token sign = source_next(r->text, word.behind);
        if (!item.is_empty) {
            read_type(r, source_is(&sign, '=') ? sign.behind : item.from, item.to, out);
        }
    }
}

/* ".reshape(4, 8)", ".view(4, 8)": the sizes, of which one may be -1; all others of the same type.
 */
static int read_reshape(source_reader *r, const source_token *name, size_t inside,
                        source_tensor *out) {
    if (!source_is_word(r->text, name, "reshape") && !source_is_word(r->text, name, "view")) {
        return 0;
    }
    memset(&out->shape, 0, sizeof(out->shape));
    read_sizes(r, inside, MAKE_SIZES, out);
    for (size_t i = 0; i < out->shape.count; i++) {
        const int is_rest = out->shape.item[i] >> 63 != 0;
        out->shape.known = (uint8_t)(out->shape.known & ~((unsigned)is_rest << i));
    }
    pack(out);
    return 1;
}

/* ".cuda()", ".to(torch.float16)" behind a tensor, up to `to` or where the statement ends. */
static int read_methods(source_reader *r, size_t at, size_t to, source_tensor *out) {
    for (;;) {
        const source_token dot = source_next(r->text, at);
        const source_token name = source_next(r->text, dot.behind);
        const source_token open = source_next(r->text, name.behind);
        size_t i = 0;
        if (to ? dot.at >= to : !source_is(&dot, '.') && !source_is(&dot, '[')) {
            return 1;
        }
        while (i < COUNT(methods) && !source_is_word(r->text, &name, methods[i].word)) {
            i++;
        }
        const int is_call = source_is(&dot, '.') && source_is(&open, '(');
        if (!is_call || (i == COUNT(methods) && !read_reshape(r, &name, open.behind, out))) {
            return 0;
        }
        if (i < COUNT(methods) && !set_type(out, methods[i].type, text_length(methods[i].type))) {
            read_types(r, open.behind, out);
        }
        at = source_close(r->text, open.behind);
        if (!at) {
            return 0;
        }
    }
}

/* What a name stands for. */
static int read_named(source_reader *r, const source_token *name, source_tensor *out) {
    source_reader inner;
    source_item item;
    if (r->depth > SOURCE_DEEPEST ||
        source_expression_of(r, name->at, name->length, &inner, &item) != SOURCE_FOUND) {
        return 0;
    }
    return read_at(&inner, item.from, item.to, out);
}

static int read_at(source_reader *r, size_t from, size_t to, source_tensor *out) {
    const source_text *s = r->text;
    source_token t = source_next(s, from);
    for (; source_is(&t, '&') || source_is(&t, '*'); t = source_next(s, t.behind)) {
    }
    if (t.kind != SOURCE_WORD || !*r->work) {
        return 0;
    }
    --*r->work;
    const source_token first = t;
    for (;;) { /* torch.empty(, StridedMemoryView.from_any_interface( */
        const source_token sign = source_next(s, t.behind);
        const source_token word = source_next(s, sign.behind);
        const int makes = source_is(&sign, '(') ? maker_of(s, &t) : MAKE_NONE;
        if (makes) {
            const size_t behind = source_close(s, sign.behind);
            return behind && read_maker(r, sign.behind, makes, out) &&
                   read_methods(r, behind, to, out);
        }
        if (!source_is(&sign, '.') || word.kind != SOURCE_WORD) {
            break;
        }
        t = word;
    }
    return read_named(r, &first, out) && read_methods(r, first.behind, to, out);
}

/* NOLINTEND(misc-no-recursion) */

/* ---- DLPack's DLTensor ---- */

/* Whether the member's owner is the tensor, or its dtype. */
static int is_of_tensor(const source_text *s, const source_binding *b, const char *name,
                        size_t length) {
    const size_t dot = b->owner;
    return dot > length && s->text[dot - 1] == '.' &&
           text_equal(s->text + dot - 1 - length, name, length) &&
           !(dot - 1 > length && text_is_word(s->text[dot - 2 - length]));
}

/* Where the value begins that "tensor.member = " or "tensor.dtype.member = " gives it; 0 if none
 * certainly does. */
static size_t member_at(source_reader *r, const source_token *tensor, const char *member,
                        int is_type, source_reader *inner) {
    const char *name = r->text->text + tensor->at;
    const char *owner = is_type ? "dtype" : name;
    const source_binding *b = NULL;
    size_t number = r->before;
    *inner = *r;
    do {
        b = source_last(r->scope, member, text_length(member), owner, is_type ? 5 : tensor->length,
                        number, &number);
    } while (b && is_type && !is_of_tensor(&r->scope->text, b, name, tensor->length));
    inner->text = &r->scope->text;
    inner->before = number;
    inner->depth = r->depth + 1;
    return b && b->made == SOURCE_WHOLE ? b->value : 0;
}

static int read_member(source_reader *r, const source_token *tensor, const char *member,
                       int is_type, source_value *out) {
    source_reader inner;
    const size_t at = member_at(r, tensor, member, is_type, &inner);
    return at && source_read(&inner, at, 0, out);
}

/* kDLFloat and 16: float16. Lanes are 1 where they are not said. */
static void read_dl_type(source_reader *r, const source_token *tensor, source_tensor *out) {
    static const struct {
        const char *code;
        uint64_t bits;
        uint32_t dtype;
    } rows[] = {{"kDLFloat", 16, TMA_DTYPE_FLOAT16}, {"kDLFloat", 32, TMA_DTYPE_FLOAT32},
                {"kDLFloat", 64, TMA_DTYPE_FLOAT64}, {"kDLBfloat", 16, TMA_DTYPE_BFLOAT16},
                {"kDLInt", 32, TMA_DTYPE_INT32},     {"kDLInt", 64, TMA_DTYPE_INT64},
                {"kDLUInt", 8, TMA_DTYPE_UINT8},     {"kDLUInt", 16, TMA_DTYPE_UINT16},
                {"kDLUInt", 32, TMA_DTYPE_UINT32},   {"kDLUInt", 64, TMA_DTYPE_UINT64}};
    source_reader inner;
    source_value bits;
    source_value lanes = {.item = {1}, .known = 1};
    source_token t = {0};
    size_t at = member_at(r, tensor, "code", 1, &inner);
    const int has_lanes = member_at(r, tensor, "lanes", 1, &inner) != 0;
    if (!at || !read_member(r, tensor, "bits", 1, &bits) || !source_is_number(&bits) ||
        (has_lanes && !read_member(r, tensor, "lanes", 1, &lanes)) || lanes.item[0] != 1) {
        return;
    }
    do { /* static_cast<uint8_t>(kDLInt) */
        t = source_next(r->text, at);
        at = t.behind;
        for (size_t i = 0; i < COUNT(rows); i++) {
            if (source_is_word(r->text, &t, rows[i].code) && bits.item[0] == rows[i].bits) {
                source_set_number(&out->type, rows[i].dtype);
            }
        }
    } while (t.kind != SOURCE_END && !source_is(&t, ';') && !out->type.count);
}

static int read_members(source_reader *r, size_t from, source_tensor *out) {
    const source_token name = source_next(r->text, from);
    source_value v;
    if (name.kind != SOURCE_WORD || !r->scope || r->text->is_indented ||
        !read_member(r, &name, "shape", 0, &v) || !v.is_list) {
        return 0;
    }
    out->shape = v;
    if (read_member(r, &name, "ndim", 0, &v) && source_is_number(&v) &&
        v.item[0] < out->shape.count) {
        out->shape.count = (uint8_t)v.item[0];
        out->shape.known = (uint8_t)(out->shape.known & ((1u << v.item[0]) - 1));
    }
    if (read_member(r, &name, "strides", 0, &v) && v.is_list) {
        out->stride_el = v;
    }
    read_dl_type(r, &name, out);
    return 1;
}

int source_read_tensor(source_reader *r, size_t from, size_t to, source_tensor *out) {
    memset(out, 0, sizeof(*out));
    if (read_members(r, from, out)) {
        return 1;
    }
    const int is_read = read_at(r, from, to, out);
    memset(out, 0, is_read ? 0 : sizeof(*out)); /* cut, or turned */
    return is_read;
}
