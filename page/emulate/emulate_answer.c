/* SPDX-License-Identifier: Apache-2.0 */
#include "emulate_answer.h"

#include "emulate_options.h"
#include "launch_file.h"
#include "trace.h"
#include "trace_timeline.h"

#define MOST_PRINTED_B (1u << 20)
#define MOST_TRACE_B   (256u << 20)

__attribute__((import_module("env"), import_name("progress"))) void tell_progress(double count);

static session run;
static ptx_memory memory;
static memory_text printed = {.most_B = MOST_PRINTED_B};
static int has_run;

static void *more(void *context, size_t size_B) {
    (void)context;
    return memory_take(size_B);
}

static void release(void *context, void *taken) {
    (void)context;
    memory_give(taken);
}

static int say_progress(void *context, uint64_t instructions) {
    (void)context;
    tell_progress((double)(run.instructions + instructions));
    return 0;
}

/* The page has texts alone. */
static int read_no_file(void *context, const char *path, const uint8_t **bytes, size_t *size_B,
                        tma_error *error) {
    (void)context;
    (void)bytes;
    (void)size_B;
    return tma_fail(error, "%.80s: the page reads no file for a value; tma emulate does", path);
}

static int put_words(const emulate_options *o, int is_map, tma_error *error) {
    for (uint32_t i = 0; i < o->words; i++) {
        const emulate_word *w = &o->word[i];
        if (w->is_map == is_map &&
            (is_map ? session_map(&run, w->text, read_no_file, NULL, error)
                    : session_param(&run, w->text, read_no_file, NULL, error))) {
            return -1;
        }
    }
    return 0;
}

static void take_target(emulate_options *o) {
    if (o->target.has_arch) {
        o->how.launch.target = o->target.target;
    }
    if (o->target.has_toolchain) {
        o->how.launch.target.toolchain = o->target.target.toolchain;
    }
}

static int execute(const char *ptx, size_t ptx_B, const char *options, size_t options_B,
                   tma_error *error) {
    static const tma_emulate_host host = {.context = &printed,
                                          .allocate = more,
                                          .release = release,
                                          .print = memory_text_write,
                                          .progress = say_progress};
    emulate_options o;
    memory = ptx_memory_of(more, NULL);
    if (emulate_options_read(&o, &memory, options, options_B, error)) {
        return -1;
    }
    take_target(&o);
    tma_emulator *emulator = tma_emulator_new(&host, ptx, ptx_B, error);
    if (!emulator || session_begin(&run, &memory, emulator, o.kernel, error)) {
        return -1;
    }
    session_take_how(&run, &o.how);
    return put_words(&o, 0, error) || put_words(&o, 1, error) || session_settle(&run, error) ||
           session_run(&run, error) || session_static(&run, ptx, ptx_B, error);
}

static void put_witness(tma_json *json) {
    tma_json_list(json, "witness");
    for (uint32_t i = 0; i < run.findings; i++) {
        const tma_emulate_finding *f = &run.finding[i].is;
        tma_json_list(json, NULL);
        for (uint32_t k = 0; k < f->accesses; k++) {
            tma_out text = tma_json_text_out(json, NULL);
            session_put_access(&text, &run, &f->access[k]);
            tma_json_text_end(json);
        }
        tma_json_end(json);
    }
    tma_json_end(json);
}

void emulate_run(tma_out *out, const char *ptx, size_t ptx_B, const char *options,
                 size_t options_B) {
    tma_error error;
    tma_json json = tma_json_begin(out);
    tma_json_object(&json, NULL);
    has_run = !execute(ptx, ptx_B, options, options_B, &error);
    if (!has_run) {
        tma_json_text(&json, "error", error.text);
    } else {
        tma_json_object(&json, "emulate");
        session_put_json(&json, &run);
        tma_json_end(&json);
        tma_out text = tma_json_text_out(&json, "text");
        session_put_text(&text, &run, 0);
        tma_json_text_end(&json);
        text = tma_json_text_out(&json, "printed");
        tma_put_bytes(&text, printed.at, printed.length);
        tma_json_text_end(&json);
        put_witness(&json);
    }
    tma_json_end(&json);
}

/* ---- the picture ---- */

/* What of the run the picture shows, as tma emulate --trace writes it. */
static int put_trace(memory_text *trace, tma_error *error) {
    const session_finding pass = trace_pass(&run);
    const launch_file from = {.memory = &memory, .ptx_path = ""};
    tma_out out = tma_out_to(memory_text_write, trace);
    launch_put_line(&out, &run, &from, &pass);
    if (trace_put(&run, &pass, &out, error)) {
        return -1;
    }
    return trace->is_cut ? tma_fail(error,
                                    "the run is too long for a picture here, its trace has more "
                                    "than %u MiB: tma emulate --trace, then tma draw timeline",
                                    MOST_TRACE_B >> 20)
                         : 0;
}

void emulate_timeline(tma_out *out) {
    memory_text trace = {.most_B = MOST_TRACE_B};
    tma_timeline timeline;
    tma_error error;
    tma_json json = tma_json_begin(out);
    tma_json_object(&json, NULL);
    if (!has_run || put_trace(&trace, &error) ||
        trace_timeline(&timeline, &memory, trace.at, trace.length, &error)) {
        tma_json_text(&json, "error", has_run ? error.text : "nothing was run");
    } else {
        tma_json_list(&json, "svg");
        for (uint32_t theme = 0; theme < TMA_THEMES; theme++) {
            const tma_drawing d = {
                .picture = TMA_PICTURE_TIMELINE, .timeline = &timeline, .theme = theme};
            tma_out text = tma_json_text_out(&json, NULL);
            if (tma_draw_svg(&text, &d, NULL) != TMA_OK) { /* it takes any run */
                __builtin_trap();
            }
            tma_json_text_end(&json);
        }
        tma_json_end(&json);
    }
    tma_json_end(&json);
    memory_give(trace.at);
}
