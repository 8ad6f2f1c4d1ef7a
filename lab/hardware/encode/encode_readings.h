/* SPDX-License-Identifier: Apache-2.0
 *
 * Before the mass of specs: what sources dispute of a map's words (readings.def) is decided by the
 * maps that this driver makes.
 */
#ifndef HARDWARE_ENCODE_READINGS_H
#define HARDWARE_ENCODE_READINGS_H

#include "session.h"

/* Maps that hang on one question alone, against each of its readings. Prints what was found, also
 * into the report; the session's target has it from then on. Counts the questions that were
 * decided, and as failures those that the driver answers in no known way. */
void encode_readings(struct session *session, struct tally *tally);

#endif
