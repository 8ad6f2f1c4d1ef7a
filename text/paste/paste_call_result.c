/* SPDX-License-Identifier: Apache-2.0
 *
 * From a call's arguments to a map, and to the words of what was not read.
 */
#include <string.h>

#include "paste_call.h"
#include "source_parts.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/synonyms.h"

uint32_t call_argument_of(uint32_t field) {
    static const uint8_t arguments[PASTE_FIELDS] = {
        [PASTE_DTYPE] = TMA_ARG_DTYPE,        [PASTE_RANK] = TMA_ARG_RANK,
        [PASTE_ADDRESS] = TMA_ARG_ADDRESS,    [PASTE_DIM] = TMA_ARG_DIM,
        [PASTE_STRIDE] = TMA_ARG_STRIDE,      [PASTE_STRIDE_RAW] = TMA_ARG_STRIDE,
        [PASTE_STRIDE_CUDA] = TMA_ARG_STRIDE, [PASTE_BOX] = TMA_ARG_BOX,
        [PASTE_ES] = TMA_ARG_ELEMENT_STRIDE,  [PASTE_INTERLEAVE] = TMA_ARG_INTERLEAVE,
        [PASTE_SWIZZLE] = TMA_ARG_SWIZZLE,    [PASTE_L2] = TMA_ARG_L2,
        [PASTE_FILL] = TMA_ARG_FILL,          [PASTE_PIXELS] = TMA_ARG_PIXELS,
        [PASTE_CHANNELS] = TMA_ARG_CHANNELS,  [PASTE_LOWER] = TMA_ARG_LOWER,
        [PASTE_UPPER] = TMA_ARG_UPPER,        [PASTE_WIDE_MODE] = TMA_ARG_WIDE_MODE,
        [PASTE_ELEMENT_B] = TMA_ARG_DTYPE};
    return field < PASTE_FIELDS ? arguments[field] : TMA_ARG_NONE;
}

/* Text in one line, as far as there is room; returns the length. */
static size_t put_words(const source_text *s, size_t from, size_t to, char *out, size_t length,
                        size_t room) {
    int was_blank = 1;
    for (size_t at = from; at < to;) {
        char shown = ' ';
        at += s->text[at] == '\n' ? 1 : source_character(s, at, &shown);
        const int is_blank = !shown || shown == ' ';
        if (length + 4 >= room) { /* and the 0 behind it */
            out[length] = out[length + 1] = out[length + 2] = '.';
            return length + 3;
        }
        if (!is_blank || !was_blank) {
            out[length++] = is_blank ? ' ' : shown;
        }
        was_blank = is_blank;
    }
    while (length && out[length - 1] == ' ') {
        length--;
    }
    return length;
}

/* Where a value ends that an assignment gives. */
static size_t end_of_value(const source_text *s, size_t from) {
    const source_token t = source_next(s, from);
    const int opens = source_is(&t, '{') || source_is(&t, '[') || source_is(&t, '(');
    size_t behind = opens ? source_close(s, t.behind) : 0;
    const source_token call = source_next(s, behind);
    const source_token list = source_next(s, call.behind);
    const int is_typed = behind && call.kind == SOURCE_WORD && source_is(&list, '{');
    if (is_typed || (behind && source_is(&call, '('))) { /* [_]u64{1, 2}, (type * n)(values) */
        const size_t close = source_close(s, is_typed ? list.behind : call.behind);
        behind = close ? close : behind;
    }
    size_t to = from;
    while (!behind && to < s->size && s->text[to] != ';' && s->text[to] != '\n') {
        to++;
    }
    return behind ? behind : to;
}

/* The numbers that the words are, behind them, where all of them fit; N for what is no number. */
static void add_numbers(const paste_value *v, tma_paste_quote *quote) {
    char numbers[sizeof(quote->text)];
    size_t length = text_length(quote->text);
    tma_out out = tma_out_into(numbers, sizeof(numbers));
    for (size_t i = 0; i < v->count && v->bracket; i++) {
        tma_put(&out, i ? "," : " = ");
        if (v->known >> i & 1) {
            tma_putf(&out, "%lld", (long long)v->item[i]);
        } else {
            tma_put(&out, "N");
        }
    }
    if (!out.length || out.length >= sizeof(numbers)) { /* none, or more than fit */
        return;
    }
    const size_t most = sizeof(quote->text) - 1 - out.length;
    if (length > most && most > 3) { /* the words give way */
        length = most;
        memcpy(quote->text + length - 3, "...", 3);
    }
    if (length <= most) {
        memcpy(quote->text + length, numbers, out.length + 1);
    }
}

