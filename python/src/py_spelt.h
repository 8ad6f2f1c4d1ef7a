/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions whose wrong calls are explained in Python.
 */
#ifndef LIBTMA_PYTHON_SPELT_H
#define LIBTMA_PYTHON_SPELT_H

#include <nanobind/nanobind.h>

namespace libtma {

namespace nb = nanobind;

/* __spelt__(own, explain), no name of the stub: calls own; of a TypeError explain(arguments, named,
 * error), which raises. */
void bind_spelt(nb::module_ &m);

} // namespace libtma

#endif
