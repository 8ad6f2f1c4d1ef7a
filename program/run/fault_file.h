/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernels left of copies that broke a rule (tma/judge_record.h): a file that this program
 * shares with those that it starts.
 */
#ifndef CLI_FAULT_FILE_H
#define CLI_FAULT_FILE_H

#include <stdint.h>

/* Makes the file, empty, and names it in the environment. -1: it cannot, which is said. */
int fault_file_make(void);

/* Prints what was not printed yet, on standard error. */
void fault_file_look(void);

typedef struct fault_file_sum {
    uint32_t modules; /* that were told where to leave their records */
    uint32_t records;
    uint64_t skipped; /* copies that were not made */
    uint32_t cut;     /* records that were begun and not ended */
    uint32_t error;   /* the driver's, where it did not take the memory of a record */
} fault_file_sum;

/* Looks for the last time, and removes the file. */
fault_file_sum fault_file_end(void);

#endif
