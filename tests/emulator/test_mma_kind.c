/* SPDX-License-Identifier: Apache-2.0
 *
 * mma of sm_120a with a .kind: products of random numbers that are exact, beside plain arithmetic.
 * Which register holds which element, where a narrow element lies in its byte, and whose scale
 * factors count is typed in here from the PTX ISA (9.7.14.3, 9.7.14.5.10, 9.7.14.5.11; of sparse
 * ones 9.7.14.6.2.6, 9.7.14.6.2.8), apart from the engine.
 */
#include <math.h>

#include "harness.h"

#define LANES    32
#define WORDS    20 /* a lane's: A 4, B 4, C 4, scale-a-data, scale-b-data, metadata; D 4 */
#define C_AT     8
#define SCALE_AT 12
#define META_AT  14
#define D_AT     16
#define TIMES    12

typedef struct type {
    const char *word;
    uint32_t bits, exponent_bits, fraction_bits;
    int bias;
} type;

static const type E4M3 = {"e4m3", 8, 4, 3, 7}, E5M2 = {"e5m2", 8, 5, 2, 15},
                  E3M2 = {"e3m2", 6, 3, 2, 3}, E2M3 = {"e2m3", 6, 2, 3, 1},
                  E2M1 = {"e2m1", 4, 2, 1, 1};

typedef struct form {
    const char *kind; /* words between .col and the types */
    uint32_t k, scales;
    int is_f16, is_ue4m3;
    const char *tail; /* the type of scale factors */
    int is_sparse;
} form;

static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % below);
}

static double value_of(const type *t, uint32_t code) {
    const uint32_t fraction = code & ((1u << t->fraction_bits) - 1);
    const int exponent = (int)(code >> t->fraction_bits & ((1u << t->exponent_bits) - 1));
    const double one = (double)(1u << t->fraction_bits);
    const double size = exponent ? ldexp(1 + fraction / one, exponent - t->bias)
                                 : ldexp(fraction / one, 1 - t->bias);
    return code >> (t->bits - 1) & 1 ? -size : size;
}

/* A code whose number is a small one: sums of 64 products stay exact. */
static uint32_t small_code(const type *t, int is_f16) {
    for (;;) {
        const uint32_t code = draw(1u << t->bits);
        const double size = fabs(value_of(t, code));
        if (size == 0 || size == 0.5 || size == 1 || size == 2 ||
            (!is_f16 && (size == 1.5 || size == 3 || size == 4))) {
            return code;
        }
    }
}

/* Element (row, k) of A: register and bit of a lane. Columns of B have half of it: (column, k). */
static void place_of(uint32_t bits, uint32_t row, uint32_t k, int is_b, uint32_t *lane,
                     uint32_t *word, uint32_t *bit) {
    const uint32_t in_word = 32 / bits, half = 4 * in_word; /* a quad has `half` of k in a row */
    *lane = row % 8 * 4 + k % half / in_word;
    *word = is_b ? k / half : k / half * 2 + row / 8;
    *bit = k % in_word * bits;
}

typedef struct job {
    const form *f;
    const type *a, *b;
    uint32_t in[LANES][WORDS];
    uint32_t a_of[16][64], b_of[8][128]; /* codes */
    uint32_t meets[16][64];              /* k of B */
    double c[16][8];
    uint32_t byte[2], thread[2];
} job;

static void put_element(job *j, const type *t, uint32_t row, uint32_t k, int is_b, uint32_t code) {
    uint32_t lane, word, bit;
    const int packed = strncmp(j->f->kind, "kind::mxf4", 10) == 0;
    place_of(packed ? 4 : 8, row, k, is_b, &lane, &word, &bit);
    const uint32_t shift = !packed && t->bits == 4 ? 2 : 0; /* in the middle of its byte */
    j->in[lane][(is_b ? 4 : 0) + word] |= code << shift << bit;
}

