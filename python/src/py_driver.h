/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda.bindings.driver's tensor map calls: its types, its exceptions.
 */
#ifndef LIBTMA_PYTHON_DRIVER_H
#define LIBTMA_PYTHON_DRIVER_H

#include "py_descriptor.h"

namespace libtma {

/* The driver's own object: equal to itself alone, with the sixteen words for assignment. */
struct CuTensorMap : Descriptor {};

/* The 128 bytes of a CUtensorMap of cuda.bindings, as 16 words in `opaque`; false: it is none. */
bool bytes_of_binding(nb::handle object, uint8_t out[TMA_MAP_BYTES]);

void bind_driver(nanobind::module_ &m, nb::class_<Descriptor> &base);

} // namespace libtma

#endif
