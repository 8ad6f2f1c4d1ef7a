/* SPDX-License-Identifier: Apache-2.0
 *
 * For every rule of rules.def: specs just inside and just outside its limit, and the finding that
 * the one outside must give. The table is rule_cases.def.
 */
#ifndef TESTS_RULE_CASES_H
#define TESTS_RULE_CASES_H

#include <tma/check.h>

/* One argument set to a value. TMA_ARG_ARCH: the index is the suffix. */
struct rule_edit {
    tma_argument argument;
    int index;
    uint64_t value;
};

#define RULE_EDITS 6

/* The specs that the cases start from: each accepted, with nothing to say about it. */
enum rule_base {
    BASE_TILE,       /* 2-D float16, no swizzle, for sm_90 like those without another target */
    BASE_CUBE,       /* 5-D float32 */
    BASE_SLICES_16B, /* 3-D float16, interleaved */
    BASE_SLICES_32B,
    BASE_CONV_3D, /* im2col float16 */
    BASE_CONV_4D,
    BASE_CONV_5D,
    BASE_CONV_SLICES, /* 4-D im2col, interleaved 16B */
    BASE_WIDE,        /* 4-D wide, sm_100a */
    BASE_U4,          /* 3-D 16U4_ALIGN8B, sm_100a */
    BASE_U4_PADDED,   /* 3-D 16U4_ALIGN16B, sm_100a */
    BASE_U6,          /* 3-D 16U6_ALIGN16B, sm_100a */
    BASES
};

struct rule_case {
    tma_rule_id rule;
    enum rule_base base;
    struct rule_edit setup[RULE_EDITS];
    struct rule_edit inside[RULE_EDITS];
    struct rule_edit outside[RULE_EDITS];
    tma_finding finding; /* rule, severity and standing are not filled in here */
    int line;            /* of rule_cases.def */
};

extern const struct rule_case rule_cases[];
extern const size_t rule_case_count;

void rule_base_make(enum rule_base base, tma_spec *spec, tma_target *target);
void rule_edit_make(const struct rule_edit *edits, tma_spec *spec, tma_target *target);

/* Sets one argument of a spec or target; 0 if there is no such thing. */
int rule_argument_set(tma_argument argument, int index, uint64_t value, tma_spec *spec,
                      tma_target *target);

#endif
