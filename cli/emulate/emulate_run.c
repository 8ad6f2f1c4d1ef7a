/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of tma emulate: what goes in, the session, what comes out.
 */
#include "emulate_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"
#include "cli_out.h"
#include "emulate_launch.h"
#include "lint_rows.h"
#include "printable.h"
#include "progress.h"
#include "ptx_heap.h"
#include "tma/detail/chars.h"

#define MOST_ACCEPT_B (UINT64_C(1) << 24)
#define MOST_UNJUDGED 512

/* What the caller's functions look at. */
typedef struct watcher {
    FILE *out;
    progress progress;
    const session *session;
    lint_writer *writer; /* from the first run on that has one */
    unsigned texts;      /* that were printed */
} watcher;

void *emulate_take_memory(void *context, size_t size_B) {
    (void)context;
    return malloc(size_B);
}

void emulate_release_memory(void *context, void *memory) {
    (void)context;
    free(memory);
}

static void print_text(void *context, const char *text, size_t length) {
    watcher *w = context;
    fwrite(text, 1, length, w->out);
}

static int say_progress(void *context, uint64_t instructions) {
    watcher *w = context;
    progress_at(&w->progress, w->session->instructions + instructions, 0);
    return 0;
}

static int read_out(session *s, const emulate_args *args, emulate_files *files, tma_error *error) {
    for (uint32_t i = 0; i < args->saves.count; i++) {
        if (emulate_save(s, args->saves.at[i], files, error)) {
            return -1;
        }
    }
    for (uint32_t i = 0; i < args->expects.count; i++) {
        if (emulate_expect(s, args->expects.at[i], files, error)) {
            return -1;
        }
    }
    return 0;
}

/* Findings that FILE knows; a line that accepts nothing is said. */
static int accept(session *s, const char *path, tma_error *error) {
    file_bytes bytes;
    uint32_t left = 0;
    if (file_read(path, MOST_ACCEPT_B, &bytes, error)) {
        return -1;
    }
    const int failed = session_accept(s, (const char *)bytes.at, bytes.size, &left, error);
    free(bytes.at);
    if (left && !failed) {
        cli_say("%s: %u line%s of this kernel accept%s nothing that was found: take %s out",
                printable_text(path).text, left, text_plural(left), left == 1 ? "s" : "",
                left == 1 ? "it" : "them");
    }
    return failed;
}

static void put_json(const char *path, const session *s) {
    out_json line;
    tma_json *json = out_json_begin(&line, "emulate");
    tma_json_text(json, "file", path);
    session_put_json(json, s);
    out_json_end(&line);
}

static int is_open(const session *s) {
    return s->end == TMA_EMULATE_LIMIT || s->end == TMA_EMULATE_NOT_EXECUTED;
}

static int status_of(const session *s, const emulate_args *args) {
    const int is_trap = s->end == TMA_EMULATE_TRAP && !s->findings;
    const int is_unjudged = args->unjudged && (is_open(s) || session_fitted_map(s, 0));
    if (session_is_found(s, args->certain_only) || is_trap || is_unjudged) {
        return CLI_FINDINGS;
    }
    return is_open(s) ? CLI_NOT_JUDGED : CLI_CLEAN;
}

/* Why a run without a finding fails. */
static void say_unjudged(const session *s) {
    if (is_open(s)) {
        cli_say("--werror=unjudged: the run did not come to its end");
    } else if (session_fitted_map(s, 0)) {
        char text[MOST_UNJUDGED];
        tma_out out = tma_out_into(text, sizeof(text));
        session_put_unjudged(&out, s);
        cli_say("--werror=unjudged: not judged: %s", text);
    }
}

static int run_all(session *s, const emulate_args *args, const emulate_input *in,
                   tma_emulator *emulator, emulate_files *files, tma_error *error) {
    if (session_begin(s, files->memory, emulator, in->from.kernel, error)) {
        return -1;
    }
    session_take_how(s, &in->how);
    if (emulate_input_values(s, in, args, files, error) || session_settle(s, error) ||
        session_run(s, error) || read_out(s, args, files, error)) {
        return -1;
    }
    if (!args->no_static && session_static(s, in->from.ptx, in->from.ptx_B, error)) {
        return -1;
    }
    if (args->accept_path && accept(s, args->accept_path, error)) {
        return -1;
    }
    if (args->save_path && emulate_launch_save(args->save_path, s, in, files, error)) {
        return -1;
    }
    return args->trace_path ? emulate_trace_save(args->trace_path, s, in, files, error) : 0;
}

/* What came of a run, to where the answers go. */
static void put_session(const session *s, const emulate_args *args, const char *name, watcher *w) {
    if (w->writer) {
        lint_emulate(w->writer, name, s, args->unjudged);
    } else if (args->json) {
        put_json(name, s);
    } else {
        tma_out out = out_to(w->out);
        fputs(w->texts++ ? "\n" : "", w->out);
        session_put_text(&out, s, args->how.raw_names);
    }
    if (args->unjudged) {
        say_unjudged(s);
    }
}

