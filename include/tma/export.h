/* SPDX-License-Identifier: Apache-2.0
 *
 * How the library's symbols are seen from outside, and its version.
 */
#ifndef TMA_EXPORT_H
#define TMA_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TMA_VERSION_MAJOR 0
#define TMA_VERSION_MINOR 3
#define TMA_VERSION_PATCH 0
#define TMA_VERSION       "0.3.0"

/* The library is built with hidden visibility; what carries TMA_EXPORT is the interface. Whoever
 * builds it into something else may define this macro as he likes. */
#ifndef TMA_EXPORT
#if defined(__GNUC__) || defined(__clang__)
#define TMA_EXPORT __attribute__((visibility("default")))
#else
#define TMA_EXPORT
#endif
#endif

/* On every function whose answer must be looked at: a compiler warns of a call that drops it. */
#ifndef TMA_MUST_USE
#if defined(__GNUC__) || defined(__clang__)
#define TMA_MUST_USE __attribute__((warn_unused_result))
#else
#define TMA_MUST_USE
#endif
#endif

/* What a member is that nobody named. C says 0 by itself; C++ says so with this, and so takes
 * designated initialisers that leave members out without a warning. */
#if defined(__cplusplus) && __cplusplus >= 201402L
#define TMA_ZERO                                                                                   \
    {}
#else
#define TMA_ZERO
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Of these headers, as tma_version() is that of the library. */
#define TMA_VERSION_NUMBER                                                                         \
    (TMA_VERSION_MAJOR * 1000000u + TMA_VERSION_MINOR * 1000u + TMA_VERSION_PATCH)

/* The version of the library that runs: major * 1000000 + minor * 1000 + patch. A program that
 * links libtma.so may have been compiled with headers of another version; docs/abi.md says which.
 */
TMA_EXPORT uint32_t tma_version(void);

#ifdef __cplusplus
}
#endif
#endif
