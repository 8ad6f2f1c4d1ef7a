/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules that know a mistake by the shape of a loop, behind one function.
 */
#ifndef PTX_PROTOCOL_SHAPES_H
#define PTX_PROTOCOL_SHAPES_H

#include "ptx_protocol.h"

/* All of them, behind the rules on all paths. */
void ptx_shapes_check(ptx_protocol *p);

/* One of protocol_turns.c, and so on. */
void ptx_turns_check(ptx_protocol *p);
void ptx_rings_check(ptx_protocol *p);
void ptx_phases_check(ptx_protocol *p);
void ptx_reads_check(ptx_protocol *p);
void ptx_drains_check(ptx_protocol *p);
void ptx_peers_check(ptx_protocol *p);
void ptx_early_check(ptx_protocol *p);
void ptx_returns_check(ptx_protocol *p);
void ptx_played_check(ptx_protocol *p);
void ptx_answers_check(ptx_protocol *p);
void ptx_stages_check(ptx_protocol *p); /* asked by the rings' */

/* protocol_stages.c: whether a loop has a finding already. */
int ptx_loop_is_said(const ptx_protocol *p, ptx_rule rule, uint32_t loop);

#endif
