/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensor instructions of a PTX file.
 */
#include "ptx_sites.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_finding(ptx_report *report, ptx_finding finding, const char *format,
                        va_list values) {
    ptx_finding *grown = ptx_grow(report->finding, report->findings, sizeof(*report->finding));
    if (grown) {
        report->finding = grown;
    }
    if (!grown || vasprintf(&finding.text, format, values) < 0) {
        report->failed = 1;
        return;
    }
    report->finding[report->findings++] = finding;
}

void ptx_find(ptx_report *report, uint32_t site, uint32_t row, const char *rule, int certain,
              const char *format, ...) {
    va_list values;
    va_start(values, format);
    add_finding(report, (ptx_finding){site, row, rule, certain, NULL}, format, values);
    va_end(values);
}

void ptx_break(ptx_report *report, uint32_t site, uint32_t row, ptx_rule rule, const char *format,
               ...) {
    va_list values;
    va_start(values, format);
    add_finding(report,
                (ptx_finding){site, row, ptx_rule_at(rule)->name, ptx_rule_at(rule)->certain, NULL},
                format, values);
    va_end(values);
}

static const ptx_module *module_of(const ptx_report *r, uint32_t row) {
    const uint32_t function = r->rows.row[row].function;
    return &r->rows.module[function == PTX_NONE ? r->rows.modules - 1
                                                : r->rows.function[function].module];
}

const tma_target *ptx_target_of(const ptx_report *r, uint32_t row) {
    const ptx_module *m = module_of(r, row);
    return r->arch ? r->arch : m->is_known ? &m->target : NULL;
}

static void check_forms(ptx_report *r, uint32_t i) {
    const ptx_site *site = &r->site[i];
    const ptx_module *m = module_of(r, site->row);
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
    if (site->s.qualifiers & TMA_PTX_NOT_MODELLED || site->s.kind == TMA_PTX_PRIORITY) {
        ptx_break(r, i, site->row, PTX_RULE_MODEL,
                  "a form of PTX 9.4 that libtma does not model: its operands are not judged");
    }
}

static void put_number(tma_ptx_operand *o, const ptx_values *values, uint32_t row) {
    const ptx_value value = ptx_value_at(values, row, o);
    if (o->kind == TMA_PTX_NAME && value.kind == PTX_NUMBER) {
        *o = (tma_ptx_operand){NULL, value.added, 0, TMA_PTX_NUMBER};
    }
}

/* The low bits of a shared address, where its variable's alignment gives them. */
static void take_shared(ptx_report *r, ptx_site *site) {
    const uint32_t function = r->rows.row[site->row].function;
    if (site->shared.kind == PTX_NUMBER) {
        site->at.shared_address = (uint32_t)site->shared.added;
        site->unknown &= ~TMA_PTX_UNKNOWN_SHARED;
    } else if (site->shared.kind == PTX_SYMBOL) {
        const ptx_variable *v = ptx_variable_named(&r->rows, function, site->shared.name);
        if (v && ptx_is_text(v->v.space, "shared") && v->v.align_B &&
            !(v->v.align_B & (v->v.align_B - 1))) {
            site->at.shared_address = (uint32_t)site->shared.added & (v->v.align_B - 1);
            site->unknown &= ~TMA_PTX_UNKNOWN_SHARED;
        }
    }
}

static void take_values(ptx_report *r, ptx_site *site, const ptx_values *values) {
    tma_ptx_statement *known = &site->known;
    *known = site->s;
    if (values) {
        for (uint32_t i = 0; i < known->coords; i++) {
            tma_ptx_operand *o = &known->coord[i];
            put_number(o, values, site->row);
            o->value =
                o->kind == TMA_PTX_NUMBER ? (int32_t)(uint32_t)o->value : o->value; /* .s32 */
        }
        for (uint32_t i = 0; i < known->offsets; i++) {
            put_number(&known->offset[i], values, site->row);
        }
        put_number(&known->value, values, site->row);
        site->map = ptx_value_at(values, site->row, &site->s.map);
        site->shared = ptx_value_at(values, site->row, &site->s.shared);
        site->barrier = ptx_value_at(values, site->row, &site->s.barrier);
    }
    site->unknown = tma_ptx_position(&site->at, known);
    take_shared(r, site);
}

