/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings, and reports as they are written.
 */
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "aside.h"
#include "report_out.h"
#include "settings.h"
#include "support/testing.h"

/* --- settings.c --- */

struct setting {
    const char *name, *value, *said;
};

#define HEAD  "mode 0 sm_90 0 driver 13000 given 0 0 "
#define PLAIN "quiet 0 log - check 0 0 0 notes - record - wrong 0\n"
#define DRIVER_WORDS                                                                               \
    " is wrong: it can be a CUDA version from 12.0 on, such as 13.0 or 13000, or a driver's own "  \
    "such as 580.95\n"

static const struct setting settings_said[] = {
    {"LIBTMA_MODE", "", HEAD PLAIN},
    {"LIBTMA_MODE", "auto", HEAD PLAIN},
    {"LIBTMA_MODE", "stand-in", "mode 1 sm_90 0 driver 13000 given 0 0 " PLAIN},
    {"LIBTMA_MODE", "watch", "mode 2 sm_90 0 driver 13000 given 0 0 " PLAIN},
    {"LIBTMA_MODE", "Watch",
     "libtma: LIBTMA_MODE=Watch is wrong: it can be auto, stand-in or watch\n" HEAD
     "quiet 0 log - check 0 0 0 notes - record - wrong 1\n"},
    {"LIBTMA_ARCH", "sm_100a", "mode 0 sm_100 0 driver 13000 given 1 0 " PLAIN},
    {"LIBTMA_ARCH", "H100", "mode 0 sm_90 0 driver 13000 given 1 0 " PLAIN},
    {"LIBTMA_DRIVER", "12.0", "mode 0 sm_90 0 driver 12000 given 0 1 " PLAIN},
    {"LIBTMA_DRIVER", "12080", "mode 0 sm_90 0 driver 12080 given 0 1 " PLAIN},
    {"LIBTMA_DRIVER", "11.8",
     "libtma: LIBTMA_DRIVER=11.8" DRIVER_WORDS HEAD
     "quiet 0 log - check 0 0 0 notes - record - wrong 1\n"},
    {"LIBTMA_DRIVER", "x",
     "libtma: LIBTMA_DRIVER=x" DRIVER_WORDS HEAD
     "quiet 0 log - check 0 0 0 notes - record - wrong 1\n"},
    {"LIBTMA_QUIET", "1", HEAD "quiet 1 log - check 0 0 0 notes - record - wrong 0\n"},
    {"LIBTMA_QUIET", "0", HEAD PLAIN},
    {"LIBTMA_QUIET", "yes",
     "libtma: LIBTMA_QUIET=yes is wrong: it can be 0 or 1\n" HEAD
     "quiet 0 log - check 0 0 0 notes - record - wrong 1\n"},
    {"LIBTMA_LOG", "a/b", HEAD "quiet 0 log a/b check 0 0 0 notes - record - wrong 0\n"},
    {"LIBTMA_CHECK_KERNELS", "1", HEAD "quiet 0 log - check 1 0 0 notes - record - wrong 0\n"},
    {"LIBTMA_CHECK_KERNELS", "assert", HEAD "quiet 0 log - check 1 0 0 notes - record - wrong 0\n"},
    {"LIBTMA_CHECK_KERNELS", "trap", HEAD "quiet 0 log - check 1 1 0 notes - record - wrong 0\n"},
    {"LIBTMA_CHECK_KERNELS", "record", HEAD "quiet 0 log - check 1 2 0 notes - record 1 wrong 0\n"},
    {"LIBTMA_CHECK_KERNELS", "skip", HEAD "quiet 0 log - check 1 3 0 notes - record 1 wrong 0\n"},
    {"LIBTMA_CHECK_KERNELS", "auto", HEAD "quiet 0 log - check 1 4 0 notes - record 1 wrong 0\n"},
    {"LIBTMA_CHECK_KERNELS", "0", HEAD PLAIN},
    {"LIBTMA_CHECK_KERNELS", "2",
     "libtma: LIBTMA_CHECK_KERNELS=2 is wrong: it can be 0, 1, assert, trap, record, skip, "
     "auto\n" HEAD "quiet 0 log - check 0 0 0 notes - record - wrong 1\n"},
    {"LIBTMA_CHECK_HANG", "0", HEAD PLAIN},
    {"LIBTMA_CHECK_HANG", "86400",
     HEAD "quiet 0 log - check 0 0 86400000 notes - record - wrong 0\n"},
    {"LIBTMA_CHECK_HANG", "86401",
     "libtma: LIBTMA_CHECK_HANG=86401 is wrong: it can be 0 to 86400 seconds\n" HEAD
     "quiet 0 log - check 0 0 0 notes - record - wrong 1\n"},
    {"LIBTMA_CHECK_NOTES", "n", HEAD "quiet 0 log - check 0 0 0 notes n record - wrong 0\n"},
    {"LIBTMA_RECORD", "0", HEAD PLAIN},
    {"LIBTMA_RECORD", "r", HEAD "quiet 0 log - check 0 0 0 notes - record r wrong 0\n"},
};

