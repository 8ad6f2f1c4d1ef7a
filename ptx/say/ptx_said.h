/* SPDX-License-Identifier: Apache-2.0
 *
 * What was found, in words that every front end says alike: sentences, and JSON.
 */
#ifndef PTX_PTX_SAID_H
#define PTX_PTX_SAID_H

#include "ptx_sites.h"
#include "tma/json.h"

/* The first finding of a site (before: PTX_NONE), then the next; PTX_NONE: no more. */
uint32_t ptx_finding_of(const ptx_report *report, uint32_t site, uint32_t before);

/* Whether something is said of a site. */
int ptx_has_finding(const ptx_report *report, uint32_t site);

/* A value in words: "16", "smem+128", "parameter k_param_3"; "" where nothing is known. */
size_t ptx_known_text(const ptx_known *known, char *text, size_t size);

/* A place of a finding's way: its kind as JSON has it; its instruction; what of it is passed ("not
 * taken: %tid.x = 0"), or null where there is nothing to say. */
#define PTX_MOST_SAYS 256
const char *ptx_passed_name(const ptx_passed *passed);
void ptx_passed_put(tma_out *out, const ptx_report *report, const ptx_passed *passed);
const char *ptx_passed_says(char says[PTX_MOST_SAYS], const ptx_report *report,
                            const ptx_passed *passed);
/* All of it in a line: "line 8 -> line 9 bar.sync 0; -> line 12"; nothing where there is none. */
void ptx_way_put(tma_out *out, const ptx_report *report, const ptx_finding *finding);

/* "not judged: kernel k, lines 5 to 4011, by ...": a kernel that is too large for a bound. */
void ptx_unjudged_put(tma_out *out, const ptx_report *report, const ptx_unjudged *unjudged);

/* What the file could not tell, and what was not judged: a sentence, or null where there is none.
 * `i` from 0. */
#define PTX_MOST_NOTE 1024
const char *ptx_note(const ptx_report *report, int i, char *text, size_t size);

/* What no path through a kernel shows, and an execution (tma emulate) does. */
#define PTX_A_LAUNCH_SHOWS "what a launch shows (stages of rings, parities, races of threads)"

/* Whether barriers expect bytes, and of a load that may bring them the map is not known. */
#define PTX_A_MAP_SHOWS "bytes expected of copies whose map is not given (--map)"
int ptx_lacks_map(const ptx_report *report);

/* The kernels of the file that have a body: what a launch can name. */
uint32_t ptx_kernels_of(const ptx_report *report);

/* All of it, as the members of an object that is open. */
void ptx_report_json(tma_json *json, const ptx_report *report, int findings_only);

#endif
