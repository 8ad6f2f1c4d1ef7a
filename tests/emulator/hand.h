/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch put together by hand, without PTX: a cluster of two CTAs of four warps, registers,
 * instructions, memory. For executors one by one.
 */
#ifndef TESTS_HAND_H
#define TESTS_HAND_H

#include "access.h"
#include "order.h"
#include "run_report.h"

#define HAND_CTAS      2
#define HAND_WARPS     4
#define HAND_SLOTS     1024
#define HAND_LOCAL_B   64
#define HAND_GLOBAL    UINT64_C(0x700000000)
#define HAND_GLOBAL_B  65536
#define HAND_DYNAMIC_B 65536
#define HAND_PARAMS_B  64

typedef struct hand {
    tma_emulate_host host;
    tma_emulate_launch launch;
    tma_emulate_memory memory[2];
    emu_program program;
    emu_function function;
    emu_instruction code[64];
    emu_operand operand[1024];
    emu_variable variable[8];
    uint32_t used[8];
    uint8_t pool[64][EMU_SLOT_B];
    emu_machine m;
    emu_cluster cluster;
    emu_cta cta[HAND_CTAS], *ctas[HAND_CTAS];
    emu_warp warp[HAND_CTAS][HAND_WARPS];
    emu_frame frame[HAND_CTAS][HAND_WARPS];
    emu_fragment fragment[HAND_CTAS][HAND_WARPS];
    uint8_t slots[HAND_CTAS][HAND_WARPS][HAND_SLOTS][EMU_SLOT_B];
    uint32_t undefined[HAND_CTAS][HAND_WARPS][HAND_SLOTS];
    uint8_t local[HAND_CTAS][HAND_WARPS][EMU_LANES * HAND_LOCAL_B];
    uint8_t global[HAND_GLOBAL_B], fresh[256], params[HAND_PARAMS_B];
    tma_emulate_result result;
    ptx_memory results;
    int32_t next_slot;
    uint32_t next_operand;
} hand;

/* Global memory: "A" of HAND_GLOBAL_B bytes at HAND_GLOBAL, written; "fresh", 256 bytes behind
 * it with a gap of 256, not written. `ordered`: order/ runs along. */
hand *hand_new(int ordered);
void hand_free(hand *h);

emu_operand hand_register(hand *h, uint32_t type);
emu_operand hand_vector(hand *h, uint32_t type, uint32_t count);
emu_operand hand_address(emu_operand reg, int64_t number);
emu_operand hand_absolute(int64_t number);
emu_operand hand_element(const hand *h, const emu_operand *vector, uint32_t index);
emu_instruction *hand_instruction(hand *h, uint16_t op, uint32_t type, uint32_t operands);

/* Registers of CTA 0's warp 0. */
uint32_t *hand_u32(hand *h, emu_operand o);
uint64_t *hand_u64(hand *h, emu_operand o);

/* The rule of finding i; TMA_EMULATE_RULES: there is none. */
uint32_t hand_rule(const hand *h, uint32_t index);

#endif
