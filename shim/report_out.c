/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports on their way out: plain writes, no stdio of the host program's, no locks that a fork
 * could leave behind, no memory but the caller's and one table.
 */
#include "report_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "settings.h"

#define LINE_BYTES 1536 /* the longest line there is: a case line with its map */
#define KEYS       4096
#define KEYS_USED  3072 /* searches stay short */

static int write_all(int file, const char *text, size_t length) {
    while (length) {
        const ssize_t done = write(file, text, length);
        if (done < 0 && errno != EINTR) {
            return -1;
        }
        if (done > 0) {
            text += done;
            length -= (size_t)done;
        }
    }
    return 0;
}

static size_t put_line(char *text, size_t size, const char *format, va_list arguments) {
    static const char head[] = "libtma: ";
    const size_t start = sizeof(head) - 1;
    memcpy(text, head, start);
    const int n = vsnprintf(text + start, size - start - 1, format, arguments);
    size_t length = start + (n < 0 ? 0 : (size_t)n);
    if (length > size - 2) {
        length = size - 2; /* cut off */
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
    write_all(STDERR_FILENO, report->text, report->length);
    report->length = 0;
}

void report_message(const char *format, ...) {
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const size_t length = put_line(text, sizeof(text), format, arguments);
    va_end(arguments);
    write_all(STDERR_FILENO, text, length);
}

/* Opened for each line: no descriptor stays open for the host program to trip over. */
void report_log(const char *line) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char text[LINE_BYTES];
    const char *path = settings()->log;
    const int length = path && *line ? snprintf(text, sizeof(text), "%s\n", line) : 0;
    if (length <= 0 || (size_t)length >= sizeof(text)) {
        return;
    }
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const int failed = file < 0 || write_all(file, text, (size_t)length);
    const int error = errno;
    if (file >= 0) {
        close(file);
    }
    if (failed && !atomic_flag_test_and_set(&said)) {
        report_message("LIBTMA_LOG=%s: case lines cannot be written there (errno %d)", path, error);
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
