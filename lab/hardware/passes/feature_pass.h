/* SPDX-License-Identifier: Apache-2.0
 *
 * Before the mass of copies: a few of each feature, in a process of their own, so that one wrong
 * belief costs its feature and not the run.
 */
#ifndef HARDWARE_FEATURE_PASS_H
#define HARDWARE_FEATURE_PASS_H

#include "session.h"

/* A bit for each feature. */
struct feature_deaths {
    uint32_t dead; /* the mass leaves them out */
    uint32_t lost; /* of those: their worker ended, but not by a killed kernel. Nothing is known */
};

/* Runs it and prints what died; *tally has the features that lived and those that died. */
struct feature_deaths feature_pass(const struct session *session, struct tally *tally);

#endif
