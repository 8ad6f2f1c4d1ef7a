/* SPDX-License-Identifier: Apache-2.0
 *
 * Each form of scalar/scalar_*.def, decoded from its text and executed for 2,048 operands near its
 * types' edges: all lanes at once, under masks that leave lanes out, and in place. SCALAR_SHOW=FORM
 * prints one form's results, as scalar_model.py --show does.
 */
#include "support/testing.h"

#include "compute_approximate.h"
#include "machine.h"
#include "scalar/scalar_operands.h"
#include "words.h"

#define GIVEN 5
#define SLOTS 64

static const struct form {
    const char *group, *text, *result, *kinds;
    uint64_t sum;
} FORMS[] = {
#define FORM(group, text, result, kinds, sum) {#group, text, result, kinds, sum},
#include "scalar/scalar_integers.def"
#define FORM(group, text, result, kinds, sum) {#group, text, result, kinds, sum},
#include "scalar/scalar_bits.def"
#define FORM(group, text, result, kinds, sum) {#group, text, result, kinds, sum},
#include "scalar/scalar_comparisons.def"
#define FORM(group, text, result, kinds, sum) {#group, text, result, kinds, sum},
#include "scalar/scalar_floats.def"
#define FORM(group, text, result, kinds, sum) {#group, text, result, kinds, sum},
#include "scalar/scalar_conversions.def"
#define FORM(group, text, result, kinds, sum) {#group, text, result, kinds, sum},
#include "scalar/scalar_videos.def"
#define FORM(group, text, result, kinds, sum) {#group, text, result, kinds, sum},
#include "scalar/scalar_sm_100.def"
#define FORM(group, text, result, kinds, sum) {#group, text, result, kinds, sum},
#include "scalar/scalar_sm_120.def"
};

typedef struct machine_of_one {
    emu_machine machine;
    emu_warp warp;
    emu_fragment fragment;
    emu_frame frame;
    emu_program program;
    ptx_memory memory;
    uint8_t slots[SLOTS][EMU_SLOT_B];
    void *block[64];
    uint32_t blocks;
} machine_of_one;

static void *more(void *context, size_t size_B) {
    machine_of_one *m = context;
    assert_true(m->blocks < COUNT_OF(m->block));
    return m->block[m->blocks++] = malloc(size_B);
}

/* "f32 pred" cut: the kinds of %a, %b, %c, %e in order, and of %t. */
typedef struct given {
    const char *kind;
    uint32_t length;
    char name;
} given;

static uint32_t given_of(const struct form *f, given out[GIVEN]) {
    uint32_t count = 0;
    for (const char *at = f->kinds; *at;) {
        const uint32_t length = (uint32_t)strcspn(at, " ");
        const int is_predicate = length == 4 && !memcmp(at, "pred", 4);
        out[count] = (given){at, length, is_predicate ? 't' : "abce"[count]};
        at += length + (at[length] == ' ');
        count++;
    }
    return count;
}

static const char *register_type(const char *kind, uint32_t length) {
    const uint32_t bits = scalar_bits_of(kind, length);
    if (length == 6 && !memcmp(kind, "e2m1x2", 6)) {
        return "b8";
    }
    return bits == 1 ? "pred" : bits == 64 ? "b64" : bits == 32 ? "b32" : "b16";
}

static void write_text(const struct form *f, const given *g, uint32_t count, char *out,
                       size_t size) {
    int n = snprintf(out, size,
                     ".version 9.0\n.target sm_100a\n.address_size 64\n.entry k() {\n"
                     ".reg .pred %%p, %%q;\n");
    for (uint32_t i = 0; i < count; i++) {
        n += snprintf(out + n, size - (size_t)n, ".reg .%s %%%c;\n",
                      register_type(g[i].kind, g[i].length), g[i].name);
    }
    if (f->result[0]) {
        n += snprintf(out + n, size - (size_t)n, ".reg .%s %%d, %%f;\n",
                      register_type(f->result, (uint32_t)strlen(f->result)));
    }
    snprintf(out + n, size - (size_t)n, "%s\nret;\n}\n", f->text);
}

