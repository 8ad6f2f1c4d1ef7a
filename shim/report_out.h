/* SPDX-License-Identifier: Apache-2.0
 *
 * Where reports go: standard error, and the file of case lines.
 */
#ifndef SHIM_REPORT_OUT_H
#define SHIM_REPORT_OUT_H

#include <stddef.h>
#include <stdint.h>

#define REPORT_BYTES 8192
#define VALUE_MOST   80 /* characters of an environment variable in a message */

/* Text that becomes one write. On the stack of who reports: nothing here allocates. */
struct report {
    size_t length;
    char text[REPORT_BYTES];
};

/* Adds a line "libtma: ..." in printf's words. What would not fit is written before. */
void report_line(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes what was added. */
void report_end(struct report *report);

/* One line, at once. */
void report_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Appends a line to the file of LIBTMA_LOG, if that is set and the line is not empty. */
void report_log(const char *line);

/* Whether `key` comes for the first time in this process. After a few thousand different keys the
 * answer is always no, which is said once. */
int report_is_new(uint64_t key);

#endif
