/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker as PTX, with what a broken rule ends in: program/kernel/checker.c and
 * program/kernel/fault.c, compiled.
 */
#include "ptx_checker.inc"
#include "ptx_fault_assert.inc"
#include "ptx_fault_record.inc"
#include "ptx_fault_skip.inc"
#include "ptx_inline.h"
#include "tma/detail/chars.h"
#include "tma/judge_record.h"
#include "tma/ptx_check.h"

#define CHECKER "libtma_checker_"

/* tma_fault(map, where, position), and what it needs of others. */
#define DECLARED(end)                                                                              \
    ".func " CHECKER "tma_fault(.param .b64 libtma_0, .param .b64 libtma_1, .param .b64 "          \
    "libtma_2)" end
static const char returns[] = DECLARED(";\n");
static const char stops[] = DECLARED(" .noreturn;\n");
static const char traps[] = DECLARED(" .noreturn\n{\ntrap;\n}\n");
static const char assertion[] =
    ".extern .func " TMA_PTX_CHECK_ASSERTION
    "(.param .b64 libtma_0, .param .b64 libtma_1, .param .b32 libtma_2, "
    ".param .b64 libtma_3, .param .b64 libtma_4)";
static const char pointer[] = ".weak .global .align 8 .u64 " TMA_JUDGE_RECORD_VARIABLE " = 0";

/* By tma_ptx_check_fault. */
static const struct {
    const char *name;
    const char *declaration;
    const char *needed;
    const char *const *part;
    const char *end;
} faults[TMA_PTX_CHECK_FAULTS] = {
    {"assert", stops, assertion, ptx_fault_assert, ""},
    {"trap", stops, NULL, NULL, traps},
    {"record", stops, pointer, ptx_fault_record, ""},
    {"skip", returns, pointer, ptx_fault_skip, ""},
    {"auto", stops, pointer, ptx_fault_record, ""},
};

const char *tma_ptx_check_fault_name(uint32_t on_fault) {
    return on_fault < TMA_PTX_CHECK_FAULTS ? faults[on_fault].name : NULL;
}

uint32_t tma_ptx_check_fault_find(const char *name) {
    uint32_t i = 0;
    while (i < TMA_PTX_CHECK_FAULTS && !(name && text_same(name, faults[i].name))) {
        i++;
    }
    return i;
}

uint32_t tma_ptx_check_fault_for(uint32_t on_fault) {
    return on_fault == TMA_PTX_CHECK_AUTO ? TMA_PTX_CHECK_RECORD : on_fault;
}

void ptx_put_part(tma_out *out, const char *const *part) {
    for (; part && *part; part++) {
        tma_put(out, *part);
    }
}

void tma_ptx_check_put_checker(tma_out *out, uint32_t on_fault, uint32_t called,
                               const tma_ptx_span *own) {
    const uint32_t row = on_fault < TMA_PTX_CHECK_FAULTS ? on_fault : TMA_PTX_CHECK_ASSERT;
    if (called) {
        tma_put(out, faults[row].declaration);
    }
    if (own && faults[row].needed == assertion) {
        tma_put_bytes(out, own->at, own->length);
        tma_put(out, "\n"); /* it may end in a comment */
    } else if (faults[row].needed) {
        tma_put(out, faults[row].needed);
    }
    if (faults[row].needed) {
        tma_put(out, ";\n");
    }
    if (called) {
        ptx_put_part(out, ptx_checker);
        ptx_put_part(out, faults[row].part);
        tma_put(out, faults[row].end);
    }
}
