/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix descriptors of MMAs held against the maps of the copies that filled the shared memory
 * which they read. Where a variable of shared memory lies is not known: a finding holds for all
 * places that its alignment, and the map's, allow.
 */
#include <string.h>

#include "protocol_mma.h"
#include "tma/measure.h"

#define PATTERN_B  1024 /* places of a variable that are a multiple of it apart are alike */
#define LEAST_AT_B 1024 /* shared memory begins with the system's */
#define SWIZZLED_B 128  /* a tile with a swizzle is a multiple of it */
#define MOST_TURNS 32   /* of a loop around a copy: stages */

/* One operand of one MMA in shared memory. */
typedef struct question {
    ptx_protocol *p;
    const ptx_act *act;
    tma_mma_operand operand;
    uint32_t family;
    ptx_value value;   /* the descriptor */
    uint32_t variable; /* or PTX_NONE: an address that is a number */
    int lists;         /* it is listed: maps whose sizes change, and one way of several, will do */
} question;

/* What was found with the variable at one place. */
typedef struct answer {
    ptx_mma_verdict verdict;
    int by_thread; /* for the first thread alone */
    int by_way;    /* for one way there */
    int has_bits;
    int may;               /* something else may have written there */
    const ptx_act *copy;   /* and what of it was compared: */
    uint64_t bits;         /* the descriptor */
    uint32_t place;        /* of the variable */
    uint32_t tile;         /* shared address of the copy */
    uint32_t begin[2];     /* m or n and k of the tile where the operand begins */
    int has_begin;         /* 0: no element of the tile begins there */
    uint32_t mn, k;        /* of the operand: the first that is read elsewhere, */
    uint32_t read, wanted; /* there, and where it lies */
    uint32_t part_el;      /* elements that the copy fills, where it does not fill all */
    uint32_t copies;       /* that fill all of it, */
    int assumed;           /* see ptx_mma_whole() */
    uint32_t turn;         /* of the loop around the copy, 0 the first */
    uint32_t cta;          /* that runs the copy, 0 this one */
} answer;

/* So that a file with many MMAs and many copies takes no longer than its length lets it. */
static int spend(const question *q, uint64_t steps) {
    ptx_report *r = q->p->r;
    r->mma_work -= r->mma_work > steps ? steps : r->mma_work;
    return r->mma_work != 0;
}

/* --- what is read, and what a copy left --- */

/* The first element that the tile has and that is read elsewhere, where some lie beyond it. */
static ptx_mma_verdict hold_part(answer *a, const question *q, const tma_mma_descriptor *d,
                                 const tma_spec *spec, const tma_mma_tile *tile) {
    const uint32_t k_el = tma_mma_type_at(q->operand.type)->k_el;
    a->part_el = 0;
    for (uint32_t i = 0; i < q->operand.mn_el * k_el; i++) {
        const uint32_t mn = i / k_el;
        const uint32_t k = i % k_el;
        const uint32_t read = tma_mma_read(d, &q->operand, mn, k).address_B;
        tma_mma_place put;
        if (tma_mma_written(&put, spec, tile, &q->operand, a->begin[0] + mn, a->begin[1] + k) !=
            TMA_OK) {
            continue; /* it may be another copy's */
        }
        a->part_el++;
        if (put.address_B != read) {
            a->mn = mn;
            a->k = k;
            a->read = read;
            a->wanted = put.address_B;
            return PTX_MMA_DIFFERS;
        }
    }
    return PTX_MMA_PART;
}

