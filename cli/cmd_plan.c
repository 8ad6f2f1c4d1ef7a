/* SPDX-License-Identifier: Apache-2.0
 *
 * tma plan: what one copy moves, where, and what it costs.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "copy_words.h"
#include "out_json.h"
#include "plan_view.h"
#include "verbs.h"

enum { KEY_JSON = 0x400, KEY_COLOR, KEY_WALK };

typedef struct plan_args {
    copy_args copy;
    int json;
    int walk;
    color_mode color;
} plan_args;

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to print:", 50},
    {"walk", KEY_WALK, 0, 0, "also every run of bytes, in the hardware's order", 0},
    {"json", KEY_JSON, 0, 0, "one JSON object on a line", 0},
    COLOR_OPTION(KEY_COLOR),
    {0},
};

static const struct argp_child children[] = {{&copy_argp, 0, 0, 10}, {0}};

static error_t parse(int key, char *text, struct argp_state *state) {
    plan_args *args = state->input;
    cli_error error;
    switch (key) {
    case ARGP_KEY_INIT:
        args->copy.verb = COPY_PLANS;
        state->child_inputs[0] = &args->copy;
        return 0;
    case KEY_JSON:
        args->json = 1;
        return 0;
    case KEY_WALK:
        args->walk = 1;
        return 0;
    case KEY_COLOR:
        if (color_mode_named(text, &args->color, &error)) {
            argp_error(state, "%s", error.text);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse,
    COPY_ARGS_DOC,
    "One tensor copy before it runs: whether it traps, and by which rule; the bytes that it counts "
    "on the barrier, reads, fills and writes; its place in shared memory; sectors and lines of "
    "global memory; bank conflicts of the usual readers.\v"
    "Wavefronts are the turns that the 32 banks need for a warp that reads what a load left: rows "
    "piece by piece, the same piece of consecutive rows (column), 8 rows of 16 B (ldmatrix); "
    "documented, not seen on hardware.\n\n"
    "Exit status: 0 it runs, 1 it traps or the driver refuses the map, 2 misuse.\n\n"
    "Example: tma plan --dtype bfloat16 --dim 4096,8192 --box 64,128 --swizzle 128B --coord "
    "64,8128",
    children,
    0,
    0,
};

static json_t *instruction_json(const copy_args *args) {
    char *text = NULL;
    size_t size = 0;
    json_t *object = json_object();
    json_t *coords = json_array();
    json_t *offsets = json_array();
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        cli_out_of_memory();
    }
    copy_ptx(out, &args->in, args->spec.rank, &args->at);
    fclose(out);
    json_put(object, "op", json_string(tma_op_name(args->in.op)));
    json_put(object, "mode", json_string(tma_mode_name(args->in.mode)));
    json_put(object, "coord", coords);
    for (uint32_t i = 0; i < copy_coords(args->in.mode, args->spec.rank) && i < TMA_MAX_RANK; i++) {
        json_add(coords, json_integer(args->at.coord[i]));
    }
    json_put(object, "offset", offsets);
    for (uint32_t i = 0; i < copy_offsets(args->in.op, args->in.mode, args->spec.rank); i++) {
        json_add(offsets, json_integer(args->at.offset[i]));
    }
    json_put(object, "ptx", json_string(text));
    free(text);
    return object;
}

static void print_json(const plan_args *args, tma_status status, const tma_finding *why) {
    const copy_args *copy = &args->copy;
    json_t *object = json_begin("plan");
    json_put(object, "target", json_target(&copy->map_args.target.target));
    json_put(object, "spec", json_spec(&copy->spec));
    json_put(object, "instruction", instruction_json(copy));
    json_put(object, "runs", json_boolean(status == TMA_OK));
    json_put(object, "trap", status == TMA_TRAP ? json_string(tma_trap_name(why)) : json_null());
    json_put(object, "finding", status == TMA_OK ? json_null() : json_finding(why));
    if (status == TMA_OK) {
        plan_view view;
        plan_view_of(&view, copy);
        plan_json(object, &view);
    }
    if (args->walk && status == TMA_OK && copy_is_countable(&copy->plan)) {
        json_put(object, "walk", plan_walk_json(copy));
    }
    json_end(stdout, object);
}

static void print_text(const plan_args *args, tma_status status, const tma_finding *why) {
    const copy_args *copy = &args->copy;
    const color_set colors = colors_for(stdout, args->color);
    copy_title(stdout, copy, &colors);
    if (status != TMA_OK) {
        copy_fault(stdout, status, why, &colors);
        return;
    }
    plan_view view;
    plan_view_of(&view, copy);
    plan_print(stdout, &view, &colors);
    if (args->walk && view.is_counted) {
        putchar('\n');
        plan_walk_print(stdout, copy, &colors);
    }
}

int cmd_plan(int argc, char **argv) {
    static plan_args args;
    tma_status status = TMA_OK;
    tma_finding why;
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    const int result = copy_args_plan(&args.copy, args.color, &status, &why);
    if (result != CLI_CLEAN && status == TMA_OK) {
        return result; /* no map, or options that do not belong to it: said already */
    }
    if (args.json) {
        print_json(&args, status, &why);
    } else {
        print_text(&args, status, &why);
    }
    return result;
}
