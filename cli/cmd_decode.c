/* SPDX-License-Identifier: Apache-2.0
 *
 * tma decode: what 128 bytes say.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "field_view.h"
#include "judge.h"
#include "map_input.h"
#include "names.h"
#include "out_json.h"
#include "ruler.h"
#include "spec_words.h"
#include "verbs.h"

enum { KEY_JSON = 0x400, KEY_COLOR };

typedef struct decode_args {
    target_args target;
    char **maps;
    size_t count;
    int json;
    color_mode color;
    color_set colors;
    int has_color;
} decode_args;

static const struct argp_option options[] = {
    {0, 0, 0, 0, "What to print:", 50},
    {"json", KEY_JSON, 0, 0, "one JSON object a map, each on a line", 0},
    COLOR_OPTION(KEY_COLOR),
    {0},
};

static const struct argp_child children[] = {{&target_argp, 0, 0, 40}, {0}};

static error_t parse(int key, char *text, struct argp_state *state) {
    decode_args *args = state->input;
    cli_error error;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &args->target;
        return 0;
    case KEY_JSON:
        args->json = 1;
        return 0;
    case KEY_COLOR:
        if (color_mode_named(text, &args->color, &error)) {
            argp_error(state, "%s", error.text);
        }
        return 0;
    case ARGP_KEY_ARGS:
        args->maps = state->argv + state->next;
        args->count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no map: give 128 bytes in hex, a file, or - for standard input");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse,
    "MAP...",
    "What the 128 bytes of a tensor map say: the call's arguments, what is odd about them, the "
    "command that encodes them again, and which bytes and bits hold which field.\v"
    "MAP is the bytes themselves in hex, a file, or - for standard input. Read are raw bytes, hex "
    "in any spacing, a debugger's x/16gx, x/32wx and print, xxd (-p, -i, -e, too), hexdump -C, and "
    "C initialisers. 0x34567880 is a little-endian word; 34567880 is four bytes in order.\n\n"
    "--arch and --driver, where given, also decide whether bit 21 is as that driver sets it, and "
    "stand in the command.\n\n"
    "Exit status: 0 nothing odd, 1 something is, 2 misuse.",
    children,
    0,
    0,
};

static void line_u64(const char *name, const uint64_t *list, uint32_t count, const char *unit) {
    printf("    %-20s", name);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s%" PRIu64, i ? ", " : "", list[i]);
    }
    printf("%s%s\n", count && *unit ? " " : "", count ? unit : "-");
}

static void line_u32(const char *name, const uint32_t *list, uint32_t count, const char *unit) {
    uint64_t wide[TMA_MAX_RANK];
    for (uint32_t i = 0; i < count; i++) {
        wide[i] = list[i];
    }
    line_u64(name, wide, count, unit);
}

static void line_i32(const char *name, const int32_t *list, uint32_t count) {
    printf("    %-20s", name);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s%" PRId32, i ? ", " : "", list[i]);
    }
    puts(count ? " px" : "-");
}

static void line_name(const char *name, tma_enum_kind kind, uint32_t number) {
    char buffer[16];
    const tma_enum_row *row = tma_enum_row_of(kind, number);
    printf("    %-20s%s%s\n", name, name_of(kind, number, buffer), row ? "" : " (no such)");
}

/* The arguments under cuda.h's names. */
static void print_spec(const tma_spec *s) {
    const uint32_t n = spec_dims(s);
    line_name("tensorDataType", TMA_ENUM_DTYPE, s->dtype);
    printf("    %-20s%" PRIu32 "\n", "tensorRank", s->rank);
    printf("    %-20s0x%" PRIx64 "\n", "globalAddress", s->address);
    line_u64("globalDim", s->dim_el, n, s->interleave ? "units" : "el");
    line_u64("globalStrides", s->stride_B, spec_strides(s), "B");
    if (s->api == TMA_API_TILED) {
        line_u32("boxDim", s->box_el, n, s->interleave ? "units" : "el");
    } else {
        line_i32("pixelBoxLowerCorner", s->lower_px, spec_corners(s));
        line_i32("pixelBoxUpperCorner", s->upper_px, spec_corners(s));
        line_u32("channelsPerPixel", &s->channels_per_pixel, 1, "el");
        line_u32("pixelsPerColumn", &s->pixels_per_column, 1, "px");
    }
    line_u32("elementStrides", s->element_stride, n, "");
    line_name("interleave", TMA_ENUM_INTERLEAVE, s->interleave);
    line_name("swizzle", TMA_ENUM_SWIZZLE, s->swizzle);
    line_name("l2Promotion", TMA_ENUM_L2, s->l2);
    line_name("oobFill", TMA_ENUM_FILL, s->fill);
}

