/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks inside kernels, as PTX text: what `tma ptxas` writes before a copy, and the checker that
 * it calls. Part of libtma-text. Who rewrites a file says what a statement's operands are; see
 * ptx/ptx_rewrite.c.
 *
 * The pieces of a rewritten file, in its order: behind .version, .target and .address_size the
 * checker (tma_ptx_check_put_checker) and one table for each site (tma_ptx_check_put_site); at the
 * start of each function what its checks share (tma_ptx_check_put_shared, _start); before each copy
 * its check (tma_ptx_check_put_check), and behind it what that needs (tma_ptx_check_put_after).
 * Names begin with libtma_checker_, those of registers with %libtma_; who rewrites a file
 * gives them another beginning where the file has such names.
 *
 * All functions are pure but for what they write, as in ptx.h.
 */
#ifndef TMA_PTX_CHECK_H
#define TMA_PTX_CHECK_H

#include "ptx.h"
#include "ptx_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a broken rule ends in. */
typedef enum tma_ptx_check_fault {
    TMA_PTX_CHECK_ASSERT, /* the driver's assertion with the message, 710. ptxas serialises wgmma
                             where that can be called (C7510) */
    TMA_PTX_CHECK_TRAP,   /* a trap without a word, 719 */
    TMA_PTX_CHECK_RECORD, /* a record for the host (judge_record.h), and a trap; without a word
                             where nobody set the module's TMA_JUDGE_RECORD_VARIABLE */
    TMA_PTX_CHECK_SKIP,   /* a record; the copy is not made, a load's bytes are counted on its
                             barrier, and the kernel runs on. A trap where there is no record, where
                             the bytes are not known, and for multicasts with cta_group::2 */
    TMA_PTX_CHECK_AUTO,   /* TMA_PTX_CHECK_RECORD for files with wgmma, else TMA_PTX_CHECK_ASSERT */
    TMA_PTX_CHECK_FAULTS
} tma_ptx_check_fault;

/* What the operand that names the map is. */
typedef enum tma_ptx_check_map {
    TMA_PTX_CHECK_REGISTER, /* a 64-bit register with a generic address */
    TMA_PTX_CHECK_PARAM,    /* a kernel's parameter itself */
    TMA_PTX_CHECK_CONST,    /* a variable of .const or .global itself */
    TMA_PTX_CHECK_GLOBAL
} tma_ptx_check_map;

#define TMA_PTX_CHECK_NO_PASS    UINT32_MAX
#define TMA_PTX_CHECK_NO_BARRIER UINT32_MAX

/* One copy, reduction or prefetch. */
typedef struct tma_ptx_check {
    const tma_ptx_statement *statement;
    uint32_t number;      /* of the site in the file */
    uint32_t version;     /* of PTX: 86 is 8.6 */
    uint64_t features;    /* TMA_FEATURE_* of the target */
    uint32_t map;         /* tma_ptx_check_map */
    uint32_t shared_bits; /* of the register that the shared address is in; 0: a variable */
    uint32_t pass;        /* where a map is the same each time: the number of its pass within the
                             function, the same for all copies with this map, instruction and
                             target; TMA_PTX_CHECK_NO_PASS: each copy is judged in full */
    uint32_t changes;     /* whether somebody may write the map while the kernel runs */
    tma_ptx_span file;    /* of the source line, as .file has it; length 0: none known */
    tma_ptx_span function;
    uint32_t line;
    uint32_t on_fault;     /* tma_ptx_check_fault, the checker's; not TMA_PTX_CHECK_AUTO */
    uint32_t barrier_bits; /* as shared_bits, of a load's barrier; TMA_PTX_CHECK_NO_BARRIER: nothing
                              says what it is */
} tma_ptx_check;

/* Why a statement cannot be checked, in words, or null. `version` is the file's. */
TMA_EXPORT const char *tma_ptx_check_lacks(const tma_ptx_check *check);

#define TMA_PTX_CHECK_FAULT_WORDS "assert, trap, record, skip, auto"

/* One of those words; null from TMA_PTX_CHECK_FAULTS on. */
TMA_EXPORT const char *tma_ptx_check_fault_name(uint32_t on_fault);

/* The one of that name; TMA_PTX_CHECK_FAULTS: there is none. */
TMA_EXPORT uint32_t tma_ptx_check_fault_find(const char *name);

/* What TMA_PTX_CHECK_AUTO is for a file; any other stays. */
TMA_EXPORT uint32_t tma_ptx_check_fault_for(uint32_t on_fault, const char *text, size_t size);

/* The checker, with what a fault ends in. `assertion`: where the file itself declares the function
 * that the driver has for assertions, or defines it, that declaration up to its ; or {, which the
 * checker uses; null: the file does not have that name. And the table of one site. */
#define TMA_PTX_CHECK_ASSERTION "__assertfail"
TMA_EXPORT void tma_ptx_check_put_checker(tma_out *out, uint32_t on_fault,
                                          const tma_ptx_span *assertion);
TMA_EXPORT void tma_ptx_check_put_site(tma_out *out, const tma_ptx_check *check);

/* Declares what the checks of a function share, which stands where declarations may; then sets it,
 * where instructions may stand. `passes`: how many; `changes`: whether one of the maps changes. */
TMA_EXPORT void tma_ptx_check_put_shared(tma_out *out, uint32_t passes, uint32_t changes);
TMA_EXPORT void tma_ptx_check_put_start(tma_out *out, uint32_t passes);

/* Before the copy, and behind it. */
TMA_EXPORT void tma_ptx_check_put_check(tma_out *out, const tma_ptx_check *check);
TMA_EXPORT void tma_ptx_check_put_after(tma_out *out, const tma_ptx_check *check);

#ifdef __cplusplus
}
#endif
#endif
