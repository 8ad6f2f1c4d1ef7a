/* SPDX-License-Identifier: Apache-2.0
 *
 * A cubin is an ELF file with a section .text.NAME for each kernel, of instructions of 16 bytes,
 * whose lowest 12 bits say which. Which are tensor copies: ptxas 13.0 was given each kind of them
 * for sm_90, sm_90a, sm_100a, sm_103a, sm_110a, sm_120a and sm_121, and what came out was compared
 * with the same kernel without (program/shim/tests/test_shim_machine_code.py does that again).
 */
#include "machine_code.h"

#include <string.h>

#include "careful_read.h"

#define HEAD_B    64u
#define SECTION_B 64u
#define CODE      1u /* SHT_PROGBITS */
#define STRINGS   3u /* SHT_STRTAB */
#define NO_BYTES  8u /* SHT_NOBITS */
#define UNIT_B    16u
#define PIECE_B   4096u
#define MOST_B    (UINT64_C(1) << 30)

struct section {
    uint32_t name, type;
    uint64_t unknown[2];
    uint64_t at, size_B;
    uint64_t unknown_too[3];
};
_Static_assert(sizeof(struct section) == SECTION_B, "as ELF64 has it");

struct elf {
    const char *at;
    size_t most_B;
};

/* `size_B` bytes from `at` on, where they are. */
static int read_part(const struct elf *elf, void *to, uint64_t at, size_t size_B) {
    return at > MOST_B || at + size_B > elf->most_B || read_carefully(to, elf->at + at, size_B);
}

static int is_copy(const uint8_t *unit) {
    const uint32_t which = (uint32_t)unit[0] | ((uint32_t)unit[1] & 0xF) << 8;
    const uint32_t form = which >> 8;
    const uint32_t kind = which & 0xFF; /* load, store, reduction, prefetch */
    return (form == 3 || form == 5) &&
           (kind == 0xB4 || kind == 0xB5 || kind == 0xB6 || kind == 0xB8);
}

static int has_copies(const struct elf *elf, const struct section *s) {
    uint8_t piece[PIECE_B];
    for (uint64_t at = 0; at + UNIT_B <= s->size_B; at += PIECE_B) {
        const uint64_t left = s->size_B - at;
        const size_t size = left < PIECE_B ? (size_t)left / UNIT_B * UNIT_B : PIECE_B;
        if (read_part(elf, piece, s->at + at, size)) {
            return 0;
        }
        for (size_t i = 0; i < size; i += UNIT_B) {
            if (is_copy(piece + i)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Names that checks bring begin so, and symbols keep them. */
static int names_checks(const struct elf *elf, const struct section *s) {
    static const char own[] = "libtma";
    const size_t length = sizeof(own) - 1;
    char piece[PIECE_B];
    for (uint64_t at = 0; at < s->size_B; at += PIECE_B - length) {
        const uint64_t left = s->size_B - at;
        const size_t size = left < PIECE_B ? (size_t)left : PIECE_B;
        if (read_part(elf, piece, s->at + at, size)) {
            return 0;
        }
        for (size_t i = 0; i + length <= size; i++) {
            if (!memcmp(piece + i, own, length)) {
                return 1;
            }
        }
    }
    return 0;
}

static int is_kernel(const struct elf *elf, const struct section *names, const struct section *s) {
    static const char begin[] = ".text.";
    char name[sizeof(begin) - 1];
    return s->type == CODE && !read_part(elf, name, names->at + s->name, sizeof(name)) &&
           !memcmp(name, begin, sizeof(name));
}

size_t machine_code_size(const void *image, size_t most_B) {
    const struct elf elf = {image, most_B};
    uint8_t head[HEAD_B];
    uint64_t at[2] = {0}; /* of segments' rows, and of sections' */
    uint16_t rows[4] = {0};
    if (read_part(&elf, head, 0, sizeof(head)) || memcmp(head,
                                                         "\x7f"
                                                         "ELF\x02\x01",
                                                         6) != 0) {
        return 0;
    }
    memcpy(at, head + 32, sizeof(at));
    memcpy(rows, head + 54, sizeof(rows)); /* their sizes and counts */
    if (at[0] > MOST_B || at[1] > MOST_B || rows[2] != SECTION_B) {
        return 0;
    }
    const uint64_t segments_end = at[0] + (uint64_t)rows[0] * rows[1];
    const uint64_t sections_end = at[1] + (uint64_t)rows[2] * rows[3];
    uint64_t end = segments_end > sections_end ? segments_end : sections_end;
    for (uint32_t i = 0; i < rows[3]; i++) {
        struct section s;
        if (read_part(&elf, &s, at[1] + (uint64_t)i * SECTION_B, sizeof(s)) || s.at > MOST_B ||
            s.size_B > MOST_B) {
            return 0;
        }
        if (s.type != NO_BYTES && s.at + s.size_B > end) {
            end = s.at + s.size_B;
        }
    }
    return end > most_B ? 0 : (size_t)end;
}

uint32_t machine_code_unchecked(const void *image, size_t most_B) {
    const struct elf elf = {image, most_B};
    uint8_t head[HEAD_B];
    uint64_t sections_at = 0;
    uint16_t numbers[3] = {0}; /* a section's size, how many, which has their names */
    struct section names;
    uint32_t found = 0;
    if (read_part(&elf, head, 0, sizeof(head)) || memcmp(head,
                                                         "\x7f"
                                                         "ELF\x02\x01",
                                                         6) != 0) {
        return 0;
    }
    memcpy(&sections_at, head + 40, sizeof(sections_at));
    memcpy(numbers, head + 58, sizeof(numbers));
    if (numbers[0] != SECTION_B ||
        read_part(&elf, &names, sections_at + (uint64_t)numbers[2] * SECTION_B, sizeof(names))) {
        return 0;
    }
    for (uint32_t i = 0; i < numbers[1]; i++) {
        struct section s;
        if (read_part(&elf, &s, sections_at + (uint64_t)i * SECTION_B, sizeof(s))) {
            return found;
        }
        if (s.size_B > MOST_B) {
            continue;
        }
        if (s.type == STRINGS && names_checks(&elf, &s)) {
            return 0;
        }
        found += is_kernel(&elf, &names, &s) && has_copies(&elf, &s);
    }
    return found;
}
