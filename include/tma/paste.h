/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs print about an encode call, found in any text: a log of several ranks, a traceback,
 * an issue's comment, a source file. Who prints what is in paste_sources.def and the tables
 * that it names.
 *
 * All functions here are pure: no allocation, no globals, no input or output, safe on any thread.
 */
#ifndef TMA_PASTE_H
#define TMA_PASTE_H

#include "check.h"
#include "spec.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was found. */
typedef enum tma_paste_kind {
    TMA_PASTE_MAP,      /* the arguments of one call, as far as they were printed */
    TMA_PASTE_POINTERS, /* a block whose arrays are printed as pointers: nothing to check */
    TMA_PASTE_TORN,     /* a block whose lines got lost or mixed with another's: not to be judged */
    TMA_PASTE_ERROR,    /* an encode call's error without its arguments */
    TMA_PASTE_REMARK,   /* a program's own check of an argument: `rule` says which limit it is */
    TMA_PASTE_KINDS
} tma_paste_kind;

/* Who printed it: rows of paste_sources.def. */
typedef enum tma_paste_source {
#define PASTE_SOURCE(id, ...) TMA_PASTE_FROM_##id,
#include "paste_sources.def"
    TMA_PASTE_SOURCES
} tma_paste_source;

#define TMA_PASTE_QUOTES 14
#define TMA_PASTE_QUOTE  52

/* An argument that stands in the text and was not read, or not all of it: its words. Of a call that
 * is no map (TMA_PASTE_TORN) those that were read as well; `unread` has no bit of them. */
typedef struct tma_paste_quote {
    uint32_t argument;
    char text[TMA_PASTE_QUOTE];
} tma_paste_quote;

/* Bit of a tma_argument in the masks below. */
#define TMA_PASTE_BIT(argument) (UINT32_C(1) << (argument))

typedef struct tma_paste {
    uint32_t kind;   /* tma_paste_kind */
    uint32_t source; /* tma_paste_source */
    size_t line;     /* the first and the last of its lines, from 1 */
    size_t last_line;

    /* TMA_PASTE_MAP: the call. What was not read has what stands for it: strides packed, element
     * strides 1, enumerations 0, address 0x7f0000000000. */
    tma_spec spec;
    uint32_t shown;  /* arguments that the text has, read whole */
    uint32_t fixed;  /* that it has not, and that the program that printed it always passes so */
    uint32_t unread; /* that it has, but of which a value was not read: quote[] */
    uint32_t element_bits;                /* if the type is not shown: what is known of it, or 0 */
    uint8_t known[TMA_ARG_WIDE_MODE + 1]; /* by tma_argument: entries that were read, bit i */
    uint32_t quotes;
    tma_paste_quote quote[TMA_PASTE_QUOTES];

    int32_t code;    /* the error printed with it, CUresult's number; -1 if none, -2 if unknown */
    int32_t has_map; /* whether the map's own address is shown */
    uint64_t map_address;

    uint32_t rule;    /* TMA_PASTE_REMARK: tma_rule_id, or TMA_RULE_NONE */
    int32_t index;    /* of the argument that it is about, or -1 */
    const char *says; /* what a remark, an unreadable block or a lone error means, or what the
                         program makes of a map's values; "" else */
} tma_paste;

#define TMA_PASTE_NO_CODE      (-1)
#define TMA_PASTE_UNKNOWN_CODE (-2)

typedef void (*tma_paste_visit)(void *context, const tma_paste *found);

/* Visits what the `size` bytes at `text` hold, about in the order of its lines, and returns how
 * much that was. Text may be anything; colours, timestamps, prefixes of ranks, quotes and escaped
 * newlines are no obstacle. Lines of several ranks are told apart by their prefixes; where they
 * cannot be, the block is TMA_PASTE_TORN. Takes about 100 KiB of stack. */
TMA_EXPORT size_t tma_paste_read(const char *text, size_t size, tma_paste_visit visit,
                                 void *context);

/* The program that prints it so ("CUTLASS"), and others that do ("FlashAttention-3, ..."); "" for
 * anything else. */
TMA_EXPORT const char *tma_paste_source_name(uint32_t source);
TMA_EXPORT const char *tma_paste_source_users(uint32_t source);

/* Whether this call has the argument at all: channelsPerPixel is im2col's. */
TMA_EXPORT TMA_MUST_USE bool tma_paste_has(const tma_paste *paste, uint32_t argument);

/* Missing: TMA_PASTE_BITs of the arguments that this call has and that neither the text nor the
 * program that printed it gives. What the text has, read or not, is none of them. Unknown: those of
 * them that have no usual value, since no program passes them of itself: the type (unless
 * element_bits says its size) and the strides. */
TMA_EXPORT uint32_t tma_paste_missing(const tma_paste *paste);
TMA_EXPORT uint32_t tma_paste_unknown(const tma_paste *paste);

/* Whether a finding on paste->spec follows from values that were read. If not, it is about values
 * that were put in their place, and says nothing of the call. */
TMA_EXPORT TMA_MUST_USE bool tma_paste_judges(const tma_paste *paste, const tma_finding *finding);

/* Writes the options that would give what tma_paste_unknown() says is missing: "--dtype TYPE",
 * "--stride BYTES,...". */
TMA_EXPORT void tma_put_paste_lacks(tma_out *out, uint32_t unknown, const char *between);

/* The call as a command, with such words in place of what is not known. */
TMA_EXPORT void tma_put_paste_command(tma_out *out, const tma_paste *paste);

/* What an error that an encode call answers is about. */
typedef enum tma_code_about {
    TMA_CODE_ABOUT_NOTHING,   /* success */
    TMA_CODE_ABOUT_ARGUMENTS, /* this call's arguments */
    TMA_CODE_ABOUT_OLDER,     /* an earlier call or kernel killed the context */
    TMA_CODE_ABOUT_DEVICE,    /* no tensor maps there */
    TMA_CODE_ABOUT_CONTEXT    /* the process, its context or its memory */
} tma_code_about;

typedef struct tma_code_row {
    const char *name; /* "CUDA_ERROR_ILLEGAL_ADDRESS" */
    int32_t number;
    uint32_t about;      /* tma_code_about */
    const char *words;   /* cuGetErrorString's */
    const char *meaning; /* in one clause; may be "" */
} tma_code_row;

/* The row of a number, or null; the table in driver_codes.def. */
TMA_EXPORT const tma_code_row *tma_code_of(int32_t number);

/* A member of CUresult. */
typedef struct tma_code_name {
    const char *name; /* "CUDA_ERROR_NOT_INITIALIZED" */
    int32_t number;
} tma_code_name;

/* A member by its place, from 0; returns 0, or -1 after the last. */
TMA_EXPORT int tma_code_name_at(tma_code_name *out, size_t index);

#ifdef __cplusplus
}
#endif
#endif
