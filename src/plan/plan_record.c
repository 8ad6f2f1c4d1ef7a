/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel's record of a broken rule in words. Compiled into kernels too: program/kernel/fault.c.
 */
#include "put.h"
#include "tma/judge.h"
#include "tma/judge_record.h"

/* A string that may lack its zero byte. */
static void put_part(tma_text *text, const char *part, size_t most) {
    for (size_t i = 0; i < most && part[i]; i++) {
        tma_put_char(text, part[i]);
    }
}

#ifndef __NVPTX__ /* a kernel that puts it into words has judged */
static void judge_again(tma_judge_fault *fault, const tma_judge_record *r) {
    uint8_t map[TMA_MAP_BYTES];
    tma_judge_site site = {.features = r->features,
                           .op = r->op,
                           .mode = r->mode,
                           .rank = r->rank,
                           .cluster = r->cluster,
                           .cta_group = r->cta_group,
                           .multicast = r->multicast};
    tma_judge_at at = {.shared_address = r->shared_address,
                       .window_end = r->window_end,
                       .cta_mask = r->cta_mask,
                       .ctas = r->ctas,
                       .barrier = r->barrier};
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        at.coord[i] = r->coord[i];
    }
    at.offset[0] = r->offset[0];
    at.offset[1] = r->offset[1];
    for (uint32_t i = 0; i < TMA_MAP_BYTES; i++) {
        map[i] = (uint8_t)(r->words[i / 4] >> i % 4 * 8);
    }
    tma_judge_copy(fault, map, &site, &at);
}
#endif

/* What the kernel found; or, where it left that open, what is found now. */
static tma_judge_fault fault_of(const tma_judge_record *r) {
    tma_judge_fault fault = {.rule = r->rule,
                             .index = r->index,
                             .relation = r->relation,
                             .unit = r->unit,
                             .given = r->given,
                             .value = r->value,
                             .limit = r->limit};
#ifndef __NVPTX__
    if (!r->rule) {
        judge_again(&fault, r);
    }
#endif
    return fault;
}

static void put_finding(tma_text *text, const tma_judge_record *r) {
    const tma_judge_fault fault = fault_of(r);
    const tma_rule *rule = tma_rule_of(fault.rule);
    tma_finding finding = {0};
    if (!fault.rule) {
        tma_put_word(text, "libtma: a check in the kernel stopped a copy that breaks no rule of "
                           "this version: build the kernel again");
        return;
    }
    if (!rule) {
        tma_put_word(text, "libtma: rule ");
        tma_put_u64(text, fault.rule);
        return;
    }
    finding.rule = (uint16_t)fault.rule;
    finding.severity = (uint8_t)rule->severity;
    finding.argument = (uint8_t)rule->argument;
    finding.index = (int8_t)fault.index;
    finding.unit = (uint8_t)fault.unit;
    finding.relation = (uint8_t)fault.relation;
    finding.given = fault.given;
    finding.value = fault.value;
    finding.limit = fault.limit;
    tma_put_word(text, "libtma: ");
    tma_put_word(text, rule->name);
    tma_put_word(text, ": ");
    const size_t room = text->length < text->size ? text->size - text->length : 0;
    text->length += tma_finding_text(room ? text->at + text->length : NULL, room, &finding);
}

static void put_address(tma_text *text, const char *what, uint64_t address) {
    tma_put_word(text, what);
    tma_put_hex(text, address);
}

static void put_coordinates(tma_text *text, const tma_judge_record *r) {
    tma_put_word(text, ", coordinates {");
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        if (i < r->coords) {
            tma_put_word(text, i ? ", " : "");
            tma_put_i64(text, r->coord[i]);
        }
    }
    tma_put_word(text, "}");
}

static void put_copy(tma_text *text, const tma_judge_record *r) {
    tma_put_word(text, "\n  ");
    put_part(text, r->opcode, sizeof(r->opcode));
    if (r->mode == TMA_JUDGE_BARRIER) {
        put_address(text, ": mbar ", r->barrier);
        return;
    }
    if (r->mode == TMA_JUDGE_BULK) {
        put_address(text, ": address ", tma_judge_bulk_far(r->coord));
        tma_put_word(text, ", size ");
        tma_put_u64(text, (uint32_t)r->coord[TMA_JUDGE_SIZE]);
        tma_put_word(text, " B");
    } else {
        put_address(text, ": map ", r->map);
        put_coordinates(text, r);
    }
    if (r->op != TMA_OP_PREFETCH) {
        put_address(text, ", shared ", r->shared_address);
    }
    if (r->op == TMA_OP_LOAD && r->barrier && r->barrier != TMA_JUDGE_NO_BARRIER) {
        put_address(text, ", mbar ", r->barrier);
    }
}

static void put_map(tma_text *text, const tma_judge_record *r) {
    if (r->mode >= TMA_JUDGE_BULK) {
        tma_put_char(text, '\n');
        return;
    }
    tma_put_word(text, "\n  tma decode ");
    for (uint32_t i = 0; i < TMA_MAP_BYTES; i++) {
        const uint32_t byte = r->words[i / 4] >> i % 4 * 8;
        tma_put_char(text, "0123456789abcdef"[byte >> 4 & 15]);
        tma_put_char(text, "0123456789abcdef"[byte & 15]);
    }
    tma_put_char(text, '\n');
}

size_t tma_judge_record_text(char *buffer, size_t size, const tma_judge_record *record) {
    tma_text text = tma_text_in(buffer, size);
    if (record) {
        put_finding(&text, record);
        put_copy(&text, record);
        put_map(&text, record);
    }
    return text.length;
}

static void put_three(tma_text *text, const char *name, const uint32_t *at) {
    tma_put_word(text, name);
    for (uint32_t i = 0; i < 3; i++) {
        tma_put_word(text, i ? "," : ": [");
        tma_put_u64(text, at[i]);
    }
    tma_put_char(text, ']');
}

size_t tma_judge_record_place(char *buffer, size_t size, const tma_judge_record *record) {
    tma_text text = tma_text_in(buffer, size);
    if (record) {
        put_part(&text, record->file, sizeof(record->file));
        tma_put_char(&text, ':');
        tma_put_u64(&text, record->line);
        tma_put_word(&text, ": ");
        put_part(&text, record->function, sizeof(record->function));
        put_three(&text, ": block", record->block);
        put_three(&text, ", thread", record->thread);
    }
    return text.length;
}
