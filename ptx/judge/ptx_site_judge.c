/* SPDX-License-Identifier: Apache-2.0
 *
 * One tensor instruction of a PTX file: what its operands hold, and what its forms, the rules and
 * the documents say of that.
 */
#include "ptx_sites.h"

#include <string.h>

#include "tma/detail/chars.h"

#define MOST_REPAIRS 16 /* of operands that are not known */
#define MOST_LOW     8  /* bits of a coordinate: rows of 16 bytes are 128 elements at most */

static void check_forms(ptx_report *r, uint32_t i) {
    const ptx_site *site = &r->site[i];
    const ptx_module *m = ptx_module_of(r, site->row);
    const tma_target *target = ptx_target_of(r, site->row);
    const tma_arch_row *arch = target ? tma_arch_of(target) : NULL;
    int by_version = 0;
    const tma_ptx_form *form;
    for (size_t n = 0;
         (form = tma_ptx_lacks(&site->known, target, m->version, n, &by_version)) != NULL; n++) {
        if (by_version) {
            ptx_break(r, i, site->row, PTX_RULE_VERSION,
                      "%s: PTX %u.%u has it, the file says .version %u.%u", form->name,
                      form->version / 10u, form->version % 10u, m->version / 10, m->version % 10);
        } else {
            ptx_break(r, i, site->row, PTX_RULE_TARGET, "%s: %s has it not%s%s", form->name,
                      arch ? arch->name : "the target", *form->targets ? ", it takes " : "",
                      form->targets);
        }
    }
    if (site->s.kind >= TMA_PTX_FABRIC_GET) {
        ptx_break(r, i, site->row, PTX_RULE_MODEL,
                  "a tensor operation over a fabric (PTX 9.4), which libtma does not model: its "
                  "operands are not judged");
    }
}

static void put_number(ptx_values *v, const ptx_step *step, tma_ptx_operand *o, uint32_t bits) {
    uint64_t number = 0;
    if (o->kind != TMA_PTX_NAME && o->kind != TMA_PTX_EXPRESSION) {
        return;
    }
    const ptx_value value = ptx_form_cut(&v->forms, ptx_value_at(v, step, o), bits);
    if (ptx_value_number(v, value, &number)) {
        const int64_t as_signed = bits == 32 ? (int32_t)(uint32_t)number : (int64_t)number;
        *o = (tma_ptx_operand){NULL, as_signed, 0, TMA_PTX_NUMBER};
    }
}

/* The low bits of a shared address, where its variable's alignment gives them. */
static void take_shared(ptx_site *site, ptx_values *v, ptx_value shared) {
    uint64_t number = 0;
    if (shared != PTX_UNKNOWN &&
        ptx_value_low_bits(v, ptx_value_bare(v, ptx_form_cut(&v->forms, shared, 32)), &number)) {
        site->at.shared_address = (uint32_t)number;
        site->unknown &= ~TMA_PTX_UNKNOWN_SHARED;
    }
}

/* The low bits of coordinate 0, where sums and products give them: its alignment hangs on these. */
static void take_low(ptx_site *site, ptx_values *v, const ptx_step *step) {
    uint64_t number = 0;
    site->low_bit = 0;
    if (site->unknown & TMA_PTX_UNKNOWN_COORD) {
        const ptx_value value = ptx_value_at(v, step, &site->s.coord[0]);
        const uint32_t known =
            value == PTX_UNKNOWN
                ? 0
                : ptx_value_low_bits(v, ptx_form_cut(&v->forms, value, 32), &number);
        site->low_bit = known < MOST_LOW ? known : MOST_LOW;
        site->at.coord[0] = (int32_t)(number & ((1u << site->low_bit) - 1));
    }
}

/* What can be said of a value in the file's words. */
static ptx_known known_of(ptx_values *v, ptx_value value) {
    ptx_known known = {.variable = PTX_NONE};
    uint64_t number = 0;
    const ptx_value bare = ptx_value_bare(v, value);
    const ptx_atom *base = ptx_value_base(v, bare, &known.added);
    if (ptx_value_number(v, value, &number)) {
        known = (ptx_known){
            .kind = PTX_KNOWN_NUMBER, .variable = PTX_NONE, .added = ptx_value_signed(v, value)};
    } else if (base && (base->kind == PTX_ATOM_ADDRESS || base->kind == PTX_ATOM_PARAMETER)) {
        known.kind = base->kind == PTX_ATOM_ADDRESS ? PTX_KNOWN_ADDRESS : PTX_KNOWN_HELD;
        known.variable = base->a;
        known.name = v->g->rows->variable[base->a].v.name;
    } else if (base && base->kind == PTX_ATOM_NAMED) {
        known.kind = PTX_KNOWN_NAME;
        known.name = v->g->codes->opcode[base->a];
    }
    return known;
}

