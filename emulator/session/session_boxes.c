/* SPDX-License-Identifier: Apache-2.0
 *
 * The boxes of invented maps. Where all threads are stuck, a barrier lacks what it expects less
 * what copies brought: copies of a map bring its box each. With the smallest boxes, and with one
 * map's doubled, that says how many copies of each map come there, and what they have to bring in
 * all. Several maps at one barrier are taken to bring the same.
 */
#include "launch.h"
#include "session.h"

#define LEAST_B   16
#define MOST_B    (256u * 256 * 2)
#define MOST_MAPS 16

typedef struct lack {
    uint32_t address;
    int64_t bytes; /* 0: nothing lacks */
} lack;

/* What the first barrier that lacks bytes lacks, or that of an address. */
static lack lack_of(const session *s, const lack *same) {
    const tma_emulate_finding *f;
    for (size_t i = 0; (f = tma_emulator_finding_at(s->emulator, i)); i++) {
        if (f->has_barrier && f->bytes_missing_B > 0 &&
            (!same || same->address == f->barrier_address)) {
            return (lack){f->barrier_address, f->bytes_missing_B};
        }
    }
    return (lack){0, 0};
}

static int try_it(session *s, const lack *same, lack *out, tma_error *error) {
    const int failed = session_pass(s, TMA_EMULATE_LATE, 0, error);
    *out = failed ? (lack){0, 0} : lack_of(s, same);
    return failed;
}

/* The boxes of those maps whose copies come to the barrier that is lacking. *found: there were. */
static int one_barrier(session *s, const uint32_t *map, uint8_t *is_found, uint32_t maps,
                       int *found, tma_error *error) {
    int64_t copies[MOST_MAPS] = {0}, all = 0;
    lack first, other;
    *found = 0;
    if (try_it(s, NULL, &first, error)) {
        return -1;
    }
    for (uint32_t i = 0; i < maps && first.bytes; i++) {
        if (is_found[i]) {
            continue;
        }
        if (session_box(s, map[i], 2 * LEAST_B, error) || try_it(s, &first, &other, error) ||
            session_box(s, map[i], LEAST_B, error)) {
            return -1;
        }
        copies[i] = first.bytes > other.bytes ? (first.bytes - other.bytes) / LEAST_B : 0;
        all += copies[i];
    }
    const int64_t box_B = all ? first.bytes / all + LEAST_B : 0;
    uint32_t sharing = 0;
    for (uint32_t i = 0; i < maps; i++) {
        sharing += copies[i] != 0;
        s->is_shared_out |= sharing > 1;
        if (copies[i] && box_B <= MOST_B && box_B % LEAST_B == 0) {
            *found = is_found[i] = 1;
            if (session_box(s, map[i], (uint32_t)box_B, error)) {
                return -1;
            }
        }
    }
    return 0;
}

static int find_boxes(session *s, tma_error *error) {
    uint32_t map[MOST_MAPS], first_B[MOST_MAPS], maps = 0;
    uint8_t is_found[MOST_MAPS] = {0};
    int found = 1, failed = 0;
    for (uint32_t i = 0; i < s->values && maps < MOST_MAPS; i++) {
        if (s->value[i].from == SESSION_INVENTED && s->value[i].is_map) {
            first_B[maps] = s->value[i].box_B;
            map[maps++] = i;
            failed |= session_box(s, i, LEAST_B, error);
        }
    }
    for (uint32_t turn = 0; turn < maps && found && !failed; turn++) {
        failed = one_barrier(s, map, is_found, maps, &found, error);
    }
    for (uint32_t i = 0; i < maps && !failed; i++) { /* no barrier says: as at first */
        failed = is_found[i] ? 0 : session_box(s, map[i], first_B[i], error);
    }
    return failed;
}

/* A copy may trap for the size of its map's elements: then with another one. */
int session_boxes(session *s, tma_error *error) {
    static const uint32_t sizes[] = {2, 4, 8, 1};
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        s->element_B = sizes[i];
        s->is_shared_out = 0;
        if (find_boxes(s, error) || session_pass(s, TMA_EMULATE_LATE, 0, error)) {
            return -1;
        }
        if (!session_blamed(s)) {
            return 0;
        }
    }
    s->element_B = sizes[0];
    return find_boxes(s, error);
}