static void put_c(job *j) {
    for (uint32_t i = 0; i < 128; i++) {
        const uint32_t row = i / 8, n = i % 8, lane = row % 8 * 4 + n / 2;
        const double value = (double)draw(9) - 4;
        j->c[row][n] = value;
        if (j->f->is_f16) {
            static const uint16_t F16[9] = {0xc400, 0xc200, 0xc000, 0xbc00, 0,
                                            0x3c00, 0x4000, 0x4200, 0x4400};
            j->in[lane][C_AT + row / 8] |= (uint32_t)F16[(int)value + 4] << n % 2 * 16;
        } else {
            const float single = (float)value;
            memcpy(&j->in[lane][C_AT + row / 8 * 2 + n % 2], &single, 4);
        }
    }
}

static uint32_t stored_of(const form *f) {
    return f->is_sparse ? f->k / 2 : f->k;
}

/* Which k of B A's elements meet: two of four places, or two pairs of four, their numbers
 * ascending. Of a quad thread 0 tells row r's first half, thread 1 row r + 8's, 2 and 3 the second
 * halves. */
static void put_metadata(job *j) {
    static const uint32_t LOW[] = {0, 0, 1, 0, 1, 2}, HIGH[] = {1, 2, 2, 3, 3, 3};
    const uint32_t chunk = j->f->k == 128 ? 4 : 2; /* elements that it stores */
    for (uint32_t i = 0; i < 16 * 16; i++) {
        const uint32_t row = i / 16, at = i % 16, which = draw(6);
        const uint32_t lane = row % 8 * 4 + row / 8 + at / 8 * 2;
        j->in[lane][META_AT] |= (HIGH[which] << 2 | LOW[which]) << at % 8 * 4;
        for (uint32_t e = 0; e < chunk; e++) {
            const uint32_t place = e < chunk / 2 ? LOW[which] : HIGH[which];
            j->meets[row][at * chunk + e] = at * 2 * chunk + place * (chunk / 2) + e % (chunk / 2);
        }
    }
}

static void put_operands(job *j) {
    for (uint32_t i = 0; i < 24 * j->f->k; i++) {
        const uint32_t k = i % j->f->k, row = i / j->f->k;
        const int is_b = row >= 16;
        if (!is_b && k >= stored_of(j->f)) {
            continue;
        }
        const uint32_t code = small_code(is_b ? j->b : j->a, j->f->is_f16);
        (is_b ? j->b_of[row - 16] : j->a_of[row])[k] = code;
        put_element(j, is_b ? j->b : j->a, is_b ? row - 16 : row, k, is_b, code);
    }
}

static void draw_job(job *j) {
    static const uint8_t UE4M3[] = {0x30, 0x34, 0x38, 0x3c, 0x40};
    memset(j->in, 0, sizeof(j->in));
    put_operands(j);
    put_c(j);
    if (j->f->is_sparse) {
        put_metadata(j);
    }
    for (uint32_t i = 0; i < LANES * 8; i++) {
        const uint8_t byte = j->f->is_ue4m3 ? UE4M3[draw(5)] : (uint8_t)(125 + draw(5));
        j->in[i / 8][SCALE_AT + i % 8 / 4] |= (uint32_t)byte << i % 4 * 8;
    }
    for (uint32_t i = 0; i < 2; i++) {
        j->byte[i] = j->f->scales == 1 ? draw(4) : j->f->scales == 2 ? 2 * draw(2) : 0;
        j->thread[i] = draw(i ? 4 : 2);
    }
}

/* The scale factor of a row of A or a column of B for the element k. */
static double scale(const job *j, uint32_t index, uint32_t k, int is_b) {
    static const type UE4M3 = {"", 8, 4, 3, 7};
    if (!j->f->scales) {
        return 1;
    }
    const uint32_t lane =
        is_b ? index * 4 + j->thread[1] : index % 8 * 4 + 2 * j->thread[0] + index / 8;
    const uint32_t byte = j->byte[is_b] + k / (j->f->k / j->f->scales);
    const uint32_t code = j->in[lane][SCALE_AT + is_b] >> 8 * byte & 0xff;
    return j->f->is_ue4m3 ? value_of(&UE4M3, code) : ldexp(1, (int)code - 127);
}

