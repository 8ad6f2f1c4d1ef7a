/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX kernels executed on the CPU: one launch, its bytes, traps, races and deadlocks, each with its
 * witness. Library libtma-emulator.
 *
 * Memory, output text and progress go through the caller's functions; there is no global state. An
 * instance is stepped by one thread; many instances may run on many threads at once. What is
 * modelled is in docs/emulator.md, with what cannot be told.
 */
#ifndef TMA_EMULATE_H
#define TMA_EMULATE_H

#include "check.h"
#include "spec.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The caller's functions. */
typedef struct tma_emulate_host {
    void *context TMA_ZERO;
    /* At least so many bytes for any type, not zeroed; null: there is no more, and the run ends
     * with TMA_EMULATE_LIMIT. release() receives what allocate() gave. Neither may be null. */
    void *(*allocate)(void *context, size_t size_B)TMA_ZERO;
    void (*release)(void *context, void *memory) TMA_ZERO;
    /* What the kernel prints (vprintf, __assertfail); may be null. */
    void (*print)(void *context, const char *text, size_t length) TMA_ZERO;
    /* Called now and then with the thread instructions so far; other than 0 ends the run with
     * TMA_EMULATE_CANCELLED. May be null. */
    int (*progress)(void *context, uint64_t instructions) TMA_ZERO;
    uint64_t reserved[8] TMA_ZERO;
} tma_emulate_host;

/* Global memory that the kernel may touch. */
typedef struct tma_emulate_memory {
    uint64_t address TMA_ZERO; /* device address: all of it below 2^56 */
    uint64_t size_B TMA_ZERO;
    void *bytes TMA_ZERO;            /* the caller's, read and written in place */
    const char *name TMA_ZERO;       /* in findings: "A", "parameter 0" */
    uint32_t uninitialised TMA_ZERO; /* 1: nothing of it counts as written before */
    uint32_t read_only TMA_ZERO;
} tma_emulate_memory;

typedef enum tma_emulate_schedule {
    TMA_EMULATE_LATE =
        0, /* asynchronous work completes only when no thread can move, oldest first */
    TMA_EMULATE_EARLY = 1, /* ... at once */
    TMA_EMULATE_SEEDED = 2,
} tma_emulate_schedule;

/* What an embedder may watch: bits of tma_emulate_launch.watches. */
typedef enum tma_emulate_event_kind {
    TMA_EMULATE_INSTRUCTION = 1, /* executed by the lanes of mask, behind it */
    TMA_EMULATE_ACCESS = 2,  /* a thread's load, store or atomic, or what it does to an mbarrier:
                                one event a lane, before its instruction's; a range of a copy or
                                a wgmma, before its issue */
    TMA_EMULATE_COPY = 4,    /* a stage of a copy or a wgmma */
    TMA_EMULATE_BARRIER = 8, /* a phase of an mbarrier completes */
} tma_emulate_event_kind;

typedef struct tma_emulate_event {
    uint32_t kind;            /* tma_emulate_event_kind */
    uint32_t line;            /* of the PTX; 0: not known */
    uint64_t cta;             /* in the grid */
    uint32_t warp;            /* in the CTA */
    uint32_t mask;            /* lanes of it */
    uint64_t address, size_B; /* ACCESS: generic or shared address; BARRIER: shared address; COPY:
                                 the barrier that it tells, 0: none, and the bytes counted there */
    const char *space;        /* ACCESS: "global", "shared" */
    uint32_t reads, writes;   /* ACCESS; both: an atomic */
    uint32_t stage;           /* COPY: 0 issued, 1 its sources are read, 2 complete */
    uint32_t reserved_0;
    uint64_t phase; /* BARRIER: that completes, from 0 */
    uint64_t copy;  /* COPY, and ACCESS of one: its number in the order of issue, from 1; else 0 */
} tma_emulate_event;