static ptx_mma_verdict hold_tile(answer *a, const question *q, const tma_mma_descriptor *d,
                                 const tma_spec *spec, const tma_mma_tile *tile) {
    tma_mma_difference said;
    if (tma_mma_compare(&said, d, &q->operand, spec, tile, 0, 0) != TMA_OK) {
        return PTX_MMA_NOT_KNOWN;
    }
    a->has_begin = 1;
    if (said.equal_el != said.all_el && !said.mn && !said.k) { /* it begins elsewhere in the tile */
        a->read = said.read_B;
        a->has_begin = (int)said.has_element;
        a->begin[0] = said.other_mn;
        a->begin[1] = said.other_k;
        if (!a->has_begin) {
            return PTX_MMA_DIFFERS;
        }
        if (tma_mma_compare(&said, d, &q->operand, spec, tile, said.other_mn, said.other_k) !=
            TMA_OK) {
            return PTX_MMA_NOT_KNOWN;
        }
    }
    if (said.equal_el == said.all_el) {
        return PTX_MMA_EQUAL;
    }
    if (!said.has_written) {
        return hold_part(a, q, d, spec, tile);
    }
    a->mn = said.mn;
    a->k = said.k;
    a->read = said.read_B;
    a->wanted = said.written_B;
    return PTX_MMA_DIFFERS;
}

/* In all ways to take the outer dimensions of the box: as more rows, or as more of dimension 0. */
static answer hold_copy(const question *q, const tma_mma_descriptor *d, const tma_spec *spec,
                        answer a) {
    answer found = a;
    spend(q, 4 * (uint64_t)q->operand.mn_el);
    for (uint32_t panels = 0; !panels || panels + 1 < spec->rank; panels++) {
        const tma_mma_tile tile = {.shared_address = a.tile, .panel_dims = panels};
        answer one = a;
        one.copies = 1;
        one.verdict = hold_tile(&one, q, d, spec, &tile);
        if (!panels || one.verdict == PTX_MMA_EQUAL ||
            (one.verdict == PTX_MMA_PART && found.verdict == PTX_MMA_DIFFERS)) {
            found = one;
        }
    }
    return found;
}

/* Whether elements lie on both sides as the same number of 16 bytes. */
static int units_alike(const tma_spec *spec, const tma_mma_operand *o) {
    uint32_t type = 0;
    return tma_dtype_bits(spec->dtype) >= 8
               ? !tma_mma_type_at(o->type)->padded
               : tma_mma_type_for(&type, spec->dtype) == TMA_OK &&
                     tma_mma_type_at(type)->unit_el == tma_mma_type_at(o->type)->unit_el;
}

/* --- all copies with the variable at one place --- */

/* What generic writes there mean for a verdict: 0 nothing, 1 it may be otherwise, -1: it is. */
static int written_else(const ptx_protocol *p, const ptx_act *copy) {
    int may = 0;
    for (uint32_t i = 0; i < p->acts && p->many[PTX_ACT_WRITE]; i++) {
        if (p->act[i].kind == PTX_ACT_WRITE) {
            const ptx_overlap overlap = ptx_acts_overlap(p, &p->act[i], copy);
            if (overlap == PTX_OVERLAPS) {
                return -1;
            }
            may |= overlap == PTX_OPEN;
        }
    }
    return may;
}

/* The map of a copy; PTX_NONE: it is not known. */
static uint32_t map_of(const question *q, const ptx_act *act) {
    const ptx_site *site = ptx_mma_site(q->p, act);
    return !site ? PTX_NONE : q->lists ? site->layout : site->given;
}

static int has_map(const question *q, const ptx_act *act, tma_decoded *map) {
    const uint32_t given = map_of(q, act);
    return given != PTX_NONE && tma_decode(map, q->p->r->given[given].map.bytes) == TMA_OK;
}

static uint32_t align_of(const tma_spec *spec) {
    return spec->swizzle ? SWIZZLED_B : 16;
}

typedef struct copies {
    const question *q;
    const tma_mma_descriptor *d;
    uint32_t begin; /* shared address that the first element is read from */
    answer found;
    int not_known; /* what lies there */
} copies;

static int covers(uint32_t at, uint64_t bytes_B, uint32_t address) {
    return address >= at && address - at < bytes_B;
}