static double wanted(const job *j, uint32_t row, uint32_t n) {
    double sum = j->c[row][n];
    for (uint32_t i = 0; i < stored_of(j->f); i++) {
        const uint32_t k = j->f->is_sparse ? j->meets[row][i] : i;
        sum += value_of(j->a, j->a_of[row][i]) * scale(j, row, k, 0) *
               value_of(j->b, j->b_of[n][k]) * scale(j, n, k, 1);
    }
    return sum;
}

static double half_value(uint32_t bits) {
    static const type F16 = {"", 16, 5, 10, 15};
    return value_of(&F16, bits & 0xffff);
}

static uint32_t compare(const job *j, const uint32_t *memory) {
    uint32_t different = 0;
    for (uint32_t i = 0; i < 128; i++) {
        const uint32_t row = i / 8, n = i % 8, lane = row % 8 * 4 + n / 2;
        const uint32_t *d = &memory[(size_t)lane * WORDS + D_AT];
        const uint32_t bits = little_endian(d[j->f->is_f16 ? row / 8 : row / 8 * 2 + n % 2]);
        float single;
        memcpy(&single, &bits, 4);
        const double got = j->f->is_f16 ? half_value(bits >> n % 2 * 16) : (double)single;
        different += got != wanted(j, row, n);
    }
    return different;
}

#define BEGIN                                                                                      \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<40>;\n.reg .b64 %q<8>;\n.reg .b16 %h<8>;\n" \
    "ld.param.u64 %q0, [p];\nmov.u32 %r20, %tid.x;\nmul.wide.u32 %q1, %r20, 80;\n"                 \
    "add.u64 %q0, %q0, %q1;\nld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%q0];\n"                      \
    "ld.global.v4.u32 {%r4, %r5, %r23, %r24}, [%q0+16];\n"                                         \
    "ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%q0+32];\n"                                           \
    "ld.global.v4.u32 {%r10, %r11, %r22, %r21}, [%q0+48];\n"

static void write_kernel(char *to, size_t size, const job *j) {
    const char *d = j->f->is_f16 ? "f16" : "f32";
    const char *four = j->f->is_f16 ? "{%r12, %r13}" : "{%r12, %r13, %r14, %r15}";
    const char *c = j->f->is_f16 ? "{%r6, %r7}" : "{%r6, %r7, %r8, %r9}";
    char scales[160] = "";
    if (j->f->scales) { /* selectors of B through registers; data as such and as vectors of one */
        (void)snprintf(scales, sizeof(scales),
                       (j->byte[0] + j->thread[1]) & 1
                           ? ", {%%r10}, {%u, %u}, {%%r11}, {%%h0, %%h1}"
                           : ", %%r10, {%u, %u}, %%r11, {%%h0, %%h1}",
                       j->byte[0], j->thread[0]);
    }
    const int length = snprintf(
        to, size,
        "%smov.b16 %%h0, %u;\nmov.b16 %%h1, %u;\n"
        "mma%s.sync.aligned.m16n8k%u.row.col.%s.%s.%s.%s.%s%s %s, {%%r0, %%r1, %%r2, "
        "%%r3}, {%%r4, %%r5%s}, %s%s%s;\nst.global.v4.u32 [%%q0+64], {%%r12, %%r13, %%r14, "
        "%%r15};\nret;\n}\n",
        BEGIN, j->byte[1], j->thread[1], j->f->is_sparse ? ".sp::ordered_metadata" : "", j->f->k,
        j->f->kind, d, j->a->word, j->b->word, d, j->f->tail, four,
        j->f->is_sparse ? ", %r23, %r24" : "", c, j->f->is_sparse ? ", %r22, 0" : "", scales);
    assert_true(length > 0 && (size_t)length < size);
}

