/* SPDX-License-Identifier: Apache-2.0
 *
 * Shuffles, votes, matches, reductions, elect: each instruction by 64 warps, each with its own
 * member mask, values and lanes asked for, beside plain loops; lanes that are not named, or named
 * and not there; and what a lane is told of its place.
 */
#include "emulator/harness.h"

#define WARPS 64
#define LANES 32

/* What a lane has, and what it gets. */
typedef struct lane {
    uint32_t a, high, b, c, members, is_member, d, p;
} lane;

typedef void (*model)(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d, uint32_t *p);

static uint32_t has(uint32_t members, uint32_t l) {
    return members >> l & 1;
}

/* ---- shuffles: by the words of the PTX ISA ---- */

static void shuffled(const lane in[LANES], uint32_t l, int from, int valid, uint32_t *d,
                     uint32_t *p) {
    *p = valid != 0;
    *d = in[valid ? (uint32_t)from : l].a;
}
static int highest(const lane *x, uint32_t l) {
    const uint32_t segment = x->c >> 8 & 31;
    return (int)((l & segment) | (x->c & 31 & ~segment));
}
static void up(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d, uint32_t *p) {
    const int from = (int)l - (int)(in[l].b & 31);
    (void)members;
    shuffled(in, l, from, from >= highest(&in[l], l), d, p);
}
static void down(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d, uint32_t *p) {
    const int from = (int)(l + (in[l].b & 31));
    (void)members;
    shuffled(in, l, from, from <= highest(&in[l], l), d, p);
}
static void bfly(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d, uint32_t *p) {
    const int from = (int)(l ^ (in[l].b & 31));
    (void)members;
    shuffled(in, l, from, from <= highest(&in[l], l), d, p);
}
static void indexed(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d, uint32_t *p) {
    const uint32_t segment = in[l].c >> 8 & 31;
    const int from = (int)((l & segment) | (in[l].b & 31 & ~segment));
    (void)members;
    shuffled(in, l, from, from <= highest(&in[l], l), d, p);
}

/* ---- votes: a's lowest bit ---- */

static void ballot(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d, uint32_t *p) {
    (void)l;
    *d = *p = 0;
    for (uint32_t k = 0; k < LANES; k++) {
        *d |= (has(members, k) & in[k].a & 1) << k;
    }
}
static void all(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d, uint32_t *p) {
    uint32_t yes = 0;
    ballot(in, members, l, &yes, p);
    *p = yes == members;
    *d = 0;
}
static void any(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d, uint32_t *p) {
    uint32_t yes = 0;
    ballot(in, members, l, &yes, p);
    *p = yes != 0;
    *d = 0;
}
static void uni(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d, uint32_t *p) {
    uint32_t yes = 0;
    ballot(in, members, l, &yes, p);
    *p = yes == members || yes == 0;
    *d = 0;
}

/* ---- matches ---- */

static void match_any(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d,
                      uint32_t *p) {
    *d = *p = 0;
    for (uint32_t k = 0; k < LANES; k++) {
        *d |= (uint32_t)(has(members, k) && in[k].a == in[l].a) << k;
    }
}
static void match_wide(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d,
                       uint32_t *p) {
    *d = *p = 0;
    for (uint32_t k = 0; k < LANES; k++) {
        const int same = in[k].a == in[l].a && in[k].high == in[l].high;
        *d |= (uint32_t)(has(members, k) && same) << k;
    }
}
static void match_all(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d,
                      uint32_t *p) {
    match_any(in, members, l, d, p);
    *p = *d == members;
    *d = *p ? members : 0;
}

/* ---- reductions ---- */

#define REDUCES(name, type, start, expression)                                                     \
    static void name(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d,              \
                     uint32_t *p) {                                                                \
        type r = (type)(start);                                                                    \
        (void)l;                                                                                   \
        for (uint32_t k = 0; k < LANES; k++) {                                                     \
            const type x = (type)in[k].a;                                                          \
            r = has(members, k) ? (expression) : r;                                                \
        }                                                                                          \
        *d = (uint32_t)r;                                                                          \
        *p = 0;                                                                                    \
    }
REDUCES(sum, uint32_t, 0, r + x)
REDUCES(least_u32, uint32_t, UINT32_MAX, x < r ? x : r)
REDUCES(most_u32, uint32_t, 0, x > r ? x : r)
REDUCES(least_s32, int32_t, INT32_MAX, x < r ? x : r)
REDUCES(most_s32, int32_t, INT32_MIN, x > r ? x : r)
REDUCES(anded, uint32_t, UINT32_MAX, r &x)
REDUCES(ored, uint32_t, 0, r | x)
REDUCES(xored, uint32_t, 0, r ^ x)