/* The decoded operand that a name of the form's text stands for, in any of its instructions. */
static const emu_operand *operand_named(const machine_of_one *m, const struct form *f, char name) {
    const emu_instruction *in = &m->program.code[m->program.function[0].first];
    uint32_t index = 0;
    for (const char *at = f->text; *at; at++) {
        index += *at == ',';
        if (*at == ';') {
            in++;
            index = 0;
        }
        if (at[0] == '%' && at[1] == name) {
            return at > f->text && at[-1] == '|' ? &in->also : &in->operand[index];
        }
    }
    return NULL;
}

static void put(const machine_of_one *m, const emu_operand *o, uint32_t lane, uint64_t value,
                uint32_t bits) {
    if (bits == 1) {
        emu_set_predicate(&m->warp, o, (uint32_t)1 << lane, value ? UINT32_MAX : 0);
    } else if (bits == 64) {
        emu_u64(&m->warp, o)[lane] = value;
    } else {
        emu_u32(&m->warp, o)[lane] = (uint32_t)value;
    }
}

static int run(machine_of_one *m, uint32_t mask) {
    const emu_function *k = &m->program.function[0];
    for (uint32_t i = k->first; i + 2 < k->end + 1; i++) { /* but ret */
        const emu_instruction *in = &m->program.code[i];
        if (in->op == EMU_OP_UNKNOWN || in->run(&m->warp, in, mask) != EMU_NEXT) {
            return 0;
        }
    }
    return 1;
}

typedef struct outcome {
    uint64_t d;
    uint32_t p, q;
} outcome;

static outcome outcome_of(const machine_of_one *m, const struct form *f, uint32_t lane) {
    const emu_operand *d = operand_named(m, f, 'd');
    const emu_operand *p = operand_named(m, f, 'p');
    const emu_operand *q = operand_named(m, f, 'q');
    const uint32_t bits = d ? scalar_bits_of(f->result, (uint32_t)strlen(f->result)) : 0;
    return (outcome){!d           ? 0
                     : bits == 64 ? emu_u64(&m->warp, d)[lane]
                                  : emu_u32(&m->warp, d)[lane],
                     p ? *emu_u32(&m->warp, p) >> lane & 1 : 0,
                     q ? *emu_u32(&m->warp, q) >> lane & 1 : 0};
}

static int same(outcome a, outcome b) {
    return a.d == b.d && a.p == b.p && a.q == b.q;
}

/* Lanes outside of the mask keep what they had. */
static int masked(machine_of_one *m, const struct form *f, uint32_t mask) {
    outcome before[EMU_LANES];
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        before[l] = outcome_of(m, f, l);
        if (operand_named(m, f, 'd')) {
            put(m, operand_named(m, f, 'd'), l, 77,
                scalar_bits_of(f->result, (uint32_t)strlen(f->result)));
        }
    }
    if (!run(m, mask)) {
        return 0;
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        outcome want = before[l];
        want.d = f->result[0] && !(mask >> l & 1) ? 77 : want.d;
        if (!same(want, outcome_of(m, f, l))) {
            return 0;
        }
    }
    return 1;
}

static uint32_t register_bits(const emu_operand *o) {
    return o->kind == EMU_REGISTER && !o->constant && o->slot >= 0 ? emu_type_of(o->type)->bits : 0;
}

