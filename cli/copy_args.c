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

#define MOST_COUNTED_B (UINT64_C(16) << 20)

/* The others have the number of their tma_copy_option. */
enum { KEY_COPY = 0x500, KEY_MAP = KEY_COPY + TMA_COPY_OPTIONS, KEY_PTX, KEY_READING };

static const args_option options[] = {
    {0, 0, 0, 0, "The map's 128 bytes, instead of its options:", 5},
    {"map", KEY_MAP, "MAP", 0, "what tma decode reads: hex, a file, or - for standard input", 0},
    {0, 0, 0, 0, "The instruction:", 45},
    {"op", KEY_COPY + TMA_COPY_OP, "OP", 0,
     "tma plan: load (default), store, add, min, max, inc, dec, and, or, xor, prefetch; tma load: "
     "load; tma store: store (default) and the reductions add to xor",
     0},
    {"mode", KEY_COPY + TMA_COPY_MODE, "MODE", 0,
     "tile, tile::gather4, tile::scatter4, im2col, im2col::w or im2col::w::128 (default: tile for "
     "tiled maps, im2col for im2col maps, im2col::w or ::w::128 for --api wide)",
     0},
    {"coord", KEY_COPY + TMA_COPY_COORD, "N,...", 0,
     "tensorCoords, innermost first; gather4 and scatter4: column, four rows (default: zeros)", 0},
    {"offset", KEY_COPY + TMA_COPY_OFFSET, "N,...", 0, "im2colInfo, W first (default: zeros)", 0},
    {"w-halo", KEY_COPY + TMA_COPY_HALO, "N", 0, "im2colInfo of im2col::w and ::w::128: wHalo", 0},
    {"w-offset", KEY_COPY + TMA_COPY_W_OFFSET, "N", 0, "likewise: wOffset", 0},
    {"shared", KEY_COPY + TMA_COPY_SHARED, "A", 0, "shared address of the box (default 0x400)", 0},
    {"cluster", KEY_COPY + TMA_COPY_CLUSTER, 0, 0,
     "load to .shared::cluster (default: .shared::cta)", 0},
    {"cta-group", KEY_COPY + TMA_COPY_CTA_GROUP, "N", 0, ".cta_group::1 or ::2", 0},
    {"multicast", KEY_COPY + TMA_COPY_MULTICAST, "MASK", 0,
     ".multicast::cluster to the CTAs of a mask, e.g. 0xf", 0},
    {"ptx-version", KEY_PTX, "VERSION", 0,
     "what the kernel's .version says, e.g. 8.6 (default: one that has the instruction)", 0},
    {"reading", KEY_READING, "NAME=VALUE", 0,
     "how a disputed question is read (default: as the documents have it; tma list readings)", 0},
    {0},
};

static const args_child children[] = {{&spec_parser, 0, 10}, {0}};

/* The members of copy_args that are words of the library's, there and back. */
static tma_copy_words words_of(const copy_args *args) {
    return (tma_copy_words){args->in,       args->at,       args->coords,    args->offsets,
                            args->has_mode, args->has_halo, args->has_offset};
}

static void take_words(copy_args *args, const tma_copy_words *words) {
    args->in = words->in;
    args->at = words->at;
    args->coords = words->coords;
    args->offsets = words->offsets;
    args->has_mode = words->has_mode;
    args->has_halo = words->has_halo;
    args->has_offset = words->has_offset;
}

static int check_op(const copy_args *args, const char *text, tma_error *error) {
    const int loads = args->in.op == TMA_OP_LOAD;
    const int prefetches = args->in.op == TMA_OP_PREFETCH;
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
    if (key == KEY_MAP) {
        args->map_source = text;
        return 0;
    }
    if (key == KEY_PTX) {
        return tma_target_words_set(&args->map_args.target, "ptx-version", text, error);
    }
    if (key == KEY_READING) {
        return tma_target_words_set(&args->map_args.target, "reading", text, error);
    }
    const tma_copy_option option = (tma_copy_option)(key - KEY_COPY);
    tma_copy_words words = words_of(args);
    args->given |= 1u << option;
    const int failed = tma_copy_words_set(&words, option, text ? text : "", error);
    take_words(args, &words);
    if (failed) {
        return -1;
    }
    return option == TMA_COPY_OP ? check_op(args, text, error) : 0;
}

static void begin(copy_args *args, args_state *state) {
    const copy_verb verb = args->verb;
    memset(args, 0, sizeof(*args));
    args->verb = verb;
    tma_copy_words words;
    tma_copy_words_begin(&words, verb == COPY_STORES ? TMA_OP_STORE : TMA_OP_LOAD);
    take_words(args, &words);
    state->child_inputs[0] = &args->map_args;
}