/* One launch. Zero members: the defaults in brackets. */
typedef struct tma_emulate_launch {
    const char *kernel TMA_ZERO;  /* its name in the PTX (the only entry) */
    uint32_t grid[3] TMA_ZERO;    /* CTAs (one cluster) */
    uint32_t block[3] TMA_ZERO;   /* threads (.reqntid, .maxntid) */
    uint32_t cluster[3] TMA_ZERO; /* CTAs (.reqnctapercluster, else 1) */
    uint32_t dynamic_shared_B TMA_ZERO;
    const void *params TMA_ZERO; /* the parameters' bytes, laid out as the kernel declares them */
    size_t params_B TMA_ZERO;
    const tma_emulate_memory *memory TMA_ZERO;
    size_t memories TMA_ZERO;
    tma_target target TMA_ZERO;          /* (the PTX's .target) */
    uint32_t resident TMA_ZERO;          /* CTAs that interleave (what the target's GPU holds) */
    uint64_t most_instructions TMA_ZERO; /* thread instructions (2^40) */
    uint64_t most_memory_B TMA_ZERO;     /* of allocate() (8 GiB) */
    uint32_t no_order TMA_ZERO;          /* 1: values only */
    uint32_t no_values TMA_ZERO;         /* 1: products of MMAs are not computed */
    uint32_t schedule TMA_ZERO;          /* tma_emulate_schedule */
    uint64_t seed TMA_ZERO;
    uint32_t readings TMA_ZERO; /* bit n: tma_emulate_reading n is taken */
    uint32_t watches TMA_ZERO;  /* tma_emulate_event_kind: what watch() is called for (nothing) */
    void (*watch)(void *context, const tma_emulate_event *event) TMA_ZERO;
    void *watch_context TMA_ZERO;
    /* The module's variables in the caller's memory, where they keep what launches leave: all of
     * them, in the order of tma_emulator_variable_at(), or none (each launch has its own, as the
     * PTX initialises them). The name is not read. */
    const tma_emulate_memory *variable TMA_ZERO;
    size_t variables TMA_ZERO;
    /* 1: as cudaLaunchCooperativeKernel: the grid has to be resident as a whole, and has a barrier
     * of its own (grid.sync), whose words are zeros at first. */
    uint32_t cooperative TMA_ZERO;
    uint32_t reserved_0 TMA_ZERO;
    uint64_t reserved[3] TMA_ZERO;
} tma_emulate_launch;

typedef enum tma_emulate_end {
    TMA_EMULATE_COMPLETED = 0,
    TMA_EMULATE_DEADLOCK = 1,
    TMA_EMULATE_TRAP = 2,
    TMA_EMULATE_LIMIT = 3,        /* instructions or memory */
    TMA_EMULATE_NOT_EXECUTED = 4, /* an instruction that the emulator does not have */
    TMA_EMULATE_CANCELLED = 5,
    TMA_EMULATE_ENDS
} tma_emulate_end;

typedef enum tma_emulate_rule {
#define TMA_EMULATE_RULE(id, ...) TMA_EMULATE_RULE_##id,
#include "emulate_rules.def"
    TMA_EMULATE_RULES
} tma_emulate_rule;

/* What documents leave open: emulate_readings.def. */
typedef enum tma_emulate_reading {
#define TMA_EMULATE_READING(id, ...) TMA_EMULATE_READING_##id,
#include "emulate_readings.def"
    TMA_EMULATE_READINGS
} tma_emulate_reading;

#define TMA_EMULATE_TEXT 320

/* One access of a finding. */
typedef struct tma_emulate_access {
    uint32_t instruction;             /* of the program; UINT32_MAX: not known */
    uint32_t line;                    /* of the PTX; 0: not known */
    uint32_t thread;                  /* in the CTA; UINT32_MAX: none */
    uint64_t cta;                     /* in the grid */
    const char *proxy, *what, *space; /* "generic", "copy's write", "shared" */
    uint64_t address, size_B;
    uint64_t iteration; /* from 1; 0: not known */
} tma_emulate_access;

