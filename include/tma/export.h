/* SPDX-License-Identifier: Apache-2.0
 *
 * How the library's symbols are seen from outside, and its version.
 */
#ifndef TMA_EXPORT_H
#define TMA_EXPORT_H

#define TMA_VERSION_MAJOR 0
#define TMA_VERSION_MINOR 1
#define TMA_VERSION_PATCH 0
#define TMA_VERSION       "0.1.0"

/* The library is built with hidden visibility; what carries TMA_API is the interface. */
#if defined(__GNUC__) || defined(__clang__)
#define TMA_API __attribute__((visibility("default")))
#else
#define TMA_API
#endif

#endif
