/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that checks bring.
 */
#include "ptx_own_names.h"

#include <string.h>

#include "ptx_constant.h"
#include "tma/judge_record.h"
#include "tma/ptx_check.h"

#define OWN         "libtma"
#define OWN_CHECKER "checker_tma_check_copy"
#define OWN_SITE    "checker_site_" /* and a number */
#define MOST_DIGITS 9

static int is_word(char c) {
    return text_is_word(c) || c == '$';
}

/* The number of a text that begins as the names do ("libtma_", "libtma12_"); *behind them. 0: it
 * does not. */
static int own_number(const char *text, size_t size, uint32_t *number, size_t *behind) {
    const size_t length = strlen(OWN);
    size_t at = length;
    uint32_t value = 0;
    if (size <= length || memcmp(text, OWN, length) != 0) {
        return 0;
    }
    while (at < size && at < length + MOST_DIGITS && text_is_digit(text[at])) {
        value = 10 * value + (uint32_t)(text[at++] - '0');
    }
    *number = value;
    *behind = at + 1;
    return at < size && text[at] == '_' && (at == length || text[length] != '0');
}

uint32_t ptx_own_number(ptx_memory *memory, const char *text, size_t size) {
    const uint32_t most = (uint32_t)(size / strlen(OWN)) + 1; /* so many names fit */
    uint8_t *has = NULL;
    const char *const end = text + size;
    for (const char *at = text; (at = memchr(at, OWN[0], (size_t)(end - at))) != NULL; at++) {
        uint32_t number = 0;
        size_t behind = 0;
        if (!own_number(at, (size_t)(end - at), &number, &behind) || number > most) {
            continue;
        }
        has = has ? has : ptx_memory_take(memory, (size_t)most + 1, 1);
        if (!has) {
            return PTX_NONE;
        }
        has[number] = 1;
    }
    uint32_t number = 0;
    while (has && has[number]) {
        number++;
    }
    return number;
}

static int is_own(tma_ptx_span name, const char *rest) {
    const size_t length = strlen(rest);
    uint32_t number = 0;
    size_t behind = 0;
    return own_number(name.at, name.length, &number, &behind) && name.length - behind >= length &&
           !memcmp(name.at + behind, rest, length);
}

int ptx_own_are_there(const ptx_rows *rows) {
    for (uint32_t i = 0; i < rows->functions; i++) {
        const ptx_function *f = &rows->function[i];
        if (f->first < f->end && is_own(f->name, OWN_CHECKER)) {
            return 1;
        }
    }
    for (uint32_t i = 0; i < rows->variables; i++) { /* all checks inline: no function */
        const ptx_variable *v = &rows->variable[i];
        if (v->function == PTX_NONE && v->v.values.length && is_own(v->v.name, OWN_SITE)) {
            return 1;
        }
    }
    return 0;
}

static int is_variable(const ptx_rows *rows, const char *name) {
    for (uint32_t i = 0; i < rows->variables; i++) {
        const ptx_variable *v = &rows->variable[i];
        if (v->function == PTX_NONE && ptx_is_text(v->v.name, name)) {
            return 1;
        }
    }
    return 0;
}

static const ptx_function *function_named(const ptx_rows *rows, const char *name) {
    for (uint32_t i = 0; i < rows->functions; i++) {
        if (ptx_is_text(rows->function[i].name, name)) {
            return &rows->function[i];
        }
    }
    return NULL;
}

int ptx_own_has_record(const ptx_rows *rows) {
    return is_variable(rows, TMA_JUDGE_RECORD_VARIABLE) ||
           function_named(rows, TMA_JUDGE_RECORD_VARIABLE) != NULL;
}

/* The inside of the parentheses that a text begins with, behind blanks and comments; *rest is what
 * stands behind them. */
static int parenthesised(tma_ptx_span text, tma_ptx_span *inside, tma_ptx_span *rest) {
    ptx_skip_blanks(&text);
    const char *close = text.length ? memchr(text.at, ')', text.length) : NULL;
    if (!close || text.at[0] != '(') {
        return 0;
    }
    *inside = (tma_ptx_span){text.at + 1, (size_t)(close - text.at) - 1};
    *rest = (tma_ptx_span){close + 1, text.length - inside->length - 2};
    return 1;
}

