/* SPDX-License-Identifier: Apache-2.0
 *
 * What names are bound to, in the order of the text, and what #if leaves open of it.
 */
#include "source_bindings.h"

#include "paste_parts.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

source_binding *source_binding_at(source_scope *scope, size_t number) {
    TMA_ASSERT(number && number <= scope->count && number + SOURCE_BINDINGS > scope->count);
    return &scope->of[(number - 1) % SOURCE_BINDINGS];
}

size_t source_bindings_begin(const source_scope *scope) {
    return scope->count > SOURCE_BINDINGS ? scope->count - SOURCE_BINDINGS : 0;
}

static int is_self(const char *word, size_t length) {
    return text_is(word, length, "self") || text_is(word, length, "Self") ||
           text_is(word, length, "this") || text_is(word, length, "cls");
}

static int is_of(const source_scope *scope, const source_binding *b, const char *name,
                 size_t length, const char *owner, size_t owner_length) {
    const char *text = scope->text.text;
    if (b->is_gone || b->length != length || !text_equal(text + b->name, name, length)) {
        return 0;
    }
    const int same_owner =
        b->owner_length == owner_length && text_equal(text + b->owner, owner, owner_length);
    const int are_selves = (!b->owner_length || is_self(text + b->owner, b->owner_length)) &&
                           is_self(owner, owner_length);
    return same_owner || are_selves;
}

const source_binding *source_last_binding(source_scope *scope, const char *name, size_t length,
                                          const char *owner, size_t owner_length, size_t before,
                                          size_t *number) {
    for (size_t i = before && before - 1 < scope->count ? before - 1 : scope->count;
         i > source_bindings_begin(scope); i--) {
        const source_binding *b = source_binding_at(scope, i);
        if (is_of(scope, b, name, length, owner, owner_length)) {
            *number = i;
            return b;
        }
    }
    return NULL;
}

const source_binding *source_next_binding(source_scope *scope, const source_binding *of,
                                          size_t *number) {
    const char *text = scope->text.text;
    for (size_t i = *number + 1; i <= scope->count; i++) {
        const source_binding *b = source_binding_at(scope, i);
        if (is_of(scope, b, text + of->name, of->length, text + of->owner, of->owner_length)) {
            *number = i;
            return b;
        }
    }
    return NULL;
}

static void end_part(source_scope *scope, size_t first) {
    const char *text = scope->text.text;
    const size_t kept = source_bindings_begin(scope);
    for (size_t i = first > kept ? first : kept; i < scope->count; i++) {
        source_binding *b = source_binding_at(scope, i + 1);
        size_t number = 0;
        if (!b->is_gone && source_last_binding(scope, text + b->name, b->length, text + b->owner,
                                               b->owner_length, first + 1, &number)) {
            b->made = SOURCE_UNSURE;
        }
    }
}

void source_read_ifs(source_scope *scope, source_ifs *ifs, size_t from, size_t to) {
    const char *text = scope->text.text;
    int is_remark = 0;
    for (size_t at = from; at < to && !scope->text.is_indented; at++) {
        is_remark = text[at] != '\n' && (is_remark || text[at] == '/');
        if (text[at] != '#' || is_remark) {
            continue;
        }
        size_t word = at + 1;
        word += text_run(text + word, to - word, paste_is_blank);
        const size_t length = text_run(text + word, to - word, text_is_word);
        const int begins = length > 1 && text_equal(text + word, "if", 2);
        const int ends = text_is(text + word, length, "endif");
        if (begins && ifs->open < SOURCE_IFS) {
            ifs->part[ifs->open++] = scope->count;
        } else if (ifs->open && (ends || (length > 1 && text_equal(text + word, "el", 2)))) {
            end_part(scope, ifs->part[ifs->open - 1]);
            ifs->part[ifs->open - 1] = scope->count;
            ifs->open -= (size_t)ends;
        }
    }
}
