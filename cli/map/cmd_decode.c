/* SPDX-License-Identifier: Apache-2.0
 *
 * tma decode: what 128 bytes say.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "barrier_view.h"
#include "check_view.h"
#include "map_input.h"
#include "options.h"
#include "out_text.h"
#include "printable.h"
#include "ruler.h"
#include "verbs.h"

typedef struct decode_args {
    tma_target_words target;
    options_list maps;
    output_options output;
    color_set colors;
} decode_args;

static const args_child children[] = {{&list_parser, 0, 0, ARGS_AT(decode_args, maps)},
                                      {&target_parser, 0, 40, ARGS_AT(decode_args, target)},
                                      {&output_parser, 0, 0, ARGS_AT(decode_args, output)},
                                      {0}};

static int parse(int key, char *text, args_state *state) {
    const decode_args *args = state->input;
    (void)text;
    if (key == ARGS_KEY_END && !args->maps.count) {
        args_error(state, "no map: give 128 bytes in hex, a file, or - for standard input");
    }
    return ARGS_UNKNOWN;
}

static const args_parser parser = {
    0,
    parse,
    "MAP...",
    "Prints what the 128 bytes of a tensor map say: the arguments of the call, what is odd about "
    "them, the command that encodes them again, and which bytes and bits hold which field.\vMAP "
    "is the bytes in hex, a file, or - for standard input. These forms are read: raw bytes, hex "
    "in any spacing, a debugger's x/16gx, x/32wx and print, xxd (also with -p, -i, -e), hexdump, "
    "od, and C initialisers. 0x34567880 is a little-endian word; 34567880 is four bytes in "
    "order.\n"
    "\n"
    "A single word of 64 bits (0x and at most 16 digits) is read as the word of an mbarrier, as a "
    "GPU core dump shows it, or as a matrix descriptor of wgmma or tcgen05 where it is plainly "
    "one.\n"
    "\n"
    "With --arch or --driver, tma decode also says whether bit 21 is as that driver sets it, and "
    "the printed command has these options.\n"
    "\n"
    "Exit status: 0 nothing odd, 1 something is, 2 misuse.",
    children,
    0,
};

static const char *unit_of(const tma_spec *s, tma_spec_option option) {
    switch (option) {
    case TMA_OPTION_DIM:
    case TMA_OPTION_BOX:
        return s->interleave ? " units" : " el";
    case TMA_OPTION_STRIDE:
        return " B";
    case TMA_OPTION_LOWER:
    case TMA_OPTION_UPPER:
    case TMA_OPTION_PIXELS:
        return " px";
    case TMA_OPTION_CHANNELS:
        return " el";
    default:
        return "";
    }
}

/* The arguments under cuda.h's names. */
static void print_spec(const tma_spec *s) {
    static const tma_argument arguments[] = {
#define TMA_OPTION(id, argument, ...) TMA_ARG_##argument,
#include "tma/spec_options.def"
    };
    tma_out out = out_to(stdout);
    for (uint32_t i = TMA_OPTION_API + 1; i < TMA_SPEC_OPTIONS; i++) {
        const tma_spec_option option = (tma_spec_option)i;
        if (tma_spec_has(s, option)) {
            const int is_one = arguments[i] != TMA_ARG_NONE;
            tma_putf(&out, "    %-20s",
                     is_one ? tma_argument_name(arguments[i]) : tma_spec_option_name(i));
            tma_put_option_value(&out, s, option, ", ");
            tma_put(&out, tma_spec_entries(s, option) ? unit_of(s, option) : "-");
            tma_put(&out, tma_spec_is_known(s, option) ? "\n" : " (no such)\n");
        }
    }
}

static void put_command(tma_out *out, const tma_judged *j, const tma_target_words *target) {
    tma_put(out, "tma encode");
    tma_put_spec(out, &j->decoded.spec);
    tma_target_words made = *target;
    made.target.readings |= j->decoded.readings;
    tma_put_target_words(out, &made);
    tma_put(out, j->needs_force ? " --force" : "");
}

