/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch in words: what --param and --map give, what the kernel's directives say, and what is
 * invented where nothing is given; then its passes, late and early, their findings in one list.
 * For the command, Python and the page, which say what is here.
 */
#ifndef EMULATOR_SESSION_H
#define EMULATOR_SESSION_H

#include "by_address.h"
#include "by_instruction.h"
#include "ptx_memory.h"
#include "tma/emulate.h"
#include "tma/json.h"
#include "tma/map.h"

#define SESSION_MOST_PARAMS 64
#define SESSION_MOST_VALUES 256
#define SESSION_VALUE       96
#define SESSION_NUMBERS     3

typedef enum session_from { SESSION_GIVEN, SESSION_DIRECTIVE, SESSION_INVENTED } session_from;
const char *session_from_name(uint32_t from);

/* How a launch is run, as it was asked for: zero members are defaults. */
typedef struct session_how {
    tma_emulate_launch launch; /* sizes, limits, seed, readings */
    uint32_t schedules;        /* seeded ones beside late and early */
    uint32_t no_invent;
    uint32_t only;   /* 1: the pass of launch.schedule and launch.seed alone, */
    uint32_t number; /* where numbers are invented with this one */
    int raw_names;   /* of C++, as they are mangled */
} session_how;

#define SESSION_MOST_SCHEDULES 1000000

/* "late", "early", "seeded"; "" for others. "scope=strict" into how->launch.readings. */
const char *session_schedule_name(uint32_t schedule);
int session_reading(session_how *how, const char *text, tma_error *error);

/* An option of `how` by its name, "--" left out: whether there is one, and with a value or none;
 * and set, of one that there is (a flag's text is not read). -1 and *error: no such value. */
typedef enum session_option_kind {
    SESSION_NO_OPTION,
    SESSION_FLAG,
    SESSION_VALUED
} session_option_kind;
session_option_kind session_option_of(const char *name);
int session_option(session_how *how, const char *name, const char *text, tma_error *error);

/* Global memory. */
typedef struct session_buffer {
    uint64_t address, size_B;
    uint8_t *first; /* its bytes before a pass */
    uint8_t *bytes; /* and in it */
    char name[SESSION_VALUE];
    uint32_t parameter; /* that it belongs to; UINT32_MAX: none, it is at its own address */
    uint8_t is_uninitialised;
    uint8_t is_left_out; /* of a captured launch: what was in it is not known */
} session_buffer;

/* What stands at a parameter's offset. */
typedef struct session_value {
    char text[SESSION_VALUE]; /* in words */
    const char *word;         /* all of them, where they were given */
    uint32_t parameter, offset_B, size_B;
    uint32_t buffer; /* or UINT32_MAX */
    uint32_t holder; /* the buffer that holds an invented map; UINT32_MAX: the parameter does */
    uint8_t from;    /* session_from */
    uint8_t is_map, is_number;
    uint8_t rank, is_im2col, is_rows4; /* of an invented map: */
    uint32_t first_B;                  /* bytes of its box where no barrier says how many, */
    uint32_t box_B;                    /* of now, */
    uint8_t is_less;                   /* or of more than it has: none has as many */
} session_value;

/* A finding of all passes. */
typedef struct session_finding {
    tma_emulate_finding is;
    uint32_t passes;   /* that had it */
    uint32_t number;   /* what invented numbers were then */
    uint32_t schedule; /* of the first pass that had it (as certain as it is) */
    uint64_t seed;
    uint8_t is_accepted; /* --accept: it does not count */
} session_finding;

/* What tma ptx says of a line that was not executed. */
typedef struct session_static_finding {
    const char *rule, *text, *function;
    const char *source;       /* "kernel.cu:12", or null */
    uint32_t line, with_line; /* the second may be 0 */
    uint8_t certain, is_accepted;
} session_static_finding;

typedef struct session_note {
    const char *text;
    uint32_t line;
} session_note;

