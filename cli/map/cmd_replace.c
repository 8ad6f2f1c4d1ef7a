/* SPDX-License-Identifier: Apache-2.0
 *
 * tma replace: edits a map as the device or the driver would, and says what went stale.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "check_view.h"
#include "cli_out.h"
#include "map_input.h"
#include "options.h"
#include "printable.h"
#include "tma/check.h"
#include "tma/view.h"
#include "verbs.h"

enum {
    KEY_FORMAT = 0x400,
    KEY_FIELD,
    KEY_ORD,
    KEY_VALUE,
    KEY_PRE,
    KEY_ALLOC,
    KEY_ADDRESS,
    KEY_CLASS
};

#define MOST_EDITS    256
#define MOST_FINDINGS 64

typedef struct replace_args {
    tma_target_words target;
    char *map;
    tma_map_form format;
    tma_edit_words edits[MOST_EDITS];
    size_t count;
} replace_args;

static const args_option options[] = {
    {0, 0, 0, 0, "The edits, done in the order given:", 10},
    {"field", KEY_FIELD, "NAME", 0,
     "begins an edit: PTX's name of the field, see tma list replace-fields", 0},
    {"ord", KEY_ORD, "N", 0, "its ordinal, for the fields that have one", 0},
    {"value", KEY_VALUE, "V", 0,
     "its operand, in PTX's numbers and units (or PTX's or this library's word for it)", 0},
    {"pre-12.5", KEY_PRE, 0, 0,
     "global_stride as toolchains before CUDA 12.5 take it: the program passes bytes / 16", 0},
    {"alloc", KEY_ALLOC, "C", 0,
     "global_address with PTX 9.5's modifier: small, large or same (the class that the map has)",
     0},
    {"address", KEY_ADDRESS, "A", 0,
     "an edit of its own: cuTensorMapReplaceAddress, with its checks", 0},
    {"allocation-class", KEY_CLASS, "C", 0,
     "an edit of its own: cuTensorMapSetAllocationClass on --arch; auto, small (4 KiB) or large "
     "(128 KiB)",
     0},
    {0, 0, 0, 0, "What to print:", 50},
    {"format", KEY_FORMAT, "FORM", 0, "hex (default), words, c or raw", 0},
    {0},
};

static const args_child children[] = {{&target_parser, 0, 40, ARGS_AT(replace_args, target)},
                                      {&toolchain_parser, 0, 40, ARGS_AT(replace_args, target)},
                                      {0}};

static tma_edit_words *begin_edit(replace_args *args, args_state *state) {
    if (args->count == MOST_EDITS) {
        args_error(state, "more than %d edits", MOST_EDITS);
    }
    tma_edit_words *edit = &args->edits[args->count++];
    memset(edit, 0, sizeof(*edit));
    return edit;
}

/* The edit that --ord, --value, --pre-12.5 and --alloc belong to. */
static tma_edit_words *last_edit(replace_args *args, const char *option, args_state *state) {
    if (args->count == 0 || args->edits[args->count - 1].is_address ||
        args->edits[args->count - 1].is_class) {
        args_error(state, "%s belongs after a --field", option);
    }
    return &args->edits[args->count - 1];
}

static void set_once(const char **word, const char *text, const char *option, args_state *state) {
    if (*word) {
        args_error(state, "%s is given twice for one --field", option);
    }
    *word = text;
}

static void check_edits(replace_args *args, args_state *state) {
    tma_error error;
    if (!args->map) {
        args_error(state, "no map: give 128 bytes in hex, a file, or - for standard input");
    }
    if (args->count == 0) {
        args_error(state, "no edit: give --field and --value, --address or "
                          "--allocation-class");
    }
    for (size_t i = 0; i < args->count; i++) {
        args->edits[i].toolchain = tma_target_toolchain(&args->target.target);
        option_check(tma_read_edit(&args->edits[i], &error), state, &error);
    }
}