static int gives_back(const tma_judged *j, const tma_arch_row *row, uint32_t driver,
                      const tma_target_words *words) {
    const tma_target target = {.sm = row->sm,
                               .suffix = row->suffix,
                               .driver = driver,
                               .readings = j->decoded.readings | words->target.readings};
    tma_map again;
    uint64_t unfit = 0;
    return (!words->has_driver || words->target.driver == driver) &&
           tma_encode_forced(again.bytes, &j->decoded.spec, &target, &unfit) == TMA_OK &&
           !memcmp(again.bytes, j->map.bytes, sizeof(again.bytes));
}

/* Whether the command gives the bytes back: for the target asked about, or for which. */
static void print_targets(const tma_judged *j, const tma_target_words *words) {
    static const uint32_t drivers[] = {13000, 13020};
    const size_t archs = tma_arch_count();
    size_t count = 0;
    if (j->has_bytes) {
        fputs("(gives these bytes back)", stdout);
        return;
    }
    for (size_t k = 0; k < 2 && !words->has_arch; k++) {
        size_t here = 0;
        for (size_t i = 0; i < archs; i++) {
            const tma_arch_row *row = tma_arch_at(i);
            if (!row->suffix && gives_back(j, row, drivers[k], words)) {
                printf("%s%s",
                       here++    ? ", "
                       : count++ ? "; "
                                 : "(gives these bytes back for ",
                       row->name);
            }
        }
        if (here) {
            tma_out out = out_to(stdout);
            tma_put(&out, " with driver ");
            tma_put_driver(&out, drivers[k]);
        }
    }
    fputs(count ? ": --arch, --driver)" : "(does not give these bytes back)", stdout);
}

/* What check finds, a line each. */
static void print_check(const tma_judged *j, const tma_target_words *words,
                        const color_set *colors) {
    verdict v;
    const tma_target target = check_target(words, &j->decoded.spec);
    verdict_of(&v, &j->decoded.spec, &target);
    if (v.count) {
        putchar('\n');
    }
    for (size_t i = 0; i < v.count; i++) {
        char text[1024];
        const tma_finding *f = &v.findings[i];
        tma_finding_text(text, sizeof(text), f);
        printf("%s%s%s: ", colors->severity[f->severity], tma_severity_name(f->severity),
               colors->end);
        out_wrapped(stdout, text, 5);
    }
}

/* One of words 16 and 18: a value that no default makes is a reading's, which is said. */
static void print_derived_word(const tma_decoded *d, const char *name, uint32_t stored_B,
                               uint32_t questions, const char *text) {
    tma_out out = out_to(stdout);
    char reading[128];
    tma_out words = tma_out_into(reading, sizeof(reading));
    tma_putf(&out, "    %-20s%" PRIu32 " B", name, stored_B);
    if (tma_put_map_readings(&words, d, questions)) {
        tma_putf(&out, " (--reading %s, as an RTX 5090's driver was reported to write it)\n",
                 reading);
    } else {
        tma_putf(&out, "%s\n", text);
    }
}

static void print_derived(const tma_judged *j) {
    const uint32_t of_repeat = UINT32_C(1) << TMA_READING_ATOM_REPEAT;
    print_derived_word(&j->decoded, "box bytes", j->decoded.box_B, ~of_repeat,
                       " (what the 228 KiB limit looks at)");
    print_derived_word(&j->decoded, "swizzle repeat", j->decoded.repeat_B, of_repeat, "");
}

static void print_text(const decode_args *args, const tma_judged *j) {
    const tma_decoded *d = &j->decoded;
    printf("%s%s map%s%s\n", args->colors.bold, d->kind == 1 ? "im2col" : "tiled", args->colors.end,
           d->odd & TMA_ODD_KIND ? " (as the CuTe DSL marks it, not a driver)" : "");
    print_spec(&d->spec);
    print_derived(j);
    if (d->bit21) {
        printf("    %-20slarge: bit 21 set, promises %" PRIu64 " KiB behind the address\n",
               "allocation class", tma_class_window_B(TMA_CLASS_LARGE) / 1024);
    }
    putchar('\n');
    out_odd(stdout, j, "", &args->colors);
    tma_out out = out_to(stdout);
    put_command(&out, j, &args->target);
    printf("\n%s", args->colors.dim);
    print_targets(j, &args->target);
    printf("%s\n\n", args->colors.end);
    ruler(stdout, j, &args->colors);
    print_check(j, &args->target, &args->colors);
}

