/* SPDX-License-Identifier: Apache-2.0
 *
 * What this library does inside of a call that is the program's: errno stays, and a cancellation
 * that is pending (pthread_cancel) waits. The driver's calls are no cancellation points; a write or
 * an open of ours would be one.
 */
#ifndef SHIM_OWN_WORK_H
#define SHIM_OWN_WORK_H

#include <errno.h>
#include <pthread.h>

struct own_work {
    int error;
    int cancelling;
};

static inline struct own_work own_work_begin(void) {
    struct own_work work = {errno, PTHREAD_CANCEL_ENABLE};
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &work.cancelling);
    return work;
}

static inline void own_work_end(const struct own_work *work) {
    (void)pthread_setcancelstate(work->cancelling, NULL);
    errno = work->error;
}

#endif