/* What a variable's or a number's value is called, of an enumeration. */
static void add_name(tma_enum_kind kind, const paste_value *v, tma_paste_quote *quote) {
    const tma_enum_row *row = tma_enum_row_of(kind, (uint32_t)v->item[0]);
    const size_t length = text_length(quote->text);
    tma_out out = tma_out_into(quote->text + length, sizeof(quote->text) - length);
    if (row && length + 12 < sizeof(quote->text) &&
        paste_search(quote->text, length, "CU_TENSOR") == length &&
        !tma_enum_synonym(kind, quote->text, length)) {
        tma_putf(&out, " = %s", row->name);
    }
}

/* Where the last word of a.b.c begins, if that is all and too long for a quote; else `from`. */
static size_t last_of_path(const source_text *s, size_t from, size_t to) {
    size_t last = from;
    for (size_t at = from; to - from >= TMA_PASTE_QUOTE && at < to;) {
        const source_token word = source_next(s, at);
        const source_token joint = source_next(s, word.behind);
        const int goes_on = joint.at < to;
        if (word.kind != SOURCE_WORD ||
            (goes_on && !source_is(&joint, '.') && !source_is_pair(&joint, ':', ':'))) {
            return from;
        }
        last = word.at;
        at = goes_on ? joint.behind : to;
    }
    return last;
}

/* The words of an argument; of a name's, what was assigned to it, too. Returns their length. */
static size_t quote_words(const call_reading *r, size_t from, size_t to, char *text, size_t room) {
    from = last_of_path(&r->text, from, to);
    source_token t = source_next(&r->text, from);
    t = source_is(&t, '&') ? source_next(&r->text, t.behind) : t;
    const source_token dot = source_next(&r->text, t.behind);
    const source_token method = source_next(&r->text, dot.behind);
    const int is_name =
        t.kind == SOURCE_WORD && (t.behind >= to || (source_is(&dot, '.') && /* dims.as_ptr() */
                                                     source_is_same_value(&r->text, &method)));
    size_t number = 0;
    const source_binding *b =
        is_name && r->reader.scope
            ? source_last(r->reader.scope, r->text.text + t.at, t.length, "", 0, 0, &number)
            : NULL;
    size_t length = put_words(&r->text, from, to, text, 0, room);
    if (b && b->made == SOURCE_WHOLE && length + 8 < room) {
        memcpy(text + length, " = ", 3);
        length = put_words(&r->reader.scope->text, b->value,
                           end_of_value(&r->reader.scope->text, b->value), text, length + 3, room);
    }
    TMA_ASSERT(length < room);
    text[length] = 0;
    return length;
}

static void quote(const call_reading *r, uint32_t field, tma_paste_quote *out) {
    out->argument = call_argument_of(field);
    quote_words(r, r->span[field].from, r->span[field].to, out->text, sizeof(out->text));
}

/* " = 4096" behind words that are no number, as far as there is room. */
static void add_number(uint64_t number, tma_paste_quote *out) {
    char digits[sizeof("-9223372036854775808")];
    const size_t length = text_length(out->text);
    tma_out to = tma_out_into(digits, sizeof(digits));
    tma_putf(&to, "%lld", (long long)number);
    if (length + 3 + to.length < sizeof(out->text)) {
        memcpy(out->text + length, " = ", 3);
        memcpy(out->text + length + 3, digits, to.length + 1);
    }
}

