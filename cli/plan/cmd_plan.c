/* SPDX-License-Identifier: Apache-2.0
 *
 * tma plan: what one copy moves, where, and what it costs.
 */
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "copy_json.h"
#include "plan_element.h"
#include "plan_grid.h"
#include "plan_view.h"
#include "verbs.h"

enum { KEY_GRID = 0x400 };

typedef struct plan_args {
    copy_args copy;
    output_options output;
    int walk;
    int has_grid;
    const char *grid;    /* its loops, or null: what covers the tensor */
    const char *element; /* its index in the box, or null */
    const char *text;
} plan_args;

static const args_option options[] = {
    {"element", ARGS_AT(plan_args, element), "N,...", ARGS_KEEPS,
     "one element of the box, innermost first (column,row): where it lies in shared memory before "
     "and after the swizzle, its 16-byte chunk, its bank",
     50},
    {"walk", ARGS_AT(plan_args, walk), 0, ARGS_SETS,
     "also every run of bytes, in the hardware's order", 50},
    {"grid", KEY_GRID, "LOOPS", ARGS_VALUE_OPTIONAL,
     "all copies of a grid instead of one: how many are cut by the tensor's edge, how many trap "
     "and by which rule, the first of each. The grid covers the tensor box by box; or "
     "START:STEP:COUNT for each dimension, with commas",
     50},
    {0},
};

static const args_child children[] = {{&copy_parser, 0, 10, ARGS_AT(plan_args, copy)},
                                      {&output_parser, 0, 0, ARGS_AT(plan_args, output)},
                                      {0}};

static int parse(int key, char *text, args_state *state) {
    plan_args *args = state->input;
    tma_error error;
    switch (key) {
    case KEY_GRID:
        args->has_grid = 1;
        args->grid = text;
        return 0;
    case ARGS_KEY_ARG:
        if (args->text) {
            args_error(state, "more than one instruction: put it in quotes");
        }
        args->text = text;
        return 0;
    case ARGS_KEY_END:
        if (args->has_grid && (args->walk || args->element || args->copy.asked.copy.coords)) {
            args_error(state, "--grid goes over the coordinates: leave %s out",
                       args->walk      ? "--walk"
                       : args->element ? "--element"
                                       : "--coord");
        }
        option_check(args->text && copy_args_text(&args->copy, args->text, &error), state, &error);
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_parser parser = {
    options,
    parse,
    "['PTX'] --map MAP\n['PTX'] SPEC OPTIONS",
    "Judges one tensor copy before it runs. It prints whether the copy traps and by which rule; "
    "the bytes that it counts on the barrier, reads, fills and writes; where it puts the box in "
    "shared memory; how many sectors and lines of global memory it touches; and the bank "
    "conflicts of the usual readers. The instruction comes from options, or from its PTX text in "
    "quotes; --coord, --offset and --shared then give the values of its registers.\vWavefronts "
    "are the passes that the 32 banks need when a warp reads what a load left. A reader of "
    "\"rows\" reads a row piece by piece, \"column\" reads the same piece of consecutive rows, "
    "and ldmatrix reads 8 rows of 16 B. The counts follow documents; they were not measured.\n"
    "\n"
    "Exit status: 0 it runs, 1 it traps or the driver refuses the map, 2 misuse.\n"
    "\n"
    "Example: tma plan --dtype bfloat16 --dim 4096,8192 --box 64,128 --swizzle 128B --coord "
    "64,8128",
    children,
    0,
};

/* `element` is null where none was asked for. */
static void print_json(const plan_args *args, tma_status status, const tma_finding *why,
                       const plan_element *element) {
    const copy_args *copy = &args->copy;
    out_json line;
    tma_json *json = out_json_begin(&line, "plan");
    tma_json_target(json, "target", &copy->asked.map.target.target);
    tma_json_spec(json, "spec", &copy->asked.map.spec);
    copy_instruction_json(json, copy);
    tma_json_bool(json, "runs", status == TMA_OK);
    tma_json_text(json, "trap", status == TMA_TRAP ? tma_trap_name(why) : NULL);
    if (status == TMA_OK) {
        plan_view view;
        tma_json_null(json, "finding");
        copy_notes_json(json, copy);
        plan_view_of(&view, copy);
        plan_json(json, &view);
        if (element) {
            plan_element_json(json, element, copy);
        }
    } else {
        tma_json_finding(json, "finding", why);
        copy_read_as_json(json, copy);
    }
    if (args->walk && status == TMA_OK && ask_is_countable(&copy->plan)) {
        plan_walk_json(json, copy);
    }
    out_json_end(&line);
}

static void print_text(const plan_args *args, tma_status status, const tma_finding *why,
                       const plan_element *element) {
    const copy_args *copy = &args->copy;
    const color_set colors = colors_for(stdout, args->output.color);
    copy_title(stdout, copy, &colors);
    if (status != TMA_OK) {
        copy_fault(stdout, copy, status, why, &colors);
        return;
    }
    plan_view view;
    plan_view_of(&view, copy);
    plan_print(stdout, &view, &colors);
    if (element) {
        plan_element_print(stdout, element, copy);
    }
    copy_notes(stdout, copy, &colors);
    if (args->walk && view.is_counted) {
        putchar('\n');
        plan_walk_print(stdout, copy, &colors);
    }
}

static int plan_grid(const plan_args *args) {
    static grid_counts counts;
    const copy_args *copy = &args->copy;
    grid g;
    tma_error error;
    if (grid_of(&g, copy, args->grid, &error)) {
        cli_say("%s", error.text);
        return CLI_MISUSE;
    }
    grid_count(&counts, &g, copy);
    if (args->output.json) {
        out_json line;
        tma_json *json = out_json_begin(&line, "plan");
        tma_json_target(json, "target", &copy->asked.map.target.target);
        tma_json_spec(json, "spec", &copy->asked.map.spec);
        copy_instruction_json(json, copy);
        grid_json(json, &g, &counts, copy);
        out_json_end(&line);
    } else {
        const color_set colors = colors_for(stdout, args->output.color);
        copy_title(stdout, copy, &colors);
        grid_print(stdout, &g, &counts, copy, &colors);
    }
    return counts.groups > GRID_TRAPS ? CLI_FINDINGS : CLI_CLEAN;
}

int cmd_plan(int argc, char **argv) {
    static plan_args args;
    tma_status status = TMA_OK;
    tma_finding why;
    options_parse(&parser, argc, argv, &args);
    if (args.has_grid && tma_mode_is_rows4(args.copy.asked.copy.in.mode)) {
        cli_say("--grid: modes tile and im2col; this is %s",
                tma_mode_name(args.copy.asked.copy.in.mode));
        return CLI_MISUSE;
    }
    const int result = copy_args_plan(&args.copy, args.output.color, &status, &why);
    if (result != CLI_CLEAN && status == TMA_OK) {
        if (result == CLI_FINDINGS && args.output.json) {
            copy_refused_json("plan", &args.copy);
        }
        return result; /* no map, or options that do not belong to it: said already */
    }
    const int is_planned = tma_plan_info(&args.copy.plan)->sm != 0;
    if (args.has_grid && is_planned) { /* coordinates of 0 may trap */
        return plan_grid(&args);
    }
    plan_element found;
    const plan_element *const element = args.element && status == TMA_OK ? &found : NULL;
    tma_error error;
    if (element && plan_element_find(&found, &args.copy, args.element, &error)) {
        cli_say("%s", error.text);
        return CLI_MISUSE;
    }
    if (args.output.json) {
        print_json(&args, status, &why, element);
    } else {
        print_text(&args, status, &why, element);
    }
    return result;
}
