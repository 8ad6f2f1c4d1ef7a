/* SPDX-License-Identifier: Apache-2.0
 *
 * What came of a launch, as JSON: docs/emulator.md, JSON.
 */
#include "launch.h"
#include "places.h"
#include "run_session.h"
#include "source_line.h"
#include "tma/detail/chars.h"

static void put_span(tma_json *json, const char *key, const char *at, size_t length) {
    tma_out text = tma_json_text_out(json, key);
    tma_put_bytes(&text, at, length);
    tma_json_text_end(json);
}

static void put_size(tma_json *json, const char *key, const uint32_t size[3]) {
    tma_json_list(json, key);
    for (uint32_t i = 0; i < 3; i++) {
        tma_json_u64(json, NULL, size[i]);
    }
    tma_json_end(json);
}

static void put_value(tma_json *json, const session *s, const session_value *v) {
    const tma_emulate_parameter *p = &s->parameter[v->parameter];
    tma_json_object(json, NULL);
    put_span(json, "name", p->name, p->name_length);
    tma_json_u64(json, "offset_B", v->offset_B);
    tma_json_text(json, "value", v->text);
    if (v->buffer != UINT32_MAX) {
        tma_json_hex(json, "address", s->buffer[v->buffer].address);
    }
    tma_json_text(json, "from", session_from_name(v->from));
    tma_json_end(json);
}

static void put_launch(tma_json *json, const session *s) {
    const emu_machine *m = emu_machine_of(s->emulator);
    tma_json_object(json, "launch");
    put_size(json, "grid", m->grid);
    put_size(json, "block", m->block);
    tma_json_text(json, "block_from", session_from_name(s->block_from));
    put_size(json, "cluster", m->cluster);
    tma_json_text(json, "cluster_from", session_from_name(s->cluster_from));
    tma_json_u64(json, "shared_B", m->dynamic_shared_B);
    tma_json_text(json, "shared_from", session_from_name(s->shared_from));
    tma_json_list(json, "params");
    for (uint32_t i = 0; i < s->values; i++) {
        put_value(json, s, &s->value[i]);
    }
    tma_json_end(json);
    tma_json_end(json);
}

static const emu_instruction *instruction_of(const session *s, const tma_emulate_access *a) {
    const emu_program *p = emu_program_of(s->emulator);
    return a->instruction < p->instructions ? &p->code[a->instruction] : NULL;
}

/* "kernel.cu:12", or null. */
static void put_source(tma_json *json, const session *s, const tma_emulate_access *a) {
    ptx_source source;
    if (!a || !source_line_of(&source, s->emulator, a->instruction)) {
        tma_json_null(json, "source");
        return;
    }
    tma_out text = tma_json_text_out(json, "source");
    tma_put_bytes(&text, source.file.at, source.file.length);
    tma_putf(&text, ":%u", source.line);
    tma_json_text_end(json);
}

/* "full+8" of a shared address, or null. */
static void put_variable(tma_json *json, const session *s, int is_shared, uint64_t address) {
    char name[160];
    tma_out out = tma_out_into(name, sizeof(name));
    const int has_name =
        is_shared && emu_put_shared_name(&out, emu_machine_of(s->emulator), (uint32_t)address);
    tma_json_text(json, "variable", has_name ? name : NULL);
}

static void put_access(tma_json *json, const session *s, const tma_emulate_access *a) {
    tma_json_object(json, NULL);
    if (a->thread == UINT32_MAX) {
        tma_json_null(json, "thread");
    } else {
        tma_json_u64(json, "thread", a->thread);
    }
    tma_json_u64(json, "cta", a->cta);
    tma_json_u64(json, "line", a->line);
    put_source(json, s, a);
    tma_json_text(json, "proxy", a->proxy);
    tma_json_text(json, "op", a->what);
    tma_json_text(json, "space", a->space);
    tma_json_hex(json, "address", a->address);
    put_variable(json, s, a->size_B && text_same(a->space, "shared"), a->address);
    tma_json_u64(json, "bytes", a->size_B);
    tma_json_u64(json, "iteration", a->iteration);
    tma_json_end(json);
}

