/* SPDX-License-Identifier: Apache-2.0
 *
 * What the package asks beside making maps and copying: readings, numbers, pictures.
 */
#ifndef LIBTMA_PYTHON_QUERIES_H
#define LIBTMA_PYTHON_QUERIES_H

#include <nanobind/nanobind.h>

namespace libtma {

void bind_queries(nanobind::module_ &m);

} // namespace libtma

#endif