/* The map that a copy uses, if its bytes are known. */
static uint32_t given_of(const ptx_report *r, const ptx_site *site) {
    const int named = site->map.kind == PTX_SYMBOL || site->map.kind == PTX_LOADED;
    uint32_t found = PTX_NONE;
    for (uint32_t i = 0; i < r->givens; i++) {
        if (!r->given[i].name.length ||
            (named && !site->map.added && ptx_same(r->given[i].name, site->map.name))) {
            found = r->given[i].name.length || found == PTX_NONE ? i : found;
        }
    }
    return found;
}

/* Whether a finding is about something that the text says. */
static int is_about_known(const ptx_site *site, const tma_finding *why) {
    if (why->argument == TMA_ARG_SHARED) {
        return !(site->unknown & TMA_PTX_UNKNOWN_SHARED);
    }
    if (why->argument == TMA_ARG_COORD) {
        return why->index < 0 ? !(site->unknown & (TMA_PTX_UNKNOWN_COORD * 31u))
                              : !(site->unknown & TMA_PTX_UNKNOWN_COORD << why->index);
    }
    if (why->argument == TMA_ARG_OFFSET) {
        return why->index < 0 || !(site->unknown & TMA_PTX_UNKNOWN_OFFSET << why->index);
    }
    return 1;
}

static void find_trap(ptx_report *r, uint32_t i, const tma_finding *why, tma_status status,
                      const char *of) {
    char text[512];
    const ptx_site *site = &r->site[i];
    const int low = why->argument == TMA_ARG_SHARED && site->shared.kind == PTX_SYMBOL;
    tma_finding_text(text, sizeof(text), why);
    ptx_find(r, i, site->row, tma_rule_of(why->rule)->name, 1, "%s%s%s%s%s",
             status == TMA_TRAP ? "traps with " : "", status == TMA_TRAP ? tma_trap_name(why) : "",
             of, text, low ? " (its low bits, as the variable's .align gives them)" : "");
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
    status = tma_plan_at(&plan, &at, &why);
    if (status != TMA_OK && is_about_known(site, &why)) {
        find_trap(r, i, &why, status, " on this map: ");
    }
}

static void judge_without_map(ptx_report *r, uint32_t i, const tma_target *target) {
    const ptx_site *site = &r->site[i];
    const char *but = NULL;
    tma_finding why;
    const tma_status status =
        tma_ptx_judge(&site->known, &site->at, site->unknown, target, &why, &but);
    if (status != TMA_OK) {
        find_trap(r, i, &why, status, " on every map: ");
    } else if (but) {
        char text[512];
        tma_finding_text(text, sizeof(text), &why);
        ptx_break(r, i, site->row, PTX_RULE_MAYBE, "traps on all maps but %s: %s", but, text);
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
                      "im2colInfo[%" PRIu32 "] = %" PRId64 " reaches the hardware as %" PRIu32, k,
                      site->known.offset[k].value, packed[k]);
        }
    }
}

static void judge(ptx_report *r, uint32_t i, const ptx_values *values) {
    ptx_site *site = &r->site[i];
    take_values(r, site, values);
    check_forms(r, i);
    if (site->s.kind > TMA_PTX_PREFETCH || site->s.qualifiers & TMA_PTX_NOT_MODELLED) {
        return;
    }
    const tma_target *target = ptx_target_of(r, site->row);
    judge_offsets(r, i);
    site->given = given_of(r, site);
    if (site->given != PTX_NONE) {
        judge_with_map(r, i, target);
    } else {
        judge_without_map(r, i, target);
    }
}

/* The bytes of an initialiser; 0 if they are not those of one map. */
static int map_of(const tma_ptx_variable *v, tma_map *map) {
    tma_ptx_span rest = v->values;
    size_t at = 0;
    while (rest.length && v->element_B && at + v->element_B <= TMA_MAP_BYTES) {
        const char *comma = memchr(rest.at, ',', rest.length);
        const size_t length = comma ? (size_t)(comma - rest.at) : rest.length;
        const tma_ptx_operand o = tma_ptx_operand_of((tma_ptx_span){rest.at, length}, NULL);
        if (o.kind != TMA_PTX_NUMBER) {
            return 0;
        }
        for (uint32_t k = 0; k < v->element_B; k++) {
            map->bytes[at++] = (uint8_t)((uint64_t)o.value >> 8 * k);
        }
        rest.at += length + (comma != NULL);
        rest.length -= length + (comma != NULL);
    }
    return at == TMA_MAP_BYTES && !rest.length;
}

