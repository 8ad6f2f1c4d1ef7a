/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON, written in one pass into a tma_out: ASCII, one blank behind commas and colons, no line
 * breaks. Then the library's own things as JSON, with keys in the words of grammar.h. Addresses are
 * strings in hex, as are numbers that no signed 64-bit integer holds.
 */
#ifndef TMA_JSON_H
#define TMA_JSON_H

#include "check.h"
#include "crash.h"
#include "grammar.h"
#include "map.h"
#include "measure.h"
#include "plan.h"
#include "word.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tma_json {
    tma_out *out;
    uint64_t lists; /* a bit for each open bracket: whether it is a list's; at most 64 deep */
    int comma;      /* whether something stands before what comes next */
} tma_json;

/* A writer at the start of a line. */
TMA_EXPORT tma_json tma_json_begin(tma_out *out);

/* Opens an object or a list, and closes what was opened last. The key is for what stands in an
 * object; null in a list and outside. */
TMA_EXPORT void tma_json_object(tma_json *json, const char *key);
TMA_EXPORT void tma_json_list(tma_json *json, const char *key);
TMA_EXPORT void tma_json_end(tma_json *json);

/* One value. Text may be null, which is null; bytes of it that are no UTF-8 come out as '?'. */
TMA_EXPORT void tma_json_text(tma_json *json, const char *key, const char *text);
TMA_EXPORT void tma_json_u64(tma_json *json, const char *key, uint64_t number);
TMA_EXPORT void tma_json_i64(tma_json *json, const char *key, int64_t number);
TMA_EXPORT void tma_json_hex(tma_json *json, const char *key, uint64_t number);
TMA_EXPORT void tma_json_bool(tma_json *json, const char *key, int yes);
TMA_EXPORT void tma_json_null(tma_json *json, const char *key);

/* Text in pieces: all that is put to the returned tma_out, until tma_json_text_end(). */
TMA_EXPORT tma_out tma_json_text_out(tma_json *json, const char *key);
TMA_EXPORT void tma_json_text_end(tma_json *json);

/* The enumerator's name, or its number. */
TMA_EXPORT void tma_json_enum(tma_json *json, const char *key, tma_enum_kind kind, uint32_t number);

/* Writes an object: every argument of the call; architecture and driver; a finding with its rule;
 * what one copy of the map moves. The map is a string of 256 digits. */
TMA_EXPORT void tma_json_spec(tma_json *json, const char *key, const tma_spec *spec);
TMA_EXPORT void tma_json_target(tma_json *json, const char *key, const tma_target *target);
TMA_EXPORT void tma_json_finding(tma_json *json, const char *key, const tma_finding *finding);
TMA_EXPORT void tma_json_measure(tma_json *json, const char *key, const tma_spec *spec,
                                 const tma_measure_result *measure);
/* What one copy of a plan moves: its counts per dimension, and the rows of report.def; null without
 * either. */
TMA_EXPORT void tma_json_report(tma_json *json, const char *key, const tma_plan *plan,
                                const tma_report_result *report);
TMA_EXPORT void tma_json_map(tma_json *json, const char *key, const uint8_t *map);

/* The members of a rule, or of a row of crash.h, into an object that is open. */
TMA_EXPORT void tma_json_rule(tma_json *json, const tma_rule *rule);
TMA_EXPORT void tma_json_crash(tma_json *json, const tma_crash_row *row);

/* Likewise what a word of word.h says if it is of this kind: kind, says. */
TMA_EXPORT void tma_json_word(tma_json *json, uint64_t word, uint32_t kind);

#ifdef __cplusplus
}
#endif

#endif
