/* SPDX-License-Identifier: Apache-2.0
 *
 * tma diff: the fields in which two maps differ, and what is wrong with either.
 */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "map_input.h"
#include "options.h"
#include "out_text.h"
#include "printable.h"
#include "tma/detail/chars.h"
#include "verbs.h"

typedef struct diff_args {
    tma_target_words target;
    char *maps[2];
    int count; /* of maps */
    output_options output;
} diff_args;

static const args_child children[] = {{&target_parser, 0, 40, ARGS_AT(diff_args, target)},
                                      {&output_parser, 0, 0, ARGS_AT(diff_args, output)},
                                      {0}};

static int parse(int key, char *text, args_state *state) {
    diff_args *args = state->input;
    switch (key) {
    case ARGS_KEY_ARG:
        if (args->count >= 2) {
            args_error(state, "two maps, no more: '%.80s'", printable_text(text).text);
        }
        args->maps[args->count++] = text;
        return 0;
    case ARGS_KEY_END:
        if (args->count < 2) {
            args_error(state, "two maps are needed");
        } else if (!strcmp(args->maps[0], "-") && !strcmp(args->maps[1], "-")) {
            args_error(state, "standard input can be one of the maps only");
        }
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_parser parser = {
    0,
    parse,
    "A B",
    "Prints the fields in which two tensor maps differ, with both values, and what is odd about "
    "each map: words that tensormap.replace left stale, flags left from an earlier value, bits "
    "that belong to no field.\vA and B are what tma decode reads: hex, a file, or - for standard "
    "input. With --arch or --driver, bit 21 is compared with what that driver sets.\n"
    "\n"
    "Exit status: 0 the same bytes, 1 they differ, 2 misuse.",
    children,
    0,
};

/* Where nobody named a target, a difference in bit 21 still needs a word. */
static const char *about_bit21(const tma_judged *a, const tma_judged *b,
                               const tma_target_words *target) {
    if (a->decoded.bit21 == b->decoded.bit21 || target->has_arch || target->has_driver) {
        return NULL;
    }
    return "bit 21 (large_tensor) differs: drivers set it for tensors of 128 KiB and more on "
           "sm_100 and newer, never on sm_90; edits clear it (tma list toolchains). --arch and "
           "--driver tell which is right";
}

static void print_text(const diff_args *args, const tma_judged *a, const tma_judged *b) {
    tma_difference all[TMA_DIFFERENCES];
    const color_set colors = colors_for(stdout, args->output.color);
    const size_t count = tma_diff(all, a->map.bytes, b->map.bytes);
    const char *bit21 = about_bit21(a, b, &args->target);
    if (count) {
        printf("%s%-20s %-24s %s%s\n", colors.dim, "field", "A", "B", colors.end);
    }
    for (size_t i = 0; i < count; i++) {
        printf("%-20s %-24s %s\n", all[i].name, all[i].a, all[i].b);
    }
    if (count) {
        printf("%zu field%s differ%s\n", count, text_plural(count), count == 1 ? "s" : "");
    } else {
        puts("the same 128 bytes");
    }
    out_odd(stdout, a, "A: ", &colors);
    out_odd(stdout, b, "B: ", &colors);
    if (bit21) {
        printf("%snote%s: ", colors.severity[2], colors.end);
        out_wrapped(stdout, bit21, 6);
    }
}

static void print_json(const diff_args *args, const tma_judged *a, const tma_judged *b) {
    tma_difference all[TMA_DIFFERENCES];
    const size_t count = tma_diff(all, a->map.bytes, b->map.bytes);
    const char *bit21 = about_bit21(a, b, &args->target);
    out_json line;
    tma_json *json = out_json_begin(&line, "diff");
    tma_json_bool(json, "same", count == 0);
    tma_json_list(json, "fields");
    for (size_t i = 0; i < count; i++) {
        tma_json_object(json, NULL);
        tma_json_text(json, "name", all[i].name);
        tma_json_text(json, "a", all[i].a);
        tma_json_text(json, "b", all[i].b);
        tma_json_end(json);
    }
    tma_json_end(json);
    out_odd_json(json, "odd_a", a);
    out_odd_json(json, "odd_b", b);
    tma_json_text(json, "note", bit21);
    out_json_end(&line);
}

int cmd_diff(int argc, char **argv) {
    diff_args args = {0};
    tma_judged sides[2];
    options_parse(&parser, argc, argv, &args);
    for (int i = 0; i < 2; i++) {
        tma_map map;
        tma_error error;
        if (map_input(args.maps[i], &map, &error)) {
            cli_say("%s: %s", i ? "B" : "A", error.text);
            return CLI_MISUSE;
        }
        tma_judge(&sides[i], map.bytes, &args.target);
    }
    if (args.output.json) {
        print_json(&args, &sides[0], &sides[1]);
    } else {
        print_text(&args, &sides[0], &sides[1]);
    }
    return memcmp(&sides[0].map, &sides[1].map, sizeof(tma_map)) ? CLI_FINDINGS : CLI_CLEAN;
}