static int is_same_known(const ptx_known *a, const ptx_known *b) {
    return a->kind == b->kind && a->variable == b->variable && ptx_same(a->name, b->name) &&
           a->added == b->added;
}

static void take_values(ptx_site *site, ptx_values *v, const ptx_step *step) {
    tma_ptx_statement *known = &site->known;
    *known = site->s;
    for (uint32_t i = 0; i < known->coords; i++) {
        tma_ptx_operand *o = &known->coord[i];
        put_number(v, step, o, 32);
        o->value = o->kind == TMA_PTX_NUMBER ? (int32_t)(uint32_t)o->value : o->value; /* .s32 */
    }
    for (uint32_t i = 0; i < known->offsets; i++) {
        put_number(v, step, &known->offset[i], 16);
    }
    put_number(v, step, &known->value, 64);
    const ptx_value shared = ptx_value_at(v, step, &site->s.shared);
    site->map = known_of(v, ptx_value_at(v, step, &site->s.map));
    site->shared = known_of(v, shared);
    site->barrier = known_of(v, ptx_value_at(v, step, &site->s.barrier));
    site->unknown = tma_ptx_position(&site->at, known);
    take_shared(site, v, shared);
    take_low(site, v, step);
}

/* Whether a name of --map is the number of the kernel's parameter that holds the map, from 0 on. */
static int is_numbered(const ptx_report *r, tma_ptx_span name, uint32_t variable) {
    const ptx_variable *held = variable != PTX_NONE ? &r->rows.variable[variable] : NULL;
    uint64_t number = 0, before = 0;
    if (!held || !held->is_head || tma_number_of(&number, name.at, name.length) != TMA_NUMBER_OK) {
        return 0;
    }
    for (uint32_t i = 0; i < variable; i++) {
        const ptx_variable *v = &r->rows.variable[i];
        before += v->is_head && v->function == held->function;
    }
    return number == before;
}

/* The map that a copy uses, if its bytes are known. */
static uint32_t given_of(const ptx_report *r, const ptx_site *site, int may_change) {
    const int named = site->map.name.length != 0;
    uint32_t found = PTX_NONE;
    for (uint32_t i = 0; i < r->givens && !may_change; i++) {
        const ptx_given *g = &r->given[i];
        const int fits = g->variable != PTX_NONE
                             ? named && g->variable == site->map.variable && !site->map.added &&
                                   site->map.kind == PTX_KNOWN_ADDRESS
                             : named && g->name.length && g->added == site->map.added &&
                                   (ptx_same(g->name, site->map.name) ||
                                    is_numbered(r, g->name, site->map.variable));
        if (fits || (g->variable == PTX_NONE && !g->name.length)) {
            found = fits || found == PTX_NONE ? i : found;
        }
    }
    return found;
}

/* Whether all values with the known low bits break the rule: a multiple of a power of 2 is asked.
 */
static int is_about_low(const ptx_site *site, const tma_finding *why) {
    return why->rule == TMA_RULE_TRAP_COORD_ALIGN && !why->index && site->low_bit;
}

/* Whether a finding is about something that the text says. */
static int is_about_known(const ptx_site *site, const tma_finding *why) {
    if (why->argument == TMA_ARG_SHARED) {
        return !(site->unknown & TMA_PTX_UNKNOWN_SHARED);
    }
    if (why->argument == TMA_ARG_COORD) {
        return is_about_low(site, why) ? 1
               : why->index < 0        ? !(site->unknown & (TMA_PTX_UNKNOWN_COORD * 31u))
                                       : !(site->unknown & TMA_PTX_UNKNOWN_COORD << why->index);
    }
    if (why->argument == TMA_ARG_OFFSET) {
        return why->index < 0 || !(site->unknown & TMA_PTX_UNKNOWN_OFFSET << why->index);
    }
    return 1;
}

