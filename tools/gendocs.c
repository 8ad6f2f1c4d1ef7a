/* SPDX-License-Identifier: Apache-2.0
 *
 * gendocs FOLDER: writes descriptor.md, rules.md, arithmetic.md, enums.md, swizzle.md and
 * readings.md there, out of the library's own tables. The words between the tables stand here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gendocs_page.h"
#include "tma/tma.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- descriptor.md --- */

static const char *scope_text(uint8_t scope) {
    static const char *const texts[] = {"all",       "tiled",     "im2col",
                                        "im2col 3D", "im2col 4D", "im2col 5D"};
    return scope < COUNT(texts) ? texts[scope] : "?";
}

static const char *form_text(uint8_t form) {
    static const char *const texts[] = {"as it is", "less 1", "two's complement", "bytes / 16"};
    return form < COUNT(texts) ? texts[form] : "?";
}

static void field_row(const tma_field_row *row) {
    char text[32];
    const unsigned last = row->bit + row->width_bit - 1u;
    snprintf(text, sizeof text, row->width_bit > 32 ? "%u, %u" : "%u", row->word, row->word + 1u);
    begin_row(text);
    snprintf(text, sizeof text, "0x%02x", row->word * 4u);
    cell(text);
    snprintf(text, sizeof text, row->width_bit == 1 ? "[%u]" : "[%u:%u]", last, row->bit);
    cell(text);
    code_cell(row->name);
    cell(form_text(row->form));
    cell(scope_text(row->scope));
    cell(row->meaning);
    cell(row->evidence);
    end_row();
}

static void field_table(void) {
    const size_t count = tma_field_count();
    section("Fields");
    put("| word | byte | bits | field | stored | maps | meaning | evidence |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < count; i++) {
        field_row(tma_field_at(i));
    }
}

static void replace_table(void) {
    section("What tensormap.replace edits");
    put("| field | ordinals | immediate up to | value | evidence |\n"
        "| --- | --- | --- | --- | --- |\n");
    for (uint32_t i = 0; i < TMA_REPLACE_FIELDS; i++) {
        const tma_replace_row *row = tma_replace_row_of(i);
        char ordinals[32] = "-";
        if (row->ordinals) {
            snprintf(ordinals, sizeof ordinals, "0 to %d", row->ordinals - 1);
        }
        begin_row(row->name);
        cell(ordinals);
        number_cell(row->immediate_max);
        cell(row->value);
        cell(row->evidence);
        end_row();
    }
}

static void odd_list(void) {
    section("What tma_decode calls odd");
    for (uint32_t bit = 1; bit & TMA_ODD_ALL; bit <<= 1) {
        fprintf(page, "- %s\n", tma_odd_text(bit));
    }
}

static void descriptor(void) {
    title("The 128 bytes of a tensor map", "`include/tma/fields.def`, `src/map/replace_rows.def`");
    put("\n32 little-endian words of 32 bits. Evidence `seen`: driver 13.0 wrote it so on sm_90, "
        "10,359 maps, every bit; `ptxas`: NVIDIA's compiler edits these bits (`tensormap.replace` "
        "in machine code). Bits without a row are 0 in every map that was seen; hardware of sm_90 "
        "ignores them. `tma decode` shows a map along this table.\n");
    field_table();
    section("Notes");
    put("- **Words 16 and 18 are derived.** Box bytes is what the driver's limit of 228 KiB looks "
        "at: it divides dimension 0 by its element stride, which no copy does, and takes a whole "
        "box where an interleaved copy moves one slice. Copies on sm_90 look at neither word.\n"
        "- **Stale after `tensormap.replace`:** both derived words, the TF32 flag (set by elemtype "
        "11 and 12, never cleared), and bit 21: what clears it hangs on the compiler, below. The "
        "hardware accepts stale words 16 and 18; a stale TF32 flag kills loads of other types.\n"
        "- **Two TF32 types share codes** with float32 and float32_ftz; the flag alone tells them "
        "apart.\n"
        "- **Bit 21** is Blackwell's: [facts.md](facts.md), Bit 21; how libtma decides it: "
        "[blackwell.md](blackwell.md).\n"
        "- **The 96-byte swizzle** is bit 22 with [14:13] = 0; no driver call makes it.\n"
        "- **Dimension 0:** its size counts slices' units if the map is interleaved; its element "
        "stride is stored without interleave too.\n"
        "- **A dimension of 2^32** is stored as 0xFFFFFFFF. Above 2^31 every copy is killed.\n"
        "- **Corners** begin with W in the lowest bits, 16, 8 or 5 bits each by rank.\n"
        "- **Wide maps** (cuTensorMapEncodeIm2colWide) are im2col maps; the mode is not stored.\n");
    replace_table();
    odd_list();
}

