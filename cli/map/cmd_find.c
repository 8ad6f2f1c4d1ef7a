/* SPDX-License-Identifier: Apache-2.0
 *
 * tma find: all tensor maps in a file of anything.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "cli_out.h"
#include "file_bytes.h"
#include "options.h"
#include "printable.h"
#include "progress.h"
#include "tma/find.h"
#include "verbs.h"

#define PIECE_B ((size_t)4 << 20) /* a multiple of where maps begin */
#define MIB_B   ((uint64_t)1 << 20)

typedef struct find_args {
    options_list paths;
    int json;
} find_args;

typedef struct tally {
    uint64_t certain;
    uint64_t likely;
    uint64_t searched_B;
} tally;

static const args_child children[] = {{&list_parser, 0, 0, ARGS_AT(find_args, paths)},
                                      {&json_parser, 0, 0, ARGS_AT(find_args, json)},
                                      {0}};

static int parse(int key, char *text, args_state *state) {
    const find_args *args = state->input;
    (void)text;
    if (key == ARGS_KEY_END && !args->paths.count) {
        args_error(state, "no file: give a core dump, a memory image, a cubin, a params buffer");
    }
    return ARGS_UNKNOWN;
}

static const args_parser parser = {
    0,
    parse,
    "FILE...",
    "Finds all tensor maps in a core dump, a memory image, a cubin's constants or a params buffer; "
    "- is standard input. For each it prints the offset in the file, how sure it is, and what the "
    "map says.\vIt looks at every multiple of 16 bytes. A map is certain if all its 128 bytes are "
    "as an encode call writes them. Otherwise it is likely, with one of these words:\n"
    "  edited    some words are stale, or the driver refuses the arguments\n"
    "  built     64 bytes of a map and 64 zeros, as tensormap.replace leaves them\n"
    "  cute-dsl  64 bytes of a map, as the CuTe DSL's compiler writes them\n"
    "In a likely map the arguments fit together, and no row overlaps another.\n"
    "\n"
    "Exit status: 0 maps found, 1 none, 2 misuse.\n"
    "\n"
    "Example: tma find core.4021; then, for a map at 0x1f40:\n"
    "  tail -c +$((0x1f40 + 1)) core.4021 | head -c 128 | tma decode -",
    children,
    0,
};

static void print_text(const find_args *args, const char *path, const tma_found *found,
                       uint64_t offset_B) {
    if (args->paths.count > 1) {
        printable(stdout, path);
        fputs(": ", stdout);
    }
    tma_out out = out_to(stdout);
    tma_putf(&out, "0x%010" PRIx64 "  %-8s", offset_B,
             TMA_FOUND_IS_CERTAIN(found->form) ? "certain" : tma_found_form_name(found->form));
    tma_put_spec(&out, &found->decoded.spec);
    tma_put(&out, "\n");
}

static void print_json(const char *path, const tma_found *found, uint64_t offset_B,
                       const uint8_t *bytes, size_t left) {
    tma_map map = {{0}};
    out_json line;
    tma_json *json = out_json_begin(&line, "find");
    memcpy(map.bytes, bytes, left < sizeof(map.bytes) ? left : sizeof(map.bytes));
    tma_json_text(json, "file", path);
    tma_json_u64(json, "offset_B", offset_B);
    tma_json_bool(json, "certain", TMA_FOUND_IS_CERTAIN(found->form));
    tma_json_text(json, "form", tma_found_form_name(found->form));
    tma_json_map(json, "bytes", map.bytes);
    tma_json_spec(json, "spec", &found->decoded.spec);
    out_json_end(&line);
}

/* Of a file that is read piece by piece: what is there of it, and where that begins. */
typedef struct window {
    uint8_t *bytes;
    size_t size;
    uint64_t begin;
} window;

static void print_found(const find_args *args, const char *path, const window *w,
                        const tma_found *found, tally *sum) {
    const uint64_t offset = w->begin + found->offset;
    *(TMA_FOUND_IS_CERTAIN(found->form) ? &sum->certain : &sum->likely) += 1;
    if (args->json) {
        print_json(path, found, offset, w->bytes + found->offset, w->size - found->offset);
    } else {
        print_text(args, path, found, offset);
    }
}

/* Each place is looked at once, with all bytes behind it that a map can have; what is behind the
 * last one begins the next piece. Returns how many bytes the file had. */
static uint64_t search(const find_args *args, const char *path, FILE *file, uint64_t size,
                       tally *sum) {
    window w = {file_room(PIECE_B + TMA_MAP_BYTES), 0, 0};
    progress shown;
    tma_found found;
    size_t at = 0;
    progress_begin(&shown, "MiB");
    for (int ended = 0; !ended;) {
        const size_t room = PIECE_B + TMA_MAP_BYTES - w.size;
        const size_t count = fread(w.bytes + w.size, 1, room, file);
        w.size += count;
        ended = count < room;
        const size_t end = ended ? w.size : PIECE_B;
        while (tma_find_next(&found, w.bytes, w.size, &at, end)) {
            print_found(args, path, &w, &found, sum);
        }
        w.size -= end;
        memmove(w.bytes, w.bytes + end, w.size);
        w.begin += end;
        at = at > end ? at - end : 0;
        progress_at(&shown, w.begin / MIB_B, size / MIB_B);
    }
    progress_end(&shown);
    free(w.bytes);
    return w.begin;
}

/* A file's size as it is now; 0 of what is no file. */
static uint64_t size_of(FILE *file) {
    struct stat info;
    return !fstat(fileno(file), &info) && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

static int search_file(const find_args *args, const char *path, tally *sum) {
    tma_error error;
    FILE *file = file_open(path, &error);
    if (!file) {
        cli_say("%s", error.text);
        return CLI_MISUSE;
    }
    const uint64_t size = size_of(file);
    errno = 0;
    const uint64_t searched_B = search(args, path, file, size, sum);
    const int failed = ferror(file) || !searched_B || (file != stdin && searched_B < size);
    if (ferror(file)) {
        cli_say("cannot read '%.200s': %s", path, strerror(errno));
    } else if (!searched_B) {
        cli_say("'%.200s' is empty", path);
    } else if (failed) {
        cli_say("'%.200s' became shorter before all of its %" PRIu64 " B were searched", path,
                size);
    }
    file_close(file);
    sum->searched_B += searched_B;
    return failed ? CLI_MISUSE : CLI_CLEAN;
}

int cmd_find(int argc, char **argv) {
    find_args args = {0};
    tally sum = {0, 0, 0};
    int status = CLI_CLEAN;
    options_parse(&parser, argc, argv, &args);
    for (size_t i = 0; i < args.paths.count; i++) {
        status |= search_file(&args, args.paths.of[i], &sum);
    }
    if (!args.json && sum.searched_B) {
        fflush(stdout);
        cli_say("%" PRIu64 " certain, %" PRIu64 " likely in %" PRIu64 " B", sum.certain, sum.likely,
                sum.searched_B);
    }
    return status ? status : sum.certain + sum.likely ? CLI_CLEAN : CLI_FINDINGS;
}
