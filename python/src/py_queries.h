/* SPDX-License-Identifier: Apache-2.0
 *
 * What the package asks beside making maps and copying: readings, numbers, pictures.
 */
#ifndef LIBTMA_PYTHON_QUERIES_H
#define LIBTMA_PYTHON_QUERIES_H

#include <nanobind/nanobind.h>

#include <string>

#include "py_request.h"
#include "tma/draw.h"

namespace libtma {

/* What one copy moves, as TensorMapDescriptor.plan() says it; raises as the copy would. */
nanobind::dict report_of(Descriptor &d, nanobind::handle self, const Request &r);

/* The picture's file, SVG or PNG; false where it cannot be drawn. */
bool picture_of(std::string &file, const tma_drawing &drawing, bool as_png);

void bind_queries(nanobind::module_ &m);

} // namespace libtma

#endif
