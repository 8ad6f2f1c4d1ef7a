/* SPDX-License-Identifier: Apache-2.0
 *
 * Random loads of a cluster: a load of random_copies.h, and which CTAs take part.
 */
#ifndef HARDWARE_CLUSTER_COPIES_H
#define HARDWARE_CLUSTER_COPIES_H

#include "case_on_device.h"

enum { CLUSTER_MULTICAST, CLUSTER_GROUP, CLUSTER_MULTICAST_GROUP, CLUSTER_KINDS };

const char *cluster_kind_name(unsigned kind);
int cluster_kind_is_on(unsigned kind, const tma_target *target);

/* Whether the case is a load to .shared::cluster that is small enough for four windows. */
int cluster_can_load(const struct copy_case *copy);

/* The instruction of the case as one of the kind, and who takes part, by the case's seed. */
tma_instruction cluster_instruction(const struct copy_case *copy, unsigned kind);
struct device_cluster_copy cluster_on_device(const struct copy_case *copy, unsigned kind);

/* What each CTA's barrier is told to expect, by libtma's plan of the instruction. */
void cluster_expect(struct device_cluster_copy *copy, const tma_plan *plan, uint32_t tx_B);

#endif
