/* SPDX-License-Identifier: Apache-2.0
 *
 * ELF sections, read a few headers at a time.
 */
#include "core_file.h"

#include <string.h>

#include "tma/detail/assert.h"

#define HEADER_B 64 /* of the file, and of a section */

uint32_t core_u32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint64_t core_u64(const uint8_t *at) {
    return core_u32(at) | (uint64_t)core_u32(at + 4) << 32;
}

static bool lies_inside(uint64_t at, uint64_t size, uint64_t whole) {
    return size <= whole && at <= whole - size;
}

static void header_of(core_section *s, const uint8_t *h) {
    *s = (core_section){.name = core_u32(h),
                        .type = core_u32(h + 4),
                        .address = core_u64(h + 16),
                        .at = core_u64(h + 24),
                        .size = core_u64(h + 32),
                        .link = core_u32(h + 40),
                        .info = core_u32(h + 44),
                        .row_B = core_u64(h + 56)};
}

static bool keep(core_elf *elf, uint64_t number) {
    TMA_ASSERT(number < elf->count);
    const uint64_t left = elf->count - number;
    const uint64_t count = left < CORE_HEADERS ? left : CORE_HEADERS;
    elf->kept_count = 0;
    if (!elf->read(elf->context, elf->base + elf->headers_at + number * HEADER_B, elf->kept,
                   (size_t)(count * HEADER_B))) {
        return false;
    }
    elf->kept_first = number;
    elf->kept_count = count;
    return true;
}

bool core_elf_section(core_elf *elf, uint64_t number, core_section *out) {
    if (number >= elf->count) {
        return false;
    }
    if ((number < elf->kept_first || number - elf->kept_first >= elf->kept_count) &&
        !keep(elf, number)) {
        return false;
    }
    TMA_ASSERT(number - elf->kept_first < elf->kept_count);
    header_of(out, elf->kept + (number - elf->kept_first) * HEADER_B);
    return out->type == 8 /* no bits */ || lies_inside(out->at, out->size, elf->size);
}

bool core_elf_is_whole(core_elf *elf) {
    core_section s;
    for (uint64_t i = 0; i < elf->count; i++) {
        if (!core_elf_section(elf, i, &s)) {
            return false;
        }
    }
    return elf->count > 0;
}

bool core_elf_bytes(const core_elf *elf, const core_section *s, uint64_t from, void *to,
                    size_t size) {
    return lies_inside(from, size, s->size) && lies_inside(s->at, s->size, elf->size) &&
           elf->read(elf->context, elf->base + s->at + from, to, size);
}

void core_elf_name(const core_elf *elf, uint64_t name, char *to, size_t room) {
    TMA_ASSERT(room);
    size_t i = 0;
    if (name < elf->names_B) {
        const uint64_t left = elf->names_B - name;
        const size_t size = left < room - 1 ? (size_t)left : room - 1;
        if (elf->read(elf->context, elf->base + elf->names_at + name, to, size)) {
            while (i < size && to[i]) {
                i++;
            }
        }
    }
    to[i] = '\0';
}

const char *core_elf_open(core_elf *elf, core_read_fn *read, void *context, uint64_t base,
                          uint64_t size) {
    uint8_t h[HEADER_B];
    core_section names;
    memset(elf, 0, sizeof(*elf));
    elf->read = read;
    elf->context = context;
    elf->base = base;
    elf->size = size;
    if (size < HEADER_B || !read(context, base, h, sizeof(h)) || memcmp(h, "\177ELF", 4) != 0) {
        return "not an ELF file";
    }
    if (h[4] != 2 || h[5] != 1) {
        return "not a 64-bit little-endian ELF file";
    }
    elf->abi = h[7];
    elf->version = h[8];
    elf->elf_type = (uint16_t)(core_u32(h + 16) & 0xFFFF);
    elf->machine = (uint16_t)(core_u32(h + 16) >> 16);
    elf->headers_at = core_u64(h + 40);
    elf->count = core_u32(h + 60) & 0xFFFF;
    uint64_t names_number = core_u32(h + 60) >> 16;
    if ((core_u32(h + 56) >> 16 & 0xFFFF) != HEADER_B ||
        !lies_inside(elf->headers_at, HEADER_B, size)) {
        return "cut off: its table of sections lies beyond its end";
    }
    if (elf->count == 0 || names_number == 0xFFFF) { /* more than 16 bits hold: in section 0 */
        core_section first = {.type = UINT32_MAX};   /* it may not be there to be read */
        const bool many = elf->count == 0;
        elf->count = 1;
        if (!core_elf_section(elf, 0, &first) && first.type != 0) {
            return "cut off in its first section";
        }
        names_number = names_number == 0xFFFF ? first.link : names_number;
        elf->count = many ? first.size : core_u32(h + 60) & 0xFFFF;
    }
    if (elf->count > (size - elf->headers_at) / HEADER_B) {
        return "cut off: its table of sections is longer than the file";
    }
    if (core_elf_section(elf, names_number, &names)) {
        elf->names_at = names.at;
        elf->names_B = names.size;
    }
    return NULL;
}
