/* SPDX-License-Identifier: Apache-2.0 */
#include "hand.h"

#include <stdlib.h>
#include <string.h>

/* Before each piece that the machine took: hand_free() gives back what it kept. */
typedef struct held {
    struct held *next, *before;
} held;

static held all = {&all, &all};

static void *take(void *context, size_t size_B) {
    (void)context;
    held *piece = malloc(sizeof(*piece) + size_B);
    if (!piece) {
        return NULL;
    }
    *piece = (held){all.next, &all};
    all.next->before = piece;
    all.next = piece;
    return piece + 1;
}

static void give(void *context, void *memory) {
    (void)context;
    if (memory) {
        held *piece = (held *)memory - 1;
        piece->before->next = piece->next;
        piece->next->before = piece->before;
        free(piece);
    }
}

static void begin_threads(hand *h) {
    h->cluster = (emu_cluster){.ctas = HAND_CTAS, .cta = h->ctas};
    for (uint32_t c = 0; c < HAND_CTAS; c++) {
        h->ctas[c] = &h->cta[c];
        h->cta[c] = (emu_cta){.machine = &h->m,
                              .cluster = &h->cluster,
                              .index = c,
                              .rank = c,
                              .warps = HAND_WARPS,
                              .threads = HAND_WARPS * EMU_LANES,
                              .warp = h->warp[c]};
        for (uint32_t i = 0; i < HAND_WARPS; i++) {
            h->frame[c][i] = (emu_frame){.function = &h->function,
                                         .slots = h->slots[c][i][0],
                                         .undefined = h->undefined[c][i],
                                         .memory = h->local[c][i]};
            h->fragment[c][i] = (emu_fragment){.frame = &h->frame[c][i], .mask = UINT32_MAX};
            h->warp[c][i] = (emu_warp){.machine = &h->m,
                                       .cta = &h->cta[c],
                                       .index = i,
                                       .exists = UINT32_MAX,
                                       .live = UINT32_MAX,
                                       .fragments = &h->fragment[c][i],
                                       .now = &h->fragment[c][i]};
        }
    }
}

hand *hand_new(int ordered) {
    hand *h = calloc(1, sizeof(*h));
    h->host = (tma_emulate_host){.allocate = take, .release = give};
    h->memory[0] = (tma_emulate_memory){
        .address = HAND_GLOBAL, .size_B = HAND_GLOBAL_B, .bytes = h->global, .name = "A"};
    h->memory[1] = (tma_emulate_memory){.address = HAND_GLOBAL + HAND_GLOBAL_B + 256,
                                        .size_B = sizeof(h->fresh),
                                        .bytes = h->fresh,
                                        .name = "fresh",
                                        .uninitialised = 1};
    h->launch = (tma_emulate_launch){.memory = h->memory,
                                     .memories = 2,
                                     .dynamic_shared_B = HAND_DYNAMIC_B,
                                     .params = h->params,
                                     .params_B = HAND_PARAMS_B};
    h->function = (emu_function){
        .is_entry = 1, .slots = HAND_SLOTS, .local_B = HAND_LOCAL_B, .parameter_B = HAND_PARAMS_B};
    h->program = (emu_program){.code = h->code,
                               .operand = h->operand,
                               .variable = h->variable,
                               .function = &h->function,
                               .used = h->used,
                               .pool = h->pool,
                               .functions = 1,
                               .instructions = 64};
    h->results = ptx_memory_of(take, NULL);
    h->result.memory = &h->results;
    h->m = (emu_machine){.program = &h->program,
                         .kernel = &h->function,
                         .host = &h->host,
                         .launch = &h->launch,
                         .memory = ptx_memory_of(take, NULL),
                         .cta = h->ctas,
                         .ctas = HAND_CTAS,
                         .ordered = (uint8_t)ordered,
                         .values = 1,
                         .tracks = 1,
                         .result = &h->result};
    begin_threads(h);
    return h;
}

void hand_free(hand *h) {
    while (all.next != &all) {
        give(NULL, all.next + 1);
    }
    free(h);
}

emu_operand hand_register(hand *h, uint32_t type) {
    const uint32_t bits = emu_type_of(type)->bits;
    const emu_operand o = {
        .kind = EMU_REGISTER, .type = (uint8_t)type, .slot = h->next_slot, .variable = EMU_NONE};
    h->next_slot += bits <= 32 ? 1 : bits == 64 ? 2 : 4;
    return o;
}

emu_operand hand_vector(hand *h, uint32_t type, uint32_t count) {
    const emu_operand o = {.kind = EMU_VECTOR,
                           .type = (uint8_t)type,
                           .first = h->next_operand,
                           .count = count,
                           .slot = EMU_NO_SLOT,
                           .variable = EMU_NONE};
    for (uint32_t i = 0; i < count; i++) {
        h->operand[h->next_operand++] = hand_register(h, type);
    }
    return o;
}

emu_operand hand_address(emu_operand reg, int64_t number) {
    reg.kind = EMU_ADDRESS;
    reg.number = number;
    return reg;
}

emu_operand hand_absolute(int64_t number) {
    return (emu_operand){
        .kind = EMU_ADDRESS, .slot = EMU_NO_SLOT, .variable = EMU_NONE, .number = number};
}

emu_operand hand_element(const hand *h, const emu_operand *vector, uint32_t index) {
    return h->operand[vector->first + index];
}

emu_instruction *hand_instruction(hand *h, uint16_t op, uint32_t type, uint32_t operands) {
    uint32_t i = 0;
    while (h->code[i].op) {
        i++;
    }
    h->code[i] = (emu_instruction){.op = op,
                                   .type = {(uint8_t)type},
                                   .operands = (uint8_t)operands,
                                   .vector = 1,
                                   .guard = EMU_NO_GUARD,
                                   .row = UINT32_MAX};
    return &h->code[i];
}

uint32_t *hand_u32(hand *h, emu_operand o) {
    return emu_u32(&h->warp[0][0], &o);
}

uint64_t *hand_u64(hand *h, emu_operand o) {
    return emu_u64(&h->warp[0][0], &o);
}

uint32_t hand_rule(const hand *h, uint32_t index) {
    return index < h->result.findings ? h->result.finding[index].rule : TMA_EMULATE_RULES;
}
