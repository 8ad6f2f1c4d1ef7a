/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call answers. Whenever it is not TMA_OK, nothing was written.
 */
#ifndef TMA_STATUS_H
#define TMA_STATUS_H

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tma_status {
    TMA_OK = 0,
    TMA_REFUSED = 1,  /* the driver answers CUDA_ERROR_INVALID_VALUE: tma_check() says why */
    TMA_ARGUMENT = 2, /* a null pointer, or a number that the call itself cannot mean */
    TMA_TRAP = 3,     /* the hardware would kill the kernel: the finding says why */
    TMA_MEMORY = 4    /* the copy would leave the memory that the caller gave */
} tma_status;

/* "TMA_REFUSED", or "unknown status". */
TMA_API const char *tma_status_name(tma_status status);

#ifdef __cplusplus
}
#endif
#endif