static void run_job(job *j) {
    static char text[4096];
    harness h;
    draw_job(j);
    write_kernel(text, sizeof(text), j);
    harness_begin(&h, text);
    uint32_t *memory = harness_memory(&h, sizeof(j->in));
    for (uint32_t i = 0; i < LANES * WORDS; i++) {
        memory[i] = little_endian(j->in[i / WORDS][i % WORDS]);
    }
    harness_block(&h, 1, LANES);
    if (harness_run(&h) != TMA_EMULATE_COMPLETED) {
        fail_msg("%s\n%s", harness_why(&h), text);
    }
    const uint32_t different = compare(j, memory);
    if (different) {
        fail_msg("%u of 128 differ\n%s", different, text);
    }
    harness_end(&h);
}

static void products_are_those_of_plain_arithmetic(void **state) {
    (void)state;
    static const form WIDE[] = {
        {"kind::f8f6f4", 32, 0, 0, 0, "", 0},
        {"kind::f8f6f4", 32, 0, 1, 0, "", 0},
        {"kind::mxf8f6f4.block_scale", 32, 1, 0, 0, ".ue8m0", 0},
        {"kind::mxf8f6f4.block_scale.scale_vec::1X", 32, 1, 0, 0, ".ue8m0", 0},
        {"kind::f8f6f4", 64, 0, 0, 0, "", 1},
        {"kind::f8f6f4", 64, 0, 1, 0, "", 1},
        {"kind::mxf8f6f4.block_scale", 64, 1, 0, 0, ".ue8m0", 1},
    };
    static const form NARROW[] = {
        {"kind::mxf4.block_scale", 64, 2, 0, 0, ".ue8m0", 0},
        {"kind::mxf4.block_scale.scale_vec::2X", 64, 2, 0, 0, ".ue8m0", 0},
        {"kind::mxf4nvf4.block_scale.scale_vec::2X", 64, 2, 0, 0, ".ue8m0", 0},
        {"kind::mxf4nvf4.block_scale.scale_vec::4X", 64, 4, 0, 0, ".ue8m0", 0},
        {"kind::mxf4nvf4.block_scale.scale_vec::4X", 64, 4, 0, 1, ".ue4m3", 0},
        {"kind::mxf4.block_scale", 128, 2, 0, 0, ".ue8m0", 1},
        {"kind::mxf4nvf4.block_scale.scale_vec::2X", 128, 2, 0, 0, ".ue8m0", 1},
        {"kind::mxf4nvf4.block_scale.scale_vec::4X", 128, 4, 0, 1, ".ue4m3", 1},
    };
    static const type *const TYPES[] = {&E4M3, &E5M2, &E3M2, &E2M3, &E2M1};
    static job j;
    for (uint32_t i = 0; i < COUNT_OF(WIDE) * 25; i++) {
        j.f = &WIDE[i / 25];
        j.a = TYPES[i % 5];
        j.b = TYPES[i / 5 % 5];
        run_job(&j);
    }
    for (uint32_t i = 0; i < COUNT_OF(NARROW) * TIMES; i++) {
        j.f = &NARROW[i / TIMES];
        j.a = j.b = &E2M1;
        run_job(&j);
    }
}

/* ---- forms that there are not ---- */

typedef struct refused {
    const char *line;
    uint32_t end;
} refused;

#define SHAPE   "mma.sync.aligned.m16n8k64.row.col.kind::"
#define FOUR    " {%r12, %r13, %r14, %r15}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r6, %r7, %r8, %r9}"
#define TAIL    ", %r10, {0, 0}, %r11, {0, 0};\n"
#define PLAIN   "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4."
#define SP      "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::"
#define SP_FOUR " " D4 ", " A4 ", {%r4, %r5, %r4, %r5}, " C4
#define ORDER   "mov.b32 %r23, 0x44e84444;\n"
#define D3      "{%r12, %r13, %r14}"
#define D4      "{%r12, %r13, %r14, %r15}"
#define A3      "{%r0, %r1, %r2}"
#define A4      "{%r0, %r1, %r2, %r3}"
#define B1      "{%r4}"
#define B2      "{%r4, %r5}"
#define C3      "{%r6, %r7, %r8}"
#define C4      "{%r6, %r7, %r8, %r9}"

