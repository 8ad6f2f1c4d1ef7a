/* SPDX-License-Identifier: Apache-2.0
 *
 * tma ptx: the tensor instructions of PTX files, and what can be said of them without running.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli_error.h"
#include "cli_out.h"
#include "file_bytes.h"
#include "lint_rows.h"
#include "map_input.h"
#include "options.h"
#include "printable.h"
#include "ptx_accept.h"
#include "ptx_emulate.h"
#include "ptx_heap.h"
#include "ptx_said.h"
#include "ptx_view.h"
#include "ptx_why.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"
#include "verbs.h"

#define MOST_FILE_B (UINT64_C(1) << 30)

enum { KEY_MAP = 0x400, KEY_WERROR, KEY_WHY };

typedef struct ptx_args {
    ptx_given *given;
    uint8_t *is_given_used; /* of each: by some instruction of some file */
    uint32_t givens;
    const char **path;
    uint32_t paths;
    tma_target_words target;
    output_options output;
    lint_format format;
    lint_writer *writer; /* null: in words, or --json */
    int raw_names;       /* --no-demangle */
    int findings_only;
    int mma;
    int emulate;
    int certain_only;   /* --werror=certain */
    int unjudged_too;   /* --werror=unjudged */
    const char *accept; /* a path, or null */
    file_bytes accept_bytes;
    ptx_accepted accepted;
    uint64_t why;      /* a line, or 0 */
    int lacks_map;     /* a file of those: what it expects is not known to come */
    uint32_t in_words; /* kernels that were judged in words, and not executed */
} ptx_args;

static const args_option options[] = {
    {"map", KEY_MAP, "[NAME[+OFFSET]=]MAP", 0,
     "the 128 bytes of the map that NAME holds, a kernel's parameter, its number, from 0 on, in "
     "each kernel, or a variable, OFFSET bytes after its begin; without a name, of every map. MAP "
     "is what tma decode "
     "reads: hex, a file, or -; or the options of tma encode, in quotes",
     0},
    {"findings", ARGS_AT(ptx_args, findings_only), 0, ARGS_SETS,
     "print only instructions with a finding", 0},
    {"no-demangle", ARGS_AT(ptx_args, raw_names), 0, ARGS_SETS,
     "names of kernels as they are mangled", 50},
    {"werror", KEY_WERROR, "certain|unjudged", 0,
     "certain: exit status 1 only for findings that are certain; the others are printed all the "
     "same. unjudged: exit status 1 also where a kernel was too large to be judged to its end. "
     "Both may be given",
     0},
    {"accept", ARGS_AT(ptx_args, accept), "FILE", ARGS_KEEPS,
     "leave out the findings that FILE accepts: one line for each, with its rule and function", 0},
    {"mma", ARGS_AT(ptx_args, mma), 0, ARGS_SETS,
     "list what wgmma and tcgen05.mma read from shared memory: each matrix descriptor, and whether "
     "it reads what the copy of a known map left",
     0},
    {"emulate", ARGS_AT(ptx_args, emulate), 0, ARGS_SETS,
     "execute, besides, the kernels of which nothing has to be invented (no parameters, and a "
     "block that the file says), as tma emulate does",
     0},
    {"why", KEY_WHY, "LINE", 0,
     "the findings of this line, with the path between their two places; what the registers of its "
     "instruction hold, and the proof: the instructions and the joins of paths that lead to it",
     0},
    {0},
};

static int add_map(ptx_args *args, const char *text, tma_error *error) {
    tma_place_words place;
    tma_map map;
    if (tma_read_place(&place, text, "--map NAME+OFFSET", error) < 0) {
        return -1;
    }
    if (!*place.rest) {
        return tma_fail(error, "--map %s: no map: NAME=MAP is expected, or MAP for each kernel",
                        printable_text(text).text);
    }
    if (map_input_or_options(place.rest, &map, error)) {
        const tma_error why = *error;
        return tma_fail(error, "--map %s%s: %s", printable_text(text).text,
                        place.name_length ? "" : " (without NAME=: for each kernel)", why.text);
    }
    ptx_given given = {.name = {place.name, place.name_length}, .added = place.offset_B};
    memcpy(given.map.bytes, map.bytes, sizeof(given.map.bytes));
    args->given = cli_got(realloc(args->given, (args->givens + 1) * sizeof(*args->given)));
    args->is_given_used = cli_got(realloc(args->is_given_used, args->givens + 1));
    args->is_given_used[args->givens] = 0;
    args->given[args->givens++] = given;
    return 0;
}

static int read_werror(ptx_args *args, const char *text, tma_error *error) {
    if (strcmp(text, "certain") == 0) {
        args->certain_only = 1;
    } else if (strcmp(text, "unjudged") == 0) {
        args->unjudged_too = 1;
    } else {
        snprintf(error->text, sizeof(error->text), "--werror: %s, must be certain or unjudged",
                 printable_text(text).text);
        return -1;
    }
    return 0;
}

static int read_line(ptx_args *args, const char *text, tma_error *error) {
    if (tma_read_u64(&args->why, text, strlen(text), "--why", error)) {
        return -1;
    }
    return args->why ? 0 : tma_fail(error, "--why=0: lines are counted from 1");
}

