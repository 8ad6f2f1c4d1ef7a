/* SPDX-License-Identifier: Apache-2.0
 *
 * cmocka with the headers that it wants before it, and how many random specs a property is tried
 * on: a million, or what the environment's TMA_TEST_SPECS says.
 */
#ifndef TESTS_TESTING_H
#define TESTS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static inline unsigned long spec_count(void) {
    const char *text = getenv("TMA_TEST_SPECS");
    const unsigned long asked = text ? strtoul(text, NULL, 10) : 0;
    return asked ? asked : 1000000;
}

/* To the order in which memory holds numbers (lowest byte first) from the machine's, and back. */
static inline uint32_t little_endian(uint32_t number) {
    const uint8_t bytes[4] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                              (uint8_t)(number >> 24)};
    memcpy(&number, bytes, sizeof(number));
    return number;
}

#endif
