/* SPDX-License-Identifier: Apache-2.0
 *
 * How the command fails: a message that names the argument, the value, the limit and the unit, and
 * an exit status. Parsers return messages, only main and the verbs print them.
 */
#ifndef CLI_ERROR_H
#define CLI_ERROR_H

#include "tma/status.h"

enum cli_exit { CLI_CLEAN = 0, CLI_FINDINGS = 1, CLI_MISUSE = 2 };

typedef struct cli_error {
    char text[2048];
} cli_error;

/* Sets the message and returns -1. */
__attribute__((format(printf, 2, 3))) int cli_fail(cli_error *error, const char *format, ...);

/* Appends to the message. */
__attribute__((format(printf, 2, 3))) void cli_add(cli_error *error, const char *format, ...);

/* The verb that messages begin with: "tma check". */
extern const char *cli_program;

/* "tma check: MESSAGE" on standard error. */
__attribute__((format(printf, 1, 2))) void cli_say(const char *format, ...);

/* Ends the program: out of memory. */
__attribute__((noreturn)) void cli_out_of_memory(void);

/* Ends the program if a call that cannot fail here did: a defect of the command. */
void cli_sure(tma_status status);

#endif
