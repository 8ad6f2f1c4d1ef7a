/* SPDX-License-Identifier: Apache-2.0
 *
 * tma encode: the 128 bytes of a map.
 */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "map_output.h"
#include "spec_inputs.h"
#include "verbs.h"
#include "verdict.h"

enum { KEY_JSON = 0x400, KEY_COLOR, KEY_FORMAT, KEY_FORCE };

typedef struct encode_args {
    spec_inputs inputs;
    map_format format;
    int has_format;
    int force;
    int json;
    color_mode color;
    size_t refused;
} encode_args;

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to print:", 50},
    {"format", KEY_FORMAT, "FORM", 0,
     "hex (default), words (as a debugger's x/32wx), c (an initialiser of CUtensorMap) or raw", 0},
    {"force", KEY_FORCE, 0, 0,
     "encode what the driver refuses: every field that fits; the others stay 0 and are named", 0},
    {"json", KEY_JSON, 0, 0, "one JSON object a map, each on a line", 0},
    COLOR_OPTION(KEY_COLOR),
    {0},
};

static const struct argp_child children[] = {{&spec_inputs_argp, 0, 0, 10}, {0}};

static error_t parse(int key, char *text, struct argp_state *state) {
    encode_args *args = state->input;
    cli_error error;
    int failed = 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &args->inputs;
        return 0;
    case KEY_JSON:
        args->json = 1;
        return 0;
    case KEY_FORCE:
        args->force = 1;
        return 0;
    case KEY_COLOR:
        failed = color_mode_named(text, &args->color, &error);
        break;
    case KEY_FORMAT:
        args->has_format = 1;
        failed = map_format_named(text, &args->format, &error);
        break;
    case ARGP_KEY_SUCCESS:
        if (args->json && args->has_format) {
            argp_error(state, "--json has the bytes in hex: leave --format out");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (failed) {
        argp_error(state, "%s", error.text);
    }
    return 0;
}

static const struct argp argp = {
    options,
    parse,
    SPEC_INPUTS_ARGS_DOC,
    "The 128 bytes that the driver's encode call writes for a map. Where it would refuse, nothing "
    "is printed but the reasons, on standard error.\v"
    "FILE holds case lines (enc ...), - is standard input; then a refused map has no line.\n\n"
    "Exit status: 0 encoded, 1 refused (or, with --force, not all of it fits), 2 misuse.\n\n"
    "Example:\n"
    "  tma encode --dtype bf16 --dim 4096,8192 --box 64,128 --swizzle 128B",
    children,
    0,
    0,
};

static void say_refused(const encode_args *args, const spec_input *in, const verdict *v) {
    const color_set colors = colors_for(stderr, args->color);
    cli_say("%s%srefused", in->label ? in->label : "", in->label ? ": " : "");
    verdict_findings(stderr, v, TMA_SEVERITY_REFUSED, &colors);
    verdict_summary(stderr, v, TMA_SEVERITY_REFUSED);
}

_Static_assert(TMA_ARGUMENTS <= 64, "unfit arguments are bits of 64");

static void say_unfit(const spec_input *in, uint64_t unfit) {
    for (uint32_t argument = 0; argument < TMA_ARGUMENTS; argument++) {
        if (unfit >> argument & 1) {
            cli_say("%s%s%s does not fit in its bits and was left 0", in->label ? in->label : "",
                    in->label ? ": " : "", tma_argument_name(argument));
        }
    }
}

static void print_json(const encode_args *args, const spec_input *in, const tma_map *map,
                       const verdict *v, uint64_t unfit) {
    json_t *object = json_begin("encode");
    if (in->label) {
        json_put(object, "input", json_text(in->label));
    }
    if (in->id) {
        json_put(object, "id", json_text(in->id));
    }
    if (in->error) {
        json_put(object, "error", json_text(in->error->text));
        json_end(stdout, object);
        return;
    }
    json_put(object, "target", json_target(in->target));
    json_put(object, "spec", json_spec(in->spec));
    json_put(object, "map", map ? json_map(map) : json_null());
    if (args->force) {
        json_t *names = json_array();
        json_put(object, "unfit", names);
        for (uint32_t i = 0; i < TMA_ARGUMENTS; i++) {
            if (unfit & 1u << i) {
                json_add(names, json_string(tma_argument_name(i)));
            }
        }
    }
    verdict_json(object, v, in->spec, TMA_SEVERITY_SURPRISING);
    json_end(stdout, object);
}

static void encode_one(void *context, const spec_input *in) {
    encode_args *args = context;
    tma_map map;
    uint64_t unfit = 0;
    verdict v;
    int is_map = 0;
    if (!in->error) {
        v.count = 0;
        is_map = (args->force ? tma_encode_forced(map.bytes, in->spec, in->target, &unfit)
                              : tma_encode(map.bytes, in->spec, in->target)) == TMA_OK;
        args->refused += !is_map || unfit;
    }
    if (!in->error && (args->json || !is_map)) {
        verdict_of(&v, in->spec, in->target);
    }
    if (args->json) {
        print_json(args, in, is_map ? &map : NULL, &v, unfit);
    } else if (is_map) {
        map_output(stdout, &map, args->format);
        say_unfit(in, unfit);
    } else if (!in->error) {
        say_refused(args, in, &v);
    }
}

int cmd_encode(int argc, char **argv) {
    encode_args args;
    memset(&args, 0, sizeof(args));
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    const size_t errors = spec_inputs_each(&args.inputs, encode_one, &args);
    return errors ? CLI_MISUSE : args.refused ? CLI_FINDINGS : CLI_CLEAN;
}