static float float_of(uint32_t bits) {
    float f = 0;
    memcpy(&f, &bits, sizeof(f));
    return f;
}
/* Of f32 a NaN loses to a number. */
static void least_f32(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d,
                      uint32_t *p) {
    uint32_t best = 0x7fffffff;
    (void)l;
    for (uint32_t k = 0; k < LANES; k++) {
        const float x = float_of(in[k].a);
        const float r = float_of(best);
        const int is_less = x < r || (x == r && in[k].a >> 31);
        if (has(members, k) && x == x && (r != r || is_less)) {
            best = in[k].a;
        }
    }
    *d = best;
    *p = 0;
}

static void elected(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d, uint32_t *p) {
    (void)in;
    for (*d = 0; !has(members, *d); ++*d) {
    }
    *p = *d == l;
}
static void active(const lane in[LANES], uint32_t members, uint32_t l, uint32_t *d, uint32_t *p) {
    (void)in, (void)l;
    *d = members;
    *p = 0;
}

static const struct row {
    const char *text; /* %a %w (a wide) %t (a's lowest bit) %b %c %m -> %d %p */
    model expects;
} ROWS[] = {
    {"shfl.sync.up.b32 %d|%p, %a, %b, %c, %m;", up},
    {"shfl.sync.down.b32 %d|%p, %a, %b, %c, %m;", down},
    {"shfl.sync.bfly.b32 %d|%p, %a, %b, %c, %m;", bfly},
    {"shfl.sync.idx.b32 %d|%p, %a, %b, %c, %m;", indexed},
    {"vote.sync.ballot.b32 %d, %t, %m;", ballot},
    {"vote.sync.all.pred %p, %t, %m;", all},
    {"vote.sync.any.pred %p, %t, %m;", any},
    {"vote.sync.uni.pred %p, %t, %m;", uni},
    {"match.any.sync.b32 %d, %a, %m;", match_any},
    {"match.any.sync.b64 %d, %w, %m;", match_wide},
    {"match.all.sync.b32 %d|%p, %a, %m;", match_all},
    {"redux.sync.add.u32 %d, %a, %m;", sum},
    {"redux.sync.add.s32 %d, %a, %m;", sum},
    {"redux.sync.min.u32 %d, %a, %m;", least_u32},
    {"redux.sync.max.u32 %d, %a, %m;", most_u32},
    {"redux.sync.min.s32 %d, %a, %m;", least_s32},
    {"redux.sync.max.s32 %d, %a, %m;", most_s32},
    {"redux.sync.and.b32 %d, %a, %m;", anded},
    {"redux.sync.or.b32 %d, %a, %m;", ored},
    {"redux.sync.xor.b32 %d, %a, %m;", xored},
    {"redux.sync.min.f32 %d, %a, %m;", least_f32},
    {"elect.sync %d|%p, %m;", elected},
    {"activemask.b32 %d;", active},
};

static const char *kernel(const char *text) {
    static char ptx[2048];
    snprintf(ptx, sizeof(ptx),
             ".visible .entry k(.param .u64 p)\n{\n"
             ".reg .pred %%p, %%t, %%g;\n.reg .b32 %%a, %%h, %%b, %%c, %%m, %%i, %%n, %%d;\n"
             ".reg .b64 %%w, %%at;\n"
             "mov.u32 %%i, %%tid.x;\nmov.u32 %%n, %%ctaid.x;\nmad.lo.u32 %%i, %%n, 32, %%i;\n"
             "ld.param.u64 %%at, [p];\nmul.wide.u32 %%w, %%i, 32;\nadd.u64 %%at, %%at, %%w;\n"
             "ld.global.u32 %%a, [%%at];\nld.global.u64 %%w, [%%at];\n"
             "ld.global.u32 %%b, [%%at+8];\nld.global.u32 %%c, [%%at+12];\n"
             "ld.global.u32 %%m, [%%at+16];\nld.global.u32 %%n, [%%at+20];\n"
             "setp.ne.u32 %%g, %%n, 0;\nand.b32 %%n, %%a, 1;\nsetp.ne.u32 %%t, %%n, 0;\n"
             "mov.u32 %%d, 0;\nsetp.ne.u32 %%p, %%i, %%i;\n"
             "@%%g %s\n"
             "selp.u32 %%n, 1, 0, %%p;\nst.global.u32 [%%at+24], %%d;\n"
             "st.global.u32 [%%at+28], %%n;\nret;\n}\n",
             text);
    return ptx;
}

static uint32_t random_of(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8 ^ *seed << 13;
}