static const refused REFUSED[] = {
    {SHAPE "mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3" FOUR TAIL,
     TMA_EMULATE_COMPLETED},
    {SHAPE "mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue4m3" FOUR TAIL,
     TMA_EMULATE_NOT_EXECUTED},
    {SHAPE "mxf4nvf4.block_scale.f32.e2m1.e2m1.f32.ue8m0" FOUR TAIL, TMA_EMULATE_NOT_EXECUTED},
    {SHAPE "mxf4.block_scale.f32.e2m1.e2m1.f32.ue4m3" FOUR TAIL, TMA_EMULATE_NOT_EXECUTED},
    {SHAPE "mxf4.block_scale.f32.e4m3.e2m1.f32.ue8m0" FOUR TAIL, TMA_EMULATE_NOT_EXECUTED},
    {SHAPE "mxf4.f32.e2m1.e2m1.f32.ue8m0" FOUR TAIL, TMA_EMULATE_NOT_EXECUTED},
    {SHAPE "mxf8f6f4.block_scale.f32.e2m1.e2m1.f32.ue8m0" FOUR TAIL, TMA_EMULATE_NOT_EXECUTED},
    {SHAPE "mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0" FOUR ";\n", TMA_EMULATE_NOT_EXECUTED},
    {SHAPE "mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0" FOUR ", %r10, {1, 0}, %r11, {0, 0};\n",
     TMA_EMULATE_TRAP},
    {SHAPE "mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0" FOUR ", %r10, {0, 2}, %r11, {0, 0};\n",
     TMA_EMULATE_TRAP},
    {SHAPE "mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0" FOUR ", %r10, {0, 0}, %r11, {0, 4};\n",
     TMA_EMULATE_TRAP},
    {"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.f16.f32" FOUR ";\n",
     TMA_EMULATE_NOT_EXECUTED},
    /* each operand with one register too few, and of another width */
    {PLAIN "f32.e2m1.e3m2.f32" FOUR ";\n", TMA_EMULATE_COMPLETED},
    {PLAIN "f32.e2m1.e3m2.f32 " D3 ", " A4 ", " B2 ", " C4 ";\n", TMA_EMULATE_NOT_EXECUTED},
    {PLAIN "f32.e2m1.e3m2.f32 " D4 ", " A3 ", " B2 ", " C4 ";\n", TMA_EMULATE_NOT_EXECUTED},
    {PLAIN "f32.e2m1.e3m2.f32 " D4 ", " A4 ", " B1 ", " C4 ";\n", TMA_EMULATE_NOT_EXECUTED},
    {PLAIN "f32.e2m1.e3m2.f32 " D4 ", " A4 ", " B2 ", " C3 ";\n", TMA_EMULATE_NOT_EXECUTED},
    {PLAIN "f32.e2m1.e3m2.f32 " D4 ", " A4 ", {%q0, %q1}, " C4 ";\n", TMA_EMULATE_NOT_EXECUTED},
    {PLAIN "f32.e2m1.e3m2.f32 {%r12, %r13, %r14, 5}, " A4 ", " B2 ", " C4 ";\n",
     TMA_EMULATE_NOT_EXECUTED},
    {PLAIN "f16.e2m1.e3m2.f16 {%r12, %r13}, " A4 ", " B2 ", {%r6, %r7};\n", TMA_EMULATE_COMPLETED},
    {PLAIN "f16.e2m1.e3m2.f16 " D4 ", " A4 ", " B2 ", " C4 ";\n", TMA_EMULATE_NOT_EXECUTED},
    {PLAIN "f32.e2m1.e3m2.f16 " D4 ", " A4 ", " B2 ", " C4 ";\n", TMA_EMULATE_NOT_EXECUTED},
    {PLAIN "f32.e2m1.e3m2.f32" FOUR TAIL, TMA_EMULATE_NOT_EXECUTED},
    /* sparse: metadata in order, a selector of 0, four registers of B, no .sp without the order */
    {ORDER SP "f8f6f4.f32.e2m1.e3m2.f32" SP_FOUR ", %r23, 0;\n", TMA_EMULATE_COMPLETED},
    {ORDER SP "f8f6f4.f32.e2m1.e3m2.f32" SP_FOUR ", %r23, 1;\n", TMA_EMULATE_NOT_EXECUTED},
    {ORDER SP "f8f6f4.f32.e2m1.e3m2.f32" SP_FOUR ", %r23, %r24;\n", TMA_EMULATE_NOT_EXECUTED},
    {ORDER SP "f8f6f4.f32.e2m1.e3m2.f32" SP_FOUR ";\n", TMA_EMULATE_NOT_EXECUTED},
    {ORDER SP "f8f6f4.f32.e2m1.e3m2.f32" FOUR ", %r23, 0;\n", TMA_EMULATE_NOT_EXECUTED},
    {"mov.b32 %r23, 0x44444464;\n" SP "f8f6f4.f32.e2m1.e3m2.f32" SP_FOUR ", %r23, 0;\n",
     TMA_EMULATE_TRAP},
    {ORDER "mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32" SP_FOUR
           ", %r23, 0;\n",
     TMA_EMULATE_NOT_EXECUTED},
    {ORDER SP "mxf8f6f4.block_scale.f32.e2m1.e3m2.f32.ue8m0" SP_FOUR ", %r23, 0" TAIL,
     TMA_EMULATE_COMPLETED},
    {ORDER SP "mxf8f6f4.block_scale.f32.e2m1.e3m2.f32.ue8m0" SP_FOUR TAIL,
     TMA_EMULATE_NOT_EXECUTED},
};