static void json_fields(tma_json *json, const tma_judged *j) {
    const size_t count = tma_field_count();
    tma_json_list(json, "fields");
    for (size_t i = 0; i < count; i++) {
        if (tma_field_is_shown(tma_field_at(i), &j->decoded, j->map.bytes)) {
            tma_json_object(json, NULL);
            tma_json_text(json, "name", tma_field_at(i)->name);
            tma_json_u64(json, "word_index", tma_field_at(i)->word);
            tma_json_u64(json, "bit", tma_field_at(i)->bit);
            tma_json_u64(json, "width_bit", tma_field_at(i)->width_bit);
            tma_json_hex(json, "stored", tma_field_read(tma_field_at(i), j->map.bytes));
            tma_out value = tma_json_text_out(json, "says");
            tma_put_field(&value, tma_field_at(i), &j->decoded, j->map.bytes);
            tma_json_text_end(json);
            tma_json_end(json);
        }
    }
    tma_json_end(json);
}

/* What check finds, and for which target. */
static void json_check(tma_json *json, const tma_spec *spec, const tma_target_words *words) {
    verdict v;
    const tma_target target = check_target(words, spec);
    verdict_of(&v, spec, &target);
    tma_json_object(json, "check");
    tma_json_target(json, "target", &target);
    tma_json_list(json, "findings");
    for (size_t i = 0; i < v.count; i++) {
        tma_json_finding(json, NULL, &v.findings[i]);
    }
    tma_json_end(json);
    tma_json_end(json);
}

static void print_json(const decode_args *args, const char *name, const tma_judged *j) {
    out_json line;
    tma_json *json = out_json_begin(&line, "decode");
    if (args->maps.count > 1) {
        tma_json_text(json, "input", name);
    }
    tma_json_map(json, "map", j->map.bytes);
    tma_json_u64(json, "kind_field", j->decoded.kind);
    tma_json_spec(json, "spec", &j->decoded.spec);
    tma_json_u64(json, "box_B", j->decoded.box_B);
    tma_json_u64(json, "repeat_B", j->decoded.repeat_B);
    tma_out readings = tma_json_text_out(json, "made_by");
    tma_put_map_readings(&readings, &j->decoded, UINT32_MAX);
    tma_json_text_end(json);
    tma_json_bool(json, "large_tensor", j->decoded.bit21 != 0);
    tma_json_text(json, "allocation_class",
                  tma_enum_row_of(TMA_ENUM_CLASS, tma_allocation_class(j->map.bytes))->name);
    out_odd_json(json, "odd", j);
    tma_out command = tma_json_text_out(json, "command");
    put_command(&command, j, &args->target);
    tma_json_text_end(json);
    tma_json_bool(json, "same_bytes", j->has_bytes);
    json_fields(json, j);
    json_check(json, &j->decoded.spec, &args->target);
    out_json_end(&line);
}

int cmd_decode(int argc, char **argv) {
    decode_args args = {0};
    int status = CLI_CLEAN;
    options_parse(&parser, argc, argv, &args);
    args.colors = colors_for(stdout, args.output.color);
    for (size_t i = 0; i < args.maps.count; i++) {
        tma_map map;
        tma_judged judged;
        tma_error error;
        uint64_t word = 0;
        const int is_word = map_input_or_word(args.maps.of[i], &word, &map, &error);
        if (is_word < 0) {
            cli_say("%s", error.text);
            status = CLI_MISUSE;
            continue;
        }
        if (is_word) {
            const int said = barrier_view(word, args.output.json);
            status = status == CLI_CLEAN ? said : status;
            continue;
        }
        tma_judge(&judged, map.bytes, &args.target);
        status = status == CLI_CLEAN && judged.count ? CLI_FINDINGS : status;
        if (args.output.json) {
            print_json(&args, args.maps.of[i], &judged);
        } else {
            if (args.maps.count > 1) {
                fputs(i ? "\n== " : "== ", stdout);
                printable(stdout, args.maps.of[i]);
                fputs(" ==\n", stdout);
            }
            print_text(&args, &judged);
        }
    }
    return status;
}