/* --- rules.md --- */

static void rule_row(const tma_rule *rule) {
    put("| `");
    put(rule->name);
    put("` |");
    cell(tma_severity_name(rule->severity));
    cell(tma_argument_name(rule->argument));
    cell(rule->statement);
    cell(*rule->source ? rule->source : "-");
    cell(rule->evidence);
    end_row();
}

static uint32_t rules_of(tma_rule_scope scope, uint32_t standing, int write) {
    uint32_t count = 0;
    for (size_t i = 0; i < tma_rule_count(); i++) {
        const tma_rule *rule = tma_rule_at(i);
        if (rule->scope == scope && rule->standing == standing) {
            count++;
            if (write) {
                rule_row(rule);
            }
        }
    }
    return count;
}

/* One table for each standing that a rule has. */
static void rule_tables(tma_rule_scope scope) {
    for (uint32_t standing = 0; standing < TMA_STANDINGS; standing++) {
        const uint32_t count = rules_of(scope, standing, 0);
        if (count) {
            fprintf(page, "\n### %s (%" PRIu32 ")\n\n", tma_standing_name(standing), count);
            put("| rule | severity | argument | what it says | source | evidence |\n"
                "| --- | --- | --- | --- | --- | --- |\n");
            rules_of(scope, standing, 1);
        }
    }
}

static void limit_table(void) {
    const size_t count = tma_limit_count();
    section("Limits");
    put("Made from `include/tma/limits.def`: code, rules and this table read the same rows.\n\n"
        "| limit | what it limits | | unit | who says so |\n| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < count; i++) {
        begin_row(tma_limit_at(i)->name);
        cell(tma_limit_at(i)->meaning);
        cell(tma_limit_at(i)->text);
        cell(*tma_unit_name(tma_limit_at(i)->unit) ? tma_unit_name(tma_limit_at(i)->unit) : "-");
        cell(tma_limit_at(i)->evidence);
        end_row();
    }
}

static void rules(void) {
    title("Rules", "`include/tma/rules.def`, `include/tma/traps.def` and `include/tma/edits.def`");
    put("\nGrouped by what they stand on. Severity `refused`: the driver answers "
        "CUDA_ERROR_INVALID_VALUE; `faults`: it takes the map, but a copy traps or does not do "
        "what it seems; `surprising`: legal, and often not what was meant. Evidence counts "
        "captured encode calls, of 24,669 (driver 13.0, sm_90); a probe is a question "
        "of [open-questions.md](open-questions.md). For other targets than sm_90 the program says "
        "what was seen there only. Sources: API is the driver API reference, Tensor Map Object "
        "Management; PTX the PTX ISA. `tma explain RULE` prints one.\n");
    section("Of maps");
    put("Broken ones are findings of `tma_check`, `tma check` and the shim.\n");
    rule_tables(TMA_RULES_OF_MAPS);
    section("Of instructions");
    put("Broken ones are answers of `tma_plan_make`, `tma_plan_at` and `tma_copy`.\n");
    rule_tables(TMA_RULES_OF_COPIES);
    section("Of edits");
    put("Broken ones are answers of `tma_replace` and `tma_replace_address`, which also answer "
        "with "
        "rules of maps.\n");
    rule_tables(TMA_RULES_OF_EDITS);
    limit_table();
}

/* --- arithmetic.md --- */

static const char *dtype_name(uint32_t dtype) {
    const tma_enum_row *row = tma_enum_row_of(TMA_ENUM_DTYPE, dtype);
    return row ? row->name : "?";
}

static void reduction_table(void) {
    static const char *const bulk[] = {"-", "to global memory", "yes"};
    const size_t count = tma_reduction_count();
    section("Reductions");
    put("`global = global op shared`. All 104 pairs of operation and type (13 types without the "
        "packed ones) were run on an H200: those below work, the others are an illegal "
        "instruction. The third column is `cp.reduce.async.bulk`, without a map: all pairs of "
        "operation and PTX type were given to ptxas 13.0.\n\n"
        "| operation | type | without a map | what it does | evidence |\n"
        "| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < count; i++) {
        begin_row(tma_op_name(tma_reduction_at(i)->op));
        cell(dtype_name(tma_reduction_at(i)->dtype));
        cell(bulk[tma_reduction_at(i)->bulk]);
        cell(tma_reduction_at(i)->rule);
        cell(tma_reduction_at(i)->evidence);
        end_row();
    }
}

