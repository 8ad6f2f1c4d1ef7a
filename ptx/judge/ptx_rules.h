/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma ptx says about a file beyond the rules of traps.def, as a table.
 */
#ifndef PTX_PTX_RULES_H
#define PTX_PTX_RULES_H

#include <stddef.h>

typedef enum ptx_rule {
#define PTX_RULE(id, ...) PTX_RULE_##id,
#include "ptx_rules.def"
    PTX_RULES
} ptx_rule;

typedef struct ptx_rule_row {
    const char *name;
    int certain; /* 0: code that is not in straight line, or the map, decides */
    const char *statement;
    const char *advice;
    const char *source;
} ptx_rule_row;

/* A row; null from PTX_RULES on. By name; null: there is none. */
const ptx_rule_row *ptx_rule_at(size_t rule);
const ptx_rule_row *ptx_rule_find(const char *name);

#endif
