/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes and strides turned round: Python's outermost-first elements to the driver's
 * innermost-first bytes.
 */
#include "py_spec.h"

#include <string>

#include "py_argument.h"
#include "py_words.h"

namespace libtma {

namespace {

std::string stride_name(int i) {
    return "strides[" + std::to_string(i) + "]";
}

/* order[0] is the tensor's innermost dimension, as CuTe's stride_order. */
void read_order(int order[max_dims], const Tensor &t, nb::handle stride_order) {
    for (int i = 0; i < t.rank; i++) {
        order[i] = t.rank - 1 - i;
    }
    if (stride_order.is_none()) {
        return;
    }
    unsigned seen = 0;
    if (!PySequence_Check(stride_order.ptr()) || nb::isinstance<nb::str>(stride_order)) {
        throw nb::type_error(
            "stride_order: a sequence of the tensor's dimensions, the innermost first, "
            "is wanted: (1, 0) is row-major, (0, 1) column-major");
    }
    if (nb::len(stride_order) != (size_t)t.rank) {
        throw nb::value_error(("stride_order has " + std::to_string(nb::len(stride_order)) +
                               " entries, the tensor " + std::to_string(t.rank) + " dimensions")
                                  .c_str());
    }
    for (int i = 0; i < t.rank; i++) {
        order[i] =
            read_integer<int32_t>(stride_order[i], "stride_order[" + std::to_string(i) + "]");
        if (order[i] < 0 || order[i] >= t.rank || seen >> order[i] & 1) {
            throw nb::value_error("stride_order: each of the tensor's dimensions once, the "
                                  "innermost first");
        }
        seen |= 1u << order[i];
    }
}

/* Elements of the map's type in the innermost dimension: packed types live in tensors of bytes. */
uint64_t inner_elements(const Tensor &t, uint64_t count, uint32_t bits) {
    const uint64_t stored_bit = count * t.itemsize_B * 8;
    if (bits % 8 == 0 || t.itemsize_B != 1) {
        return count;
    }
    if (stored_bit % bits) {
        throw nb::value_error(("the innermost dimension's " + std::to_string(count) +
                               " B hold no whole number of " + std::to_string(bits) +
                               "-bit elements")
                                  .c_str());
    }
    return stored_bit / bits;
}

void check_itemsize(const Tensor &t, uint32_t dtype, uint32_t bits) {
    const bool bytes_of_packed = bits % 8 != 0 && t.itemsize_B == 1;
    if (bits == 0 || t.itemsize_B == 0 || bytes_of_packed || bits == 8 * t.itemsize_B) {
        return; /* an unknown type is the rules' affair */
    }
    throw nb::value_error((std::string("data_type: elements of ") +
                           tma_enum_row_of(TMA_ENUM_DTYPE, dtype)->name + " have " +
                           std::to_string(bits) + " bits, the tensor's (" + t.dtype + ") " +
                           std::to_string(8 * t.itemsize_B) +
                           ": pass a type of as many bits, or a view of the tensor")
                              .c_str());
}

/* A stride in elements of `unit_bit` bits, in bytes; negative ones exist in NumPy, not in maps. */
uint64_t stride_B(int64_t stride_el, uint32_t unit_bit, int at) {
    if (stride_el < 0) {
        throw nb::value_error((stride_name(at) + " = " + std::to_string(stride_el) +
                               " elements: a tensor map holds no negative stride: pass a copy")
                                  .c_str());
    }
    if ((uint64_t)stride_el * unit_bit % 8) {
        throw nb::value_error((stride_name(at) + " = " + std::to_string(stride_el) +
                               " elements of " + std::to_string(unit_bit) +
                               " bits: no whole number of bytes")
                                  .c_str());
    }
    return (uint64_t)stride_el * unit_bit / 8;
}

uint32_t spec_rank(const Tensor &t) {
    return (uint32_t)(t.rank < TMA_MAX_RANK ? t.rank : TMA_MAX_RANK);
}

/* Reads a sequence of the tensor's rank, outermost first, into out, innermost first. */
template <typename T>
void read_reversed(T *out, nb::handle values, const Tensor &t, const int order[max_dims],
                   const char *name) {
    if (!PySequence_Check(values.ptr()) || nb::isinstance<nb::str>(values)) {
        throw nb::type_error((std::string(name) + ": a sequence of integers, one for each of the "
                                                  "tensor's dimensions, outermost first, is wanted")
                                 .c_str());
    }
    if (nb::len(values) != (size_t)t.rank) {
        throw nb::value_error((std::string(name) + " has " + std::to_string(nb::len(values)) +
                               " entries, the tensor " + std::to_string(t.rank) +
                               " dimensions: pass one for each, outermost first")
                                  .c_str());
    }
    for (uint32_t i = 0; i < spec_rank(t); i++) {
        out[i] = read_integer<T>(values[order[i]],
                                 std::string(name) + "[" + std::to_string(order[i]) + "]");
    }
}

/* The stride_order that takes the tensor as it lies; "" if no dimension is contiguous. */
std::string order_of_strides(const Tensor &t) {
    std::string words;
    int64_t below = 0;
    for (int count = 0; count < t.rank; count++) {
        int next = -1;
        for (int i = t.rank - 1; i >= 0; i--) {
            if (t.stride_el[i] > below && (next < 0 || t.stride_el[i] < t.stride_el[next])) {
                next = i;
            }
        }
        if (next < 0 || (count == 0 && t.stride_el[next] != 1)) {
            return "";
        }
        below = t.stride_el[next];
        words += (count ? ", " : "") + std::to_string(next);
    }
    return "(" + words + ")";
}

void read_innermost(const Tensor &t, const int order[max_dims]) {
    if (t.rank > 0 && t.shape[order[0]] > 1 && t.stride_el[order[0]] != 1) {
        const std::string lies = order_of_strides(t);
        throw nb::value_error((stride_name(order[0]) + " = " +
                               std::to_string(t.stride_el[order[0]]) +
                               " elements: a tensor map's innermost dimension is contiguous, its "
                               "stride is 1: pass " +
                               (lies.empty() ? "a contiguous copy"
                                             : "stride_order=" + lies + ", or a contiguous copy"))
                                  .c_str());
    }
}

tma_spec common_spec(const Tensor &t, uint32_t api, const Common &c, int order[max_dims]) {
    tma_spec s = {};
    read_order(order, t, c.stride_order);
    s.api = api;
    s.dtype = c.data_type.is_none() ? dtype_of_name(t.dtype) : read_dtype(c.data_type, "data_type");
    const uint32_t bits = tma_dtype_bits(s.dtype);
    const uint32_t unit_bit = t.itemsize_B ? 8 * t.itemsize_B : bits;
    check_itemsize(t, s.dtype, bits);
    read_innermost(t, order);
    s.rank = (uint32_t)t.rank;
    s.address = t.address;
    for (uint32_t i = 0; i < spec_rank(t); i++) {
        const uint64_t count = (uint64_t)t.shape[order[i]];
        s.dim_el[i] = i ? count : inner_elements(t, count, bits);
        s.element_stride[i] = 1;
        if (i > 0) {
            s.stride_B[i - 1] = stride_B(t.stride_el[order[i]], unit_bit, order[i]);
        }
    }
    if (!c.element_strides.is_none()) {
        read_reversed(s.element_stride, c.element_strides, t, order, "element_strides");
    }
    s.interleave = read_enum(c.interleave, TMA_ENUM_INTERLEAVE, "interleave", TMA_INTERLEAVE_NONE);
    s.swizzle = read_enum(c.swizzle, TMA_ENUM_SWIZZLE, "swizzle", TMA_SWIZZLE_NONE);
    s.l2 = read_enum(c.l2_promotion, TMA_ENUM_L2, "l2_promotion", TMA_L2_NONE);
    s.fill = read_enum(c.oob_fill, TMA_ENUM_FILL, "oob_fill", TMA_FILL_NONE);
    return s;
}

/* Corners come as the spatial dimensions do, outermost first: D, H, W. */
void read_corner(int32_t *out, nb::handle values, uint32_t rank, const char *name) {
    const size_t spatial = rank >= 3 ? (rank < TMA_MAX_RANK ? rank : TMA_MAX_RANK) - 2 : 0;
    if (!PySequence_Check(values.ptr()) || nb::isinstance<nb::str>(values)) {
        throw nb::type_error((std::string(name) + ": a sequence of " + std::to_string(spatial) +
                              " integers, outermost first, is wanted, not '" + class_name(values) +
                              "'")
                                 .c_str());
    }
    if (nb::len(values) != spatial) {
        throw nb::value_error((std::string(name) + " has " + std::to_string(nb::len(values)) +
                               " entries, the tensor " + std::to_string(spatial) +
                               " spatial dimensions")
                                  .c_str());
    }
    for (size_t i = 0; i < spatial; i++) {
        out[i] =
            read_integer<int32_t>(values[spatial - 1 - i],
                                  std::string(name) + "[" + std::to_string(spatial - 1 - i) + "]");
    }
}

template <typename T> nb::list list_of(const T *values, uint32_t count) {
    nb::list out;
    for (uint32_t i = 0; i < count; i++) {
        out.append(values[i]);
    }
    return out;
}

} // namespace

tma_spec tiled_spec(const Tensor &tensor, nb::handle box_dim, const Common &common) {
    int order[max_dims];
    tma_spec s = common_spec(tensor, TMA_API_TILED, common, order);
    if (box_dim.is_none()) {
        throw nb::type_error("box_dim is missing: pass it, or options");
    }
    read_reversed(s.box_el, box_dim, tensor, order, "box_dim");
    return s;
}

tma_spec im2col_spec(const Tensor &tensor, nb::handle lower, nb::handle upper,
                     uint32_t channels_per_pixel, uint32_t pixels_per_column,
                     const Common &common) {
    int order[max_dims];
    tma_spec s = common_spec(tensor, TMA_API_IM2COL, common, order);
    read_corner(s.lower_px, lower, s.rank, "pixel_box_lower_corner");
    read_corner(s.upper_px, upper, s.rank, "pixel_box_upper_corner");
    s.channels_per_pixel = channels_per_pixel;
    s.pixels_per_column = pixels_per_column;
    return s;
}

tma_spec wide_spec(const Tensor &tensor, int32_t lower_w, int32_t upper_w,
                   uint32_t channels_per_pixel, uint32_t pixels_per_column, nb::handle mode,
                   const Common &common) {
    int order[max_dims];
    tma_spec s = common_spec(tensor, TMA_API_WIDE, common, order);
    s.lower_px[0] = lower_w;
    s.upper_px[0] = upper_w;
    if (common.swizzle.is_none()) { /* cuda.core's default; without one no wide copy runs */
        s.swizzle = TMA_SWIZZLE_128B;
    }
    s.channels_per_pixel = channels_per_pixel;
    s.pixels_per_column = pixels_per_column;
    s.wide_mode = read_enum(mode, TMA_ENUM_WIDE_MODE, "mode", TMA_WIDE_W);
    return s;
}

nb::dict spec_dict(const tma_spec &s) {
    const uint32_t rank = s.rank < TMA_MAX_RANK ? s.rank : TMA_MAX_RANK;
    const uint32_t spatial = rank >= 3 ? rank - 2 : 0;
    nb::dict out;
    out["api"] = s.api;
    out["data_type"] = s.dtype;
    out["rank"] = s.rank;
    out["address"] = s.address;
    out["dim"] = list_of(s.dim_el, rank);
    out["stride_bytes"] = list_of(s.stride_B, rank ? rank - 1 : 0);
    out["element_strides"] = list_of(s.element_stride, rank);
    out["interleave"] = s.interleave;
    out["swizzle"] = s.swizzle;
    out["l2_promotion"] = s.l2;
    out["oob_fill"] = s.fill;
    if (s.api == TMA_API_TILED) {
        out["box_dim"] = list_of(s.box_el, rank);
    } else {
        out["pixel_box_lower_corner"] = list_of(s.lower_px, spatial);
        out["pixel_box_upper_corner"] = list_of(s.upper_px, spatial);
        out["channels_per_pixel"] = s.channels_per_pixel;
        out["pixels_per_column"] = s.pixels_per_column;
    }
    return out;
}

} // namespace libtma
