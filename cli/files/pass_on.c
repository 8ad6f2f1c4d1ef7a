/* SPDX-License-Identifier: Apache-2.0
 *
 * A filter.
 */
#include "pass_on.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

#define PIECE_B ((size_t)1 << 16)

/* Room for one piece more, twice as much each time. */
static void make_room(file_bytes *out, size_t *room_B) {
    if (*room_B - out->size < PIECE_B) {
        *room_B = 2 * *room_B + PIECE_B;
        out->at = cli_got(realloc(out->at, *room_B));
    }
}

/* The next piece: its bytes, 0 at the end, negative where it cannot be read. */
static ptrdiff_t read_piece(file_bytes *out, size_t *room_B) {
    make_room(out, room_B);
    const ptrdiff_t count = host_read(out->at + out->size, PIECE_B);
    out->size += count > 0 ? (size_t)count : 0;
    return count;
}

static void write_piece(const uint8_t *at, size_t size) {
    fwrite(at, 1, size, stdout); /* main looks for errors at the end */
    fflush(stdout);
}

int pass_on(file_bytes *out, uint64_t most_B, tma_error *error) {
    size_t room_B = 0;
    *out = (file_bytes){NULL, 0};
    host_interrupts(0);
    ptrdiff_t count = read_piece(out, &room_B);
    const int is_text = count <= 0 || !memchr(out->at, 0, (size_t)count);
    while (count > 0 && out->size <= most_B) {
        if (is_text) {
            write_piece(out->at + out->size - count, (size_t)count);
        }
        count = read_piece(out, &room_B);
    }
    const int failed =
        count < 0 ? tma_fail(error, "cannot read '-': %s", strerror(errno))
        : out->size > most_B
            ? tma_fail(error, "'-' has more than the %" PRIu64 " B that are read", most_B)
            : 0;
    host_interrupts(1);
    if (is_text) {
        host_answer_on_error();
    }
    if (failed) {
        free(out->at);
        *out = (file_bytes){NULL, 0};
    }
    return failed;
}