/* Of a coordinate that no map takes: what its bytes are counted in. */
static const char *counted_in(const ptx_site *site, const tma_finding *why) {
    const int is_any_map = site->given == PTX_NONE && why->rule == TMA_RULE_TRAP_COORD_ALIGN;
    return is_any_map ? " (in elements of the widest type)" : "";
}

static void find_trap(ptx_report *r, uint32_t i, const tma_finding *why, tma_status status,
                      const char *of) {
    char text[512];
    const ptx_site *site = &r->site[i];
    const int low = why->argument == TMA_ARG_SHARED && site->shared.kind == PTX_KNOWN_ADDRESS;
    tma_finding_text(text, sizeof(text), why);
    ptx_find(r, i, site->row, tma_rule_of(why->rule)->name, 1, "%s%s%s%s%s%s",
             status == TMA_TRAP ? "traps with " : "", status == TMA_TRAP ? tma_trap_name(why) : "",
             of, text, counted_in(site, why),
             low                       ? " (its low bits, as the variable's .align gives them)"
             : is_about_low(site, why) ? " (its low bits, whatever the others are)"
                                       : "");
}

/* An operand that is not known as the rule would take it: then what other rules say of those that
 * are known comes to light, and holds whatever it is. 0: no value is known that it would take. */
static int repair(tma_position *at, const tma_finding *why) {
    const int is_bound =
        why->relation == TMA_MUST_BE_AT_LEAST || why->relation == TMA_MUST_BE_AT_MOST;
    if (why->index < 0) {
        return 0;
    }
    if (why->argument == TMA_ARG_COORD) {
        const uint64_t taken = is_bound ? why->limit : 0; /* 0 is a multiple of all */
        const int is_new = at->coord[why->index] != (int32_t)(uint32_t)taken;
        at->coord[why->index] = (int32_t)(uint32_t)taken;
        return is_new;
    }
    if (why->argument == TMA_ARG_OFFSET) {
        const int is_new = at->offset[why->index] != 0;
        at->offset[why->index] = 0;
        return is_new;
    }
    return 0;
}

/* With the map: all that a plan says. */
static void judge_with_map(ptx_report *r, uint32_t i, const tma_target *target) {
    ptx_site *site = &r->site[i];
    tma_plan plan;
    tma_finding why;
    tma_status status =
        tma_plan_make(&plan, r->given[site->given].map.bytes, &site->known.in, target, &why);
    if (status == TMA_PTXAS) {
        return; /* the form: said already */
    }
    if (status != TMA_OK) {
        find_trap(r, i, &why, status, " on this map: ");
        return;
    }
    if (site->s.in.op == TMA_OP_LOAD) {
        site->has_bytes = 1;
        site->bytes_B = tma_plan_info(&plan)->tx_B;
    }
    tma_position at = site->at;
    if (site->unknown & TMA_PTX_UNKNOWN_SHARED) {
        at.shared_address = 0;
    }
    for (int n = 0; n < MOST_REPAIRS; n++) {
        status = tma_plan_at(&plan, &at, &why);
        if (status == TMA_OK) {
            return;
        }
        if (is_about_known(site, &why)) {
            find_trap(r, i, &why, status, " on this map: ");
            return;
        }
        if (!repair(&at, &why)) {
            return;
        }
    }
}

static void judge_without_map(ptx_report *r, uint32_t i, const tma_target *target) {
    const ptx_site *site = &r->site[i];
    const char *but = NULL;
    tma_finding why;
    tma_status status = tma_ptx_judge(&site->known, &site->at, site->unknown, target, &why, &but);
    if (status == TMA_OK && !but && site->low_bit && site->at.coord[0]) {
        const uint32_t others = site->unknown & ~TMA_PTX_UNKNOWN_COORD;
        status = tma_ptx_judge(&site->known, &site->at, others, target, &why, &but);
        status = is_about_low(site, &why) ? status : TMA_OK;
        but = status == TMA_OK ? NULL : but;
    }
    if (status != TMA_OK) {
        find_trap(r, i, &why, status, " on every map: ");
    } else if (but) {
        char text[512];
        tma_finding_text(text, sizeof(text), &why);
        ptx_break(r, i, site->row, PTX_RULE_MAYBE, "traps on all maps but %s: %s%s", but, text,
                  counted_in(site, &why));
    }
}

