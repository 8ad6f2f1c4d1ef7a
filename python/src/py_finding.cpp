/* SPDX-License-Identifier: Apache-2.0
 *
 * What a finding says, in the library's words.
 */
#include "py_finding.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "py_spec.h"

namespace libtma {

namespace {

/* Calls a function of the library that writes text as snprintf does. */
template <typename Write> std::string text_of(Write write) {
    std::string text(256, '\0');
    size_t length = write(&text[0], text.size());
    if (length >= text.size()) {
        text.resize(length + 1);
        length = write(&text[0], text.size());
    }
    text.resize(length);
    return text;
}

const tma_rule &rule_of(const Finding &f) {
    return *tma_rule_of(f.raw.rule);
}

std::string finding_text(const Finding &f) {
    return text_of([&](char *at, size_t size) { return tma_finding_text(at, size, &f.raw); });
}

std::string finding_given(const Finding &f) {
    return text_of([&](char *at, size_t size) { return tma_finding_given(at, size, &f.raw); });
}

/* Signed arguments come as two's complement. */
bool is_signed(const tma_finding &f) {
    return f.argument == TMA_ARG_LOWER || f.argument == TMA_ARG_UPPER ||
           f.argument == TMA_ARG_COORD || f.unit == TMA_UNIT_PX;
}

nb::object number(const tma_finding &f, uint64_t value) {
    return is_signed(f) ? nb::int_((int64_t)value) : nb::int_(value);
}

nb::object exception(const char *name) {
    const nb::object module = nb::steal(
        PyImport_GetModule(nb::str("libtma._errors").ptr())); /* no search, as import has */
    return (module.is_valid() ? module : nb::object(nb::module_::import_("libtma._errors")))
        .attr(name);
}

void set(const nb::object &instance) {
    PyErr_SetObject(instance.type().ptr(), instance.ptr());
}

} // namespace

nb::tuple check_spec(const tma_spec &spec, const tma_target &target) {
    std::array<tma_finding, 64> raw; // more than a spec can break at once
    const size_t count = std::min(raw.size(), tma_check(raw.data(), raw.size(), &spec, &target));
    nb::list out;
    for (size_t i = 0; i < count; i++) {
        out.append(nb::cast(Finding{raw[i]}));
    }
    return nb::tuple(out);
}

nb::object refused(const tma_spec &spec, const tma_target &target, nb::handle stride_order) {
    set(exception("TensorMapError")(check_spec(spec, target), spec_dict(spec), stride_order));
    return nb::object();
}

void raise_refused(const tma_spec &spec, const tma_target &target) {
    refused(spec, target, nb::none());
    throw nb::python_error();
}

void raise_copy(tma_status status, const tma_finding &why, nb::handle descriptor,
                nb::handle position, const std::string &remedy) {
    const char *name = status == TMA_TRAP     ? "TensorMapTrap"
                       : status == TMA_MEMORY ? "TensorMapMemoryError"
                                              : "TensorMapInstructionError";
    set(exception(name)(nb::cast(Finding{why}), descriptor, position, remedy));
    throw nb::python_error();
}

void bind_finding(nb::module_ &m) {
    nb::class_<Finding>(m, "Finding", "One rule that a tensor map or a copy breaks.")
        .def_prop_ro(
            "rule", [](const Finding &f) { return rule_of(f).name; },
            "The rule's name: what `tma explain` takes.")
        .def_prop_ro(
            "severity", [](const Finding &f) { return tma_severity_name(f.raw.severity); },
            "'refused' by the driver, 'faults' when used, or 'surprising'.")
        .def_prop_ro(
            "standing", [](const Finding &f) { return tma_standing_name(f.raw.standing); },
            "What the rule stands on, for the target that was asked about.")
        .def_prop_ro(
            "argument", [](const Finding &f) { return tma_argument_name(f.raw.argument); },
            "The argument as cuda.h names it: 'boxDim'.")
        .def_prop_ro(
            "index",
            [](const Finding &f) -> nb::object {
                return f.raw.index < 0 ? nb::object(nb::none()) : nb::int_(f.raw.index);
            },
            nb::sig("def index(self, /) -> int | None"),
            "Which entry, innermost first as the driver counts; None if not an array.")
        .def_prop_ro("given", finding_given, "The argument as it was passed, in words.")
        .def_prop_ro(
            "value", [](const Finding &f) { return number(f.raw, f.raw.value); },
            nb::sig("def value(self, /) -> int"), "The number that the rule looks at, in `unit`.")
        .def_prop_ro(
            "limit", [](const Finding &f) { return number(f.raw, f.raw.limit); },
            nb::sig("def limit(self, /) -> int"),
            "The number that `value` is held against, in `unit`.")
        .def_prop_ro(
            "allowed",
            [](const Finding &f) {
                return std::string(tma_relation_name(f.raw.relation)) + " " +
                       nb::cast<std::string>(nb::str(number(f.raw, f.raw.limit)));
            },
            "How `value` should stand to `limit`: 'at most 128'.")
        .def_prop_ro(
            "legal",
            [](const Finding &f) -> nb::object {
                return f.raw.has_legal ? number(f.raw, f.raw.legal) : nb::object(nb::none());
            },
            nb::sig("def legal(self, /) -> int | None"),
            "A value near the given one that the rule would take, if there is one.")
        .def_prop_ro(
            "unit", [](const Finding &f) { return tma_unit_name(f.raw.unit); },
            "Of `value`, `limit` and `legal`: 'B', 'el', 'px'; '' of plain numbers.")
        .def_prop_ro(
            "statement", [](const Finding &f) { return rule_of(f).statement; },
            "The rule, in one sentence.")
        .def_prop_ro(
            "source", [](const Finding &f) { return rule_of(f).source; },
            "Document and section; '' if no document has the rule.")
        .def_prop_ro(
            "evidence", [](const Finding &f) { return rule_of(f).evidence; },
            "Who has seen it: drivers, GPUs, compilers.")
        .def("__str__", finding_text)
        .def("__repr__",
             [](const Finding &f) {
                 return std::string("<Finding ") + rule_of(f).name + ": " + finding_text(f) + ">";
             })
        .def("__getstate__",
             [](const Finding &f) { return nb::bytes((const char *)&f.raw, sizeof(f.raw)); })
        .def("__setstate__", [](Finding &f, nb::bytes state) {
            new (&f) Finding{};
            if (state.size() != sizeof(f.raw)) {
                throw nb::value_error("a finding of another version of libtma");
            }
            memcpy(&f.raw, state.c_str(), sizeof(f.raw));
            if (!tma_rule_of(f.raw.rule)) {
                f.raw = tma_finding{};
                throw nb::value_error("this version of libtma has no such rule");
            }
        });
}

} // namespace libtma
