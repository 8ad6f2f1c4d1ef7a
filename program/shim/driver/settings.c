/* SPDX-License-Identifier: Apache-2.0
 *
 * The environment's LIBTMA_ variables. A wrong value is said once, with what would be right.
 */
#include "settings.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture_limits.h"
#include "real_driver.h"
#include "report_out.h"
#include "tma/grammar.h"
#include "tma/judge_record.h"
#include "tma/limits.def"
#include "tma/ptx_check.h"

#define DEFAULT_SM 90
#define PATH_BYTES (PATH_MAX + 1) /* a longer one, cut, is still too long to be opened */

static struct shim_settings known = {
    .capture_launches = 1, .target = {.sm = DEFAULT_SM, .driver = TMA_VALUE(SEEN_DRIVER)}};

/* A copy: programs write over their environment (setproctitle()). */
static const char *kept(char to[PATH_BYTES], const char *text) {
    snprintf(to, PATH_BYTES, "%s", text);
    return to;
}

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

/* As the command reads it: an architecture's name or a GPU's. The compiler's suffix is dropped: to
 * a driver there is the chip alone. */
static void put_arch(const char *text) {
    char names[200];
    tma_error error;
    if (!tma_read_arch(&known.target, text, "", &error)) {
        known.target.suffix = 0;
        known.has_arch = 1;
        return;
    }
    tma_out out = tma_out_into(names, sizeof(names));
    for (size_t i = 0; tma_arch_at(i); i++) {
        if (!tma_arch_at(i)->suffix) {
            tma_putf(&out, "%s, ", tma_arch_at(i)->name);
        }
    }
    tma_put(&out, "with a or f after it, or a GPU such as H100");
    wrong("LIBTMA_ARCH", text, names);
}

/* As the command reads it: 13.0, 13000, or a driver's own 580. */
static void put_driver(const char *text) {
    uint32_t version = 0;
    tma_error error;
    if (!tma_read_driver(&version, text, "", &error) && version >= TMA_VALUE(FIRST_DRIVER)) {
        known.target.driver = version;
        known.has_driver = 1;
    } else {
        wrong("LIBTMA_DRIVER", text,
              "a CUDA version from " TMA_SAY(
                  FIRST_DRIVER) " on, such as 13.0 or 13000, or a driver's own such as 580.95");
    }
}

static void put_quiet(const char *text) {
    if (strcmp(text, "0") && strcmp(text, "1")) {
        wrong("LIBTMA_QUIET", text, "0 or 1");
    }
    known.quiet = *text == '1';
}

static void put_log(const char *text) {
    static char path[PATH_BYTES];
    known.log = kept(path, text);
}

/* A word, or 1 for the usual one. */
static void put_check_kernels(const char *text) {
    const uint32_t found =
        strcmp(text, "1") ? tma_ptx_check_fault_find(text) : TMA_PTX_CHECK_ASSERT;
    if (found < TMA_PTX_CHECK_FAULTS) {
        known.check_kernels = known.wants_ptx = 1;
        known.on_fault = found;
        known.record = found == TMA_PTX_CHECK_ASSERT || found == TMA_PTX_CHECK_TRAP ? NULL : "1";
    } else if (strcmp(text, "0") != 0) {
        wrong("LIBTMA_CHECK_KERNELS", text, "0, 1, " TMA_PTX_CHECK_FAULT_WORDS);
    }
}

static void put_check_hang(const char *text) {
    uint32_t seconds = 0;
    tma_error error;
    if (tma_read_u32(&seconds, text, strlen(text), TMA_HANG_MOST_SECONDS, "", &error)) {
        wrong("LIBTMA_CHECK_HANG", text, "0 to 86400 seconds");
    } else {
        known.hang_ms = 1000 * seconds;
    }
}

static void put_check_notes(const char *text) {
    static char path[PATH_BYTES];
    known.check_notes = kept(path, text);
}

static void put_record(const char *text) {
    static char path[PATH_BYTES];
    known.record = strcmp(text, "0") ? kept(path, text) : NULL;
}

static void put_capture(const char *text) {
    static char path[PATH_BYTES];
    known.capture = kept(path, text);
    known.wants_ptx = 1;
}

static void put_capture_kernel(const char *text) {
    static char name[PATH_BYTES];
    known.capture_kernel = kept(name, text);
}

static void put_capture_ptx(const char *text) {
    static char path[PATH_BYTES];
    known.capture_ptx = kept(path, text);
}

static void put_capture_launches(const char *text) {
    tma_error error;
    if (tma_read_u32(&known.capture_launches, text, strlen(text), CAPTURE_MOST_LAUNCHES, "",
                     &error)) {
        wrong("LIBTMA_CAPTURE_LAUNCHES", text, "0 to 99999 launches");
    }
}

static void put_capture_memory(const char *text) {
    tma_error error;
    if (tma_read_u64(&known.capture_memory_B, text, strlen(text), "", &error) ||
        known.capture_memory_B > CAPTURE_MOST_MEMORY_B) {
        known.capture_memory_B = 0;
        wrong("LIBTMA_CAPTURE_MEMORY", text, "0 to 402653184 bytes");
    }
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
                {"LIBTMA_CHECK_HANG", put_check_hang},
                {"LIBTMA_CHECK_NOTES", put_check_notes},
                {TMA_JUDGE_RECORD_SETTING, put_record},
                {"LIBTMA_CAPTURE", put_capture},
                {"LIBTMA_CAPTURE_KERNEL", put_capture_kernel},
                {"LIBTMA_CAPTURE_PTX", put_capture_ptx},
                {"LIBTMA_CAPTURE_LAUNCHES", put_capture_launches},
                {"LIBTMA_CAPTURE_MEMORY", put_capture_memory}};
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
