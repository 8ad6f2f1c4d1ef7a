/* SPDX-License-Identifier: Apache-2.0
 *
 * Where reports go: standard error, and the file of case lines.
 */
#ifndef SHIM_REPORT_OUT_H
#define SHIM_REPORT_OUT_H

#include <stddef.h>
#include <stdint.h>

#define VALUE_MOST 80 /* characters of an environment variable in a message */

/* Text that becomes one write. Static memory: a caller may stand on a stack of a few kilobytes, in
 * a signal's handler, where nothing can be allocated. */
struct report;

/* An empty one, which nobody else has until report_end(). Null if as many as there are stay taken
 * for 100 ms: then the report is lost, which is said once. */
struct report *report_begin(void);

/* Memory of the report's, for what its lines are made of; never null. In all, REPORT_ROOM_B. */
#define REPORT_ROOM_B 24576
void *report_room(struct report *report, size_t size_B);

/* Adds a line "libtma: ..." in printf's words. What would not fit is written before. */
void report_line(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes what was added, and gives the report back. */
void report_end(struct report *report);

/* One line, at once. */
void report_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Appends a line to the file that LIBTMA_LOG names, if there is one (not null) and the line is not
 * empty; the line must have room for another character. */
void report_log(const char *path, char *line);

/* Whether `key` comes for the first time in this process. After a few thousand different keys the
 * answer is always no, which is said once. */
int report_is_new(uint64_t key);

#endif
