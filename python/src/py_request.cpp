/* SPDX-License-Identifier: Apache-2.0
 *
 * Operation, mode and operands out of Python's arguments.
 */
#include "py_request.h"

#include <string>

#include "py_argument.h"
#include "py_finding.h"
#include "tma/grammar.h"

namespace libtma {

namespace {

std::string entry(const char *argument, size_t i) {
    return std::string(argument) + "[" + std::to_string(i) + "]";
}

[[noreturn]] void no_sequence(const char *argument, nb::handle values) {
    throw nb::type_error((std::string(argument) +
                          ": a sequence of integers, outermost first, is wanted, not '" +
                          class_name(values) + "'")
                             .c_str());
}

/* What PyLong_AsLongLong() did not take: no integer, or one of more than 64 bits. */
template <typename T> T read_slowly(nb::handle value, const std::string &argument) {
    PyErr_Clear();
    return read_integer<T>(value, argument);
}

template <typename T>
void read_numbers(T *out, size_t most, nb::handle values, bool reversed, const char *argument) {
    const size_t count = nb::len(values);
    if (count > most) {
        throw nb::value_error((std::string(argument) + " has " + std::to_string(count) +
                               " entries, at most " + std::to_string(most) + " have a meaning")
                                  .c_str());
    }
    for (size_t i = 0; i < count; i++) {
        const size_t from = reversed ? count - 1 - i : i;
        const nb::object value = values[from];
        const long long number = PyLong_AsLongLong(value.ptr());
        out[i] = (T)number;
        if ((number == -1 && PyErr_Occurred()) || (long long)out[i] != number) {
            out[i] = read_slowly<T>(value, entry(argument, from));
        }
    }
}

void learn_own(Descriptor &d) {
    if (d.own_mode < 0) {
        tma_decoded decoded = {};
        const bool known = tma_decode(&decoded, d.bytes()) == TMA_OK;
        const bool tiled = known && decoded.spec.api == TMA_API_TILED;
        d.own_rank = known ? decoded.spec.rank : 0;
        d.own_mode = tiled ? TMA_MODE_TILE : TMA_MODE_IM2COL;
    }
}

/* Neither fewer, which the library would take for zeros, nor more. */
void check_count(size_t given, uint32_t wanted, const char *argument, const Request &r) {
    if (given != wanted) {
        throw nb::value_error((std::string(argument) + " has " + std::to_string(given) +
                               (given == 1 ? " entry; a " : " entries; a ") +
                               tma_op_name(r.instruction.op) + " of this map in mode " +
                               tma_mode_name(r.instruction.mode) + " takes " +
                               std::to_string(wanted))
                                  .c_str());
    }
}

/* Which targets have the instruction: those whose plan is not refused for that. */
std::string who_has(const Descriptor &d, const Request &r) {
    std::string names;
    for (size_t i = 0; const tma_arch_row *row = tma_arch_at(i); i++) {
        tma_target target = d.target;
        tma_finding why = {};
        tma_plan plan;
        target.sm = row->sm;
        target.suffix = row->suffix;
        if (tma_plan_make(&plan, d.bytes(), &r.instruction, &target, &why) == TMA_OK ||
            why.rule != TMA_RULE_MODE_TARGET) {
            names += (names.empty() ? "" : ", ") + std::string(row->name);
        }
    }
    return names;
}

std::string reductions_of(uint32_t dtype) {
    std::string names;
    for (uint32_t op = TMA_OP_ADD; op < TMA_OP_PREFETCH; op++) {
        if (tma_reduction_exists(op, dtype)) {
            names += (names.empty() ? "" : ", ") + std::string(tma_op_name(op));
        }
    }
    return names;
}

/* What lacks what, and what there is instead; "" where the finding says it all. */
std::string remedy_of(const Descriptor &d, const Request &r, const tma_finding &why) {
    tma_decoded map = {};
    if (tma_decode(&map, d.bytes()) != TMA_OK) {
        return "";
    }
    const std::string op = tma_op_name(r.instruction.op), mode = tma_mode_name(r.instruction.mode);
    const tma_enum_row *type = tma_enum_row_of(TMA_ENUM_DTYPE, map.spec.dtype);
    const tma_arch_row *arch = tma_arch_of(&d.target);
    if (why.rule == TMA_RULE_MODE_TARGET && arch) {
        return std::string(arch->name) + " has no " + op + " in mode " + mode + "; " +
               who_has(d, r) + " have: make the map with one of them as target=";
    }
    if (why.rule == TMA_RULE_TRAP_REDUCTION_TYPE && type) {
        const std::string there = reductions_of(map.spec.dtype);
        return std::string(type->name) + " has no " + op + "; " +
               (there.empty() ? "it has no reduction" : "pass one of " + there);
    }
    if (why.rule == TMA_RULE_MODE_MAP) {
        return std::string("this map is ") +
               (map.spec.api == TMA_API_TILED ? "a tiled one" : "an im2col one") +
               ": leave mode out for its own";
    }
    return "";
}

std::string all_reductions() {
    std::string names;
    for (uint32_t op = TMA_OP_ADD; op < TMA_OP_PREFETCH; op++) {
        names += (names.empty() ? "" : ", ") + std::string(tma_op_name(op));
    }
    return names;
}

void warn(const std::string &text, int frames) {
    const nb::object kind = nb::module_::import_("libtma._errors").attr("TensorMapWarning");
    if (PyErr_WarnEx(kind.ptr(), text.c_str(), frames) < 0) {
        throw nb::python_error();
    }
}

/* Whether a box at these coordinates has no element of the tensor. */
bool is_outside(const tma_plan_facts &facts, const int32_t *coord, int reversed) {
    for (int i = 0; i < facts.rank; i++) {
        const int64_t at = coord[reversed ? facts.rank - 1 - i : i];
        const int64_t box_el = i ? (int64_t)facts.count[i] * facts.stride_el[i] : facts.row_el;
        if (at >= (int64_t)facts.dim_el[i] || at + box_el <= 0) {
            return true;
        }
    }
    return false;
}

} // namespace

uint32_t read_op(const std::string &word) {
    uint32_t op = 0;
    tma_error error;
    if (tma_read_op(&op, read_word(word, "op"), "op", &error)) {
        throw nb::value_error(error.text);
    }
    return op;
}

uint32_t read_reduction(const std::string &word) {
    uint32_t op = 0;
    if (tma_read_op(&op, read_word(word, "op"), "op", nullptr) || op < TMA_OP_ADD ||
        op >= TMA_OP_PREFETCH) {
        throw nb::value_error(
            ("op: '" + word + "' is no reduction: one of " + all_reductions()).c_str());
    }
    return op;
}

Request read_request(Descriptor &d, uint32_t op, nb::handle mode, nb::handle coordinates,
                     bool outermost_first, nb::handle im2col_offsets, uint32_t shared_address) {
    Request r;
    tma_error error;
    r.instruction.op = op;
    learn_own(d);
    if (mode.is_none()) {
        r.instruction.mode = (uint32_t)d.own_mode;
    } else if (!nb::isinstance<nb::str>(mode)) {
        throw nb::type_error("mode: a word such as 'tile' is wanted");
    } else if (tma_read_mode(&r.instruction.mode, read_word(read_text(mode, "mode"), "mode"),
                             "mode", &error)) {
        throw nb::value_error(error.text);
    }
    r.at.shared_address = shared_address;
    const uint32_t rank =
        d.own_rank; /* 0: no map that anyone can read; the copy says what is wrong */
    const uint32_t mode_of = r.instruction.mode;
    if (!coordinates.is_none() && !PySequence_Check(coordinates.ptr())) {
        no_sequence("offsets", coordinates);
    }
    if (!im2col_offsets.is_none() && !PySequence_Check(im2col_offsets.ptr())) {
        no_sequence("im2col_offsets", im2col_offsets);
    }
    r.coordinates = coordinates.is_none() ? tma_mode_coords(mode_of, rank) : nb::len(coordinates);
    if (!coordinates.is_none()) {
        if (rank) {
            check_count(r.coordinates, tma_mode_coords(mode_of, rank), "offsets", r);
        }
        read_numbers(r.at.coord, TMA_MAX_RANK, coordinates, outermost_first, "offsets");
    }
    if (!im2col_offsets.is_none()) {
        if (rank) {
            check_count(nb::len(im2col_offsets), tma_mode_offsets(op, mode_of, rank),
                        "im2col_offsets", r);
        }
        read_numbers(r.at.offset, TMA_MAX_SPATIAL, im2col_offsets, outermost_first,
                     "im2col_offsets");
    }
    return r;
}

void raise_request(tma_status status, const tma_finding &why, nb::handle self, const Request &r) {
    nb::list coordinates;
    for (size_t i = 0; i < r.coordinates; i++) {
        coordinates.append(r.at.coord[i]);
    }
    const std::string remedy =
        nb::isinstance<Descriptor>(self)
            ? remedy_of(read_object<Descriptor>(self, "a tensor map"), r, why)
            : "";
    raise_copy(status, why, self, nb::tuple(coordinates), remedy);
}

std::shared_ptr<const Plans> plans_that_run(Descriptor &d, nb::handle self, const Request &r) {
    tma_finding why = {};
    tma_status status = TMA_OK;
    std::shared_ptr<const Plans> plans = d.plans_for(r.instruction, &status, &why);
    if (status == TMA_OK) {
        status = tma_plan_at(&plans->real, &r.at, &why);
    }
    if (status != TMA_OK) {
        raise_request(status, why, self, r);
    }
    return plans;
}

void warn_of(const tma_plan &plan, const Request &r, int frames) {
    const tma_plan_facts &facts = *tma_plan_info(&plan);
    tma_finding notes[8];
    const size_t count = tma_plan_notes(notes, 8, &plan, &r.at);
    for (size_t i = 0; i < count && i < 8; i++) {
        const nb::object note = nb::cast(Finding{notes[i]});
        warn(std::string(tma_rule_of(notes[i].rule)->name) + ": " + nb::str(note).c_str(), frames);
    }
    if (facts.mode == TMA_MODE_TILE && !facts.unit_B && is_outside(facts, r.at.coord, 0) &&
        !is_outside(facts, r.at.coord, 1)) {
        warn("offsets: the whole box lies outside of the tensor; in the other order it would not: "
             "offsets are outermost first, as the tensor's shape",
             frames);
    }
}

} // namespace libtma
