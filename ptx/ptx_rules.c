/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of ptx_rules.def.
 */
#include "ptx_rules.h"

#include <string.h>

static const ptx_rule_row rows[PTX_RULES] = {
#define PTX_RULE(id, name, certain, statement, advice, source)                                     \
    {name, certain, statement, advice, source},
#include "ptx_rules.def"
#undef PTX_RULE
};

const ptx_rule_row *ptx_rule_at(size_t rule) {
    return rule < PTX_RULES ? &rows[rule] : NULL;
}

const ptx_rule_row *ptx_rule_find(const char *name) {
    for (size_t i = 0; i < PTX_RULES; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}