static void take_copy(copies *c, const ptx_act *act, answer a) {
    const ptx_protocol *p = c->q->p;
    tma_decoded map;
    if (!has_map(c->q, act, &map)) {
        c->not_known |=
            a.tile <= c->begin && (!act->bytes_B || covers(a.tile, act->bytes_B, c->begin));
        return;
    }
    tma_measure_result size;
    if (tma_measure(&size, &map.spec, NULL) != TMA_OK) {
        c->not_known = 1;
        return;
    }
    if (!covers(a.tile, size.footprint_B, c->begin)) {
        return;
    }
    const int else_written = written_else(p, act);
    a.may |= else_written > 0;
    a.copy = act;
    if (a.tile % align_of(&map.spec) || !units_alike(&map.spec, &c->q->operand)) {
        c->not_known = 1;
        return;
    }
    a = hold_copy(c->q, c->d, &map.spec, a);
    c->not_known |=
        a.verdict == PTX_MMA_NOT_KNOWN || (a.verdict == PTX_MMA_DIFFERS && else_written < 0);
    if (!c->found.copy || a.verdict == PTX_MMA_EQUAL ||
        (a.verdict == PTX_MMA_PART && c->found.verdict == PTX_MMA_DIFFERS)) {
        c->found = a.verdict == PTX_MMA_NOT_KNOWN ? c->found : a;
    }
}

/* A multicast that does not come to the first CTA. */
static int is_for_others(const ptx_first *first, const ptx_act *act) {
    ptx_first at = *first;
    uint64_t mask = 1;
    return act->traits & PTX_TO_CLUSTER && ptx_value_first(&at, act->mask, &mask) && !(mask & 1);
}

/* What a copy left with the variable at a place; 0: the place is none, the copy would trap. */
static int take_load(copies *c, ptx_first *first, const ptx_act *act, answer *a) {
    ptx_first at = *first;
    uint64_t tile = 0;
    tma_decoded map;
    at.variable = PTX_NONE;
    at.finds = 1;
    if (is_for_others(first, act)) {
        return 1;
    }
    const int is_known = ptx_value_first(&at, act->at, &tile);
    spend(c->q, at.looked);
    if (!is_known || at.variable != c->q->variable) {
        c->not_known |= !is_known; /* it may have written the tile */
        return 1;
    }
    first->by_thread |= at.by_thread;
    first->by_window |= at.by_window;
    a->by_thread = first->by_thread;
    a->may |= first->by_window;
    if (has_map(c->q, act, &map) && tile % align_of(&map.spec)) {
        return 0;
    }
    a->tile = (uint32_t)tile;
    take_copy(c, act, *a);
    return 1;
}

/* With the variable at a place: whether the place is one, and what is so there. */
static int at_place(const question *q, uint32_t place, answer *out) {
    const ptx_protocol *p = q->p;
    ptx_first first = {.p = p,
                       .around = PTX_NONE,
                       .variable = q->variable,
                       .address = place,
                       .first_cta = 1,
                       .joins = q->lists};
    answer a = {.verdict = PTX_MMA_NOT_KNOWN, .place = place};
    tma_mma_descriptor d;
    a.has_bits = ptx_value_first(&first, q->value, &a.bits);
    a.by_thread = first.by_thread;
    a.by_way = first.by_way;
    a.may = first.by_window;
    *out = a;
    if (!spend(q, first.looked) || !a.has_bits || tma_mma_decode(&d, q->family, a.bits) != TMA_OK ||
        d.leading_absolute) {
        return 1;
    }
    copies c = {.q = q, .d = &d, .begin = tma_mma_read(&d, &q->operand, 0, 0).address_B};
    for (uint32_t i = 0; i < p->acts; i++) {
        if (!spend(q, 1)) {
            return 1;
        }
        if (p->act[i].kind == PTX_ACT_LOAD && !take_load(&c, &first, &p->act[i], &a)) {
            return 0;
        }
    }
    *out = c.found.copy && (c.found.verdict != PTX_MMA_DIFFERS || !c.not_known) ? c.found : a;
    return 1;
}