int call_quote(call_reading *r, const source_item *item, size_t value, tma_paste_quote *out) {
    source_value v;
    const source_token t = source_next(&r->text, value);
    const int is_number = t.kind == SOURCE_NUMBER && t.behind >= item->to;
    const int has_value = source_read(&r->reader, value, item->to, &v);
    if (has_value && v.word_length) { /* an enumerator's name, or a variable's */
        quote_words(r, item->from, item->to, out->text, sizeof(out->text));
        return t.kind != SOURCE_WORD || t.behind < item->to;
    }
    const size_t length =
        put_words(&r->text, item->from, item->to, out->text, 0, sizeof(out->text));
    out->text[length] = 0;
    if (has_value && v.is_list) {
        paste_value list = {.count = v.count, .known = v.known, .bracket = '['};
        memcpy(list.item, v.item, sizeof(list.item));
        if (v.known) {
            add_numbers(&list, out);
        }
    } else if (has_value && v.known && !is_number) {
        add_number(v.item[0], out);
    }
    return has_value && v.known == (1u << v.count) - 1;
}

/* How many dimensions the arrays have that were read. */
static uint32_t dimensions(const paste_block *b) {
    static const uint8_t lists[] = {PASTE_DIM, PASTE_BOX, PASTE_ES};
    for (size_t i = 0; i < sizeof(lists); i++) {
        const paste_value *v = &b->value[lists[i]];
        if (b->has >> lists[i] & 1 && (v->count > 1 || v->known)) { /* {sizes} may be any number */
            return v->count;
        }
    }
    return b->has >> PASTE_STRIDE_CUDA & 1 && b->value[PASTE_STRIDE_CUDA].count
               ? b->value[PASTE_STRIDE_CUDA].count + 1u
               : 0;
}

/* Whether all that a map of the rank has of an argument was read. */
static int has_needed(const call_reading *r, uint32_t field, const tma_paste *p) {
    const uint32_t argument = call_argument_of(field);
    const uint32_t rank = p->spec.rank < TMA_MAX_RANK ? p->spec.rank : TMA_MAX_RANK;
    const int is_corner = field == PASTE_LOWER || field == PASTE_UPPER;
    const int is_wide = is_corner && p->spec.api == TMA_API_WIDE;
    const uint32_t fewer = argument == TMA_ARG_STRIDE ? 1 : is_corner ? 2 : 0;
    const uint32_t count = is_wide ? 1 : rank > fewer ? rank - fewer : 0;
    if (!call_is_list(field)) {
        return !(r->unread >> field & 1);
    }
    return (p->known[argument] & ((1u << count) - 1)) == (1u << count) - 1;
}

/* Whether anything of the map was read beside its enumerators. */
static int has_number(const call_reading *r) {
    static const uint8_t lists[] = {PASTE_DIM,    PASTE_BOX,         PASTE_ES,
                                    PASTE_STRIDE, PASTE_STRIDE_CUDA, PASTE_STRIDE_RAW,
                                    PASTE_RANK,   PASTE_CHANNELS};
    for (size_t i = 0; i < sizeof(lists); i++) {
        if (r->block.has >> lists[i] & 1 && r->block.value[lists[i]].known) {
            return 1;
        }
    }
    return 0;
}

/* A call that is no map yet: its arguments in their own words. */
static int quote_all(call_reading *r, const char *says, tma_paste *out) {
    paste_empty(out, TMA_PASTE_TORN, r->row->source, 0, 0);
    out->says = says;
    for (uint32_t field = 0; field < PASTE_FIELDS; field++) {
        if (r->span[field].to && call_argument_of(field) && out->quotes < TMA_PASTE_QUOTES) {
            const int is_read = r->block.has >> field & 1 && !(r->unread >> field & 1);
            out->unread |= is_read ? 0 : TMA_PASTE_BIT(call_argument_of(field));
            quote(r, field, &out->quote[out->quotes]);
            const paste_value *v = &r->block.value[field];
            tma_enum_kind kind = TMA_ENUM_DTYPE;
            if (is_read && call_enum_of(field, &kind)) {
                add_name(kind, v, &out->quote[out->quotes]);
            } else if (is_read || v->known) {
                add_numbers(v, &out->quote[out->quotes]);
            }
            out->known[call_argument_of(field)] = is_read ? 0 : v->known;
            out->quotes++;
        }
    }
    return 1;
}

/* Triton copies a block in boxes of its own: no size over 256, no row wider than the swizzle's
 * span. (Its getTMABlockShape.) */
