/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets in words: --arch, --driver, --ptx-version, --ptxas and --reading.
 */
#include <string.h>

#include "machines.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"
#include "tma/limits.def"
#include "tma/view.h"

#define MOST_MAJOR 99u

static int version_part(uint64_t *out, const char *text, size_t length, uint64_t most) {
    return tma_number_of(out, text, length) == TMA_NUMBER_OK && *out <= most ? 0 : -1;
}

/* "13.0" is 13 and 0. */
static int dotted(uint64_t *major, uint64_t *minor, const char *text, uint64_t most_minor) {
    const size_t length = text_length(text);
    const size_t dot = text_until(text, length, '.');
    return dot < length && !version_part(major, text, dot, MOST_MAJOR) &&
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

int tma_read_toolchain(uint32_t *out, const char *text, const char *what, tma_error *error) {
    const size_t length = text_length(text);
    uint64_t major = 0;
    uint64_t minor = 0;
    uint64_t build = 0;
    char release[16] = "";
    const size_t first = text_until(text, length, '.');
    const size_t second =
        first < length ? first + 1 + text_until(text + first + 1, length - first - 1, '.') : length;
    if (second < sizeof(release)) {
        memcpy(release, text, second);
    }
    const int has_build = second < length;
    if ((has_build && version_part(&build, text + second + 1, length - second - 1, 9999)) ||
        !dotted(&major, &minor, release, 99) || major < 12) {
        return tma_fail(error,
                        "%s: '%.80s' is no CUDA release with tensor maps, such as 13.5 or ptxas' "
                        "own 13.5.37",
                        what, text);
    }
    *out = (uint32_t)(1000 * major + 10 * minor);
    return 0;
}

const char *tma_arch_text(const tma_target *target) {
    const tma_arch_row *row = tma_arch_of(target);
    return row ? row->name : "an unknown architecture";
}

void tma_put_driver(tma_out *out, uint32_t driver) {
    if (driver % 10 || driver / 1000 > MOST_MAJOR) {
        tma_putf(out, "%u", driver); /* no version has such a number, but it was given */
    } else {
        tma_putf(out, "%u.%u", driver / 1000, driver % 1000 / 10);
    }
}

void tma_put_ptx_version(tma_out *out, uint32_t version) {
    tma_putf(out, "%u.%u", version / 10, version % 10);
}

void tma_target_words_begin(tma_target_words *words) {
    *words = (tma_target_words){.target = {.sm = 90, .driver = TMA_VALUE(SEEN_DRIVER)}};
}

const char *tma_target_option_name(size_t option) {
    static const char *const names[TMA_TARGET_OPTIONS] = {
#define TMA_TARGET_OPTION(id, name, ...) name,
#include "tma/target_options.def"
    };
    return option < TMA_TARGET_OPTIONS ? names[option] : NULL;
}

int tma_target_words_set(tma_target_words *words, const char *name, const char *value,
                         tma_error *error) {
    int *const has[TMA_TARGET_OPTIONS] = {[TMA_TARGET_ARCH] = &words->has_arch,
                                          [TMA_TARGET_DRIVER] = &words->has_driver,
                                          [TMA_TARGET_PTX_VERSION] = &words->has_ptx,
                                          [TMA_TARGET_PTXAS] = &words->has_toolchain};
    size_t option = 0;
    while (tma_target_option_name(option) && !text_same(name, tma_target_option_name(option))) {
        option++;
    }
    if (option == TMA_TARGET_OPTIONS) {
        return tma_fail_name(error, name, "option", tma_target_option_name);
    }
    if (option == TMA_TARGET_READING) { /* one question each: as often as there are any */
        words->has_readings = 1;
        return tma_read_reading(&words->target, value, "--reading", error);
    }
    if (*has[option]) {
        return tma_fail(error, "--%s is given twice", name);
    }
    *has[option] = 1;
    return option == TMA_TARGET_ARCH ? tma_read_arch(&words->target, value, "--arch", error)
           : option == TMA_TARGET_DRIVER
               ? tma_read_driver(&words->target.driver, value, "--driver", error)
           : option == TMA_TARGET_PTXAS
               ? tma_read_toolchain(&words->target.toolchain, value, "--ptxas", error)
               : tma_read_ptx_version(&words->target.ptx, value, "--ptx-version", error);
}

static const char *reading_name(size_t i) {
    return tma_reading_at(i) ? tma_reading_at(i)->name : NULL;
}

int tma_read_reading(tma_target *out, const char *text, const char *what, tma_error *error) {
    const size_t length = text_length(text);
    const size_t equals = text_until(text, length, '=');
    char name[64] = "";
    size_t reading = 0;
    if (equals == length || equals >= sizeof(name)) {
        return tma_fail(error, "%s '%.80s' is no NAME=VALUE: see tma list readings", what, text);
    }
    memcpy(name, text, equals);
    if (tma_read_name(&reading, name, what, reading_name, error)) {
        return -1;
    }
    for (size_t i = 0; tma_reads_at(reading, i); i++) {
        if (text_same(tma_reads_at(reading, i)->name, text + equals + 1)) {
            return tma_target_read(out, (uint32_t)reading, (uint32_t)i) == TMA_OK ? 0 : -1;
        }
    }
    (void)tma_fail(error, "%s %s='%.40s': one of", what, name, text + equals + 1);
    for (size_t i = 0; tma_reads_at(reading, i); i++) {
        tma_fail_more(error, "%s %s", i ? "," : "", tma_reads_at(reading, i)->name);
    }
    return -1;
}

void tma_put_readings(tma_out *out, const tma_target *target) {
    for (size_t i = 0; tma_reading_at(i); i++) {
        const uint32_t value = tma_target_reads(target, (uint32_t)i);
        if (value && tma_reads_at(i, value)) {
            tma_putf(out, " --reading %s=%s", tma_reading_at(i)->name,
                     tma_reads_at(i, value)->name);
        }
    }
}

/* The questions of a set, each with the reading that was chosen. */
static bool put_chosen(tma_out *out, uint32_t set, uint32_t readings) {
    const tma_target chosen = {.readings = readings};
    const char *between = "";
    for (uint32_t i = 0; set && i < TMA_READINGS; i++) {
        if (set >> i & 1) {
            tma_putf(out, "%s%s=%s", between, tma_reading_at(i)->name,
                     tma_reads_at(i, tma_target_reads(&chosen, i))->name);
            between = ", ";
        }
    }
    return set != 0;
}

bool tma_put_plan_readings(tma_out *out, const tma_plan *plan, const tma_position *at) {
    const uint32_t set = tma_plan_readings(plan, at);
    return put_chosen(out, set, set ? tma_plan_info(plan)->readings : 0);
}

bool tma_put_map_readings(tma_out *out, const tma_decoded *map, uint32_t questions) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < TMA_READINGS; i++) {
        const tma_target made = {.readings = map->readings};
        const uint32_t value = tma_target_reads(&made, i);
        set |= (uint32_t)(value && tma_reads_at(i, value)) << i;
    }
    return put_chosen(out, set & questions, map->readings);
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
    if (words->has_toolchain) {
        tma_put(out, " --ptxas ");
        tma_put_driver(out, words->target.toolchain);
    }
    tma_put_readings(out, &words->target);
}