static const char *shown(const char *text) {
    return text ? text : "-";
}

static void read_settings(const void *context) {
    const struct setting *row = context;
    setenv(row->name, row->value, 1);
    const struct shim_settings *s = settings();
    setenv(row->name, "written over", 1); /* as setproctitle() does */
    say("mode %u sm_%u %d driver %u given %d %d quiet %d log %s check %d %u %u notes %s record %s "
        "wrong %d\n",
        s->mode, s->target.sm, s->target.suffix, (unsigned)s->target.driver, s->has_arch,
        s->has_driver, s->quiet, shown(s->log), s->check_kernels, (unsigned)s->on_fault,
        (unsigned)s->hang_ms, shown(s->check_notes), shown(s->record), s->wrong);
}

static void test_settings(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(settings_said); i++) {
        is_said(settings_said[i].name, read_settings, &settings_said[i], settings_said[i].said);
    }
}

/* A value of 80 characters and one more; an architecture that there is not. */
static void test_wrong_values(void **state) {
    char value[82];
    char expected[512];
    (void)state;
    for (size_t length = 80; length < 82; length++) {
        memset(value, 'x', length);
        value[length] = 0;
        snprintf(expected, sizeof(expected),
                 "libtma: LIBTMA_MODE=%.80s%s is wrong: it can be auto, stand-in or watch\n" HEAD
                 "quiet 0 log - check 0 0 0 notes - record - wrong 1\n",
                 value, length > 80 ? "..." : "");
        const struct setting row = {"LIBTMA_MODE", value, NULL};
        is_said("long", read_settings, &row, expected);
    }
    const struct setting row = {"LIBTMA_ARCH", "sm_1", NULL};
    int length =
        snprintf(expected, sizeof(expected), "libtma: LIBTMA_ARCH=sm_1 is wrong: it can be ");
    for (size_t i = 0; tma_arch_at(i); i++) {
        if (!tma_arch_at(i)->suffix) {
            length += snprintf(expected + length, sizeof(expected) - (size_t)length, "sm_%u, ",
                               tma_arch_at(i)->sm);
        }
    }
    snprintf(expected + length, sizeof(expected) - (size_t)length,
             "with a or f after it, or a GPU such as H100\n" HEAD
             "quiet 0 log - check 0 0 0 notes - record - wrong 1\n");
    is_said("arch", read_settings, &row, expected);
}

static void ask_named_mode(const void *context) {
    setenv("LIBTMA_MODE", context, 1);
    driver.is_there = strcmp(context, "watch") != 0;
    driver.is_loading = 1;
    say("%d", mode());
}

static void ask_mode(const void *context) {
    const int *asked = context; /* a driver, one that is loading first */
    driver.is_there = asked[0];
    driver.is_loading = asked[1];
    say("%d ", mode());
    driver.is_loading = 0;
    say("%d ", mode());
    driver.is_there = !driver.is_there; /* is asked once */
    say("%d", mode());
}