/* The result in the register of the first operand, which is read in the same instruction. */
static int in_place(machine_of_one *m, const struct form *f) {
    emu_instruction *in = &m->program.code[m->program.function[0].first];
    outcome before[EMU_LANES];
    const uint32_t bits = register_bits(&in->operand[0]);
    const int32_t slot = in->operand[0].slot;
    if (!bits || bits != register_bits(&in->operand[1]) || strchr(f->text, ';')[1] ||
        !run(m, UINT32_MAX)) {
        return 1; /* of several instructions, or of other widths */
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        before[l] = outcome_of(m, f, l);
    }
    in->operand[0].slot = in->operand[1].slot;
    int good = run(m, UINT32_MAX);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        good &= same(before[l], outcome_of(m, f, l));
    }
    in->operand[0].slot = slot;
    return good;
}

static void fill(machine_of_one *m, const struct form *f, const given *g, uint32_t count,
                 uint32_t index) {
    for (uint32_t i = 0; i < count; i++) {
        const emu_operand *o = operand_named(m, f, g[i].name);
        const uint32_t bits = scalar_bits_of(g[i].kind, g[i].length);
        for (uint32_t l = 0; o && l < EMU_LANES; l++) {
            put(m, o, l, scalar_value(g[i].kind, g[i].length, index + l, i), bits);
        }
    }
}

/* Whether a form gives what it should; -1: it is not executed, -2: lanes outside of a mask,
 * -4: its result in the register of an operand. */
static int tried(machine_of_one *m, const struct form *f, int shows) {
    given g[GIVEN];
    const uint32_t count = given_of(f, g);
    uint64_t sum = 0xCBF29CE484222325u;
    for (uint32_t index = 0; index < SCALAR_COUNT; index += EMU_LANES) {
        fill(m, f, g, count, index);
        if (!run(m, UINT32_MAX)) {
            return -1;
        }
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            const outcome o = outcome_of(m, f, l);
            sum = (sum ^ o.d) * 0x100000001B3u;
            sum = strstr(f->text, "%p") ? (sum ^ (o.p | o.q << 1)) * 0x100000001B3u : sum;
            if (shows) {
                printf("%u", index + l);
                for (uint32_t i = 0; i < count; i++) {
                    printf(" %llx",
                           (unsigned long long)scalar_value(g[i].kind, g[i].length, index + l, i));
                }
                printf(" %llx %u %u\n", (unsigned long long)o.d, o.p, o.q);
            }
        }
        if (!masked(m, f, 0x5A3C0F81u)) {
            return -2;
        }
        if (!in_place(m, f)) {
            return -4;
        }
    }
    return sum == f->sum;
}

/* A machine of one warp with the form's program. */
static int decoded(machine_of_one *m, const struct form *f) {
    static char text[1024]; /* stays where it is */
    given g[GIVEN];
    tma_error error = {0};
    memset(m, 0, sizeof(*m));
    m->machine.program = &m->program;
    m->frame.slots = m->slots[0];
    m->fragment.frame = &m->frame;
    m->fragment.mask = UINT32_MAX;
    m->warp.machine = &m->machine;
    m->warp.now = &m->fragment;
    m->warp.slots = m->frame.slots;
    m->memory = ptx_memory_of(more, m);
    write_text(f, g, given_of(f, g), text, sizeof(text));
    const int refused = emu_decode(&m->program, &m->memory, text, strlen(text), &error);
    m->warp.pool = m->program.pool;
    return !refused && m->program.function[0].slots <= SLOTS;
}

static void given_back(machine_of_one *m) {
    for (uint32_t i = 0; i < m->blocks; i++) {
        free(m->block[i]);
    }
}

static int try_form(const struct form *f, int shows) {
    static machine_of_one m;
    const int good = decoded(&m, f) ? tried(&m, f, shows) : -3;
    given_back(&m);
    return good;
}