typedef struct session {
    ptx_memory *memory;
    tma_emulator *emulator;
    const char *kernel; /* in the PTX's spelling */
    session_how how;
    tma_emulate_launch launch; /* of the pass of now */
    tma_emulate_memory *given; /* for launch.memory */
    tma_emulate_parameter parameter[SESSION_MOST_PARAMS];
    session_value value[SESSION_MOST_VALUES];
    session_buffer *buffer;
    emu_piece *by_address; /* buffers */
    uint8_t *params;
    uint32_t parameters, values, buffers, pieces;
    uint64_t next_address, memory_B;               /* memory_B: of all buffers' copies */
    uint8_t block_from, cluster_from, shared_from; /* session_from */
    uint32_t maps, numbers;                        /* that are invented, */
    uint8_t is_unsure; /* no barrier says the box of one: of stores, where all have been found */
    uint8_t is_shared_out; /* several such maps share what one barrier expects */
    uint32_t element_B;    /* and of their elements */
    uint32_t try_number[SESSION_NUMBERS], tries; /* launches that differ in their numbers */
    uint32_t number;                             /* that of now */
    /* what came of it */
    session_finding *finding;
    emu_by_instruction about; /* findings, by the instruction of the first access, */
    emu_by_instruction noted; /* notes by their lines, as many as there are instructions */
    session_note *note;
    session_static_finding *by_static;
    uint32_t findings, notes, passes, statics;
    uint32_t said; /* the first notes: of options, before the run */
    uint32_t end;  /* of the worst pass: tma_emulate_end */
    char why[TMA_EMULATE_TEXT];
    uint32_t end_line;
    uint64_t instructions;
    uint64_t *memory_hash; /* of all buffers behind each pass */
    uint32_t hashes;
    const char *unproved; /* why other schedules may do something else; null: none does */
    uint32_t unproved_line;
    uint32_t *executed; /* by index of tma_emulator_line_at(), all passes */
    uint32_t lines;
} session;

/* Reads a file that a value names: the bytes of its data. -1 and *error. */
typedef int (*session_read)(void *context, const char *path, const uint8_t **bytes, size_t *size_B,
                            tma_error *error);

/* Begins with an emulator and a kernel's name, mangled or not; null: the only one. -1 and *error:
 * there is none, or several. */
int session_begin(session *s, ptx_memory *memory, tma_emulator *emulator, const char *kernel,
                  tma_error *error);

/* Bytes of hexadecimal digits, two each. -1: it is none. */
int session_hex(uint8_t *to, const char *digits, size_t length);

/* Before the values: how it is run. */
void session_take_how(session *s, const session_how *how);

/* Global memory at an address of its own, zeroed: a captured launch's. Before the values, which may
 * point into it. Null and *error: it is too large. Once all of it is there it is sorted: -1 and
 * *error: some of it overlaps. */
session_buffer *session_add_memory(session *s, uint64_t address, uint64_t size_B, tma_error *error);
int session_sort_memory(session *s, tma_error *error);
/* The buffer that holds all these bytes, by its index; UINT32_MAX: none does. */
uint32_t session_buffer_at(const session *s, uint64_t address, uint64_t size_B);

/* "N|NAME[+OFFSET]=VALUE" and "N|NAME[+OFFSET]=MAP", in any order. The text has to stay. */
int session_param(session *s, const char *text, session_read read, void *context, tma_error *error);
int session_map(session *s, const char *text, session_read read, void *context, tma_error *error);

/* Memory for a map's tensor, in the words of --param: zeros:, random:, or a file. */
session_buffer *session_contents(session *s, session_value *map, const char *text,
                                 session_read read, void *context, tma_error *error);

/* A parameter by its number or name, "@" left out; UINT32_MAX and *error: there is none. */
uint32_t session_parameter(const session *s, const char *name, size_t length, tma_error *error);
/* The buffer that a parameter's value points to, or that has an address ("0x7f0000"); null and
 * *error: there is none. */
session_buffer *session_buffer_of(session *s, const char *name, size_t length, tma_error *error);

/* What is left out is invented, or, with no_invent, refused. Then the launch is whole. */
int session_settle(session *s, tma_error *error);

/* Runs all passes. */
int session_run(session *s, tma_error *error);

/* What tma ptx says of lines that were not executed: by_static[]. */
int session_static(session *s, const char *ptx, size_t size, tma_error *error);