/* The rest of an operand that one copy fills in part: in all ways to take the outer dimensions. */
static void ask_others(const question *q, const tma_mma_descriptor *d, const ptx_mma_turn *turn,
                       answer *a) {
    ptx_mma_part part = {.p = q->p,
                         .descriptor = d,
                         .operand = &q->operand,
                         .copy = a->copy,
                         .tile = a->tile,
                         .variable = q->variable,
                         .place = a->place,
                         .begin = {a->begin[0], a->begin[1]},
                         .turn = turn};
    for (; part.panel_dims + 1 < TMA_MAX_RANK && a->verdict == PTX_MMA_PART; part.panel_dims++) {
        int assumed = 0;
        const uint32_t copies = ptx_mma_whole(&part, &assumed);
        if (copies) {
            a->verdict = PTX_MMA_EQUAL;
            a->copies = copies;
            a->assumed = assumed;
        }
    }
}

/* What a copy left that a runner came to, if the operand begins there. */
static int ask_runner(const question *q, const tma_mma_descriptor *d, const ptx_act *act,
                      const ptx_mma_turn *turn, const ptx_mma_runner *runner, ptx_mma_verdict least,
                      answer *a) {
    const ptx_protocol *p = q->p;
    ptx_first first = {.p = p,
                       .around = PTX_NONE,
                       .variable = PTX_NONE,
                       .finds = 1,
                       .address = a->place,
                       .first_cta = 1,
                       .joins = q->lists,
                       .given = runner->given,
                       .givens = runner->givens};
    uint64_t tile = 0;
    tma_decoded map;
    tma_measure_result size;
    const int is_known = ptx_value_first(&first, act->at, &tile);
    if (!spend(q, first.looked) || !is_known || first.variable != q->variable ||
        !has_map(q, act, &map) || tma_measure(&size, &map.spec, NULL) != TMA_OK ||
        tile % align_of(&map.spec) || !units_alike(&map.spec, &q->operand) ||
        !covers((uint32_t)tile, size.footprint_B, tma_mma_read(d, &q->operand, 0, 0).address_B)) {
        return 0;
    }
    answer found = *a;
    found.copy = act;
    found.tile = (uint32_t)tile;
    found.by_thread |= first.by_thread;
    found.by_way |= first.by_way;
    found.cta = runner->cta;
    found = hold_copy(q, d, &map.spec, found);
    if (found.verdict == PTX_MMA_PART && !runner->cta) {
        ask_others(q, d, turn, &found);
    }
    if (found.verdict != PTX_MMA_EQUAL && found.verdict != least) {
        return 0;
    }
    *a = found;
    return 1;
}

/* A copy in the first turn of all loops, and in later ones of its own. */
static int ask_turns(const question *q, const tma_mma_descriptor *d, const ptx_act *act,
                     ptx_mma_verdict least, answer *a) {
    const ptx_site *site = ptx_mma_site(q->p, act);
    const ptx_mma_runner first = ptx_mma_runner_of(q->p, NULL, 0, 0, 0);
    ptx_mma_turn turn;
    const ptx_first here = {.p = q->p, .around = PTX_NONE, .variable = PTX_NONE, .first_cta = 1};
    if (is_for_others(&here, act)) {
        return 0;
    }
    if (ask_runner(q, d, act, NULL, &first, least, a)) {
        return 1;
    }
    if (!site || !ptx_mma_turn_first(&turn, q->p, act, &site->s)) {
        return 0;
    }
    for (uint32_t t = 1; t < MOST_TURNS && ptx_mma_turn_next(&turn); t++) {
        const ptx_mma_runner own = ptx_mma_runner_of(q->p, &turn, 0, 0, 0);
        if (ask_runner(q, d, act, &turn, &own, least, a)) {
            a->turn = t;
            return 1;
        }
    }
    return 0;
}

/* What other CTAs of the cluster send in the first turn. */
static int ask_ctas(const question *q, const tma_mma_descriptor *d, const ptx_act *act,
                    ptx_mma_verdict least, answer *a) {
    const int is_multicast = (act->traits & PTX_TO_CLUSTER) != 0;
    for (uint32_t i = 2; is_multicast && i < 2 * PTX_MMA_CTAS; i++) { /* i / 2 of a row or column */
        const ptx_mma_runner one = ptx_mma_runner_of(q->p, NULL, 0, i / 2, i % 2 != 0);
        if (ptx_mma_sends(q->p, &one, act) && ask_runner(q, d, act, NULL, &one, least, a)) {
            return 1;
        }
    }
    return 0;
}

