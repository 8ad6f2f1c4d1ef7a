/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch's global memory: what parameters point to, and what a captured launch had.
 */
#include "heap.h"
#include "run_session.h"
#include "tma/detail/chars.h"

#define APART_B       UINT64_C(65536) /* between buffers: to run over one end is seen */
#define MOST_BUFFER_B (UINT64_C(1) << 40)
#define MOST_ADDRESS  (UINT64_C(1) << 56)

/* One that overlaps so many bytes; or null. No two overlap: the last that begins before their end
 * reaches furthest. */
static const session_buffer *buffer_over(const session *s, uint64_t address, uint64_t size_B) {
    const uint32_t below = emu_pieces_below(s->by_address, s->buffers, address + size_B);
    const session_buffer *b = below ? &s->buffer[s->by_address[below - 1].index] : NULL;
    return b && address < b->address + b->size_B ? b : NULL;
}

uint32_t session_buffer_at(const session *s, uint64_t address, uint64_t size_B) {
    const uint32_t below = emu_pieces_below(s->by_address, s->buffers, address + 1);
    const session_buffer *b = below ? &s->buffer[s->by_address[below - 1].index] : NULL;
    return b && size_B <= b->size_B && address - b->address <= b->size_B - size_B
               ? s->by_address[below - 1].index
               : UINT32_MAX;
}

/* Its two copies of all bytes, and its place in the list. */
static session_buffer *append_buffer(session *s, session_buffer b, tma_error *error) {
    const uint32_t at = s->buffers;
    const uint64_t limit =
        s->how.launch.most_memory_B ? s->how.launch.most_memory_B : MOST_MEMORY_B;
    s->memory_B += 2 * b.size_B;
    if (s->memory_B > limit) {
        tma_fail(error,
                 "%llu bytes for the launch's memory, as it was and as it becomes, with the "
                 "%llu bytes at 0x%llx: more than %llu (--max-memory)",
                 (unsigned long long)s->memory_B, (unsigned long long)b.size_B,
                 (unsigned long long)b.address, (unsigned long long)limit);
        return NULL;
    }
    b.first = ptx_memory_take(s->memory, (size_t)b.size_B + 1, 1);
    b.bytes = ptx_memory_take(s->memory, (size_t)b.size_B + 1, 1);
    if (b.first && b.bytes) {
        PTX_APPEND(s, by_address, pieces, (emu_piece){b.address, b.size_B, at});
    }
    if (s->pieces > at) {
        PTX_APPEND(s, buffer, buffers, b);
    }
    if (s->buffers == at) {
        tma_fail(error, "no memory for %llu byte%s", (unsigned long long)b.size_B,
                 text_plural(b.size_B));
        return NULL;
    }
    return &s->buffer[at];
}

/* The last one at its place by address. */
static void place_last(session *s) {
    uint32_t at = s->pieces - 1;
    const emu_piece last = s->by_address[at];
    for (; at && s->by_address[at - 1].address > last.address; at--) {
        s->by_address[at] = s->by_address[at - 1];
    }
    s->by_address[at] = last;
}

session_buffer *session_add_buffer(session *s, session_value *value, uint64_t size_B,
                                   tma_error *error) {
    const tma_emulate_parameter *p = &s->parameter[value->parameter];
    const session_buffer *over;
    if (size_B > MOST_BUFFER_B || size_B >= SIZE_MAX) {
        tma_fail(error, "%.*s: %llu bytes of memory, more than 2^40", (int)p->name_length, p->name,
                 (unsigned long long)size_B);
        return NULL;
    }
    while ((over = buffer_over(s, s->next_address, size_B + APART_B))) {
        s->next_address = (over->address + over->size_B + 2 * APART_B - 1) / APART_B * APART_B;
    }
    session_buffer *b = append_buffer(s,
                                      (session_buffer){.address = s->next_address,
                                                       .size_B = size_B,
                                                       .parameter = value->parameter},
                                      error);
    if (b) {
        s->next_address = (b->address + size_B + 2 * APART_B - 1) / APART_B * APART_B;
        tma_out out = tma_out_into(b->name, sizeof(b->name));
        tma_putf(&out, "%.*s", (int)p->name_length, p->name);
        value->buffer = (uint32_t)(b - s->buffer);
        place_last(s);
    }
    return b;
}

session_buffer *session_add_memory(session *s, uint64_t address, uint64_t size_B,
                                   tma_error *error) {
    if (!size_B || size_B > MOST_BUFFER_B || size_B >= SIZE_MAX || address > MOST_ADDRESS ||
        size_B > MOST_ADDRESS - address) {
        tma_fail(error, "memory at 0x%llx: %llu byte%s, must be 1 to 2^40 that end at 2^56 at most",
                 (unsigned long long)address, (unsigned long long)size_B, text_plural(size_B));
        return NULL;
    }
    session_buffer *b = append_buffer(
        s, (session_buffer){.address = address, .size_B = size_B, .parameter = UINT32_MAX}, error);
    if (b) {
        tma_out out = tma_out_into(b->name, sizeof(b->name));
        tma_putf(&out, "memory at 0x%llx", (unsigned long long)address);
    }
    return b;
}

int session_sort_memory(session *s, tma_error *error) {
    emu_sort_pieces(s->by_address, s->pieces);
    const emu_piece *over = emu_overlap(s->by_address, s->pieces);
    if (over) {
        return tma_fail(error,
                        "memory at 0x%llx, %llu byte%s: overlaps that at 0x%llx, %llu byte%s",
                        (unsigned long long)over[1].address, (unsigned long long)over[1].size_B,
                        text_plural(over[1].size_B), (unsigned long long)over[0].address,
                        (unsigned long long)over[0].size_B, text_plural(over[0].size_B));
    }
    return 0;
}

static session_buffer *buffer_by_address(session *s, const char *name, size_t length,
                                         tma_error *error) {
    uint64_t address = 0;
    if (tma_read_u64(&address, name, length, "an address", error)) {
        return NULL;
    }
    const uint32_t at = session_buffer_at(s, address, 1);
    if (at == UINT32_MAX) {
        tma_fail(error, "%.*s: no memory of the launch has this address", text_shown(length), name);
        return NULL;
    }
    return &s->buffer[at];
}

session_buffer *session_buffer_of(session *s, const char *name, size_t length, tma_error *error) {
    if (length > 2 && name[0] == '0' && name[1] == 'x') {
        return buffer_by_address(s, name, length, error);
    }
    const uint32_t parameter = session_parameter(s, name, length, error);
    if (parameter == UINT32_MAX) {
        return NULL;
    }
    for (uint32_t i = 0; i < s->values; i++) {
        if (s->value[i].parameter == parameter && s->value[i].buffer != UINT32_MAX) {
            return &s->buffer[s->value[i].buffer];
        }
    }
    tma_fail(error, "%.*s: no memory belongs to this parameter", text_shown(length), name);
    return NULL;
}
