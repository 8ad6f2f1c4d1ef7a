/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call answers. Whenever it is not TMA_OK, nothing was written but the reason why.
 */
#ifndef TMA_STATUS_H
#define TMA_STATUS_H

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tma_status {
    TMA_OK = 0,
    TMA_REFUSED = 1, /* the driver answers CUDA_ERROR_INVALID_VALUE: tma_check() says why */
    TMA_INVALID = 2, /* the call itself is wrong: a null pointer, a number that nothing has */
    TMA_TRAP = 3,    /* the hardware would kill the kernel */
    TMA_MEMORY = 4,  /* the copy would leave the memory that the caller gave */
    TMA_PTXAS = 5,   /* the target's assembler rejects this form, so no kernel can have it */
    TMA_UNKNOWN = 6  /* nobody knows: no document and no capture says what the hardware does */
} tma_status;

/* "TMA_REFUSED", or "unknown status". */
TMA_EXPORT const char *tma_status_name(uint32_t status);

#ifdef __cplusplus
}

/* A yes or no is no status: `tma_accepts(...) == TMA_OK` would mean its contrary, and is an error.
 */
template <typename T> struct tma_only_bool {};
template <> struct tma_only_bool<bool> { typedef bool type; };
template <typename T> typename tma_only_bool<T>::type operator==(T, tma_status) = delete;
template <typename T> typename tma_only_bool<T>::type operator!=(T, tma_status) = delete;
#endif
#endif