static void forms_give_what_the_model_gives(void **state) {
    (void)state;
    const char *shown = getenv("SCALAR_SHOW");
    uint32_t bad = 0;
    for (size_t i = 0; i < COUNT_OF(FORMS); i++) {
        if (shown && strcmp(shown, FORMS[i].text)) {
            continue;
        }
        const int good = try_form(&FORMS[i], shown != NULL);
        if (good != 1) {
            print_message("%s: %s\n",
                          good == 0    ? "different"
                          : good == -2 ? "lanes outside of the mask"
                          : good == -3 ? "not decoded"
                                       : "not executed",
                          FORMS[i].text);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

/* ---- approximate functions: the forms call what test_approximate.c holds against an H200 ---- */

typedef uint64_t (*function)(uint64_t a, uint64_t b);

#define ONE(name, expression)                                                                      \
    static uint64_t name(uint64_t a, uint64_t b) {                                                 \
        const uint32_t x = (uint32_t)a;                                                            \
        const uint32_t y = (uint32_t)b;                                                            \
        (void)x, (void)y;                                                                          \
        return (expression);                                                                       \
    }
#define HALVES(name, is_bf16)                                                                      \
    (compute_##name##_half(is_bf16, x & 65535) | compute_##name##_half(is_bf16, x >> 16) << 16)
ONE(ex2, compute_ex2(x))
ONE(ex2_ftz, compute_ex2_ftz(x))
ONE(lg2, compute_lg2(x))
ONE(lg2_ftz, compute_lg2_ftz(x))
ONE(rcp, compute_rcp(x))
ONE(rcp_ftz, compute_rcp_ftz(x))
ONE(rsqrt, compute_rsqrt(x))
ONE(rsqrt_ftz, compute_rsqrt_ftz(x))
ONE(square_root, compute_sqrt(x))
ONE(square_root_ftz, compute_sqrt_ftz(x))
ONE(sine, compute_sin(x))
ONE(cosine, compute_cos(x))
ONE(hyperbolic, compute_tanh(x))
ONE(hyperbolic_f16, compute_tanh_half(0, x))
ONE(hyperbolic_bf16, compute_tanh_half(1, x))
ONE(hyperbolic_f16x2, HALVES(tanh, 0))
ONE(hyperbolic_bf16x2, HALVES(tanh, 1))
ONE(ex2_f16, compute_ex2_half(0, x))
ONE(ex2_bf16, compute_ex2_half(1, x))
ONE(ex2_f16x2, HALVES(ex2, 0))
ONE(ex2_bf16x2, HALVES(ex2, 1))
ONE(rcp_f64, (uint64_t)compute_rcp_upper((uint32_t)(a >> 32)) << 32)
ONE(rsqrt_f64, (uint64_t)compute_rsqrt_upper((uint32_t)(a >> 32)) << 32)
ONE(div_approx, compute_div_approx(x, y, 0))
ONE(div_approx_ftz, compute_div_approx(x, y, 1))
ONE(div_full, compute_div_full(x, y, 0))
ONE(div_full_ftz, compute_div_full(x, y, 1))

static const struct approximation {
    const char *text, *kind;
    function of;
    uint32_t operands;
} APPROXIMATIONS[] = {
    {"ex2.approx.f32 %d, %a;", "f32", ex2, 1},
    {"ex2.approx.ftz.f32 %d, %a;", "f32", ex2_ftz, 1},
    {"ex2.approx.f16 %d, %a;", "f16", ex2_f16, 1},
    {"ex2.approx.f16x2 %d, %a;", "f16x2", ex2_f16x2, 1},
    {"ex2.approx.ftz.bf16 %d, %a;", "bf16", ex2_bf16, 1},
    {"ex2.approx.ftz.bf16x2 %d, %a;", "bf16x2", ex2_bf16x2, 1},
    {"lg2.approx.f32 %d, %a;", "f32", lg2, 1},
    {"lg2.approx.ftz.f32 %d, %a;", "f32", lg2_ftz, 1},
    {"rcp.approx.f32 %d, %a;", "f32", rcp, 1},
    {"rcp.approx.ftz.f32 %d, %a;", "f32", rcp_ftz, 1},
    {"rcp.approx.ftz.f64 %d, %a;", "f64", rcp_f64, 1},
    {"rsqrt.approx.f32 %d, %a;", "f32", rsqrt, 1},
    {"rsqrt.approx.ftz.f32 %d, %a;", "f32", rsqrt_ftz, 1},
    {"rsqrt.approx.ftz.f64 %d, %a;", "f64", rsqrt_f64, 1},
    {"sqrt.approx.f32 %d, %a;", "f32", square_root, 1},
    {"sqrt.approx.ftz.f32 %d, %a;", "f32", square_root_ftz, 1},
    {"sin.approx.f32 %d, %a;", "f32", sine, 1},
    {"sin.approx.ftz.f32 %d, %a;", "f32", sine, 1},
    {"cos.approx.f32 %d, %a;", "f32", cosine, 1},
    {"cos.approx.ftz.f32 %d, %a;", "f32", cosine, 1},
    {"tanh.approx.f32 %d, %a;", "f32", hyperbolic, 1},
    {"tanh.approx.f16 %d, %a;", "f16", hyperbolic_f16, 1},
    {"tanh.approx.f16x2 %d, %a;", "f16x2", hyperbolic_f16x2, 1},
    {"tanh.approx.bf16 %d, %a;", "bf16", hyperbolic_bf16, 1},
    {"tanh.approx.bf16x2 %d, %a;", "bf16x2", hyperbolic_bf16x2, 1},
    {"div.approx.f32 %d, %a, %b;", "f32", div_approx, 2},
    {"div.approx.ftz.f32 %d, %a, %b;", "f32", div_approx_ftz, 2},
    {"div.full.f32 %d, %a, %b;", "f32", div_full, 2},
    {"div.full.ftz.f32 %d, %a, %b;", "f32", div_full_ftz, 2},
};

static void approximations_call_their_functions(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(APPROXIMATIONS); i++) {
        const struct approximation *row = &APPROXIMATIONS[i];
        const uint32_t length = (uint32_t)strlen(row->kind);
        char kinds[16];
        snprintf(kinds, sizeof(kinds), row->operands == 2 ? "%s %s" : "%s", row->kind, row->kind);
        struct form f = {"approximate", row->text, row->kind, kinds, 0xCBF29CE484222325u};
        for (uint32_t k = 0; k < SCALAR_COUNT; k++) {
            const uint64_t r = row->of(scalar_value(row->kind, length, k, 0),
                                       scalar_value(row->kind, length, k, 1));
            f.sum = (f.sum ^ r) * 0x100000001B3u;
        }
        if (try_form(&f, 0) != 1) {
            fail_msg("%s", row->text);
        }
    }
}

/* ---- .ftz: a result is flushed where it is tiny once it is rounded to a full significand ---- */

static const struct edge {
    const char *text, *kind;
    uint64_t a, b, c, d;
} EDGES[] = {
    /* (1 + 2^-13) (1 - 2^-13) 2^-126: its nearest is 2^-126 */
    {"mul.rn.ftz.f32 %d, %a, %b;", "f32", 0x21800400, 0x1e7ff800, 0, 0x00800000},
    {"mul.rn.ftz.f32 %d, %a, %b;", "f32", 0xa1800400, 0x1e7ff800, 0, 0x80800000},
    {"mul.rz.ftz.f32 %d, %a, %b;", "f32", 0x21800400, 0x1e7ff800, 0, 0},
    {"mul.rp.ftz.f32 %d, %a, %b;", "f32", 0x21800400, 0x1e7ff800, 0, 0x00800000},
    {"mul.rm.ftz.f32 %d, %a, %b;", "f32", 0xa1800400, 0x1e7ff800, 0, 0x80800000},
    {"mul.rm.ftz.f32 %d, %a, %b;", "f32", 0x21800400, 0x1e7ff800, 0, 0},
    {"fma.rn.ftz.f32 %d, %a, %b, %c;", "f32", 0x21800400, 0x1e7ff800, 0, 0x00800000},
    {"fma.rp.ftz.f32 %d, %a, %b, %c;", "f32", 0x21800400, 0x1e7ff800, 0, 0x00800000},
    {"mul.rn.f32 %d, %a, %b;", "f32", 0x21800400, 0x1e7ff800, 0, 0x00800000},
    /* (1 + 2^-12) (1 - 2^-12) 2^-126 has 24 bits and is tiny, though a subnormal would round up */
    {"mul.rn.ftz.f32 %d, %a, %b;", "f32", 0x21800800, 0x1e7ff000, 0, 0},
    {"fma.rn.ftz.f32 %d, %a, %b, %c;", "f32", 0xa1800800, 0x1e7ff000, 0x80000000, 0x80000000},
    {"mul.rp.ftz.f32 %d, %a, %b;", "f32", 0x21800800, 0x1e7ff000, 0, 0},
    {"mul.rn.f32 %d, %a, %b;", "f32", 0x21800800, 0x1e7ff000, 0, 0x00800000},
    /* the same of f16: (1 + 2^-6) (1 - 2^-6) 2^-14 is a tie, (1 + 2^-5) (1 - 2^-5) 2^-14 is tiny */
    {"fma.rn.ftz.f16 %d, %a, %b, %c;", "f16", 0x2010, 0x1fe0, 0, 0x0400},
    {"fma.rn.ftz.f16 %d, %a, %b, %c;", "f16", 0x2020, 0x1fc0, 0, 0},
    {"fma.rn.f16 %d, %a, %b, %c;", "f16", 0x2020, 0x1fc0, 0, 0x03ff},
};

static void edges_of_flushing(void **state) {
    (void)state;
    static machine_of_one m;
    for (size_t i = 0; i < COUNT_OF(EDGES); i++) {
        const struct edge *e = &EDGES[i];
        char kinds[16];
        snprintf(kinds, sizeof(kinds), strstr(e->text, "%c") ? "%s %s %s" : "%s %s", e->kind,
                 e->kind, e->kind);
        const struct form f = {"", e->text, e->kind, kinds, 0};
        assert_true(decoded(&m, &f));
        const uint64_t given[3] = {e->a, e->b, e->c};
        for (uint32_t k = 0; k < 3; k++) {
            const emu_operand *o = operand_named(&m, &f, "abc"[k]);
            for (uint32_t l = 0; o && l < EMU_LANES; l++) {
                put(&m, o, l, given[k], 32);
            }
        }
        assert_true(run(&m, UINT32_MAX));
        const outcome o = outcome_of(&m, &f, 7);
        if (o.d != e->d) {
            fail_msg("%s: %llx, not %llx", e->text, (unsigned long long)o.d,
                     (unsigned long long)e->d);
        }
        given_back(&m);
    }
}

/* ---- what is not executed: said, never guessed ---- */

static void others_are_not_executed(void **state) {
    (void)state;
    static const struct form forms[] = {
        {"", "cvt.rn.satfinite.scaled::n2::ue8m0.e2m1x2.bf16x2 %d, %a;", "b16", "b32", 0},
        {"", "cvt.rs.f16x2.f32 %d, %a, %b, %c;", "b32", "f32 f32 b32", 0},
        {"", "add.sat.u64 %d, %a, %b;", "u64", "u64 u64", 0},
        {"", "rsqrt.approx.f64 %d, %a;", "f64", "f64", 0},
        {"", "sin.f32 %d, %a;", "f32", "f32", 0},
        {"", "popc.u32 %d, %a;", "b32", "b32", 0},
        {"", "setp.ltu.s32 %p, %a, %b;", "", "s32 s32", 0},
    };
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        if (try_form(&forms[i], 0) != -1) {
            fail_msg("%s", forms[i].text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_give_what_the_model_gives),
        cmocka_unit_test(approximations_call_their_functions),
        cmocka_unit_test(edges_of_flushing),
        cmocka_unit_test(others_are_not_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
