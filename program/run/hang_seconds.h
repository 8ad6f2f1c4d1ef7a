/* SPDX-License-Identifier: Apache-2.0
 *
 * --hang=SECONDS.
 */
#ifndef CLI_HANG_SECONDS_H
#define CLI_HANG_SECONDS_H

#include <stdint.h>

/* Seconds from 1 to a day; 0: it is none, which is said. */
uint32_t hang_seconds(const char *text);

#endif
