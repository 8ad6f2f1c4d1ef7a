/* SPDX-License-Identifier: Apache-2.0
 *
 * --arch and --driver.
 */
#include "target_args.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "number.h"

enum { KEY_ARCH = 0x200, KEY_DRIVER };

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What the map is for:", 40},
    {"arch", KEY_ARCH, "ARCH", 0, "architecture, e.g. sm_100a (default sm_90); see tma list archs",
     0},
    {"driver", KEY_DRIVER, "VERSION", 0, "driver version, e.g. 13.0 (the default) or 13000", 0},
    {0},
};

static int version_part(const char *text, size_t length, uint64_t most, uint64_t *out) {
    return number_digits(text, length, out) == NUMBER_OK && *out <= most ? 0 : -1;
}

int target_driver(const char *text, uint32_t *driver, cli_error *error) {
    const char *dot = strchr(text, '.');
    uint64_t major = 0;
    uint64_t minor = 0;
    const size_t length = dot ? (size_t)(dot - text) : strlen(text);
    if (!version_part(text, length, dot ? 999 : 999999, &major)) {
        if (dot && !version_part(dot + 1, strlen(dot + 1), 99, &minor)) {
            *driver = (uint32_t)(1000 * major + 10 * minor);
            return 0;
        }
        if (!dot && major >= 1000) {
            *driver = (uint32_t)major;
            return 0;
        }
    }
    return cli_fail(error, "--driver: '%.80s' is not a version such as 13.0 or 13000", text);
}

static int set_arch(target_args *args, const char *text, cli_error *error) {
    if (args->has_arch) {
        return cli_fail(error, "--arch is given twice");
    }
    args->has_arch = 1;
    return name_arch(text, "--arch", &args->target, error);
}

static int set_driver(target_args *args, const char *text, cli_error *error) {
    if (args->has_driver) {
        return cli_fail(error, "--driver is given twice");
    }
    args->has_driver = 1;
    return target_driver(text, &args->target.driver, error);
}

static error_t parse(int key, char *text, struct argp_state *state) {
    target_args *args = state->input;
    cli_error error;
    int failed = 0;
    switch (key) {
    case ARGP_KEY_INIT:
        args->target = (tma_target){90, 0, 13000};
        return 0;
    case KEY_ARCH:
        failed = set_arch(args, text, &error);
        break;
    case KEY_DRIVER:
        failed = set_driver(args, text, &error);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (failed) {
        argp_error(state, "%s", error.text);
    }
    return 0;
}

const struct argp target_argp = {options, parse, 0, 0, 0, 0, 0};

const char *target_arch_text(const tma_target *target) {
    const tma_arch_row *row = tma_arch_of(target);
    return row ? row->name : "an unknown architecture";
}

const char *target_driver_text(const tma_target *target, char buffer[16]) {
    snprintf(buffer, 16, "%" PRIu32 ".%" PRIu32, target->driver / 1000, target->driver % 1000 / 10);
    return buffer;
}