static void fill(lane of[LANES], uint32_t warp) {
    uint32_t seed = warp * 77777u + 5;
    const uint32_t members = warp < 8    ? UINT32_MAX
                             : warp < 12 ? 1u << warp
                                         : random_of(&seed) | 1u << warp % 32;
    const uint32_t values = warp % 5; /* how many different ones: 0: any */
    for (uint32_t l = 0; l < LANES; l++) {
        of[l].a = values ? random_of(&seed) % values * 0x40000001u : random_of(&seed);
        of[l].high = random_of(&seed) % 3;
        of[l].b = random_of(&seed) & (warp & 1 ? 7 : 63);
        of[l].c = warp & 2 ? random_of(&seed) & 0x1f1f : warp & 4 ? 0x1f : 0x181f;
        of[l].members = members;
        of[l].is_member = has(members, l);
    }
}

static void instructions_give_what_loops_give(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        harness h;
        harness_begin(&h, kernel(ROWS[i].text));
        lane *of = harness_memory(&h, WARPS * LANES * sizeof(lane));
        harness_block(&h, WARPS, LANES);
        for (uint32_t w = 0; w < WARPS; w++) {
            fill(of + (size_t)w * LANES, w);
        }
        if (harness_run(&h) != TMA_EMULATE_COMPLETED) {
            fail_msg("%s: %s", ROWS[i].text, harness_why(&h));
        }
        for (uint32_t w = 0; w < WARPS; w++) {
            const lane *in = of + (size_t)w * LANES;
            for (uint32_t l = 0; l < LANES; l++) {
                uint32_t d = 0;
                uint32_t p = 0;
                if (in[l].is_member) {
                    ROWS[i].expects(in, in[l].members, l, &d, &p);
                }
                /* what a lane that is no member gives is anybody's guess */
                const int from_member = i > 3 || in[l].members == UINT32_MAX;
                if ((d != in[l].d && from_member) || p != in[l].p) {
                    fail_msg("%s: warp %u lane %u: %x %u, not %x %u", ROWS[i].text, w, l, in[l].d,
                             in[l].p, d, p);
                }
            }
        }
        harness_end(&h);
    }
}

/* ---- who is not named, who is not there ---- */

static const char *straight(const char *text) {
    static char ptx[1024];
    snprintf(ptx, sizeof(ptx),
             ".visible .entry k(.param .u64 p)\n{\n.reg .pred %%p, %%g;\n.reg .b32 %%i, %%d, %%x;\n"
             ".reg .b64 %%at, %%w;\nmov.u32 %%i, %%tid.x;\nsetp.lt.u32 %%g, %%i, 8;\n"
             "ld.param.u64 %%at, [p];\nmul.wide.u32 %%w, %%i, 4;\nadd.u64 %%at, %%at, %%w;\n"
             "mov.u32 %%d, 99;\n%s\nst.global.u32 [%%at], %%d;\nret;\n}\n",
             text);
    return ptx;
}

static const struct absence {
    const char *text;
    uint32_t findings; /* of divergence */
    uint32_t lane_0;
} ABSENCES[] = {
    {"shfl.sync.idx.b32 %d, %i, 3, 31, -1;", 0, 3},
    {"@%g shfl.sync.idx.b32 %d, %i, 3, 31, 0xff;", 0, 3},
    /* lanes from 8 on are named and pass it by */
    {"@%g shfl.sync.idx.b32 %d, %i, 3, 31, -1;", 1, 3},
    /* lanes from 8 on come and are not named */
    {"vote.sync.ballot.b32 %d, 1, 0xff;", 1, 0xff},
    {"redux.sync.add.u32 %d, %i, 0xff;", 1, 28},
    /* who has exited is not waited for */
    {"@!%g exit;\nredux.sync.add.u32 %d, %i, -1;", 0, 28},
    {"@!%g exit;\nelect.sync %d|%p, 0xfffffff0;", 1, 4},
};

static void lanes_are_judged(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ABSENCES); i++) {
        harness h;
        harness_begin(&h, straight(ABSENCES[i].text));
        const uint32_t *out = harness_memory(&h, 32 * sizeof(uint32_t));
        harness_block(&h, 1, 32);
        if (harness_run(&h) != TMA_EMULATE_COMPLETED) {
            fail_msg("%s: %s", ABSENCES[i].text, harness_why(&h));
        }
        const size_t found = harness_findings(&h, TMA_EMULATE_RULE_DIVERGENCE);
        if (found != ABSENCES[i].findings || out[0] != ABSENCES[i].lane_0) {
            fail_msg("%s: %zu findings, %u", ABSENCES[i].text, found, out[0]);
        }
        harness_end(&h);
    }
}

/* What comes of a register that nobody wrote, or of a lane that is not there, is a value that
 * nobody wrote where it goes to global memory. */