/* An operand that no copy fills whole in the first turns of this CTA's loops: it may be in another
 * stage, or another CTA fills it, or another copy is the one to begin with. */
static void ask_beyond(const question *q, const tma_mma_descriptor *d, answer *a) {
    const ptx_protocol *p = q->p;
    const uint32_t rounds = a->verdict == PTX_MMA_PART ? 2 : 4; /* equal; then in part */
    for (uint32_t i = 0; i < rounds * p->acts; i++) {
        const ptx_act *act = &p->act[i % p->acts];
        const uint32_t round = i / p->acts;
        const ptx_mma_verdict least = round < 2 ? PTX_MMA_EQUAL : PTX_MMA_PART;
        if (!spend(q, 1)) {
            return;
        }
        if (act->kind == PTX_ACT_LOAD && map_of(q, act) != PTX_NONE &&
            (round % 2 ? ask_ctas(q, d, act, least, a) : ask_turns(q, d, act, least, a))) {
            return;
        }
    }
}

static void put_place(char *out, size_t size, const question *q, const answer *a, uint32_t at) {
    tma_out to = tma_out_into(out, size);
    if (q->variable == PTX_NONE) {
        tma_putf(&to, "0x%x", at);
        return;
    }
    const tma_ptx_span name = q->p->r->rows.variable[q->variable].v.name;
    const int length = (int)(name.length < 60 ? name.length : 60);
    const int32_t added = (int32_t)(at - a->place);
    tma_putf(&to, "%.*s", length, name.at);
    if (added) {
        tma_putf(&to, "%s%d", added > 0 ? "+" : "", added);
    }
}

static void say(const question *q, const answer *a, int certain) {
    char read[96];
    char wanted[96];
    char tile[96];
    char where[48] = "";
    const char mn = q->operand.matrix ? 'n' : 'm';
    put_place(read, sizeof(read), q, a, a->read);
    put_place(wanted, sizeof(wanted), q, a, a->wanted);
    put_place(tile, sizeof(tile), q, a, a->tile);
    if (q->variable != PTX_NONE) {
        tma_out to = tma_out_into(where, sizeof(where));
        tma_putf(&to, " (with its variable at 0x%x)", a->place);
    }
    if (!a->has_begin) {
        ptx_protocol_say(q->p, PTX_RULE_MMA_LAYOUT, certain, q->act, a->copy,
                         "operand %c begins at %s, within the tile at %s, where the copy put no "
                         "element that a row of %s could begin with",
                         q->operand.matrix ? 'B' : 'A', read, tile,
                         tma_mma_type_at(q->operand.type)->name);
        return;
    }
    ptx_protocol_say(
        q->p, PTX_RULE_MMA_LAYOUT, certain, q->act, a->copy,
        "descriptor 0x%016" TMA_X64 "%s of operand %c (%s, %s) reads %c %u, k %u"
        " from %s, %s the copy into %s put it at %s",
        a->bits, where, q->operand.matrix ? 'B' : 'A', tma_mma_type_at(q->operand.type)->name,
        q->operand.major == TMA_MMA_K_MAJOR ? "K-major"
        : q->operand.matrix                 ? "N-major"
                                            : "M-major",
        mn, a->mn, a->k, read, a->may ? "and as far as is known" : "but", tile, wanted);
}

static void judge(const question *q) {
    const ptx_protocol *p = q->p;
    uint32_t step_B = PATTERN_B;
    answer told = {.verdict = PTX_MMA_NOT_KNOWN};
    if (q->variable != PTX_NONE) {
        const uint32_t align = p->r->rows.variable[q->variable].v.align_B;
        step_B = align < 16 ? 16 : align > PATTERN_B ? PATTERN_B : align;
    }
    for (uint32_t at = 0; at < PATTERN_B; at += step_B) {
        answer one;
        if (!at_place(q, LEAST_AT_B + at, &one)) {
            continue;
        }
        if (one.verdict != PTX_MMA_DIFFERS || one.by_thread) {
            return;
        }
        told = told.copy ? told : one;
    }
    if (told.copy) {
        say(q, &told, !told.may);
    }
}

