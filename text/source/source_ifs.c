/* SPDX-License-Identifier: Apache-2.0
 *
 * What #if leaves open: which of its parts a name has its value of.
 */
#include "source_ifs.h"

#include "paste_parts.h"
#include "tma/detail/chars.h"

static void end_part(source_scope *scope, size_t first) {
    const char *text = scope->text.text;
    const size_t kept = scope->count > SOURCE_BINDINGS ? scope->count - SOURCE_BINDINGS : 0;
    for (size_t i = first > kept ? first : kept; i < scope->count; i++) {
        source_binding *b = &scope->of[i % SOURCE_BINDINGS];
        size_t number = 0;
        if (!b->is_gone && source_last(scope, text + b->name, b->length, text + b->owner,
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
