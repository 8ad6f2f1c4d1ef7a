/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports as lines: no stdio of the host program's, no locks that a fork could leave behind, no
 * memory but the caller's and one table.
 */
#include "report_out.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tma/text.h"
#include "write_out.h"

#define LINE_BYTES   1536 /* the longest line there is: a case line with its map */
#define REPORT_BYTES 8192
#define REPORTS      32 /* that can be made at the same time */
#define PATIENCE_S   0.1
#define KEYS         4096
#define KEYS_USED    3072 /* searches stay short */

struct report {
    atomic_int process; /* whose it is; 0 and a process before fork(): nobody's */
    size_t length;
    size_t room_used_B;
    char text[REPORT_BYTES];
    char plain[LINE_BYTES];
    _Alignas(max_align_t) unsigned char room[REPORT_ROOM_B];
};

static struct report reports[REPORTS];

static double now_s(void) {
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct report *free_report(void) {
    const int self = getpid();
    for (unsigned i = 0; i < REPORTS; i++) {
        int whose = atomic_load(&reports[i].process);
        if (whose != self && atomic_compare_exchange_strong(&reports[i].process, &whose, self)) {
            reports[i].length = 0;
            reports[i].room_used_B = 0;
            return &reports[i];
        }
    }
    return NULL;
}

struct report *report_begin(void) {
    static const char lost[] = "libtma: a report is lost: too many are being made at once\n";
    static atomic_flag said = ATOMIC_FLAG_INIT;
    struct report *report = free_report();
    if (!report) {
        const double end_s = now_s() + PATIENCE_S;
        while (!report && now_s() < end_s) {
            (void)sched_yield();
            report = free_report();
        }
    }
    if (!report && !atomic_flag_test_and_set(&said)) {
        (void)write_stderr(lost, sizeof(lost) - 1);
    }
    return report;
}

void *report_room(struct report *report, size_t size_B) {
    const size_t align_B = _Alignof(max_align_t);
    void *room = report->room + report->room_used_B;
    report->room_used_B += (size_B + align_B - 1) / align_B * align_B;
    assert(report->room_used_B <= REPORT_ROOM_B);
    return room;
}

static void put_line(struct report *report, const char *format, va_list arguments) {
    static const char head[] = "libtma: ";
    const size_t start = sizeof(head) - 1;
    char *text = report->text + report->length;
    memcpy(text, head, start);
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
    const int n = vsnprintf(report->plain, LINE_BYTES, format, arguments);
    tma_out out = tma_out_into(text + start, LINE_BYTES - start - 1);
    tma_put_printable(&out, report->plain,
                      n < 0             ? 0
                      : n >= LINE_BYTES ? LINE_BYTES - 1
                                        : (size_t)n);
    size_t length = start + out.length;
    if (length > LINE_BYTES - 2) {
        length = LINE_BYTES - 2;
        memset(text + length - 3, '.', 3); /* cut off */
    }
    text[length] = '\n';
    report->length += length + 1;
}

static void write_report(struct report *report) {
    if (report->length) {
        (void)write_stderr(report->text, report->length);
        report->length = 0;
    }
}

void report_line(struct report *report, const char *format, ...) {
    if (report->length + LINE_BYTES > REPORT_BYTES) {
        write_report(report);
    }
    va_list arguments;
    va_start(arguments, format);
    put_line(report, format, arguments);
    va_end(arguments);
}

void report_end(struct report *report) {
    write_report(report);
    atomic_store(&report->process, 0);
}

void report_message(const char *format, ...) {
    struct report *report = report_begin();
    if (report) {
        va_list arguments;
        va_start(arguments, format);
        put_line(report, format, arguments);
        va_end(arguments);
        report_end(report);
    }
}

void report_log(const char *path, char *line) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const size_t length = strlen(line);
    if (!path || !length) {
        return;
    }
    line[length] = '\n';
    const int error = append_file(path, line, length + 1);
    line[length] = 0;
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
