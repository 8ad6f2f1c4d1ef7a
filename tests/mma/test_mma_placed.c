/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands' tiles that several copies fill, each by a box of its own: what tma_copy() left, against
 * what is said of the descriptor, its first wrong element and who brought it.
 */
#include "support/testing.h"

#include "support/gen/random.h"
#include <tma/tma.h>

#define TENSOR_EL (1u << 16) /* of 16 bits: each is its own number */
#define WINDOW_B  (1u << 18)
#define NOTHING   0xFFFFu

static uint8_t window[WINDOW_B];
static uint16_t tensor[TENSOR_EL];

/* Boxes beside each other in both directions, each in a slot of shared memory of its own. */
typedef struct question {
    tma_spec spec;
    tma_mma_tile tile;
    tma_mma_placed placed[TMA_MMA_PLACED];
    tma_mma_operand o;
    uint32_t family;
    uint32_t majors, rows; /* of the tensor */
} question;

static uint16_t number_of(const question *q, uint32_t mn, uint32_t k) {
    const uint32_t major = q->o.major ? mn : k;
    const uint32_t row = q->o.major ? k : mn;
    return (uint16_t)(row * q->majors + major);
}

/* Every copy has its slot; slots in order, or in any. */
static void place(question *q, struct random_source *r, uint32_t along, uint32_t down) {
    tma_measure_result size;
    assert_int_equal(tma_spec_fill(&q->spec), TMA_OK);
    assert_int_equal(tma_measure(&size, &q->spec, NULL), TMA_OK);
    const uint32_t slot_B = 1024 * (((uint32_t)size.footprint_B + 1023) / 1024);
    const int in_order = random_one_in(r, 2);
    uint32_t slots[TMA_MMA_PLACED];
    const uint32_t count = along * down;
    for (uint32_t i = 0; i < count; i++) {
        slots[i] = i;
    }
    for (uint32_t i = count; !in_order && i > 1; i--) {
        const uint32_t other = (uint32_t)random_below(r, i);
        const uint32_t kept = slots[i - 1];
        slots[i - 1] = slots[other];
        slots[other] = kept;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t major = i / down * q->spec.box_el[0];
        const uint32_t row = i % down * q->spec.box_el[1];
        q->placed[i].shared_address = 1024 + slots[i] * slot_B;
        q->placed[i].mn = q->o.major ? major : row;
        q->placed[i].k = q->o.major ? row : major;
    }
    q->tile.placed = q->placed;
    q->tile.placed_count = count;
    if (random_one_in(r, 4)) { /* one did not come */
        q->placed[random_below(r, count)] = q->placed[count - 1];
        q->tile.placed_count--;
    }
}

static void ask(question *q, struct random_source *r) {
    static const uint32_t swizzles[] = {TMA_SWIZZLE_NONE, TMA_SWIZZLE_32B, TMA_SWIZZLE_64B,
                                        TMA_SWIZZLE_128B};
    static const uint32_t spans_el[] = {8, 16, 32, 64};
    const uint32_t which = (uint32_t)random_below(r, 4);
    memset(q, 0, sizeof(*q));
    q->o = (tma_mma_operand){.type = TMA_MMA_TYPE_F16,
                             .major = (uint32_t)random_below(r, 2),
                             .matrix = (uint32_t)random_below(r, 2)};
    q->family = (uint32_t)random_below(r, 2);
    q->o.mn_el = q->o.matrix ? 8 * random_in(r, 1, 32) : 64;
    q->o.k_el = random_one_in(r, 3) ? 64 : 16; /* a whole tile, too */
    q->spec = (tma_spec){.dtype = TMA_DTYPE_FLOAT16, .rank = 2, .swizzle = swizzles[which]};
    q->spec.box_el[0] = random_one_in(r, 6) ? 8 : spans_el[which];
    q->spec.box_el[1] = 8 * random_in(r, 1, 12);
    const uint32_t along = random_in(r, 2, 5);
    const uint32_t down = random_in(r, 1, 2);
    q->spec.dim_el[0] = q->majors = q->spec.box_el[0] * along;
    q->spec.dim_el[1] = q->rows = q->spec.box_el[1] * down;
    q->spec.address = 1 << 24;
    place(q, r, along, down);
}

