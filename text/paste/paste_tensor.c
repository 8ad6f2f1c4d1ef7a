/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects among a call's arguments: a tensor, which brings type, sizes and strides, and Gluon's
 * layout, which brings the swizzle.
 */
#include <string.h>

#include "paste_call.h"
#include "source_parts.h"
#include "tma/detail/chars.h"

/* Where the object begins that stands before a method's dot; `at` if there is none. */
static size_t receiver_of(const source_text *s, size_t at) {
    size_t depth = 0;
    size_t from = at && s->text[at - 1] == '.' ? at - 1 : at;
    while (from && from < at) {
        const char c = s->text[from - 1];
        depth += c == ')' || c == ']';
        if (!depth && !text_is_word(c) && c != '.') {
            break;
        }
        depth -= (c == '(' || c == '[') && depth;
        from--;
    }
    return from;
}

void call_read_tensor(call_reading *r, size_t from, size_t to) {
    source_tensor tensor;
    const int has_sizes = (r->row->flags & (CALL_TENSOR | CALL_NOTE)) != 0;
    if (has_sizes) {
        r->span[PASTE_DIM].from = from;
        r->span[PASTE_DIM].to = to;
    }
    if (!source_read_tensor(&r->reader, from, to, &tensor)) {
        return;
    }
    if (tensor.type.count) {
        call_keep(r, PASTE_DTYPE, &tensor.type);
    }
    if (has_sizes && tensor.shape.count) {
        call_keep(r, PASTE_DIM, &tensor.shape);
    }
    if (has_sizes && tensor.shape.count && tensor.stride_el.count) {
        r->span[PASTE_STRIDE] = r->span[PASTE_DIM];
        call_keep(r, PASTE_STRIDE, &tensor.stride_el);
    }
}

void call_read_receiver(call_reading *r, size_t name) {
    const size_t from = receiver_of(&r->text, name);
    if (from < name) {
        call_read_tensor(r, from, name - 1);
    }
}

/* Bytes of a span as the swizzle that has them and no atom. */
static int span_to_swizzle(source_value *v) {
    for (uint32_t i = TMA_SWIZZLE_NONE; i <= TMA_SWIZZLE_128B; i++) {
        if (tma_swizzle_span_B(i) == v->item[0]) {
            v->item[0] = i;
            return 1;
        }
    }
    return 0;
}

int call_read_layout(call_reading *r, size_t from, source_value *swizzle) {
    source_reader inner = r->reader;
    source_item item = {.from = from};
    source_token t = source_next(&r->text, from);
    const source_token sign = source_next(&r->text, t.behind);
    if (t.kind == SOURCE_WORD && !source_is(&sign, '(') && !source_is(&sign, '.') &&
        source_expression_of(&r->reader, t.at, t.length, &inner, &item) != SOURCE_FOUND) {
        return 0;
    }
    const source_text *s = inner.text;
    for (t = source_next(s, item.from); t.kind == SOURCE_WORD || source_is(&t, '.');
         t = source_next(s, t.behind)) {
        const source_token open = source_next(s, t.behind);
        size_t at = open.behind;
        if (!source_is_word(s, &t, "NVMMASharedLayout") || !source_is(&open, '(')) {
            continue;
        }
        for (; source_next_item(s, at, &item); at = item.behind) {
            const source_token word = source_next(s, item.from);
            const source_token is = source_next(s, word.behind);
            const int is_named = source_is_word(s, &word, "swizzle_byte_width");
            const int is_first = at == open.behind && !source_is(&is, '=');
            if ((is_named || is_first) &&
                source_read(&inner, is_named ? is.behind : item.from, item.to, swizzle)) {
                return !swizzle->is_list && swizzle->known && span_to_swizzle(swizzle);
            }
            if (item.is_last) {
                break;
            }
        }
        return 0;
    }
    return 0;
}

void call_read_tile(call_reading *r, size_t from, size_t to) {
    source_value v;
    const paste_value *so_far = &r->block.value[PASTE_BOX];
    source_value list = {.is_list = 1, .count = so_far->count, .known = so_far->known};
    const int is_read = source_read(&r->reader, from, to, &v);
    memcpy(list.item, so_far->item, sizeof(list.item));
    source_append(&list, &v, is_read && source_is_number(&v));
    if (list.count > 2 && list.known != (1u << list.count) - 1) { /* a type, a rank, the sizes */
        list.known = 0;
    }
    list = is_read && v.is_list ? v : list;
    r->span[PASTE_BOX].from = so_far->count ? r->span[PASTE_BOX].from : from;
    r->span[PASTE_BOX].to = to;
    call_keep(r, PASTE_BOX, &list);
}
