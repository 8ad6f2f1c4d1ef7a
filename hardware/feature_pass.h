/* SPDX-License-Identifier: Apache-2.0
 *
 * Before the mass of copies: a few of each feature, in a process of their own, so that one wrong
 * belief costs its feature and not the run.
 */
#ifndef HARDWARE_FEATURE_PASS_H
#define HARDWARE_FEATURE_PASS_H

#include "conformance.h"

/* Runs it and prints what died. Returns the features that the mass leaves out, and in *tally the
 * features that lived and those that died. */
uint32_t feature_pass(const struct session *session, struct tally *tally);

#endif
