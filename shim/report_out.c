/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports as lines: no stdio of the host program's, no locks that a fork could leave behind, no
 * memory but the caller's and one table.
 */
#include "report_out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "settings.h"
#include "tma/text.h"
#include "write_out.h"

#define LINE_BYTES 1536 /* the longest line there is: a case line with its map */
#define KEYS       4096
#define KEYS_USED  3072 /* searches stay short */

static size_t put_line(char *text, size_t size, const char *format, va_list arguments) {
    static const char head[] = "libtma: ";
    const size_t start = sizeof(head) - 1;
    memcpy(text, head, start);
    char plain[LINE_BYTES];
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
    const int n = vsnprintf(plain, sizeof(plain), format, arguments);
    tma_out out = tma_out_into(text + start, size - start - 1);
    tma_put_printable(&out, plain,
                      n < 0                        ? 0
                      : (size_t)n >= sizeof(plain) ? sizeof(plain) - 1
                                                   : (size_t)n);
    size_t length = start + out.length;
    if (length > size - 2) {
        length = size - 2;
        memset(text + length - 3, '.', 3); /* cut off */
    }
    text[length] = '\n';
    return length + 1;
}

void report_line(struct report *report, const char *format, ...) {
    if (report->length + LINE_BYTES > REPORT_BYTES) {
        report_end(report);
    }
    va_list arguments;
    va_start(arguments, format);
    report->length += put_line(report->text + report->length, LINE_BYTES, format, arguments);
    va_end(arguments);
}

void report_end(struct report *report) {
    (void)write_stderr(report->text, report->length);
    report->length = 0;
}

void report_message(const char *format, ...) {
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const size_t length = put_line(text, sizeof(text), format, arguments);
    va_end(arguments);
    (void)write_stderr(text, length);
}

void report_log(const char *line) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char text[LINE_BYTES];
    const char *path = settings()->log;
    const int length = path && *line ? snprintf(text, sizeof(text), "%s\n", line) : 0;
    if (length <= 0 || (size_t)length >= sizeof(text)) {
        return;
    }
    const int error = append_file(path, text, (size_t)length);
    if (error && !atomic_flag_test_and_set(&said)) {
        report_message("LIBTMA_LOG=%.*s%s: case lines cannot be written there (%s, errno %d)",
                       VALUE_MOST, path, strlen(path) > VALUE_MOST ? "..." : "",
                       error == ENXIO || error == EAGAIN ? "nobody reads it" : "an error", error);
    }
}

/* An open-addressed set without locks; 0 marks a free place. */
int report_is_new(uint64_t key) {
    static _Atomic(uint64_t) keys[KEYS];
    static atomic_uint used;
    static atomic_flag said = ATOMIC_FLAG_INIT;
    key += !key;
    for (uint64_t at = key;; at++) {
        uint64_t there = atomic_load(&keys[at % KEYS]);
        if (!there) {
            if (atomic_load(&used) >= KEYS_USED) {
                break;
            }
            if (atomic_compare_exchange_strong(&keys[at % KEYS], &there, key)) {
                atomic_fetch_add(&used, 1);
                return 1;
            }
        }
        if (there == key) {
            return 0;
        }
    }
    if (!atomic_flag_test_and_set(&said)) {
        report_message("%d different reports were made; no more will be", KEYS_USED);
    }
    return 0;
}