static int take(ptx_args *args, int key, char *text, tma_error *error) {
    switch (key) {
    case KEY_MAP:
        return add_map(args, text, error);
    case KEY_WERROR:
        return read_werror(args, text, error);
    case KEY_WHY:
        return read_line(args, text, error);
    default:
        args->path = cli_got(realloc(args->path, (args->paths + 1) * sizeof(*args->path)));
        args->path[args->paths++] = text;
        return 0;
    }
}

static uint32_t count_standard_input(const ptx_args *args) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < args->paths; i++) {
        count += strcmp(args->path[i], "-") == 0;
    }
    return count;
}

/* Options that ask for different answers. */
static void judge_together(const ptx_args *args, args_state *state) {
    const char *other = args->why ? "why" : args->emulate ? "emulate" : args->mma ? "mma" : NULL;
    if (args->output.json && other) {
        args_error(state, "--%s is text: not with --json", other);
    }
    if (args->why && args->paths > 1) {
        args_error(state, "--why=%" PRIu64 ": a line is one file's, and %u are given", args->why,
                   args->paths);
    }
    if (count_standard_input(args) > 1) {
        args_error(state, "-: standard input stands %u times; it is read once",
                   count_standard_input(args));
    }
    if (args->why && args->emulate) {
        args_error(state, "--why and --emulate exclude each other");
    }
    other = args->emulate ? "emulate" : args->output.json ? "json" : other;
    if (args->format != LINT_FORMAT_TEXT && other) {
        args_error(state, "--format is of findings: not with --%s", other);
    }
}

