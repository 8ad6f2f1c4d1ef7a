/* SPDX-License-Identifier: Apache-2.0
 *
 * tma replay: answers case lines, or holds this library against the answers on them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "case_input.h"
#include "cli_out.h"
#include "options.h"
#include "printable.h"
#include "replay_kinds.h"
#include "tma/view.h"
#include "verbs.h"

typedef struct replay_args {
    tma_target_words target;
    options_list paths;
    int check;
    char *answer; /* of one line, in the same room for all */
    size_t answer_length;
    size_t answer_room;
    size_t passed;
    size_t failed;
    size_t refused; /* lines of copies that libtma refuses, */
    size_t ran;     /* and of them those that the machine ran */
    size_t errors;  /* lines among the failed ones that mean nothing */
} replay_args;

static const args_option options[] = {
    {"check", ARGS_AT(replay_args, check), 0, ARGS_SETS,
     "compare with the answers on the lines, print those that differ, and count", 10},
    {0},
};

static const args_child children[] = {{&list_parser, 0, 0, ARGS_AT(replay_args, paths)},
                                      {&target_parser, 0, 40, ARGS_AT(replay_args, target)},
                                      {&toolchain_parser, 0, 40, ARGS_AT(replay_args, target)},
                                      {0}};

static const args_parser parser = {
    options,
    NULL,
    "[FILE...]",
    "Answers case lines from files or from standard input (-). It prints each request with the "
    "answer of the driver or the hardware behind it, in the same format.\vA case line has a kind "
    "(enc, rep, dev, hw, refused, cute, bit21, wgmma) and key=value fields. The fields from rc=, "
    "desc64=, bit= or read= on are its answer; tma replay prints its own answer in their place. A "
    "line's arch= overrides --arch. If a line cannot be read, tma replay prints an error with the "
    "line's number and goes on.\n"
    "\n"
    "Exit status: 0 all lines answered (with --check: and all answers the same), 1 --check found "
    "differences, 2 there were errors.\n"
    "\n"
    "Example: zcat encode.txt.gz | tma replay --check",
    children,
    0,
};

static void print_fields(FILE *out, const tma_case *line, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        fputc(' ', out);
        printable(out, line->fields[i].key);
        fputc('=', out);
        printable(out, line->fields[i].value);
    }
}

static void print_request(FILE *out, const tma_case *line) {
    printable(out, line->kind);
    print_fields(out, line, 0, line->request);
}

static int compares(const replay_kind *kind, const replay_request *request, const char *key) {
    return !kind->compares || kind->compares(request, key);
}

/* Whether the answer and the line have the same fields with the same values, but for those whose
 * value on the line means nothing. */
static int same_answer(const replay_request *request, const replay_kind *kind, const char *answer) {
    const tma_case *line = request->line;
    size_t fields = 0;
    for (const char *at = answer; *at;) {
        char key[32];
        const char *equals = strchr(at, '=');
        const char *value = equals + 1;
        const size_t length = strcspn(value, " ");
        snprintf(key, sizeof(key), "%.*s", (int)(equals - at - 1), at + 1);
        at = value + length;
        if (!compares(kind, request, key)) {
            continue;
        }
        const char *given = tma_case_answer(line, key);
        if (!given || strlen(given) != length || memcmp(given, value, length) != 0) {
            return 0;
        }
        fields++;
    }
    for (size_t i = line->request; i < line->count; i++) {
        fields += !compares(kind, request, line->fields[i].key);
    }
    return fields == line->count - line->request;
}

/* The fields in which the map on the line and the one of the answer differ. */
static void print_map_difference(const tma_case *line, const char *answer) {
    tma_map maps[2];
    tma_difference all[TMA_DIFFERENCES];
    const char *given = tma_case_answer(line, "desc");
    const char *own = strstr(answer, " desc=");
    if (!given || !own || tma_read_dump(maps[0].bytes, given, strlen(given), NULL) ||
        tma_read_dump(maps[1].bytes, own + 6, strlen(own + 6), NULL)) {
        return;
    }
    const size_t count = tma_diff(all, maps[0].bytes, maps[1].bytes);
    for (size_t i = 0; i < count; i++) {
        printf("  desc: %s: %s on the line, %s here\n", all[i].name, all[i].a, all[i].b);
    }
}

