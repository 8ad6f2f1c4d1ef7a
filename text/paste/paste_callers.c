/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in functions that are called with the map's values, and of encode functions by other names.
 */
#include <string.h>

#include "paste_call.h"
#include "paste_own.h"
#include "tma/detail/chars.h"

#define MOST_CALLERS 16
#define MOST_OPEN_B  2048 /* from an enumerator back to the bracket of its call */

/* ---- functions around the call ---- */

/* Whether the name at the place is a call of the function, and no declaration of it. */
static int is_caller(const source_text *s, const source_function *f, size_t at, size_t *inside) {
    const char *text = s->text;
    const paste_cursor here = {text + at, s->size - at};
    if ((at && text_is_word(text[at - 1])) || paste_word(&here) != f->length ||
        !text_equal(text + at, text + f->name, f->length) || at == f->name) {
        return 0;
    }
    source_token t = source_next(s, at + f->length);
    if (source_is(&t, '<')) {
        const size_t behind = source_template(s, &t);
        t = source_next(s, behind ? behind : t.behind);
    }
    source_item item;
    *inside = t.behind;
    return source_is(&t, '(') && source_next_item(s, t.behind, &item) &&
           !(call_is_declaration(s, &item) && !item.is_empty);
}

/* The n-th call of the function; 0 if there are not so many. */
static size_t find_caller(const source_text *s, const source_function *f, size_t n,
                          size_t *inside) {
    for (size_t at = 0; f->length && at + f->length < s->size; at++) {
        if (s->text[at] == s->text[f->name] && is_caller(s, f, at, inside) && n-- == 0) {
            return at;
        }
    }
    return 0;
}

/* The call once for the n-th call of the function that it stands in. */
static int read_through(call_reading *r, const paste_call_place *place, source_scope *scope,
                        const source_function *f, size_t n, size_t length, tma_paste *out,
                        size_t *caller) {
    source_scope outer;
    size_t inside = 0;
    size_t end = 0;
    *caller = 0;
    if (*place->work_B >= place->size) {
        *place->work_B -= place->size;
        *caller = find_caller(&scope->text, f, n, &inside);
    }
    if (!*caller) {
        return 0;
    }
    source_scope_at(&outer, place->text, place->size, *caller, place->work_B, place->style);
    const source_given given = {&outer, inside, f->name, f->length, f->parameters};
    const call_row *row = r->row;
    call_begin(r, row, place, scope, &given);
    return call_read(r, place->at, length, &end) && call_finish(r, out);
}

/* ---- an encode function by another name ---- */

/* Whether a semicolon is that of "&amp;". */
static int ends_entity(const char *text, size_t at) {
    size_t from = at;
    while (from && at - from < 6 && (text_is_word(text[from - 1]) || text[from - 1] == '#')) {
        from--;
    }
    return from && text[from - 1] == '&';
}

/* Where the name before a bracket ends, and, in *name, begins. */
static size_t name_before(const char *text, size_t bracket, size_t *name) {
    size_t from = bracket;
    while (from && paste_is_blank(text[from - 1])) {
        from--;
    }
    *name = from;
    while (*name && text_is_word(text[*name - 1])) {
        (*name)--;
    }
    return from;
}

/* The name before the bracket around the place; 0 if there is none. */
static size_t open_before(const char *text, size_t at, size_t *name) {
    size_t depth = 0;
    for (size_t i = at; i-- > 0 && at - i < MOST_OPEN_B;) {
        depth += text[i] == ')' || text[i] == ']' || text[i] == '}';
        if (text[i] == '(' || text[i] == '[' || text[i] == '{') {
            if (!depth) {
                const size_t from = name_before(text, i, name);
                return text[i] == '(' ? from : 0;
            }
            depth--;
        }
        if (text[i] == ';' && !ends_entity(text, i)) {
            return 0;
        }
    }
    return 0;
}

/* A function of any name whose arguments stand as those of an encode call do: its enumerators. */
static const call_row *row_by_arguments(call_reading *r, const paste_call_place *place,
                                        size_t length, source_scope *scope) {
    const call_row *row = NULL;
    for (size_t i = 0; (row = call_encoder(i)) != NULL; i++) {
        size_t end = 0;
        call_begin(r, row, place, scope, NULL);
        if (call_read(r, place->at, length, &end) && (r->named >= 3 || r->is_cut)) {
            return row;
        }
    }
    return NULL;
}

