/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks inside kernels, as PTX text: what `tma ptxas` writes before a copy, and the checker that
 * it calls. Part of libtma-text. Who rewrites a file says what a statement's operands are; see
 * ptx/insert/ptx_rewrite.c.
 *
 * The pieces of a rewritten file, in its order: behind .version, .target and .address_size the
 * checker (tma_ptx_check_put_checker) and one table for each site (tma_ptx_check_put_site); at the
 * start of each function what its checks share (tma_ptx_check_put_shared, _start); before each copy
 * its check (tma_ptx_check_put_check), the copy (tma_ptx_check_put_copy), and behind it what that
 * needs (tma_ptx_check_put_after).
 *
 * A check is called or inline. Inline checks judge their maps where the kernel begins
 * (tma_ptx_check_put_judge, once for all passes), compare the copy with what that
 * found, and branch to the end of the function where a rule is broken: there stand, in this order,
 * tma_ptx_check_put_cold for each, tma_ptx_check_put_leave, and once tma_ptx_check_put_full.
 *
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
    TMA_PTX_CHECK_RECORD, /* a record for the host (judge_record.h), and an illegal address, 700;
                             without a word where nobody set the module's
                             TMA_JUDGE_RECORD_VARIABLE */
    TMA_PTX_CHECK_SKIP,   /* a record; the copy is not made, a load's bytes are counted on its
                             barrier, and the kernel runs on. A trap where there is no record, where
                             the bytes are not known, and for multicasts with cta_group::2 */
    TMA_PTX_CHECK_AUTO,   /* TMA_PTX_CHECK_RECORD: for a program that tma run-checked runs */
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
#define TMA_PTX_CHECK_CALLED     UINT32_MAX
#define TMA_PTX_CHECK_LAST       UINT32_MAX

/* One copy, reduction or prefetch. A bulk copy without a map is a statement of the mode
 * TMA_JUDGE_BULK (judge_bulk.h), as tma_ptx_bulk_of() makes it; what expects bytes of a barrier one
 * of the mode TMA_JUDGE_BARRIER (tma_ptx_expect_of()). */
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
    uint32_t far_bits;   /* of a bulk copy without a map: as shared_bits, of its other address */
    tma_ptx_span opcode; /* and what it is called */
    const struct tma_ptx_check *file_as; /* an earlier check whose string is the same; null: it */
    const struct tma_ptx_check *function_as; /* has its own */
    const struct tma_ptx_check *opcode_as;
    uint32_t on_fault;     /* tma_ptx_check_fault, the checker's; not TMA_PTX_CHECK_AUTO */
    uint32_t barrier_bits; /* as shared_bits, of a load's barrier; TMA_PTX_CHECK_NO_BARRIER: nothing
                              says what it is */
    uint32_t barrier_is_aligned; /* somebody proved it: nothing is asked of its low bits */
    uint32_t inlined;    /* TMA_PTX_CHECK_CALLED, or its number among the function's inline checks;
                            it has a pass then, if it has a map */
    tma_ptx_span symbol; /* inline: the parameter or the constant that the map lies in, */
    uint32_t symbol_map; /* which of them (tma_ptx_check_map), */
    int64_t symbol_at_B; /* and where in it */
    uint32_t group;      /* inline checks that stand together before the last of their copies,
                            with one branch: the number of the first of them, its own if alone, */
    uint32_t next;       /* and of the next; TMA_PTX_CHECK_LAST */
    uint32_t together;   /* of a whole group: all threads of a warp come to its copies, and guards
                            say who makes them: the warp takes the branch as one, which stands
                            behind them if the checks are inline */
    const struct tma_ptx_check *other; /* inline, of a function's checks the first with its pass:
                                          the first one with the next pass, or null */
} tma_ptx_check;

/* What the checks of one function have between them. */
typedef struct tma_ptx_check_shared {
    uint32_t passes;
    uint32_t changes;            /* whether one of the maps changes */
    uint32_t called;             /* how many checks are called, */
    uint32_t inlined;            /* and how many inline */
    uint32_t expects;            /* whether one is of an instruction that expects bytes */
    uint32_t together;           /* how many have their branch behind them */
    const tma_ptx_check *judged; /* the first inline check with a pass, or null */
} tma_ptx_check_shared;

