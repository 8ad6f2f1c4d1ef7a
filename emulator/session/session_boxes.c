/* SPDX-License-Identifier: Apache-2.0
 *
 * The boxes of invented maps. Where all threads are stuck, a barrier lacks what it expects less
 * what copies brought: copies of a map bring its box each. With the smallest boxes, and with one
 * map's doubled, that says how many copies of each map come there, and what they have to bring in
 * all. Where several maps share a barrier, their boxes are those with which copies overlap the
 * least.
 */
#include "launch.h"
#include "run_session.h"

#define LEAST_B   16
#define MOST_B    (INT64_C(256) * 256 * 2)
#define A_TRAP    1000 /* is worse than so many overlaps */
#define WAYS      16   /* to share out what a barrier expects */
#define MOST_MAPS 16

typedef struct lack {
    uint32_t address;
    int64_t bytes; /* 0: nothing lacks; below 0: more came than is expected */
} lack;

/* What a barrier lacks: that of an address, or the first that lacks bytes, or else has too many. */
static lack lack_of(const session *s, const lack *same) {
    const tma_emulate_finding *f;
    lack found = {0, 0};
    for (size_t i = 0; (f = tma_emulator_finding_at(s->emulator, i)); i++) {
        if (f->has_barrier && f->bytes_missing_B && found.bytes <= 0 &&
            (same ? same->address == f->barrier_address : f->bytes_missing_B > 0 || !found.bytes)) {
            found = (lack){f->barrier_address, f->bytes_missing_B};
        }
    }
    return found;
}

static int try_it(session *s, const lack *same, lack *out, tma_error *error) {
    const int failed = session_pass(s, TMA_EMULATE_LATE, 0, error);
    *out = failed ? (lack){0, 0} : lack_of(s, same);
    return failed;
}

/* Maps that are invented, as values of the session. */
typedef struct box_search {
    session *s;
    uint32_t map[MOST_MAPS], maps;
    uint8_t is_found[MOST_MAPS];
    /* of the barrier that is looked at: */
    int64_t copies[MOST_MAPS], all;
    int64_t expected_B;
    uint32_t sharing; /* maps whose copies come there */
} box_search;

/* How many copies of each map come to the barrier that is lacking. */
static int count_copies(box_search *b, tma_error *error) {
    lack first, other;
    b->all = b->sharing = 0;
    if (try_it(b->s, NULL, &first, error)) {
        return -1;
    }
    for (uint32_t i = 0; i < b->maps; i++) {
        b->copies[i] = 0;
        if (b->is_found[i] || !first.bytes) {
            continue;
        }
        if (session_box(b->s, b->map[i], 2 * LEAST_B, error) ||
            try_it(b->s, &first, &other, error) || session_box(b->s, b->map[i], LEAST_B, error)) {
            return -1;
        }
        const int64_t less = first.bytes - other.bytes;
        b->copies[i] = less > 0 ? less / LEAST_B : 0;
        b->all += b->copies[i];
        b->sharing += b->copies[i] != 0;
    }
    b->expected_B = first.bytes + b->all * LEAST_B;
    return 0;
}

/* Box of map i by way `way` to share the bytes out: each map the same, each copy the same, and of
 * two maps the first with each power of two. 0: there is none. */
static int64_t share_of(const box_search *b, uint32_t way, uint32_t i) {
    uint32_t first = 0;
    while (!b->copies[first]) {
        first++;
    }
    if (way == WAYS) { /* the last: what each copy lacks, which no box may have */
        const int64_t each_B = b->expected_B / b->all;
        return each_B < UINT32_MAX ? each_B : 0;
    }
    const int64_t given = (int64_t)LEAST_B << (way > 2 ? way - 2 : 0);
    const int64_t bytes = way == 0     ? b->expected_B / b->sharing
                          : way == 1   ? b->expected_B / b->all * b->copies[i]
                          : i == first ? given * b->copies[i]
                                       : b->expected_B - given * b->copies[first];
    const int64_t box_B = bytes > 0 ? bytes / b->copies[i] : 0;
    return box_B * b->copies[i] == bytes && box_B <= MOST_B && box_B % LEAST_B == 0 ? box_B : 0;
}

static int share_out(box_search *b, uint32_t way, int *fits, tma_error *error) {
    *fits = way < 2 || way == WAYS || b->sharing == 2;
    for (uint32_t i = 0; i < b->maps && *fits; i++) {
        *fits = !b->copies[i] || share_of(b, way, i) > 0;
    }
    const int is_shared = *fits;
    for (uint32_t i = 0; i < b->maps && is_shared; i++) {
        if (b->copies[i] && session_box(b->s, b->map[i], (uint32_t)share_of(b, way, i), error)) {
            return -1;
        }
        *fits &= !b->copies[i] || way == WAYS || !b->s->value[b->map[i]].is_less;
    }
    return 0;
}

