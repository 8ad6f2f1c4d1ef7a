/* SPDX-License-Identifier: Apache-2.0
 *
 * What libtma refuses is asked as well, each copy in a process of its own: what became of it is
 * printed and goes into the report as a line of kind "refused", with the bytes that it left.
 */
#ifndef HARDWARE_REFUSED_PASS_H
#define HARDWARE_REFUSED_PASS_H

#include "session.h"

/* Asks what the chip has instructions for. A reading that is decided by it is the session's
 * target's from then on. Counts as passed what was answered, as failed what no process could ask,
 * and a copy that libtma says is killed and that ran as nobody says. */
void refused_pass(struct session *session, struct tally *tally);

/* The worker's side: the case session->first of the feature session->count. */
int refused_worker(const struct session *session);

#endif
