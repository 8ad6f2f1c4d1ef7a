/* SPDX-License-Identifier: Apache-2.0
 *
 * All rules that know a mistake by the shape of a loop, in their order.
 */
#include "protocol_shapes.h"

void ptx_shapes_check(ptx_protocol *p) {
    ptx_turns_check(p);
    ptx_rings_check(p);
    ptx_phases_check(p);
    ptx_reads_check(p);
    ptx_drains_check(p);
    ptx_peers_check(p);
    ptx_early_check(p);
    ptx_returns_check(p);
    ptx_played_check(p);
    ptx_answers_check(p);
}