static void print_target(FILE *out, const target_args *target) {
    char driver[16];
    if (target->has_arch) {
        fprintf(out, " --arch %s", target_arch_text(&target->target));
    }
    if (target->has_driver) {
        fprintf(out, " --driver %s", target_driver_text(&target->target, driver));
    }
}

static void print_command(FILE *out, const judged *j, const target_args *target) {
    fputs("tma encode", out);
    spec_words(out, &j->decoded.spec);
    print_target(out, target);
    fputs(j->needs_force ? " --force" : "", out);
}

static void print_text(const decode_args *args, const judged *j) {
    const tma_decoded *d = &j->decoded;
    printf("%s%s map%s%s\n", args->colors.bold, d->kind == 1 ? "im2col" : "tiled", args->colors.end,
           d->odd & TMA_ODD_KIND ? " (its kind is neither tiled nor im2col)" : "");
    print_spec(&d->spec);
    printf("    %-20s%" PRIu32 " B (what the 228 KiB limit looks at)\n", "box bytes", d->box_B);
    printf("    %-20s%" PRIu32 " B\n", "swizzle repeat", d->repeat_B);
    if (d->bit21) {
        printf("    %-20sset\n", "bit 21");
    }
    putchar('\n');
    judge_print(stdout, j, "", &args->colors);
    print_command(stdout, j, &args->target);
    printf("\n%s%s%s\n\n", args->colors.dim,
           j->has_bytes ? "(gives these bytes back)" : "(does not give these bytes back)",
           args->colors.end);
    ruler(stdout, j, &args->colors);
}

static json_t *json_fields(const judged *j) {
    size_t count = 0;
    const tma_field_row *rows = tma_field_rows(&count);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        if (field_is_shown(&rows[i], &j->decoded, &j->map)) {
            char value[64];
            json_t *object = json_object();
            field_value(&rows[i], &j->decoded, &j->map, value, sizeof(value));
            json_put(object, "name", json_string(rows[i].name));
            json_put(object, "word", json_integer(rows[i].word));
            json_put(object, "bit", json_integer(rows[i].bit));
            json_put(object, "width_bit", json_integer(rows[i].width_bit));
            json_put(object, "stored", json_hex(tma_field_read(&rows[i], j->map.bytes)));
            json_put(object, "value", json_string(value));
            json_add(array, object);
        }
    }
    return array;
}

static json_t *json_command(const judged *j, const target_args *target) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        cli_out_of_memory();
    }
    print_command(file, j, target);
    fclose(file);
    json_t *value = json_text(text ? text : "");
    free(text);
    return value;
}

static void print_json(const decode_args *args, const char *name, const judged *j) {
    json_t *object = json_begin("decode");
    if (args->count > 1) {
        json_put(object, "input", json_text(name));
    }
    json_put(object, "map", json_map(&j->map));
    json_put(object, "kind", json_integer(j->decoded.kind));
    json_put(object, "spec", json_spec(&j->decoded.spec));
    json_put(object, "box_B", json_integer(j->decoded.box_B));
    json_put(object, "repeat_B", json_integer(j->decoded.repeat_B));
    json_put(object, "large_tensor", json_boolean(j->decoded.bit21));
    json_put(object, "odd", judge_json(j));
    json_put(object, "command", json_command(j, &args->target));
    json_put(object, "same_bytes", json_boolean(j->has_bytes));
    json_put(object, "fields", json_fields(j));
    json_end(stdout, object);
}

int cmd_decode(int argc, char **argv) {
    decode_args args;
    int status = CLI_CLEAN;
    memset(&args, 0, sizeof(args));
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    args.colors = colors_for(stdout, args.color);
    for (size_t i = 0; i < args.count; i++) {
        tma_map map;
        judged judged;
        cli_error error;
        if (map_input(args.maps[i], &map, &error)) {
            cli_say("%s", error.text);
            status = CLI_MISUSE;
            continue;
        }
        judge_map(&judged, &map, &args.target);
        status = status == CLI_CLEAN && judged.count ? CLI_FINDINGS : status;
        if (args.json) {
            print_json(&args, args.maps[i], &judged);
        } else {
            if (args.count > 1) {
                printf("%s== %s ==\n", i ? "\n" : "", args.maps[i]);
            }
            print_text(&args, &judged);
        }
    }
    return status;
}
