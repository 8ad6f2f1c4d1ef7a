/* SPDX-License-Identifier: Apache-2.0
 *
 * tma mma: matrix descriptors of wgmma and tcgen05, and whether they read what a map's copy leaves.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cli_out.h"
#include "map_input.h"
#include "options.h"
#include "tma/check.h"
#include "tma/mma_text.h"
#include "verbs.h"

enum {
    KEY_MAP = 0x500,
    KEY_DESC,
    KEY_OPERAND,
    KEY_MAJOR,
    KEY_SHAPE,
    KEY_TYPE,
    KEY_AT,
    KEY_COPIES,
    KEY_STEP,
    KEY_PANELS,
    KEY_FROM,
    KEY_SPARSE
};

/* Where shared memory begins for a kernel that has none but dynamic: behind the system's KiB. */
#define USUAL_AT 1024

typedef struct mma_args {
    tma_spec_words words;
    int json;
    const char *map;
    const char *shape;
    uint64_t desc;
    int has_desc, has_type, has_operand, has_spec;
    tma_mma_operand operand;
    tma_mma_tile tile;
    uint32_t family, mn0, k0;
} mma_args;

static const args_option options[] = {
    {"map", KEY_MAP, "MAP", 0,
     "the map whose copies fill the tile: what tma decode reads, or --dim, --box ...", 10},
    {"desc", KEY_DESC, "BITS", 0, "a 64-bit descriptor, as 0x4000004000010040", 10},
    {"operand", KEY_OPERAND, "A|B", 0, "which matrix (A)", 20},
    {"major", KEY_MAJOR, "K|MN", 0,
     "K: k goes from element to element, dimension 0 of the map (default); MN, M or N: m or n does",
     20},
    {"shape", KEY_SHAPE, "mMnNkK", 0, "the instruction's (m64n128k16; k by the type)", 20},
    {"type", KEY_TYPE, "TYPE", 0,
     "f16, bf16, tf32, e4m3, e5m2, s8, u8, b1, e2m3, e3m2, e2m1, e2m1-packed (by the map's)", 20},
    {"at", KEY_AT, "ADDRESS", 0, "shared address of the tile (0x400)", 30},
    {"copies", KEY_COPIES, "N", 0, "so many copies, one behind the other along dimension 0 (1)",
     30},
    {"step", KEY_STEP, "BYTES", 0, "from copy to copy (what one occupies)", 30},
    {"panels", KEY_PANELS, "N", 0,
     "the N outermost dimensions of the box go on along dimension 0 (0)", 30},
    {"from", KEY_FROM, "MN,K", 0, "the first element of the tile that --desc is to read (0,0)", 30},
    {0},
};

static const args_child children[] = {
    {&spec_parser, "The map, where it is no --map:", 40}, {&json_parser, 0, 0}, {0}};

static uint64_t number(const args_state *state, const char *what, const char *text, uint64_t most) {
    uint64_t value = 0;
    tma_error error;
    option_check(tma_read_u64(&value, text, strlen(text), what, &error), state, &error);
    if (value > most) {
        args_error(state, "%s is '%.40s', must be at most %" PRIu64, what, text, most);
    }
    return value;
}

static void set_side(mma_args *args, int key, const char *text, args_state *state) {
    const char letter = text[0] && !text[1] ? text[0] : 0;
    const int is_mn = letter == 'M' || letter == 'N' || strcmp(text, "MN") == 0;
    if (key == KEY_OPERAND) {
        if (letter != 'A' && letter != 'B') {
            args_error(state, "--operand is '%.40s', must be A or B", text);
        }
        args->has_operand = 1;
        args->operand.matrix = letter == 'B' ? TMA_MMA_B : TMA_MMA_A;
    } else {
        if (letter != 'K' && !is_mn) {
            args_error(state, "--major is '%.40s', must be K, or MN, M, N", text);
        }
        args->operand.major = is_mn ? TMA_MMA_MN_MAJOR : TMA_MMA_K_MAJOR;
    }
}

static void set_from(mma_args *args, const char *text, args_state *state) {
    const char *comma = strchr(text, ',');
    char first[24];
    if (!comma || (size_t)(comma - text) >= sizeof(first)) {
        args_error(state, "--from is '%.40s', must be two numbers, as 64,16", text);
        return;
    }
    snprintf(first, sizeof(first), "%.*s", (int)(comma - text), text);
    args->mn0 = (uint32_t)number(state, "--from", first, 1u << 17);
    args->k0 = (uint32_t)number(state, "--from", comma + 1, 1u << 17);
}

