/* SPDX-License-Identifier: Apache-2.0
 *
 * tma check: every rule that a map breaks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "ask.h"
#include "case_input.h"
#include "check_view.h"
#include "cli_out.h"
#include "crash_view.h"
#include "file_bytes.h"
#include "log_words.h"
#include "map_input.h"
#include "mma_view.h"
#include "out_text.h"
#include "pass_on.h"
#include "printable.h"
#include "spec_inputs.h"
#include "tma/detail/chars.h"
#include "tma/limits.def"
#include "tma/map.h"
#include "verbs.h"

enum { KEY_LEVEL = 0x400, KEY_MAP_ADDRESS };

#define MOST_B      ((uint64_t)1 << 32) /* of a log */
#define LINKED      4096                /* a map's command in bytes */
#define MOST_DUMP_B ((size_t)1 << 16)   /* of a text that is 128 bytes */

typedef struct check_args {
    spec_inputs inputs;
    output_options output;
    lint_format format;
    check_view view;
    check_tally tally;
    tma_mma_question mma;
    int strict;
    int quiet;
    const char *page; /* of --link, or null */
    int has_texts;    /* pastes */
    int has_lines;    /* case lines; how many maps, refused, with findings, how many lines failed */
    size_t lines;
    size_t refused;
    size_t with_findings;
    size_t line_errors;
} check_args;

static const args_option options[] = {
    {0, 0, "dtype dim box stride swizzle arch map json format strict", ARGS_FIRST, "Most used:", 0},
    {"map", ARGS_AT(check_args, inputs.map), "MAP", ARGS_KEEPS,
     "the 128 bytes themselves in hex, a file of them, or -", 20},
    {"map-address", KEY_MAP_ADDRESS, "A", 0, "where the map itself lies", 20},
    {"level", KEY_LEVEL, "SEVERITY", 0,
     "refused, faults or surprising (default): show and count findings down to it", 50},
    {"link", ARGS_AT(check_args, page), "PAGE", ARGS_VALUE_OPTIONAL | ARGS_KEEPS,
     "of one map: print the link that shows it in the page (make page) too, after PAGE's address "
     "(default: what follows any)",
     50},
    {"quiet", ARGS_AT(check_args, quiet), 0, ARGS_SETS,
     "of a log from standard input print the answer alone, to standard output", 50},
    {"strict", ARGS_AT(check_args, strict), 0, ARGS_SETS, "exit with 1 for what is surprising, too",
     50},
    {0},
};

static const args_child children[] = {
    {&spec_inputs_parser, 0, 10, ARGS_AT(check_args, inputs)},
    {&mma_parser, "Whether wgmma or tcgen05 reads what a copy leaves (as tma mma):", 60,
     ARGS_AT(check_args, mma)},
    {&output_parser, 0, 0, ARGS_AT(check_args, output)},
    {&format_parser, 0, 0, ARGS_AT(check_args, format)},
    {0}};