static void put_barrier(tma_json *json, const session *s, const tma_emulate_finding *f) {
    if (!f->has_barrier) {
        tma_json_null(json, "barrier");
        return;
    }
    tma_json_object(json, "barrier");
    const int is_named = f->waits && text_same(f->wait[0].waits_at, "barrier");
    tma_json_hex(json, "address", f->barrier_address);
    put_variable(json, s, !is_named, f->barrier_address);
    tma_json_u64(json, "phase", f->barrier_phase);
    tma_json_u64(json, "arrivals_missing", f->arrivals_missing);
    tma_json_i64(json, "bytes_missing_B", f->bytes_missing_B);
    tma_json_list(json, "waiting");
    if (f->accesses) {
        tma_json_object(json, NULL);
        tma_json_u64(json, "cta", f->access[0].cta);
        tma_json_u64(json, "thread", f->access[0].thread);
        tma_json_u64(json, "line", f->access[0].line);
        tma_json_u64(json, "threads", f->waiting);
        tma_json_end(json);
    }
    tma_json_end(json);
    tma_json_end(json);
}

static void put_waits(tma_json *json, const tma_emulate_finding *f) {
    tma_json_text(json, "leads_to", f->waits ? "deadlock" : NULL);
    tma_json_list(json, "waits");
    for (uint32_t i = 0; i < f->waits && i < TMA_EMULATE_WAITS; i++) {
        const tma_emulate_wait *wait = &f->wait[i];
        tma_json_object(json, NULL);
        tma_json_u64(json, "cta", wait->cta);
        tma_json_u64(json, "thread", wait->thread);
        tma_json_u64(json, "line", wait->line);
        tma_json_u64(json, "threads", wait->threads);
        tma_json_text(json, "waits_at", wait->waits_at);
        tma_json_hex(json, "barrier_at", wait->barrier);
        tma_json_end(json);
    }
    tma_json_end(json);
    tma_json_u64(json, "waits_more", tma_emulate_waits_more(f));
}

static void put_function(tma_json *json, const session *s, const emu_instruction *in) {
    if (!in) {
        tma_json_null(json, "function");
        return;
    }
    const emu_function *f = &emu_program_of(s->emulator)->function[in->function];
    put_span(json, "function", f->name.at, f->name.length);
}

static void put_finding(tma_json *json, const session *s, const session_finding *found) {
    const tma_emulate_finding *f = &found->is;
    const emu_instruction *in = f->accesses ? instruction_of(s, &f->access[0]) : NULL;
    char text[SESSION_VALUE + 96];
    tma_json_object(json, NULL);
    tma_json_text(json, "rule", tma_emulate_rule_name(f->rule));
    tma_json_bool(json, "certain", f->certain != 0);
    tma_json_text(json, "by", "execution");
    tma_json_u64(json, "count", f->count);
    tma_json_u64(json, "passes", found->passes);
    tma_json_u64(json, "line", f->accesses ? f->access[0].line : 0);
    put_source(json, s, f->accesses ? &f->access[0] : NULL);
    put_function(json, s, in);
    tma_json_text(json, "text", f->text);
    tma_json_text(json, "missing", f->missing[0] ? f->missing : NULL);
    tma_json_list(json, "invented");
    for (uint32_t i = 0; session_invented(s, found, i, text); i++) {
        tma_json_text(json, NULL, text);
    }
    tma_json_end(json);
    tma_json_list(json, "accesses");
    for (uint32_t i = 0; i < f->accesses; i++) {
        put_access(json, s, &f->access[i]);
    }
    tma_json_end(json);
    put_barrier(json, s, f);
    put_waits(json, f);
    tma_json_end(json);
}

