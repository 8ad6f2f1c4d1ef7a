/* SPDX-License-Identifier: Apache-2.0
 *
 * What the verbs say, for machines: one object a line, each with "schema": 1. Keys are the command
 * line's words; addresses are strings in hex, as are numbers that no signed 64-bit integer holds.
 */
#ifndef CLI_OUT_JSON_H
#define CLI_OUT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "tma/check.h"
#include "tma/map.h"
#include "tma/measure.h"

/* {"schema": 1, "verb": verb} to put the rest in. */
json_t *json_begin(const char *verb);

/* Prints the object on a line of its own and lets go of it. */
void json_end(FILE *out, json_t *object);

json_t *json_text(const char *text); /* also of bytes that are no UTF-8 */
json_t *json_number(uint64_t number);
json_t *json_hex(uint64_t number);
json_t *json_enum(tma_enum_kind kind, uint32_t number); /* its name, or the number */

json_t *json_spec(const tma_spec *spec);
json_t *json_target(const tma_target *target);
json_t *json_finding(const tma_finding *finding);
json_t *json_measure(const tma_spec *spec, const tma_measure_result *measure);
json_t *json_map(const void *map); /* its 256 digits */
json_t *json_rule(const tma_rule *rule);

/* Ends the program if memory ran out; else the value put under the key. */
void json_put(json_t *object, const char *key, json_t *value);
void json_add(json_t *array, json_t *value);

#endif
