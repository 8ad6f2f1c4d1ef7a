/* SPDX-License-Identifier: Apache-2.0
 *
 * Who goes next. A turn is some instructions of one fragment, a round a turn of each fragment of
 * each resident warp. A round in which nothing moved lets asynchronous work go on by one stage;
 * with none under way it is a deadlock.
 */
#ifndef EMULATOR_SCHEDULE_H
#define EMULATOR_SCHEDULE_H

#include "machine.h"

/* operations_thread.def; cluster_cancel.c */
emu_run emu_choose_try_cancel(const emu_instruction *in);
emu_run emu_choose_query_cancel(const emu_instruction *in);

/* The machine that a launch is on, as far as it says how many CTAs are there at once: chips.def. */
typedef struct emu_chip {
    uint32_t sm, sms, threads, ctas, shared_B;
} emu_chip;
const emu_chip *emu_chip_of(uint32_t sm);

/* What operations are to those who wait. */
typedef enum emu_look {
    EMU_INSIDE, /* registers and control: nobody else sees it */
    EMU_LOOKS,  /* reads what others write, fails, sleeps, asks for the time */
    EMU_ACTS,   /* changes what others may wait for */
} emu_look;

/* What came of a turn. */
typedef struct emu_turn {
    uint64_t lanes; /* thread instructions */
    uint32_t instructions;
    uint8_t looks; /* 1 << emu_look of all that was executed */
    uint8_t step;  /* emu_step that ended it; EMU_NEXT: its time was up */
} emu_turn;

/* When a turn is over. An act and an iteration that looks both count as one, so that instructions
 * which nobody else sees do not move its end. */
typedef struct emu_budget {
    uint32_t acts;
    uint32_t instructions;
} emu_budget;

/* At most so much of a fragment. */
emu_turn emu_turn_run(emu_warp *w, emu_fragment *f, emu_budget most);

/* -1: no memory. */
int emu_schedule_begin(emu_machine *m);
/* Until the run is over (0) or so many thread instructions are done (1). */
int emu_schedule_run(emu_machine *m, uint64_t until);

/* How many CTAs of so many threads and bytes of shared memory a chip holds at once, whatever their
 * registers. */
uint64_t emu_chip_holds(const emu_chip *chip, uint32_t threads, uint32_t shared_B);
/* -1 and *error: a cooperative launch of more CTAs than run at once. */
int emu_residents_judge(const emu_machine *m, tma_error *error);
/* CTAs: as many more clusters as there is room for; -1: the run is stopped. */
int emu_residents_begin(emu_machine *m);
int emu_residents_add(emu_machine *m);
/* One cluster that the schedule has held back; 0: there is none, or no room, or the run is stopped.
 */
int emu_residents_add_held(emu_machine *m);
/* What became of a cluster: it was cancelled, and a thread has asked for its id. */
typedef enum emu_cancelled { EMU_NOT_CANCELLED, EMU_CANCELLED, EMU_ASKED_FOR } emu_cancelled;

/* The next cluster will not begin: the id of its first CTA, and 1; or 0: all have begun. */
int emu_residents_cancel(emu_machine *m, const emu_instruction *in, uint32_t ctaid[3]);
void emu_residents_asked(emu_machine *m, const uint32_t ctaid[3]);
/* Clusters whose threads have all exited are gone. */
int emu_residents_remove(emu_machine *m);

#endif
