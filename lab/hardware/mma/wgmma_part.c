/* SPDX-License-Identifier: Apache-2.0
 *
 * Which shared addresses wgmma reads, against tma_mma_read(): random descriptors of each operand,
 * element type, major and swizzle; a table of what was asked. Then copies and reads together.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answers_file.h"
#include "parallel.h"
#include "parts.h"
#include "wgmma_cases.h"

#define USUAL_COUNT    UINT64_C(1600000)
#define MOST_AT_ONCE   10000
#define MOST_NUMBERS_B ((size_t)1 << 30)
#define FEWEST_PAIRS   20 /* of a kind */
#define MOST_PAIRS     250
#define CELLS          8 /* of a kind: four swizzles, with a base offset and without */

static const uint32_t swizzles[] = {TMA_SWIZZLE_NONE, TMA_SWIZZLE_32B, TMA_SWIZZLE_64B,
                                    TMA_SWIZZLE_128B};

struct batch {
    const struct session *session;
    struct wgmma_kind kind;
    uint64_t first;
    uint64_t count;
    uint64_t *bits;
    uint32_t *numbers;
    uint32_t *wrong;   /* elements that differ, by descriptor, */
    uint32_t *outside; /* and those that were read where no element's number is */
};

static tma_mma_descriptor descriptor_of(const struct batch *b, uint64_t number) {
    struct random_source r = {b->session->seed * UINT64_C(0x9E3779B97F4A7C15) + number};
    random_u64(&r);
    return wgmma_descriptor(&r, &b->kind, swizzles[number % 4], number / 4 % 2 != 0);
}

/* The number that tma_mma_read() says, or DEVICE_MMA_NOTHING for memory without numbers. */
static uint32_t number_read(const tma_mma_descriptor *d, const tma_mma_operand *o, uint32_t mn,
                            uint32_t k) {
    const tma_mma_place at = tma_mma_read(d, o, mn, k);
    return at.address_B < DEVICE_MMA_FIRST_B || at.address_B >= DEVICE_MMA_LAST_B
               ? DEVICE_MMA_NOTHING
               : (at.address_B * 8 + at.bit) / tma_mma_type_at(o->type)->bits;
}

static void compare(void *context, uint64_t first, uint64_t count) {
    const struct batch *b = context;
    const tma_mma_operand *o = &b->kind.operand;
    for (uint64_t i = first; i < first + count; i++) {
        const tma_mma_descriptor d = descriptor_of(b, b->first + i);
        const uint32_t *theirs = b->numbers + i * o->mn_el * o->k_el;
        b->wrong[i] = b->outside[i] = 0;
        for (uint32_t e = 0; e < o->mn_el * o->k_el; e++) {
            const uint32_t ours = number_read(&d, o, e / o->k_el, e % o->k_el);
            b->outside[i] += ours == DEVICE_MMA_NOTHING;
            b->wrong[i] += ours != DEVICE_MMA_NOTHING && theirs[e] != ours;
        }
    }
}

static void print_line(FILE *out, const struct batch *b, uint64_t i) {
    const tma_mma_operand *o = &b->kind.operand;
    const tma_mma_type *type = tma_mma_type_at(o->type);
    fprintf(out,
            "wgmma arch=sm_90a shape=m64n%uk%u type=%s operand=%c major=%s%s desc=0x%016" PRIx64
            " read=",
            b->kind.n, type->k_el * (b->kind.sparse ? 2 : 1), type->name, o->matrix ? 'B' : 'A',
            o->major ? o->matrix ? "N" : "M" : "K", b->kind.sparse ? " sparse=1" : "", b->bits[i]);
    for (uint32_t e = 0; e < o->mn_el * o->k_el; e++) {
        const uint32_t number = b->numbers[i * o->mn_el * o->k_el + e];
        if (number == DEVICE_MMA_NOTHING) {
            fprintf(out, "%s-1", e ? "," : "");
        } else {
            fprintf(out, "%s%u", e ? "," : "",
                    type->bits < 8 ? number : number * (type->bits / 8u));
        }
    }
    fputc('\n', out);
}

static void print_difference(const struct batch *b, uint64_t i) {
    const tma_mma_operand *o = &b->kind.operand;
    const tma_mma_descriptor d = descriptor_of(b, b->first + i);
    char name[64];
    wgmma_kind_name(name, sizeof(name), &b->kind);
    printf("%s: descriptor 0x%016" PRIx64 ", %u of %u elements differ:", name, b->bits[i],
           b->wrong[i], o->mn_el * o->k_el);
    unsigned shown = 0;
    for (uint32_t e = 0; e < o->mn_el * o->k_el && shown < 4; e++) {
        const uint32_t ours = number_read(&d, o, e / o->k_el, e % o->k_el);
        const uint32_t theirs = b->numbers[i * o->mn_el * o->k_el + e];
        if (ours != theirs && ours != DEVICE_MMA_NOTHING) {
            printf(" (%u, %u) element %d, libtma %d;", e / o->k_el, e % o->k_el, (int)theirs,
                   (int)ours);
            shown++;
        }
    }
    printf("\n");
}

struct count {
    uint64_t asked, differ, not_canonical, outside_el;
};

