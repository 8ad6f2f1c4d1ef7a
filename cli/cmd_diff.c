/* SPDX-License-Identifier: Apache-2.0
 *
 * tma diff: the fields in which two maps differ, and what is wrong with either.
 */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "map_diff.h"
#include "map_input.h"
#include "out_json.h"
#include "out_text.h"
#include "verbs.h"

enum { KEY_JSON = 0x400, KEY_COLOR };

typedef struct diff_args {
    target_args target;
    char *maps[2];
    int json;
    color_mode color;
} diff_args;

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to print:", 50},
    {"json", KEY_JSON, 0, 0, "one JSON object on a line", 0},
    COLOR_OPTION(KEY_COLOR),
    {0},
};

static const struct argp_child children[] = {{&target_argp, 0, 0, 40}, {0}};

static error_t parse(int key, char *text, struct argp_state *state) {
    diff_args *args = state->input;
    cli_error error;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &args->target;
        return 0;
    case KEY_JSON:
        args->json = 1;
        return 0;
    case KEY_COLOR:
        if (color_mode_named(text, &args->color, &error)) {
            argp_error(state, "%s", error.text);
        }
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num >= 2) {
            argp_error(state, "two maps, no more: '%.80s'", text);
        }
        args->maps[state->arg_num] = text;
        return 0;
    case ARGP_KEY_END:
        if (state->arg_num < 2) {
            argp_error(state, "two maps are needed");
        } else if (!strcmp(args->maps[0], "-") && !strcmp(args->maps[1], "-")) {
            argp_error(state, "standard input can be one of the maps only");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse,
    "A B",
    "The fields in which two tensor maps differ, with both values, and what is odd about either: "
    "words gone stale after tensormap.replace, flags left behind, bits that no field owns.\v"
    "A and B are what tma decode reads: hex, a file, or - for standard input. With --arch or "
    "--driver, bit 21 is judged as that driver sets it.\n\n"
    "Exit status: 0 the same bytes, 1 they differ, 2 misuse.",
    children,
    0,
    0,
};

/* Where nobody named a target, a difference in bit 21 still needs a word. */
static const char *about_bit21(const judged *a, const judged *b, const target_args *target) {
    if (a->decoded.bit21 == b->decoded.bit21 || target->has_arch || target->has_driver) {
        return NULL;
    }
    return "bit 21 (large_tensor) differs: drivers set it for tensors of 128 KiB and more on "
           "sm_100 "
           "and newer, never on sm_90; tensormap.replace.swizzle_atomicity clears it. --arch and "
           "--driver tell which is right";
}

static void print_text(const diff_args *args, const judged *a, const judged *b) {
    difference all[MAP_MOST_DIFFERENCES];
    const color_set colors = colors_for(stdout, args->color);
    const size_t count = map_diff(a, b, all);
    const char *bit21 = about_bit21(a, b, &args->target);
    if (count) {
        printf("%s%-20s %-24s %s%s\n", colors.dim, "field", "A", "B", colors.end);
    }
    for (size_t i = 0; i < count; i++) {
        printf("%-20s %-24s %s\n", all[i].name, all[i].a, all[i].b);
    }
    if (count) {
        printf("%zu field%s differ%s\n", count, count == 1 ? "" : "s", count == 1 ? "s" : "");
    } else {
        puts("the same 128 bytes");
    }
    judge_print(stdout, a, "A: ", &colors);
    judge_print(stdout, b, "B: ", &colors);
    if (bit21) {
        printf("%snote%s: ", colors.severity[2], colors.end);
        out_wrapped(stdout, bit21, 6);
    }
}

static void print_json(const diff_args *args, const judged *a, const judged *b) {
    difference all[MAP_MOST_DIFFERENCES];
    const size_t count = map_diff(a, b, all);
    const char *bit21 = about_bit21(a, b, &args->target);
    json_t *object = json_begin("diff");
    json_t *fields = json_array();
    json_put(object, "same", json_boolean(count == 0));
    json_put(object, "fields", fields);
    for (size_t i = 0; i < count; i++) {
        json_t *field = json_object();
        json_put(field, "name", json_string(all[i].name));
        json_put(field, "a", json_string(all[i].a));
        json_put(field, "b", json_string(all[i].b));
        json_add(fields, field);
    }
    json_put(object, "odd_a", judge_json(a));
    json_put(object, "odd_b", judge_json(b));
    json_put(object, "note", bit21 ? json_string(bit21) : json_null());
    json_end(stdout, object);
}

int cmd_diff(int argc, char **argv) {
    diff_args args;
    judged sides[2];
    memset(&args, 0, sizeof(args));
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    for (int i = 0; i < 2; i++) {
        tma_map map;
        cli_error error;
        if (map_input(args.maps[i], &map, &error)) {
            cli_say("%s: %s", i ? "B" : "A", error.text);
            return CLI_MISUSE;
        }
        judge_map(&sides[i], &map, &args.target);
    }
    if (args.json) {
        print_json(&args, &sides[0], &sides[1]);
    } else {
        print_text(&args, &sides[0], &sides[1]);
    }
    return memcmp(&sides[0].map, &sides[1].map, sizeof(tma_map)) ? CLI_FINDINGS : CLI_CLEAN;
}
