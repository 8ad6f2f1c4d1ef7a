/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of tma-conformance.
 */
#ifndef HARDWARE_PARTS_H
#define HARDWARE_PARTS_H

#include "session.h"

struct tally encode_part(const struct session *session);
struct tally copies_part(const struct session *session);
struct tally replace_part(const struct session *session);
struct tally speed_part(const struct session *session);
struct tally barrier_part(const struct session *session); /* writes a core dump: not in PART_ALL */
struct tally wgmma_part(const struct session *session);   /* sm_90a's: not in PART_ALL */
struct tally tcgen05_part(const struct session *session); /* sm_100's: not in PART_ALL */

/* What a process does for another one, by session->worker; they return its exit status. */
int encode_worker(const struct session *session);
int copies_worker(const struct session *session);
int trap_worker(const struct session *session);
int barrier_worker(const struct session *session);
int barrier_alone_worker(const struct session *session);
int barrier_kill_worker(const struct session *session);
int wgmma_worker(const struct session *session);

#endif
