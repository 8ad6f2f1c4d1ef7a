/* SPDX-License-Identifier: Apache-2.0
 *
 * One pointer, which any thread sets and reads.
 */
#include "caller.h"

#include <stdatomic.h>

static _Atomic(libtma_cuda_told *) told_now;

void libtma_cuda_tell(libtma_cuda_told *told) {
    atomic_store(&told_now, told);
}

libtma_cuda_told *caller_told(void) {
    return atomic_load(&told_now);
}
