/* SPDX-License-Identifier: Apache-2.0
 *
 * The portable loops: vectors of 16 bytes, which every compiler turns into what the machine has.
 */
#include <string.h>

#include "copy_kernels.h"
#include "tma/element.h"

#ifdef __GNUC__ /* how a vector would be returned, without SSE: none leaves this file */
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define TMA_W                 16
#define TMA_NAME(name)        portable_##name
#define TMA_NARROW(name)      TMA_NO_PERIOD
#define TMA_NARROW_LIST(name) TMA_NO_LIST
#include "copy_chunks.h"

/* Element by element on bits: the compiler has no 16-bit floats everywhere. */
static portable_vec portable_sum_f16(portable_vec g, portable_vec s) {
    uint16_t a[8];
    uint16_t b[8];
    memcpy(a, &g, sizeof(a));
    memcpy(b, &s, sizeof(b));
    for (int i = 0; i < 8; i++) {
        a[i] = (uint16_t)tma_reduce(TMA_OP_ADD, TMA_DTYPE_FLOAT16, a[i], b[i]);
    }
    memcpy(&g, a, sizeof(a));
    return g;
}
#define TMA_SUM_F16(g, s) portable_sum_f16(g, s)
#include "copy_reduce.h"
#undef TMA_SUM_F16
#undef TMA_NARROW
#undef TMA_NARROW_LIST
#undef TMA_NAME
#undef TMA_W

static void portable_expand(const tma_job *job) {
    portable_expand_by(job, tma_expand_line_in_c);
}

const tma_kernels tma_kernels_portable = {
    portable_load,         portable_store,        portable_fill,
    portable_reduce,       portable_expand,       tma_pack,
    portable_straight_any, portable_load_periods, portable_store_periods,
    portable_list_periods, portable_streams};