/* At the first place that the copies allow. */
static answer answer_of(const question *q) {
    answer a = {0};
    tma_mma_descriptor d;
    for (uint32_t at = 0; at < PATTERN_B && !at_place(q, LEAST_AT_B + at, &a); at += 16) {
    }
    if (!a.has_bits || tma_mma_decode(&d, q->family, a.bits) != TMA_OK || d.leading_absolute) {
        return a;
    }
    if (a.verdict == PTX_MMA_PART) {
        ask_others(q, &d, NULL, &a);
    }
    if (a.verdict == PTX_MMA_PART || a.verdict == PTX_MMA_NOT_KNOWN) {
        ask_beyond(q, &d, &a);
    }
    return a;
}

/* What is listed of it. */
static answer listed_answer(const question *q) {
    answer a = answer_of(q);
    if (a.verdict == PTX_MMA_NOT_KNOWN) {
        question of_one_way = *q;
        of_one_way.lists = 1;
        a = answer_of(&of_one_way);
        a.verdict = a.verdict == PTX_MMA_DIFFERS ? PTX_MMA_NOT_KNOWN : a.verdict;
    }
    return a;
}

static void list(const question *q, answer a) {
    ptx_report *r = q->p->r;
    const ptx_values *v = q->p->v;
    const ptx_mma one = {.row = v->g->step[q->act->step].row,
                         .family = q->family,
                         .operand = q->operand,
                         .verdict = (uint8_t)a.verdict,
                         .has_bits = (uint8_t)a.has_bits,
                         .by_thread = (uint8_t)a.by_thread,
                         .by_way = (uint8_t)a.by_way,
                         .bits = a.bits,
                         .place = a.place,
                         .variable = q->variable,
                         .part_el = a.part_el,
                         .copies = a.copies,
                         .assumed = (uint8_t)a.assumed,
                         .turn = a.turn,
                         .cta = a.cta,
                         .copy_row = a.copy ? v->g->step[a.copy->step].row : PTX_NONE,
                         .tile = a.tile,
                         .begin_mn_el = a.begin[0],
                         .begin_k_el = a.begin[1]};
    PTX_APPEND(r, mma, mmas, one);
}

/* That the descriptor is made of the address of, if it is of one way alone. */
static uint32_t variable_of(const ptx_protocol *p, ptx_value value) {
    for (int joins = 0; joins < 2; joins++) {
        ptx_first first = {.p = p,
                           .around = PTX_NONE,
                           .variable = PTX_NONE,
                           .finds = 1,
                           .first_cta = 1,
                           .joins = joins};
        uint64_t bits = 0;
        if (ptx_value_first(&first, value, &bits)) {
            return first.variable;
        }
    }
    return PTX_NONE;
}

static void ask(ptx_protocol *p, const ptx_act *act) {
    const ptx_step *step = &p->v->g->step[act->step];
    ptx_mma_reads reads[2] = {{.value = PTX_UNKNOWN}, {.value = PTX_UNKNOWN}};
    if (!ptx_mma_operands(reads, p, step)) {
        return;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (reads[i].value != PTX_UNKNOWN) {
            question q = {.p = p,
                          .act = act,
                          .operand = reads[i].operand,
                          .family = reads[i].family,
                          .value = reads[i].value,
                          .variable = PTX_NONE};
            answer a = {.verdict = PTX_MMA_NOT_KNOWN};
            if (p->r->mma_work) {
                q.variable = variable_of(p, reads[i].value);
                judge(&q);
                a = listed_answer(&q);
            }
            list(&q, a);
            if (!p->r->mma_work) {
                ptx_leave_unjudged(p->r, p->v->g->root, PTX_BUDGET_MMA);
            }
        }
    }
}

void ptx_mma_check(ptx_protocol *p) {
    for (uint32_t i = 0; i < p->acts && p->many[PTX_ACT_MMA]; i++) {
        if (p->act[i].kind == PTX_ACT_MMA) {
            ask(p, &p->act[i]);
        }
    }
}
