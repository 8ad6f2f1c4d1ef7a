/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs print when a GPU's kernel dies, hangs or does not compile: errors of the driver and
 * the runtime, of debuggers, of the system's log, of compilers and linkers, and what each can mean.
 * The tables are text/crash/crash_rows.def and text/crash/crash_words.def.
 *
 * No row says that a tensor copy is the cause: the words alone never show it. A row says whether
 * one can be, how, what else can be, and which command tells them apart.
 *
 * All functions here are pure: no allocation, no globals, no input or output, safe on any thread.
 */
#ifndef TMA_CRASH_H
#define TMA_CRASH_H

#include <stddef.h>
#include <stdint.h>

#include "check.h"
#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a tensor copy has to do with it. */
typedef enum tma_crash_copy {
    TMA_CRASH_COPY_NOT,    /* it is not the cause */
    TMA_CRASH_COPY_CAN,    /* it can be */
    TMA_CRASH_COPY_MAP,    /* a program refused the map before anything ran */
    TMA_CRASH_COPY_UNKNOWN /* the words do not say */
} tma_crash_copy;

typedef struct tma_crash_row {
    const char *name;    /* "illegal-instruction" */
    const char *meaning; /* what happened */
    const char *as_copy; /* how a tensor copy comes into it; may be "" */
    const char *others;  /* what else can be behind it; may be "" */
    const char *next;    /* what to do, or to run, next */
    const char *source;  /* what the row stands on */
    uint32_t copy;       /* tma_crash_copy */
    int32_t code;        /* the driver's number, CUresult's; -1 if it has none */
} tma_crash_row;

/* A row by its place, from 0; returns 0, or -1 after the last. */
TMA_EXPORT int tma_crash_at(tma_crash_row *out, size_t index);

/* A place in a text that means a row. */
typedef struct tma_crash {
    size_t line;     /* from 1 */
    uint32_t row;    /* for tma_crash_at() */
    uint32_t length; /* of the words in the line, as it is without colours, in bytes */
} tma_crash;

typedef void (*tma_crash_visit)(void *context, const tma_crash *found);

/* Visits what the `size` bytes at `text` hold, in the order of its lines, each row once a line, and
 * returns how often that was. Text may be anything. An error's number counts only after words that
 * say that it is CUDA's. Takes about 40 KiB of stack. */
TMA_EXPORT size_t tma_crash_read(const char *text, size_t size, tma_crash_visit visit,
                                 void *context);

/* What a text names that a failure's words can be held against. */
typedef enum tma_crash_subject {
    TMA_CRASH_SUBJECT_NONE,   /* nothing that a tensor copy has to do with */
    TMA_CRASH_SUBJECT_NAMED,  /* a tensor copy, a map, a barrier, a kernel that has them */
    TMA_CRASH_SUBJECT_OLDER,  /* GPUs, and none that has tensor copies */
    TMA_CRASH_SUBJECT_MATRIX, /* matrix instructions (wgmma, tcgen05), and no tensor copy */
    TMA_CRASH_SUBJECT_OTHER,  /* a device that is no GPU of CUDA, and none that is */
    TMA_CRASH_SUBJECT_DENIED, /* a tensor copy, and that there is none: "no TMA here" */
    TMA_CRASH_SUBJECT_UNCLEAR /* what has none, a part or an older GPU, beside what may have one */
} tma_crash_subject;

/* Which of them the `size` bytes at `text` name. "No TMA" names none: what one clause says not to
 * be there, and no other names. Takes about 6 KiB of stack.
 */
TMA_EXPORT uint32_t tma_crash_subject_of(const char *text, size_t size);

/* Makes a row what it says in a text with this tma_crash_subject: a copy that can be the cause is
 * so only where one is named; else nothing is known. It is not the cause on an older GPU, and where
 * the text says that there is none. */
TMA_EXPORT void tma_crash_in_text(tma_crash_row *row, uint32_t subject);

/* Visits rows that say what code must keep that the text names (a kernel's source text, a
 * question), three at most, in the order of the table. Each comes with the first line that has its
 * words. It is meant for a text of which tma_crash_read() says nothing, and does not ask it. The
 * text must name tensor copies: by what only they have, or by their letters beside a GPU's name or
 * CUDA's. Words that others have too (a phase, a multicast) count in a line that has a barrier or a
 * copy, too. A text of more than 16 KiB has none. Takes about 12 KiB of stack. */
TMA_EXPORT size_t tma_crash_topics(const char *text, size_t size, tma_crash_visit visit,
                                   void *context);

#define TMA_CRASH_FACT_WORDS 64

/* A number that a sentence gives a map, and the rule that such a map breaks: of "K = 511 in bf16"
 * that a packed row is 1,022 bytes, and no stride. It follows if the sentence means what it seems
 * to: K the innermost dimension of a tensor without padding. */
typedef struct tma_crash_fact {
    size_t line;                      /* from 1 */
    char words[TMA_CRASH_FACT_WORDS]; /* the name and the number, as they stand there */
    uint32_t dtype;                   /* the type that the text names; TMA_DTYPE_UINT8 if none */
    tma_finding finding;
} tma_crash_fact;

typedef void (*tma_crash_fact_visit)(void *context, const tma_crash_fact *found);

/* Visits those in the sentences of a text that tells of a failure, and returns how many there are.
 * What a sentence says of a number that works, or of a limit, is none; neither is source text. A
 * text of more than 16 KiB is no report and has none. Takes about 16 KiB of stack. */
TMA_EXPORT size_t tma_crash_facts(const char *text, size_t size, tma_crash_fact_visit visit,
                                  void *context);

/* Numberings of errors: one number means something else in each. */
typedef enum tma_crash_numbering {
    TMA_CRASH_CURESULT,  /* the driver's CUresult, and the runtime's cudaError */
    TMA_CRASH_EXCEPTION, /* cuda-gdb's CUDA_EXCEPTION_n */
    TMA_CRASH_XID,       /* of the system's log */
    TMA_CRASH_NUMBERINGS
} tma_crash_numbering;

/* The row of a number in a numbering; returns 0, or -1 if none is known. */
TMA_EXPORT int tma_crash_of_number(tma_crash_row *out, uint32_t numbering, uint32_t number);

/* Visits the rows that somebody who asks for these words means: a number (of any kind), a name, a
 * row's name, a phrase or a part of one; line is 0. Returns how many those were. */
TMA_EXPORT size_t tma_crash_about(const char *words, size_t length, tma_crash_visit visit,
                                  void *context);

#ifdef __cplusplus
}
#endif
#endif
