/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of copies.
 */
#include "copy_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "output_file.h"
#include "picture.h"
#include "ramp.h"
#include "tensor_rows.h"
#include "tma/detail/assert.h"
#include "tma/grammar.h"

#define LINE_B 128

enum { KEY_WINDOW = 0x600, KEY_LINES };

static const args_option options[] = {
    {0, 0, 0, 0, "Memory before the copy:", 46},
    {"tensor", ARGS_AT(copy_memory, tensor_path), "FILE.npy", ARGS_KEEPS,
     "the tensor: the map's type and sizes, globalDim outermost first", 0},
    {"ramp", ARGS_AT(copy_memory, ramp), 0, ARGS_SETS,
     "the tensor: element i of that array holds i (tma load's default; tma store's is zeros)", 0},
    {"shared-data", ARGS_AT(copy_memory, shared_path), "FILE", ARGS_KEEPS,
     "the shared window: its bytes, raw or .npy (default: 0xa5 in every byte for a load, a ramp "
     "for a store)",
     0},
    {"window", KEY_WINDOW, "B", 0,
     "size of the shared window, which begins at the 128-byte line of --shared (default: what the "
     "copy needs, or what --shared-data has)",
     0},
    {0, 0, 0, 0, "What to write and print:", 50},
    {"out", ARGS_AT(copy_memory, out_path), "FILE.npy", ARGS_KEEPS, "the result as an array", 0},
    {"raw", ARGS_AT(copy_memory, raw_path), "FILE", ARGS_KEEPS,
     "the result's bytes; - is standard output", 0},
    {"json", ARGS_AT(copy_memory, json), 0, ARGS_SETS,
     "JSON instead of words and pictures: one object", 0},
    {"lines", KEY_LINES, "N", 0, "lines of a picture or list: a number (default 32) or all", 0},
    {0},
};

static int set_window(copy_memory *memory, const char *text, tma_error *error) {
    if (tma_read_u64(&memory->window_given_B, text, strlen(text), "--window", error)) {
        return -1;
    }
    if (!memory->window_given_B || memory->window_given_B > COPY_MOST_SHARED_B) {
        return tma_fail(error, "--window: %.80s B is outside the 1 to %d B of shared memory", text,
                        COPY_MOST_SHARED_B);
    }
    return 0;
}

static int set_lines(copy_memory *memory, const char *text, tma_error *error) {
    uint64_t lines = 0;
    if (!strcmp(text, "all")) {
        memory->lines = SIZE_MAX;
        return 0;
    }
    if (tma_read_u64(&lines, text, strlen(text), "--lines", error)) {
        return -1;
    }
    memory->lines = lines < SIZE_MAX ? (size_t)lines : SIZE_MAX;
    return 0;
}

static void check_together(const copy_memory *memory, const args_state *state) {
    if (memory->json && memory_is_piped(memory)) {
        args_error(state, "--json and a result on standard output exclude each other");
    }
    if (memory->ramp && memory->tensor_path) {
        args_error(state, "--tensor and --ramp exclude each other");
    }
    if (memory->out_path && memory->raw_path && output_same(memory->out_path, memory->raw_path)) {
        args_error(state, "--out and --raw are one file: '%.200s'", memory->out_path);
    }
}

