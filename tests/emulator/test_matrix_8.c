/* SPDX-License-Identifier: Apache-2.0
 *
 * ldmatrix of 8-bit elements, and of 4 and 6 bits that get a byte each, beside what the PTX ISA's
 * figures 104 to 106 say, typed in here apart from the engine; what is read of a row; its order.
 * stmatrix of 8-bit elements, beside figure 108.
 */
#include "harness.h"

#define LANES 32
#define ROW_B 16

typedef struct form {
    const char *words;
    uint32_t registers, bits, is_turned;
} form;

static const form FORMS[] = {
    {"m8n16.x1.shared.b8x16.b4x16_p64", 1, 4, 0},
    {"m8n16.x2.shared::cta.b8x16.b4x16_p64", 2, 4, 0},
    {"m8n16.x4.shared.b8x16.b4x16_p64", 4, 4, 0},
    {"m8n16.x1.shared.b8x16.b6x16_p32", 1, 6, 0},
    {"m8n16.x2.shared.b8x16.b6x16_p32", 2, 6, 0},
    {"m8n16.x4.shared.b8x16.b6x16_p32", 4, 6, 0},
    {"m16n16.x1.trans.shared.b8", 2, 8, 1},
    {"m16n16.x2.trans.shared.b8", 4, 8, 1},
    {"m16n16.x1.trans.shared.b8x16.b6x16_p32", 2, 6, 1},
    {"m16n16.x2.trans.shared::cta.b8x16.b6x16_p32", 4, 6, 1},
    {"m16n16.x1.trans.shared.b8x16.b4x16_p64", 2, 4, 1},
    {"m16n16.x2.trans.shared.b8x16.b4x16_p64", 4, 4, 1},
};

/* Of a lane: its 16 B of `in` in %r10 to %r13, the address of its row in %r2, of row 5 l modulo 32
 * in %r3. */
#define HEAD                                                                                       \
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %%r<20>;\n"                  \
    ".reg .b64 %%q<4>;\n.shared .align 128 .b8 rows[512];\nld.param.u64 %%q0, [in];\n"             \
    "ld.param.u64 %%q1, [out];\nmov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%q2, %%r0, 16;\n"            \
    "add.u64 %%q0, %%q0, %%q2;\nadd.u64 %%q1, %%q1, %%q2;\nmul.lo.u32 %%r1, %%r0, 5;\n"            \
    "and.b32 %%r1, %%r1, 31;\nmov.u32 %%r2, rows;\nmad.lo.u32 %%r3, %%r1, 16, %%r2;\n"             \
    "mad.lo.u32 %%r2, %%r0, 16, %%r2;\n"                                                           \
    "ld.global.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%q0];\n"

static void begin(harness *h, const char *text, uint32_t drawn) {
    harness_begin(h, text);
    uint8_t *in = harness_memory(h, 4096);
    (void)harness_memory(h, 4096);
    for (uint32_t b = 0; b < LANES * ROW_B; b++) {
        in[b] = (uint8_t)((b * 2654435761u + drawn) >> 13);
    }
    harness_block(h, 1, LANES);
}

/* Lane l's row stands at 5 l modulo 32 in shared memory, in the order of `in`. `before`: what comes
 * between its store and the load. */
static void write_kernel(char *to, size_t size, const char *words, uint32_t registers,
                         uint32_t written_B, const char *before) {
    static const char *const LISTS[] = {"", "{%r10}", "{%r10, %r11}", "",
                                        "{%r10, %r11, %r12, %r13}"};
    static const char *const STORES[] = {
        "", "st.shared.v2.u32 [%r2], {%r10, %r11};\n",
        "st.shared.v2.u32 [%r2], {%r10, %r11};\nst.shared.u32 [%r2+8], %r12;\n",
        "st.shared.v4.u32 [%r2], {%r10, %r11, %r12, %r13};\n"};
    const int length =
        snprintf(to, size,
                 HEAD "%s%s"
                      "ldmatrix.sync.aligned.%s %s, [%%r3];\n"
                      "st.global.v4.u32 [%%q1], {%%r10, %%r11, %%r12, %%r13};\nret;\n}\n",
                 STORES[written_B / 4 - 1], before, words, LISTS[registers]);
    assert_true(length > 0 && (size_t)length < size);
}

static uint32_t element_of(const uint8_t *row, uint32_t bits, uint32_t column) {
    uint32_t code = 0;
    for (uint32_t i = 0; i < bits; i++) {
        const uint32_t at = column * bits + i;
        code |= (uint32_t)(row[at / 8] >> at % 8 & 1) << i;
    }
    return code;
}

