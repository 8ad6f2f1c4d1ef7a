/* SPDX-License-Identifier: Apache-2.0
 *
 * tma mma: matrix descriptors of wgmma and tcgen05, and whether they read what a map's copy leaves.
 */

#include "args.h"
#include "cli_out.h"
#include "map_input.h"
#include "mma_view.h"
#include "options.h"
#include "tma/check.h"
#include "verbs.h"

typedef struct mma_args {
    tma_spec_words words;
    tma_mma_question question;
    int json;
    const char *map;
} mma_args;

static const args_option options[] = {
    {"map", ARGS_AT(mma_args, map), "MAP", ARGS_KEEPS,
     "the map whose copies fill the tile: what tma decode reads, or --dim, --box ...", 10},
    {0},
};

static const args_child children[] = {
    {&mma_parser, 0, 0, ARGS_AT(mma_args, question)},
    {&spec_parser, "The map, where it is no --map:", 40, ARGS_AT(mma_args, words)},
    {&json_parser, 0, 0, ARGS_AT(mma_args, json)},
    {0}};

static const args_parser parser = {
    options,
    0,
    0,
    "Makes, reads and checks the 64-bit matrix descriptors of wgmma (--arch sm_90a) and tcgen05 "
    "(sm_100a and its family).\vWith a map alone it prints a descriptor for each step of the "
    "instruction through the tile, or why there is none. It compares each descriptor with the "
    "copy, element by element. With --desc alone it prints the descriptor's fields. With both it "
    "says whether the MMA reads what the copies of the map leave in shared memory, or which "
    "element is the first that it reads from a wrong place.\n"
    "\n"
    "Exit status: 0 all agree, 1 a difference, no descriptor, a descriptor that no instruction "
    "reads as a document has it (without a map: or an odd one), or a map that no driver makes, 2 "
    "misuse.\n"
    "\n"
    "Examples:\n"
    "  tma mma --dtype f16 --dim 64,128 --box 64,128 --swizzle 128B --operand A --shape "
    "m64n128k16\n"
    "  tma mma --desc 0x4000004000010040 --arch sm_90a",
    children,
    0,
};

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

int cmd_mma(int argc, char **argv) {
    mma_args args = {0};
    tma_error error;
    options_parse(&parser, argc, argv, &args);
    const int has_spec = args.map || args.words.given;
    if (!has_spec && !tma_mma_is_alone(&args.question)) {
        cli_say("neither a map nor --desc nor --zero-mask: see tma mma --help");
        return CLI_MISUSE;
    }
    if (has_spec && take_map(&args)) {
        return CLI_MISUSE;
    }
    const tma_target *target = &args.words.target.target;
    const tma_spec *spec = has_spec ? &args.words.spec : NULL;
    if (tma_mma_words_finish(&args.question, spec, args.words.target.has_arch ? target : NULL,
                             &error)) {
        cli_say("%s", error.text);
        return CLI_MISUSE;
    }
    const int refused = has_spec && !tma_accepts(spec, target);
    if (refused) {
        cli_say("no driver makes this map: tma check says why");
    }
    return mma_view(&args.question, spec, target, args.json) || refused ? CLI_FINDINGS : CLI_CLEAN;
}
