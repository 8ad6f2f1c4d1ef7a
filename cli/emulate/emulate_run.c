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
    } else {
        status = status_of(s, args);
        lint_writer *writer = lint_begin(args->format, args->raw_names);
        if (writer) {
            lint_emulate(writer, in->name, s, args->unjudged);
        } else if (args->json) {
            put_json(in->name, s);
        } else {
            tma_out out = out_to(w->out);
            session_put_text(&out, s, args->raw_names);
        }
        if (args->unjudged) {
            say_unjudged(s);
        }
        lint_end(writer);
    }
    free(s);
    return status;
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
        status = run_with(args, &in, emulator, &files, &w);
    } else {
        cli_say("%s: %s", printable_text(in.name).text, error.text);
    }
    tma_emulator_free(emulator);
    emulate_input_free(&in);
    emulate_files_free(&files);
    ptx_heap_free(&heap);
    return status;
}
