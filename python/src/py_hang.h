/* SPDX-License-Identifier: Apache-2.0
 *
 * GPU core dumps.
 */
#ifndef LIBTMA_PYTHON_HANG_H
#define LIBTMA_PYTHON_HANG_H

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace libtma {

void bind_hang(nanobind::module_ &m);

} // namespace libtma

#endif