/* Whether arguments can follow the name, so that nothing else is read for a mere mention. */
static int may_be_called(const paste_call_place *place, size_t length) {
    paste_cursor c = {place->text + place->at + length, place->size - place->at - length};
    char shown = 0;
    while (c.left && (*c.at == '\n' || paste_is_blank(*c.at))) {
        paste_skip(&c, 1);
    }
    if (!c.left) {
        return 0;
    }
    const source_text s = {.text = place->text, .size = place->size};
    source_character(&s, (size_t)(c.at - place->text), &shown);
    return shown == '(' || shown == '[' || shown == '<' || shown == ')' || shown == '"' ||
           shown == '\'' || shown == '%' || paste_is_letter(shown);
}

/* ---- cases ---- */

/* "case 2 of 2: not CONDITION", "case 1 of 3: (64, 128)": which one it is. */
static void say_cases(const source_cases *cases, tma_paste *out) {
    if (out->quotes == TMA_PASTE_QUOTES) {
        return;
    }
    tma_paste_quote *quote = &out->quote[out->quotes++];
    tma_out words = tma_out_into(quote->text, sizeof(quote->text));
    quote->argument = TMA_ARG_NONE;
    tma_putf(&words, "case %u of %u", (unsigned)(cases->which + 1),
             (unsigned)source_cases_of(cases));
    for (size_t i = 0; i < cases->keys; i++) {
        const int is_not = !cases->key[i].is_loop && cases->key[i].is;
        tma_putf(&words, "%s%s%.*s", i ? "; " : ": ", is_not ? "not " : "",
                 (int)cases->key[i].said_length, cases->key[i].said);
    }
    if (words.length >= sizeof(quote->text)) {
        memcpy(quote->text + sizeof(quote->text) - 4, "...", 3);
    }
    for (size_t i = 0; quote->text[i]; i++) {
        quote->text[i] = quote->text[i] == '\n' ? ' ' : quote->text[i];
    }
}

/* The call in one of the cases that its values depend on. */
static int read_case(call_reading *r, const paste_call_place *place, source_scope *scope,
                     size_t length, source_cases *cases, tma_paste *out) {
    size_t end = 0;
    call_begin(r, r->row, place, scope, NULL);
    r->reader.cases = cases;
    if (!call_read(r, place->at, length, &end) || source_cases_of(cases) <= cases->which ||
        !call_finish(r, out)) {
        return 0;
    }
    if (source_cases_of(cases) > 1) {
        say_cases(cases, out);
    }
    return 1;
}

/* The `nth` call of those that begin at the place: one for each caller of the function around it,
 * or for each case. */
static int read_named(const call_row *row, const paste_call_place *own, size_t length, size_t nth,
                      tma_paste *out, size_t *end, size_t *caller) {
    call_reading r;
    source_scope scope;
    source_cases cases = {.which = nth};
    size_t inside = 0;
    source_scope_at(&scope, own->text, own->size, own->at, own->work_B, own->style);
    call_begin(&r, row, own, &scope, NULL);
    if (!call_read(&r, own->at, length, end)) {
        return 0;
    }
    const source_function *f = r.unread && scope.functions ? &scope.function[0] : NULL;
    if (f && nth < MOST_CALLERS && read_through(&r, own, &scope, f, nth, length, out, caller)) {
        return 1;
    }
    const int may_vary =
        r.unread && !r.is_miscounted && !(f && nth && find_caller(&scope.text, f, 0, &inside));
    if (may_vary && read_case(&r, own, &scope, length, &cases, out)) {
        *caller = source_cases_of(&cases) > 1 ? own->at : 0;
        return !nth || *caller;
    }
    if (nth) {
        return 0;
    }
    call_begin(&r, row, own, &scope, NULL);
    if (!call_read(&r, own->at, length, end)) {
        return 0;
    }
    if (r.is_miscounted && paste_own_call(own, length, out)) {
        out->source = row->source;
        out->says = paste_own_lacks(&r.text, own->at + length, row);
        return 1;
    }
    return call_finish(&r, out);
}

/* ---- a name that an encode function was given ---- */

