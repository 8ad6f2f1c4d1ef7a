/* SPDX-License-Identifier: Apache-2.0
 *
 * docs/swizzle.md.
 */
#include <inttypes.h>
#include <string.h>

#include "gendocs_page.h"
#include "tma/tma.h"

#define LINE_B 128

/* "[6:4]", "[4]"; the lowest set bits of a mask, moved up by `by`. */
static void bits_text(char *text, size_t size, uint32_t mask, uint32_t by) {
    uint32_t low = 0;
    uint32_t high = 31;
    while (!(mask >> low & 1)) {
        low++;
    }
    while (!(mask >> high & 1)) {
        high--;
    }
    snprintf(text, size, low == high ? "[%" PRIu32 "]" : "[%" PRIu32 ":%" PRIu32 "]", high + by,
             low + by);
}

static void xor_cell(tma_swizzle_bits bits) {
    char at[16];
    char by[16];
    char text[80] = "-";
    if (bits.mask) {
        bits_text(at, sizeof at, bits.mask, 0);
        bits_text(by, sizeof by, bits.mask, bits.shift);
        snprintf(text, sizeof text, "%s ^= %s", at, by);
    }
    if (bits.flip_mask) {
        const size_t length = strlen(text);
        bits_text(at, sizeof at, bits.flip_mask, 0);
        bits_text(by, sizeof by, bits.flip_mask, bits.flip_shift);
        snprintf(text + length, sizeof text - length, ", %s ^= %s", at, by);
    }
    cell(text);
}

/* PTX 5.5.7 has a formula for each span. */
static int base_offsets(uint32_t swizzle) {
    switch (tma_swizzle_span_B(swizzle)) {
    case 128:
        return 8;
    case 64:
        return 4;
    case 32:
    case 96:
        return 2;
    default:
        return 0;
    }
}

static const char *swizzle_seen(uint32_t swizzle) {
    switch (swizzle) {
#define TMA_SWIZZLE_ROWS(id, name, cuda, ptx, imm, stored, evidence, atom, span, repeat, align,    \
                         traits, shift, mask, flip_shift, flip_mask, seen)                         \
    case TMA_SWIZZLE_##id:                                                                         \
        return seen;
#include "tma/enums.def"
    default:
        return "?";
    }
}

static void swizzle_summary(void) {
    const size_t count = tma_enum_count(TMA_ENUM_SWIZZLE);
    section("All modes");
    put("Bits of the absolute shared address; `^=` is the exclusive or.\n\n"
        "| mode | span | address bits | repeats after | base offset | seen |\n"
        "| --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < count; i++) {
        const uint32_t swizzle = (uint32_t)tma_enum_at(TMA_ENUM_SWIZZLE, i)->driver;
        const uint32_t repeat_B = tma_swizzle_repeat_B(swizzle);
        char text[48];
        begin_row(tma_enum_at(TMA_ENUM_SWIZZLE, i)->name);
        snprintf(text, sizeof text, "%" PRIu32 " B", tma_swizzle_span_B(swizzle));
        cell(tma_swizzle_span_B(swizzle) ? text : "-");
        xor_cell(tma_swizzle_bits_of(swizzle));
        snprintf(text, sizeof text, "%" PRIu32 " B", repeat_B);
        cell(repeat_B >= LINE_B ? text : "-");
        snprintf(text, sizeof text, "(address / 128) %% %d", base_offsets(swizzle));
        cell(base_offsets(swizzle) ? text : "-");
        cell(swizzle_seen(swizzle));
        end_row();
    }
}

/* Which piece of an unswizzled line lies at each place, line by line until the pattern repeats. */
static void swizzle_table(const tma_enum_row *row) {
    const uint32_t swizzle = (uint32_t)row->driver;
    const tma_swizzle_bits bits = tma_swizzle_bits_of(swizzle);
    const uint32_t piece_B = bits.flip_mask ? 8 : 16;
    fprintf(page, "\n### %s\n\n| line |", row->name);
    for (uint32_t at = 0; at < LINE_B; at += piece_B) {
        fprintf(page, " +%" PRIu32 " |", at);
    }
    put("\n| --- |");
    for (uint32_t at = 0; at < LINE_B; at += piece_B) {
        put(" --- |");
    }
    for (uint32_t line = 0; line < tma_swizzle_repeat_B(swizzle); line += LINE_B) {
        fprintf(page, "\n| %" PRIu32 " |", line / LINE_B);
        for (uint32_t at = 0; at < LINE_B; at += piece_B) {
            fprintf(page, " %" PRIu32 " |", tma_swizzled(bits, line + at) % LINE_B / piece_B);
        }
    }
    put("\n");
}

