/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets in words: --arch and --driver.
 */
#include "machines.h"
#include "strings.h"
#include "tma/grammar.h"
#include "tma/limits.def"

static int version_part(uint64_t *out, const char *text, size_t length, uint64_t most) {
    return tma_number_of(out, text, length) == TMA_NUMBER_OK && *out <= most ? 0 : -1;
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
    if (dot < length && !version_part(&major, text, dot, 99) &&
        !version_part(&minor, text + dot + 1, length - dot - 1, 99)) {
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

void tma_target_words_begin(tma_target_words *words) {
    *words = (tma_target_words){{.sm = 90, .driver = TMA_VALUE(SEEN_DRIVER)}, 0, 0};
}

int tma_target_words_set(tma_target_words *words, const char *name, const char *value,
                         tma_error *error) {
    const int is_arch = text_same(name, "arch");
    int *has = is_arch ? &words->has_arch : &words->has_driver;
    if (!is_arch && !text_same(name, "driver")) {
        return tma_fail(error, "unknown option '%.80s': one of arch, driver", name);
    }
    if (*has) {
        return tma_fail(error, "--%s is given twice", name);
    }
    *has = 1;
    return is_arch ? tma_read_arch(&words->target, value, "--arch", error)
                   : tma_read_driver(&words->target.driver, value, "--driver", error);
}

void tma_put_target_words(tma_out *out, const tma_target_words *words) {
    if (words->has_arch) {
        tma_putf(out, " --arch %s", tma_arch_text(&words->target));
    }
    if (words->has_driver) {
        tma_put(out, " --driver ");
        tma_put_driver(out, words->target.driver);
    }
}
