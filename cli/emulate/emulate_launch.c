/* SPDX-License-Identifier: Apache-2.0
 *
 * Launch files in and out.
 */
#include "emulate_launch.h"

#include <stdlib.h>
#include <string.h>

#include "cli_out.h"
#include "output_stream.h"
#include "printable.h"
#include "tma/detail/chars.h"

#define MOST_FILE_B (UINT64_C(1) << 30)

static int ends(const char *path, const char *with) {
    const size_t length = strlen(path), end = strlen(with);
    return length > end && !strcmp(path + length - end, with);
}

int emulate_is_launch(const char *path) {
    return ends(path, ".launch") || ends(path, ".trace");
}

/* ---- in ---- */

/* Where the command line gives nothing, the file's. */
static void take_sizes(uint32_t own[3], const uint32_t files[3]) {
    if (!own[0]) {
        memcpy(own, files, 3 * sizeof(own[0]));
    }
}

static void merge_how(session_how *how, const session_how *files) {
    const launch_number *row;
    for (size_t i = 0; (row = launch_number_at(i)); i++) {
        if (!launch_number_get(row, how)) {
            launch_number_set(row, how, launch_number_get(row, files));
        }
    }
    take_sizes(how->launch.grid, files->launch.grid);
    take_sizes(how->launch.block, files->launch.block);
    take_sizes(how->launch.cluster, files->launch.cluster);
    how->launch.readings |= files->launch.readings;
    how->only = files->only && !how->schedules;
    how->number = files->number;
    if (how->only) {
        how->launch.schedule = files->launch.schedule;
        how->launch.seed = files->launch.seed;
    }
}

static int take_arch(emulate_input *in, const emulate_args *args, tma_error *error) {
    tma_target_words target = args->target;
    if (!target.has_arch && in->from.arch &&
        tma_target_words_set(&target, "arch", in->from.arch, error)) {
        return -1;
    }
    if (target.has_arch) {
        in->from.arch = tma_arch_text(&target.target);
        in->how.launch.target = target.target;
    }
    in->how.launch.target.toolchain =
        target.has_toolchain ? target.target.toolchain : in->from.how.launch.target.toolchain;
    return 0;
}

int emulate_input_read(emulate_input *in, const emulate_args *args, ptx_memory *memory,
                       emulate_files *files, tma_error *error) {
    *in = (emulate_input){.from.memory = memory, .how = args->how};
    if (args->launch_path) {
        tma_error why;
        if (file_read(args->launch_path, MOST_FILE_B, &in->launch, error)) {
            return -1;
        }
        if (launch_read(&in->from, memory, (const char *)in->launch.at, in->launch.size, &why)) {
            return tma_fail(error, "%.200s: %s", printable_text(args->launch_path).text, why.text);
        }
        merge_how(&in->how, &in->from.how);
        for (uint32_t i = 0; i < in->from.datas; i++) {
            emulate_have(files, &in->from.data[i]);
        }
    }
    if (args->path) {
        in->from.ptx = NULL;
    }
    if (!args->path && in->from.ptx_path) {
        in->from.ptx_path = emulate_beside(memory, args->launch_path, in->from.ptx_path);
    } else {
        in->from.ptx_path = args->path;
    }
    in->name = in->from.ptx_path ? in->from.ptx_path : args->launch_path;
    in->from.kernel = args->kernel ? args->kernel : in->from.kernel;
    if (in->from.kernel && !strcmp(in->from.kernel, "*")) {
        in->taken[0] = file_room(args->params.count);
        in->taken[1] = file_room(args->maps.count);
    }
    if (in->from.ptx_path) {
        if (file_read(in->from.ptx_path, MOST_FILE_B, &in->ptx, error)) {
            return -1;
        }
        in->from.ptx = (const char *)in->ptx.at;
        in->from.ptx_B = in->ptx.size;
    }
    return take_arch(in, args, error);
}

void emulate_input_free(emulate_input *in) {
    free(in->ptx.at);
    free(in->launch.at);
    free(in->taken[0]);
    free(in->taken[1]);
}

/* ---- values ---- */

static int put_word(session *s, const char *text, int is_map, emulate_files *files,
                    tma_error *error) {
    return is_map ? emulate_map(s, text, files, error)
                  : session_param(s, text, emulate_read, files, error);
}

/* A value of the command line for the same place; its index becomes UINT32_MAX in `used`. */
static const char *instead(const session *s, const word_list *words, uint8_t *used,
                           uint32_t parameter, uint32_t offset_B) {
    tma_error unused;
    uint32_t at, offset;
    for (uint32_t i = 0; i < words->count; i++) {
        if (!used[i] && session_place(s, words->at[i], "param", &at, &offset, &unused) &&
            at == parameter && offset == offset_B) {
            used[i] = 1;
            return words->at[i];
        }
    }
    return NULL;
}