/* Known findings, by lines "RULE KERNEL [LINE]": they do not count. *left: lines of this kernel
 * that accept nothing. -1 and *error: a line is none. */
int session_accept(session *s, const char *text, size_t size, uint32_t *left, tma_error *error);

/* Findings that count, and those that do not. */
uint32_t session_count(const session *s, int is_accepted);

/* The i-th value that is a map whose boxes are invented: they fit what barriers expect, so that
 * nobody judges that. Null: there are no more. */
const session_value *session_fitted_map(const session *s, uint32_t i);

/* Whether some value is invented, and, once for each, its words as they were for a finding (null:
 * for the last pass): "n = 512". */
int session_invented(const session *s, const session_finding *f, uint32_t index,
                     char text[SESSION_VALUE + 96]);

/* Protocol instructions: executed of how many; and the lines of those that were not, as ranges:
 * index from 0, false behind the last. */
void session_coverage(const session *s, uint32_t *executed, uint32_t *total);
int session_missed(const session *s, uint32_t index, uint32_t *first, uint32_t *last);

/* All of it in words, with names as they are mangled or not; and as the members of a JSON object.
 */
void session_put_text(tma_out *out, const session *s, int raw_names);
void session_put_json(tma_json *json, const session *s);
/* "thread 3 of CTA 0, iteration 2, read of 4 bytes at ...". */
void session_put_access(tma_out *out, const session *s, const tma_emulate_access *access);
/* What an invented map hides: a sentence, or nothing. */
void session_put_unjudged(tma_out *out, const session *s);
/* "32 threads of CTA 0, from thread 96 on, wait at line 36: barrier 1". */
void session_put_wait(tma_out *out, const session *s, const tma_emulate_wait *wait);
/* Whether there is a finding; with certain_only one that is certain. */
int session_is_found(const session *s, int certain_only);

/* Parts of session*.c. */
session_value *session_add_value(session *s, uint32_t parameter, uint32_t offset_B, uint32_t size_B,
                                 tma_error *error);
session_buffer *session_add_buffer(session *s, session_value *value, uint64_t size_B,
                                   tma_error *error);
int session_put_map(session *s, session_value *value, const uint8_t map[TMA_MAP_BYTES],
                    tma_error *error);
int session_has(const session *s, uint32_t parameter, uint32_t offset_B, uint32_t size_B);
/* "NAME+OFFSET" up to '='; what is behind it, or null and *error. */
const char *session_place(const session *s, const char *text, const char *option,
                          uint32_t *parameter, uint32_t *offset_B, tma_error *error);
/* Whether such a text names a parameter that the kernel has not, before '=' or behind "=@". */
int session_lacks(const session *s, const char *text);
/* A note before those of the run. */
void session_say(session *s, const char *text);
int session_invent(session *s, tma_error *error);
/* Value i, an invented map, anew with boxes of so many bytes. */
int session_box(session *s, uint32_t i, uint32_t box_B, tma_error *error);
/* Invented numbers anew, and what they are called in the end. */
void session_number(session *s, uint32_t number);
void session_number_text(session *s, const char *text);
/* Invented numbers and the boxes of invented maps, by trying: session_probe.c, session_boxes.c. */
int session_probe(session *s, tma_error *error);
/* The i-th launch of those that session_probe() chose: 0, or -1 and *error. */
int session_take(session *s, uint32_t i, tma_error *error);
/* The launch with this number, boxes of invented maps with it. */
int session_take_number(session *s, uint32_t number, tma_error *error);
int session_boxes(session *s, tma_error *error);
/* session_pass.c. A trap at a copy of an invented map says nothing about the kernel. */
int session_is_inventions(const session *s, const tma_emulate_finding *f);
/* Whether it may be so because of an invented value alone. */
int session_is_unsure(const session *s, const tma_emulate_finding *f);
/* Whether the last pass ended in a trap at a copy of an invented map: that finding, or null. */
const tma_emulate_finding *session_blamed(const session *s);
int session_pass(session *s, uint32_t schedule, uint64_t seed, tma_error *error);

#endif