static void tf32_table(void) {
    static const struct {
        uint32_t bits;
        const char *what;
    } values[] = {
        {0x3F800FFF, "below half a step"},
        {0x3F801000, "half a step, to even: down"},
        {0x3F803000, "half a step, to even: up"},
        {0x00000001, "subnormal, less than half a step"},
        {0x00002000, "subnormal, kept by both types"},
        {0x007FFFFF, "subnormal, rounded up to the smallest normal"},
        {0x7F7FEFFF, "the largest that stays finite"},
        {0x7F7FF000, "becomes infinity"},
        {0xFF800000, "infinity"},
        {0x7F800001, "signalling NaN"},
        {0xFFC00000, "NaN, its sign dropped"},
    };
    section("TF32 loads");
    put("tfloat32 and tfloat32_ftz alike: rounded to nearest even at 10 bits of mantissa. An H200 "
        "loaded all 2^32 values as both: 0 differ from `tma_round_tf32`, which made this table. "
        "Stores and reductions do not round.\n\n| in memory | loaded | |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < COUNT(values); i++) {
        fprintf(page, "| 0x%08" PRIX32 " | 0x%08" PRIX32 " | %s |\n", values[i].bits,
                tma_round_tf32(values[i].bits), values[i].what);
    }
}

static void arithmetic(void) {
    title("Arithmetic", "`include/tma/element_reductions.def` and `tma_round_tf32`");
    reduction_table();
    tf32_table();
    section("Fill");
    put("What a load puts where the box leaves the tensor; exact to the element.\n\n"
        "| oobFill | every type | evidence |\n| --- | --- | --- |\n"
        "| none | +0 | captured |\n"
        "| nan | 0x7FF7 in every 16-bit half: float16 and bfloat16 0x7FF7, 32-bit types "
        "0x7FF77FF7, float64 0x7FF77FF77FF77FF7; not rounded to TF32 | 500 captured loads, 173 of "
        "them TF32 |\n"
        "\nEverything else is a copy of bits: subnormals, signalling NaN and the ftz types' values "
        "come through loads and stores unchanged.\n");
}

/* --- enums.md --- */

static void enum_table(tma_enum_kind kind, const char *heading) {
    const size_t count = tma_enum_count(kind);
    section(heading);
    put("| name | cuda.h | PTX | driver | tensormap.replace | stored | evidence |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < count; i++) {
        begin_row(tma_enum_at(kind, i)->name);
        code_cell(tma_enum_at(kind, i)->cuda_name);
        cell(*tma_enum_at(kind, i)->ptx_name ? tma_enum_at(kind, i)->ptx_name : "-");
        number_cell(tma_enum_at(kind, i)->driver);
        number_cell(tma_enum_at(kind, i)->ptx);
        number_cell(tma_enum_at(kind, i)->stored);
        cell(tma_enum_at(kind, i)->evidence);
        end_row();
    }
}

static const struct {
    uint32_t bit;
    const char *heading;
} features[] = {
    {TMA_FEATURE_REPLACE, "tensormap.replace"},
    {TMA_FEATURE_ATOMICITY, "tensormap.replace: atomicity, packed types"},
    {TMA_FEATURE_SWIZZLE_96B, "tensormap.replace: 96-byte swizzle"},
    {TMA_FEATURE_GATHER4_CTA, "gather4, im2col::w to shared::cta"},
    {TMA_FEATURE_GATHER4, "gather4, im2col::w to shared::cluster, and prefetches"},
    {TMA_FEATURE_SCATTER4, "scatter4"},
    {TMA_FEATURE_W128, "im2col::w::128"},
    {TMA_FEATURE_CTA_GROUP, "cta_group"},
    {TMA_FEATURE_PACKED, "driver: packed types, atom swizzles"},
    {TMA_FEATURE_BIT21, "driver: bit 21"},
    {TMA_FEATURE_STORE_HALVES, "b6p2x16 stores of 48-byte rows"},
    {TMA_FEATURE_NO_OFFS_W, "im2col_no_offs::w stores"},
    {TMA_FEATURE_PTX_94,
     "PTX 9.4: multicast::cluster::32b, override, L2::evict_last, applypriority"},
};

static void arch_table(void) {
    const size_t count = tma_arch_count();
    section("Architectures");
    put("What each target has and sm_90 does not.\n\n| target |");
    for (size_t f = 0; f < COUNT(features); f++) {
        cell(features[f].heading);
    }
    put(" evidence |\n| --- |");
    for (size_t f = 0; f < COUNT(features); f++) {
        put(" --- |");
    }
    put(" --- |\n");
    for (size_t i = 0; i < count; i++) {
        begin_row(tma_arch_at(i)->name);
        for (size_t f = 0; f < COUNT(features); f++) {
            cell(tma_arch_at(i)->features & features[f].bit ? "yes" : "-");
        }
        cell(tma_arch_at(i)->evidence);
        end_row();
    }
}

