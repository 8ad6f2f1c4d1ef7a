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

#define DEFAULT_SHARED 0x400
#define MOST_COUNTED_B (UINT64_C(16) << 20)

enum {
    KEY_MAP = 0x500,
    KEY_OP,
    KEY_MODE,
    KEY_COORD,
    KEY_OFFSET,
    KEY_HALO,
    KEY_WOFFSET,
    KEY_SHARED,
    KEY_CLUSTER,
    KEY_CTA_GROUP,
    KEY_MULTICAST
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The map's 128 bytes, instead of its options:", 5},
    {"map", KEY_MAP, "MAP", 0, "what tma decode reads: hex, a file, or - for standard input", 0},
    {0, 0, 0, 0, "The instruction:", 45},
    {"op", KEY_OP, "OP", 0,
     "load, store, add, min, max, inc, dec, and, or, xor; tma plan also prefetch", 0},
    {"mode", KEY_MODE, "MODE", 0,
     "tile, tile::gather4, tile::scatter4, im2col, im2col::w or im2col::w::128 (default: tile for "
     "tiled maps, im2col for im2col maps, im2col::w or ::w::128 for --api wide)",
     0},
    {"coord", KEY_COORD, "N,...", 0,
     "tensorCoords, innermost first; gather4 and scatter4: column, four rows (default: zeros)", 0},
    {"offset", KEY_OFFSET, "N,...", 0, "im2colInfo, W first (default: zeros)", 0},
    {"w-halo", KEY_HALO, "N", 0, "im2colInfo of im2col::w and ::w::128: wHalo", 0},
    {"w-offset", KEY_WOFFSET, "N", 0, "likewise: wOffset", 0},
    {"shared", KEY_SHARED, "A", 0, "shared address of the box (default 0x400)", 0},
    {"cluster", KEY_CLUSTER, 0, 0, "load to .shared::cluster (default: .shared::cta)", 0},
    {"cta-group", KEY_CTA_GROUP, "N", 0, ".cta_group::1 or ::2", 0},
    {"multicast", KEY_MULTICAST, "MASK", 0, ".multicast::cluster to the CTAs of a mask, e.g. 0xf",
     0},
    {0},
};

static const struct argp_child children[] = {{&spec_argp, 0, 0, 10}, {0}};

static int set_op(copy_args *args, const char *text, tma_error *error) {
    uint32_t op = 0;
    if (tma_read_op(&op, text, "--op", error)) {
        return -1;
    }
    const int loads = op == TMA_OP_LOAD;
    if ((args->verb == COPY_LOADS && !loads) ||
        (args->verb == COPY_STORES && (loads || op == TMA_OP_PREFETCH))) {
        return tma_fail(error,
                        "--op %s: tma load loads, tma store stores and reduces, tma plan "
                        "takes all operations",
                        text);
    }
    args->in.op = op;
    return 0;
}

static int set_offset(copy_args *args, uint32_t i, const char *text, const char *what,
                      tma_error *error) {
    uint32_t number = 0;
    if (tma_read_u32(&number, text, strlen(text), UINT16_MAX, what, error)) {
        return -1;
    }
    args->at.offset[i] = (uint16_t)number;
    return 0;
}

static int set_multicast(copy_args *args, const char *text, tma_error *error) {
    uint32_t mask = 0;
    if (tma_read_u32(&mask, text, strlen(text), UINT16_MAX, "--multicast", error)) {
        return -1;
    }
    args->in.cta_mask = mask;
    args->in.cluster = 1; /* PTX has no other form */
    return args->in.cta_mask ? 0 : tma_fail(error, "--multicast 0 names no CTA");
}

static int set(copy_args *args, int key, const char *text, tma_error *error) {
    if (!text) { /* the one option without a value */
        args->in.cluster = 1;
        return 0;
    }
    const size_t length = strlen(text);
    switch (key) {
    case KEY_MAP:
        args->map_source = text;
        return 0;
    case KEY_OP:
        return set_op(args, text, error);
    case KEY_MODE:
        args->has_mode = 1;
        return tma_read_mode(&args->in.mode, text, "--mode", error);
    case KEY_COORD:
        return tma_read_coords(args->at.coord, &args->coords, text, "--coord", error);
    case KEY_OFFSET:
        return tma_read_offsets(args->at.offset, &args->offsets, text, "--offset", error);
    case KEY_HALO:
        args->has_halo = 1;
        return set_offset(args, 0, text, "--w-halo", error);
    case KEY_WOFFSET:
        args->has_offset = 1;
        return set_offset(args, 1, text, "--w-offset", error);
    case KEY_SHARED:
        return tma_read_u32(&args->at.shared_address, text, length, UINT32_MAX, "--shared", error);
    case KEY_CTA_GROUP:
        return tma_read_u32(&args->in.cta_group, text, length, UINT32_MAX, "--cta-group", error);
    default:
        return set_multicast(args, text, error);
    }
}

