/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch as a file (JSON; docs/emulator.md, Launch files): the PTX or where it is, the kernel,
 * its sizes, its parameters in the words of --param and --map, the files that these name, the
 * options. A trace begins with one, which says its pass besides.
 */
#ifndef EMULATOR_LAUNCH_FILE_H
#define EMULATOR_LAUNCH_FILE_H

#include "json_tree.h"
#include "run_session.h"

#define LAUNCH_SCHEMA  3 /* 1: without memory; 2: none is cooperative */
#define LAUNCH_PIECE_B 4096

/* Whether bytes are zeros alone, which the file leaves out. */
static inline int launch_is_zero(const uint8_t *bytes, size_t size_B) {
    size_t at = 0;
    while (at < size_B && !bytes[at]) {
        at++;
    }
    return at == size_B;
}

/* "NAME+OFFSET=VALUE" as --param takes it, or --map. */
typedef struct launch_word {
    const char *text;
    uint8_t is_map;
} launch_word;

/* A file that a value names, whole. */
typedef struct launch_data {
    const char *path;
    const uint8_t *bytes;
    size_t size_B;
} launch_data;

/* Memory at its own address; its pieces are those that come next in the list of them. */
typedef struct launch_memory {
    uint64_t address, size_B;
    uint32_t pieces;
    uint8_t is_left_out; /* what is in it is not known */
} launch_memory;

typedef struct launch_piece {
    uint64_t offset_B;
    const char *hex;
    size_t digits;
} launch_piece;

typedef struct launch_file {
    ptx_memory *memory;
    const char *ptx_path; /* null: the text */
    const char *ptx;
    size_t ptx_B;
    const char *kernel, *arch; /* or null */
    session_how how;
    launch_word *word;
    launch_data *data;
    launch_memory *place;
    launch_piece *piece;
    uint32_t words, datas, places, pieces;
} launch_file;

/* A number of launch_keys.def: where in a session_how it is. */
typedef enum launch_where { LAUNCH_TOP, LAUNCH_OPTIONS } launch_where;
typedef struct launch_number {
    launch_where where;
    const char *key;
    size_t at, size_B;
    uint64_t most;
} launch_number;
const launch_number *launch_number_at(size_t index); /* null behind the last */
uint64_t launch_number_get(const launch_number *number, const session_how *how);
void launch_number_set(const launch_number *number, session_how *how, uint64_t value);

/* Reads the first value of a text; what follows it is for who reads a trace. -1 and *error. */
int launch_read(launch_file *out, ptx_memory *memory, const char *text, size_t size,
                tma_error *error);

/* launch_memory.c: the list `memory`, read; and into a session, before its values. */
int launch_read_memory(launch_file *out, const json_value *list, tma_error *error);
int launch_place_memory(session *s, const launch_file *from, tma_error *error);

/* The members of a launch file, into an object that is open. `from`: the PTX, the kernel is the
 * session's; `data` are the files that values named. Values that are invented are marked so, and
 * invented again by who reads. */
void launch_put(tma_json *json, const session *s, const launch_file *from);
/* All of it, a line; with a pass the first one of that pass's trace. */
void launch_put_line(tma_out *out, const session *s, const launch_file *from,
                     const session_finding *pass);

#endif
