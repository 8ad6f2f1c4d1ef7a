/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings as Python objects, and the exceptions that carry them.
 */
#ifndef LIBTMA_PYTHON_FINDING_H
#define LIBTMA_PYTHON_FINDING_H

#include <nanobind/nanobind.h>

#include <string>

#include "tma/tma.h"

namespace libtma {

namespace nb = nanobind;

/* One broken rule; the words are asked of the library when they are read. */
struct Finding {
    tma_finding raw;
};

/* All that a spec breaks on a target, as a tuple. */
nb::tuple check_spec(const tma_spec &spec, const tma_target &target);

/* Raise libtma.TensorMapError with all findings of a refused spec; libtma.TensorMapTrap (or what
 * the status means else) for a copy that does not run, and what would ("" where that is not known).
 */
[[noreturn]] void raise_refused(const tma_spec &spec, const tma_target &target);
[[noreturn]] void raise_copy(tma_status status, const tma_finding &why, nb::handle descriptor,
                             nb::handle position, const std::string &remedy = "");

/* The same TensorMapError, set and not thrown, which takes half of the time: a function that
 * returns what this gives has raised it. The caller has the dimensions in `stride_order`, or None.
 */
nb::object refused(const tma_spec &spec, const tma_target &target, nb::handle stride_order);

void bind_finding(nb::module_ &m);

} // namespace libtma

#endif
