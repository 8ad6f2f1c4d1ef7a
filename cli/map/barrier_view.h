/* SPDX-License-Identifier: Apache-2.0
 *
 * An mbarrier's word, where tma decode is given one.
 */
#ifndef CLI_BARRIER_VIEW_H
#define CLI_BARRIER_VIEW_H

#include <stdint.h>

/* Prints what the word says; returns a cli_exit: findings where it can be no barrier's. */
int barrier_view(uint64_t word, int json);

#endif