/* Offsets that the compiler's packing changes. */
static void judge_offsets(ptx_report *r, uint32_t i) {
    const ptx_site *site = &r->site[i];
    const uint32_t all = TMA_PTX_UNKNOWN_OFFSET * 7u;
    uint32_t packed[TMA_MAX_SPATIAL] = {0};
    if (!site->s.offsets || site->unknown & all) {
        return;
    }
    tma_instruction_offsets(packed, &site->s.in, &site->at);
    for (uint32_t k = 0; k < site->s.offsets; k++) {
        if ((int64_t)packed[k] != site->known.offset[k].value) {
            ptx_break(r, i, site->row, PTX_RULE_OFFSET,
                      "im2colInfo[%u] = %" TMA_D64 " reaches the hardware as %u", k,
                      site->known.offset[k].value, packed[k]);
        }
    }
}

/* A site that is run in more than one way: what is the same each time stays known. */
static void join(ptx_site *site, const ptx_site *before) {
    for (uint32_t i = 0; i < site->known.coords; i++) {
        const tma_ptx_operand *old = &before->known.coord[i];
        if (old->kind != site->known.coord[i].kind || old->value != site->known.coord[i].value) {
            site->known.coord[i] = site->s.coord[i];
        }
    }
    for (uint32_t i = 0; i < site->known.offsets; i++) {
        const tma_ptx_operand *old = &before->known.offset[i];
        if (old->kind != site->known.offset[i].kind || old->value != site->known.offset[i].value) {
            site->known.offset[i] = site->s.offset[i];
        }
    }
    ptx_known *const own[] = {&site->map, &site->shared, &site->barrier};
    const ptx_known *const others[] = {&before->map, &before->shared, &before->barrier};
    for (size_t i = 0; i < 3; i++) {
        if (!is_same_known(own[i], others[i])) {
            *own[i] = (ptx_known){.variable = PTX_NONE};
        }
    }
    site->has_bytes &= before->has_bytes && site->bytes_B == before->bytes_B;
}

/* An edit that gives a large map another address and leaves it large. */
static void judge_replace(ptx_report *r, uint32_t i) {
    ptx_site *site = &r->site[i];
    const tma_target *target = ptx_target_of(r, site->row);
    const tma_arch_row *arch = target ? tma_arch_of(target) : NULL;
    tma_edit edit;
    tma_finding why;
    site->given = given_of(r, site, 0);
    tma_ptx_edit(&edit, &site->known, ptx_toolchain_of(r, site->row));
    if (site->given == PTX_NONE || (arch && !(arch->features & TMA_FEATURE_BIT21)) ||
        !tma_replace_stays_large(r->given[site->given].map.bytes, &edit, &why)) {
        return;
    }
    const tma_rule *rule = tma_rule_of(why.rule);
    tma_putf(
        ptx_text_begin(r),
        "%s (taken to be compiled by CUDA %u.%u, --ptxas says otherwise; the new allocation, and "
        "what a copy does then, are not known)",
        rule->statement, edit.toolchain / 1000, edit.toolchain % 1000 / 10);
    ptx_add_finding(r, i, site->row, rule->name, 0);
}

static void judge(ptx_report *r, uint32_t i) {
    ptx_site *site = &r->site[i];
    check_forms(r, i);
    if (site->s.kind == TMA_PTX_REPLACE) {
        judge_replace(r, i);
    }
    if (site->s.kind > TMA_PTX_PREFETCH) {
        return;
    }
    const tma_target *target = ptx_target_of(r, site->row);
    judge_offsets(r, i);
    site->given = given_of(r, site, ptx_map_may_change(r, &site->map));
    site->layout = ptx_map_keeps_layout(r, &site->map) ? given_of(r, site, 0) : site->given;
    if (site->given != PTX_NONE) {
        judge_with_map(r, i, target);
    } else {
        judge_without_map(r, i, target);
    }
}

/* What stands in the text alone, of a site that nothing runs. */
void ptx_site_judge_text(ptx_report *r, uint32_t i) {
    ptx_site *site = &r->site[i];
    site->known = site->s;
    site->unknown = tma_ptx_position(&site->at, &site->known);
    site->map.variable = site->shared.variable = site->barrier.variable = PTX_NONE;
    site->is_idle ? check_forms(r, i) : judge(r, i);
}

void ptx_site_judge(ptx_report *r, ptx_values *v, const ptx_step *step, uint32_t i) {
    ptx_site *site = &r->site[i];
    const ptx_site before = *site;
    take_values(site, v, step);
    judge(r, i);
    if (before.is_seen) {
        join(site, &before);
    }
    site->is_seen = 1;
}
