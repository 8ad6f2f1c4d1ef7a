/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensor instructions as PTX text: read, judged, run against a descriptor.
 */
#ifndef LIBTMA_PYTHON_PTX_H
#define LIBTMA_PYTHON_PTX_H

#include <nanobind/nanobind.h>

namespace libtma {

void bind_ptx(nanobind::module_ &m);
void bind_ptx_file(nanobind::module_ &m); /* py_ptx_file.cpp */

} // namespace libtma

#endif