static void copy_all(const question *q) {
    tma_map map;
    tma_plan plan;
    tma_spec spec = q->spec;
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_range range = {.address = spec.address, .size_B = sizeof(tensor), .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window shared = {.address = 0, .size_B = sizeof(window), .host = window};
    assert_int_equal(tma_spec_fill(&spec), TMA_OK);
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, NULL), TMA_OK);
    memset(window, NOTHING & 0xFF, sizeof(window));
    for (uint32_t i = 0; i < q->tile.placed_count; i++) {
        const tma_mma_placed *p = &q->placed[i];
        const tma_position at = {
            .shared_address = p->shared_address,
            .coord = {(int32_t)(q->o.major ? p->mn : p->k), (int32_t)(q->o.major ? p->k : p->mn)}};
        assert_int_equal(tma_copy(&plan, &at, &global, &shared, NULL), TMA_OK);
    }
}

static uint16_t seen_at(uint32_t address) {
    uint16_t number = NOTHING;
    if (address + 2 <= WINDOW_B) {
        memcpy(&number, window + address, 2);
    }
    return number;
}

/* Whether a copy that came brings this element. */
static int is_brought(const question *q, uint32_t mn, uint32_t k, uint32_t *by) {
    for (*by = 0; *by < q->tile.placed_count; ++*by) {
        const uint32_t major0 = q->o.major ? q->placed[*by].mn : q->placed[*by].k;
        const uint32_t row0 = q->o.major ? q->placed[*by].k : q->placed[*by].mn;
        const uint32_t major = q->o.major ? mn : k;
        const uint32_t row = q->o.major ? k : mn;
        if (major >= major0 && major - major0 < q->spec.box_el[0] && row >= row0 &&
            row - row0 < q->spec.box_el[1]) {
            return 1;
        }
    }
    return 0;
}

static void first_is(const question *q, const tma_mma_difference *said, uint32_t mn, uint32_t k,
                     uint16_t read) {
    uint32_t by = 0;
    const int is = is_brought(q, mn, k, &by);
    assert_int_equal(said->mn, mn);
    assert_int_equal(said->k, k);
    assert_int_equal(said->has_written, is);
    if (is) {
        assert_int_equal(said->written_copy, by);
        assert_int_equal(seen_at(said->written_B), number_of(q, mn, k));
    }
    assert_int_equal(said->has_element, read != NOTHING);
    if (read != NOTHING) {
        assert_int_equal(number_of(q, said->other_mn, said->other_k), read);
        assert_true(is_brought(q, said->other_mn, said->other_k, &by));
        assert_int_equal(said->other_copy, by);
    }
}

/* All elements of the operand, by what is in the window. */
static int hold(const question *q, const tma_mma_descriptor *d) {
    tma_mma_difference said;
    uint64_t equal = 0;
    int differs = 0;
    assert_int_equal(tma_mma_compare(&said, d, &q->o, &q->spec, &q->tile, 0, 0), TMA_OK);
    assert_int_equal(said.copies, q->tile.placed_count);
    for (uint32_t mn = 0; mn < q->o.mn_el; mn++) {
        for (uint32_t k = 0; k < q->o.k_el; k++) {
            uint32_t by = 0;
            const uint16_t read = seen_at(tma_mma_read(d, &q->o, mn, k).address_B);
            const int is = is_brought(q, mn, k, &by) && read == number_of(q, mn, k);
            equal += (uint64_t)is;
            if (!is && !differs) {
                differs = 1;
                first_is(q, &said, mn, k, read);
            }
        }
    }
    assert_true(said.equal_el == equal && said.all_el == (uint64_t)q->o.mn_el * q->o.k_el);
    return differs;
}

