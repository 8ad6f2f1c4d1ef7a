/* SPDX-License-Identifier: Apache-2.0
 *
 * What the libraries' own functions take for granted. On where TMA_ASSERTIONS is defined (builds
 * with sanitizers, and with them tests and fuzzers): the program stops on the spot. Elsewhere
 * nothing is compiled. It is for mistakes of the libraries: whatever a caller gives is judged and
 * answered, never asserted.
 */
#ifndef TMA_ASSERT_H
#define TMA_ASSERT_H

#ifdef TMA_ASSERTIONS
#define TMA_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define TMA_ASSERT(condition) ((void)0)
#endif

#endif