static int parse(int key, char *text, args_state *state) {
    check_args *args = state->input;
    tma_error error;
    switch (key) {
    case KEY_LEVEL:
        option_check(verdict_level_named(text, &args->view.level, &error), state, &error);
        return 0;
    case ARGS_KEY_END:
        if (args->page &&
            (args->output.json || args->inputs.case_line || args->format != LINT_FORMAT_TEXT)) {
            args_error(state,
                       "--link is of one map and in words: a spec's options, --map, or a file "
                       "with one map, without --json and --format");
        }
        if (args->format != LINT_FORMAT_TEXT &&
            (args->output.json || !args->inputs.paths.count || args->mma.given)) {
            args_error(state,
                       "--format names lines of files: give files, without --json and options "
                       "of an MMA");
        }
        if (args->mma.given && (args->inputs.paths.count || args->inputs.case_line)) {
            args_error(state, "--desc, --operand and the other options of an MMA ask about one "
                              "map: a spec's options or --map");
        }
        return 0;
    case KEY_MAP_ADDRESS:
        option_check(
            tma_read_u64(&args->view.map_address, text, strlen(text), "--map-address", &error),
            state, &error);
        args->view.has_map_address = 1;
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_parser parser = {
    options,
    parse,
    SPEC_INPUTS_ARGS_DOC "\n--map MAP",
    "Judges a map and prints every rule that it breaks: what the driver refuses (refused), what "
    "the driver accepts although copies then fault or do something else (faults), and what is "
    "legal but unusual (surprising). Each finding has the value, the limit, a legal value, and the "
    "source of the rule.\vA list has its entries in the order of the driver's arrays: innermost "
    "first. Sizes are decimal, hexadecimal or a power of two (2^32).\n"
    "\n"
    "FILE (- is standard input) holds one of these:\n"
    "  the 128 bytes of a map, in any form that tma decode reads\n"
    "  case lines (enc ...)\n"
    "  any log, traceback or source\n"
    "In a log, tma check finds and judges what CUTLASS, TileLang, TensorRT-LLM, Triton, DeepGEMM, "
    "ThunderKittens, FlashMLA, XLA and others print about an encode call, together with its "
    "error. It explains GPU errors: what they mean, whether a tensor copy can be the cause, and "
    "what else can. The options of a map then fill in what the log does not say.\n"
    "\n"
    "As a filter (FILE is -, without --quiet, --json and --format) it passes the text on to "
    "standard output as it comes; the answer follows on standard error. An interrupt then ends the "
    "program that writes, and the answer comes all the same.\n"
    "\n"
    "Exit status: 0 no map is refused and none faults (with --strict: and nothing is surprising), "
    "1 a map is or does, or the error in a log has another cause, 2 misuse, no map was found (a "
    "GPU "
    "error alone is explained, not judged), or a value of one is in the text and was not "
    "read.\n"
    "\n"
    "Examples:\n"
    "  tma check --dtype bf16 --dim 4096,8192 --box 128,128 --swizzle 128B\n"
    "  python train.py 2>&1 | tma check -\n"
    "  tma check --format=github tests/maps/*.txt",
    children,
    0,
};

/* The allocation class that the map gets; auto where the target has none. */
static uint32_t class_of(const tma_spec *spec, const tma_target *target) {
    tma_map map;
    const tma_arch_row *arch = tma_arch_of(target);
    const int has_class = arch && arch->features & TMA_FEATURE_BIT21;
    return has_class && tma_encode_forced(map.bytes, spec, target, NULL) == TMA_OK
               ? tma_allocation_class(map.bytes)
               : TMA_CLASS_AUTO;
}

static void print_class(tma_out *out, const tma_spec *spec, const tma_target *target) {
    const uint32_t number = class_of(spec, target);
    if (number != TMA_CLASS_AUTO) {
        tma_putf(out, "    %-25s%s (%" TMA_U64 " KiB)\n", "allocation class",
                 tma_enum_row_of(TMA_ENUM_CLASS, number)->name, tma_class_window_B(number) / 1024);
    }
}

static void print_accepted(const tma_spec *spec, const tma_target *target, const verdict *v,
                           const color_set *colors) {
    tma_out out = out_to(stdout);
    const int seen = ask_was_seen(target);
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
    print_class(&out, spec, target);
}

static void print_link(const check_args *args, const tma_spec *spec, const tma_target *target,
                       const uint8_t *map) {
    char command[LINKED];
    tma_out out = tma_out_into(command, sizeof(command));
    const tma_target_words words = ask_whole_target(target);
    tma_put(&out, "tma check");
    ask_put_map(&out, spec, map, &words);
    out_page_link(stdout, args->page, command);
}

static void print_many(const check_args *args, const spec_input *in, const verdict *v) {
    const char *id = in->id ? in->id : "";
    fputs(args->view.colors.bold, stdout);
    printable(stdout, in->label);
    printf("%s:%s", args->view.colors.end, *id ? " " : "");
    printable(stdout, id);
    putchar(' ');
    printf("%s%s%s\n", v->accepted ? args->view.colors.good : args->view.colors.severity[0],
           v->accepted ? "accepted" : "refused", args->view.colors.end);
    if (verdict_shown(v, args->view.level)) {
        verdict_findings(stdout, v, args->view.level, &args->view.colors);
        verdict_summary(stdout, v, args->view.level);
        putchar('\n');
    }
}

static void print_one(const check_args *args, const spec_input *in, const verdict *v) {
    verdict_findings(stdout, v, args->view.level, &args->view.colors);
    verdict_summary(stdout, v, args->view.level);
    if (v->accepted) {
        print_accepted(in->spec, in->target, v, &args->view.colors);
    }
    if (args->page && !in->label) {
        print_link(args, in->spec, in->target, NULL);
    }
}

static void print_json(const spec_input *in, const verdict *v, tma_severity level) {
    out_json line;
    tma_json *json = out_json_begin(&line, "check");
    if (spec_input_json(json, in)) {
        verdict_json(json, v, in->spec, level);
        const uint32_t number = v->accepted ? class_of(in->spec, in->target) : TMA_CLASS_AUTO;
        tma_json_text(json, "allocation_class",
                      number ? tma_enum_row_of(TMA_ENUM_CLASS, number)->name : NULL);
    }
    out_json_end(&line);
}

static void check_one(void *context, const spec_input *in) {
    check_args *args = context;
    verdict v = {0};
    if (!in->error) {
        verdict_of(&v, in->spec, in->target);
        if (args->view.has_map_address) {
            verdict_place(&v, args->view.map_address, in->target);
        }
        check_count(&args->tally, &v, args->view.level, in->spec, in->target);
        args->lines++;
        args->refused += !v.accepted;
        args->with_findings += verdict_shown(&v, args->view.level) > 0;
    }
    if (args->view.lint.writer) {
        if (!in->error) {
            lint_verdict(&args->view.lint, in->line, &v, args->view.level);
        }
    } else if (args->output.json) {
        print_json(in, &v, args->view.level);
    } else if (in->error) {
        return;
    } else if (in->label) {
        print_many(args, in, &v);
    } else {
        print_one(args, in, &v);
    }
}

static void note_first(void *context, const tma_case *line, const case_place *place,
                       const tma_error *error) {
    int *first = context;
    (void)place;
    (void)error;
    if (*first < 0) {
        *first = line && (!strcmp(line->kind, "enc") || tma_case_request(line, "dim") != NULL);
    }
}

/* A text of case lines: its first line that is no comment is one. */
static int has_case_lines(const char *text, size_t size) {
    int first = -1;
    while (size && first < 0) {
        const char *end = memchr(text, '\n', size);
        const size_t length = end ? (size_t)(end - text) + 1 : size;
        case_input_text(text, length, "", note_first, &first);
        text += length;
        size -= length;
    }
    return first > 0;
}

static void check_case_lines(check_args *args, const char *text, size_t size, const char *name) {
    if (args->inputs.args.given) {
        cli_say("%s: options of a map and case lines exclude each other",
                printable_text(name).text);
        args->tally.errors++;
        return;
    }
    args->has_lines = 1;
    args->line_errors += spec_inputs_text(&args->inputs, text, size, name, check_one, args);
}

static void note_map(void *context, const tma_paste *found) {
    int *has_map = context;
    *has_map |= found->kind == TMA_PASTE_MAP;
}

static void note_crash(void *context, const tma_crash *found) {
    (void)context;
    (void)found;
}

/* A text that is 128 bytes and nothing else that can be judged; it may be the only dump among other
 * words. */
static int is_one_map(uint8_t *map, const char *text, size_t size) {
    int has_call = 0;
    tma_error error;
    if (size > MOST_DUMP_B || tma_read_dump(map, text, size, &error)) {
        return 0;
    }
    tma_paste_read(text, size, note_map, &has_call);
    return !has_call && !tma_crash_read(text, size, note_crash, NULL);
}

static void check_log(check_args *args, const char *label, const char *name, const char *text,
                      size_t size) {
    progress shown;
    progress_begin(&shown, "MiB searched for bytes of maps");
    const size_t calls = check_text(&args->view, &args->tally, label, text, size);
    const size_t dumps = check_dumps(&args->view, &args->tally, label, text, size, calls, &shown);
    const size_t words = dumps ? 0 : log_words(&args->view, label, text, size, calls);
    if (calls + dumps + words) {
        args->has_texts = 1;
        return;
    }
    cli_say("%s: nothing in it can be read as a map: no arguments of an encode call as programs "
            "print them, no case lines, no 128 bytes; and no GPU error that is known here",
            printable_text(name).text);
    topics_text(&args->view, label, text, size);
    args->tally.errors++;
}

/* A log that somebody else reads, too: it goes through. */
static int is_filter(const check_args *args) {
    return args->inputs.paths.count == 1 && !strcmp(args->inputs.paths.of[0], "-") &&
           !args->quiet && !args->output.json && args->format == LINT_FORMAT_TEXT;
}

/* Whatever a file holds. */
static void check_file(check_args *args, const char *path) {
    const char *name = strcmp(path, "-") ? path : "standard input";
    const char *label = args->inputs.paths.count > 1 ? name : NULL;
    tma_map map;
    tma_error error;
    tma_error not_map;
    file_bytes bytes;
    args->view.lint.path = path;
    if (strcmp(path, "-") && !tma_read_dump(map.bytes, path, strlen(path), &not_map)) {
        check_bytes(&args->view, &args->tally, label, 0, map.bytes);
        return;
    }
    if (is_filter(args) ? pass_on(&bytes, MOST_B, &error)
                        : file_read(path, MOST_B, &bytes, &error)) {
        cli_say("%s", error.text);
        args->tally.errors++;
        return;
    }
    args->view.colors = colors_for(stdout, args->output.color);
    const char *text = (const char *)bytes.at;
    if (is_one_map(map.bytes, text, bytes.size)) {
        check_bytes(&args->view, &args->tally, label, 1, map.bytes);
    } else if (has_case_lines(text, bytes.size)) {
        check_case_lines(args, text, bytes.size, name);
    } else {
        check_log(args, label, name, text, bytes.size);
    }
    free(bytes.at);
}

static void check_map_option(check_args *args) {
    tma_map map;
    tma_error error;
    if (map_input(args->inputs.map, &map, &error)) {
        cli_say("--map: %s", error.text);
        args->tally.errors++;
    } else {
        check_bytes(&args->view, &args->tally, NULL, 0, map.bytes);
        if (args->page) {
            print_link(args, NULL, &args->inputs.args.target.target, map.bytes);
        }
    }
}

static void check_files(check_args *args) {
    for (size_t i = 0; i < args->inputs.paths.count; i++) {
        check_file(args, args->inputs.paths.of[i]);
    }
    args->tally.errors += args->line_errors;
    if (args->page && args->tally.maps == 1) {
        print_link(args, &args->tally.spec, &args->tally.target, NULL);
    } else if (args->page) {
        cli_say("--link is of one map: the file%s %zu",
                args->inputs.paths.count == 1 ? " has" : "s have", args->tally.maps);
        args->tally.errors++;
    }
    if (args->has_lines && !args->output.json && !args->view.lint.writer) {
        printf("%zu map%s: %zu accepted, %zu refused; %zu with findings; %zu line%s with errors\n",
               args->lines, text_plural(args->lines), args->lines - args->refused, args->refused,
               args->with_findings, args->line_errors, text_plural(args->line_errors));
    }
}

/* --map-address, where it is not a text's map that it is said of. */
static void print_place(const check_args *args) {
    char text[512];
    if (args->view.has_map_address && !args->has_texts && !args->output.json &&
        !args->view.lint.writer) {
        check_map_type(args->view.map_address, text, sizeof(text));
        if (*text) {
            out_wrapped(stdout, text, 0);
        }
    }
}

/* --desc and the like: a difference counts as a fault. */
static void check_mma(check_args *args) {
    tma_map map;
    tma_decoded decoded;
    tma_error error;
    const tma_target_words *target = &args->inputs.args.target;
    const tma_spec *spec = &args->inputs.args.spec;
    if (!args->mma.given || args->tally.errors) {
        return;
    }
    if (args->inputs.map) {
        if (map_input(args->inputs.map, &map, &error) ||
            tma_decode(&decoded, map.bytes) != TMA_OK) {
            return;
        }
        spec = &decoded.spec;
    }
    if (tma_mma_words_finish(&args->mma, spec, target->has_arch ? &target->target : NULL, &error)) {
        cli_say("%s", error.text);
        args->tally.errors++;
        return;
    }
    args->tally.of[TMA_SEVERITY_FAULTS] +=
        (size_t)mma_view(&args->mma, spec, &target->target, args->output.json);
}

static int exit_status(const check_args *args) {
    const check_tally *t = &args->tally;
    const int is_bad = t->of[TMA_SEVERITY_REFUSED] || t->of[TMA_SEVERITY_FAULTS] || t->codes ||
                       t->odd || (args->strict && t->of[TMA_SEVERITY_SURPRISING]);
    return t->errors || !t->maps ? CLI_MISUSE
           : is_bad              ? CLI_FINDINGS
           : t->unread           ? CLI_MISUSE
                                 : CLI_CLEAN;
}

int cmd_check(int argc, char **argv) {
    check_args args = {0};
    args.view.level = TMA_SEVERITY_SURPRISING;
    args.inputs.takes_texts = 1;
    options_parse(&parser, argc, argv, &args);
    args.view.colors = colors_for(stdout, args.output.color);
    args.view.json = args.output.json;
    args.view.words = &args.inputs.args;
    args.view.lint.writer = lint_begin(args.format, 0);
    if (args.inputs.map) {
        check_map_option(&args);
    } else if (args.inputs.paths.count) {
        check_files(&args);
    } else {
        args.tally.errors += spec_inputs_each(&args.inputs, check_one, &args);
    }
    print_place(&args);
    check_mma(&args);
    lint_end(args.view.lint.writer);
    return exit_status(&args);
}
