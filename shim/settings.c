/* SPDX-License-Identifier: Apache-2.0
 *
 * The environment's LIBTMA_ variables. A wrong value is said once, with what would be right.
 */
#include "settings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "real_driver.h"
#include "report_out.h"
#include "tma/judge_record.h"
#include "tma/ptx_check.h"

#define DEFAULT_SM     90
#define DEFAULT_DRIVER 13000
#define FIRST_DRIVER   12000 /* the first that has tensor maps */

static struct shim_settings known = {.target = {.sm = DEFAULT_SM, .driver = DEFAULT_DRIVER}};

static void wrong(const char *name, const char *value, const char *right) {
    known.wrong = 1;
    report_message("%s=%.*s%s is wrong: it can be %s", name, VALUE_MOST, value,
                   strlen(value) > VALUE_MOST ? "..." : "", right);
}

static void put_mode(const char *text) {
    static const char *const words[] = {"auto", "stand-in", "watch"};
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!strcmp(text, words[i])) {
            known.mode = (enum shim_mode)i;
            return;
        }
    }
    wrong("LIBTMA_MODE", text, "auto, stand-in or watch");
}

/* The compiler's suffix is dropped: to a driver there is the chip alone. */
static void put_arch(const char *text) {
    const tma_arch_row *row = tma_arch_find(text);
    if (row) {
        known.target.sm = row->sm;
        known.has_arch = 1;
    } else {
        wrong("LIBTMA_ARCH", text,
              "sm_90, sm_100, sm_103, sm_107, sm_110, sm_120 or sm_121, with a or f behind it");
    }
}

/* Digits, a point, one digit: 13.0 is 13000. */
static void put_driver(const char *text) {
    const size_t major = strspn(text, "0123456789");
    const char *minor = text + major + 1;
    if (major == 2 && text[major] == '.' && minor[0] >= '0' && minor[0] <= '9' && !minor[1]) {
        const unsigned version = (unsigned)((text[0] - '0') * 10 + (text[1] - '0')) * 1000 +
                                 (unsigned)(minor[0] - '0') * 10;
        if (version >= FIRST_DRIVER) {
            known.target.driver = version;
            known.has_driver = 1;
            return;
        }
    }
    wrong("LIBTMA_DRIVER", text, "a CUDA version from 12.0 on, such as 13.0");
}

static void put_quiet(const char *text) {
    if (strcmp(text, "0") && strcmp(text, "1")) {
        wrong("LIBTMA_QUIET", text, "0 or 1");
    }
    known.quiet = *text == '1';
}

static void put_log(const char *text) {
    known.log = text;
}

/* A word, or 1 for the usual one. */
static void put_check_kernels(const char *text) {
    const uint32_t found =
        strcmp(text, "1") ? tma_ptx_check_fault_find(text) : TMA_PTX_CHECK_ASSERT;
    if (found < TMA_PTX_CHECK_FAULTS) {
        known.check_kernels = 1;
        known.on_fault = found;
        known.record = found == TMA_PTX_CHECK_ASSERT || found == TMA_PTX_CHECK_TRAP ? NULL : "1";
    } else if (strcmp(text, "0") != 0) {
        wrong("LIBTMA_CHECK_KERNELS", text, "0, 1, " TMA_PTX_CHECK_FAULT_WORDS);
    }
}

static void put_check_notes(const char *text) {
    known.check_notes = text;
}

static void put_record(const char *text) {
    known.record = strcmp(text, "0") ? text : NULL;
}

/* An empty variable is one that is not set. A program with rights that its user has not
 * (set-user-ID, capabilities) is not told what to do by that user's environment. */
static void read_environment(void) {
    static const struct {
        const char *name;
        void (*put)(const char *text);
    } rows[] = {{"LIBTMA_MODE", put_mode},
                {"LIBTMA_ARCH", put_arch},
                {"LIBTMA_DRIVER", put_driver},
                {"LIBTMA_QUIET", put_quiet},
                {"LIBTMA_LOG", put_log},
                {"LIBTMA_CHECK_KERNELS", put_check_kernels},
                {"LIBTMA_CHECK_NOTES", put_check_notes},
                {TMA_JUDGE_RECORD_SETTING, put_record}};
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *text = secure_getenv(rows[i].name);
        if (text && *text) {
            rows[i].put(text);
        }
    }
}

const struct shim_settings *settings(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
    return &known;
}

enum shim_mode mode(void) {
    static atomic_int decided;
    const enum shim_mode asked = settings()->mode;
    if (asked != SHIM_AUTO) {
        return asked;
    }
    if (real_driver_is_loading()) {
        return SHIM_WATCH;
    }
    int now = atomic_load_explicit(&decided, memory_order_acquire);
    if (now == SHIM_AUTO) {
        const int found = real_driver() ? SHIM_WATCH : SHIM_STAND_IN;
        if (atomic_compare_exchange_strong(&decided, &now, found)) {
            now = found;
        }
    }
    return (enum shim_mode)now;
}