static void print_difference(const tma_case *line, const case_place *place, const char *answer) {
    printable(stdout, place->file);
    printf(":%zu differs: ", place->line);
    print_request(stdout, line);
    fputs("\n  line:", stdout);
    print_fields(stdout, line, line->request, line->count);
    printf("\n  here:%s\n", answer);
    print_map_difference(line, answer);
}

static int known_answers(const tma_case *line, const replay_kind *kind, int needed,
                         tma_error *error) {
    for (size_t i = line->request; i < line->count; i++) {
        if (!tma_case_word_in(line->fields[i].key, kind->answers)) {
            return tma_fail(error, "unknown field '%.80s' in the answer of a line of kind %s",
                            line->fields[i].key, kind->kind);
        }
    }
    return needed && line->request == line->count
               ? tma_fail(error, "no answer on the line to compare with")
               : 0;
}

static int read_map(replay_request *request, const replay_kind *kind, tma_error *error) {
    if (kind->of == REPLAY_OF_MMA) {
        return 0;
    }
    return kind->of == REPLAY_OF_TENSOR
               ? tma_case_tensor(&request->spec, &request->target, request->line, error)
               : tma_case_spec(&request->spec, &request->target, request->line, kind->keys, error);
}

/* What the line says of a copy that this library refuses. */
static void count_refused(replay_args *args, const tma_case *line) {
    const char *status = tma_case_answer(line, "st");
    if (tma_case_answer(line, "refused")) {
        args->refused++;
        args->ran += status && strncmp(status, "trap:", 5) != 0;
    }
}

static void keep(void *context, const char *text, size_t length) {
    replay_args *args = context;
    const size_t needed = args->answer_length + length + 1;
    if (needed > args->answer_room) {
        args->answer_room = needed > 2 * args->answer_room ? needed : 2 * args->answer_room;
        args->answer = cli_got(realloc(args->answer, args->answer_room));
    }
    memcpy(args->answer + args->answer_length, text, length);
    args->answer_length += length;
    args->answer[args->answer_length] = 0;
}

static int answer_line(replay_args *args, const tma_case *line, const case_place *place,
                       tma_error *error) {
    replay_request request = {line, {0}, args->target.target};
    const replay_kind *kind = replay_kind_of(line->kind, error);
    tma_out out = tma_out_to(keep, args);
    args->answer_length = 0;
    keep(args, "", 0);
    if (!kind || known_answers(line, kind, args->check, error) || read_map(&request, kind, error) ||
        kind->answer(&request, &out, error)) {
        return -1;
    }
    count_refused(args, line);
    if (!args->check) {
        print_request(stdout, line);
        puts(args->answer);
    } else if (same_answer(&request, kind, args->answer)) {
        args->passed++;
    } else {
        args->failed++;
        print_difference(line, place, args->answer);
    }
    return 0;
}

static void visit(void *context, const tma_case *line, const case_place *place,
                  const tma_error *read_error) {
    replay_args *args = context;
    tma_error own;
    if (line && !answer_line(args, line, place, &own)) {
        return;
    }
    cli_say("%s:%zu: %s", place->file, place->line, line ? own.text : read_error->text);
    args->failed++;
    args->errors++;
}

int cmd_replay(int argc, char **argv) {
    replay_args args = {0};
    options_parse(&parser, argc, argv, &args);
    const size_t unread = case_input(args.paths.of, args.paths.count, visit, &args);
    free(args.answer);
    if (args.check && args.passed + args.failed == 0) {
        cli_say("nothing to compare"); /* which is not the same as nothing wrong */
        args.errors++;
    }
    if (args.check && args.refused) {
        printf("refused by libtma: %zu cop%s; the machine ran %zu, killed %zu\n", args.refused,
               args.refused == 1 ? "y" : "ies", args.ran, args.refused - args.ran);
    }
    if (args.check) {
        printf("%zu passed, %zu failed\n", args.passed, args.failed);
    }
    return unread || args.errors ? CLI_MISUSE : args.failed ? CLI_FINDINGS : CLI_CLEAN;
}