static void copies_and_reads_agree(void **state) {
    (void)state;
    struct random_source r = {3126};
    unsigned solved = 0, differ = 0, several = 0, not_brought = 0;
    for (uint32_t i = 0; i < TENSOR_EL; i++) {
        tensor[i] = (uint16_t)i;
    }
    const unsigned long asked = spec_count() > 40000 ? spec_count() / 20 : 2000;
    for (unsigned long i = asked; i-- > 0;) {
        question q;
        tma_mma_descriptor d;
        tma_mma_why why;
        ask(&q, &r);
        copy_all(&q);
        if (tma_mma_descriptor_of(&d, &why, &q.spec, &q.tile, q.family, &q.o, 0, 0) == TMA_OK) {
            assert_false(hold(&q, &d));
            solved++;
            several += q.o.mn_el > (q.o.major ? q.spec.box_el[0] : q.spec.box_el[1]) ||
                       q.o.k_el > (q.o.major ? q.spec.box_el[1] : q.spec.box_el[0]);
        } else {
            not_brought += why.reason == TMA_MMA_REASON_NOT_BROUGHT;
            d = (tma_mma_descriptor){.family = q.family,
                                     .swizzle = q.spec.swizzle,
                                     .start_B = q.placed[0].shared_address,
                                     .leading_B = 16u << random_below(&r, 10),
                                     .stride_B = 128u << random_below(&r, 6)};
        }
        uint32_t *const member[] = {&d.start_B, &d.leading_B, &d.stride_B};
        *member[random_below(&r, 3)] ^= 16u << random_below(&r, 9);
        differ += (unsigned)hold(&q, &d);
    }
    assert_true(several > asked / 20 && solved > several);
    assert_true(differ > asked / 4 && not_brought);
}

/* One map's copy beside another map's: elements of either, refused where they meet. */
static void of_two_maps(void **state) {
    (void)state;
    const tma_spec narrow = {.dtype = TMA_DTYPE_FLOAT16,
                             .rank = 2,
                             .dim_el = {64, 64},
                             .box_el = {64, 64},
                             .swizzle = TMA_SWIZZLE_128B};
    tma_spec tall = narrow;
    tall.dim_el[1] = tall.box_el[1] = 128;
    tma_mma_placed placed[TMA_MMA_PLACED] = {{.shared_address = 0x400},
                                             {.spec = &tall, .shared_address = 0x4400, .k = 64}};
    tma_mma_tile tile = {.placed_count = 2, .placed = placed};
    const tma_mma_operand o = {.type = TMA_MMA_TYPE_F16, .mn_el = 64, .k_el = 16};
    tma_mma_descriptor d;
    tma_mma_why why;
    const tma_mma_extent size = tma_mma_extent_of(&narrow, &tile, &o);
    assert_true(size.mn_el == 128 && size.k_el == 128);
    assert_int_equal(tma_mma_descriptor_of(&d, &why, &narrow, &tile, 0, &o, 64, 64), TMA_OK);
    assert_int_equal(d.start_B, 0x4400 + 64 * 128);
    assert_int_equal(tma_mma_descriptor_of(&d, &why, &narrow, &tile, 0, &o, 64, 0), TMA_REFUSED);
    assert_int_equal(why.reason, TMA_MMA_REASON_NOT_BROUGHT);
    placed[1].k = 63; /* its first column is the other's last */
    assert_int_equal(tma_mma_unfit(&why, &narrow, &tile, &o), TMA_MMA_REASON_PLACED_TWICE);
    assert_true(why.value == 0 && why.limit == 63);
    placed[1] = (tma_mma_placed){.spec = &tall, .shared_address = 0x400 + 0x1C00, .k = 64};
    assert_int_equal(tma_mma_unfit(&why, &narrow, &tile, &o), TMA_MMA_REASON_COPIES_OVERLAP);
    assert_true(why.value == 0x1C00 && why.limit == 0x2000);
    placed[1].shared_address = 0x2400 + 64;
    assert_int_equal(tma_mma_unfit(&why, &narrow, &tile, &o), TMA_MMA_REASON_SHARED_ALIGN);
    tall.dtype = TMA_DTYPE_FLOAT32;
    tall.box_el[0] = 32;
    placed[1].shared_address = 0x2400;
    assert_int_equal(tma_mma_unfit(&why, &narrow, &tile, &o), TMA_MMA_REASON_ELEMENT_SIZE);
    placed[1] = (tma_mma_placed){.shared_address = 0x2400, .k = 1u << 19};
    assert_int_equal(tma_mma_unfit(&why, &narrow, &tile, &o), TMA_MMA_REASON_TILE_SIZE);
    tile.placed_count = TMA_MMA_PLACED + 1;
    assert_int_equal(tma_mma_unfit(&why, &narrow, &tile, &o), TMA_MMA_REASON_PLACED_MANY);
    tile.placed = NULL;
    tile.placed_count = 1;
    assert_int_equal(tma_mma_unfit(&why, &narrow, &tile, &o), TMA_MMA_REASON_PLACED_MANY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_reads_agree),
        cmocka_unit_test(of_two_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
