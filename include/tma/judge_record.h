/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel leaves of a copy that breaks a rule: everything that a message needs, in memory
 * that the host can read after the kernel died (tma ptxas --on-fault=record). Made by a kernel
 * (program/kernel/fault.c), put into words here; an assertion (--on-fault=assert) says the same
 * words.
 *
 * The host makes the record: zeros, and its `format`. A kernel that knows that format claims it:
 * the first fault wins, later ones are counted. The record is whole once its state is
 * TMA_JUDGE_RECORD_DONE. A kernel may leave the operands alone, and a `rule` of 0: then whoever
 * puts the record into words judges the copy.
 */
#ifndef TMA_JUDGE_RECORD_H
#define TMA_JUDGE_RECORD_H

#include <stddef.h>

#include "detail/judge_map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The variable of a module that holds the record's address on the device; 0: there is none. */
#define TMA_JUDGE_RECORD_VARIABLE "libtma_checker_record"

typedef enum tma_judge_record_state {
    TMA_JUDGE_RECORD_FREE = 0,
    TMA_JUDGE_RECORD_BEGUN = 1,
    TMA_JUDGE_RECORD_DONE = 2
} tma_judge_record_state;

/* Sizes of the strings in a record, their zero byte included; what is longer ends in "...". */
#define TMA_JUDGE_OPCODE_BYTES   160
#define TMA_JUDGE_FILE_BYTES     600
#define TMA_JUDGE_FUNCTION_BYTES 988

/* No member is padded, whoever compiles it. */
typedef struct tma_judge_record {
    uint32_t state;  /* tma_judge_record_state */
    uint32_t format; /* TMA_JUDGE_RECORD_FORMAT of who reads it */
    uint64_t map; /* address of the map as the instruction had it; these five as tma_judge_left */
    int32_t coord[TMA_MAX_RANK]; /* not known where the instruction has fewer */
    uint32_t shared_address;
    uint32_t cta_mask; /* not known without a multicast */
    uint32_t barrier;  /* not known but of loads */
    uint64_t features; /* these seven as tma_judge_site */
    uint32_t op;
    uint32_t mode;
    uint32_t rank;
    uint32_t cluster;
    uint32_t cta_group;
    uint32_t multicast;
    uint32_t line;   /* of `file`; 0: not known */
    uint32_t coords; /* how many of coord[] the instruction has; judge_bulk.h: 0 */
    uint32_t words[TMA_MAP_BYTES / 4];
    uint64_t given; /* these seven as tma_judge_fault */
    uint64_t value;
    uint64_t limit;
    uint32_t rule; /* 0: not judged */
    int32_t index;
    uint32_t relation;
    uint32_t unit;
    uint32_t offset[2];
    uint32_t ctas;
    uint32_t window_end;
    uint32_t block[3];
    uint32_t thread[3];
    uint32_t skipped; /* --on-fault=skip: how many copies were not made */
    char opcode[TMA_JUDGE_OPCODE_BYTES];
    char file[TMA_JUDGE_FILE_BYTES];
    char function[TMA_JUDGE_FUNCTION_BYTES]; /* the kernel, as PTX names it */
} tma_judge_record;

#define TMA_JUDGE_RECORD_BYTES 2048
#define TMA_JUDGE_RECORD_FORMAT                                                                    \
    (0x50000u + TMA_JUDGE_RECORD_BYTES) /* one more in front when members change their meaning */

#if defined(__cplusplus)
static_assert
#else
_Static_assert
#endif
    (sizeof(tma_judge_record) == TMA_JUDGE_RECORD_BYTES, "host and device see one record");

/* What a thread has of a copy that breaks a rule, in its own memory, before it writes the record:
 * the record's own members, in their order. */
typedef struct tma_judge_left {
    uint64_t map; /* its address; not known where the copy has none */
    int32_t coord[TMA_MAX_RANK];
    uint32_t shared_address;
    uint32_t cta_mask;
    uint32_t barrier;
    uint64_t site; /* of what the file says of the copy (program/kernel/checker.h) */
} tma_judge_left;

