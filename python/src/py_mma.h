/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix descriptors of MMAs: made, read, compared with what a map's copy leaves.
 */
#ifndef LIBTMA_PYTHON_MMA_H
#define LIBTMA_PYTHON_MMA_H

#include <nanobind/nanobind.h>

namespace libtma {

void bind_mma(nanobind::module_ &m);

} // namespace libtma

#endif
