/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of one copy.
 */
#include "copy_args.h"

#include <inttypes.h>
#include <string.h>

#include "cli_error.h"
#include "map_input.h"
#include "out_text.h"
#include "verdict.h"

/* The others have the number of their tma_copy_option, or of their tma_target_option. */
enum {
    KEY_COPY = 0x500,
    KEY_TARGET = KEY_COPY + TMA_COPY_OPTIONS,
    KEY_END = KEY_TARGET + TMA_TARGET_OPTIONS,
};

static const args_option options[] = {
#define COPY_FLAGS(option) 0
#include "copy_rows.def"
    {0},
};

/* A load has one operation: --op load says nothing, and help does not list it. */
static const args_option load_options[] = {
#define COPY_FLAGS(option) ((option) == TMA_COPY_OP ? ARGS_HIDDEN : 0)
#include "copy_rows.def"
    {0},
};

static const args_child children[] = {{&spec_parser, 0, 10, ARGS_AT(copy_args, asked.map)}, {0}};

static int check_op(const copy_args *args, const char *text, tma_error *error) {
    const int loads = args->asked.copy.in.op == TMA_OP_LOAD;
    const int prefetches = args->asked.copy.in.op == TMA_OP_PREFETCH;
    if ((args->verb == COPY_LOADS && !loads) ||
        (args->verb == COPY_STORES && (loads || prefetches))) {
        return tma_fail(error,
                        "--op %s: tma load loads, tma store stores and reduces, tma plan "
                        "takes all operations",
                        text);
    }
    return 0;
}

static int set(copy_args *args, int key, const char *text, tma_error *error) {
    ask_request *asked = &args->asked;
    if (key >= KEY_TARGET) {
        const char *name = tma_target_option_name((size_t)(key - KEY_TARGET));
        return tma_target_words_set(&asked->map.target, name, text, error);
    }
    const tma_copy_option option = (tma_copy_option)(key - KEY_COPY);
    if (ask_set_copy(asked, option, text ? text : "", error)) {
        return -1;
    }
    return option == TMA_COPY_OP ? check_op(args, text, error) : 0;
}

static int parse(int key, char *text, args_state *state) {
    copy_args *args = state->input;
    tma_error error;
    switch (key) {
    case ARGS_KEY_INIT:
        *args = (copy_args){.verb = args->verb};
        ask_begin(&args->asked, args->verb == COPY_STORES ? TMA_OP_STORE : TMA_OP_LOAD);
        return 0;
    case ARGS_KEY_END:
        args->asked.has_bytes = args->map_source != NULL;
        option_check(ask_finish(&args->asked, &error), state, &error);
        return 0;
    default:
        if (key < KEY_COPY || key >= KEY_END) {
            return ARGS_UNKNOWN;
        }
        option_check(set(args, key, text, &error), state, &error);
        return 0;
    }
}

const args_parser copy_parser = {options, parse, 0, 0, children, 0};
const args_parser load_copy_parser = {load_options, parse, 0, 0, children, 0};

static int say(const tma_error *error) {
    cli_say("%s", error->text);
    return CLI_MISUSE;
}

static int say_refused(const copy_args *args, color_mode color) {
    verdict v;
    const color_set colors = colors_for(stderr, color);
    verdict_of(&v, &args->asked.map.spec, &args->asked.map.target.target);
    cli_say("refused: the driver makes no such map");
    verdict_findings(stderr, &v, TMA_SEVERITY_REFUSED, &colors);
    return CLI_FINDINGS;
}

int copy_args_plan(copy_args *args, color_mode color, tma_status *status, tma_finding *why) {
    ask_request *asked = &args->asked;
    tma_error error;
    *status = TMA_OK;
    if (args->map_source && map_input(args->map_source, &asked->encoded, &error)) {
        return say(&error);
    }
    ask_complete(asked);
    if (!asked->is_accepted) {
        return say_refused(args, color);
    }
    if (!args->text && ask_fits(asked, &error)) {
        return say(&error);
    }
    *status = ask_plan(&args->plan, &args->report, why, asked);
    return *status == TMA_OK ? CLI_CLEAN : CLI_FINDINGS;
}

void copy_title(FILE *out, const copy_args *args, const color_set *colors) {
    tma_out words = out_to(out);
    tma_put(&words, colors->bold);
    tma_put_overriding(&words, &args->asked.copy.in, args->asked.map.spec.rank,
                       &args->asked.copy.at, &args->asked.copy.override);
    tma_putf(&words, "%s\n", colors->end);
    if (args->map_source) {
        tma_put(&words, "map:");
        tma_put_spec(&words, &args->asked.map.spec);
        tma_put(&words, "\n");
    }
}

static const char *no_copy(tma_status status) {
    switch (status) {
    case TMA_MEMORY:
        return "it would leave the memory that it was given";
    case TMA_PTXAS:
        return "ptxas rejects this form of the instruction for the target";
    case TMA_UNKNOWN:
        return "no fact says what the hardware does with this instruction on this map";
    default:
        return "no such instruction";
    }
}

/* The disputed questions that this copy hangs on, as they were read. */
static void copy_readings(FILE *out, const copy_args *args) {
    if (tma_plan_readings(&args->plan, &args->asked.copy.at)) {
        tma_out words = out_to(out);
        tma_put(&words, "\nread as: ");
        tma_put_plan_readings(&words, &args->plan, &args->asked.copy.at);
        tma_put(&words, " (tma list readings)\n");
    }
}

void copy_fault(FILE *out, const copy_args *args, tma_status status, const tma_finding *why,
                const color_set *colors) {
    if (status == TMA_TRAP) {
        fprintf(out, "%straps%s: the kernel dies with %s\n", colors->severity[0], colors->end,
                tma_trap_name(why));
    } else {
        fprintf(out, "%sno copy%s: %s\n", colors->severity[0], colors->end, no_copy(status));
    }
    const int odd = why->rule == TMA_RULE_MAP_UNREADABLE || why->rule == TMA_RULE_TRAP_MAP_CODE;
    out_finding(out, why, colors);
    for (uint64_t bit = 1; odd && bit <= TMA_ODD_ALL; bit <<= 1) {
        if (why->value & bit) {
            fprintf(out, "    odd:      %s\n", tma_odd_text(bit));
        }
    }
    if (status == TMA_TRAP) {
        copy_readings(out, args);
    }
}

size_t copy_notes_of(tma_finding notes[COPY_MOST_NOTES], const copy_args *args) {
    size_t count = tma_plan_notes(notes, COPY_MOST_NOTES - 1, &args->plan, &args->asked.copy.at);
    count = count < COPY_MOST_NOTES ? count : COPY_MOST_NOTES - 1;
    return count + !tma_plan_named_right(&notes[count], &args->plan, args->asked.map.dtype_word);
}

void copy_notes(FILE *out, const copy_args *args, const color_set *colors) {
    tma_finding notes[COPY_MOST_NOTES];
    const size_t count = copy_notes_of(notes, args);
    for (size_t i = 0; i < count; i++) {
        fputc('\n', out);
        out_finding(out, &notes[i], colors);
    }
    copy_readings(out, args);
}
