/* SPDX-License-Identifier: Apache-2.0
 *
 * --report: one file to send back. Lines that begin with # say what was asked and how often the
 * answers agreed; the others are case lines, for `tma replay --check`: every case that differed or
 * was killed, and a few of those that agree.
 */
#ifndef HARDWARE_ANSWERS_FILE_H
#define HARDWARE_ANSWERS_FILE_H

#include "conformance.h"

/* Where vectors go: opened, and begun with the machine's names. Ends the program where the file
 * cannot be written. */
void vectors_open(struct session *session);

/* One part's end. */
void report_part(const struct session *session, const char *part, const struct tally *tally);

/* Closes it; 0 if it is whole. */
int vectors_close(const struct session *session);

#endif
