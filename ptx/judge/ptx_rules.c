/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of ptx_rules.def.
 */
#include "ptx_rules.h"
#include "tma/detail/chars.h"

#include <stddef.h>

static const ptx_rule_row rows[PTX_RULES] = {
#define PTX_RULE(id, name, certain, statement, advice, source)                                     \
    {name, certain, statement, advice, source},
#include "ptx_rules.def"
};

const ptx_rule_row *ptx_rule_at(size_t rule) {
    return rule < PTX_RULES ? &rows[rule] : NULL;
}

const ptx_rule_row *ptx_rule_find(const char *name) {
    for (size_t i = 0; i < PTX_RULES; i++) {
        if (!text_compare(rows[i].name, name)) {
            return &rows[i];
        }
    }
    return NULL;
}
