/* SPDX-License-Identifier: Apache-2.0
 *
 * What `tma encode --as` writes is read again: every form, every call; and a finding on a call that
 * was read in part stays whatever the rest is.
 */
#include "support/testing.h"

#include "support/gen/gen_spec.h"
#include <tma/code.h>
#include <tma/map.h>
#include <tma/paste.h>

#define MOST_TEXT 4096

typedef struct seen {
    tma_paste last;
    size_t count;
} seen;

static void note(void *context, const tma_paste *found) {
    seen *s = context;
    s->last = *found;
    s->count++;
}

/* The map's bytes, made without a rule. */
static tma_map bytes_of(const tma_spec *spec, const tma_target *target) {
    tma_map map;
    memset(&map, 0, sizeof(map));
    assert_int_equal(tma_encode_forced(map.bytes, spec, target, NULL), TMA_OK);
    return map;
}

static int can_encode(const tma_spec *spec, const tma_target *target) {
    tma_map map;
    return tma_encode_forced(map.bytes, spec, target, NULL) == TMA_OK;
}

static void reads_back(const tma_spec *spec, const tma_target *target, tma_code_form form) {
    char text[MOST_TEXT];
    tma_out out = tma_out_into(text, sizeof(text));
    seen s = {.count = 0};
    tma_spec expected = *spec;
    tma_put_code(&out, spec, target, form);
    assert_true(out.length < sizeof(text));
    tma_paste_read(text, out.length, note, &s);
    if (form == TMA_CODE_CUDA_CORE) { /* the tensor has it */
        expected.address = s.last.spec.address;
    }
    const tma_map a = bytes_of(&expected, target);
    if (s.count == 1 && s.last.kind == TMA_PASTE_MAP && !s.last.unread &&
        can_encode(&s.last.spec, target)) {
        const tma_map b = bytes_of(&s.last.spec, target);
        if (!memcmp(a.bytes, b.bytes, sizeof(a.bytes))) {
            return;
        }
    }
    fail_msg("%zu found, kind %u, unread %x, in:\n%s", s.count, s.last.kind, s.last.unread, text);
}

static void every_form_reads_back(void **state) {
    (void)state;
    struct random_source r = {91};
    size_t read[TMA_CODE_FORMS][3] = {{0}};
    for (unsigned long i = 0; i < spec_count() / 20 + 2000; i++) {
        const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
        const tma_code_form form = (tma_code_form)(i % TMA_CODE_FORMS);
        const tma_spec spec = gen_spec(&r, &target);
        const int is_map =
            (spec.api == TMA_API_TILED && spec.rank >= 1) || /* or it has no corners */
            (spec.api <= TMA_API_WIDE && spec.rank >= 3);
        if (is_map && !tma_code_unfit(&spec, form) && can_encode(&spec, &target)) {
            reads_back(&spec, &target, form);
            read[form][spec.api]++;
        }
    }
    for (size_t form = 0; form < TMA_CODE_FORMS; form++) {
        for (size_t api = 0; api < 3; api++) {
            assert_true((read[form][api] > 20) == (form != TMA_CODE_CUDA_CORE || api == 0));
        }
    }
}

/* ---- findings on what was read in part ---- */

