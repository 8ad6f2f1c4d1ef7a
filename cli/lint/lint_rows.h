/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings of PTX files for lint.h: of tma ptx and of tma emulate.
 */
#ifndef CLI_LINT_ROWS_H
#define CLI_LINT_ROWS_H

#include "lint.h"
#include "ptx_sites.h"
#include "run_session.h"

void lint_ptx(lint_writer *writer, const char *path, const ptx_report *report);
/* `unjudged_fails`: what was not judged is an error (--werror=unjudged). */
void lint_emulate(lint_writer *writer, const char *path, const session *s, int unjudged_fails);

/* Where a row of the file is: place, file_place, function and inlined of a finding. */
void lint_row(lint_finding *f, const char *path, const ptx_rows *rows, uint32_t row);
/* Another row that it is about, with what it is. */
tma_out lint_other_row(lint_finding *f, const char *path, const ptx_rows *rows, uint32_t row);

#endif
