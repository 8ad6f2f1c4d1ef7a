/* SPDX-License-Identifier: Apache-2.0
 *
 * .debug_line, read a few bytes at a time.
 */
#include "core_lines.h"

#include <string.h>

#include "tma/detail/assert.h"

#define PIECE_B 512

typedef struct reader {
    const core_elf *elf;
    core_section section;
    uint64_t at;
    uint64_t end;
    uint64_t kept_at;
    size_t kept_B;
    bool over;
    uint8_t kept[PIECE_B];
} reader;

static uint8_t u8(reader *r) {
    if (r->at >= r->end) {
        r->over = true;
        return 0;
    }
    TMA_ASSERT(r->at < r->section.size);
    if (r->at < r->kept_at || r->at - r->kept_at >= r->kept_B) {
        const uint64_t left = r->section.size - r->at;
        r->kept_B = left < PIECE_B ? (size_t)left : PIECE_B;
        r->kept_at = r->at;
        if (!core_elf_bytes(r->elf, &r->section, r->at, r->kept, r->kept_B)) {
            r->kept_B = 0;
            r->over = true;
            return 0;
        }
    }
    return r->kept[r->at++ - r->kept_at];
}

static uint64_t fixed(reader *r, unsigned bytes) {
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++) {
        v |= (uint64_t)u8(r) << 8 * i;
    }
    return v;
}

static uint64_t uleb(reader *r) {
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t b = u8(r);
        v |= shift < 64 ? (uint64_t)(b & 0x7F) << shift : 0;
        if (!(b & 0x80)) {
            return v;
        }
    }
}

static int64_t sleb(reader *r) {
    uint64_t v = 0;
    unsigned shift = 0;
    uint8_t b;
    do {
        b = u8(r);
        v |= shift < 64 ? (uint64_t)(b & 0x7F) << shift : 0;
        shift += 7;
    } while (b & 0x80);
    return (int64_t)(shift < 64 && (b & 0x40) ? v | ~UINT64_C(0) << shift : v);
}

static void string(reader *r, char *to, size_t room) {
    size_t i = 0;
    TMA_ASSERT(!to || room);
    for (uint8_t c; (c = u8(r)) != 0;) {
        if (to && i + 1 < room) {
            to[i++] = (char)c;
        }
    }
    if (to) {
        to[i] = '\0';
    }
}

typedef struct unit {
    uint64_t next;
    uint64_t files_at; /* the tables of folders and files */
    uint64_t program_at;
    uint8_t shortest;
    int8_t base;
    uint8_t range;
    uint8_t first;
    uint8_t operands[256];
} unit;

static bool read_unit(reader *r, unit *u) {
    const uint64_t length = fixed(r, 4);
    u->next = r->at + length;
    if (r->over || length > r->section.size - r->at) {
        return false;
    }
    const uint64_t version = fixed(r, 2);
    const uint64_t header = fixed(r, 4);
    u->program_at = r->at + header;
    u->shortest = u8(r);
    if (version >= 4) {
        (void)u8(r);
    }
    (void)u8(r);
    u->base = (int8_t)u8(r);
    u->range = u8(r);
    u->first = u8(r);
    for (unsigned i = 1; i < u->first; i++) {
        u->operands[i] = u8(r);
    }
    u->files_at = r->at;
    return !r->over && version >= 2 && version <= 4 && u->range && u->program_at <= u->next;
}

/* File `number` of the unit, with its folder before it. */
static void file_name(const reader *units, const unit *u, uint64_t number, char *to, size_t room) {
    reader tables = *units;
    reader *const r = &tables;
    uint64_t folder = 0;
    char name[200] = "";
    char path[200] = "";
    uint64_t n = 0;
    r->at = u->files_at;
    do {
        string(r, name, sizeof(name));
    } while (*name && !r->over);
    for (n = 1; !r->over; n++) {
        string(r, name, sizeof(name));
        if (!*name) {
            return;
        }
        folder = uleb(r);
        (void)uleb(r);
        (void)uleb(r);
        if (n == number) {
            break;
        }
    }
    r->at = u->files_at;
    for (n = 1; folder && n <= folder && !r->over; n++) {
        string(r, path, sizeof(path));
        if (!*path) {
            break;
        }
    }
    const size_t before = name[0] == '/' ? 0 : strlen(path);
    const size_t behind = strlen(name);
    if (before + 1 + behind < room) {
        memcpy(to, path, before + 1);
        to[before] = '/';
        memcpy(to + before + (before ? 1 : 0), name, behind + 1);
    }
}

typedef struct rows {
    uint64_t address, file, line, caller;
    uint64_t before_file, before_line, before_address, before_caller;
    uint64_t sequence, number; /* of sequences before this one, of its rows so far */
    uint64_t wanted;           /* an address, or a row's number in wanted_sequence */
    uint64_t wanted_sequence;
    bool by_number;
    bool has_before;
    bool found;
} rows;

