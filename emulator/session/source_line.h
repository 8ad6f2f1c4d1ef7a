/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an instruction comes from, by the PTX's .loc.
 */
#ifndef EMULATOR_SOURCE_LINE_H
#define EMULATOR_SOURCE_LINE_H

#include "ptx_rows.h"
#include "tma/emulate.h"

/* The file and line, the outermost function's where some are inlined. 0: the PTX does not say it.
 * `instruction`: of a tma_emulate_access. */
int source_line_of(ptx_source *out, const tma_emulator *emulator, uint32_t instruction);

/* "full+8": the variable in which a shared address lies; 0: none does (places.h). */
int source_shared_name(tma_out *out, const tma_emulator *e, uint32_t shared);

#endif
