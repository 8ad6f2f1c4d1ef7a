/* SPDX-License-Identifier: Apache-2.0
 *
 * tma load --bulk, tma store --bulk: bytes in a row, without a map.
 */
#include "bulk_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli_error.h"
#include "cli_out.h"
#include "file_bytes.h"
#include "options.h"
#include "out_text.h"
#include "printable.h"
#include "tma/copy.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"
#include "tma/pattern.h"

#define ADDRESS     UINT64_C(0x100000) /* of global memory, where none is given */
#define SHARED      0x400u
#define MOST_FILE_B (UINT64_C(1) << 30)
#define LINES       32u
#define LINE_B      16u

typedef struct bulk_args {
    int is_load;
    const char *size, *op, *type, *address, *shared, *to, *mask, *barrier; /* words, or null */
    const char *global_path, *shared_path, *raw_path;
    output_options output;
    tma_bulk bulk;
    file_bytes global, window, target;
} bulk_args;

static const args_option load_options[] = {
    {"bulk", ARGS_AT(bulk_args, size), "BYTES", ARGS_KEEPS,
     "copy so many bytes in a row (a multiple of 16)", 0},
    {"address", ARGS_AT(bulk_args, address), "ADDRESS", ARGS_KEEPS,
     "global address (default 0x100000)", 0},
    {"shared", ARGS_AT(bulk_args, shared), "ADDRESS", ARGS_KEEPS, "shared address (default 0x400)",
     0},
    {"barrier", ARGS_AT(bulk_args, barrier), "ADDRESS", ARGS_KEEPS,
     "shared address of the mbarrier, which is judged then", 0},
    {"global-data", ARGS_AT(bulk_args, global_path), "FILE", ARGS_KEEPS,
     "the bytes from the global address on (default: byte i holds i modulo 256)", 0},
    {"shared-data", ARGS_AT(bulk_args, shared_path), "FILE", ARGS_KEEPS,
     "the bytes from the shared address on (default: 0xa5 each)", 0},
    {"raw", ARGS_AT(bulk_args, raw_path), "FILE", ARGS_KEEPS,
     "write the bytes of shared memory; - is standard output", 0},
    {0},
};

static const args_option store_options[] = {
    {"bulk", ARGS_AT(bulk_args, size), "BYTES", ARGS_KEEPS,
     "copy so many bytes in a row (a multiple of 16)", 0},
    {"op", ARGS_AT(bulk_args, op), "OP", ARGS_KEEPS,
     "store (default), or a reduction, add to xor, of elements of --dtype", 0},
    {"dtype", ARGS_AT(bulk_args, type), "TYPE", ARGS_KEEPS, "the type of a reduction's elements",
     0},
    {"address", ARGS_AT(bulk_args, address), "ADDRESS", ARGS_KEEPS,
     "global address (default 0x100000)", 0},
    {"shared", ARGS_AT(bulk_args, shared), "ADDRESS", ARGS_KEEPS, "shared address (default 0x400)",
     0},
    {"to-shared", ARGS_AT(bulk_args, to), "ADDRESS", ARGS_KEEPS,
     "into shared memory of the cluster in place of global memory", 0},
    {"byte-mask", ARGS_AT(bulk_args, mask), "BITS", ARGS_KEEPS,
     "bit i says whether byte i of every 16 is copied (.cp_mask)", 0},
    {"barrier", ARGS_AT(bulk_args, barrier), "ADDRESS", ARGS_KEEPS,
     "with --to-shared, shared address of the mbarrier, which is judged then", 0},
    {"global-data", ARGS_AT(bulk_args, global_path), "FILE", ARGS_KEEPS,
     "the bytes of the destination (default: zeros)", 0},
    {"shared-data", ARGS_AT(bulk_args, shared_path), "FILE", ARGS_KEEPS,
     "the bytes from the shared address on (default: byte i holds i modulo 256)", 0},
    {"raw", ARGS_AT(bulk_args, raw_path), "FILE", ARGS_KEEPS,
     "write the bytes of the destination; - is standard output", 0},
    {0},
};

static int parse(int key, char *text, args_state *state) {
    (void)text;
    if (key == ARGS_KEY_ARG) {
        args_error(state, "'%s' is no option of a bulk copy, which has no map",
                   printable_text(text).text);
        return 0;
    }
    return ARGS_UNKNOWN;
}

static const args_child children[] = {{&output_parser, 0, 0, ARGS_AT(bulk_args, output)}, {0}};

static const args_parser load_parser = {
    load_options,
    parse,
    "--bulk BYTES",
    "Runs one cp.async.bulk load, which has no map, and shows what it leaves in shared memory. If "
    "the hardware would kill the kernel, it prints the rule that the copy breaks.\v"
    "Exit status: 0 loaded, 1 it traps, 2 misuse.\n"
    "\n"
    "Example: tma load --bulk 64 --shared 0x800",
    children,
    0,
};