static int parse(int key, char *text, args_state *state) {
    copy_memory *memory = state->input;
    tma_error error;
    switch (key) {
    case ARGS_KEY_INIT:
        memset(memory, 0, sizeof(*memory));
        memory->lines = PICTURE_LINES;
        return 0;
    case KEY_WINDOW:
        option_check(set_window(memory, text, &error), state, &error);
        return 0;
    case KEY_LINES:
        option_check(set_lines(memory, text, &error), state, &error);
        return 0;
    case ARGS_KEY_END:
        check_together(memory, state);
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

static const args_child children[] = {{&color_parser, 0, 0, ARGS_AT(copy_memory, color)}, {0}};

const args_parser memory_parser = {options, parse, 0, 0, children, 0};

static int loads(const copy_args *args) {
    return args->asked.copy.in.op == TMA_OP_LOAD;
}

static int ramps(const copy_memory *memory, const copy_args *args) {
    return memory->ramp || (loads(args) && !memory->tensor_path);
}

/* A store's memory is the whole tensor if a file wants it as it lies; and who has the last word
 * about shared bytes of a ramp is known from all of it. */
static int needs_whole(const copy_memory *memory, const copy_args *args) {
    return memory->tensor_path || (!loads(args) && memory->raw_path) ||
           (ramps(memory, args) && tensor_overlaps(&args->asked.map.spec));
}

static int make_tensor(copy_memory *memory, copy_args *args, tma_error *error) {
    if (memory->tensor_path) {
        return tensor_read(&memory->tensor, &args->asked.map.spec, memory->tensor_path, error);
    }
    if (needs_whole(memory, args)) {
        const int failed = tensor_room(&memory->tensor, &args->asked.map.spec, error);
        if (!failed && ramps(memory, args)) {
            ramp_whole(&memory->tensor, &args->asked.map.spec);
        }
        return failed;
    }
    if (!loads(args) && memory->out_path && tensor_size_check(&args->asked.map.spec, error)) {
        return -1;
    }
    tensor_part(&memory->tensor, &args->plan, &args->asked.copy.at);
    if (ramps(memory, args)) {
        ramp_part(&memory->tensor, &args->asked.map.spec, &args->plan, &args->asked.copy.at);
    }
    return 0;
}

int memory_write_tensor(const copy_memory *memory, const copy_args *args, tma_error *error) {
    char shape[256];
    const npy_header array = tensor_array(&args->asked.map.spec);
    const int whole = needs_whole(memory, args);
    tensor held = memory->tensor;
    if (!whole) {
        held = tensor_touched(&memory->tensor, &args->plan, &args->asked.copy.at);
    }
    const int failed =
        tensor_write(memory->out_path, &held, &args->asked.map.spec, ramps(memory, args), error);
    if (!whole) {
        free(held.ranges);
    }
    if (failed) {
        return -1;
    }
    npy_shape_text(&array, shape, sizeof(shape));
    if (!memory_is_piped(memory)) {
        printf("%s: '%s' %s, the tensor\n", memory->out_path, array.type, shape);
    }
    return 0;
}

/* What the window has to hold. */
static int needed_window(const copy_args *args, uint64_t *needed_B, tma_error *error) {
    if (!ask_is_countable(&args->plan)) {
        return tma_fail(error,
                        "the copy takes %" PRIu32 " rows of shared memory, one every %" PRIu32
                        " B; no SM has more than %d B",
                        tma_plan_info(&args->plan)->rows, tma_plan_info(&args->plan)->pitch_B,
                        COPY_MOST_SHARED_B);
    }
    const uint64_t lead_B = args->asked.copy.at.shared_address % LINE_B;
    *needed_B = (lead_B + args->report.footprint_B + LINE_B - 1) / LINE_B * LINE_B;
    if (*needed_B > COPY_MOST_SHARED_B) {
        return tma_fail(error,
                        "the copy takes %" PRIu64 " B of shared memory; no SM has more than "
                        "%d B",
                        *needed_B, COPY_MOST_SHARED_B);
    }
    return 0;
}

/* The bytes of --shared-data; *data_at (0 on entry) leaves out the header of an .npy file. */
static int read_shared(const copy_memory *memory, const copy_args *args, file_bytes *file,
                       size_t *data_at, tma_error *error) {
    npy_header header;
    if (file_read(memory->shared_path, COPY_MOST_SHARED_B + 4096, file, error)) {
        return -1;
    }
    if (npy_is(file->at, file->size) &&
        (npy_parse(file->at, file->size, memory->shared_path, &header, data_at, error) ||
         (strcmp(header.type, "|u1") != 0 &&
          tensor_type_check(args->asked.map.spec.dtype, header.type, memory->shared_path,
                            error)))) {
        return -1;
    }
    const size_t size_B = file->size - *data_at;
    if (memory->window_given_B && size_B != memory->window_given_B) {
        return tma_fail(error, "%s has %zu B for a window of %" PRIu64 " B", memory->shared_path,
                        size_B, memory->window_given_B);
    }
    if (!size_B || size_B > COPY_MOST_SHARED_B) {
        return tma_fail(error, "%s has %zu B; a shared window has 1 to %d B", memory->shared_path,
                        size_B, COPY_MOST_SHARED_B);
    }
    return 0;
}

/* Elements in the window's ramp are bytes where the type is packed. */
static uint32_t window_dtype(const copy_args *args) {
    return tma_dtype_bits(args->asked.map.spec.dtype) % 8 ? TMA_DTYPE_UINT8
                                                          : args->asked.map.spec.dtype;
}

static void fill_window(const copy_args *args, tma_window *window) {
    if (loads(args)) {
        memset(window->host, TMA_WINDOW_UNTOUCHED, window->size_B);
    } else {
        const uint32_t dtype = window_dtype(args);
        TMA_ASSERT(tensor_item_B(dtype));
        ramp_fill(window->host, dtype, 0, window->size_B / tensor_item_B(dtype));
    }
}

static int make_window(copy_memory *memory, const copy_args *args, tma_error *error) {
    uint64_t size_B = 0;
    file_bytes file = {NULL, 0};
    size_t data_at = 0;
    int failed = needed_window(args, &size_B, error);
    if (!failed && memory->shared_path) {
        failed = read_shared(memory, args, &file, &data_at, error);
        size_B = file.size - data_at;
    } else if (memory->window_given_B) {
        size_B = memory->window_given_B;
    }
    if (!failed) {
        memory->window.address = args->asked.copy.at.shared_address / LINE_B * LINE_B;
        TMA_ASSERT(size_B && size_B <= COPY_MOST_SHARED_B);
        memory->window.size_B = (uint32_t)size_B;
        memory->window.host = file_room(size_B);
        if (memory->shared_path) {
            memcpy(memory->window.host, file.at + data_at, (size_t)size_B);
        } else {
            fill_window(args, &memory->window);
        }
    }
    free(file.at);
    return failed;
}

int memory_make(copy_memory *memory, copy_args *args, tma_error *error) {
    return make_window(memory, args, error) || make_tensor(memory, args, error) ? -1 : 0;
}

void memory_free(copy_memory *memory) {
    tensor_free(&memory->tensor);
    free(memory->window.host);
}

#define CTAS 32 /* of a mask */

tma_status memory_copy(const copy_memory *memory, const copy_args *args, tma_finding *why) {
    const tma_global global = {.ranges = memory->tensor.ranges, .count = memory->tensor.count};
    if (args->asked.copy.in.cta_mask) { /* every CTA receives the same: one window shows them all */
        tma_window windows[CTAS];
        for (size_t i = 0; i < CTAS; i++) {
            windows[i] = memory->window;
        }
        return tma_copy_multicast(&args->plan, &args->asked.copy.at, &global, windows, CTAS, why);
    }
    return tma_copy(&args->plan, &args->asked.copy.at, &global, &memory->window, why);
}

uint32_t memory_inspect(const copy_memory *memory, const copy_args *args) {
    const tma_global global = {.ranges = memory->tensor.ranges, .count = memory->tensor.count};
    uint32_t answer = TMA_REPORTS_NOT;
    return tma_inspect(&answer, &args->plan, &args->asked.copy.at, &global, NULL) == TMA_OK
               ? answer
               : TMA_REPORTS_NOT;
}

int memory_is_piped(const copy_memory *memory) {
    return (memory->out_path && !strcmp(memory->out_path, "-")) ||
           (memory->raw_path && !strcmp(memory->raw_path, "-"));
}

static void print_tensor(FILE *out, const copy_memory *memory, const copy_args *args) {
    char modulus[32];
    fputs("tensor before: ", out);
    if (memory->tensor_path) {
        fprintf(out, "%s\n", memory->tensor_path);
    } else if (ramps(memory, args)) {
        fprintf(out, "a ramp, element i of the array holds i%s\n",
                ramp_modulus(args->asked.map.spec.dtype, modulus));
    } else {
        fputs("zeros\n", out);
    }
}

void memory_print(FILE *out, const copy_memory *memory, const copy_args *args) {
    char modulus[32];
    const tma_window *w = &memory->window;
    print_tensor(out, memory, args);
    if (tensor_overlaps(&args->asked.map.spec)) {
        fputs("               its strides overlap: where elements share bytes, the last one of the "
              "array counts\n",
              out);
    }
    fprintf(out,
            "shared window: 0x%" PRIx32 " to 0x%" PRIx64 ", %" PRIu32 " B; before: ", w->address,
            (uint64_t)w->address + w->size_B, w->size_B);
    if (memory->shared_path) {
        fprintf(out, "%s\n", memory->shared_path);
    } else if (loads(args)) {
        fprintf(out, "0x%02x in every byte\n", TMA_WINDOW_UNTOUCHED);
    } else {
        fprintf(out, "a ramp, %s i holds i%s\n",
                window_dtype(args) == args->asked.map.spec.dtype ? "element" : "byte",
                ramp_modulus(window_dtype(args), modulus));
    }
}

int memory_write_npy(const copy_memory *memory, const npy_header *header, file_bytes data,
                     const char *what, tma_error *error) {
    uint8_t bytes[NPY_MOST_HEADER_B];
    char shape[256];
    const file_bytes head = {bytes, npy_header_bytes(header, bytes)};
    if (file_write(memory->out_path, &head, &data, error)) {
        return -1;
    }
    npy_shape_text(header, shape, sizeof(shape));
    if (!memory_is_piped(memory)) {
        printf("%s: '%s' %s, %s\n", memory->out_path, header->type, shape, what);
    }
    return 0;
}

int memory_write_raw(const copy_memory *memory, file_bytes data, const char *what,
                     tma_error *error) {
    const file_bytes nothing = {NULL, 0};
    if (file_write(memory->raw_path, &data, &nothing, error)) {
        return -1;
    }
    if (!memory_is_piped(memory)) {
        printf("%s: %zu B, %s\n", memory->raw_path, data.size, what);
    }
    return 0;
}