#define TMA_EMULATE_WAITS 4

/* Threads that wait at one instruction for one thing, at a deadlock. */
typedef struct tma_emulate_wait {
    uint32_t instruction, line; /* as in an access */
    uint64_t cta;               /* the first of those CTAs */
    uint32_t thread, threads;   /* the first of them in it, and how many */
    const char *waits_at;       /* as in tma_emulate_thread */
    uint64_t barrier;           /* likewise */
} tma_emulate_wait;

typedef struct tma_emulate_finding {
    uint32_t rule;     /* tma_emulate_rule */
    uint32_t certain;  /* 1; 0: may */
    uint64_t count;    /* how often it was seen */
    uint32_t accesses; /* of access[]: the later one first */
    tma_emulate_access access[2];
    char text[TMA_EMULATE_TEXT];
    char missing[TMA_EMULATE_TEXT]; /* what would order the two, or "" */
    uint32_t has_barrier;
    uint32_t barrier_address;  /* shared address; or the number of a named barrier */
    uint32_t barrier_phase;    /* parity of the open phase */
    uint32_t arrivals_missing; /* in it */
    int32_t bytes_missing_B;
    uint32_t waiting; /* threads that wait there */
    /* Of a deadlock's cause: who waits because of it, first those at its barrier. 0: none. More
     * than TMA_EMULATE_WAITS: so many are left out. */
    uint32_t waits;
    tma_emulate_wait wait[TMA_EMULATE_WAITS];
} tma_emulate_finding;

/* How many groups that wait are left out of wait[]. */
static inline uint32_t tma_emulate_waits_more(const tma_emulate_finding *finding) {
    return finding->waits > TMA_EMULATE_WAITS ? finding->waits - TMA_EMULATE_WAITS : 0;
}

typedef struct tma_emulate_result tma_emulate_result;
typedef struct tma_emulator tma_emulator;

/* Decodes a PTX text, which has to stay where it is while the emulator lives. Null and *error where
 * it is no PTX or there is no memory, and on machines that are not little-endian and of 64 bits. */
TMA_EXPORT tma_emulator *tma_emulator_new(const tma_emulate_host *host, const char *ptx,
                                          size_t size, tma_error *error);
TMA_EXPORT void tma_emulator_free(tma_emulator *emulator);

/* The entries of the PTX: name, null after the last. */
TMA_EXPORT const char *tma_emulator_kernel_at(const tma_emulator *e, size_t index, size_t *length);

/* A parameter of a kernel. */
typedef struct tma_emulate_parameter {
    const char *name;
    size_t name_length;
    uint32_t offset_B, size_B, align_B;
    const char *type; /* "u64"; of an array "b8" */
} tma_emulate_parameter;
/* One by its index; false after the last, or where there is no such kernel. */
TMA_EXPORT bool tma_emulator_parameter_at(const tma_emulator *e, const char *kernel, size_t index,
                                          tma_emulate_parameter *out);

/* A variable of the module, .global or .const. */
typedef struct tma_emulate_variable {
    const char *name;
    size_t name_length;
    uint64_t size_B, align_B;
    uint32_t is_constant; /* .const: no kernel writes it */
    uint32_t reserved;
} tma_emulate_variable;
/* One by its index; false after the last. */
TMA_EXPORT bool tma_emulator_variable_at(const tma_emulator *e, size_t index,
                                         tma_emulate_variable *out);
/* Writes what the PTX initialises the variables with, zeros where it says nothing, into memory for
 * tma_emulate_launch.variable: addresses of other variables are those that are given there. False,
 * and nothing written, where `count` is another than there are, or the size of one. */
TMA_EXPORT bool tma_emulator_initialise(const tma_emulator *e, const tma_emulate_memory *variable,
                                        size_t count);