/* A sequence begins. */
static void reset(rows *s) {
    *s = (rows){.file = 1,
                .line = 1,
                .sequence = s->sequence,
                .wanted = s->wanted,
                .wanted_sequence = s->wanted_sequence,
                .by_number = s->by_number};
}

static bool emit(rows *s) {
    if (!s->by_number && s->has_before && s->before_address <= s->wanted &&
        s->wanted < s->address) {
        return s->found = true;
    }
    s->before_address = s->address;
    s->before_file = s->file;
    s->before_line = s->line;
    s->before_caller = s->caller;
    s->has_before = true;
    s->number++;
    return s->found = s->by_number && s->sequence == s->wanted_sequence && s->number == s->wanted;
}

#define INLINED_CALL 0x90

static bool extended(reader *r, rows *s) {
    const uint64_t length = uleb(r);
    const uint64_t end = r->at + length;
    if (length == 0 || length > r->end - r->at) {
        r->over = true;
        return false;
    }
    const uint8_t op = u8(r);
    if (op == 1) {
        if (emit(s)) {
            return true;
        }
        s->sequence++;
        reset(s);
    } else if (op == 2) {
        s->address = fixed(r, (unsigned)(length - 1 < 8 ? length - 1 : 8));
    } else if (op == INLINED_CALL) {
        s->caller = uleb(r);
    }
    r->at = end;
    return false;
}

static bool standard(reader *r, const unit *u, rows *s, uint8_t op) {
    TMA_ASSERT(op && op < u->first);
    switch (op) {
    case 1:
        return emit(s);
    case 2:
        s->address += uleb(r) * u->shortest;
        return false;
    case 3:
        s->line += (uint64_t)sleb(r);
        return false;
    case 4:
        s->file = uleb(r);
        return false;
    case 8:
        s->address += (uint64_t)((255 - u->first) / u->range) * u->shortest;
        return false;
    case 9:
        s->address += fixed(r, 2);
        return false;
    default:
        for (unsigned i = 0; i < u->operands[op]; i++) {
            (void)uleb(r);
        }
        return false;
    }
}

/* To the row that covers an address, or has a number in the sequence that *s is at; *s has it as
 * `before`. */
static bool run(const reader *units, const unit *u, rows *s, uint64_t wanted, bool by_number) {
    reader program = *units;
    reader *const r = &program;
    TMA_ASSERT(u->range && u->program_at <= u->next && u->next <= r->section.size);
    *s = (rows){.wanted = wanted, .wanted_sequence = s->sequence, .by_number = by_number};
    reset(s);
    r->at = u->program_at;
    r->end = u->next;
    while (r->at < u->next && !r->over) {
        const uint8_t op = u8(r);
        bool found;
        if (op >= u->first) {
            const unsigned step = (unsigned)(op - u->first);
            s->address += (uint64_t)(step / u->range) * u->shortest;
            s->line += (uint64_t)(int64_t)(u->base + (int)(step % u->range));
            found = emit(s);
        } else {
            found = op ? standard(r, u, s, op) : extended(r, s);
        }
        if (found) {
            return true;
        }
    }
    return false;
}

#define MOST_INLINED 32 /* calls, each in the one before */

/* What is found, and the rows that it is called from. */
static void put_line(core_line *out, const reader *units, const unit *u, rows *s) {
    out->line = (uint32_t)s->before_line;
    file_name(units, u, s->before_file, out->file, sizeof(out->file));
    for (unsigned i = 0; i < MOST_INLINED && s->before_caller; i++) {
        if (!run(units, u, s, s->before_caller, true)) {
            return;
        }
        core_call *call = &out->calls[i < CORE_MOST_CALLS ? i : CORE_MOST_CALLS - 1];
        call->line = (uint32_t)s->before_line;
        file_name(units, u, s->before_file, call->file, sizeof(call->file));
        out->call_count = (uint32_t)(call - out->calls) + 1;
    }
}

void core_line_of(core_line *out, core_elf *image, uint64_t address) {
    reader r;
    unit u;
    rows s = {0};
    memset(out, 0, sizeof(*out));
    memset(&r, 0, sizeof(r));
    r.elf = image;
    for (uint64_t i = 0; i < image->count; i++) {
        char name[32];
        if (!core_elf_section(image, i, &r.section)) {
            continue;
        }
        core_elf_name(image, r.section.name, name, sizeof(name));
        if (strcmp(name, ".debug_line") != 0) {
            continue;
        }
        r.end = r.section.size;
        while (read_unit(&r, &u)) {
            if (run(&r, &u, &s, address, false)) {
                put_line(out, &r, &u, &s);
                return;
            }
            r.at = u.next;
        }
        return;
    }
}
