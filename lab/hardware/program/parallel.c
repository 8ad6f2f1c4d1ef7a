/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that take the next chunk until none is left.
 */
#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>

#include "device.h"

#define MOST_THREADS 1024

struct range {
    _Atomic uint64_t next;
    uint64_t end;
    uint64_t chunk;
    parallel_work work;
    void *context;
};

static void take_chunks(struct range *range) {
    for (;;) {
        const uint64_t first = atomic_fetch_add(&range->next, range->chunk);
        if (first >= range->end) {
            return;
        }
        const uint64_t left = range->end - first;
        range->work(range->context, first, left < range->chunk ? left : range->chunk);
    }
}

static void *worker(void *range) {
    device_use();
    take_chunks(range);
    return NULL;
}

void parallel_for(unsigned threads, uint64_t first, uint64_t count, uint64_t chunk,
                  parallel_work work, void *context) {
    struct range range = {first, first + count, chunk, work, context};
    pthread_t others[MOST_THREADS];
    unsigned started = 0;
    while (started + 1 < threads && started < MOST_THREADS &&
           pthread_create(&others[started], NULL, worker, &range) == 0) {
        started++;
    }
    take_chunks(&range);
    while (started > 0) {
        pthread_join(others[--started], NULL);
    }
}
