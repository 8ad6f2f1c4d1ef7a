/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensor instructions as PTX text: read, judged, run against a descriptor.
 */
#include "py_ptx.h"

#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <vector>

#include "py_argument.h"
#include "py_copy.h"
#include "py_finding.h"
#include "py_queries.h"
#include "py_request.h"
#include "py_words.h"
#include "tma/ptx.h"
#include "tma/ptx_file.h"

namespace libtma {

namespace {

void write_piece(void *context, const char *text, size_t length) {
    ((std::string *)context)->append(text, length);
}

std::string span_text(const tma_ptx_span &span) {
    return std::string(span.at, span.length);
}

/* A number, the text of a register, symbol or expression, or None. What is added to a name in an
 * address stands behind it: "%rd1+16". */
nb::object operand(const tma_ptx_operand &o) {
    if (o.kind == TMA_PTX_NONE) {
        return nb::none();
    }
    if (o.kind == TMA_PTX_NUMBER) {
        return nb::int_(o.value);
    }
    std::string text(o.name, o.length);
    if (o.kind == TMA_PTX_NAME && o.value) {
        text += (o.value > 0 ? "+" : "") + std::to_string(o.value);
    }
    return nb::str(text.c_str());
}

nb::tuple operands(const tma_ptx_operand *all, uint32_t count) {
    nb::list out;
    for (uint32_t i = 0; i < count; i++) {
        out.append(operand(all[i]));
    }
    return nb::tuple(out);
}

nb::dict statement_dict(const tma_ptx_statement &s) {
    nb::dict out;
    std::string text;
    tma_out to = tma_out_to(write_piece, &text);
    tma_ptx_print(&to, &s);
    const bool copies =
        s.kind == TMA_PTX_COPY || s.kind == TMA_PTX_REDUCE || s.kind == TMA_PTX_PREFETCH;
    out["text"] = text;
    out["kind"] = tma_ptx_kind_name(s.kind);
    out["op"] = copies ? nb::object(nb::str(tma_op_name(s.in.op))) : nb::object(nb::none());
    out["mode"] = copies ? nb::object(nb::str(tma_mode_name(s.in.mode))) : nb::object(nb::none());
    out["rank"] = s.in.rank;
    out["cta_group"] = s.in.cta_group;
    out["guard"] = operand(s.guard);
    out["negated"] = (bool)s.negated;
    out["map"] = operand(s.map);
    out["coords"] = operands(s.coord, s.coords);
    out["im2col_offsets"] = operands(s.offset, s.offsets);
    out["shared"] = operand(s.shared);
    out["barrier"] = operand(s.barrier);
    out["cta_mask"] = operand(s.mask);
    out["cache_policy"] = operand(s.policy);
    out["field"] = s.kind == TMA_PTX_REPLACE
                       ? nb::object(nb::str(tma_replace_row_of(s.field)->name))
                       : nb::object(nb::none());
    out["ordinal"] = operand(s.ordinal);
    out["value"] = operand(s.value);
    return out;
}

tma_ptx_statement read_statement(const std::string &text) {
    tma_ptx_statement s;
    tma_error error;
    if (tma_ptx_parse(&s, text.data(), text.size(), &error)) {
        throw nb::value_error(error.text);
    }
    if (s.kind == TMA_PTX_OTHER) {
        throw nb::value_error("text: no tensor instruction of PTX");
    }
    return s;
}

/* (statement or None, error or "", line, function) for each tensor instruction of a text. */
nb::list statements(const std::string &text) {
    nb::list out;
    std::string function;
    tma_ptx_reader reader = tma_ptx_reader_of(text.data(), text.size());
    tma_ptx_piece piece;
    while (tma_ptx_next(&reader, &piece)) {
        tma_ptx_span name;
        int is_entry = 0;
        if (piece.kind == TMA_PTX_PIECE_DIRECTIVE &&
            tma_ptx_function_of(&name, &is_entry, &piece)) {
            function = span_text(name);
        }
        tma_ptx_statement s;
        tma_error error;
        if (piece.kind != TMA_PTX_PIECE_INSTRUCTION) {
            continue;
        }
        const bool wrong = tma_ptx_parse(&s, piece.at, piece.size, &error) != TMA_OK;
        if (wrong || s.kind != TMA_PTX_OTHER) {
            out.append(nb::make_tuple(
                wrong ? nb::object(nb::none()) : nb::object(statement_dict(s)),
                wrong ? std::string(error.text) : std::string(), piece.line, function));
        }
    }
    return out;
}

/* What a version and a target lack for a statement. */
nb::list lacks(const std::string &text, nb::handle target, uint32_t version) {
    const tma_ptx_statement s = read_statement(text);
    const tma_target on = read_target(target);
    nb::list out;
    int by_version = 0;
    for (size_t i = 0;; i++) {
        const tma_ptx_form *form = tma_ptx_lacks(&s, &on, version, i, &by_version);
        if (!form) {
            return out;
        }
        out.append(nb::make_tuple(form->name, form->version, form->targets, (bool)by_version,
                                  form->evidence));
    }
}

/* (finding or None, what map alone takes it or None). */
nb::tuple judge(const std::string &text, nb::handle target) {
    const tma_ptx_statement s = read_statement(text);
    const tma_target on = read_target(target);
    tma_position at = {};
    tma_finding why = {};
    const char *but = nullptr;
    const uint32_t unknown = tma_ptx_position(&at, &s);
    const tma_status status = tma_ptx_judge(&s, &at, unknown, &on, &why, &but);
    return nb::make_tuple(status == TMA_OK ? nb::object(nb::none()) : nb::cast(Finding{why}),
                          but ? nb::object(nb::str(but)) : nb::object(nb::none()));
}

/* What a register holds, cut to nothing: ValueError where the operand has not the bits. */
template <typename T>
T register_value(const tma_ptx_operand &o, nb::dict registers, const char *what) {
    const std::string name(o.name, o.length);
    if (!registers.contains(name.c_str())) {
        throw nb::value_error(
            (std::string("registers: no value for '") + name + "', " + what).c_str());
    }
    const nb::object given =
        nb::steal<nb::object>(PyNumber_Index(nb::object(registers[name.c_str()]).ptr()));
    if (!given.is_valid()) {
        throw nb::python_error();
    }
    const long long value = PyLong_AsLongLong(given.ptr());
    if (value == -1 && PyErr_Occurred()) {
        throw nb::python_error();
    }
    long long sum = 0;
    if (__builtin_add_overflow(value, (long long)o.value, &sum) || (long long)(T)sum != sum) {
        throw nb::value_error((std::string("registers: ") + name + " = " + std::to_string(sum) +
                               ", " + what + ": an operand of " + std::to_string(8 * sizeof(T)) +
                               " bits")
                                  .c_str());
    }
    return (T)sum;
}

/* An operand of .override as a number: itself, or what its register holds. */
template <typename T> void resolve(tma_ptx_operand *o, nb::dict registers, const char *what) {
    if (o->kind == TMA_PTX_NAME) {
        o->value = (int64_t)register_value<T>(*o, registers, what);
        o->kind = TMA_PTX_NUMBER;
    }
}

/* The map that the copy reads: d, or where the statement overrides some of it, `own` with the bytes
 * that tma_override() makes of d's. */
Descriptor &overridden(Descriptor &d, nb::handle self, tma_ptx_statement s, const Request &r,
                       nb::dict registers, Descriptor *own) {
    if (!s.in.overrides) {
        return d;
    }
    resolve<int64_t>(&s.over_address, registers, "gAddrToOverride");
    for (tma_ptx_operand &size : s.over_size) {
        resolve<uint8_t>(&size, registers, "tensorSizeToOverride");
    }
    for (tma_ptx_operand &stride : s.over_lower) {
        resolve<uint32_t>(&stride, registers, "tensorLowerStrideToOverride");
    }
    resolve<uint16_t>(&s.over_upper, registers, "tensorUpperStrideToOverride");
    tma_override_operands known = {};
    if (!tma_ptx_override(&known, &s)) {
        throw nb::value_error("text: an operand of .override that is an expression");
    }
    tma_finding why = {};
    const tma_status status = tma_ptx_map(own->bytes(), d.bytes(), &s, &d.target, &why);
    if (status != TMA_OK) {
        raise_request(status, why, self, r);
    }
    own->target = d.target;
    own->owner = d.owner;
    own->dtype = d.dtype;
    own->own = d.own;
    return *own;
}

/* An instruction string as a request: its immediates, and what the registers hold. */
Request ptx_request(const Descriptor &d, const std::string &text, nb::dict registers) {
    Request r;
    tma_plan plan;
    tma_error error;
    uint32_t unknown = 0;
    const tma_status status = tma_ptx_plan(&plan, &r.at, &unknown, text.data(), text.size(),
                                           d.bytes(), &d.target, &error, nullptr);
    if (status != TMA_OK && error.text[0]) {
        throw nb::value_error(error.text);
    }
    const tma_ptx_statement s = read_statement(text);
    r.instruction = s.in;
    r.coordinates = s.coords;
    for (uint32_t i = 0; i < s.coords; i++) {
        if (unknown & TMA_PTX_UNKNOWN_COORD << i) {
            r.at.coord[i] = register_value<int32_t>(s.coord[i], registers, "a coordinate");
        }
    }
    for (uint32_t i = 0; i < s.offsets; i++) {
        if (unknown & TMA_PTX_UNKNOWN_OFFSET << i) {
            r.at.offset[i] = register_value<uint16_t>(s.offset[i], registers, "an im2col offset");
        }
    }
    if (unknown & TMA_PTX_UNKNOWN_SHARED) {
        r.at.shared_address =
            register_value<uint32_t>(s.shared, registers, "the address in shared memory");
    }
    if (unknown & TMA_PTX_UNKNOWN_MASK) {
        r.instruction.cta_mask = s.in.mask_bits == 32
                                     ? register_value<uint32_t>(s.mask, registers, "ctaMask")
                                     : register_value<uint16_t>(s.mask, registers, "ctaMask");
    }
    return r;
}

nb::dict ptx_report(nb::handle self, const std::string &text, nb::dict registers) {
    Descriptor &d = read_object<Descriptor>(self, "a tensor map");
    const Request r = ptx_request(d, text, registers);
    Descriptor own;
    return report_of(overridden(d, self, read_statement(text), r, registers, &own), self, r);
}

/* Runs it. `windows` has the shared memory of each CTA of the cluster, the first one's first; all
 * begin at one shared address. */
void ptx_run(nb::handle self, const std::string &text, nb::dict registers, nb::handle memory,
             nb::sequence windows, uint32_t window_address) {
    Descriptor &given = read_object<Descriptor>(self, "a tensor map");
    const Request r = ptx_request(given, text, registers);
    Descriptor own;
    Descriptor &d = overridden(given, self, read_statement(text), r, registers, &own);
    const std::shared_ptr<const Plans> plans = plans_that_run(d, self, r);
    const uint32_t op = r.instruction.op;
    if (op == TMA_OP_PREFETCH) {
        return; /* it moves nothing, and it runs */
    }
    std::vector<std::unique_ptr<Held>> held;
    std::vector<tma_window> shared;
    for (nb::handle window : windows) {
        held.push_back(std::make_unique<Held>(window, op == TMA_OP_LOAD, "shared"));
        if ((uint64_t)held.back()->view.len > UINT32_MAX) {
            throw nb::value_error("shared: larger than any shared memory");
        }
        tma_window w = {};
        w.address = window_address;
        w.size_B = (uint32_t)held.back()->view.len;
        w.host = held.back()->view.buf;
        shared.push_back(w);
    }
    if (shared.empty()) {
        throw nb::value_error("shared: none given, and this instruction reads or writes it");
    }
    const GlobalMemory global(d, memory, op != TMA_OP_LOAD);
    tma_finding why = {};
    tma_status status = TMA_OK;
    {
        const nb::gil_scoped_release unlocked;
        status = r.instruction.cta_mask
                     ? tma_copy_multicast(&plans->real, &r.at, &global.as, shared.data(),
                                          shared.size(), &why)
                     : tma_copy(&plans->real, &r.at, &global.as, shared.data(), &why);
    }
    if (status != TMA_OK) {
        raise_request(status, why, self, r);
    }
}

/* What the load's barrier reports of the tensor's bytes: "no", "yes", "perhaps". */
const char *ptx_inspect(nb::handle self, const std::string &text, nb::dict registers,
                        nb::handle memory) {
    Descriptor &given = read_object<Descriptor>(self, "a tensor map");
    const Request r = ptx_request(given, text, registers);
    Descriptor own;
    Descriptor &d = overridden(given, self, read_statement(text), r, registers, &own);
    const std::shared_ptr<const Plans> plans = plans_that_run(d, self, r);
    const GlobalMemory global(d, memory, false);
    uint32_t answer = 0;
    tma_finding why = {};
    const tma_status status = tma_inspect(&answer, &plans->real, &r.at, &global.as, &why);
    if (status != TMA_OK) {
        raise_request(status, why, self, r);
    }
    return tma_inspect_name(answer);
}

} // namespace

void bind_ptx(nb::module_ &m) {
    using namespace nb::literals;
    m.def(
        "ptx_parse", [](const std::string &text) { return statement_dict(read_statement(text)); },
        "text"_a);
    m.def("ptx_statements", statements, "text"_a);
    m.def("ptx_lacks", lacks, "text"_a, "target"_a.none(), "version"_a);
    m.def("ptx_judge", judge, "text"_a, "target"_a.none());
    m.def("ptx_report", ptx_report, "descriptor"_a, "text"_a, "registers"_a);
    m.def("ptx_inspect", ptx_inspect, "descriptor"_a, "text"_a, "registers"_a, "memory"_a.none());
    m.def("ptx_run", ptx_run, "descriptor"_a, "text"_a, "registers"_a, "memory"_a.none(),
          "windows"_a, "window_address"_a);
}

} // namespace libtma
