/* SPDX-License-Identifier: Apache-2.0
 *
 * One copy as Python asks for it: operation, mode, coordinates.
 */
#ifndef LIBTMA_PYTHON_REQUEST_H
#define LIBTMA_PYTHON_REQUEST_H

#include <nanobind/nanobind.h>

#include "py_descriptor.h"

namespace libtma {

struct Request {
    tma_instruction instruction = {};
    tma_position at = {};
    size_t coordinates = 0; /* that were given */
};

/* tma_op of PTX's name, or of the library's. */
uint32_t read_op(const std::string &word);

/* The same for one that reduces; ValueError names all of them. */
uint32_t read_reduction(const std::string &word);

/* `mode` may be None: the map's own; so may the coordinates: zeros. They come outermost first, as
 * Python has them, or innermost first, as PTX does. ValueError names what is out of range. */
Request read_request(Descriptor &d, uint32_t op, nb::handle mode, nb::handle coordinates,
                     bool outermost_first, nb::handle im2col_offsets, uint32_t shared_address);

/* The plans of a request that runs; raises what raise_copy() raises else. */
std::shared_ptr<const Plans> plans_that_run(Descriptor &d, nb::handle self, const Request &r);

/* Raises libtma.TensorMapTrap or one of its sisters. */
[[noreturn]] void raise_request(tma_status status, const tma_finding &why, nb::handle self,
                                const Request &r);

/* Warns of what a copy that runs may not have been meant to do; the line that is named stands so
 * many of Python's frames outside. */
void warn_of(const tma_plan &plan, const Request &r, int frames);

} // namespace libtma

#endif
