/* SPDX-License-Identifier: Apache-2.0
 *
 * Before the mass of copies: what sources dispute (readings.def) is decided by what this GPU does.
 */
#ifndef HARDWARE_READING_PASS_H
#define HARDWARE_READING_PASS_H

#include "feature_pass.h"
#include "session.h"

/* Copies that hang on one question, under each of its readings. Prints what was found, also into
 * the report; the session's target has it from then on. Counts the questions that were decided, and
 * as failures those that the GPU answers in no known way or a failed worker left open. */
void reading_pass(struct session *session, const struct feature_deaths *deaths,
                  struct tally *tally);

/* A line on standard output, and as a comment in the report. */
void reading_say(const struct session *session, const char *text);
/* The report's lines are what this machine does: they are read as it reads. */
void reading_say_replay(const struct session *session);

#endif
