/* SPDX-License-Identifier: Apache-2.0
 *
 * --report: one file to send back. Lines that begin with # say what was asked and how often the
 * answers agreed; the others are case lines, for `tma replay --check`: every case that differed or
 * was killed, and a few of those that agree.
 */
#ifndef HARDWARE_ANSWERS_FILE_H
#define HARDWARE_ANSWERS_FILE_H

#include "session.h"

/* Where vectors go: opened, and begun with the machine's names. Ends the program where the file
 * cannot be written. */
void vectors_open(struct session *session);

/* Whether a case is written where vectors are: all of them, or a report's. */
int vector_is_wanted(const struct session *session, uint64_t number, int differs);

/* The session with the share of cases that a report has of so many. */
struct session session_sampling(const struct session *session, uint64_t count);

/* One part's end. */
void report_part(const struct session *session, const char *part, const struct tally *tally);

/* Closes it; 0 if it is whole. */
int vectors_close(const struct session *session);

#endif
