/* SPDX-License-Identifier: Apache-2.0
 *
 * A case in a process of its own, whose words are compared; and what is around the library's files
 * there: a driver that is there or not, standard error and files, of which all is heard.
 */
#ifndef SHIM_TESTS_ASIDE_H
#define SHIM_TESTS_ASIDE_H

#include "real_driver.h"

/* What real_driver.c says. */
struct driver_aside {
    shim_function call[SHIM_SYMBOLS]; /* null: the driver has none */
    int is_there, is_loading;
};
extern struct driver_aside driver;

/* A word to the test. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fails the test where run() says something else, all that the library writes among it. */
void is_said(const char *what, void (*run)(const void *context), const void *context,
             const char *expected);

#endif