static void test_modes(void **state) {
    static const int asked[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    static const char *const said[] = {"1 1 1", "2 2 2", "2 1 1", "2 2 2"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        is_said("mode", ask_mode, asked[i], said[i]);
    }
    is_said("mode", ask_named_mode, "watch", "2");
    is_said("mode", ask_named_mode, "stand-in", "1");
}

/* --- report_out.c --- */

static void make_reports(const void *context) {
    char line[] = "a line\0more";
    char long_line[1600];
    (void)context;
    memset(long_line, 'y', sizeof(long_line));
    for (size_t length = 1525; length < 1530;
         length++) { /* with "libtma: " and its end 1536 B, or cut */
        report_message("%.*s", (int)length, long_line);
    }
    report_message("%s", "\x1b[2J\n");
    report_log(NULL, line);
    report_log("/log", line);
    report_log("/log", line + sizeof(line) - 1);
    say("%s", line);
}

static void test_reports(void **state) {
    char expected[9000] = "";
    char *end = expected;
    (void)state;
    for (int length = 1525; length < 1530; length++) {
        const int whole = length < 1527;
        memcpy(end, "libtma: ", 8);
        memset(end + 8, 'y', 1600);
        end += 8 + (whole ? length : 1526);
        if (!whole) {
            memcpy(end - 3, "...", 3);
        }
        *end++ = '\n';
    }
    strcpy(end, "libtma: \\x1b[2J\\x0a\n/log: a line\na line");
    is_said("reports", make_reports, NULL, expected);
}

/* A file that cannot be written to, said once; its path, of 80 characters and one more. */
static void log_badly(const void *context) {
    char line[] = "x";
    report_log(context, line);
    report_log(context, line);
}

static void test_logs_that_cannot_be_written(void **state) {
    static const char *const why[] = {"nobody reads it", "an error"};
    char path[82];
    char expected[1000];
    (void)state;
    for (size_t length = 80; length < 82; length++) {
        for (int i = 0; i < 2; i++) {
            memset(path, i ? 'e' : '-', length);
            path[length] = 0;
            snprintf(expected, sizeof(expected),
                     "%s: x\nlibtma: LIBTMA_LOG=%.80s%s: case lines cannot be written there (%s, "
                     "errno %d)\n%s: x\n",
                     path, path, length > 80 ? "..." : "", why[i], i ? EIO : ENXIO, path);
            is_said("log", log_badly, path, expected);
        }
    }
}

/* Lines that one write does not hold; a child that has none of its parent's. */
static void make_long(const void *context) {
    struct report *report = report_begin();
    (void)context;
    for (int i = 0; i < 7; i++) {
        report_line(report, "%1490d", i);
        say("<");
    }
    const pid_t child = fork();
    if (child == 0) {
        report_message("of a child");
        _exit(0);
    }
    waitpid(child, NULL, 0);
    report_end(report);
    report_end(report_begin());
}

static void test_long_reports(void **state) {
    char expected[12000];
    char *end = expected;
    (void)state;
    for (int i = 0; i < 7; i++) { /* the sixth finds no room any more */
        end += sprintf(end, "%s%slibtma: %1490d\n", i == 0 ? "<<<<<" : "",
                       i == 5 ? "<<libtma: of a child\n" : "", i);
    }
    is_said("long", make_long, NULL, expected);
}

static struct report *freed;

static void free_one(int number) {
    (void)number;
    report_end(freed);
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* As many as there are, and one more: it is waited for, and then done without. */
static void take_all(const void *context) {
    const struct itimerval soon = {{0, 0}, {0, 30000}};
    unsigned made = 0;
    (void)context;
    for (double begun_s = now_s(), end_s = begun_s;; end_s = begun_s) {
        struct report *report = report_begin();
        if (!report) {
            const double waited_s = now_s() - end_s;
            say("%u %s", made, waited_s >= 0.09 && waited_s < 10 ? "waited" : "not waited");
            break;
        }
        freed = report;
        made++;
        begun_s = now_s();
    }
    report_message("lost without a word");
    signal(SIGALRM, free_one);
    setitimer(ITIMER_REAL, &soon, NULL);
    say(" %d", report_begin() == freed);
}

static void test_all_reports(void **state) {
    (void)state;
    is_said("all", take_all, NULL,
            "libtma: a report is lost: too many are being made at once\n32 waited 1");
}

static void test_rooms_of_a_report(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) { /* anew in each */
        struct report *report = report_begin();
        const size_t align_B = _Alignof(max_align_t);
        char *first = report_room(report, 1);
        assert_int_equal((uintptr_t)first % align_B, 0);
        for (size_t at = 0, size = 17; at < 10; at++, size += 16) {
            char *next = report_room(report, size);
            const size_t before_B = at ? size - 16 : 1;
            assert_int_equal(next - first, (before_B + align_B - 1) / align_B * align_B);
            first = next;
        }
        while (first - (char *)report < 20000) { /* in all REPORT_ROOM_B */
            first = report_room(report, 64);
        }
        report_end(report);
    }
}

/* Keys of one place among them, 0, and the largest; 3072 in all. */
static void make_keys(const void *context) {
    static const uint64_t keys[] = {0, 0, 5, 5, 6, UINT64_MAX - 7, UINT64_MAX - 7, 5};
    unsigned fresh = 0;
    (void)context;
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        say("%d", report_is_new(keys[i]));
    }
    for (uint64_t key = 1; key < 4000; key++) {
        fresh += (unsigned)report_is_new(key * 4096);
    }
    say("%u %d", fresh, report_is_new(7));
}

static void test_keys(void **state) {
    (void)state;
    is_said("keys", make_keys, NULL,
            "10101100libtma: 3072 different reports were made; no more will be\n3068 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_settings),
                                       cmocka_unit_test(test_wrong_values),
                                       cmocka_unit_test(test_modes),
                                       cmocka_unit_test(test_reports),
                                       cmocka_unit_test(test_logs_that_cannot_be_written),
                                       cmocka_unit_test(test_long_reports),
                                       cmocka_unit_test(test_all_reports),
                                       cmocka_unit_test(test_rooms_of_a_report),
                                       cmocka_unit_test(test_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