/* Copies over copies that the last pass found, and a copy that traps: boxes of the right sizes have
 * fewer. */
static uint32_t overlaps(const session *s) {
    const emu_program *p = emu_program_of(s->emulator);
    const tma_emulate_finding *f;
    uint32_t count = session_blamed(s) ? A_TRAP : 0;
    for (size_t i = 0; (f = tma_emulator_finding_at(s->emulator, i)); i++) {
        uint32_t copies = 0;
        for (uint32_t k = 0; k < f->accesses; k++) {
            const uint32_t at = f->access[k].instruction;
            copies += at < p->instructions && p->code[at].statement != EMU_NONE;
        }
        count += copies == 2;
    }
    return count;
}

/* The boxes of those maps whose copies come to the barrier that is lacking. *found: there were. */
static int one_barrier(box_search *b, int *found, tma_error *error) {
    uint32_t best = 0, least = UINT32_MAX;
    int fits = 0;
    *found = 0;
    if (count_copies(b, error)) {
        return -1;
    }
    for (uint32_t way = 0; b->all && way <= WAYS && least; way++) {
        if (way == WAYS && *found) {
            break;
        }
        if (share_out(b, way, &fits, error) ||
            (fits && session_pass(b->s, TMA_EMULATE_LATE, 0, error))) {
            return -1;
        }
        if (fits && overlaps(b->s) < least) {
            least = overlaps(b->s);
            best = way;
            *found = 1;
        }
    }
    b->s->is_shared_out |= *found && least && b->sharing > 1;
    for (uint32_t i = 0; i < b->maps && *found; i++) {
        b->is_found[i] |= b->copies[i] != 0;
    }
    return *found ? share_out(b, best, &fits, error) : 0;
}

/* Maps of which no barrier says anything: as at first, or the smallest boxes. */
static int put_others(box_search *b, int is_least, tma_error *error) {
    int failed = 0;
    for (uint32_t i = 0; i < b->maps && !failed; i++) {
        const uint32_t box_B = is_least ? LEAST_B : b->s->value[b->map[i]].first_B;
        failed = b->is_found[i] ? 0 : session_box(b->s, b->map[i], box_B, error);
    }
    return failed || session_pass(b->s, TMA_EMULATE_LATE, 0, error);
}

/* The boxes, and a pass with them. */
static int find_boxes(session *s, tma_error *error) {
    box_search b = {.s = s};
    int found = 1, failed = 0;
    s->is_shared_out = s->is_unsure = 0;
    for (uint32_t i = 0; i < s->values && b.maps < MOST_MAPS; i++) {
        if (s->value[i].from == SESSION_INVENTED && s->value[i].is_map) {
            b.map[b.maps++] = i;
            failed |= session_box(s, i, LEAST_B, error);
        }
    }
    for (uint32_t turn = 0; turn < b.maps && found && !failed; turn++) {
        failed = one_barrier(&b, &found, error);
    }
    for (uint32_t i = 0; i < b.maps; i++) {
        s->is_unsure |= !b.is_found[i];
    }
    failed = failed || put_others(&b, 0, error);
    if (!failed && s->is_unsure && lack_of(s, NULL).bytes < 0) { /* then it expects the smallest */
        failed =
            put_others(&b, 1, error) || (lack_of(s, NULL).bytes < 0 && put_others(&b, 0, error));
    }
    return failed;
}

/* Whether no box has as many bytes as a barrier expects. */
static int is_less(const session *s) {
    int is = 0;
    for (uint32_t i = 0; i < s->values; i++) {
        is |= s->value[i].is_less;
    }
    return is;
}

/* A copy may trap for the size of its map's elements, and a box have too few of them: then with
 * another one; else with the first that traps at no copy. */
int session_boxes(session *s, tma_error *error) {
    static const uint32_t sizes[] = {2, 4, 8, 1};
    uint32_t best = 0;
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        s->element_B = sizes[i];
        if (find_boxes(s, error)) {
            return -1;
        }
        const int is_trap = session_blamed(s) != NULL;
        if (!is_trap && !is_less(s)) {
            return 0;
        }
        best = !is_trap && !best ? sizes[i] : best;
    }
    s->element_B = best ? best : sizes[0];
    return find_boxes(s, error);
}