static void cut_box(tma_paste *p) {
    enum { MOST_EL = 256 };
    static const uint16_t spans_B[] = {
        [TMA_SWIZZLE_32B] = 32, [TMA_SWIZZLE_64B] = 64, [TMA_SWIZZLE_128B] = 128};
    const uint32_t swizzle = p->spec.swizzle;
    const uint32_t bits = tma_dtype_bits(p->spec.dtype);
    const int has_span = swizzle < sizeof(spans_B) / sizeof(spans_B[0]) && spans_B[swizzle] &&
                         bits && (p->shown & TMA_PASTE_BIT(TMA_ARG_SWIZZLE));
    for (uint32_t i = 0; i < p->spec.rank && i < TMA_MAX_RANK; i++) {
        const uint32_t most = !i && has_span ? spans_B[swizzle] * 8u / bits : MOST_EL;
        if (p->known[TMA_ARG_BOX] >> i & 1 && p->spec.box_el[i] > most) {
            p->spec.box_el[i] = most;
            p->says = "block_shape is copied in boxes: Triton cuts each size to 256, rows to the "
                      "swizzle's span";
        }
    }
}

/* What the call has of a field, where its value is not one. */
static void quote_unread(call_reading *r, tma_paste *out) {
    for (uint32_t field = 0; field < PASTE_FIELDS; field++) {
        const uint32_t argument = call_argument_of(field);
        if (r->block.has >> field & 1 && argument && out->quotes < TMA_PASTE_QUOTES &&
            tma_paste_has(out, argument) && !has_needed(r, field, out)) {
            out->unread |= TMA_PASTE_BIT(argument);
            out->shown &= ~TMA_PASTE_BIT(argument);
            quote(r, field, &out->quote[out->quotes++]);
        }
    }
}

int call_finish(call_reading *r, tma_paste *out) {
    paste_block *b = &r->block;
    const int is_driver = (r->row->flags & CALL_ANY_PREFIX) != 0;
    if (r->is_miscounted) { /* which are which, nobody knows */
        paste_empty(out, TMA_PASTE_TORN, r->row->source, 0, 0);
        out->says = "one argument is missing, or the first one, the type, is not known";
        return 1;
    }
    if (r->is_unread) {
        return quote_all(r, "its numbers are not in the call", out);
    }
    if (r->is_cut) {
        return quote_all(r, "the text ends inside of the call", out);
    }
    if (r->row->flags & CALL_OBJECTS ||
        (r->row->flags & (CALL_NOTE | CALL_TENSOR) && !(b->has >> PASTE_DIM & 1))) {
        return quote_all(r, "the call takes objects: sizes and strides are not among its arguments",
                         out);
    }
    const int is_rank_read = b->has >> PASTE_RANK & 1 && b->value[PASTE_RANK].known;
    const uint32_t rank = is_rank_read ? (uint32_t)b->value[PASTE_RANK].item[0] : dimensions(b);
    const uint32_t needed = UINT32_C(1) << (b->api == TMA_API_TILED ? PASTE_BOX : PASTE_CHANNELS);
    if (!has_number(r) && !r->named && !is_driver) {
        return 0;
    }
    if (!(b->has >> PASTE_DIM & 1) || !(b->has & needed)) {
        return 0;
    }
    if (!is_rank_read && rank && r->span[PASTE_RANK].to) { /* an array may hold more than it */
        return quote_all(r, "how many dimensions it has is not a value in the text", out);
    }
    b->is_call = 1;
    b->rank = rank;
    if (!rank && !is_rank_read) {
        return (is_driver || r->named > 1) &&
               quote_all(r, "none of its sizes is a value in the text", out);
    }
    if (!paste_finish(b, out) || out->kind != TMA_PASTE_MAP) {
        return r->unread &&
               (is_driver ||
                r->row->flags & (CALL_TENSOR | CALL_FLAT | CALL_IN_BRACKETS | CALL_MLIR)) &&
               quote_all(r, "its values are not read whole", out);
    }
    if (r->row->source == TMA_PASTE_FROM_TRITON_OBJECT) {
        cut_box(out);
    }
    quote_unread(r, out);
    return 1;
}
