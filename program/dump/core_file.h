/* SPDX-License-Identifier: Apache-2.0
 *
 * A GPU core dump: an ELF file of sections, one row a device, a grid, a CTA, a warp, a lane
 * (NVIDIA's public cudacoredump.h). Read piece by piece through the caller's function, in constant
 * memory; nothing in the file is believed before it is compared with the file's size.
 */
#ifndef DUMP_CORE_FILE_H
#define DUMP_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Brings `size` bytes from `at`; false where it cannot. */
typedef bool core_read_fn(void *context, uint64_t at, void *to, size_t size);

/* The section types of cudacoredump.h, from this number on. */
#define CORE_TYPES UINT32_C(0x80000000)

enum core_section_type {
    CORE_MANAGED = 0x1,
    CORE_GLOBAL = 0x2,
    CORE_SHARED = 0x4,
    CORE_REGS = 0x5,
    CORE_RELF = 0x7,
    CORE_DEVICES = 0x9,
    CORE_SMS = 0xb,
    CORE_GRIDS = 0xc,
    CORE_CTAS = 0xd,
    CORE_WARPS = 0xe,
    CORE_LANES = 0xf,
    CORE_PARAMS = 0x12,
    CORE_UREGS = 0x13,
    CORE_BANKS = 0x15
};

typedef struct core_section {
    uint32_t name; /* in the string table */
    uint32_t type;
    uint32_t link;
    uint32_t info;
    uint64_t address;
    uint64_t at;
    uint64_t size;
    uint64_t row_B;
} core_section;

#define CORE_HEADERS 64

/* An ELF file within the file; the core itself is one, and so are the kernels' images. */
typedef struct core_elf {
    core_read_fn *read;
    void *context;
    uint64_t base; /* of this ELF in the file */
    uint64_t size;
    uint64_t headers_at;
    uint64_t names_at;
    uint64_t names_B;
    uint64_t count;
    uint64_t kept_first; /* headers that were read last */
    uint64_t kept_count;
    uint8_t kept[CORE_HEADERS * 64];
    uint16_t machine;
    uint16_t elf_type;
    uint8_t abi;
    uint8_t version; /* of the abi: of a dump's rows */
} core_elf;

/* Null, or why not. */
const char *core_elf_open(core_elf *elf, core_read_fn *read, void *context, uint64_t base,
                          uint64_t size);

/* Whether all of its sections lie in the file: a dump that is still being written has fewer. */
bool core_elf_is_whole(core_elf *elf);

/* False where there is none, or where it does not lie in the file. */
bool core_elf_section(core_elf *elf, uint64_t number, core_section *out);

/* A section's bytes [from, from + size); false beyond its end. */
bool core_elf_bytes(const core_elf *elf, const core_section *s, uint64_t from, void *to,
                    size_t size);

/* A name of the string table, cut to fit. */
void core_elf_name(const core_elf *elf, uint64_t name, char *to, size_t room);

uint32_t core_u32(const uint8_t *at);
uint64_t core_u64(const uint8_t *at);

#endif
