/* SPDX-License-Identifier: Apache-2.0
 *
 * Enumerators among a call's arguments, and what is kept of an argument.
 */
#include <string.h>

#include "paste_call.h"
#include "tma/detail/chars.h"
#include "tma/synonyms.h"

static int take(call_reading *r, tma_enum_kind kind, const tma_enum_row *row, source_value *v) {
    if (!row || row->driver < 0) {
        return 0;
    }
    r->named++;
    r->has_type_name |= kind == TMA_ENUM_DTYPE;
    *v = (source_value){.item = {(uint64_t)row->driver}, .count = 1, .known = 1};
    return 1;
}

int call_enumerator(call_reading *r, tma_enum_kind kind, source_value *v) {
    const paste_cursor word = {r->text.text + v->word, v->word_length};
    const size_t own = paste_search(word.at, word.left, "CU_TENSOR_MAP_");
    const size_t from = own < word.left ? own : 0; /* bindgen's type stands before it */
    return word.left && take(r, kind, tma_enum_synonym(kind, word.at + from, word.left - from), v);
}

int call_getter(call_reading *r, tma_enum_kind kind, size_t from, size_t to, source_value *v) {
    source_token name = source_next(&r->text, from);
    const int is_symbol = source_is(&name, ':'); /* Julia's */
    name = is_symbol ? source_next(&r->text, name.behind) : name;
    if (is_symbol) {
        return name.kind == SOURCE_WORD && name.behind >= to &&
               take(r, kind, tma_enum_synonym(kind, r->text.text + name.at, name.length), v);
    }
    source_token open = source_next(&r->text, name.behind);
    while (name.kind == SOURCE_WORD && (source_is_pair(&open, ':', ':') || source_is(&open, '.'))) {
        name = source_next(&r->text, open.behind);
        open = source_next(&r->text, name.behind);
    }
    const source_token close = source_next(&r->text, open.behind);
    const char *word = r->text.text + name.at;
    if (name.kind != SOURCE_WORD || !source_is(&open, '(') || !source_is(&close, ')') ||
        close.behind > to) {
        return 0;
    }
    for (size_t i = 1; i < name.length; i++) {
        if (word[i - 1] == '_' &&
            take(r, kind, tma_enum_synonym(kind, word + i, name.length - i), v)) {
            return 1;
        }
    }
    return 0;
}

void call_keep_part(call_reading *r, uint32_t field, const source_value *v, int is_whole) {
    paste_value *to = &r->block.value[field];
    memset(to, 0, sizeof(*to));
    memcpy(to->item, v->item, sizeof(to->item));
    to->count = v->count;
    to->known = v->known;
    to->bracket = v->is_list ? '[' : 0;
    r->block.has |= UINT32_C(1) << field;
    r->unread |= is_whole ? 0 : UINT32_C(1) << field;
}

void call_keep(call_reading *r, uint32_t field, const source_value *v) {
    call_keep_part(r, field, v, v->known == (1u << v->count) - 1);
}