static void add_given(ptx_report *r, const ptx_given *given) {
    ptx_given *grown = ptx_grow(r->given, r->givens, sizeof(*r->given));
    if (!grown) {
        r->failed = 1;
        return;
    }
    r->given = grown;
    r->given[r->givens++] = *given;
}

/* Constants of the file that are as large as a map. */
static void take_constants(ptx_report *r) {
    for (uint32_t i = 0; i < r->rows.variables; i++) {
        const tma_ptx_variable *v = &r->rows.variable[i].v;
        ptx_given given = {.name = v->name};
        if (v->element_B <= 8 && map_of(v, &given.map)) {
            add_given(r, &given);
        }
    }
}

static void take_row(ptx_report *r, uint32_t row) {
    const tma_ptx_piece *piece = &r->rows.row[row].piece;
    ptx_site site = {.row = row, .given = PTX_NONE, .expect_row = PTX_NONE};
    tma_error error;
    if (piece->kind == TMA_PTX_PIECE_INSTRUCTION) {
        site.unread = tma_ptx_parse(&site.s, piece->at, piece->size, &error) != TMA_OK;
        if (!site.unread && site.s.kind == TMA_PTX_OTHER) {
            return;
        }
        ptx_site *grown = ptx_grow(r->site, r->sites, sizeof(*r->site));
        if (!grown) {
            r->failed = 1;
            return;
        }
        r->site = grown;
        r->site[r->sites++] = site;
        if (site.unread) {
            ptx_break(r, r->sites - 1, row, PTX_RULE_UNREAD, "not understood: %s", error.text);
        }
    } else if (piece->kind == TMA_PTX_PIECE_UNKNOWN && r->rows.row[row].function != PTX_NONE) {
        char text[256];
        tma_out out = tma_out_into(text, sizeof(text));
        tma_put_printable(&out, piece->at, piece->size < 60 ? piece->size : 60);
        ptx_break(r, PTX_NONE, row, PTX_RULE_PIECE, "not understood: %s", text);
    }
}

/* The sites of one function, judged together. */
static void judge_function(ptx_report *r, uint32_t first, uint32_t end) {
    const uint32_t function = r->rows.row[r->site[first].row].function;
    ptx_values *values = function == PTX_NONE ? NULL : ptx_values_of(&r->rows, function);
    if (function != PTX_NONE && !values) {
        r->failed = 1;
        return;
    }
    for (uint32_t i = first; i < end; i++) {
        if (!r->site[i].unread) {
            judge(r, i, values);
        }
    }
    if (values) {
        ptx_expect_check(r, values, function, first, end);
        ptx_paths_check(r, values, function, first, end);
    }
    ptx_values_free(values);
}

static int by_row(const void *a, const void *b) {
    const ptx_finding *x = a;
    const ptx_finding *y = b;
    const int rule = strcmp(x->rule, y->rule);
    return x->row != y->row ? (x->row < y->row ? -1 : 1) : rule ? rule : strcmp(x->text, y->text);
}

int ptx_report_make(ptx_report *r, const char *text, size_t size, const ptx_given *given,
                    uint32_t givens, const tma_target *arch) {
    memset(r, 0, sizeof(*r));
    r->arch = arch;
    if (ptx_rows_read(&r->rows, text, size)) {
        r->failed = 1;
        return -1;
    }
    for (uint32_t i = 0; i < givens; i++) {
        add_given(r, &given[i]);
    }
    take_constants(r);
    for (uint32_t row = 0; row < r->rows.rows; row++) {
        take_row(r, row);
    }
    for (uint32_t first = 0, i = 1; i <= r->sites; i++) {
        if (i == r->sites ||
            r->rows.row[r->site[i].row].function != r->rows.row[r->site[first].row].function) {
            judge_function(r, first, i);
            first = i;
        }
    }
    if (r->rows.open) {
        ptx_break(r, PTX_NONE, r->rows.rows - 1, PTX_RULE_PIECE,
                  "the file ends inside %" PRIu32 " open block%s", r->rows.open,
                  r->rows.open == 1 ? "" : "s");
    }
    if (r->findings) {
        qsort(r->finding, r->findings, sizeof(*r->finding), by_row);
    }
    return r->failed ? -1 : 0;
}

void ptx_report_free(ptx_report *r) {
    for (uint32_t i = 0; i < r->findings; i++) {
        free(r->finding[i].text);
    }
    free(r->finding);
    free(r->site);
    free(r->given);
    ptx_rows_free(&r->rows);
}