/* Runs a launch to its end. TMA_INVALID and *error for a launch that no driver takes, or arguments
 * that do not fit the kernel; else TMA_OK, and the result is there until the next run. */
TMA_EXPORT TMA_MUST_USE tma_status tma_emulator_run(tma_emulator *emulator,
                                                    const tma_emulate_launch *launch,
                                                    tma_error *error);

/* The same in steps: begin, step until it says 0 (at most so many thread instructions a step), end.
 */
TMA_EXPORT TMA_MUST_USE tma_status tma_emulator_begin(tma_emulator *emulator,
                                                      const tma_emulate_launch *launch,
                                                      tma_error *error);
TMA_EXPORT int tma_emulator_step(tma_emulator *emulator, uint64_t instructions);

/* Where a thread of a resident CTA is, between two steps, or where the run ended. */
typedef struct tma_emulate_thread {
    uint32_t line;        /* of its next instruction; 0: it has exited */
    uint32_t waits;       /* 1: it is blocked there */
    const char *waits_at; /* "mbarrier", "barrier", "cluster", "group", "lanes", "grid", "tensor
                             memory", "registers", or ""; at a deadlock, of one that reads again and
                             again, "memory" */
    uint64_t barrier;     /* mbarrier: shared address; barrier: number */
} tma_emulate_thread;
/* False where the CTA has not begun, or has ended, or has no such thread. */
TMA_EXPORT bool tma_emulator_thread_at(const tma_emulator *e, uint64_t cta, uint32_t thread,
                                       tma_emulate_thread *out);
/* The shared memory of a resident CTA from shared address `*first` of its own window on, *size_B
 * bytes; null: the CTA has not begun, or has ended. */
TMA_EXPORT const uint8_t *tma_emulator_shared_at(const tma_emulator *e, uint64_t cta,
                                                 uint32_t *first, size_t *size_B);

/* What came of the last run. */
TMA_EXPORT uint32_t tma_emulator_end(const tma_emulator *e, const char **why, uint32_t *line);
TMA_EXPORT const tma_emulate_finding *tma_emulator_finding_at(const tma_emulator *e, size_t index);
TMA_EXPORT const char *tma_emulator_note_at(const tma_emulator *e, size_t index, uint32_t *line);
TMA_EXPORT uint64_t tma_emulator_instructions(const tma_emulator *e);
/* Whether the last run stands for all schedules of its launch. It came to its end without a
 * finding. Each arrival could come in its phase alone, each wait meet its phase alone, and nothing
 * that a schedule chooses went anywhere. Else *why and *line (0: none) of the first reason. */
TMA_EXPORT bool tma_emulator_proves(const tma_emulator *e, const char **why, uint32_t *line);

/* Coverage of the kernel and all that it calls: instruction by instruction, in the order of the
 * text; false after the last. `protocol`: it is a copy, barrier, fence, wait or MMA. */
typedef struct tma_emulate_line {
    uint32_t line;
    uint32_t executed; /* how often, by warps; saturates */
    uint32_t protocol;
} tma_emulate_line;
/* One by its index; false after the last. */
TMA_EXPORT bool tma_emulator_line_at(const tma_emulator *e, size_t index, tma_emulate_line *out);

/* Words: "deadlock"; of a rule its name ("data-race") and what it means. */
TMA_EXPORT const char *tma_emulate_end_name(uint32_t end);
TMA_EXPORT const char *tma_emulate_rule_name(uint32_t rule);
TMA_EXPORT const char *tma_emulate_rule_meaning(uint32_t rule);
TMA_EXPORT const char *tma_emulate_rule_source(uint32_t rule); /* the document that it stands on */

TMA_EXPORT const char *tma_emulate_reading_name(uint32_t reading);  /* "scope" */
TMA_EXPORT const char *tma_emulate_reading_value(uint32_t reading); /* "strict" */
TMA_EXPORT const char *tma_emulate_reading_meaning(uint32_t reading);

#ifdef __cplusplus
}
#endif
#endif