/* Puts other values where the call's were not read. */
static void change(struct random_source *r, tma_spec *s, const tma_spec *other,
                   const tma_paste *p) {
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        const int keeps_dim = !(p->unread >> TMA_ARG_DIM & 1) || p->known[TMA_ARG_DIM] >> i & 1;
        const int keeps_box = !(p->unread >> TMA_ARG_BOX & 1) || p->known[TMA_ARG_BOX] >> i & 1;
        const int keeps_step =
            !(p->unread >> TMA_ARG_ELEMENT_STRIDE & 1) || p->known[TMA_ARG_ELEMENT_STRIDE] >> i & 1;
        s->dim_el[i] = keeps_dim ? s->dim_el[i] : other->dim_el[i];
        s->box_el[i] = keeps_box ? s->box_el[i] : other->box_el[i];
        s->element_stride[i] = keeps_step ? s->element_stride[i] : other->element_stride[i];
    }
    for (uint32_t i = 0; i + 1 < TMA_MAX_RANK; i++) {
        const int keeps = !(p->unread >> TMA_ARG_STRIDE & 1) || p->known[TMA_ARG_STRIDE] >> i & 1;
        s->stride_B[i] = keeps ? s->stride_B[i] : other->stride_B[i];
    }
    s->dtype = p->unread >> TMA_ARG_DTYPE & 1 ? random_in(r, 0, 12) : s->dtype;
    s->swizzle = p->unread >> TMA_ARG_SWIZZLE & 1 ? random_in(r, 0, 3) : s->swizzle;
    s->interleave = p->unread >> TMA_ARG_INTERLEAVE & 1 ? random_in(r, 0, 2) : s->interleave;
    s->l2 = p->unread >> TMA_ARG_L2 & 1 ? random_in(r, 0, 3) : s->l2;
    s->fill = p->unread >> TMA_ARG_FILL & 1 ? random_in(r, 0, 1) : s->fill;
    s->channels_per_pixel =
        p->unread >> TMA_ARG_CHANNELS & 1 ? random_in(r, 1, 256) : s->channels_per_pixel;
    s->pixels_per_column =
        p->unread >> TMA_ARG_PIXELS & 1 ? random_in(r, 1, 1024) : s->pixels_per_column;
    s->wide_mode = p->unread >> TMA_ARG_WIDE_MODE & 1 ? random_in(r, 0, 1) : s->wide_mode;
}

/* Whether a finding of the same place is among those of the spec: one rule may stand for the other
 * where a stricter one holds, but a refusal stays one. */
static int is_found(const tma_finding *wanted, const tma_spec *s, const tma_target *target) {
    tma_finding all[64];
    const size_t count = tma_check(all, 64, s, target);
    if (wanted->severity != TMA_SEVERITY_REFUSED && !tma_accepts(s, target)) {
        return 1; /* no copy is made of a map that is refused */
    }
    for (size_t i = 0; i < count && i < 64; i++) {
        if (all[i].argument == wanted->argument && all[i].index == wanted->index &&
            all[i].severity <= wanted->severity) {
            return 1;
        }
    }
    return 0;
}

static void a_finding_stays(void **state) {
    (void)state;
    struct random_source r = {92};
    const tma_target target = {.sm = 90, .suffix = 0, .driver = 13000};
    size_t held = 0;
    for (unsigned long i = 0; i < spec_count() / 10 + 20000; i++) {
        tma_paste p;
        tma_finding all[64];
        memset(&p, 0, sizeof(p));
        p.spec = gen_spec(&r, &target);
        if (p.spec.rank < 1 || p.spec.rank > TMA_MAX_RANK) {
            continue;
        }
        for (uint32_t a = TMA_ARG_DTYPE; a <= TMA_ARG_WIDE_MODE; a++) {
            const int is_unread = a != TMA_ARG_RANK && a != TMA_ARG_ADDRESS && a != TMA_ARG_LOWER &&
                                  a != TMA_ARG_UPPER && random_one_in(&r, 3);
            p.unread |= is_unread ? TMA_PASTE_BIT(a) : 0;
            p.shown |= is_unread ? 0 : TMA_PASTE_BIT(a);
            p.known[a] = (uint8_t)random_in(&r, 0, 31);
        }
        const size_t count = tma_check(all, 64, &p.spec, &target);
        tma_spec changed = p.spec;
        const tma_spec other = gen_spec(&r, &target);
        change(&r, &changed, &other, &p);
        for (size_t k = 0; k < count && k < 64; k++) {
            if (tma_paste_judges(&p, &all[k])) {
                held++;
                if (!is_found(&all[k], &changed, &target)) {
                    fail_msg("%s on argument %u[%d] is gone, unread %x, spec %lu",
                             tma_rule_of(all[k].rule)->name, all[k].argument, all[k].index,
                             p.unread, i);
                }
            }
        }
    }
    assert_true(held > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_reads_back),
        cmocka_unit_test(a_finding_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