/* Nobody was there: it has no accesses. */
static void put_static(tma_json *json, const session_static_finding *f) {
    tma_json_object(json, NULL);
    tma_json_text(json, "rule", f->rule);
    tma_json_bool(json, "certain", f->certain);
    tma_json_text(json, "by", "static");
    tma_json_u64(json, "count", 1);
    tma_json_u64(json, "passes", 0);
    tma_json_u64(json, "line", f->line);
    tma_json_text(json, "source", f->source);
    tma_json_text(json, "function", f->function);
    tma_json_text(json, "text", f->text);
    tma_json_null(json, "missing");
    tma_json_list(json, "invented");
    tma_json_end(json);
    tma_json_list(json, "accesses");
    tma_json_end(json);
    tma_json_null(json, "barrier");
    tma_json_null(json, "leads_to");
    tma_json_list(json, "waits");
    tma_json_end(json);
    tma_json_u64(json, "with_line", f->with_line);
    tma_json_end(json);
}

static void put_known(tma_json *json, const char *name, uint32_t line) {
    tma_json_object(json, NULL);
    tma_json_text(json, "name", name);
    tma_json_u64(json, "line", line);
    tma_json_end(json);
}

static void put_findings(tma_json *json, const session *s) {
    tma_json_list(json, "findings");
    for (uint32_t i = 0; i < s->findings; i++) {
        if (!s->finding[i].is_accepted) {
            put_finding(json, s, &s->finding[i]);
        }
    }
    for (uint32_t i = 0; i < s->statics; i++) {
        if (!s->by_static[i].is_accepted) {
            put_static(json, &s->by_static[i]);
        }
    }
    tma_json_end(json);
    tma_json_list(json, "accepted");
    for (uint32_t i = 0; i < s->findings; i++) {
        const tma_emulate_finding *f = &s->finding[i].is;
        if (s->finding[i].is_accepted) {
            put_known(json, tma_emulate_rule_name(f->rule), f->accesses ? f->access[0].line : 0);
        }
    }
    for (uint32_t i = 0; i < s->statics; i++) {
        if (s->by_static[i].is_accepted) {
            put_known(json, s->by_static[i].rule, s->by_static[i].line);
        }
    }
    tma_json_end(json);
}

static void put_coverage(tma_json *json, const session *s) {
    uint32_t executed, total;
    tma_emulate_line line;
    session_coverage(s, &executed, &total);
    tma_json_object(json, "coverage");
    tma_json_u64(json, "executed", executed);
    tma_json_u64(json, "total", total);
    tma_json_list(json, "not");
    for (uint32_t i = 0; i < s->lines && tma_emulator_line_at(s->emulator, i, &line); i++) {
        if (line.protocol && !s->executed[i]) {
            tma_json_object(json, NULL);
            tma_json_u64(json, "line", line.line);
            tma_json_text(json, "why", "no thread came here");
            tma_json_end(json);
        }
    }
    tma_json_end(json);
    tma_json_end(json);
}

void session_put_json(tma_json *json, const session *s) {
    tma_json_text(json, "kernel", s->kernel);
    put_launch(json, s);
    tma_json_text(json, "end", tma_emulate_end_name(s->end));
    tma_json_text(json, "why", s->why[0] ? s->why : NULL);
    tma_json_u64(json, "end_line", s->end_line);
    tma_json_u64(json, "instructions", s->instructions);
    tma_json_list(json, "notes");
    for (uint32_t i = 0; i < s->notes; i++) {
        tma_json_object(json, NULL);
        tma_json_u64(json, "line", s->note[i].line);
        tma_json_text(json, "text", s->note[i].text);
        tma_json_end(json);
    }
    tma_json_end(json);
    put_findings(json, s);
    put_coverage(json, s);
    tma_json_object(json, "schedules");
    tma_json_u64(json, "run", s->passes);
    tma_json_list(json, "memory");
    for (uint32_t i = 0; i < s->hashes; i++) {
        char hash[24];
        tma_out out = tma_out_into(hash, sizeof(hash));
        tma_putf(&out, "%016llx", (unsigned long long)s->memory_hash[i]);
        tma_json_text(json, NULL, hash);
    }
    tma_json_end(json);
    tma_json_bool(json, "proof", !s->unproved);
    if (s->unproved) {
        tma_json_u64(json, "line", s->unproved_line);
    }
    tma_json_text(json, "why",
                  s->unproved ? s->unproved
                              : "each wait can meet its phase alone, and nothing that a schedule "
                                "chooses goes anywhere: all schedules of this launch");
    tma_json_end(json);
}
