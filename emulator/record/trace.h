/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass of a session watched: as a trace, JSON lines (docs/emulator.md, Traces), or for who
 * wrote last to an address.
 */
#ifndef EMULATOR_TRACE_H
#define EMULATOR_TRACE_H

#include "run_session.h"

/* The pass that a trace is of: that of the first finding that is certain, of the first at all, or
 * the first pass. */
session_finding trace_pass(const session *s);

/* Runs that pass and writes its lines behind the launch's. 0, or -1 and *error. */
int trace_put(session *s, const session_finding *pass, tma_out *out, tma_error *error);

/* Runs the last pass again: the last write to one of size_B bytes at an address, thread or copy.
 * *found: 0: nothing wrote there. */
int trace_last_writer(session *s, uint64_t address, uint64_t size_B, tma_emulate_access *writer,
                      int *found, tma_error *error);

#endif
