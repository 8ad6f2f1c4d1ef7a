/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks inside kernels, as PTX text: what `tma ptxas` writes before a copy, and the checker that
 * it calls. Part of libtma-text. Who rewrites a file says what a statement's operands are; see
 * rewrite/ptx_rewrite.c.
 *
 * The pieces of a rewritten file, in its order: behind .version, .target and .address_size the
 * checker (tma_ptx_check_put_checker) and one table for each site (tma_ptx_check_put_site); at the
 * start of each function what its checks share (tma_ptx_check_put_shared, _start); before each copy
 * its check (tma_ptx_check_put_check). Names begin with libtma_checker_, those of registers with
 * %libtma_.
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

/* What the operand that names the map is. */
typedef enum tma_ptx_check_map {
    TMA_PTX_CHECK_REGISTER, /* a 64-bit register with a generic address */
    TMA_PTX_CHECK_PARAM,    /* a kernel's parameter itself */
    TMA_PTX_CHECK_CONST,    /* a variable of .const or .global itself */
    TMA_PTX_CHECK_GLOBAL
} tma_ptx_check_map;

#define TMA_PTX_CHECK_NO_PASS UINT32_MAX

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
} tma_ptx_check;

/* Why a statement cannot be checked, in words, or null. `version` is the file's. */
TMA_EXPORT const char *tma_ptx_check_lacks(const tma_ptx_check *check);

/* What a broken rule ends in: the driver's assertion with the message (error 710), or a trap
 * without a word (719), which leaves wgmma as fast as it was. */
typedef enum tma_ptx_check_fault { TMA_PTX_CHECK_ASSERT, TMA_PTX_CHECK_TRAP } tma_ptx_check_fault;

/* The checker, with what a fault ends in; and the table of one site. */
TMA_EXPORT void tma_ptx_check_put_checker(tma_out *out, uint32_t on_fault);
TMA_EXPORT void tma_ptx_check_put_site(tma_out *out, const tma_ptx_check *check);

/* Declares what the checks of a function share, which stands where declarations may; then sets it,
 * where instructions may stand. `passes`: how many; `changes`: whether one of the maps changes. */
TMA_EXPORT void tma_ptx_check_put_shared(tma_out *out, uint32_t passes, uint32_t changes);
TMA_EXPORT void tma_ptx_check_put_start(tma_out *out, uint32_t passes);

TMA_EXPORT void tma_ptx_check_put_check(tma_out *out, const tma_ptx_check *check);

#ifdef __cplusplus
}
#endif
#endif