/* A bulk copy without a map as a statement: its size is coord[0], the address that is not in the
 * CTA's shared memory is `map`. False, and *out is of no use, for any other instruction; *lacks
 * says why such a copy cannot be checked, in words, or is null. */
TMA_EXPORT bool tma_ptx_bulk_of(tma_ptx_statement *out, const tma_ptx_parts *parts,
                                const char **lacks);

/* An instruction that expects bytes of a barrier of its own CTA (mbarrier.expect_tx,
 * mbarrier.arrive.expect_tx, mbarrier.arrive_drop.expect_tx) as a statement of the mode
 * TMA_JUDGE_BARRIER, with its barrier. False, and *out is of no use, for any other instruction. */
TMA_EXPORT bool tma_ptx_expect_of(tma_ptx_statement *out, const tma_ptx_parts *parts);

/* Why a statement cannot be checked, in words, or null. `version` is the file's. */
TMA_EXPORT const char *tma_ptx_check_lacks(const tma_ptx_check *check);

/* Whether a check without a map, or whose map is the same each time, can be inline; else it is
 * called. */
TMA_EXPORT int tma_ptx_check_fits_inline(const tma_ptx_check *check);

#define TMA_PTX_CHECK_FAULT_WORDS "assert, trap, record, skip, auto"

/* The word of --on-fault for a number; null from TMA_PTX_CHECK_FAULTS on. */
TMA_EXPORT const char *tma_ptx_check_fault_name(uint32_t on_fault);

/* The number of such a word; TMA_PTX_CHECK_FAULTS if there is none. */
TMA_EXPORT uint32_t tma_ptx_check_fault_find(const char *name);

/* The kind of fault that TMA_PTX_CHECK_AUTO stands for; other kinds stand for themselves. */
TMA_EXPORT uint32_t tma_ptx_check_fault_for(uint32_t on_fault);

/* The checker, with what a fault ends in; `called`: 0 where all checks of the file are inline.
 * `assertion`: where the file itself declares the function that the driver has for assertions, or
 * defines it, that declaration up to its ; or {, which the checker uses; null: the file does not
 * have that name. And the table of one site. */
#define TMA_PTX_CHECK_ASSERTION "__assertfail"
TMA_EXPORT void tma_ptx_check_put_checker(tma_out *out, uint32_t on_fault, uint32_t called,
                                          const tma_ptx_span *assertion);
TMA_EXPORT void tma_ptx_check_put_site(tma_out *out, const tma_ptx_check *check);

/* Declares what the checks of a function share, which stands where declarations may; then sets it,
 * where instructions may stand. */
TMA_EXPORT void tma_ptx_check_put_shared(tma_out *out, const tma_ptx_check_shared *shared);
TMA_EXPORT void tma_ptx_check_put_start(tma_out *out, const tma_ptx_check_shared *shared);

/* Inline checks: at the start, for the first check with a pass and its `other` ones; and at the
 * function's end, where the last is for the same checks as the first. */
TMA_EXPORT void tma_ptx_check_put_judge(tma_out *out, const tma_ptx_check *check);
TMA_EXPORT void tma_ptx_check_put_cold(tma_out *out, const tma_ptx_check *check);
TMA_EXPORT void tma_ptx_check_put_leave(tma_out *out, const tma_ptx_check_shared *shared);
TMA_EXPORT void tma_ptx_check_put_full(tma_out *out, const tma_ptx_check *check);

/* What stands before the copy, the copy, whose text is in the file, and what follows it. */
TMA_EXPORT void tma_ptx_check_put_check(tma_out *out, const tma_ptx_check *check);
TMA_EXPORT void tma_ptx_check_put_copy(tma_out *out, const tma_ptx_check *check,
                                       const tma_ptx_piece *copy);
TMA_EXPORT void tma_ptx_check_put_after(tma_out *out, const tma_ptx_check *check);

#ifdef __cplusplus
}
#endif
#endif
