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

/* One operand of one MMA in shared memory. */
typedef struct question {
    ptx_protocol *p;
    const ptx_act *act;
    tma_mma_operand operand;
    uint32_t family;
    ptx_value value;   /* the descriptor */
    uint32_t variable; /* or PTX_NONE: an address that is a number */
} question;

/* What was found with the variable at one place. */
typedef struct answer {
    ptx_mma_verdict verdict;
    int by_thread; /* for the first thread alone */
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
    uint32_t panel_dims;   /* of its box */
    uint32_t copies;       /* that fill all of it */
} answer;

/* --- operands of instructions --- */

static int next_word(tma_ptx_span *rest, tma_ptx_span *word) {
    size_t end = 0;
    while (end < rest->length && rest->at[end] != '.') {
        end++;
    }
    *word = (tma_ptx_span){rest->at, end};
    rest->at += end + (end < rest->length);
    rest->length -= end + (end < rest->length);
    return end != 0;
}

static uint32_t type_named(tma_ptx_span word) {
    for (uint32_t i = 0; i < TMA_MMA_TYPES; i++) {
        if (ptx_is_text(word, tma_mma_type_at(i)->name)) {
            return i;
        }
    }
    return TMA_MMA_TYPES;
}

/* A letter and a number of at most four digits, which are cut off. */
static int take_size(tma_ptx_span *word, const char *letter, uint32_t *number) {
    size_t at = 1;
    if (!ptx_begins(*word, letter)) {
        return 0;
    }
    *number = 0;
    for (; at < word->length && at < 5 && text_is_digit(word->at[at]); at++) {
        *number = 10 * *number + (uint32_t)(word->at[at] - '0');
    }
    word->at += at;
    word->length -= at;
    return at > 1;
}

/* "m64n128k16" */
static int read_shape(tma_ptx_span word, uint32_t *n) {
    uint32_t m = 0;
    uint32_t k = 0;
    return take_size(&word, "m", &m) && take_size(&word, "n", n) && take_size(&word, "k", &k) &&
           m == 64 && *n && *n <= 256;
}

static int number_at(const question *q, const ptx_step *step, const tma_ptx_parts *parts,
                     uint32_t i, uint64_t *number) {
    ptx_first first = {.p = q->p, .around = PTX_NONE, .variable = PTX_NONE};
    return i < parts->count && i < TMA_PTX_PARTS &&
           ptx_value_first(&first, ptx_value_of_text(q->p->v, step, parts->operand[i]), number) &&
           !first.by_thread;
}

/* wgmma.mma_async.sync.aligned.SHAPE.D.A.B d, a, b, scale, negations, majors */
static int read_wgmma(question q[2], const ptx_step *step, const tma_ptx_parts *parts) {
    tma_ptx_span rest = parts->opcode;
    tma_ptx_span word;
    uint32_t n = 0;
    uint32_t types[3] = {TMA_MMA_TYPES, TMA_MMA_TYPES, TMA_MMA_TYPES};
    while (!n && next_word(&rest, &word)) {
        n = read_shape(word, &n) ? n : 0;
    }
    for (int i = 0; i < 3 && n && next_word(&rest, &word); i++) {
        types[i] = type_named(word);
    }
    const int turns = types[1] == TMA_MMA_TYPE_F16 || types[1] == TMA_MMA_TYPE_BF16;
    const int a_shared = parts->count > 2 && parts->operand[1].at[0] != '{';
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t major = 0;
        q[i].family = TMA_MMA_WGMMA;
        q[i].operand = (tma_mma_operand){.matrix = i, .type = types[i + 1], .mn_el = i ? n : 64};
        if (types[i + 1] >= TMA_MMA_TYPES || (!i && !a_shared) ||
            (turns && !number_at(&q[i], step, parts, i ? parts->count - 1 : 6, &major)) ||
            major > 1) {
            continue;
        }
        q[i].operand.major = (uint32_t)major;
        q[i].value = ptx_value_of_text(q[i].p->v, step, parts->operand[i + 1]);
    }
    return parts->count > 5;
}