static int parse(int key, char *text, args_state *state) {
    replace_args *args = state->input;
    tma_error error;
    switch (key) {
    case KEY_FIELD:
        option_check(tma_read_edit_field(&begin_edit(args, state)->field, text, "--field", &error),
                     state, &error);
        return 0;
    case KEY_ORD:
        set_once(&last_edit(args, "--ord", state)->ordinal, text, "--ord", state);
        return 0;
    case KEY_VALUE:
        set_once(&last_edit(args, "--value", state)->value, text, "--value", state);
        return 0;
    case KEY_PRE:
        last_edit(args, "--pre-12.5", state)->flags = TMA_REPLACE_STRIDE_PRE_12_5;
        return 0;
    case KEY_ALLOC:
        set_once(&last_edit(args, "--alloc", state)->alloc, text, "--alloc", state);
        return 0;
    case KEY_ADDRESS:
        *begin_edit(args, state) = (tma_edit_words){.is_address = 1, .value = text};
        return 0;
    case KEY_CLASS:
        *begin_edit(args, state) = (tma_edit_words){.is_class = 1, .value = text};
        return 0;
    case KEY_FORMAT:
        args->format = option_map_form(text, state);
        return 0;
    case ARGS_KEY_ARG:
        if (args->map) {
            args_error(state, "one map, no more: '%.80s'", printable_text(text).text);
        }
        args->map = text;
        return 0;
    case ARGS_KEY_END:
        check_edits(args, state);
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_parser parser = {
    options,
    parse,
    "MAP --field NAME [--ord N] --value V ...",
    "Edits a tensor map as PTX's tensormap.replace does: it takes PTX's numbers and units, and "
    "changes the named field alone, but for what the compiler adds (--ptxas): swizzle_atomicity up "
    "to CUDA 13.3, global_address from 13.5 on, make the allocation class small. Words that the "
    "driver computes stay as they were. "
    "On standard error it says which words are stale now, which values were cut to fit their "
    "field, and what tma check finds in the new map.\vMAP is what tma decode reads. With --arch, "
    "an edit that ptxas refuses for that target is refused.\n"
    "\n"
    "Exit status: 0 edited, 1 an edit was refused and nothing is printed, 2 misuse.\n"
    "\n"
    "Example: tma replace map.bin --field global_dim --ord 1 --value 4096",
    children,
    0,
};

/* Without --arch, on the first target that has the class. Says so where what was asked for is not
 * in effect. */
static int set_class(const tma_edit_words *edit, const tma_target_words *words, tma_map *map) {
    uint32_t now = 0;
    tma_target target = words->target;
    const size_t archs = tma_arch_count();
    for (size_t i = 0; i < archs && !words->has_arch && target.sm == tma_arch_at(0)->sm; i++) {
        target.sm = tma_arch_at(i)->features & TMA_FEATURE_BIT21 ? tma_arch_at(i)->sm : target.sm;
    }
    const tma_status status =
        tma_set_allocation_class(map->bytes, (uint32_t)edit->number, &now, &target);
    if (status != TMA_OK) {
        cli_say("--allocation-class %s: cuTensorMapSetAllocationClass takes 0 (auto), 1 (small) "
                "and 2 (large)",
                edit->value);
        return -1;
    }
    if (edit->number != now && edit->number != TMA_CLASS_AUTO) {
        cli_say("--allocation-class %s: %s is in effect: the class has no effect on %s, and the "
                "map stays as it was",
                edit->value, tma_enum_row_of(TMA_ENUM_CLASS, now)->name, tma_arch_text(&target));
    }
    return 0;
}

/* Whether ptxas refuses the edit: for the target, or because it is older than the words. */
static int is_refused(const tma_edit_words *edit, const tma_target_words *target,
                      const char *name) {
    const char *refused = target->has_arch ? tma_edit_refused(edit, &target->target) : NULL;
    const int is_new = edit->alloc || edit->field == TMA_REPLACE_ALLOC_CLASS;
    if (refused) {
        cli_say("%s: ptxas refuses it for %s: %s", name, tma_arch_text(&target->target), refused);
        return 1;
    }
    if (!edit->is_address && is_new && target->has_toolchain &&
        !tma_toolchain_has(edit->toolchain, TMA_TOOLCHAIN_ALLOC_WORDS)) {
        cli_say("%s: a ptxas before 13.5 %s", name,
                tma_toolchain_at(TMA_TOOLCHAIN_ALLOC_WORDS)->before);
        return 1;
    }
    return 0;
}

static tma_status replace_field(const tma_edit_words *words, tma_map *map) {
    const tma_edit edit = {.field = words->field,
                           .ordinal = words->ordinal_number,
                           .value = words->number,
                           .flags = words->flags,
                           .toolchain = words->toolchain};
    tma_finding why;
    if (tma_replace_stays_large(map->bytes, &edit, &why)) {
        char text[1024];
        tma_finding_text(text, sizeof(text), &why);
        cli_say("may be too large: %s: %s", tma_rule_of(why.rule)->name, text);
    }
    return tma_replace(map->bytes, &edit, NULL);
}

static int apply(const tma_edit_words *edit, const tma_target_words *target, tma_map *map) {
    if (edit->is_class) {
        return set_class(edit, target, map);
    }
    const char *name = edit->is_address ? "--address" : tma_replace_row_of(edit->field)->name;
    if (is_refused(edit, target, name)) {
        return -1;
    }
    const tma_status status = edit->is_address ? tma_replace_address(map->bytes, edit->number, NULL)
                                               : replace_field(edit, map);
    if (status == TMA_REFUSED) {
        cli_say(
            "--address 0x%" PRIx64 ": cuTensorMapReplaceAddress refuses 0, addresses that are "
            "no multiple of 16 B (32 B with 16U4_ALIGN16B and 16U6_ALIGN16B), and those from 2^57 "
            "on",
            edit->number);
    } else if (status != TMA_OK) {
        cli_say("%s: %s", name, tma_status_name(status));
    }
    return status == TMA_OK ? 0 : -1;
}

/* cuTensorMapReplaceAddress takes addresses that the encode calls refuse. */
static void say_misaligned(const tma_map *map, const tma_target_words *target) {
    tma_finding found[MOST_FINDINGS];
    tma_decoded decoded;
    cli_sure(tma_decode(&decoded, map->bytes));
    size_t count = tma_check(found, MOST_FINDINGS, &decoded.spec, &target->target);
    for (size_t i = 0; i < count && i < MOST_FINDINGS; i++) {
        char text[512];
        if (found[i].rule == TMA_RULE_ADDRESS_ALIGN_32) {
            tma_finding_text(text, sizeof(text), &found[i]);
            cli_say("--address is taken, but each copy of the map is a misaligned address: %s",
                    text);
        }
    }
}

static void say_loss(const tma_edit_words *edit, const tma_map *map) {
    char text[256];
    tma_out out = tma_out_into(text, sizeof(text));
    if (tma_put_edit_loss(&out, edit, map->bytes)) {
        cli_say("cut: %s", text);
    }
}

/* What is refused or faults now; or, if it was so before, that it still does. */
static void say_verdict(const tma_map *before, const tma_map *after,
                        const tma_target_words *words) {
    tma_decoded old;
    tma_decoded now;
    verdict *was = cli_got(malloc(2 * sizeof(*was)));
    verdict *is = was + 1;
    cli_sure(tma_decode(&old, before->bytes));
    cli_sure(tma_decode(&now, after->bytes));
    const tma_target target = check_target(words, &old.spec);
    verdict_of(was, &old.spec, &target);
    verdict_of(is, &now.spec, &target);
    for (size_t i = 0; i < is->count; i++) {
        const tma_finding *f = &is->findings[i];
        int is_old = 0;
        for (size_t j = 0; j < was->count; j++) {
            is_old |= was->findings[j].rule == f->rule && was->findings[j].index == f->index;
        }
        if (!is_old) {
            char text[1024];
            tma_finding_text(text, sizeof(text), f);
            cli_say("now %s: %s", tma_severity_name(f->severity), text);
        }
    }
    free(was);
}

/* What is odd now and was not before. */
static void say_stale(const tma_map *before, const tma_map *after, const tma_target_words *target) {
    tma_judged *sides = cli_got(malloc(2 * sizeof(*sides)));
    char reading[128];
    tma_out words = tma_out_into(reading, sizeof(reading));
    tma_judge(&sides[0], before->bytes, target);
    tma_judge(&sides[1], after->bytes, target);
    const uint32_t changed = sides[0].decoded.readings ^ sides[1].decoded.readings;
    if (changed && tma_put_map_readings(&words, &sides[1].decoded, UINT32_MAX)) {
        cli_say("now odd: words 16 and 18 are stale; --reading %s has them so, too", reading);
    }
    for (size_t i = 0; i < sides[1].count; i++) {
        if (!tma_judged_has(&sides[0], sides[1].odd[i].name)) {
            cli_say("now odd: %s: %s", sides[1].odd[i].name, sides[1].odd[i].text);
        }
    }
    free(sides);
}

int cmd_replace(int argc, char **argv) {
    static replace_args args;
    tma_map before;
    tma_error error;
    memset(&args, 0, sizeof(args));
    options_parse(&parser, argc, argv, &args);
    if (map_input(args.map, &before, &error)) {
        cli_say("%s", error.text);
        return CLI_MISUSE;
    }
    tma_map after = before;
    for (size_t i = 0; i < args.count; i++) {
        if (apply(&args.edits[i], &args.target, &after)) {
            return CLI_FINDINGS;
        }
        say_loss(&args.edits[i], &after);
    }
    tma_out out = out_to(stdout);
    tma_put_map(&out, after.bytes, args.format);
    say_stale(&before, &after, &args.target);
    if (args.count && args.edits[args.count - 1].is_address) {
        say_misaligned(&after, &args.target);
    }
    say_verdict(&before, &after, &args.target);
    return CLI_CLEAN;
}