/* A file of several kernels, of which none was named. */
static void say_each(const emulate_input *in, const tma_emulator *emulator) {
    size_t length = 0;
    if (!in->from.kernel && tma_emulator_kernel_at(emulator, 1, &length)) {
        cli_say("--kernel='*' runs each, one after the other");
    }
}

static int run_with(const emulate_args *args, const emulate_input *in, tma_emulator *emulator,
                    emulate_files *files, watcher *w) {
    tma_error error;
    session *s = cli_got(malloc(sizeof(*s)));
    int status = CLI_MISUSE;
    *s = (session){0};
    w->session = s;
    progress_begin(&w->progress, "thread instructions");
    const int failed = run_all(s, args, in, emulator, files, &error);
    progress_end(&w->progress);
    if (failed) {
        cli_say("%s", error.text);
        say_each(in, emulator);
    } else {
        status = status_of(s, args);
        w->writer = w->writer ? w->writer : lint_begin(args->format, args->how.raw_names);
        put_session(s, args, in->name, w);
    }
    free(s);
    return status;
}

/* The option that is of one kernel, beside --kernel='*'; or null. */
static const char *option_of_one(const emulate_args *args) {
    return args->saves.count     ? "save"
           : args->expects.count ? "expect"
           : args->trace_path    ? "trace"
           : args->save_path     ? "save-launch"
           : args->launch_path   ? "launch"
                                 : NULL;
}

/* The exit status of two runs. */
static int worse(int one, int other) {
    static const int order[] = {CLI_CLEAN, CLI_NOT_JUDGED, CLI_FINDINGS, CLI_MISUSE};
    size_t at = sizeof(order) / sizeof(order[0]);
    do {
        at--;
    } while (at && order[at] != one && order[at] != other);
    return order[at];
}

/* Values of parameters that no kernel has. */
static int say_untaken(const emulate_input *in, const word_list *words, int is_map) {
    int status = CLI_CLEAN;
    for (uint32_t i = 0; i < words->count; i++) {
        if (!in->taken[is_map][i]) {
            cli_say("--%s %s: no kernel took it", is_map ? "map" : "param",
                    printable_text(words->at[i]).text);
            status = CLI_MISUSE;
        }
    }
    return status;
}

/* Each kernel of the file, as if it were its only one: variables begin anew. `named` knows them. */
static int run_each(const emulate_args *args, emulate_input *in, tma_emulator *named,
                    const tma_emulate_host *host, emulate_files *files, watcher *w) {
    const char *of_one = option_of_one(args), *name = NULL;
    size_t length = 0;
    int status = CLI_CLEAN;
    if (of_one) {
        cli_say("--%s is of one kernel: not with --kernel='*'", of_one);
        return CLI_MISUSE;
    }
    if (!tma_emulator_kernel_at(named, 0, &length)) {
        cli_say("%s: no kernel is in it", printable_text(in->name).text);
        return CLI_MISUSE;
    }
    for (size_t i = 0; (name = tma_emulator_kernel_at(named, i, &length)) != NULL; i++) {
        tma_error error;
        tma_emulator *emulator = tma_emulator_new(host, in->from.ptx, in->from.ptx_B, &error);
        char *kernel = cli_printed("%.*s", (int)length, name);
        in->from.kernel = kernel;
        if (!emulator) {
            cli_say("%s: %s", printable_text(in->name).text, error.text);
        }
        status = worse(status, emulator ? run_with(args, in, emulator, files, w) : CLI_MISUSE);
        tma_emulator_free(emulator);
        free(kernel);
        in->from.kernel = NULL;
    }
    status = worse(status, say_untaken(in, &args->params, 0));
    return worse(status, say_untaken(in, &args->maps, 1));
}

/* Whether standard output is a file's. */
static int is_piped(const emulate_args *args) {
    return (args->save_path && !strcmp(args->save_path, "-")) ||
           (args->trace_path && !strcmp(args->trace_path, "-"));
}

int emulate_run(const emulate_args *args) {
    emulate_input in;
    tma_error error;
    watcher w = {.out = args->json || args->format || is_piped(args) ? stderr : stdout};
    const tma_emulate_host host = {.context = &w,
                                   .allocate = emulate_take_memory,
                                   .release = emulate_release_memory,
                                   .print = print_text,
                                   .progress = say_progress};
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_memory_of(ptx_heap_more, &heap);
    emulate_files files = {.memory = &memory};
    tma_emulator *emulator = NULL;
    int status = CLI_MISUSE;
    if (emulate_input_read(&in, args, &memory, &files, &error)) {
        cli_say("%s", error.text);
    } else if ((emulator = tma_emulator_new(&host, in.from.ptx, in.from.ptx_B, &error))) {
        const int is_each = in.from.kernel && !strcmp(in.from.kernel, "*");
        status = is_each ? run_each(args, &in, emulator, &host, &files, &w)
                         : run_with(args, &in, emulator, &files, &w);
        lint_end(w.writer);
    } else {
        cli_say("%s: %s", printable_text(in.name).text, error.text);
    }
    tma_emulator_free(emulator);
    emulate_input_free(&in);
    emulate_files_free(&files);
    ptx_heap_free(&heap);
    return status;
}