static uint32_t kind_of(const tma_ptx_parts *parts) {
    static const struct {
        const char *word;
        uint32_t kind;
    } kinds[] = {{"kind::f16", TMA_IDESC_KIND_F16},           {"kind::tf32", TMA_IDESC_KIND_TF32},
                 {"kind::f8f6f4", TMA_IDESC_KIND_F8F6F4},     {"kind::i8", TMA_IDESC_KIND_I8},
                 {"kind::mxf8f6f4", TMA_IDESC_KIND_MXF8F6F4}, {"kind::mxf4", TMA_IDESC_KIND_MXF4},
                 {"kind::mxf4nvf4", TMA_IDESC_KIND_MXF4}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (tma_ptx_is(parts, "tcgen05", kinds[i].word)) {
            return kinds[i].kind;
        }
    }
    return TMA_IDESC_KINDS;
}

/* tcgen05.mma.cta_group::1.kind::f16 [d], a, b, idesc, ... */
static int read_tcgen05(question q[2], const ptx_step *step, const tma_ptx_parts *parts) {
    static const char *const types[] = {"a_type", "b_type"};
    static const char *const majors[] = {"transpose_a", "transpose_b"};
    static const char *const sides[] = {"m", "n"};
    const uint32_t kind = kind_of(parts);
    const uint32_t ctas = tma_ptx_is(parts, "tcgen05", "cta_group::2") ? 2 : 1;
    uint64_t idesc = 0;
    if (kind == TMA_IDESC_KINDS || parts->count < 4 || !number_at(&q[0], step, parts, 3, &idesc)) {
        return 0;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t side = tma_idesc_read((uint32_t)idesc, tma_idesc_field_find(kind, sides[i]));
        const uint32_t type = tma_idesc_type(
            kind, tma_idesc_read((uint32_t)idesc, tma_idesc_field_find(kind, types[i])));
        q[i].family = TMA_MMA_TCGEN05;
        q[i].operand = (tma_mma_operand){
            .matrix = i,
            .type = type,
            .mn_el = side / ctas,
            .major = tma_idesc_read((uint32_t)idesc, tma_idesc_field_find(kind, majors[i]))};
        if (type < TMA_MMA_TYPES && side >= ctas && side <= 256 &&
            parts->operand[i + 1].at[0] != '[') {
            q[i].value = ptx_value_of_text(q[i].p->v, step, parts->operand[i + 1]);
        }
    }
    return 1;
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
    for (uint32_t panels = 0; !panels || panels + 1 < spec->rank; panels++) {
        const tma_mma_tile tile = {.shared_address = a.tile, .panel_dims = panels};
        answer one = a;
        one.panel_dims = panels;
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

static const ptx_site *site_of(const ptx_protocol *p, const ptx_act *act) {
    const uint32_t row = p->v->g->step[act->step].row;
    const uint32_t site = p->r->is_site[row] ? ptx_site_at(p->r, row) : PTX_NONE;
    return site == PTX_NONE || p->r->site[site].unread || p->r->site[site].given == PTX_NONE
               ? NULL
               : &p->r->site[site];
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
    const ptx_site *site = site_of(p, act);
    tma_decoded map;
    if (!site || tma_decode(&map, p->r->given[site->given].map.bytes) != TMA_OK) {
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

/* With the variable at a place: whether the place is one, and what is so there. */
static int at_place(const question *q, uint32_t place, answer *out) {
    const ptx_protocol *p = q->p;
    ptx_first first = {
        .p = p, .around = PTX_NONE, .variable = q->variable, .address = place, .first_cta = 1};
    answer a = {.verdict = PTX_MMA_NOT_KNOWN, .place = place};
    tma_mma_descriptor d;
    *out = a;
    a.has_bits = ptx_value_first(&first, q->value, &a.bits);
    a.by_thread = first.by_thread;
    a.may = first.by_window;
    *out = a;
    if (!a.has_bits || tma_mma_decode(&d, q->family, a.bits) != TMA_OK || d.leading_absolute) {
        return 1;
    }
    copies c = {.q = q, .d = &d, .begin = tma_mma_read(&d, &q->operand, 0, 0).address_B};
    for (uint32_t i = 0; i < p->acts; i++) {
        ptx_first at = first;
        uint64_t tile = 0;
        at.variable = PTX_NONE;
        at.finds = 1;
        if (p->act[i].kind != PTX_ACT_LOAD || is_for_others(&first, &p->act[i])) {
            continue;
        }
        if (!ptx_value_first(&at, p->act[i].at, &tile)) {
            c.not_known = 1; /* it may have written the tile */
            continue;
        }
        if (at.variable != q->variable) {
            continue;
        }
        first.by_thread |= at.by_thread;
        first.by_window |= at.by_window;
        a.by_thread = first.by_thread;
        a.may |= first.by_window;
        const ptx_site *site = site_of(p, &p->act[i]);
        tma_decoded map;
        if (site && tma_decode(&map, p->r->given[site->given].map.bytes) == TMA_OK &&
            tile % align_of(&map.spec)) {
            return 0; /* the copy would trap */
        }
        a.tile = (uint32_t)tile;
        take_copy(&c, &p->act[i], a);
    }
    *out = c.found.copy && (c.found.verdict != PTX_MMA_DIFFERS || !c.not_known) ? c.found : a;
    return 1;
}

/* The rest of an operand that one copy fills in part. */
static void ask_others(const question *q, const tma_mma_descriptor *d, answer *a) {
    const ptx_mma_part part = {.p = q->p,
                               .descriptor = d,
                               .operand = &q->operand,
                               .copy = a->copy,
                               .tile = a->tile,
                               .variable = q->variable,
                               .place = a->place,
                               .panel_dims = a->panel_dims,
                               .begin = {a->begin[0], a->begin[1]}};
    const uint32_t copies = ptx_mma_whole(&part);
    if (copies) {
        a->verdict = PTX_MMA_EQUAL;
        a->copies = copies;
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

/* What is listed of it: at the first place that the copies allow. */
static void list(const question *q) {
    ptx_report *r = q->p->r;
    answer a = {0};
    for (uint32_t at = 0; at < PATTERN_B && !at_place(q, LEAST_AT_B + at, &a); at += 16) {
    }
    const ptx_values *v = q->p->v;
    tma_mma_descriptor d;
    if (a.verdict == PTX_MMA_PART && tma_mma_decode(&d, q->family, a.bits) == TMA_OK) {
        ask_others(q, &d, &a);
    }
    const ptx_mma one = {.row = v->g->step[q->act->step].row,
                         .family = q->family,
                         .operand = q->operand,
                         .verdict = (uint8_t)a.verdict,
                         .has_bits = (uint8_t)a.has_bits,
                         .by_thread = (uint8_t)a.by_thread,
                         .bits = a.bits,
                         .place = a.place,
                         .variable = q->variable,
                         .part_el = a.part_el,
                         .copies = a.copies,
                         .copy_row = a.copy ? v->g->step[a.copy->step].row : PTX_NONE,
                         .tile = a.tile,
                         .begin_mn_el = a.begin[0],
                         .begin_k_el = a.begin[1]};
    PTX_APPEND(r, mma, mmas, one);
}

static void ask(ptx_protocol *p, const ptx_act *act) {
    const ptx_step *step = &p->v->g->step[act->step];
    question q[2] = {{.p = p, .act = act}, {.p = p, .act = act}};
    tma_ptx_parts parts;
    if (tma_ptx_split(&parts, &p->r->rows.row[step->row].piece) ||
        !(tma_ptx_is(&parts, "wgmma", NULL) ? read_wgmma(q, step, &parts)
                                            : read_tcgen05(q, step, &parts))) {
        return;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (q[i].value != PTX_UNKNOWN) {
            ptx_first first = {
                .p = p, .around = PTX_NONE, .variable = PTX_NONE, .finds = 1, .first_cta = 1};
            uint64_t bits = 0;
            q[i].variable = ptx_value_first(&first, q[i].value, &bits) ? first.variable : PTX_NONE;
            judge(&q[i]);
            list(&q[i]);
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