static void one_map(copy_args *args, args_state *state) {
    tma_error error;
    const int options_given = args->map_args.given != 0;
    if (args->map_source && options_given) {
        args_error(state, "--map and the options of a map exclude each other");
    } else if (!args->map_source && !options_given) {
        args_error(state, "no map: give --dtype, --dim and --box, or --map");
    } else if (options_given && tma_spec_words_finish(&args->map_args, &error)) {
        args_error(state, "%s", error.text);
    }
    const tma_copy_words words = words_of(args);
    if (tma_copy_words_together(&words, &error)) {
        args_error(state, "%s", error.text);
    }
}

static int parse(int key, char *text, args_state *state) {
    copy_args *args = state->input;
    tma_error error;
    switch (key) {
    case ARGS_KEY_INIT:
        begin(args, state);
        return 0;
    case ARGS_KEY_END:
        one_map(args, state);
        return 0;
    default:
        if (key < KEY_COPY || key > KEY_READING) {
            return ARGS_UNKNOWN;
        }
        if (set(args, key, text, &error)) {
            args_error(state, "%s", error.text);
        }
        return 0;
    }
}

const args_parser copy_parser = {options, parse, 0, 0, children, 0};

static int say(const tma_error *error) {
    cli_say("%s", error->text);
    return CLI_MISUSE;
}

static int say_refused(const copy_args *args, color_mode color) {
    verdict v;
    const color_set colors = colors_for(stderr, color);
    verdict_of(&v, &args->map_args.spec, &args->map_args.target.target);
    cli_say("refused: the driver makes no such map");
    verdict_findings(stderr, &v, TMA_SEVERITY_REFUSED, &colors);
    return CLI_FINDINGS;
}

/* The map, and the spec that says what is in it. */
static int take_map(copy_args *args, color_mode color) {
    tma_error error;
    tma_decoded decoded;
    if (args->map_source) {
        if (map_input(args->map_source, &args->map, &error)) {
            return say(&error);
        }
        cli_sure(tma_decode(&decoded, args->map.bytes));
        args->spec = decoded.spec;
        return CLI_CLEAN;
    }
    args->spec = args->map_args.spec;
    return tma_encode(args->map.bytes, &args->spec, &args->map_args.target.target) == TMA_OK
               ? CLI_CLEAN
               : say_refused(args, color);
}

int copy_args_plan(copy_args *args, color_mode color, tma_status *status, tma_finding *why) {
    tma_error error;
    *status = TMA_OK;
    const int failed = take_map(args, color);
    if (failed) {
        return failed;
    }
    tma_copy_words words = words_of(args);
    tma_copy_words_default(&words, &args->spec);
    take_words(args, &words);
    *status =
        tma_plan_make(&args->plan, args->map.bytes, &args->in, &args->map_args.target.target, why);
    if (args->spec.rank <= TMA_MAX_RANK && !args->text &&
        tma_copy_words_check(&words, &args->spec, &error)) {
        *status = TMA_OK;
        return say(&error);
    }
    if (*status == TMA_OK) {
        *status = copy_is_countable(&args->plan)
                      ? tma_plan_report(&args->report, &args->plan, &args->at, why)
                      : tma_plan_at(&args->plan, &args->at, why);
    }
    return *status == TMA_OK ? CLI_CLEAN : CLI_FINDINGS;
}

int copy_is_countable(const tma_plan *plan) {
    const tma_plan_facts *const facts = tma_plan_info(plan);
    return (uint64_t)facts->rows * facts->pitch_B <= MOST_COUNTED_B;
}

void copy_title(FILE *out, const copy_args *args, const color_set *colors) {
    tma_out words = out_to(out);
    tma_put(&words, colors->bold);
    tma_put_instruction(&words, &args->in, args->spec.rank, &args->at);
    tma_putf(&words, "%s\n", colors->end);
    if (args->map_source) {
        tma_put(&words, "map:");
        tma_put_spec(&words, &args->spec);
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
    if (tma_plan_readings(&args->plan, &args->at)) {
        tma_out words = out_to(out);
        tma_put(&words, "\nread as: ");
        tma_put_plan_readings(&words, &args->plan, &args->at);
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
    size_t count = tma_plan_notes(notes, COPY_MOST_NOTES - 1, &args->plan, &args->at);
    count = count < COPY_MOST_NOTES ? count : COPY_MOST_NOTES - 1;
    return count + !tma_plan_named_right(&notes[count], &args->plan, args->map_args.dtype_word);
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
