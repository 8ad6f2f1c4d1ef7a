/* SPDX-License-Identifier: Apache-2.0
 *
 * What reports say about maps: a call and its answer as a case line, which `tma replay` reads, and
 * where two maps differ.
 */
#ifndef SHIM_REPORT_MAP_H
#define SHIM_REPORT_MAP_H

#include "driver_abi.h"
#include "report_out.h"
#include "tma/case.h"

#define REQUEST_LINE_BYTES 1400 /* and one more, for report_log() */

/* " rc=R", and " desc=" with the map's bytes if there is one. */
void request_answer(tma_out *line, shim_result rc, const uint8_t *map);

/* The beginning of a line; arch= is left out for sm_90, as in the captured lines. */
void request_map(tma_out *line, const char *kind, const tma_spec *spec, uint16_t sm);

/* A line for each field in which the maps differ, and for each word with bits that no field owns.
 */
void report_differences(struct report *report, const uint8_t *drivers, const uint8_t *libtmas);

#endif