void swizzle_page(void) {
    const size_t count = tma_enum_count(TMA_ENUM_SWIZZLE);
    title("Swizzles", "`tma_swizzle_bits_of` and `include/tma/enums.def`");
    put("\nA swizzle moves bytes inside shared memory so that rows of a tile lie in different "
        "banks. Higher bits of a shared address a flip some of its lower bits. For 128B the byte "
        "goes to a ^ ((a >> 3) & 0x70). A kernel that reads the tile has to compute the same. "
        "Applied twice the swizzle gives a again. It depends on the absolute shared address. So a "
        "box that does not begin at a multiple of the repeat begins in the middle of the pattern. "
        "Stores and reductions read shared memory through the same swizzle. Without interleave a "
        "row begins every span. The gap after a narrower row is neither written nor read. "
        "Interleaved rows have no gaps.\n\n"
        "![128B: bits 7 to 9 of an address flip bits 4 to 6](figures/swizzle_address_bits.svg)\n");
    swizzle_summary();
    put("\n- On sm_90, 627 captured copies are swizzled at addresses off the pattern's start.\n"
        "- The base offset (PTX 5.5.7) is 0 where the address is a multiple of the repeat. "
        "Elsewhere it is the line of the tables below that a box at this address begins with. The "
        "modes with 32- and 64-byte atoms repeat sooner: modulo the lines of their table.\n"
        "- Shared addresses are multiples of 128, else the kernel dies (seen for every plain "
        "mode). In the modes with 32- and 64-byte atoms they are multiples of 32 and 64, by PTX "
        "5.5.7 alone ([blackwell.md](blackwell.md)).\n"
        "- 128B_ATOM_32B_FLIP_8B only loads.\n"
        "- 96B exists on sm_103a only. Its rows are 96 bytes apart. The tables still go by lines "
        "of 128.\n");
    section("One element");
    put("A coordinate and an index are innermost first: the element in row 3 and column 5 of a box "
        "is "
        "`--element 5,3`. Its row begins every span, its column is times the size of an element: "
        "3 * 128 + 5 * 2 = 394. A line is 128 bytes of shared memory, a chunk 16, a bank 4; all "
        "three go by the absolute shared address, and the box begins at `--shared`.\n\n"
        "```console\n$ tma plan --dtype bfloat16 --dim 4096,8192 --box 64,128 --swizzle 128B "
        "--element 5,3 | tail -n 3\n"
        "    element 5,3              coordinates 5,3, inside, global 0x7f000000600a\n"
        "    before the swizzle       0x0058a: byte 394 of the box, chunk 0 of its line, bank 2\n"
        "    after the swizzle        0x005ba: byte 442 of the box, chunk 3 of its line, bank 14\n"
        "```\n\n0x58a ^ ((0x58a >> 3) & 0x70) = 0x58a ^ 0x30 = 0x5ba. A kernel computes it with "
        "`tma_layout_swizzled()` of `tma/layout.h`.\n");
    section("Tables");
    put("A row is 128 bytes of shared memory, a cell says which 16-byte piece (8-byte piece where "
        "the mode flips) of the unswizzled line lies there. The tests hold the library against "
        "the tables of PTX 5.5.7, typed by hand (`tests/support/plain/swizzle_tables.c`).\n");
    for (size_t i = 0; i < count; i++) {
        if (tma_swizzle_bits_of((uint32_t)tma_enum_at(TMA_ENUM_SWIZZLE, i)->driver).mask) {
            swizzle_table(tma_enum_at(TMA_ENUM_SWIZZLE, i));
        }
    }
}