static int parse(int key, char *text, args_state *state) {
    mma_args *args = state->input;
    tma_error error;
    switch (key) {
    case ARGS_KEY_INIT:
        state->child_inputs[0] = &args->words;
        state->child_inputs[1] = &args->json;
        return 0;
    case KEY_MAP:
        args->map = text;
        return 0;
    case KEY_DESC:
        args->has_desc = 1;
        args->desc = number(state, "--desc", text, UINT64_MAX);
        return 0;
    case KEY_OPERAND:
    case KEY_MAJOR:
        set_side(args, key, text, state);
        return 0;
    case KEY_SHAPE:
        args->shape = text;
        return 0;
    case KEY_TYPE:
        args->has_type = 1;
        option_check(tma_read_mma_type(&args->operand.type, text, &error), state, &error);
        return 0;
    case KEY_AT:
        args->tile.shared_address = (uint32_t)number(state, "--at", text, (1u << 18) - 1);
        return 0;
    case KEY_COPIES:
        args->tile.copies = (uint32_t)number(state, "--copies", text, 256);
        return 0;
    case KEY_STEP:
        args->tile.copy_step_B = (uint32_t)number(state, "--step", text, (1u << 18) - 1);
        return 0;
    case KEY_PANELS:
        args->tile.panel_dims = (uint32_t)number(state, "--panels", text, 4);
        return 0;
    case KEY_FROM:
        set_from(args, text, state);
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_parser parser = {
    options,
    parse,
    0,
    "The 64-bit matrix descriptors of wgmma (--arch sm_90a) and tcgen05 (sm_100a and its family): "
    "what one says; the descriptors that read what a map's copy leaves in shared memory; whether "
    "one "
    "does, or which element is the first that it reads elsewhere.\v"
    "A map alone: a descriptor for each step of the instruction through the tile, each compared "
    "with "
    "the copy element by element, or why there is none. --desc alone: its fields. Both: "
    "compared.\n\n"
    "Exit status: 0 all agree, 1 a difference or no descriptor, 2 misuse.\n\n"
    "Examples:\n"
    "  tma mma --dtype f16 --dim 64,128 --box 64,128 --swizzle 128B --operand A --shape "
    "m64n128k16\n"
    "  tma mma --desc 0x4000004000010040 --arch sm_90a",
    children,
    0,
};

static int print_desc(const mma_args *args) {
    const uint32_t said =
        tma_mma_judge(args->family, args->desc, args->has_operand ? &args->operand : NULL);
    if (args->json) {
        tma_mma_descriptor d;
        out_json line;
        tma_json *json = out_json_begin(&line, "mma");
        if (tma_mma_decode(&d, args->family, args->desc) == TMA_OK) {
            tma_json_u64(json, "start", d.start_B);
            tma_json_u64(json, "leading", d.leading_B);
            tma_json_u64(json, "stride", d.stride_B);
            tma_json_u64(json, "base_offset", d.base_offset);
            tma_json_text(json, "swizzle", tma_enum_row_of(TMA_ENUM_SWIZZLE, d.swizzle)->name);
        }
        tma_json_list(json, "said");
        for (uint32_t i = 0; i < TMA_MMA_RULES; i++) {
            if (said >> i & 1) {
                tma_json_text(json, NULL, tma_mma_rule_at(i)->name);
            }
        }
        tma_json_end(json);
        out_json_end(&line);
        return said ? CLI_FINDINGS : CLI_CLEAN;
    }
    tma_out out = out_to(stdout);
    tma_putf(&out, "0x%016" PRIx64 ", %s\n", args->desc,
             args->family == TMA_MMA_WGMMA ? "wgmma" : "tcgen05");
    tma_put_mma_fields(&out, args->family, args->desc);
    tma_put_mma_said(&out, said);
    return said ? CLI_FINDINGS : CLI_CLEAN;
}

static void print_difference(const mma_args *args, const tma_mma_difference *d) {
    if (args->json) {
        out_json line;
        tma_json *json = out_json_begin(&line, "mma");
        tma_json_bool(json, "agree", d->equal_el == d->all_el);
        tma_json_u64(json, "equal_el", d->equal_el);
        tma_json_u64(json, "all_el", d->all_el);
        if (d->equal_el != d->all_el) {
            tma_json_u64(json, "mn", args->mn0 + d->mn);
            tma_json_u64(json, "k", args->k0 + d->k);
            tma_json_u64(json, "read", d->read_B);
            if (d->has_written) {
                tma_json_u64(json, "written", d->written_B);
            }
            if (d->has_element) {
                tma_json_u64(json, "other_mn", d->other_mn);
                tma_json_u64(json, "other_k", d->other_k);
            }
        }
        out_json_end(&line);
        return;
    }
    tma_out out = out_to(stdout);
    tma_put_mma_difference(&out, d, &args->operand, args->mn0, args->k0);
    tma_put(&out, "\n");
}

static int compare(const mma_args *args) {
    tma_mma_descriptor d;
    tma_mma_difference difference;
    if (tma_mma_decode(&d, args->family, args->desc) != TMA_OK) {
        return print_desc(args);
    }
    if (tma_mma_compare(&difference, &d, &args->operand, &args->words.spec, &args->tile, args->mn0,
                        args->k0) != TMA_OK) {
        cli_say("%s", tma_mma_reason_text(TMA_MMA_REASON_NO_TILE));
        return CLI_FINDINGS;
    }
    print_difference(args, &difference);
    return difference.equal_el == difference.all_el ? CLI_CLEAN : CLI_FINDINGS;
}

static int print_step(const mma_args *args, uint32_t mn, uint32_t k, uint64_t *first) {
    tma_mma_descriptor d;
    tma_mma_why why;
    uint64_t bits = 0;
    const int is = tma_mma_descriptor_of(&d, &why, &args->words.spec, &args->tile, args->family,
                                         &args->operand, mn, k) == TMA_OK &&
                   tma_mma_encode(&bits, &d) == TMA_OK;
    const char letter = args->operand.matrix == TMA_MMA_B ? 'n' : 'm';
    *first = *first ? *first : bits;
    if (args->json) {
        out_json line;
        tma_json *json = out_json_begin(&line, "mma");
        tma_json_u64(json, letter == 'n' ? "n" : "m", mn);
        tma_json_u64(json, "k", k);
        if (is) {
            char hex[24];
            snprintf(hex, sizeof(hex), "0x%016" PRIx64, bits); /* beyond what a double holds */
            tma_json_text(json, "descriptor", hex);
        } else {
            tma_json_null(json, "descriptor");
            tma_json_text(json, "reason", tma_mma_reason_name(why.reason));
        }
        out_json_end(&line);
        return !is;
    }
    tma_out out = out_to(stdout);
    tma_putf(&out, "%c %-4u k %-4u ", letter, (unsigned)mn, (unsigned)k);
    if (is) {
        tma_putf(&out, "0x%016" PRIx64 "  start 0x%x, leading %u, stride %u", bits,
                 (unsigned)d.start_B, (unsigned)d.leading_B, (unsigned)d.stride_B);
        if (bits != *first) {
            tma_putf(&out, ", the first and %" PRIu64, bits - *first);
        }
    } else {
        tma_put(&out, "no descriptor: ");
        tma_put_mma_why(&out, &why);
    }
    tma_put(&out, "\n");
    return !is;
}

/* All steps through the tile; behind one that has none there is no other. */
static int print_steps(const mma_args *args) {
    const tma_mma_extent size = tma_mma_extent_of(&args->words.spec, &args->tile, &args->operand);
    const uint32_t k_el = args->operand.k_el;
    uint64_t first = 0;
    if (!args->json) {
        printf("%s-major tile of %s, %s %u x k %u at 0x%x\n", args->operand.major ? "MN" : "K",
               tma_mma_type_at(args->operand.type)->name,
               args->operand.matrix == TMA_MMA_B ? "n" : "m", size.mn_el, size.k_el,
               args->tile.shared_address);
    }
    uint32_t mn = 0;
    do {
        uint32_t k = 0;
        do {
            if (print_step(args, mn, k, &first)) {
                return CLI_FINDINGS;
            }
            k += k_el;
        } while (k + k_el <= size.k_el);
        mn += args->operand.mn_el;
    } while (mn + args->operand.mn_el <= size.mn_el);
    return CLI_CLEAN;
}

static int take_map(mma_args *args) {
    tma_map map;
    tma_decoded decoded;
    tma_error error;
    if (!args->map) {
        if (tma_spec_words_finish(&args->words, &error)) {
            cli_say("%s", error.text);
            return -1;
        }
        return 0;
    }
    if (map_input(args->map, &map, &error)) {
        cli_say("--map: %s", error.text);
        return -1;
    }
    if (tma_decode(&decoded, map.bytes) != TMA_OK) {
        return -1;
    }
    args->words.spec = decoded.spec;
    return 0;
}

static int settle(mma_args *args) {
    tma_error error;
    const tma_target *target = &args->words.target.target;
    args->family =
        args->words.target.has_arch && target->sm >= 100 ? TMA_MMA_TCGEN05 : TMA_MMA_WGMMA;
    if (args->words.target.has_arch && (target->sm >= 120 || !target->suffix)) {
        cli_say("--arch: wgmma is of sm_90a, tcgen05 of sm_100a, sm_100f and its family");
        return -1;
    }
    if (args->has_spec && !args->has_type &&
        tma_mma_type_for(&args->operand.type, args->words.spec.dtype) != TMA_OK) {
        cli_say("no MMA takes the map's element type: name one with --type");
        return -1;
    }
    if (tma_read_mma_shape(&args->operand, args->shape ? args->shape : "m64n128k16", &error)) {
        cli_say("--shape: %s", error.text);
        return -1;
    }
    if (!args->shape) {
        args->operand.k_el = tma_mma_type_at(args->operand.type)->k_el;
    }
    args->has_operand |= args->shape || args->has_type;
    return 0;
}

int cmd_mma(int argc, char **argv) {
    mma_args args;
    memset(&args, 0, sizeof(args));
    args.tile.shared_address = USUAL_AT;
    options_parse(&parser, argc, argv, &args);
    args.has_spec = args.map || args.words.given;
    if (!args.has_spec && !args.has_desc) {
        cli_say("neither a map nor --desc: see tma mma --help");
        return CLI_MISUSE;
    }
    if ((args.has_spec && take_map(&args)) || settle(&args)) {
        return CLI_MISUSE;
    }
    if (args.has_spec && !tma_accepts(&args.words.spec, &args.words.target.target)) {
        cli_say("no driver makes this map: tma check says why");
    }
    if (!args.has_spec) {
        return print_desc(&args);
    }
    return args.has_desc ? compare(&args) : print_steps(&args);
}
