/* SPDX-License-Identifier: Apache-2.0
 *
 * Qualifiers by name: ptx_words.def and the core's tables of modes, reductions and fields.
 */
#ifndef TMA_PTX_WORDS_H
#define TMA_PTX_WORDS_H

#include "ptx_internal.h"

typedef enum ptx_group {
    PTX_RANK,
    PTX_SPACE,
    PTX_MODE,
    PTX_COMPLETION,
    PTX_LEVEL,
    PTX_MULTICAST,
    PTX_CTA_GROUP,
    PTX_REPORT,
    PTX_FLAG,
    PTX_TILE,
    PTX_SIZE,
    PTX_TYPE,
    PTX_PROXY,
    PTX_ORDER,
    PTX_SCOPE,
    PTX_SYNC,
    PTX_ALIGNED,
    PTX_TENSORMAP,
    PTX_REDUCTION,
    PTX_FIELD,
    PTX_ALLOC,
    PTX_GROUPS
} ptx_group;

enum { COMPLETION_BARRIER = 1, COMPLETION_GROUP = 2 };

typedef struct ptx_meaning {
    ptx_group group;
    uint32_t value;
} ptx_meaning;

/* What a word means to a kind of statement; 0 if nothing. */
int ptx_meaning_of(uint32_t kind, ptx_word word, ptx_meaning *meaning);

#endif
