/* SPDX-License-Identifier: Apache-2.0
 *
 * Qualifiers by name.
 */
#include "ptx_words.h"

#include "tma/detail/chars.h"

#define IN(kind) PTX_IN(TMA_PTX_##kind)
#define COPIES   PTX_COPIES
#define TENSORS  PTX_TENSORS
#define MAPS     (IN(REPLACE) | IN(QUERY))
#define FENCES   (IN(CP_FENCEPROXY) | IN(FENCE))

static const struct {
    const char *text;
    ptx_group group;
    uint32_t value;
    uint32_t kinds;
} words[] = {
#define WORD(text, group, value, kinds) {text, PTX_##group, value, kinds},
#include "ptx_words.def"
};

static const char *const kinds[] = {
#define KIND(kind, opcode) [TMA_PTX_##kind] = (opcode),
#include "ptx_kinds.def"
};

const char *tma_ptx_kind_name(uint32_t kind) {
    return kind < TMA_PTX_KINDS ? kinds[kind] : "";
}

/* The word of a group's number: ".gpu" without its dot. */
static const char *word_of(ptx_group group, uint32_t value) {
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (words[i].group == group && words[i].value == value) {
            return words[i].text;
        }
    }
    return "";
}

const char *tma_ptx_space_name(uint32_t space) {
    return word_of(PTX_SPACE, space);
}

const char *tma_ptx_scope_name(uint32_t scope) {
    return word_of(PTX_SCOPE, scope);
}

static int mode_of(uint32_t kind, ptx_word word, ptx_meaning *meaning) {
    for (uint32_t mode = 0; mode < TMA_MODES; mode++) {
        if (text_is(word.at, word.length, tma_mode_name(mode))) {
            *meaning = (ptx_meaning){PTX_MODE, mode};
            return (PTX_TENSORS & PTX_IN(kind)) != 0;
        }
    }
    return 0;
}

/* "mbarrier::report::disabled" */
static int report_of(ptx_word word, ptx_meaning *meaning) {
    static const char begins[] = "mbarrier::report::";
    const size_t length = sizeof(begins) - 1;
    const tma_inspection *row;
    if (word.length < length || !text_is(word.at, length, begins)) {
        return 0;
    }
    for (uint32_t i = 1; (row = tma_inspection_of(i)) != NULL; i++) {
        if (text_is(word.at + length, word.length - length, row->name)) {
            *meaning = (ptx_meaning){PTX_REPORT, i};
            return 1;
        }
    }
    return 0;
}

static int reduction_of(ptx_word word, ptx_meaning *meaning) {
    for (uint32_t op = TMA_OP_ADD; op <= TMA_OP_XOR; op++) {
        if (text_is(word.at, word.length, tma_op_name(op))) {
            *meaning = (ptx_meaning){PTX_REDUCTION, op};
            return 1;
        }
    }
    return 0;
}

static int field_of(ptx_word word, ptx_meaning *meaning) {
    for (uint32_t field = 0; field < TMA_REPLACE_FIELDS; field++) {
        if (field != TMA_REPLACE_ALLOC_CLASS && /* which PTX has no word for */
            text_is(word.at, word.length, tma_replace_row_of(field)->name)) {
            *meaning = (ptx_meaning){PTX_FIELD, field};
            return 1;
        }
    }
    return 0;
}

int ptx_meaning_of(uint32_t kind, ptx_word word, ptx_meaning *meaning) {
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if ((words[i].kinds & PTX_IN(kind)) && text_is(word.at, word.length, words[i].text)) {
            *meaning = (ptx_meaning){words[i].group, words[i].value};
            return 1;
        }
    }
    return (kind == TMA_PTX_COPY && report_of(word, meaning)) ||
           (kind == TMA_PTX_REPLACE && field_of(word, meaning)) ||
           (kind == TMA_PTX_REDUCE && reduction_of(word, meaning)) || mode_of(kind, word, meaning);
}
