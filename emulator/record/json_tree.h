/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON read into a tree: launch files and the lines of traces.
 */
#ifndef EMULATOR_JSON_TREE_H
#define EMULATOR_JSON_TREE_H

#include "ptx_memory.h"
#include "tma/text.h"

typedef enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER, /* its text as it is written */
    JSON_TEXT,
    JSON_LIST,
    JSON_OBJECT,
} json_kind;

typedef struct json_value {
    json_kind kind;
    const char *key; /* of an object's member, else null */
    const char *text;
    size_t length;
    struct json_value *first, *next; /* of a list or an object; behind it there */
} json_value;

/* Reads one value; *size becomes what it takes of the text. Null and *error, with the line. */
json_value *json_read(ptx_memory *memory, const char *text, size_t *size, tma_error *error);

/* A member of an object by its key, or null. */
const json_value *json_member(const json_value *object, const char *key);

/* A number, or a text that is one ("0x2a"). -1 and *error: it is none; `what` names it. */
int json_u64(const json_value *value, uint64_t *out, const char *what, tma_error *error);

#endif
