/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers and lists of them, as they come from source text.
 */
#include <string.h>

#include "source_parts.h"

source_token source_peek(const source_place *p) {
    return source_next(p->r->text, p->at);
}

void source_set_number(source_value *v, uint64_t number) {
    memset(v, 0, sizeof(*v));
    v->item[0] = number;
    v->count = 1;
    v->known = 1;
}

int source_is_number(const source_value *v) {
    return !v->is_list && v->count == 1 && v->known;
}

void source_append(source_value *list, const source_value *item, int is_known) {
    if (list->count < SOURCE_ITEMS) {
        list->item[list->count] = is_known ? item->item[0] : 0;
        list->known = (uint8_t)(list->known | (unsigned)(is_known != 0) << list->count);
        list->count++;
    }
}
