/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX kernels executed on the CPU.
 */
#ifndef LIBTMA_PYTHON_EMULATE_H
#define LIBTMA_PYTHON_EMULATE_H

#include <nanobind/nanobind.h>

namespace libtma {

void bind_emulate(nanobind::module_ &m);

} // namespace libtma

#endif