static void values_of_nobody(void **state) {
    static const struct {
        const char *text;
        uint32_t findings;
    } cases[] = {
        {"@!%g exit;\nshfl.sync.idx.b32 %d, %i, 9, 31, -1;", 1},
        {"@!%g exit;\nshfl.sync.idx.b32 %d, %i, 7, 31, -1;", 0},
        {"@!%g bra L;\nshfl.sync.idx.b32 %d, %i, 9, 31, 0xff;\nL:", 1},
        /* lane 0 alone reads one that is there, and the others' values go nowhere */
        {"@!%g exit;\nshfl.sync.down.b32 %d, %i, 7, 31, -1;\nsetp.eq.u32 %p, %i, 0;\n@!%p exit;",
         0},
        {"shfl.sync.idx.b32 %d, %x, 3, 31, -1;", 1},
        {"@%g mov.b32 %x, 4;\nshfl.sync.idx.b32 %d, %x, 3, 31, -1;", 0},
        {"@%g mov.b32 %x, 4;\nredux.sync.add.u32 %d, %x, -1;", 1},
        {"@%g mov.b32 %x, 4;\n@!%g exit;\nredux.sync.add.u32 %d, %x, -1;", 0},
        {"match.any.sync.b32 %d, %x, -1;", 1},
        {"vote.sync.ballot.b32 %d, %p, -1;", 1},
        {"vote.sync.any.pred %p, %p, -1;\n@%p mov.b32 %d, 5;", 1},
        /* one lane that says yes is enough, and so is one that says no */
        {"@%g setp.eq.u32 %p, %i, 3;\nvote.sync.any.pred %p, %p, -1;\n@%p mov.b32 %d, 5;", 0},
        {"@%g setp.eq.u32 %p, %i, 3;\nvote.sync.all.pred %p, %p, -1;\n@%p mov.b32 %d, 5;", 0},
        {"@%g setp.eq.u32 %p, %i, %i;\nvote.sync.all.pred %p, %p, -1;\n@%p mov.b32 %d, 5;", 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        harness h;
        harness_begin(&h, straight(cases[i].text));
        harness_memory(&h, 32 * sizeof(uint32_t));
        harness_block(&h, 1, 32);
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        const size_t found = harness_findings(&h, TMA_EMULATE_RULE_UNINITIALISED);
        if (found != cases[i].findings || harness_findings(&h, TMA_EMULATE_RULES) != found) {
            fail_msg("%s: %zu findings", cases[i].text, found);
        }
        harness_end(&h);
    }
}

/* ---- what a lane is told of itself ---- */

static uint32_t number(uint32_t l) {
    return l;
}
static uint32_t equal(uint32_t l) {
    return UINT32_C(1) << l;
}
static uint32_t below(uint32_t l) {
    return equal(l) - 1;
}
static uint32_t up_to(uint32_t l) {
    return below(l) | equal(l);
}
static uint32_t from(uint32_t l) {
    return ~below(l);
}
static uint32_t above(uint32_t l) {
    return ~up_to(l);
}

static const struct {
    const char *name;
    uint32_t (*is)(uint32_t l);
} SPECIALS[] = {{"%laneid", number},     {"%lanemask_eq", equal}, {"%lanemask_lt", below},
                {"%lanemask_le", up_to}, {"%lanemask_ge", from},  {"%lanemask_gt", above}};

static void lanes_know_their_places(void **state) {
    enum { THREADS = 40 }; /* a second warp's, too */
    (void)state;
    for (size_t i = 0; i < COUNT_OF(SPECIALS); i++) {
        harness h;
        harness_text t = {.size = 0};
        harness_put(&t,
                    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<3>; .reg .b64 %%q<3>;\n"
                    "ld.param.u64 %%q1, [out];\nmov.u32 %%r1, %%tid.x;\n"
                    "mul.wide.u32 %%q2, %%r1, 4;\nadd.s64 %%q1, %%q1, %%q2;\n"
                    "mov.u32 %%r2, %s;\nst.global.u32 [%%q1], %%r2;\nret;\n}\n",
                    SPECIALS[i].name);
        harness_begin(&h, t.at);
        const uint32_t *out = harness_memory(&h, THREADS * sizeof(uint32_t));
        harness_block(&h, 1, THREADS);
        harness_completes(&h);
        for (uint32_t k = 0; k < THREADS; k++) {
            if (out[k] != SPECIALS[i].is(k % LANES)) {
                fail_msg("%s of thread %u: %08x", SPECIALS[i].name, k, out[k]);
            }
        }
        harness_end(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_give_what_loops_give),
        cmocka_unit_test(lanes_are_judged),
        cmocka_unit_test(values_of_nobody),
        cmocka_unit_test(lanes_know_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
