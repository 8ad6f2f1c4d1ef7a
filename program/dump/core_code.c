/* SPDX-License-Identifier: Apache-2.0
 *
 * The code at a PC: function, line, what it waits for.
 */
#include "core_pass.h"

#include <string.h>

#include "tma/detail/assert.h"

#define UNIT_B      UINT64_C(16) /* of an instruction */
#define CODE_BEFORE 32
#define CODE_BEHIND 80

#define SECTION_B       64  /* of a section's header */
#define LOOKS_A_SECTION 256 /* that a dump has room for: as many places are kept */
#define LOOKS_AT_LEAST  1000000

uint64_t core_looks(uint64_t size_B) {
    return LOOKS_AT_LEAST + LOOKS_A_SECTION * (size_B / SECTION_B);
}

static bool may_look(core_pass *p, uint64_t sections) {
    const bool may = p->looks >= sections;
    p->looks -= may ? sections : p->looks;
    return may;
}

/* The text section that ran at the address; p->text is in p->image then. */
static bool find_text(core_pass *p, uint64_t pc) {
    if (p->image_number && pc >= p->text.address && pc - p->text.address < p->text.size) {
        return true;
    }
    for (uint64_t i = p->relf_from; i < p->relf_to; i++) {
        core_section s;
        if (!may_look(p, 1)) {
            p->out->unsearched++;
            break;
        }
        if (!core_elf_section(&p->elf, i, &s) || s.type != CORE_TYPES + CORE_RELF ||
            core_elf_open(&p->image, p->elf.read, p->elf.context, s.at, s.size)) {
            continue;
        }
        if (!may_look(p, p->image.count)) {
            p->out->unsearched++;
            break;
        }
        for (uint64_t k = 0; k < p->image.count; k++) {
            core_section t;
            if (core_elf_section(&p->image, k, &t) && t.type == 1 && t.address && t.address <= pc &&
                pc - t.address < t.size) {
                p->image_number = i;
                p->text = t;
                return true;
            }
        }
    }
    p->image_number = 0;
    return false;
}

static void look_at(core_pass *p, core_code *c) {
    uint8_t code[(CODE_BEFORE + CODE_BEHIND) * UNIT_B];
    c->wait.kind = CORE_UNKNOWN;
    if (!find_text(p, c->pc)) {
        return;
    }
    const uint64_t at = c->pc - p->text.address;
    TMA_ASSERT(at < p->text.size);
    const uint64_t from = at > CODE_BEFORE * UNIT_B ? at - CODE_BEFORE * UNIT_B : 0;
    const uint64_t left = p->text.size - from;
    const size_t size = left < sizeof(code) ? (size_t)left : sizeof(code);
    char name[CORE_NAME_B];
    core_elf_name(&p->image, p->text.name, name, sizeof(name));
    const char *function = strncmp(name, ".text.", 6) == 0 ? name + 6 : name;
    memcpy(c->function, function, strlen(function) + 1);
    c->offset = (uint32_t)at;
    if (p->sm == 90 && core_elf_bytes(&p->image, &p->text, from, code, size)) {
        core_wait_of(&c->wait, code, (uint32_t)(size / UNIT_B), (uint32_t)((at - from) / UNIT_B));
    }
    /* a line is looked for from the table's begin on */
    if (!may_look(p, p->image.size / SECTION_B)) {
        p->out->unsearched++;
        return;
    }
    core_line_of(&c->line, &p->image, c->pc + (uint64_t)(int64_t)c->wait.at);
}

/* The entry that was used longest ago; none of this warp's, which has fewer lanes than there are.
 */
static core_code *oldest(core_pass *p) {
    core_hang *out = p->out;
    core_code *found = &out->codes[0];
    if (out->code_count < CORE_CODES) {
        return &out->codes[out->code_count++];
    }
    for (size_t i = 1; i < CORE_CODES; i++) {
        found = out->codes[i].used < found->used ? &out->codes[i] : found;
    }
    TMA_ASSERT(found->used < p->warp_serial); /* lanes point to those of this warp */
    return found;
}

core_code *core_code_at(core_pass *p, uint64_t pc) {
    core_code *c = NULL;
    for (size_t i = 0; i < p->out->code_count && !c; i++) {
        c = p->out->codes[i].pc == pc ? &p->out->codes[i] : NULL;
    }
    if (!c) {
        c = oldest(p);
        memset(c, 0, sizeof(*c));
        c->pc = pc;
        look_at(p, c);
    }
    c->used = p->warp_serial;
    p->unknown_code |= c->wait.kind == CORE_UNKNOWN;
    return c;
}
