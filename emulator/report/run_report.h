/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings of a run, kept once for each cause, and the end of a run.
 */
#ifndef EMULATOR_RUN_REPORT_H
#define EMULATOR_RUN_REPORT_H

#include "by_instruction.h"
#include "machine.h"

/* What came of a run: emulator.c hands it out. Its memory lives until the next run. */
typedef struct emu_note_row {
    const emu_instruction *in; /* or null */
    const char *text;          /* a constant of the program */
    uint64_t count;
} emu_note_row;

struct tma_emulate_result {
    ptx_memory *memory; /* set by whoever makes the machine */
    tma_emulate_finding *finding;
    uint8_t *is_narrow;       /* by finding: threads of the first warp alone had it, too */
    emu_by_instruction about; /* findings, by the instructions of their accesses, */
    emu_by_instruction noted; /* and notes */
    emu_note_row *note;
    uint32_t findings, notes;
    uint32_t stopped_line; /* of what ended the run, or 0 */
    char why[TMA_EMULATE_TEXT];
};

/* One of a finding's accesses: who did what where. */
typedef struct emu_who {
    const emu_instruction *in; /* null: nobody knows */
    uint64_t cta;              /* in the grid */
    uint32_t thread;           /* in the CTA; UINT32_MAX: none */
    const char *proxy;         /* "generic", "async", "tensormap" */
    const char *what;          /* "read", "write", "copy's write", "MMA's read" … */
    uint8_t space;             /* emu_space */
    uint64_t address;
    uint64_t size_B;
    uint64_t
        iteration; /* how often the thread had executed the instruction, from 1; 0: not known */
} emu_who;

/* Adds a finding, or counts it where one of the same rule and the same two instructions is there.
 * `text` is a sentence; `missing` says what would order the two ("fence.proxy.async in thread 3
 * before bar.sync"), may be null. The finding, for what more there is to say of
 * it (its barrier); null where there is no memory. rule: a TMA_EMULATE_RULE_* of emulate_rules.def.
 */
tma_emulate_finding *emu_report(emu_machine *m, uint32_t rule, int certain, const emu_who *later,
                                const emu_who *earlier, const char *text, const char *missing);

/* What lacks where an mbarrier is invalidated too early. */
#define EMU_INVAL_MISSING                                                                          \
    "a wait for the phase that the operation completes, ordered before mbarrier.inval"

/* A CTA ends with a bulk store under way, which "may" be wrong: of 103 thousand million words that
 * stores and reductions read so on an H200, the next CTA of the place spoiled none
 * (lab/hardware/emulator/cta_ends.cu). */
#define EMU_STORE_AT_EXIT                                                                          \
    "the CTA ends while the store may still read its shared memory: PTX gives that memory the "    \
    "CTA's lifetime, but an H200 keeps it until the store has read it"

/* The run is over, with a sentence about an instruction (may be null): a trap, an instruction that
 * is not executed, a limit. Returns EMU_STOPPED. */
emu_step emu_stop(emu_machine *m, tma_emulate_end end, const emu_warp *w, const emu_instruction *in,
                  const char *text);

/* Notes of what a run that came to its end has left undone. */
void emu_note_undone(emu_machine *m);

/* At the end of a run: what may follow from a race that is reported is a note, no finding. */
void emu_settle(emu_machine *m);

/* The PTX line of an instruction; 0 for null. */
uint32_t emu_line(const emu_machine *m, const emu_instruction *in);

/* "shared". */
const char *emu_space_name(uint32_t space);

/* What a fragment waits for (emu_wait_kind): "mbarrier"; "": it goes on. */
const char *emu_wait_name(uint32_t wait);

/* A note: printed, never an exit status. */
void emu_note(emu_machine *m, const emu_instruction *in, const char *text);
/* The same of a text that is copied. */
void emu_note_copied(emu_machine *m, const emu_instruction *in, const char *text);
/* Whether an instruction has a note. */
int emu_is_noted(const emu_machine *m, const emu_instruction *in);

/* A trap of the core's: rule and words of the finding. */
emu_step emu_trap(emu_machine *m, const emu_warp *w, uint32_t lane, const emu_instruction *in,
                  const tma_finding *why);

#endif
