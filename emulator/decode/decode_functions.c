/* SPDX-License-Identifier: Apache-2.0
 *
 * Heads of functions: parameters, what is returned, what a launch needs, the slots of registers.
 */
#include "decode.h"
#include "ptx_constant.h"
#include "ptx_place.h"

static uint32_t slots_of(uint32_t type) {
    const uint32_t bits = emu_type_of(type)->bits;
    return bits > 64 ? 4 : bits > 32 ? 2 : 1;
}

uint32_t decode_slots(decode *d, uint32_t type) {
    emu_function *f = &d->p->function[d->function];
    const uint32_t at = f->slots;
    f->slots += slots_of(type);
    return at;
}

/* ".reqntid 32, 2" in a head: the words of a directive. */
static int take_directive(const ptx_function *f, const char *word, uint32_t numbers[3]) {
    const char *const behind = f->name.at + f->name.length;
    tma_ptx_span rest = {behind, (size_t)(f->head.at + f->head.length - behind)};
    const size_t length = text_length(word);
    for (; rest.length > length; rest.at++, rest.length--) {
        if (ptx_begins(rest, word) && !text_is_word(rest.at[length])) {
            break;
        }
    }
    if (rest.length <= length) {
        return ptx_is_text(rest, word);
    }
    rest.at += length;
    rest.length -= length;
    for (uint32_t i = 0; numbers && i < 3; i++) {
        int64_t number = 1;
        tma_ptx_span comma = rest;
        if (i) {
            ptx_skip_blanks(&comma);
            if (!comma.length || comma.at[0] != ',') {
                numbers[i] = 1;
                continue;
            }
            comma.at++;
            comma.length--;
        }
        ptx_skip_blanks(&comma);
        if (!ptx_constant_take(&comma, &number)) {
            break;
        }
        rest = comma;
        numbers[i] = number < 0 || number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
    }
    return 1;
}

static uint8_t builtin_of(tma_ptx_span name) {
    static const char *const names[EMU_BUILTINS] = {
#define EMU_BUILTIN(id, name) [EMU_BUILTIN_##id] = (name),
#include "builtins.def"
    };
    for (uint32_t i = 1; i < EMU_BUILTINS; i++) {
        if (ptx_is_text(name, names[i])) {
            return (uint8_t)i;
        }
    }
    return EMU_NO_BUILTIN;
}

/* A parameter that is a register: a variable that the file has no row for. */
static uint32_t register_variable(decode *d, uint32_t symbol) {
    const ptx_symbol *s = &d->rows->symbol[symbol];
    const ptx_function *f = &d->rows->function[d->function];
    const uint32_t type = decode_type_of(s->type);
    emu_variable v = {.name = s->name,
                      .is_register = 1,
                      .function = d->function,
                      .align_B = 1,
                      .type = (uint8_t)type,
                      .size_B = (emu_type_of(type)->bits + 7u) / 8,
                      .slot = EMU_NO_SLOT};
    for (uint32_t place = f->first_place; place < f->end_place; place++) {
        if (d->rows->place[place].symbol == symbol) {
            v.slot = d->slot_of_place[place];
        }
    }
    v.slot = v.slot == EMU_NO_SLOT ? (int32_t)decode_slots(d, type) : v.slot;
    PTX_APPEND(d->p, variable, variables, v);
    return d->p->variables - 1;
}

static void take_parameters(decode *d, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end && !d->memory->failed; i++) {
        const ptx_symbol *s = &d->rows->symbol[i];
        const uint32_t variable =
            s->kind == PTX_IS_VARIABLE ? s->variable : register_variable(d, i);
        PTX_APPEND(d->p, parameter, all_parameters, variable);
    }
}

static void take_slots(decode *d, const ptx_function *f) {
    for (uint32_t place = f->first_place; place < f->end_place; place++) {
        const ptx_symbol *s = &d->rows->symbol[d->rows->place[place].symbol];
        if (s->kind != PTX_IS_VARIABLE) {
            d->slot_of_place[place] = (int32_t)decode_slots(d, decode_type_of(s->type));
            for (uint32_t lane = 1; lane < s->lanes; lane++) { /* right behind it */
                decode_slots(d, decode_type_of(s->type));
            }
        }
    }
}

/* More than a machine has: 32 lanes of it fit no address, and no sum of them wraps. */
#define MOST_B (UINT64_C(1) << 56)

/* Where a function's memory lies: the parameters of an entry; in a frame all others. */
static void place_memory(decode *d) {
    for (uint32_t i = 0; i < d->rows->variables; i++) {
        emu_variable *v = &d->p->variable[i];
        if (v->function == EMU_NONE ||
            (v->space != EMU_PARAM_ENTRY && v->space != EMU_LOCAL && v->space != EMU_PARAM_CALL)) {
            continue;
        }
        emu_function *f = &d->p->function[v->function];
        uint64_t *const end = v->space == EMU_PARAM_ENTRY ? &f->parameter_B : &f->local_B;
        v->offset_B = ptx_round_up(*end, v->align_B);
        *end = v->offset_B + v->size_B;
        *end = *end < MOST_B ? *end : MOST_B;
    }
    for (uint32_t i = 0; i < d->p->functions; i++) { /* lanes' memory is aligned as one's */
        d->p->function[i].local_B = ptx_round_up(d->p->function[i].local_B, 16);
    }
}

/* The number of a directive that has one; 0: it is not there. */
static uint32_t take_number(const ptx_function *from, const char *directive) {
    uint32_t number[3] = {0, 0, 0};
    take_directive(from, directive, number);
    return number[0];
}

static void take_head(decode *d, const ptx_function *from) {
    emu_function *f = &d->p->function[d->function];
    f->name = from->name;
    f->is_entry = from->is_entry != 0;
    f->is_defined = from->first < from->end;
    f->builtin = f->is_defined ? EMU_NO_BUILTIN : builtin_of(from->name);
    f->is_no_return =
        (uint8_t)(take_directive(from, ".noreturn", NULL) || f->builtin == EMU_BUILTIN_ASSERTFAIL);
    take_directive(from, ".reqntid", f->required);
    take_directive(from, ".maxntid", f->most);
    take_directive(from, ".reqnctapercluster", f->cluster);
    f->explicit_cluster = (uint8_t)take_directive(from, ".explicitcluster", NULL);
    f->most_registers = take_number(from, ".maxnreg");
    f->least_ctas = take_number(from, ".minnctapersm");
    f->head_row = from->first;
    take_slots(d, from);
    f->first_return = d->p->all_parameters;
    take_parameters(d, from->returns, from->first_parameter);
    f->first_parameter = d->p->all_parameters;
    f->returns = f->first_parameter - f->first_return;
    take_parameters(d, from->first_parameter, from->end_parameter);
    f->parameters = d->p->all_parameters - f->first_parameter;
}

int decode_functions(decode *d) {
    const ptx_rows *rows = d->rows;
    d->p->functions = rows->functions;
    d->p->function = ptx_memory_take(d->memory, rows->functions + 1u, sizeof(*d->p->function));
    d->slot_of_place = ptx_memory_take(d->memory, rows->places + 1u, sizeof(*d->slot_of_place));
    if (!d->p->function || !d->slot_of_place) {
        return -1;
    }
    for (d->function = 0; d->function < rows->functions && !d->memory->failed; d->function++) {
        take_head(d, &rows->function[d->function]);
    }
    place_memory(d);
    return d->memory->failed ? -1 : 0;
}
