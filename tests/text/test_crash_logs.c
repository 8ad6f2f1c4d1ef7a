/* SPDX-License-Identifier: Apache-2.0
 *
 * Logs as programs print them, in a few lines each: which rows they mean, whether a map is among
 * them, and that nothing else is said. Facts of public threads, typed anew and shortened.
 */
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

#include "tma/crash.h"

#define MOST_SAID 256

struct log_case {
    const char *name;
    const char *rows; /* each followed by a blank, in the order of the text */
    const char *text;
};

static const struct log_case logs[] = {
#define LOG(name, rows, text) {name, rows, text},
#include "support/cases/crash_logs.def"
#define LOG(name, rows, text) {name, rows, text},
#include "support/cases/crash_reports.def"
};

static const struct log_case others[] = {
#define OTHER(name, text) {name, "", text},
#include "support/cases/crash_logs.def"
#define OTHER(name, text) {name, "", text},
#include "support/cases/crash_reports.def"
};

static void say(void *context, const tma_crash *found) {
    char *said = context;
    tma_crash_row row;
    assert_int_equal(tma_crash_at(&row, found->row), 0);
    const size_t length = strlen(said);
    snprintf(said + length, MOST_SAID - length, "%s ", row.name);
}

static size_t wrong_among(const struct log_case *cases, size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        char said[MOST_SAID] = "";
        tma_crash_read(cases[i].text, strlen(cases[i].text), say, said);
        if (strcmp(said, cases[i].rows) != 0) {
            print_error("%s: wanted \"%s\", got \"%s\"\n", cases[i].name, cases[i].rows, said);
            wrong++;
        }
    }
    return wrong;
}

static void each_log_means_its_rows(void **state) {
    (void)state;
    assert_int_equal(wrong_among(logs, COUNT_OF(logs)), 0);
}

static void other_programs_logs_mean_nothing(void **state) {
    (void)state;
    assert_int_equal(wrong_among(others, COUNT_OF(others)), 0);
}

/* What a report says elsewhere narrows its row; what stands far off in a whole log does not. */
static void a_report_is_narrowed_and_a_long_log_is_not(void **state) {
    static const char report[] = "TMA multicast to 2 CTAs\nthe CUDA kernel hangs\n";
    static const char filler[] = "step of a training run\n";
    char said[MOST_SAID] = "";
    char log[32768];
    size_t size = sizeof(report) - 1;
    (void)state;
    memcpy(log, report, size);
    tma_crash_read(log, size, say, said);
    assert_string_equal(said, "multicast ");
    while (size + sizeof(filler) < sizeof(log)) {
        memcpy(log + size, filler, sizeof(filler) - 1);
        size += sizeof(filler) - 1;
    }
    *said = 0;
    tma_crash_read(log, size, say, said);
    assert_string_equal(said, "hang ");
}

static const char *const OTHERS[] = {
    "Illegal instruction (core dumped)",
    "zsh: illegal hardware instruction python",
    "a.c:3:9: runtime error: load of misaligned address 0x7ffd for type 'int'",
    "mount: operation not supported",
    "unknown error",
    "open: invalid argument",
    "HIP error: an illegal memory access was encountered",
    "hipErrorIllegalAddress: an illegal memory access was encountered",
    "RuntimeError: HIP error: unspecified launch failure",
    "OSError: [Errno 12] out of memory",
    "the server hangs; the request timed out",
    "deadlock found when trying to get lock",
    "AssertionError: Tensor-likes are not close!",
    "rank must be 1",
    "found Xid in the table",
    "is misaligned",
    "warp assertion",
    "hazard detected in the pipeline",
    "/usr/local/cuda-13.0/lib64/libx.so: invalid argument",
    "/opt/cuda/samples: operation not supported",
    "requires .target",
    "undefined reference to `cudaMalloc'",
    "error: requested alignment is less than minimum alignment of 4 for type 'int'",
    "[rank0]:[W519 ProcessGroupNCCL.cpp:4561]  using GPU 0 as device used by this process is "
    "currently unknown. This can potentially cause a hang if this rank to GPU mapping is "
    "incorrect.",
    "CUDA_LAUNCH_BLOCKING is off; set it to avoid a hang",
    "ModuleNotFoundError: No module named 'numpy'",
    "AttributeError: 'NoneType' object has no attribute 'shape'",
    "KeyboardInterrupt",
    "error: static assertion failed",
    "error: identifier \"x\" is undefined",
    "TMA: error: the transport agency's page was not found",
    "Traceback (most recent call last):\n  File \"mbarrier.py\", line 3\nValueError: 7",
    "GPU 0: error: the fan does not turn",
    "triton: Traceback (most recent call last):",
    "the barrier is located at the gate; missing wait",
    "grid of 3 by 3; synchronisation: time-out",
    "Error in function 'main' at line 12",
    "rank mismatch: 3 and 4",
    "rank cannot be more than 5",
    "the base pointer of the stack",
    "Assertion failed: n == 3",
    "InternalError: Check failed: 3 == 4",
    "must be 16-byte aligned",
    "Shape not supported",
    "invalid device ordinal of the scanner",
    "the system is not yet initialized",
    "postgres: ERROR:  deadlock detected (tma_jobs)",
    "TMA pipeline: test passed, no hang detected",
    "TMA: avoiding deadlock, deadlock-free; hang detection: on",
    "CUDA kernel did not hang",
    "CUDA 13.0: fixed a deadlock in cp.async.bulk.tensor",
    "the sensor returns all zeros; the user waits on it forever",
    "all pointers are aligned to at least 16 bytes",
    "compute-sanitizer: 0 errors; misalignment errors: none",
    "the columns are zero, and 3 elements are wrong",
    "error: Cannot select: t3: i32 = llvm.aarch64.crc32b",
    "UBLKCP is aligned to 128 bytes",
    "  12 |   if (found != 0) { return CUDA_ERROR_UNKNOWN; }",
};

/* Words that others use too. */
static void words_of_something_else(void **state) {
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(OTHERS); i++) {
        if (tma_crash_read(OTHERS[i], strlen(OTHERS[i]), NULL, NULL)) {
            print_error("taken for a crash: %s\n", OTHERS[i]);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_log_means_its_rows),
        cmocka_unit_test(other_programs_logs_mean_nothing),
        cmocka_unit_test(a_report_is_narrowed_and_a_long_log_is_not),
        cmocka_unit_test(words_of_something_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
