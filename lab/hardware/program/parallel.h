/* SPDX-License-Identifier: Apache-2.0
 *
 * A range of numbered pieces of work on many threads.
 */
#ifndef HARDWARE_PARALLEL_H
#define HARDWARE_PARALLEL_H

#include <stdint.h>

/* Work on numbers first to first + count - 1; called on many threads at once. */
typedef void (*parallel_work)(void *context, uint64_t first, uint64_t count);

/* Has all of the range worked on, `chunk` numbers a call, and waits. */
void parallel_for(unsigned threads, uint64_t first, uint64_t count, uint64_t chunk,
                  parallel_work work, void *context);

#endif
