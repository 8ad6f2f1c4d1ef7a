/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets in words: --arch, --driver and --ptx-version.
 */
#include "machines.h"
#include "strings.h"
#include "tma/grammar.h"
#include "tma/limits.def"

static int version_part(uint64_t *out, const char *text, size_t length, uint64_t most) {
    return tma_number_of(out, text, length) == TMA_NUMBER_OK && *out <= most ? 0 : -1;
}

/* "13.0" is 13 and 0. */
static int dotted(uint64_t *major, uint64_t *minor, const char *text, uint64_t most_minor) {
    const size_t length = text_length(text);
    const size_t dot = text_until(text, length, '.');
    return dot < length && !version_part(major, text, dot, 99) &&
           !version_part(minor, text + dot + 1, length - dot - 1, most_minor);
}

int tma_read_ptx_version(uint32_t *out, const char *text, const char *what, tma_error *error) {
    uint64_t major = 0;
    uint64_t minor = 0;
    if (!dotted(&major, &minor, text, 9) || !major) {
        return tma_fail(error, "%s: '%.80s' is not a PTX version such as 8.6", what, text);
    }
    *out = (uint32_t)(10 * major + minor);
    return 0;
}

int tma_read_driver(uint32_t *out, const char *text, const char *what, tma_error *error) {
    const size_t length = text_length(text);
    const size_t dot = text_until(text, length, '.');
    uint64_t major = 0;
    uint64_t minor = 0;
    if (dot == length && !version_part(&major, text, length, 999999) && major >= 1000) {
        *out = (uint32_t)major;
        return 0;
    }
    if (driver_of_branch(text)) {
        *out = driver_of_branch(text);
        return 0;
    }
    if (dotted(&major, &minor, text, 99)) {
        *out = (uint32_t)(1000 * major + 10 * minor);
        return 0;
    }
    return tma_fail(error,
                    "%s: '%.80s' is not a version such as 13.0, 13000 or the driver's own 580.95",
                    what, text);
}

const char *tma_arch_text(const tma_target *target) {
    const tma_arch_row *row = tma_arch_of(target);
    return row ? row->name : "an unknown architecture";
}

void tma_put_driver(tma_out *out, uint32_t driver) {
    tma_putf(out, "%u.%u", driver / 1000, driver % 1000 / 10);
}

void tma_put_ptx_version(tma_out *out, uint32_t version) {
    tma_putf(out, "%u.%u", version / 10, version % 10);
}

void tma_target_words_begin(tma_target_words *words) {
    *words = (tma_target_words){{.sm = 90, .driver = TMA_VALUE(SEEN_DRIVER)}, 0, 0, 0};
}

const char *tma_target_option_name(size_t option) {
    static const char *const names[] = {"arch", "driver", "ptx-version"};
    return option < sizeof(names) / sizeof(names[0]) ? names[option] : NULL;
}

int tma_target_words_set(tma_target_words *words, const char *name, const char *value,
                         tma_error *error) {
    int *const has[] = {&words->has_arch, &words->has_driver, &words->has_ptx};
    size_t option = 0;
    while (tma_target_option_name(option) && !text_same(name, tma_target_option_name(option))) {
        option++;
    }
    if (!tma_target_option_name(option)) {
        return tma_fail_name(error, name, "option", tma_target_option_name);
    }
    if (*has[option]) {
        return tma_fail(error, "--%s is given twice", name);
    }
    *has[option] = 1;
    return option == 0   ? tma_read_arch(&words->target, value, "--arch", error)
           : option == 1 ? tma_read_driver(&words->target.driver, value, "--driver", error)
                         : tma_read_ptx_version(&words->target.ptx, value, "--ptx-version", error);
}

void tma_put_target_words(tma_out *out, const tma_target_words *words) {
    if (words->has_arch) {
        tma_putf(out, " --arch %s", tma_arch_text(&words->target));
    }
    if (words->has_driver) {
        tma_put(out, " --driver ");
        tma_put_driver(out, words->target.driver);
    }
    if (words->has_ptx) {
        tma_put(out, " --ptx-version ");
        tma_put_ptx_version(out, words->target.ptx);
    }
}