/* The name for what is mentioned: "NAME = lib.MENTION", "MENTION as NAME". Length 0: none. */
static source_function alias_of(const paste_call_place *place, size_t length) {
    const char *text = place->text;
    const source_text s = {.text = text, .size = place->size};
    const source_token next = source_next(&s, place->at + length);
    const source_token name = source_next(&s, next.behind);
    const size_t behind = place->at + length;
    const size_t rest = text_until(text + behind, place->size - behind, '\n');
    source_function f = {.length = 0};
    if (source_is_word(&s, &next, "as") && name.kind == SOURCE_WORD) {
        f.name = name.at;
        f.length = name.length;
        return f;
    }
    for (size_t at = place->at; at-- > 0 && text[at] != '\n' && text[at] != ';';) {
        if (text[at] == '=') {
            f.length = name_before(text, at, &f.name) - f.name;
            break;
        }
    }
    const int is_last = paste_search(text + behind, rest, "ensorMapEncode") == rest;
    f.length = is_last && !source_is(&next, '(') ? f.length : 0;
    return f;
}

/* Whether enumerators stand there: by these the call is found without the function's name. */
static int has_enumerators(const char *text, size_t from, size_t to) {
    return paste_search(text + from, to - from, "CU_TENSOR_MAP_DATA") < to - from ||
           paste_search(text + from, to - from, "CU_TENSOR_MAP_INTER") < to - from;
}

/* Whose arguments the alias takes: of a function that TVM gives by its name,
 * get_global_func("NAME"), TVM's. Null: what stands there gives no function. */
static const call_row *row_of_alias(const call_row *row, const paste_call_place *place,
                                    size_t length) {
    static const char encode[] = "tensormap_encode_tiled";
    const size_t behind = place->at + length;
    const char quote = behind < place->size ? place->text[behind] : 0;
    const source_text s = {.text = place->text, .size = place->size};
    if (quote != '"' && quote != '\'') {
        return row->flags & CALL_ANY_PREFIX ? row : NULL;
    }
    const source_token close = source_next(&s, behind + 1);
    if (!source_is(&close, ')') || row->api != TMA_API_TILED) {
        return NULL;
    }
    return row->flags & CALL_FLAT ? row : call_row_of(encode, sizeof(encode) - 1);
}

/* The nth call of the alias of what is mentioned at the place. */
static int read_alias(const call_row *row, const paste_call_place *place, size_t length, size_t nth,
                      tma_paste *out, size_t *end, size_t *caller) {
    row = row_of_alias(row, place, length);
    const source_function f = row ? alias_of(place, length) : (source_function){.length = 0};
    const source_text s =
        source_around(place->text, place->size, place->at, SOURCE_OTHERS, place->style);
    paste_call_place own = *place;
    for (size_t n = 0; f.length && *place->work_B >= place->size; n++) {
        size_t inside = 0;
        size_t behind = 0;
        *place->work_B -= place->size;
        own.at = find_caller(&s, &f, n, &inside);
        const size_t close = own.at ? source_close(&s, inside) : 0;
        if (!own.at) {
            return 0;
        }
        if (own.at > place->at && close && !has_enumerators(place->text, inside, close)) {
            size_t which = 0;
            size_t through = 0;
            while (read_named(row, &own, f.length, which++, out, &behind, &through)) {
                if (nth-- == 0) {
                    *end = place->at + length;
                    *caller = own.at;
                    return 1;
                }
                if (!through) {
                    break;
                }
            }
        }
    }
    return 0;
}

int paste_call(const paste_call_place *place, size_t nth, tma_paste *out, size_t *end,
               size_t *caller) {
    const paste_cursor here = {place->text + place->at, place->size - place->at};
    call_reading r;
    source_scope scope;
    paste_call_place own = *place;
    size_t length = call_name_length(&here);
    const call_row *row = call_row_of(here.at, length);
    *caller = 0;
    if (row) {
        return (may_be_called(place, length) && !paste_is_declared(place->text, place->at) &&
                read_named(row, place, length, nth, out, end, caller)) ||
               (row->flags & (CALL_ANY_PREFIX | CALL_FLAT) &&
                read_alias(row, place, length, nth, out, end, caller));
    }
    const size_t behind = open_before(place->text, place->at, &own.at);
    length = behind - (behind ? own.at : 0);
    if (!behind || call_row_of(place->text + own.at, length)) {
        return 0;
    }
    source_scope_at(&scope, place->text, place->size, own.at, place->work_B, place->style);
    row = row_by_arguments(&r, &own, length, &scope);
    return row && read_named(row, &own, length, nth, out, end, caller);
}
