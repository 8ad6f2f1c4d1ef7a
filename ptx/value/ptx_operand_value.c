/* SPDX-License-Identifier: Apache-2.0
 *
 * What the operands of a step hold.
 */
#include "ptx_operand_value.h"

static const struct special_row {
    const char *name;
    uint8_t bits;
} specials[] = {
#define PTX_SPECIAL(id, name, bits) {name, bits},
#include "ptx_specials.def"
};

const char *ptx_special_name(uint32_t special) {
    return specials[special].name;
}

static ptx_atom atom_of(uint32_t special) {
    return (ptx_atom){
        .kind = PTX_ATOM_SPECIAL, .bits = specials[special].bits, .a = special, .loop = PTX_NONE};
}

uint32_t ptx_special_atom(const ptx_values *v, ptx_special special) {
    const ptx_atom atom = atom_of(special);
    return ptx_atom_find(&v->forms, &atom);
}

/* Special registers that hold something else each time. */
static int is_read_anew(tma_ptx_span name) {
    static const char *const names[] = {
        "%clock",          "%clock64",        "%clock_hi", "%globaltimer", "%smid",
        "%globaltimer_lo", "%globaltimer_hi", "%warpid",   "%nsmid",       "%nwarpid"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (ptx_is_text(name, names[i])) {
            return 1;
        }
    }
    return name.length > 3 && name.at[0] == '%' && name.at[1] == 'p' && name.at[2] == 'm';
}

static ptx_value special(ptx_values *v, tma_ptx_span name) {
    for (uint32_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
        if (ptx_is_text(name, specials[i].name)) {
            const ptx_atom atom = atom_of(i);
            return ptx_form_atom(&v->forms, ptx_atom_of(&v->forms, &atom), 64);
        }
    }
    const uint32_t named =
        name.length && name.at[0] != '_' ? ptx_codes_name(v->g->codes, name) : PTX_NONE;
    if (named == PTX_NONE || is_read_anew(name)) {
        return PTX_UNKNOWN;
    }
    const ptx_atom atom = {.kind = PTX_ATOM_NAMED, .bits = 64, .a = named, .loop = PTX_NONE};
    return ptx_form_atom(&v->forms, ptx_atom_of(&v->forms, &atom), 64);
}

static ptx_value address(ptx_values *v, uint32_t variable, uint32_t context) {
    const tma_ptx_span space = v->g->rows->variable[variable].v.space;
    const int is_param = ptx_is_text(space, "param");
    const int is_own = ptx_is_text(space, "local") || is_param;
    /* parameters are 32,764 B at most, shared addresses are .u32 operands: cvt.u64.u32 of one's
     * low half is the address */
    const int is_narrow = is_param || ptx_is_text(space, "shared");
    const ptx_atom atom = {.kind = PTX_ATOM_ADDRESS,
                           .bits = is_narrow ? 32 : 64,
                           .a = variable,
                           .b = is_own ? context : 0,
                           .loop = PTX_NONE};
    return ptx_form_atom(&v->forms, ptx_atom_of(&v->forms, &atom), 64);
}

ptx_value ptx_value_of_ref(ptx_values *v, const ptx_step *step, const ptx_ref *ref) {
    const ptx_rows *rows = v->g->rows;
    if (ref->symbol == PTX_NONE) {
        return PTX_UNKNOWN;
    }
    const ptx_symbol *s = &rows->symbol[ref->symbol];
    if (ref->place != PTX_NONE) {
        const int is_mixed = s->lanes || (s->kind == PTX_IS_VARIABLE && s->slot_bits == PTX_MIXED);
        return is_mixed ? PTX_UNKNOWN : v->now[ptx_place_in(v->g, step->context, ref->place)];
    }
    return s->kind == PTX_IS_VARIABLE ? address(v, s->variable, step->context) : PTX_UNKNOWN;
}

ptx_value ptx_arg_value(ptx_values *v, const ptx_step *step, const ptx_arg *arg, uint32_t bits) {
    if (arg->kind == PTX_ARG_NUMBER) {
        return ptx_form_number(&v->forms, (uint64_t)arg->number, bits);
    }
    if (arg->kind != PTX_ARG_NAME) {
        return PTX_UNKNOWN;
    }
    const ptx_row *row = &v->g->rows->row[step->row];
    ptx_value value = arg->ref == PTX_NONE || v->g->rows->ref[arg->ref].symbol == PTX_NONE
                          ? special(v, arg->name)
                          : v->use[step->first_use + (arg->ref - row->first_ref)];
    if (value != PTX_UNKNOWN && arg->number) {
        const ptx_value added =
            ptx_form_number(&v->forms, (uint64_t)arg->number, v->forms.form[value].bits);
        value = ptx_form_sum(&v->forms, value, added, 1);
    }
    value = ptx_form_cut(&v->forms, value, bits);
    return arg->is_not ? ptx_form_sum(&v->forms, ptx_form_number(&v->forms, 1, 1),
                                      ptx_form_cut(&v->forms, value, 1), 1)
                       : value;
}

ptx_value ptx_value_of_text(ptx_values *v, const ptx_step *step, tma_ptx_span text) {
    const ptx_arg arg = ptx_arg_of(v->g->rows, step->row, text, NULL);
    return ptx_arg_value(v, step, &arg, 64);
}

ptx_value ptx_value_at(ptx_values *v, const ptx_step *step, const tma_ptx_operand *o) {
    ptx_arg arg = {.kind = PTX_ARG_NUMBER, .ref = PTX_NONE, .number = o->value};
    if (o->kind == TMA_PTX_EXPRESSION) {
        return ptx_value_of_text(v, step, (tma_ptx_span){o->name, o->length});
    }
    if (o->kind == TMA_PTX_NAME) {
        arg = ptx_arg_of(v->g->rows, step->row, (tma_ptx_span){o->name, o->length}, NULL);
        arg.number += o->value;
    }
    return o->kind == TMA_PTX_NONE ? PTX_UNKNOWN : ptx_arg_value(v, step, &arg, 64);
}
