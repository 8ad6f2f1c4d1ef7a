/* SPDX-License-Identifier: Apache-2.0
 *
 * A batch of copies: made, run by the GPU in one go, and compared with the library.
 */
#ifndef HARDWARE_COPY_BATCH_H
#define HARDWARE_COPY_BATCH_H

#include "copy_features.h"
#include "random_copies.h"
#include "session.h"

struct copy_batch_result {
    uint64_t passed;
    uint64_t failed;
    uint64_t trapping;      /* cases that should trap: not run */
    uint64_t left_out;      /* cases with a feature that the session leaves out: not run */
    uint64_t bytes;         /* compared */
    uint64_t ran[FEATURES]; /* of each feature */
    uint64_t differed[FEATURES];
};

/* Runs the copies `first` to first + count - 1 (or those that the session names), or, where
 * `trapping`, those alone that the library says trap. Returns null, or the error that killed the
 * kernel; *result is then unchanged. */
const char *copy_batch_run(const struct session *session, uint64_t first, uint64_t count,
                           int trapping, struct copy_batch_result *result);

#endif
