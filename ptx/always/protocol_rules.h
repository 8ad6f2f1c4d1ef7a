/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules on all paths; protocol_check.c has their order.
 */
#ifndef PTX_PROTOCOL_RULES_H
#define PTX_PROTOCOL_RULES_H

#include "protocol_paths.h"

/* protocol_store.c: memory that the async proxy reads or writes */
extern const ptx_paths ptx_rule_proxies, ptx_rule_loaded_over, ptx_rule_stored_unmet;
/* protocol_reuse.c, protocol_sends.c: memory that a copy still reads */
extern const ptx_paths ptx_rule_reused, ptx_rule_reused_in_turn, ptx_rule_sent;
/* protocol_barrier.c, protocol_parity.c, protocol_life.c: what happens to mbarriers */
extern const ptx_paths ptx_rule_read_early, ptx_rule_used_raw, ptx_rule_same_parity,
    ptx_rule_invalidated;
/* protocol_tensor.c: tensor memory */
extern const ptx_paths ptx_rule_tensor_kept, ptx_rule_tensor_freed, ptx_rule_tensor_loaded,
    ptx_rule_tensor_made, ptx_rule_tensor_permit;
/* protocol_map.c */
extern const ptx_paths ptx_rule_edited;

void ptx_publish_check(ptx_protocol *p);
void ptx_await_check(ptx_protocol *p);
void ptx_count_check(ptx_protocol *p);
void ptx_init_check(ptx_protocol *p);
void ptx_tensor_check(ptx_protocol *p);
void ptx_life_check(ptx_protocol *p);
void ptx_parity_check(ptx_protocol *p);
void ptx_cluster_check(ptx_protocol *p);
void ptx_waiters_check(ptx_protocol *p);
void ptx_waiters_of(ptx_protocol *p, const ptx_act *copy);
void ptx_local_check(ptx_protocol *p, const ptx_act *copy);

#endif