static void forms_that_there_are_not(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(REFUSED); i++) {
        static char text[2048];
        harness h;
        (void)snprintf(text, sizeof(text), "%s%sret;\n}\n", BEGIN, REFUSED[i].line);
        harness_begin(&h, text);
        (void)harness_memory(&h, 4096);
        harness_block(&h, 1, LANES);
        const uint32_t end = harness_run(&h);
        if (end != REFUSED[i].end) {
            fail_msg("%s%s", REFUSED[i].line, harness_why(&h));
        }
        harness_end(&h);
    }
}

/* A scale factor that nobody wrote, in a thread that gives one, and in one that gives none. */
static void factors_that_nobody_wrote(void **state) {
    (void)state;
    for (uint32_t thread = 0; thread < 2; thread++) {
        static char text[2048];
        harness h;
        (void)snprintf(text, sizeof(text),
                       "%sand.b32 %%r21, %%r20, 2;\n.reg .pred %%p;\n"
                       "setp.ne.u32 %%p, %%r21, 0;\n@%%p mov.b32 %%r25, 0x7f7f7f7f;\n%s, %%r25, "
                       "{0, %u}, %%r11, {0, 0};\nst.global.v4.u32 [%%q0+48], {%%r12, %%r13, "
                       "%%r14, %%r15};\nret;\n}\n",
                       BEGIN, SHAPE "mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0" FOUR, thread);
        harness_begin(&h, text);
        (void)harness_memory(&h, 4096);
        harness_block(&h, 1, LANES);
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        assert_int_equal(harness_findings(&h, TMA_EMULATE_RULE_UNINITIALISED) > 0, thread == 0);
        harness_end(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_plain_arithmetic),
        cmocka_unit_test(forms_that_there_are_not),
        cmocka_unit_test(factors_that_nobody_wrote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
