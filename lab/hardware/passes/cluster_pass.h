/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads by one CTA of a cluster for others of it, which no mass of copies has: .multicast::cluster,
 * .cta_group::2, both. Each kind in a process of its own.
 */
#ifndef HARDWARE_CLUSTER_PASS_H
#define HARDWARE_CLUSTER_PASS_H

#include "session.h"

/* Runs what the chip has. `dead`: features that were killed. Counts the copies; a kind that is
 * killed is one failure. */
void cluster_pass(const struct session *session, uint32_t dead, struct tally *tally);

/* The worker's side: the session's numbers, as kind session->first. */
int cluster_worker(const struct session *session);

#endif