/* Whether a function returns something: parentheses stand before its name. */
static int has_parentheses(tma_ptx_span before) {
    for (ptx_skip_blanks(&before); before.length; ptx_skip_blanks(&before)) {
        if (before.at[0] == '(') {
            return 1;
        }
        before.at++;
        before.length--;
    }
    return 0;
}

/* Whether what stands between parentheses is parameters of these sizes. */
static int are_parameters(tma_ptx_span list, const uint32_t *size_B, uint32_t count) {
    uint32_t found = 0;
    while (list.length) {
        const char *comma = memchr(list.at, ',', list.length);
        const size_t length = comma ? (size_t)(comma - list.at) : list.length;
        const tma_ptx_piece one = {list.at, length, 0, TMA_PTX_PIECE_DIRECTIVE};
        tma_ptx_variable v;
        size_t from = 0;
        if (found == count || !tma_ptx_variable_of(&v, &from, &one) || v.values.length ||
            v.element_B != size_B[found] || !ptx_is_text(v.space, "param") ||
            memchr(one.at, '[', length)) {
            return 0;
        }
        found++;
        list.at += length + (comma != NULL);
        list.length -= length + (comma != NULL);
    }
    return found == count;
}

ptx_assertion ptx_own_assertion(const ptx_rows *rows, tma_ptx_span *head) {
    static const uint32_t sizes_B[] = {8, 8, 4, 8, 8}; /* message, file, line, function, 1 */
    const ptx_function *f = function_named(rows, TMA_PTX_CHECK_ASSERTION);
    if (!f) {
        return is_variable(rows, TMA_PTX_CHECK_ASSERTION) ? PTX_ASSERTION_OTHER
                                                          : PTX_ASSERTION_FREE;
    }
    const char *const behind = f->name.at + f->name.length;
    const tma_ptx_span after = {behind, (size_t)(f->head.at + f->head.length - behind)};
    const tma_ptx_span before = {f->head.at, (size_t)(f->name.at - f->head.at)};
    tma_ptx_span list;
    tma_ptx_span rest;
    *head = f->head;
    while (head->length &&
           (head->at[head->length - 1] == ';' || head->at[head->length - 1] == '{')) {
        head->length--;
    }
    return !f->is_entry && !has_parentheses(before) && parenthesised(after, &list, &rest) &&
                   are_parameters(list, sizes_B, sizeof(sizes_B) / sizeof(sizes_B[0]))
               ? PTX_ASSERTION_DECLARED
               : PTX_ASSERTION_OTHER;
}

/* --- on the way out --- */

static void put_word(ptx_renamer *r) {
    uint32_t number = 0;
    size_t behind = 0;
    const tma_ptx_span word = {r->word, r->length};
    if (!r->is_long && own_number(r->word, r->length, &number, &behind) && !number &&
        !ptx_is_text(word, TMA_JUDGE_RECORD_VARIABLE)) {
        char text[24];
        tma_out name = tma_out_into(text, sizeof(text));
        tma_putf(&name, OWN "%u_", r->number);
        r->write(r->context, text, name.length);
        r->write(r->context, r->word + behind, r->length - behind);
    } else if (r->length) {
        r->write(r->context, r->word, r->length);
    }
    r->length = 0;
}

void ptx_rename(ptx_renamer *r, const char *text, size_t length) {
    if (!r->number) {
        r->write(r->context, text, length);
        return;
    }
    for (size_t i = 0; i < length; i++) {
        /* labels begin with a $ */
        if (!is_word(text[i]) || (text[i] == '$' && !r->length)) {
            put_word(r);
            r->is_long = 0;
            r->write(r->context, &text[i], 1);
            continue;
        }
        if (r->length == sizeof(r->word)) {
            put_word(r);
            r->is_long = 1;
        }
        r->word[r->length++] = text[i];
    }
}

void ptx_rename_end(ptx_renamer *r) {
    put_word(r);
    r->is_long = 0;
}