static void enums(void) {
    title("Numbers", "`include/tma/enums.def` and `include/tma/spec_archs.def`");
    put("\nThe same things have three different numbers: the driver's enumerators, the "
        "immediates of PTX's `tensormap.replace`, and the bits stored in the map. `tma_spec` and "
        "the command take the driver's; names of all three columns are understood, and of element "
        "types PTX's other words:"
#define TMA_DTYPE_WORDS(word, id) " `" word "`"
#include "tma/enums.def"
        ". Evidence `seen`: the H200's driver 13.0; `ptxas`: ptxas 13.0.\n");
    enum_table(TMA_ENUM_API, "Encode calls");
    enum_table(TMA_ENUM_DTYPE, "Element types");
    enum_table(TMA_ENUM_INTERLEAVE, "Interleave");
    enum_table(TMA_ENUM_SWIZZLE, "Swizzle");
    enum_table(TMA_ENUM_ATOMICITY, "Swizzle atomicity");
    enum_table(TMA_ENUM_L2, "L2 promotion");
    enum_table(TMA_ENUM_FILL, "Out-of-bounds fill");
    enum_table(TMA_ENUM_WIDE_MODE, "Wide mode");
    enum_table(TMA_ENUM_CLASS, "Allocation class");
    arch_table();
}

/* --- readings.md --- */

static void reading_table(const char *marks, const char *option, const tma_reading *q,
                          const tma_reads *(*reads_at)(size_t, size_t), size_t number) {
    fprintf(page, "\n%s %s: %s\n\n", marks, q->name, q->question);
    fprintf(page, "| `%s` | meaning | who says so |\n| --- | --- | --- |\n", option);
    for (size_t value = 0; value < q->count; value++) {
        const tma_reads *r = reads_at(number, value);
        fprintf(page, "| `%s=%s`%s |", q->name, r->name, value ? "" : ", default");
        cell(r->meaning);
        cell(r->holder);
        end_row();
    }
}

static void readings(void) {
    put("# What sources dispute, and how it is read\n\n"
        "On each of these questions public sources contradict each other or say nothing, and no "
        "hardware answer is public. libtma takes what the document says, the first row of each "
        "table. A result that depends on a question says so (`tma_plan_readings()`, and a note of "
        "`tma plan`, `load`, `store` and `draw`). `--reading NAME=VALUE` (also of `tma replay`), "
        "`tma_target_read()` and, in Python, `Target(readings={NAME: VALUE})` choose another "
        "answer. `tma list readings` prints this table. The last three are of maps for sm_100 on, "
        "of words that no copy looks at: `tma encode --reading` writes them, `tma decode` says by "
        "which a "
        "map was made (`tma_decoded.readings`). A run of `tma-conformance` on the chip decides the "
        "questions. [blackwell.md](blackwell.md) has other questions that are open.\n");
    for (size_t i = 0; tma_reading_at(i); i++) {
        reading_table("##", "--reading", tma_reading_at(i), tma_reads_at, i);
    }
    put("\n## Descriptors of tcgen05\n\nPublic encoders and models of the MMA's descriptors "
        "([mma.md](mma.md)) read these questions in two ways. `--mma-reading NAME=VALUE` of `tma "
        "mma`, `tma check` and `tma draw mma`, `tma_mma_operand.readings` and, in Python, "
        "`libtma.mma.Operand(readings={NAME: VALUE})` choose one; `tma list mma-readings` prints "
        "the table.\n");
    for (size_t i = 0; tma_mma_reading_at(i); i++) {
        reading_table("###", "--mma-reading", tma_mma_reading_at(i), tma_mma_reads_at, i);
    }
}

/* Writes one page; 0 if that worked. */
static int write_page(const char *folder, const char *name, void (*write)(void)) {
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path ||
        !(page = fopen(path, "w"))) {
        fprintf(stderr, "gendocs: cannot write %s in %s\n", name, folder);
        return 1;
    }
    write();
    const int failed = ferror(page);
    if (fclose(page) || failed) {
        fprintf(stderr, "gendocs: could not write all of %s\n", path);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("usage: gendocs FOLDER\n", stderr);
        return 2;
    }
    return write_page(argv[1], "descriptor.md", descriptor) |
           write_page(argv[1], "rules.md", rules) |
           write_page(argv[1], "arithmetic.md", arithmetic) |
           write_page(argv[1], "enums.md", enums) |
           write_page(argv[1], "swizzle.md", swizzle_page) |
           write_page(argv[1], "readings.md", readings);
}
