/* SPDX-License-Identifier: Apache-2.0
 *
 * What reports say about maps: a call and its answer as a case line, which `tma replay` reads, and
 * where two maps differ; and the lines that all reports share.
 */
#ifndef SHIM_REPORT_MAP_H
#define SHIM_REPORT_MAP_H

#include "driver_abi.h"
#include "judged_target.h"
#include "report_out.h"
#include "tma/case.h"
#include "tma/check.h"

#define REQUEST_LINE_BYTES 1400 /* and one more, for report_log() */

/* " rc=R", and " desc=" with the map's bytes if there is one. */
void request_answer(tma_out *line, shim_result rc, const uint8_t *map);

/* The beginning of a line; arch= is left out for sm_90, as in the captured lines. */
void request_map(tma_out *line, const char *kind, const tma_spec *spec, uint16_t sm);

/* The first line: what the call answered, and who judges it for what. */
void report_answered(struct report *report, const char *call, shim_result rc,
                     const struct judged_target *target, int is_judged);

#define FINDING_BYTES 1024

/* "refused: boxDim[0] = 128: ... [inner-span]", made in `text`. */
void report_finding(struct report *report, char text[FINDING_BYTES], const tma_finding *found);

/* That the maps differ, a line for each field in which they do, and for each word with bits that no
 * field owns. */
void report_differences(struct report *report, const uint8_t *drivers, const uint8_t *libtmas);

/* What calls that edit a map have in common: that there is none; that the driver took what libtma
 * refuses; that it refused what libtma takes; another error, behind what is said of the arguments.
 */
void report_no_map(struct report *report, const void *map, const char *what);
void report_taken(struct report *report);
void report_unknown_rule(struct report *report);
void report_other_error(struct report *report, shim_result rc, const char *arguments);

#endif