static int parse(int key, char *text, args_state *state) {
    ptx_args *args = state->input;
    tma_error error;
    switch (key) {
    case ARGS_KEY_NO_ARGS:
        args_error(state, "no file: give PTX files, or - for standard input");
        return 0;
    case ARGS_KEY_END:
        judge_together(args, state);
        return 0;
    case KEY_MAP:
    case KEY_WERROR:
    case KEY_WHY:
    case ARGS_KEY_ARG:
        option_check(take(args, key, text, &error), state, &error);
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_child children[] = {
    {&target_parser, "Instead of the file's .target:", 10, ARGS_AT(ptx_args, target)},
    {&toolchain_parser, 0, 10, ARGS_AT(ptx_args, target)},
    {&output_parser, 0, 0, ARGS_AT(ptx_args, output)},
    {&format_parser, 0, 0, ARGS_AT(ptx_args, format)},
    {0}};

static const args_parser parser = {
    options,
    parse,
    "FILE...",
    "Lists the tensor instructions of PTX files (cp.async.bulk.tensor, tensormap.replace, ...), "
    "each with its line, its source line and its kernel, and reports what is wrong with them:\n"
    "  forms that the file's .target or .version does not have\n"
    "  constant operands that trap on every map, or on the map "
    "given\n"
    "  barriers that expect other bytes than their copies move\n"
    "  maps that are edited and then used without a fence\n"
    "  missing fences, waits and barriers between copies and other accesses\n"
    "  MMA descriptors that read a tile otherwise than its copy laid it\vtma ptx follows "
    "registers through arithmetic, branches, loops and calls (docs/ptx.md). It does not judge "
    "values that it does not know. It reports instructions that it does not understand.\n"
    "\n"
    "Exit status: 0 nothing found (or --why has an answer), 1 findings (with --werror=certain: "
    "certain findings; with --werror=unjudged: or a kernel that was not judged to its end), 2 "
    "misuse or a file that cannot be read.\n"
    "\n"
    "Examples: tma ptx kernel.ptx --map matmul_param_0=map.bin\n"
    "          tma ptx build/*.ptx --format=gcc --werror=certain\n"
    "          tma ptx kernel.ptx --why 120",
    children,
    0,
};

static int status_of(const ptx_args *args, const ptx_report *report) {
    for (uint32_t i = 0; i < report->findings; i++) {
        if (report->finding[i].certain || !args->certain_only) {
            return CLI_FINDINGS;
        }
    }
    return args->unjudged_too && report->unjudged_count ? CLI_FINDINGS : CLI_CLEAN;
}

static int read_accepted(ptx_args *args) {
    tma_error error;
    uint32_t line;
    if (file_read(args->accept, MOST_FILE_B, &args->accept_bytes, &error)) {
        cli_say("%s", error.text);
        return -1;
    }
    if (ptx_accepted_of(&args->accepted, (const char *)args->accept_bytes.at,
                        args->accept_bytes.size, &line)) {
        cli_say("%s:%u: a line is a rule and a function: proxy-store kernel",
                printable_text(args->accept).text, line);
        return -1;
    }
    return 0;
}

static void end_accepted(ptx_args *args) {
    const uint32_t left = ptx_accepted_left(&args->accepted);
    if (left) {
        cli_say("%s: %u line%s accept%s nothing that was found: take %s out",
                printable_text(args->accept).text, left, text_plural(left), left == 1 ? "s" : "",
                left == 1 ? "it" : "them");
    }
    free(args->accepted.is_used);
    free(args->accept_bytes.at);
}

/* The maps of --map come first among a report's. */
static void take_used(ptx_args *args, const ptx_report *report) {
    for (uint32_t i = 0; i < report->sites; i++) {
        const ptx_site *site = &report->site[i];
        const uint32_t used = args->mma && report->mmas ? site->layout : site->given;
        if (used < args->givens) {
            args->is_given_used[used] = 1;
        }
    }
}

/* A name that is misspelt would else be a map that is never judged. */
static void end_given(ptx_args *args, int status) {
    for (uint32_t i = 0; i < args->givens; i++) {
        const ptx_given *g = &args->given[i];
        char added[32] = "";
        if (g->added) {
            snprintf(added, sizeof(added), "+%" PRId64, g->added);
        }
        if (!args->is_given_used[i] && status != CLI_MISUSE) {
            cli_say("--map%s%.*s%s: no instruction was judged by this map%s",
                    g->name.length ? " " : "", (int)g->name.length, g->name.at, added,
                    g->name.length ? ": is this the kernel's parameter or variable that holds it, "
                                     "and does nothing edit it?"
                                   : "");
        }
    }
    free(args->is_given_used);
    free(args->given);
}

/* The proof of what stands in a line: whether there is an instruction. */
static int say_why(const ptx_args *args, const char *path, ptx_report *report) {
    tma_out out = out_to(stdout);
    const int count = ptx_why_put(&out, report, (size_t)args->why);
    if (count < 0) {
        cli_out_of_memory();
    }
    if (!count) {
        cli_say("%s: no kernel runs an instruction of line %" PRIu64, printable_text(path).text,
                args->why);
    }
    return count != 0;
}

static void put_json(const char *path, const ptx_report *report, int findings_only) {
    out_json line;
    tma_json *json = out_json_begin(&line, "ptx");
    tma_json_text(json, "file", path);
    ptx_report_json(json, report, findings_only);
    out_json_end(&line);
}

static int one_file(ptx_args *args, const char *path) {
    file_bytes bytes;
    tma_error error;
    ptx_report report;
    if (file_read(path, MOST_FILE_B, &bytes, &error)) {
        cli_say("%s", error.text);
        return CLI_MISUSE;
    }
    const char *text = (const char *)bytes.at;
    ptx_heap heap = {NULL};
    args->target.target.sm = args->target.has_arch ? args->target.target.sm : 0;
    if (ptx_report_make(&report, ptx_heap_more, &heap, text, bytes.size, args->given, args->givens,
                        args->target.has_arch || args->target.has_toolchain ? &args->target.target
                                                                            : NULL)) {
        cli_out_of_memory();
    }
    if (!report.sites && !report.rows.module[0].version) {
        cli_say("%s: no PTX: no .version and no tensor instruction (" PTX_HOW_MADE ")",
                printable_text(path).text);
        ptx_heap_free(&heap);
        free(bytes.at);
        return CLI_MISUSE;
    }
    take_used(args, &report);
    if (args->accept) {
        ptx_accept(&args->accepted, &report);
    }
    int status = status_of(args, &report);
    if (args->why) {
        status = say_why(args, path, &report) ? CLI_CLEAN : CLI_MISUSE;
    } else if (args->mma) {
        ptx_print_mma(stdout, path, &report);
    } else if (args->writer) {
        lint_ptx(args->writer, path, &report);
    } else if (args->output.json) {
        put_json(path, &report, args->findings_only);
    } else {
        const color_set colors = colors_for(stdout, args->output.color);
        const ptx_print_how how = {args->findings_only, args->raw_names, &colors};
        ptx_print(stdout, path, &report, &how);
        args->in_words += args->emulate ? 0 : ptx_kernels_of(&report);
        args->lacks_map |= ptx_lacks_map(&report);
    }
    if (args->emulate &&
        ptx_emulate(path, text, bytes.size, args->certain_only, args->raw_names) > 0) {
        status = status > CLI_FINDINGS ? status : CLI_FINDINGS;
    }
    ptx_heap_free(&heap);
    free(bytes.at);
    return status;
}

/* What no path shows. */
static void say_not_judged(const ptx_args *args) {
    if (args->in_words) {
        printf("\nnot judged: %s" PTX_A_LAUNCH_SHOWS ": tma emulate %s\n",
               args->lacks_map ? PTX_A_MAP_SHOWS "; " : "",
               args->paths == 1 ? printable_text(args->path[0]).text : "FILE");
    }
}

int cmd_ptx(int argc, char **argv) {
    static ptx_args args;
    int status = CLI_CLEAN;
    options_parse(&parser, argc, argv, &args);
    if (args.accept && read_accepted(&args)) {
        return CLI_MISUSE;
    }
    args.writer = lint_begin(args.format, args.raw_names);
    for (uint32_t i = 0; i < args.paths; i++) {
        const int one = one_file(&args, args.path[i]);
        status = one > status ? one : status;
    }
    say_not_judged(&args);
    lint_end(args.writer);
    if (args.accept) {
        end_accepted(&args);
    }
    end_given(&args, status);
    free(args.path);
    return status;
}
