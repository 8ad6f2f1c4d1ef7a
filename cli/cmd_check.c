/* SPDX-License-Identifier: Apache-2.0
 *
 * tma check: every rule that a map breaks.
 */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "out_text.h"
#include "spec_inputs.h"
#include "tma/limits.def"
#include "verbs.h"
#include "verdict.h"

enum { KEY_LEVEL = 0x400 };

typedef struct check_args {
    spec_inputs inputs;
    tma_severity level;
    output_options output;
    color_set colors;
    size_t maps;
    size_t refused;
    size_t with_findings;
} check_args;

static const struct argp_option options[] = {
    {"level", KEY_LEVEL, "SEVERITY", 0,
     "refused, faults or surprising (default): show and count findings down to it", 50},
    {0},
};

static const struct argp_child children[] = {
    {&spec_inputs_argp, 0, 0, 10}, {&output_argp, 0, 0, 0}, {0}};

static error_t parse(int key, char *text, struct argp_state *state) {
    check_args *args = state->input;
    tma_error error;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &args->inputs;
        state->child_inputs[1] = &args->output;
        return 0;
    case KEY_LEVEL:
        option_check(verdict_level_named(text, &args->level, &error), state, &error);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse,
    SPEC_INPUTS_ARGS_DOC,
    "Every rule that a map breaks: what the driver refuses, what it takes although copies then "
    "fault or do something else, and what is legal but surprising. Each with the value, the limit, "
    "what would be legal, and who says so.\v"
    "A list has its entries in the order of the driver's arrays: innermost first. Sizes are "
    "decimal, hexadecimal or a power of two (2^32). FILE holds case lines (enc ...), - is standard "
    "input.\n\nExit status: 0 no findings, 1 findings, 2 misuse.\n\n"
    "Example:\n"
    "  tma check --dtype bf16 --dim 4096,8192 --box 128,128 --swizzle 128B",
    children,
    0,
    0,
};

/* Only sm_90 with one driver was asked. */
static int was_seen(const tma_target *target) {
    return target->sm == 90 && target->driver == TMA_VALUE(SEEN_DRIVER);
}

static void print_accepted(const tma_spec *spec, const tma_target *target, const verdict *v,
                           const color_set *colors) {
    tma_out out = out_to(stdout);
    const int seen = was_seen(target);
    tma_putf(&out, "%saccepted%s: %s", colors->good, colors->end,
             seen ? "driver " : "no rule refuses this map for ");
    if (seen) {
        tma_put_driver(&out, target->driver);
        tma_putf(&out, " takes this map on %s\n", tma_arch_text(target));
    } else {
        tma_putf(&out, "%s with driver ", tma_arch_text(target));
        tma_put_driver(&out, target->driver);
        tma_put(&out, " (which was not asked)\n");
    }
    out_measure(stdout, spec, &v->measure);
}

static void print_many(const check_args *args, const spec_input *in, const verdict *v) {
    const char *id = in->id ? in->id : "";
    printf("%s%s%s:%s%s ", args->colors.bold, in->label, args->colors.end, *id ? " " : "", id);
    printf("%s%s%s\n", v->accepted ? args->colors.good : args->colors.severity[0],
           v->accepted ? "accepted" : "refused", args->colors.end);
    if (verdict_shown(v, args->level)) {
        verdict_findings(stdout, v, args->level, &args->colors);
        verdict_summary(stdout, v, args->level);
        putchar('\n');
    }
}

static void print_one(const check_args *args, const spec_input *in, const verdict *v) {
    verdict_findings(stdout, v, args->level, &args->colors);
    verdict_summary(stdout, v, args->level);
    if (v->accepted) {
        print_accepted(in->spec, in->target, v, &args->colors);
    }
}

static void print_json(const spec_input *in, const verdict *v, tma_severity level) {
    out_json line;
    tma_json *json = out_json_begin(&line, "check");
    if (spec_input_json(json, in)) {
        verdict_json(json, v, in->spec, level);
    }
    out_json_end(&line);
}

static void check_one(void *context, const spec_input *in) {
    check_args *args = context;
    verdict v;
    if (!in->error) {
        verdict_of(&v, in->spec, in->target);
        args->maps++;
        args->refused += !v.accepted;
        args->with_findings += verdict_shown(&v, args->level) > 0;
    }
    if (args->output.json) {
        print_json(in, &v, args->level);
    } else if (in->error) {
        return;
    } else if (in->label) {
        print_many(args, in, &v);
    } else {
        print_one(args, in, &v);
    }
}

int cmd_check(int argc, char **argv) {
    check_args args;
    memset(&args, 0, sizeof(args));
    args.level = TMA_SEVERITY_SURPRISING;
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    args.colors = colors_for(stdout, args.output.color);
    const size_t errors = spec_inputs_each(&args.inputs, check_one, &args);
    if (args.inputs.path_count && !args.output.json) {
        printf("%zu maps: %zu accepted, %zu refused; %zu with findings; %zu lines with errors\n",
               args.maps, args.maps - args.refused, args.refused, args.with_findings, errors);
    }
    return errors ? CLI_MISUSE : args.with_findings ? CLI_FINDINGS : CLI_CLEAN;
}
