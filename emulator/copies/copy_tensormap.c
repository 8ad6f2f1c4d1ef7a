/* SPDX-License-Identifier: Apache-2.0
 *
 * tensormap.replace: the core's edit of 128 bytes; tensormap.cp_fenceproxy: a copy of them with the
 * tensormap proxy's release.
 */
#include <string.h>

#include "order.h"
#include "places.h"
#include "run_report.h"
#include "sync.h"
#include "threads.h"
#include "tma/layout.h"
#include "tma/map.h"
#include "words.h"

#define MAP_ALIGN_B   128
#define STRIDE_UNIT_B 16

/* A large map's new address, where less memory follows than the class promises. */
static void report_large(emu_warp *w, const emu_instruction *in, uint32_t lane, uint64_t address) {
    const tma_arch_row *arch = tma_arch_of(&w->machine->target);
    const uint64_t promised_B = tma_class_window_B(TMA_CLASS_LARGE);
    const emu_allocation *a = emu_allocation_of(w->machine, address);
    const uint64_t there_B = a ? a->size_B - (address - a->address) : 0;
    if (there_B >= promised_B || (arch && !(arch->features & TMA_FEATURE_BIT21))) {
        return;
    }
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES + lane,
                         .proxy = "generic",
                         .what = "edit",
                         .space = EMU_GLOBAL,
                         .address = address,
                         .size_B = there_B};
    char text[TMA_EMULATE_TEXT];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_putf(&out,
             "the map stays large, which promises %" TMA_U64
             " B of memory from its new address on, "
             "0x%" TMA_X64 "; ",
             promised_B, address);
    if (a && a->name) {
        tma_putf(&out, "of %.60s, ", a->name);
    }
    tma_putf(&out,
             "%" TMA_U64 " B are there (what a copy reads beyond them was run on no hardware)",
             there_B);
    emu_report(w->machine, TMA_EMULATE_RULE_MAP_LARGE, 0, &who, NULL, text,
               "ptxas from CUDA 13.5 on, which makes the map small; or .alloc_small of PTX 9.5");
}

/* A stride that the map's units of 16 bytes cut, or its bits. */
static void note_cut(emu_machine *m, const emu_instruction *in, const tma_edit *edit,
                     const uint8_t *map) {
    if (edit->field != TMA_REPLACE_GLOBAL_STRIDE || emu_is_noted(m, in) ||
        (edit->flags & TMA_REPLACE_STRIDE_PRE_12_5) ||
        !tma_toolchain_has(edit->toolchain, TMA_TOOLCHAIN_STRIDE_IN_BYTES)) {
        return;
    }
    const uint64_t kept_B = tma_layout_stride_B(map, edit->ordinal + 1);
    if (kept_B == edit->value) {
        return;
    }
    char text[TMA_EMULATE_TEXT];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_putf(&out, "a stride of %" TMA_U64 " B is cut to %" TMA_U64 " B, units of 16 B%s",
             edit->value, kept_B,
             edit->value - kept_B < STRIDE_UNIT_B ? "" : ": a map has no stride as long");
    emu_note_copied(m, in, text);
}

static emu_step replace(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const tma_ptx_statement *s = &w->machine->program->statement[in->statement];
    emu_place place[EMU_LANES];
    const uint32_t space = in->spaces ? in->space[0] : EMU_GENERIC;
    tma_edit edit;
    tma_ptx_edit(&edit, s, tma_target_toolchain(&w->machine->target));
    EMU_FOR_LANES(lane, mask) {
        tma_finding why;
        if (in->operands > 1) {
            edit.value = emu_lane_value(w, &in->operand[in->operands - 1], lane);
        }
        if (in->operands > 2) {
            edit.ordinal = (uint32_t)emu_lane_value(w, &in->operand[1], lane);
        }
        if (emu_place_of(w, in, lane, emu_address(w, &in->operand[0], space, lane), TMA_MAP_BYTES,
                         MAP_ALIGN_B, 1, &place[lane])) {
            return EMU_STOPPED;
        }
        if (tma_replace_stays_large(place[lane].host, &edit, NULL)) {
            report_large(w, in, lane, edit.value);
        }
        if (tma_replace(place[lane].host, &edit, &why) != TMA_OK) {
            return emu_trap(w->machine, w, lane, in, &why);
        }
        note_cut(w->machine, in, &edit, place[lane].host);
    }
    order_access(w, in, mask, ORDER_WRITE, 0, place, TMA_MAP_BYTES);
    return EMU_NEXT;
}

/* [to], [from], 128: one copy of the warp, which the lowest lane makes. */
static emu_step cp_fenceproxy(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_place to[EMU_LANES];
    emu_place from[EMU_LANES];
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    const uint64_t to_at = emu_address(w, &in->operand[0], EMU_GLOBAL, lane);
    const uint64_t from_at = emu_address(w, &in->operand[1], EMU_SHARED_CTA, lane);
    if (emu_place_of(w, in, lane, to_at, TMA_MAP_BYTES, MAP_ALIGN_B, 1, &to[lane]) ||
        emu_place_of(w, in, lane, from_at, TMA_MAP_BYTES, MAP_ALIGN_B, 0, &from[lane])) {
        return EMU_STOPPED;
    }
    memcpy(to[lane].host, from[lane].host, TMA_MAP_BYTES);
    emu_now_written(w->machine, &to[lane], TMA_MAP_BYTES);
    order_access(w, in, UINT32_C(1) << lane, ORDER_READ, 0, from, TMA_MAP_BYTES);
    order_access(w, in, UINT32_C(1) << lane, ORDER_WRITE, 0, to, TMA_MAP_BYTES);
    order_fence(w, in, mask, ORDER_FENCE_MAP_RELEASE, in->scope, NULL);
    return EMU_NEXT;
}

emu_run emu_choose_tensormap(const emu_instruction *in) {
    if (in->statement == EMU_NONE) {
        return NULL;
    }
    return in->op == EMU_OP_TENSORMAP_REPLACE ? replace : cp_fenceproxy;
}
