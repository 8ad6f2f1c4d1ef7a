/* SPDX-License-Identifier: Apache-2.0
 *
 * A tensor and cuda.core's arguments, outermost dimension first, as the driver's arguments.
 */
#ifndef LIBTMA_PYTHON_SPEC_H
#define LIBTMA_PYTHON_SPEC_H

#include <nanobind/nanobind.h>

#include "py_tensor.h"
#include "tma/tma.h"

namespace libtma {

namespace nb = nanobind;

/* What all three encode calls take beside their box. */
struct Common {
    nb::handle element_strides, data_type, interleave, swizzle, l2_promotion, oob_fill;
    nb::handle stride_order;
};

/* `tensor` is whatever read_tensor() takes. The names of the arguments in messages are Python's. */
tma_spec tiled_spec(const Tensor &tensor, nb::handle box_dim, const Common &common);
tma_spec im2col_spec(const Tensor &tensor, nb::handle lower, nb::handle upper,
                     uint32_t channels_per_pixel, uint32_t pixels_per_column, const Common &common);
tma_spec wide_spec(const Tensor &tensor, int32_t lower_w, int32_t upper_w,
                   uint32_t channels_per_pixel, uint32_t pixels_per_column, nb::handle mode,
                   const Common &common);

/* A spec as Python sees it: a dict of the encode call's arguments, innermost first, in bytes. */
nb::dict spec_dict(const tma_spec &spec);

} // namespace libtma

#endif