static const args_parser store_parser = {
    store_options,
    parse,
    "--bulk BYTES",
    "Runs one cp.async.bulk store, or with --op one cp.reduce.async.bulk, which have no map, and "
    "shows what it leaves at its destination. If the hardware would kill the kernel, it prints the "
    "rule that the copy breaks.\vExit status: 0 stored, 1 it traps, 2 misuse.\n"
    "\n"
    "Examples: tma store --bulk 64 --op add --dtype uint32\n"
    "          tma store --bulk 32 --byte-mask 0xff",
    children,
    0,
};

int bulk_is_asked(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--bulk") || !strncmp(argv[i], "--bulk=", strlen("--bulk="))) {
            return 1;
        }
    }
    return 0;
}

/* ---- what is asked ---- */

static int read_u32(uint32_t *out, const char *text, uint32_t most, const char *what,
                    tma_error *error) {
    return text ? tma_read_u32(out, text, strlen(text), most, what, error) : 0;
}

static int read_type(bulk_args *args, tma_error *error) {
    const int reduces = args->bulk.op != TMA_OP_STORE && args->bulk.op != TMA_OP_LOAD;
    if (reduces != (args->type != NULL)) {
        return tma_fail(error, reduces ? "--op: a reduction needs --dtype"
                                       : "--dtype is the type of a reduction's elements: --op");
    }
    return reduces ? tma_read_enum(&args->bulk.dtype, TMA_ENUM_DTYPE, args->type, "--dtype", error)
                   : 0;
}

static int read_asked(bulk_args *args, tma_error *error) {
    tma_bulk *b = &args->bulk;
    *b = (tma_bulk){.op = args->is_load ? TMA_OP_LOAD : TMA_OP_STORE,
                    .address = ADDRESS,
                    .shared_address = SHARED,
                    .barrier = UINT32_MAX,
                    .to_shared = args->to != NULL,
                    .has_mask = args->mask != NULL};
    if (args->to && args->address) {
        return tma_fail(error, "--address and --to-shared exclude each other");
    }
    const char *far = args->to ? args->to : args->address;
    if (read_u32(&b->size_B, args->size, UINT32_MAX, "--bulk", error) ||
        (args->op && tma_read_op(&b->op, args->op, "--op", error)) || read_type(args, error) ||
        read_u32(&b->shared_address, args->shared, UINT32_MAX, "--shared", error) ||
        read_u32(&b->byte_mask, args->mask, UINT16_MAX, "--byte-mask", error) ||
        read_u32(&b->barrier, args->barrier, UINT32_MAX, "--barrier", error) ||
        (far && tma_read_u64(&b->address, far, strlen(far), args->to ? "--to-shared" : "--address",
                             error))) {
        return -1;
    }
    if (!args->is_load && (b->op == TMA_OP_LOAD || b->op == TMA_OP_PREFETCH)) {
        return tma_fail(error, "--op: tma store takes store and the reductions");
    }
    return b->size_B ? 0 : tma_fail(error, "--bulk: 0 B, must be a multiple of 16 and 16 at least");
}

/* ---- memory ---- */

/* So many bytes: a file's, or a ramp, or one value. */
static int make_bytes(file_bytes *out, const char *path, const char *option, uint32_t size_B,
                      int value, tma_error *error) {
    if (path) {
        if (file_read(path, MOST_FILE_B, out, error)) {
            return -1;
        }
        return out->size >= size_B
                   ? 0
                   : tma_fail(error, "%s: %zu B, the copy has %" PRIu32, option, out->size, size_B);
    }
    *out = (file_bytes){file_room(size_B), size_B};
    for (uint32_t i = 0; i < size_B; i++) {
        out->at[i] = value < 0 ? (uint8_t)i : (uint8_t)value;
    }
    return 0;
}

static int make_memory(bulk_args *args, tma_error *error) {
    const uint32_t size_B = args->bulk.size_B;
    return make_bytes(&args->global, args->global_path, "--global-data", size_B,
                      args->is_load ? -1 : 0, error) ||
           make_bytes(&args->window, args->shared_path, "--shared-data", size_B,
                      args->is_load ? TMA_WINDOW_UNTOUCHED : -1, error);
}

/* ---- what comes of it ---- */

static tma_status copy(bulk_args *args, tma_finding *why) {
    const tma_bulk *b = &args->bulk;
    const tma_range range = {
        .address = b->address, .size_B = args->global.size, .host = args->global.at};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.address = b->shared_address,
                               .size_B = (uint32_t)args->window.size,
                               .host = args->window.at};
    const tma_window to = {.address = (uint32_t)b->address,
                           .size_B = (uint32_t)args->global.size,
                           .host = args->global.at};
    return tma_copy_bulk(b, &global, &window, b->to_shared ? &to : NULL, why);
}

static const file_bytes *result_of(const bulk_args *args) {
    return args->is_load ? &args->window : &args->global;
}

static uint64_t result_at(const bulk_args *args) {
    return args->is_load ? args->bulk.shared_address : args->bulk.address;
}

