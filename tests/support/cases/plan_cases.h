/* SPDX-License-Identifier: Apache-2.0
 *
 * For every rule of traps.def: an instruction, a map and operands just inside its limit and just
 * outside, and the finding that the one outside must give. The table is plan_cases.def.
 */
#ifndef TESTS_PLAN_CASES_H
#define TESTS_PLAN_CASES_H

#include <stddef.h>
#include <tma/copy.h>
#include <tma/map.h>

/* All that one copy depends on. */
struct plan_ask {
    tma_spec spec;
    tma_target target;
    tma_instruction in;
    tma_position at;
    tma_override_operands over;
    uint32_t map_word; /* this word of the encoded map is put together anew: */
    uint32_t map_clear;
    uint32_t map_set;
    uint64_t range_B;    /* global memory given, from the map's address on */
    uint32_t read_only;  /* the global memory is for loads alone */
    uint32_t one_window; /* for a multicast load too */
    uint32_t ctas;       /* of the cluster of a multicast load; 0: 16 */
    uint32_t window_B;   /* shared memory given, from the shared address on */
};

/* One member of a plan_ask set to a value. */
struct plan_edit {
    uint16_t at;
    uint16_t size;
    uint64_t value;
};

#define PLAN_EDITS 6

enum plan_base {
    PLAN_TILE,   /* 2-D float16, 8 x 4 in a tensor of 64 x 4, load, sm_90 */
    PLAN_CONV,   /* 4-D im2col float16, load, sm_90 */
    PLAN_WIDE,   /* the same with a swizzle, im2col::w, sm_100a */
    PLAN_GATHER, /* PLAN_TILE with one row, gather4, sm_100a */
    PLAN_U4,     /* 2-D 16U4_ALIGN8B, load, sm_100a */
    PLAN_U4_PADDED,
    PLAN_NEWEST,  /* PLAN_TILE on sm_107a, which has what PTX 9.4 brought */
    PLAN_SCATTER, /* PLAN_GATHER stored by scatter4 on sm_107a */
    PLAN_ALONG_W, /* 9 pixels of PLAN_WIDE stored on sm_107a: a row of the tensor */
    PLAN_U6,
    PLAN_BASES
};

struct plan_case {
    tma_rule_id rule;
    enum plan_base base;
    struct plan_edit setup[PLAN_EDITS];
    struct plan_edit inside[PLAN_EDITS];
    struct plan_edit outside[PLAN_EDITS];
    tma_status status;
    int index;
    uint64_t given;
    uint64_t value;
    uint64_t limit;
    int line; /* of plan_cases.def */
};

extern const struct plan_case plan_cases[];
extern const size_t plan_case_count;

struct plan_ask plan_base_make(enum plan_base base);
void plan_edit_make(const struct plan_edit *edits, struct plan_ask *ask);

/* The 128 bytes. */
tma_status plan_ask_map(const struct plan_ask *ask, tma_map *map);

/* Encodes, plans, judges the position and, with static memory, copies: the first answer that is
 * not TMA_OK, or TMA_OK. */
tma_status plan_ask_run(const struct plan_ask *ask, tma_finding *why);

/* tma_plan_notes() of a copy that runs. */
size_t plan_ask_notes(const struct plan_ask *ask, tma_finding *out, size_t capacity);

#endif