/* --- a wait that lasts too long --- */

/* The `rule` of a record that says where it is: what was waited for stands in the slot's `hang`. */
#define TMA_JUDGE_RECORD_HANG UINT32_MAX

#define TMA_HANG_WAITS        10
#define TMA_HANG_MAPS         6
#define TMA_HANG_LINE_BYTES   188
#define TMA_HANG_MAP_LINE     80
#define TMA_HANG_BYTES        4096
#define TMA_HANG_MOST_SECONDS 86400 /* of a limit */

/* Threads that wait at one place for one phase, which lacks the same in all of their CTAs. */
typedef struct tma_hang_wait {
    uint32_t is_whole;
    uint32_t barrier;     /* shared address */
    uint32_t parity;      /* that is waited for */
    uint32_t open_parity; /* of the phase that is open */
    uint32_t arrivals_missing;
    int32_t bytes_missing_B; /* below 0: more came than were expected */
    uint32_t beside;         /* a barrier near it that more bytes came to than it expected, or 0 */
    int32_t beside_missing_B;
    uint32_t site; /* its number in the PTX file */
    uint32_t warps;
    uint32_t since;    /* when the first of them began, in units of the record's */
    uint32_t block[3]; /* one of them */
    uint32_t thread[3];
    char line[TMA_HANG_LINE_BYTES]; /* "kernel.cu:118, inlined from barrier.h:40" */
} tma_hang_wait;

/* A map that stays the same while the kernel runs, of a copy in it. */
typedef struct tma_hang_map {
    uint64_t address;
    uint32_t words[TMA_MAP_BYTES / 4];
    char line[TMA_HANG_MAP_LINE]; /* of the first such copy */
} tma_hang_map;

typedef struct tma_hang_record {
    uint32_t limit_ms;
    uint32_t waits; /* more than TMA_HANG_WAITS: the others were left out */
    uint32_t maps;
    uint32_t unit_ns;    /* of `since` */
    uint32_t unused[56]; /* 0 */
    tma_hang_wait wait[TMA_HANG_WAITS];
    tma_hang_map map[TMA_HANG_MAPS];
} tma_hang_record;

/* --- from process to process --- */

/* A file of slots, zeros at first, that the environment names: tma run-checked makes it and reads
 * it; each process that loads kernels takes a slot by writing its number, where that is 0
 * (atomically), and has its kernels write there (libtma-cuda.so). */
#define TMA_JUDGE_RECORD_SETTING "LIBTMA_RECORD"
#define TMA_JUDGE_RECORD_SLOTS   64

/* Two pages. */
typedef struct tma_judge_record_slot {
    tma_judge_record record;
    uint32_t process;     /* who took it */
    uint32_t modules;     /* that were told of the record */
    uint32_t told;        /* 1: somebody printed the record */
    uint32_t error;       /* the driver's, where the record cannot be written from a device */
    uint32_t unused[508]; /* 0 */
    tma_hang_record hang;
} tma_judge_record_slot;

#if defined(__cplusplus)
static_assert
#else
_Static_assert
#endif
    (sizeof(tma_judge_record_slot) == 2 * TMA_JUDGE_RECORD_BYTES + TMA_HANG_BYTES,
     "two pages of the file");

/* --- in words --- */

/* Both write at most `size` bytes, a zero byte included, and return the length of the whole text.
 * Any bytes are safe in *record; strings come out as they are: printing to a terminal is the
 * caller's care. Pure functions, safe on any thread. */

/* The finding and the copy: "libtma: coord-align: tensorCoords[0] = 1: ..." and two more lines, the
 * last a `tma decode` of the map. */
TMA_EXPORT size_t tma_judge_record_text(char *buffer, size_t size, const tma_judge_record *record);

/* Where it happened, as CUDA's driver says it of an assertion:
 * "kernel.cu:20: copy: block: [3,1,0], thread: [0,0,0]". */
TMA_EXPORT size_t tma_judge_record_place(char *buffer, size_t size, const tma_judge_record *record);

#ifdef __cplusplus
}
#endif
#endif
