/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory of a captured launch, each allocation at the address that it had: what parameters,
 * maps and the memory itself point to stays where it was.
 */
#include "launch_file.h"
#include "tma/detail/chars.h"

static int read_piece(launch_file *out, const json_value *piece, tma_error *error) {
    const json_value *offset = json_member(piece, "offset_B"), *hex = json_member(piece, "hex");
    launch_piece p = {0, hex ? hex->text : NULL, hex ? hex->length : 0};
    if (!hex || hex->kind != JSON_TEXT || !offset ||
        json_u64(offset, &p.offset_B, "offset_B", error)) {
        return tma_fail(error, "launch: memory: bytes: each has offset_B, and hex");
    }
    PTX_APPEND(out, piece, pieces, p);
    return out->memory->failed ? tma_fail(error, "no memory") : 0;
}

static int read_one(launch_file *out, const json_value *value, tma_error *error) {
    const json_value *address = json_member(value, "address"), *size = json_member(value, "size_B"),
                     *bytes = json_member(value, "bytes");
    launch_memory m = {.is_left_out = !bytes};
    if (!address || !size || json_u64(address, &m.address, "address", error) ||
        json_u64(size, &m.size_B, "size_B", error) || (bytes && bytes->kind != JSON_LIST)) {
        return tma_fail(error, "launch: memory: each has an address, size_B, and bytes, a list, "
                               "where they are known");
    }
    for (const json_value *p = bytes ? bytes->first : NULL; p; p = p->next) {
        if (read_piece(out, p, error)) {
            return -1;
        }
        m.pieces++;
    }
    PTX_APPEND(out, place, places, m);
    return out->memory->failed ? tma_fail(error, "no memory") : 0;
}

int launch_read_memory(launch_file *out, const json_value *list, tma_error *error) {
    if (list->kind != JSON_LIST) {
        return tma_fail(error, "launch: memory: a list is expected");
    }
    for (const json_value *m = list->first; m; m = m->next) {
        if (read_one(out, m, error)) {
            return -1;
        }
    }
    return 0;
}

int launch_place_memory(session *s, const launch_file *from, tma_error *error) {
    const launch_piece *piece = from->piece;
    for (uint32_t i = 0; i < from->places; i++) {
        const launch_memory *m = &from->place[i];
        session_buffer *b = session_add_memory(s, m->address, m->size_B, error);
        if (!b) {
            return -1;
        }
        b->is_left_out = m->is_left_out;
        for (uint32_t k = 0; k < m->pieces; k++, piece++) {
            const uint64_t size_B = piece->digits / 2;
            if (piece->offset_B > m->size_B || size_B > m->size_B - piece->offset_B) {
                return tma_fail(error,
                                "launch: memory at 0x%llx: bytes at %llu, %llu of them: it has "
                                "%llu",
                                (unsigned long long)m->address, (unsigned long long)piece->offset_B,
                                (unsigned long long)size_B, (unsigned long long)m->size_B);
            }
            if (session_hex(b->first + piece->offset_B, piece->hex, piece->digits)) {
                return tma_fail(error, "launch: memory at 0x%llx: its bytes are no hex",
                                (unsigned long long)m->address);
            }
        }
    }
    return session_sort_memory(s, error);
}
