/* SPDX-License-Identifier: Apache-2.0
 *
 * tma encode: the 128 bytes of a map.
 */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "spec_inputs.h"
#include "tma/code.h"
#include "verbs.h"
#include "verdict.h"

enum { KEY_FORMAT = 0x400, KEY_AS };

typedef struct encode_args {
    spec_inputs inputs;
    tma_map_form format;
    int has_format;
    tma_code_form code;
    int has_code;
    int force;
    output_options output;
    size_t refused;
    size_t unfit; /* specs that the source form has no words for */
} encode_args;

static const args_option options[] = {
    {"format", KEY_FORMAT, "FORM", 0,
     "hex (default), words (as a debugger's x/32wx), c (an initialiser of CUtensorMap) or raw", 50},
    {"as", KEY_AS, "SOURCE", 0,
     "source text that makes the map: cuda (C or C++ with cuda.h), c (this library), "
     "cuda.bindings or cuda.core (Python)",
     50},
    {"force", ARGS_AT(encode_args, force), 0, ARGS_SETS,
     "encode what the driver refuses: every field that fits; the others stay 0 and are named", 50},
    {0},
};

static const args_child children[] = {{&spec_inputs_parser, 0, 10, ARGS_AT(encode_args, inputs)},
                                      {&output_parser, 0, 0, ARGS_AT(encode_args, output)},
                                      {0}};

/* The modules of Python's by their own names, too: cuda.core. */
static tma_code_form code_form(const char *text, const args_state *state) {
    char name[32];
    size_t found = 0;
    tma_error error;
    snprintf(name, sizeof(name), "%s", text);
    for (char *dot = strchr(name, '.'); dot; dot = strchr(dot, '.')) {
        *dot = '-';
    }
    option_check(tma_read_name(&found, name, "--as", tma_code_form_name, &error), state, &error);
    return (tma_code_form)found;
}

static void check_together(const encode_args *args, const args_state *state) {
    if (args->output.json && args->has_format) {
        args_error(state, "--json has the bytes in hex: leave --format out");
    }
    if (args->has_code && (args->output.json || args->has_format)) {
        args_error(state, "--as prints source text: leave --json and --format out");
    }
}

static int parse(int key, char *text, args_state *state) {
    encode_args *args = state->input;
    switch (key) {
    case KEY_FORMAT:
        args->has_format = 1;
        args->format = option_map_form(text, state);
        return 0;
    case KEY_AS:
        args->has_code = 1;
        args->code = code_form(text, state);
        return 0;
    case ARGS_KEY_SUCCESS:
        check_together(args, state);
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_parser parser = {
    options,
    parse,
    SPEC_INPUTS_ARGS_DOC,
    "Prints the 128 bytes that the driver's encode call writes for a map. If the driver would "
    "refuse the map, it prints only the reasons, on standard error.\vFILE holds case lines (enc "
    "...); - is standard input. A refused map then gets no line.\n"
    "\n"
    "Exit status: 0 encoded, 1 refused (or, with --force, not all of it fits), 2 misuse.\n"
    "\n"
    "Example:\n"
    "  tma encode --dtype bf16 --dim 4096,8192 --box 64,128 --swizzle 128B",
    children,
    0,
};

static void say_refused(const encode_args *args, const spec_input *in, const verdict *v) {
    const color_set colors = colors_for(stderr, args->output.color);
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
    out_json line;
    tma_json *json = out_json_begin(&line, "encode");
    if (spec_input_json(json, in)) {
        if (map) {
            tma_json_map(json, "map", map->bytes);
        } else {
            tma_json_null(json, "map");
        }
        if (args->force) {
            tma_json_list(json, "unfit_arguments");
            for (uint32_t i = 0; i < TMA_ARGUMENTS; i++) {
                if (unfit >> i & 1) {
                    tma_json_text(json, NULL, tma_argument_name(i));
                }
            }
            tma_json_end(json);
        }
        verdict_json(json, v, in->spec, TMA_SEVERITY_SURPRISING);
    }
    out_json_end(&line);
}

static void print_code(encode_args *args, const spec_input *in) {
    const char *why = tma_code_unfit(in->spec, args->code);
    tma_out out = out_to(stdout);
    if (why) {
        cli_say("%s%s--as %s: %s", in->label ? in->label : "", in->label ? ": " : "",
                tma_code_form_name(args->code), why);
        args->unfit++;
        return;
    }
    tma_put_code(&out, in->spec, in->target, args->code);
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
    if (!in->error && (args->output.json || !is_map)) {
        verdict_of(&v, in->spec, in->target);
    }
    if (args->output.json) {
        print_json(args, in, is_map ? &map : NULL, &v, unfit);
    } else if (is_map && args->has_code) {
        print_code(args, in);
    } else if (is_map) {
        tma_out out = out_to(stdout);
        tma_put_map(&out, map.bytes, args->format);
        say_unfit(in, unfit);
    } else if (!in->error) {
        say_refused(args, in, &v);
    }
}

int cmd_encode(int argc, char **argv) {
    encode_args args = {0};
    options_parse(&parser, argc, argv, &args);
    const size_t errors = spec_inputs_each(&args.inputs, encode_one, &args);
    return errors || args.unfit ? CLI_MISUSE : args.refused ? CLI_FINDINGS : CLI_CLEAN;
}