/* The element that byte q of a lane's register holds. */
static uint32_t wanted(const form *f, const uint8_t *in, uint32_t lane, uint32_t index,
                       uint32_t q) {
    const uint32_t four = lane % 4 * 4 + q, one = lane / 4;
    const uint32_t row = f->is_turned ? index / 2 * 16 + four : index * 8 + one;
    const uint32_t column = f->is_turned ? index % 2 * 8 + one : four;
    return element_of(in + (size_t)(row * 5 % LANES) * ROW_B, f->bits, column);
}

static void each_lane_gets_its_elements(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(FORMS); i++) {
        static char text[4096];
        const form *f = &FORMS[i];
        harness h;
        write_kernel(text, sizeof(text), f->words, f->registers, 16, "bar.warp.sync -1;\n");
        begin(&h, text, (uint32_t)i);
        const uint8_t *in = h.memory[0].bytes, *out = h.memory[1].bytes;
        if (harness_run(&h) != TMA_EMULATE_COMPLETED) {
            fail_msg("%s: %s", f->words, harness_why(&h));
        }
        harness_none(&h);
        for (uint32_t at = 0; at < LANES * f->registers * 4; at++) {
            const uint32_t lane = at / (f->registers * 4), index = at / 4 % f->registers;
            if (out[lane * 16 + index * 4 + at % 4] != wanted(f, in, lane, index, at % 4)) {
                fail_msg("%s: lane %u, register %u, byte %u", f->words, lane, index, at % 4);
            }
        }
        harness_end(&h);
    }
}

typedef struct reads {
    const char *words;
    uint32_t registers, written_B;
    const char *before;
    uint32_t end, rule; /* TMA_EMULATE_RULES: no finding */
} reads;

static void padding_is_not_looked_at(void **state) {
    (void)state;
#define SYNC "bar.warp.sync -1;\n"
    static const reads KERNELS[] = {
        {"m8n16.x4.shared.b8x16.b4x16_p64", 4, 8, SYNC, TMA_EMULATE_COMPLETED, TMA_EMULATE_RULES},
        {"m8n16.x4.shared.b8x16.b6x16_p32", 4, 8, SYNC, TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULE_UNINITIALISED},
        {"m8n16.x4.shared.b8x16.b6x16_p32", 4, 12, SYNC, TMA_EMULATE_COMPLETED, TMA_EMULATE_RULES},
        {"m16n16.x2.trans.shared.b8", 4, 12, SYNC, TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULE_UNINITIALISED},
        {"m16n16.x2.trans.shared.b8x16.b6x16_p32", 4, 12, SYNC, TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULES},
        {"m16n16.x2.trans.shared.b8", 4, 16, "", TMA_EMULATE_COMPLETED, TMA_EMULATE_RULE_DATA_RACE},
        {"m8n16.x4.shared.b8x16.b4x16_p64", 4, 16, "", TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULE_DATA_RACE},
        {"m8n16.x4.shared.b8x16.b4x16_p64", 4, 16, SYNC "add.u32 %r3, %r3, 8;\n", TMA_EMULATE_TRAP,
         TMA_EMULATE_RULE_MISALIGNED},
        {"m16n16.x1.shared.b8", 2, 16, SYNC, TMA_EMULATE_NOT_EXECUTED, TMA_EMULATE_RULES},
        {"m16n16.x4.trans.shared.b8", 4, 16, SYNC, TMA_EMULATE_NOT_EXECUTED, TMA_EMULATE_RULES},
        {"m8n16.x4.shared.b8", 4, 16, SYNC, TMA_EMULATE_NOT_EXECUTED, TMA_EMULATE_RULES},
        {"m8n16.x2.shared.b8x16.b4x16_p64", 4, 16, SYNC, TMA_EMULATE_NOT_EXECUTED,
         TMA_EMULATE_RULES},
        {"m8n16.x4.shared.b8x16", 4, 16, SYNC, TMA_EMULATE_NOT_EXECUTED, TMA_EMULATE_RULES},
    };
    for (size_t i = 0; i < COUNT_OF(KERNELS); i++) {
        static char text[4096];
        const reads *k = &KERNELS[i];
        harness h;
        write_kernel(text, sizeof(text), k->words, k->registers, k->written_B, k->before);
        begin(&h, text, (uint32_t)i);
        const uint32_t end = harness_run(&h);
        const size_t found = harness_findings(&h, k->rule);
        if (end != k->end || (found > 0) != (k->rule != TMA_EMULATE_RULES)) {
            fail_msg("kernel %zu, %s: end %u, %zu findings: %s", i, k->words, end, found,
                     harness_why(&h));
        }
        harness_end(&h);
    }
}

