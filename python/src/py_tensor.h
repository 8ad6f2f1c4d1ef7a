/* SPDX-License-Identifier: Apache-2.0
 *
 * Any Python tensor as an address, a shape and strides. Only metadata is read: no copy, no stream
 * synchronised, no package imported.
 */
#ifndef LIBTMA_PYTHON_TENSOR_H
#define LIBTMA_PYTHON_TENSOR_H

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

namespace libtma {

namespace nb = nanobind;

/* More dimensions than any map has, so that a tensor of too many is still named as such. */
constexpr int max_dims = 8;

/* Outermost dimension first, as Python has it. */
struct Tensor {
    uint64_t address = 0;
    int rank = 0;
    int64_t shape[max_dims] = {};
    int64_t stride_el[max_dims] = {}; /* elements of `itemsize_B` bytes */
    uint32_t itemsize_B = 0;
    std::string dtype; /* "float16", "float8_e4m3fn"; of any package's spelling */
    bool on_host = false;
    bool writable = false;
    bool is_copy = false; /* of what the package has: it does not see what is written there */
    nb::object owner; /* of the memory, where it is not the tensor itself: a capsule of DLPack */
};

/* Reads whatever `object` offers: the buffer protocol, data_ptr() (PyTorch), the array interfaces
 * of CUDA and NumPy, shape/dtype/address (TensorSpec), DLPack. Raises TypeError if it is no tensor,
 * ValueError if it is one that no map describes. */
Tensor read_tensor(nb::handle object);

/* The same of a view with strides; false for a format that is no element's. */
bool tensor_of_view(Tensor *tensor, const Py_buffer &view);

/* Its elements lie one behind the other, the last dimension fastest. */
bool is_contiguous(const Tensor &tensor);

/* "(64, 128)" */
std::string shape_words(const Tensor &tensor);

/* The name of a dtype of any package: numpy.float16, dtype('float16'), torch.float16, "float16". */
std::string dtype_name(nb::handle dtype);

} // namespace libtma

#endif
