/* SPDX-License-Identifier: Apache-2.0
 *
 * Bulk copies without a map, judged by the library's rules (judge_bulk.h) with what is known of
 * their operands: a size, or the low bits of an address.
 */
#include "ptx_sites.h"

#include "tma/detail/judge_bulk.h"
#include "tma/plan.h"
#include "tma/ptx_check.h"

static int is_bulk(tma_ptx_span opcode) {
    return (ptx_begins(opcode, "cp.async.bulk.") || ptx_begins(opcode, "cp.reduce.async.bulk.")) &&
           !ptx_opcode_has(opcode, "tensor");
}

/* The low bits that are known, the others 0: every rule asks for multiples of a power of 2. */
static uint64_t low_of(ptx_values *v, ptx_value value) {
    uint64_t low = 0;
    return value != PTX_UNKNOWN && ptx_value_low_bits(v, value, &low) ? low : 0;
}

static uint32_t shared_of(ptx_values *v, const ptx_step *step, const tma_ptx_operand *address) {
    const ptx_value value = ptx_value_at(v, step, address);
    return value == PTX_UNKNOWN
               ? 0
               : (uint32_t)low_of(v, ptx_value_bare(v, ptx_form_cut(&v->forms, value, 32)));
}

static tma_judge_at operands_of(ptx_values *v, const ptx_step *step, const tma_ptx_statement *s) {
    const ptx_value far = ptx_value_at(v, step, &s->map);
    const uint64_t far_low = far == PTX_UNKNOWN ? 0 : low_of(v, ptx_value_bare(v, far));
    tma_judge_at at = {.shared_address = shared_of(v, step, &s->shared),
                       .barrier = shared_of(v, step, &s->barrier)};
    at.coord[TMA_JUDGE_FAR_LOW] = (int32_t)(uint32_t)far_low;
    at.coord[TMA_JUDGE_FAR_HIGH] = (int32_t)(uint32_t)(far_low >> 32);
    at.coord[TMA_JUDGE_SIZE] = (int32_t)(uint32_t)low_of(v, ptx_value_at(v, step, &s->coord[0]));
    return at;
}

static void say(ptx_report *r, uint32_t row, const tma_judge_fault *fault, int has_size) {
    const tma_rule *rule = tma_rule_of((tma_rule_id)fault->rule);
    const tma_finding why = {.rule = (uint16_t)fault->rule,
                             .severity = (uint8_t)rule->severity,
                             .standing = (uint8_t)rule->standing,
                             .argument = (uint8_t)rule->argument,
                             .index = (int8_t)fault->index,
                             .unit = (uint8_t)fault->unit,
                             .relation = (uint8_t)fault->relation,
                             .given = fault->given,
                             .value = fault->value,
                             .limit = fault->limit};
    const int traps = fault->status == TMA_TRAP;
    const int is_whole = why.argument == TMA_ARG_SIZE && has_size;
    char text[512];
    tma_finding_text(text, sizeof(text), &why);
    ptx_find(r, PTX_NONE, row, rule->name, 1, "%s%s%s%s%s", traps ? "traps with " : "",
             traps ? tma_trap_name(&why) : "", traps ? ": " : "", text,
             is_whole ? "" : " (its low bits, as far as they are known)");
}

void ptx_bulk_judge(ptx_report *r, ptx_values *v, const ptx_step *step) {
    tma_ptx_parts parts;
    tma_ptx_statement s;
    tma_judge_fault fault;
    const char *lacks = NULL;
    if (!is_bulk(ptx_row_opcode(v->g->codes, step->row)) ||
        v->g->node[step->block].order == PTX_NONE || !ptx_value_guard(v, step) ||
        tma_ptx_split(&parts, &r->rows.row[step->row].piece) ||
        !tma_ptx_bulk_of(&s, &parts, &lacks) || lacks) {
        return;
    }
    const tma_judge_site site = {.mode = s.in.mode, .op = s.in.op};
    const tma_judge_at at = operands_of(v, step, &s);
    if (!tma_judge_bulk(&fault, &site, &at)) {
        uint64_t size_B = 0;
        say(r, step->row, &fault, ptx_value_number(v, ptx_value_at(v, step, &s.coord[0]), &size_B));
    }
}