static void begin(copy_args *args, struct argp_state *state) {
    const copy_verb verb = args->verb;
    memset(args, 0, sizeof(*args));
    args->verb = verb;
    args->in.op = verb == COPY_STORES ? TMA_OP_STORE : TMA_OP_LOAD;
    args->at.shared_address = DEFAULT_SHARED;
    state->child_inputs[0] = &args->map_args;
}

static void one_map(copy_args *args, struct argp_state *state) {
    tma_error error;
    const int options_given = args->map_args.given != 0;
    if (args->map_source && options_given) {
        argp_error(state, "--map and the options of a map exclude each other");
    } else if (!args->map_source && !options_given) {
        argp_error(state, "no map: give --dtype, --dim and --box, or --map");
    } else if (options_given && tma_spec_words_finish(&args->map_args, &error)) {
        argp_error(state, "%s", error.text);
    }
    if (args->offsets && (args->has_halo || args->has_offset)) {
        argp_error(state, "--offset and --w-halo, --w-offset exclude each other");
    }
}

static error_t parse(int key, char *text, struct argp_state *state) {
    copy_args *args = state->input;
    tma_error error;
    switch (key) {
    case ARGP_KEY_INIT:
        begin(args, state);
        return 0;
    case ARGP_KEY_END:
        one_map(args, state);
        return 0;
    default:
        if (key < KEY_MAP || key > KEY_MULTICAST) {
            return ARGP_ERR_UNKNOWN;
        }
        if (set(args, key, text, &error)) {
            argp_error(state, "%s", error.text);
        }
        return 0;
    }
}

const struct argp copy_argp = {options, parse, 0, 0, children, 0, 0};

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

static uint32_t default_mode(const tma_spec *spec) {
    return spec->api == TMA_API_TILED         ? TMA_MODE_TILE
           : spec->api == TMA_API_IM2COL      ? TMA_MODE_IM2COL
           : spec->wide_mode == TMA_WIDE_W128 ? TMA_MODE_IM2COL_W128
                                              : TMA_MODE_IM2COL_W;
}

static const char *entries(uint32_t count) {
    return count == 1 ? "entry" : "entries";
}

/* Coordinates and offsets in the number that the instruction takes. */
static int check_counts(const copy_args *args, tma_error *error) {
    const uint32_t rank = args->spec.rank;
    const char *mode = tma_mode_name(args->in.mode);
    const uint32_t coords = tma_mode_coords(args->in.mode, rank);
    const uint32_t offsets = tma_mode_offsets(args->in.op, args->in.mode, rank);
    if (args->coords != coords && (args->coords || tma_mode_is_rows4(args->in.mode))) {
        return tma_fail(error,
                        "--coord has %" PRIu32 " %s; %s on a map of rank %" PRIu32 " takes %" PRIu32
                        "%s",
                        args->coords, entries(args->coords), mode, rank, coords,
                        tma_mode_is_rows4(args->in.mode) ? ": column, four rows" : "");
    }
    if (args->offsets && args->offsets != offsets) {
        return tma_fail(
            error, "--offset has %" PRIu32 " %s; %s %s on a map of rank %" PRIu32 " takes %" PRIu32,
            args->offsets, entries(args->offsets), tma_op_name(args->in.op), mode, rank, offsets);
    }
    if ((args->has_halo || args->has_offset) && (!tma_mode_is_wide(args->in.mode) || !offsets)) {
        return tma_fail(error,
                        "--w-halo and --w-offset belong to loads of im2col::w and "
                        "im2col::w::128; this is %s %s",
                        tma_op_name(args->in.op), mode);
    }
    return 0;
}

int copy_args_plan(copy_args *args, color_mode color, tma_status *status, tma_finding *why) {
    tma_error error;
    *status = TMA_OK;
    const int failed = take_map(args, color);
    if (failed) {
        return failed;
    }
    if (!args->has_mode) {
        args->in.mode = default_mode(&args->spec);
    }
    *status =
        tma_plan_make(&args->plan, args->map.bytes, &args->in, &args->map_args.target.target, why);
    if (args->spec.rank <= TMA_MAX_RANK && !args->text && check_counts(args, &error)) {
        *status = TMA_OK;
        return say(&error);
    }
    if (*status == TMA_OK) {
        *status = tma_plan_at(&args->plan, &args->at, why);
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

void copy_fault(FILE *out, tma_status status, const tma_finding *why, const color_set *colors) {
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
}

void copy_notes(FILE *out, const copy_args *args, const color_set *colors) {
    tma_finding notes[COPY_MOST_NOTES];
    const size_t count = tma_plan_notes(notes, COPY_MOST_NOTES, &args->plan, &args->at);
    for (size_t i = 0; i < count && i < COPY_MOST_NOTES; i++) {
        fputc('\n', out);
        out_finding(out, &notes[i], colors);
    }
}