static void add_up(const struct batch *b, struct count cells[CELLS], struct tally *tally) {
    for (uint64_t i = 0; i < b->count; i++) {
        const uint64_t number = b->first + i;
        const tma_mma_descriptor d = descriptor_of(b, number);
        struct count *cell = &cells[number % CELLS];
        cell->asked++;
        cell->differ += b->wrong[i] != 0;
        cell->not_canonical += !wgmma_canonical(&d, &b->kind);
        cell->outside_el += b->outside[i];
        if (b->wrong[i] && tally->failed < MOST_REPORTS) {
            print_difference(b, i);
        }
        tally->passed += !b->wrong[i];
        tally->failed += b->wrong[i] != 0;
        if (vector_is_wanted(b->session, number, b->wrong[i] != 0)) {
            print_line(b->session->vectors, b, i);
        }
    }
}

static void *room_for(size_t count, size_t size) {
    void *memory = malloc(count * size);
    if (!memory) {
        fprintf(stderr, "tma-conformance: no memory for %zu descriptors\n", count);
        exit(3);
    }
    return memory;
}

static const char *run_kind(const struct session *s, const struct wgmma_kind *kind, uint64_t first,
                            uint64_t count, struct count cells[CELLS], struct tally *tally) {
    const size_t elements = (size_t)kind->operand.mn_el * kind->operand.k_el;
    const uint64_t fits = MOST_NUMBERS_B / (elements * sizeof(uint32_t));
    const uint64_t most = fits < MOST_AT_ONCE ? fits : MOST_AT_ONCE;
    struct batch b = {.session = s, .kind = *kind};
    const char *error = NULL;
    b.bits = room_for(most, sizeof(*b.bits));
    b.numbers = room_for(most, elements * sizeof(*b.numbers));
    b.wrong = room_for(most, sizeof(*b.wrong));
    b.outside = room_for(most, sizeof(*b.outside));
    for (uint64_t done = 0; done < count && !error; done += b.count) {
        b.first = first + done;
        b.count = count - done < most ? count - done : most;
        for (uint64_t i = 0; i < b.count; i++) {
            const tma_mma_descriptor d = descriptor_of(&b, b.first + i);
            if (tma_mma_encode(&b.bits[i], &d) != TMA_OK) {
                error = "a descriptor that does not encode";
            }
        }
        error = error ? error
                      : device_mma_reads(&kind->operand, kind->n, kind->sparse, b.bits, b.count,
                                         b.numbers);
        if (!error) {
            parallel_for(s->threads, 0, b.count, 64, compare, &b);
            add_up(&b, cells, tally);
        }
    }
    free(b.bits);
    free(b.numbers);
    free(b.wrong);
    free(b.outside);
    return error;
}

static void print_cells(const struct wgmma_kind *kind, const struct count cells[CELLS]) {
    char name[64];
    wgmma_kind_name(name, sizeof(name), kind);
    for (unsigned i = 0; i < CELLS; i++) {
        printf("%-27s %-5s base %-6s %8" PRIu64 " asked %8" PRIu64 " not canonical %8" PRIu64
               " differ %8" PRIu64 " el not compared\n",
               name, tma_enum_row_of(TMA_ENUM_SWIZZLE, swizzles[i % 4])->name,
               i / 4 ? "1 to 7" : "0", cells[i].asked, cells[i].not_canonical, cells[i].differ,
               cells[i].outside_el);
    }
    fflush(stdout);
}

/* One pair for so many descriptors, within what takes seconds. */
static uint32_t pairs_for(uint64_t count) {
    const uint64_t pairs = count / 160;
    return pairs < FEWEST_PAIRS ? FEWEST_PAIRS : pairs > MOST_PAIRS ? MOST_PAIRS : (uint32_t)pairs;
}

struct tally wgmma_part(const struct session *all) {
    struct tally tally = {0, 0};
    struct wgmma_kind kind;
    const uint64_t count = all->count ? all->count : USUAL_COUNT;
    const struct session s = session_sampling(all, count);
    uint64_t not_canonical = 0;
    uint64_t kinds = 0;
    if (s.device.target.sm != 90 || s.device.target.suffix != 'a') {
        printf(
            "wgmma: this program was compiled without the instruction, which sm_90a alone has\n");
        return (struct tally){0, 1};
    }
    while (wgmma_kind_at(&kind, kinds)) {
        kinds++;
    }
    for (uint64_t i = 0; wgmma_kind_at(&kind, i); i++) {
        struct count cells[CELLS] = {{0}};
        const uint64_t asked = count / kinds + (i < count % kinds);
        const char *error = run_kind(&s, &kind, s.first, asked, cells, &tally);
        print_cells(&kind, cells);
        for (unsigned j = 0; j < CELLS; j++) {
            not_canonical += cells[j].not_canonical;
        }
        if (error) {
            printf("wgmma: the kernel ended with %s\n", error);
            tally.failed += asked;
            return tally;
        }
    }
    printf("wgmma: %" PRIu64 " descriptors, %" PRIu64 " of them not canonical\n", count,
           not_canonical);
    const struct tally tiles = wgmma_tiles(&s, pairs_for(count));
    tally.passed += tiles.passed;
    tally.failed += tiles.failed;
    wgmma_edges(&s);
    return tally;
}
