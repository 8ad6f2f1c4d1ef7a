/* SPDX-License-Identifier: Apache-2.0
 *
 * How the command fails: a message that names the argument, the value, the limit and the unit, and
 * an exit status. Parsers return messages (tma_error), only main and the verbs print them.
 */
#ifndef CLI_ERROR_H
#define CLI_ERROR_H

#include "tma/status.h"
#include "tma/text.h"

enum cli_exit {
    CLI_CLEAN = 0,
    CLI_FINDINGS = 1,
    CLI_MISUSE = 2,
    CLI_NOT_JUDGED = 3 /* of what runs programs or kernels: not to its end, or nothing checked */
};

/* The verb that messages begin with: "tma check". */
extern const char *cli_program;

/* "tma check: MESSAGE" on standard error. */
TMA_FORMAT(1, 2) void cli_say(const char *format, ...);

/* Ends the program if a call that cannot fail here did: a defect of the command. */
void cli_sure(tma_status status);

/* Ends the program: out of memory. */
__attribute__((noreturn)) void cli_out_of_memory(void);

/* What an allocation gave; ends the program where that is nothing. */
void *cli_got(void *memory);

/* As printf() would say it, free()d by the caller; ends the program where memory is lacking. */
TMA_FORMAT(1, 2) char *cli_printed(const char *format, ...);

#endif
