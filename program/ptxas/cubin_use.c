/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes of a cubin's kernels.
 */
#include "cubin_use.h"

#include <stdlib.h>
#include <string.h>

#include "core_file.h"
#include "core_input.h"

#define INFO_TYPE      0x70000000u /* SHT_LOPROC: what is said of all kernels */
#define SYMBOL_B       24u         /* ELF64; the name is its first word */
#define FORM_SIZED     4u          /* a size stands in bytes 2 and 3, and that follows */
#define REGISTERS      0x2Fu
#define STACK          0x12u
#define MOST_SECTION_B (UINT64_C(1) << 26)

/* A section's bytes, free()d by the caller; null: there are none. */
static uint8_t *bytes_of(const core_elf *elf, const core_section *s) {
    uint8_t *bytes = s->size && s->size < MOST_SECTION_B ? malloc(s->size) : NULL;
    if (bytes && !core_elf_bytes(elf, s, 0, bytes, s->size)) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

typedef struct cubin {
    core_section info, symbols, names;
    uint8_t *info_at, *symbols_at, *names_at;
} cubin;

static int find(cubin *c, core_elf *elf) {
    char name[16];
    for (uint64_t i = 0; core_elf_section(elf, i, &c->info); i++) {
        core_elf_name(elf, c->info.name, name, sizeof(name));
        if (c->info.type == INFO_TYPE && strcmp(name, ".nv.info") == 0) {
            return core_elf_section(elf, c->info.link, &c->symbols) &&
                   core_elf_section(elf, c->symbols.link, &c->names);
        }
    }
    return 0;
}

/* Whether a symbol has that name. */
static int is_named(const cubin *c, uint32_t symbol, tma_ptx_span name) {
    if ((uint64_t)symbol * SYMBOL_B + SYMBOL_B > c->symbols.size) {
        return 0;
    }
    const uint32_t at = core_u32(c->symbols_at + (size_t)symbol * SYMBOL_B);
    return at < c->names.size && name.length < c->names.size - at &&
           !memcmp(c->names_at + at, name.at, name.length) && !c->names_at[at + name.length];
}

/* What is asked of a file. */
typedef struct asked {
    cubin_use *use; /* of each name */
    const tma_ptx_span *name;
    uint32_t names;
    uint32_t most; /* registers */
} asked;

static void take(asked *of, const cubin *c, const uint8_t *at) {
    const uint32_t number = core_u32(at + 8);
    if (at[1] == REGISTERS && number > of->most) {
        of->most = number;
    }
    for (uint32_t i = 0; i < of->names; i++) {
        if (is_named(c, core_u32(at + 4), of->name[i])) {
            *(at[1] == REGISTERS ? &of->use[i].registers : &of->use[i].stack_B) = number;
            of->use[i].is_known |= at[1] == REGISTERS;
        }
    }
}

static void take_all(asked *of, const cubin *c) {
    uint64_t at = 0;
    while (c->info.size - at >= 4) {
        const uint8_t *row = c->info_at + at;
        const uint64_t behind_B =
            row[0] == FORM_SIZED ? (uint64_t)row[2] | (uint64_t)row[3] << 8 : 0;
        if (behind_B > c->info.size - at - 4) {
            return;
        }
        if (behind_B == 8 && (row[1] == REGISTERS || row[1] == STACK)) {
            take(of, c, row);
        }
        at += 4 + behind_B;
    }
}

static void ask(asked *of, const char *path) {
    core_input input;
    core_elf elf;
    cubin c;
    tma_error error;
    memset(&c, 0, sizeof(c));
    if (core_input_open(&input, path, &error)) {
        return;
    }
    if (!core_elf_open(&elf, core_input_read, &input, 0, input.size) && find(&c, &elf)) {
        c.info_at = bytes_of(&elf, &c.info);
        c.symbols_at = bytes_of(&elf, &c.symbols);
        c.names_at = bytes_of(&elf, &c.names);
        if (c.info_at && c.symbols_at && c.names_at) {
            take_all(of, &c);
        }
        free(c.info_at);
        free(c.symbols_at);
        free(c.names_at);
    }
    core_input_close(&input);
}

void cubin_use_read(cubin_use *use, const tma_ptx_span *name, uint32_t names, const char *path) {
    asked of = {use, name, names, 0};
    memset(use, 0, names * sizeof(*use));
    ask(&of, path);
}

uint32_t cubin_most_registers(const char *path) {
    asked of = {NULL, NULL, 0, 0};
    ask(&of, path);
    return of.most;
}