static void put_title(FILE *out, const bulk_args *args) {
    const tma_bulk *b = &args->bulk;
    const char *far = b->to_shared ? "shared::cluster" : "global";
    if (args->is_load) {
        fprintf(out, "cp.async.bulk: %" PRIu32 " B from global 0x%" PRIx64 " to shared 0x%" PRIx32,
                b->size_B, b->address, b->shared_address);
    } else {
        const int reduces = b->op != TMA_OP_STORE;
        fprintf(out, "cp.%sasync.bulk", reduces ? "reduce." : "");
        if (reduces) {
            fprintf(out, ".%s, %s", tma_op_name(b->op), args->type);
        }
        fprintf(out, ": %" PRIu32 " B from shared 0x%" PRIx32 " to %s 0x%" PRIx64, b->size_B,
                b->shared_address, far, b->address);
    }
    fputc('\n', out);
}

static void put_bytes(FILE *out, const bulk_args *args) {
    const file_bytes *bytes = result_of(args);
    const uint32_t lines = (args->bulk.size_B + LINE_B - 1) / LINE_B;
    for (uint32_t line = 0; line < lines && line < LINES; line++) {
        fprintf(out, "  0x%06" PRIx64 ":", result_at(args) + (uint64_t)line * LINE_B);
        for (uint32_t i = line * LINE_B; i < (line + 1) * LINE_B && i < args->bulk.size_B; i++) {
            fprintf(out, " %02x", bytes->at[i]);
        }
        fputc('\n', out);
    }
    if (lines > LINES) {
        fprintf(out, "  ... %" PRIu32 " line%s more; --raw writes all\n", lines - LINES,
                text_plural(lines - LINES));
    }
}

static void put_fault(FILE *out, tma_status status, const tma_finding *why,
                      const color_set *colors) {
    if (status == TMA_TRAP) {
        fprintf(out, "%straps%s: the kernel dies with %s\n", colors->severity[0], colors->end,
                tma_trap_name(why));
    } else {
        fprintf(out, "%sno copy%s: %s\n", colors->severity[0], colors->end,
                status == TMA_UNKNOWN  ? "no document says what the hardware does with this size"
                : status == TMA_MEMORY ? "it would leave the memory that it was given"
                                       : "no such instruction");
    }
    out_finding(out, why, colors);
}

static void put_json(const char *verb, const bulk_args *args, tma_status status,
                     const tma_finding *why) {
    const tma_bulk *b = &args->bulk;
    out_json line;
    tma_json *json = out_json_begin(&line, verb);
    tma_json_object(json, "bulk");
    tma_json_text(json, "op", tma_op_name(b->op));
    tma_json_u64(json, "size_B", b->size_B);
    tma_json_hex(json, "address", b->address);
    tma_json_hex(json, "shared_address", b->shared_address);
    tma_json_bool(json, "to_shared", b->to_shared != 0);
    tma_json_end(json);
    tma_json_bool(json, "runs", status == TMA_OK);
    if (status == TMA_OK) {
        tma_json_null(json, "finding");
        tma_json_object(json, args->is_load || b->to_shared ? "shared" : "global");
        tma_json_hex(json, "address", result_at(args));
        tma_out hex = tma_json_text_out(json, "bytes");
        tma_put_hex_bytes(&hex, result_of(args)->at, b->size_B);
        tma_json_text_end(json);
        tma_json_end(json);
    } else {
        tma_json_finding(json, "finding", why);
    }
    out_json_end(&line);
}

static int run(const char *verb, bulk_args *args, tma_error *error) {
    tma_finding why;
    if (read_asked(args, error) || make_memory(args, error)) {
        return CLI_MISUSE;
    }
    const tma_status status = copy(args, &why);
    const int is_piped = args->raw_path && !strcmp(args->raw_path, "-");
    if (args->output.json) {
        put_json(verb, args, status, &why);
    }
    if (status != TMA_OK) {
        const color_set colors = colors_for(stderr, args->output.color);
        put_title(stderr, args);
        put_fault(stderr, status, &why, &colors);
        return CLI_FINDINGS;
    }
    if (!args->output.json && !is_piped) {
        put_title(stdout, args);
        put_bytes(stdout, args);
    }
    const file_bytes all = {result_of(args)->at, args->bulk.size_B}, none = {NULL, 0};
    return args->raw_path && file_write(args->raw_path, &all, &none, error) ? CLI_MISUSE
                                                                            : CLI_CLEAN;
}

int bulk_run(const char *verb, int argc, char **argv) {
    bulk_args args = {.is_load = !strcmp(verb, "load")};
    tma_error error;
    options_parse(args.is_load ? &load_parser : &store_parser, argc, argv, &args);
    const int status = run(verb, &args, &error);
    if (status == CLI_MISUSE) {
        cli_say("%s", error.text);
    }
    free(args.global.at);
    free(args.window.at);
    return status;
}