/* Of each kernel of a file: a value of a parameter that this one has not. */
static int leaves_out(session *s, const emulate_input *in, const char *text, int is_map) {
    char said[TMA_EMULATE_TEXT];
    const size_t end = text_until(text, text_length(text), '=');
    if (!in->taken[is_map] || !session_lacks(s, text)) {
        return 0;
    }
    tma_out out = tma_out_into(said, sizeof(said));
    tma_putf(&out, "--%s %.*s is left out: this kernel has no such parameter",
             is_map ? "map" : "param", text_shown(end), text);
    session_say(s, said);
    return 1;
}

static int put_rest(session *s, const emulate_input *in, const word_list *words,
                    const uint8_t *used, int is_map, emulate_files *files, tma_error *error) {
    for (uint32_t i = 0; i < words->count; i++) {
        if (used[i] || leaves_out(s, in, words->at[i], is_map)) {
            continue;
        }
        if (put_word(s, words->at[i], is_map, files, error)) {
            return -1;
        }
        if (in->taken[is_map]) {
            in->taken[is_map][i] = 1;
        }
    }
    return 0;
}

static int put_files_words(session *s, const emulate_input *in, const emulate_args *args,
                           uint8_t *params, uint8_t *maps, emulate_files *files, tma_error *error) {
    for (uint32_t i = 0; i < in->from.words; i++) {
        const launch_word *w = &in->from.word[i];
        uint32_t at, offset_B;
        if (!session_place(s, w->text, "launch", &at, &offset_B, error)) {
            return -1;
        }
        const char *param = instead(s, &args->params, params, at, offset_B);
        const char *map = param ? NULL : instead(s, &args->maps, maps, at, offset_B);
        const char *text = param ? param : map ? map : w->text;
        files->folder = param || map ? NULL : args->launch_path;
        if (put_word(s, text, param ? 0 : map ? 1 : w->is_map, files, error)) {
            return -1;
        }
    }
    return 0;
}

int emulate_input_values(session *s, const emulate_input *in, const emulate_args *args,
                         emulate_files *files, tma_error *error) {
    uint8_t *params = file_room(args->params.count), *maps = file_room(args->maps.count);
    int failed = launch_place_memory(s, &in->from, error) ||
                 put_files_words(s, in, args, params, maps, files, error);
    files->folder = NULL;
    failed = failed || put_rest(s, in, &args->params, params, 0, files, error) ||
             put_rest(s, in, &args->maps, maps, 1, files, error);
    free(params);
    free(maps);
    return failed ? -1 : 0;
}

/* ---- out ---- */

/* The PTX as a launch file at `path` has it: what stands in its own folder, or below, by name; an
 * absolute path; anything else as text. */
static const char *path_beside(const char *path, const char *ptx) {
    const char *const slash = path ? strrchr(path, '/') : NULL;
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    if (!ptx || !path || !strcmp(ptx, "-")) {
        return NULL;
    }
    if (ptx[0] == '/' || !folder) {
        return ptx;
    }
    return strncmp(ptx, path, folder) == 0 ? ptx + folder : NULL;
}

static void put_line(tma_out *out, const session *s, const emulate_input *in,
                     const emulate_files *files, const char *path, const session_finding *pass) {
    launch_file from = in->from;
    from.ptx_path = path_beside(path, from.ptx_path);
    from.data = NULL;
    from.datas = 0;
    for (uint32_t i = 0; i < files->files; i++) {
        const emulate_file *f = &files->file[i];
        PTX_APPEND(&from, data, datas, (launch_data){f->path, f->bytes, f->size_B});
    }
    launch_put_line(out, s, &from, pass);
}

int emulate_launch_save(const char *path, const session *s, const emulate_input *in,
                        const emulate_files *files, tma_error *error) {
    output_stream stream;
    if (output_stream_begin(&stream, path, error)) {
        return -1;
    }
    tma_out out = out_to(stream.file);
    put_line(&out, s, in, files, path, NULL);
    return output_stream_end(&stream, 0, error);
}

int emulate_trace_save(const char *path, session *s, const emulate_input *in,
                       const emulate_files *files, tma_error *error) {
    output_stream stream;
    const session_finding pass = trace_pass(s);
    if (output_stream_begin(&stream, path, error)) {
        return -1;
    }
    tma_out out = out_to(stream.file);
    put_line(&out, s, in, files, path, &pass);
    return output_stream_end(&stream, trace_put(s, &pass, &out, error), error);
}