/* Lane l stores its registers, and then reads the row that it named: l of the order 5 l modulo 32.
 */
static void store_kernel(char *to, size_t size, const char *words, const char *registers,
                         const char *between) {
    const int length =
        snprintf(to, size,
                 HEAD "stmatrix.sync.aligned.%s [%%r3], {%s};\n%s"
                      "ld.shared.v4.u32 {%%r14, %%r15, %%r16, %%r17}, [%%r3];\n"
                      "st.global.v4.u32 [%%q1], {%%r14, %%r15, %%r16, %%r17};\nret;\n}\n",
                 words, registers, between);
    assert_true(length > 0 && (size_t)length < size);
}

/* Figure 108: of a matrix of 16 rows and 8 columns, thread 4 r + c has columns 2 c and 2 c + 1 of
 * row r, e0 and e1, and of row r + 8, e2 and e3. Turned, what an address leads to is a column. */
static uint8_t figure_108(const uint8_t *registers, uint32_t matrix, uint32_t column,
                          uint32_t row) {
    const uint32_t thread = row % 8 * 4 + column / 2, element = row / 8 * 2 + column % 2;
    return registers[thread * 16 + matrix * 4 + element];
}

static void each_row_gets_its_columns(void **state) {
    static const struct {
        const char *words, *registers, *between;
        uint32_t matrices, end, rule;
    } FORM[] = {
        {"m16n8.x4.trans.shared.b8", "%r10, %r11, %r12, %r13", SYNC, 4, TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULES},
        {"m16n8.x4.trans.shared::cta.b8", "%r10, %r11, %r12, %r13", "", 4, TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULES},
        {"m16n8.x4.trans.shared.b8", "%r10, %r11, %r12, %r13", "xor.b32 %r3, %r3, 16;\n", 0,
         TMA_EMULATE_COMPLETED, TMA_EMULATE_RULE_DATA_RACE},
        {"m16n8.x2.trans.shared.b8", "%r10, %r11", SYNC, 2, TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULE_UNINITIALISED},
        {"m16n8.x1.trans.shared.b8", "%r10", SYNC, 1, TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULE_UNINITIALISED},
        {"m16n8.x4.trans.shared.b8", "%r10, %r11, %r12, %r9", SYNC, 3, TMA_EMULATE_COMPLETED,
         TMA_EMULATE_RULE_UNINITIALISED},
        {"m16n8.x4.shared.b8", "%r10, %r11, %r12, %r13", SYNC, 0, TMA_EMULATE_NOT_EXECUTED,
         TMA_EMULATE_RULES},
        {"m16n8.x4.trans.shared.b16", "%r10, %r11, %r12, %r13", SYNC, 0, TMA_EMULATE_NOT_EXECUTED,
         TMA_EMULATE_RULES},
        {"m16n8.x2.trans.shared.b8", "%r10, %r11, %r12, %r13", SYNC, 0, TMA_EMULATE_NOT_EXECUTED,
         TMA_EMULATE_RULES},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(FORM); i++) {
        static char text[4096];
        harness h;
        store_kernel(text, sizeof(text), FORM[i].words, FORM[i].registers, FORM[i].between);
        begin(&h, text, (uint32_t)i);
        const uint8_t *in = h.memory[0].bytes, *out = h.memory[1].bytes;
        const uint32_t end = harness_run(&h);
        const size_t found = harness_findings(&h, FORM[i].rule);
        if (end != FORM[i].end || (found > 0) != (FORM[i].rule != TMA_EMULATE_RULES)) {
            fail_msg("form %zu, %s: end %u, %zu findings: %s", i, FORM[i].words, end, found,
                     harness_why(&h));
        }
        for (uint32_t at = 0; at < FORM[i].matrices * 8 * ROW_B; at++) {
            const uint32_t address = at / ROW_B, row = at % ROW_B;
            if (out[at] != figure_108(in, address / 8, address % 8, row)) {
                fail_msg("form %zu, %s: address %u, byte %u", i, FORM[i].words, address, row);
            }
        }
        harness_end(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_lane_gets_its_elements),
        cmocka_unit_test(padding_is_not_looked_at),
        cmocka_unit_test(each_row_gets_its_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
