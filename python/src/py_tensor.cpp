/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors of NumPy, PyTorch, CuPy, JAX and others, by the protocols that they share.
 */
#include "py_tensor.h"

#include <nanobind/ndarray.h>

namespace libtma {

namespace {

[[noreturn]] void no_tensor(nb::handle object) {
    const nb::str type =
        nb::borrow<nb::str>(nb::handle((PyObject *)Py_TYPE(object.ptr())).attr("__name__"));
    throw nb::type_error((std::string("'") + type.c_str() +
                          "' is no tensor: none of the buffer protocol, data_ptr(), "
                          "__cuda_array_interface__, __array_interface__, __dlpack__ and "
                          "libtma.TensorSpec")
                             .c_str());
}

void check_rank(size_t rank) {
    if (rank > (size_t)max_dims) {
        throw nb::value_error(
            ("a tensor of " + std::to_string(rank) + " dimensions: tensor maps have 1 to 5")
                .c_str());
    }
}

/* Names of the one-character formats of Python's struct module, for this machine's sizes. */
const char *format_name(const char *format, Py_ssize_t itemsize_B) {
    if (!format) {
        return "uint8"; /* what the buffer protocol says of a missing format */
    }
    if (*format == '<' || *format == '=' || *format == '@' || *format == '|') {
        format++;
    }
    if (*format == 0 || format[1] != 0) {
        return nullptr;
    }
    static const char *const unsigneds[] = {"uint8", "uint16", nullptr, "uint32"};
    static const char *const signeds[] = {"int8", "int16", nullptr, "int32"};
    switch (*format) {
    case '?':
        return "bool";
    case 'c':
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
        return itemsize_B == 8 ? "uint64" : itemsize_B <= 4 ? unsigneds[itemsize_B - 1] : nullptr;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
        return itemsize_B == 8 ? "int64" : itemsize_B <= 4 ? signeds[itemsize_B - 1] : nullptr;
    case 'e':
        return "float16";
    case 'f':
        return "float32";
    case 'd':
        return "float64";
    default:
        return nullptr;
    }
}

/* Strides in bytes to strides in elements; they must be whole ones. */
int64_t whole_elements(int64_t stride_B, uint32_t itemsize_B) {
    if (itemsize_B == 0 || stride_B % (int64_t)itemsize_B) {
        throw nb::value_error(("a stride of " + std::to_string(stride_B) +
                               " B is no multiple of the element's " + std::to_string(itemsize_B) +
                               " B")
                                  .c_str());
    }
    return stride_B / (int64_t)itemsize_B;
}

void packed_strides(Tensor *t) {
    int64_t step = 1;
    for (int i = t->rank - 1; i >= 0; i--) {
        t->stride_el[i] = step;
        step *= t->shape[i];
    }
}

/* False if the object has no buffer, or one of a type that buffers cannot name (ml_dtypes). */
bool by_buffer(Tensor *t, PyObject *object) {
    Py_buffer view;
    if (!PyObject_CheckBuffer(object)) {
        return false;
    }
    if (PyObject_GetBuffer(object, &view, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
        PyErr_Clear();
        return false;
    }
    const char *name = format_name(view.format, view.itemsize);
    const bool known = name != nullptr && view.ndim <= max_dims;
    const size_t rank = (size_t)view.ndim;
    int64_t odd_B = 0;
    if (known) {
        t->address = (uint64_t)(uintptr_t)view.buf;
        t->rank = view.ndim;
        t->itemsize_B = (uint32_t)view.itemsize;
        t->on_host = true;
        t->writable = !view.readonly;
        t->dtype = name;
        for (int i = 0; i < view.ndim; i++) {
            t->shape[i] = view.shape[i];
            t->stride_el[i] = view.strides[i] / view.itemsize;
            odd_B = view.strides[i] % view.itemsize ? view.strides[i] : odd_B;
        }
    }
    PyBuffer_Release(&view);
    check_rank(rank);
    if (odd_B) {
        whole_elements(odd_B, t->itemsize_B); /* raises */
    }
    return known;
}

void read_shape(Tensor *t, nb::handle shape) {
    const size_t rank = nb::len(shape);
    check_rank(rank);
    t->rank = (int)rank;
    for (size_t i = 0; i < rank; i++) {
        t->shape[i] = nb::cast<int64_t>(shape[i]);
    }
}

/* PyTorch, and what answers as it does. */
bool by_data_ptr(Tensor *t, nb::handle object) {
    if (!nb::hasattr(object, "data_ptr") || !nb::hasattr(object, "stride")) {
        return false;
    }
    read_shape(t, object.attr("shape"));
    const nb::object strides = object.attr("stride")();
    for (int i = 0; i < t->rank; i++) {
        t->stride_el[i] = nb::cast<int64_t>(strides[i]);
    }
    t->address = nb::cast<uint64_t>(object.attr("data_ptr")());
    t->itemsize_B = nb::cast<uint32_t>(object.attr("element_size")());
    t->dtype = dtype_name(object.attr("dtype"));
    t->on_host = !nb::cast<bool>(nb::getattr(object, "is_cuda", nb::bool_(false)));
    t->writable = true;
    return true;
}

/* What kind and size mean: 'f' and 4 bytes are "float32". */
std::string kind_name(char kind, uint32_t itemsize_B) {
    const std::string bits = std::to_string(8 * itemsize_B);
    switch (kind) {
    case 'f':
        return "float" + bits;
    case 'i':
        return "int" + bits;
    case 'u':
        return "uint" + bits;
    case 'b':
        return "bool";
    default:
        return std::string(1, kind) + bits;
    }
}

char dlpack_kind(uint8_t code) {
    return code == (uint8_t)nb::dlpack::dtype_code::Float  ? 'f'
           : code == (uint8_t)nb::dlpack::dtype_code::Int  ? 'i'
           : code == (uint8_t)nb::dlpack::dtype_code::UInt ? 'u'
           : code == (uint8_t)nb::dlpack::dtype_code::Bool ? 'b'
                                                           : '?';
}

/* The two array interfaces have the same members. */
bool by_interface(Tensor *t, nb::handle object, const char *attribute, bool on_host) {
    if (!nb::hasattr(object, attribute)) {
        return false;
    }
    const nb::dict interface = nb::cast<nb::dict>(object.attr(attribute));
    const std::string type = nb::cast<std::string>(interface["typestr"]);
    const nb::object data = nb::borrow(interface["data"]);
    read_shape(t, interface["shape"]);
    t->itemsize_B = (uint32_t)std::stoul(type.substr(2));
    t->address = nb::cast<uint64_t>(data[0]);
    t->writable = !nb::cast<bool>(data[1]);
    t->on_host = on_host;
    t->dtype = nb::hasattr(object, "dtype") ? dtype_name(object.attr("dtype"))
                                            : kind_name(type[1], t->itemsize_B);
    const nb::object strides =
        interface.contains("strides") ? nb::borrow(interface["strides"]) : nb::object(nb::none());
    if (strides.is_none()) {
        packed_strides(t);
        return true;
    }
    for (int i = 0; i < t->rank; i++) {
        t->stride_el[i] = whole_elements(nb::cast<int64_t>(strides[i]), t->itemsize_B);
    }
    return true;
}

/* libtma.TensorSpec: a tensor that need not exist. Its element size is the dtype's. */
bool by_spec(Tensor *t, nb::handle object) {
    if (!nb::hasattr(object, "address") || !nb::hasattr(object, "shape") ||
        !nb::hasattr(object, "dtype")) {
        return false;
    }
    const nb::object strides = nb::getattr(object, "strides", nb::none());
    read_shape(t, object.attr("shape"));
    t->address = nb::cast<uint64_t>(object.attr("address"));
    t->dtype = dtype_name(object.attr("dtype"));
    if (strides.is_none()) {
        packed_strides(t);
        return true;
    }
    if (nb::len(strides) != (size_t)t->rank) {
        throw nb::value_error(("strides has " + std::to_string(nb::len(strides)) +
                               " entries, shape " + std::to_string(t->rank))
                                  .c_str());
    }
    for (int i = 0; i < t->rank; i++) {
        t->stride_el[i] = nb::cast<int64_t>(strides[i]);
    }
    return true;
}

/* DLPack, last because some producers do work for it. -1: the consumer synchronises nothing. */
bool by_dlpack(Tensor *t, nb::handle object) {
    if (!nb::hasattr(object, "__dlpack__")) {
        return false;
    }
    const nb::object device = object.attr("__dlpack_device__")();
    const int type = nb::cast<int>(device[0]);
    const bool host = type == nb::device::cpu::value || type == nb::device::cuda_host::value;
    const nb::object capsule =
        host ? object.attr("__dlpack__")() : object.attr("__dlpack__")(nb::arg("stream") = -1);
    const auto array = nb::cast<nb::ndarray<nb::ro>>(capsule);
    check_rank(array.ndim());
    t->rank = (int)array.ndim();
    t->address = (uint64_t)(uintptr_t)array.data();
    t->itemsize_B = (uint32_t)array.itemsize();
    t->on_host = host;
    t->dtype = nb::hasattr(object, "dtype")
                   ? dtype_name(object.attr("dtype"))
                   : kind_name(dlpack_kind(array.dtype().code), t->itemsize_B);
    for (int i = 0; i < t->rank; i++) {
        t->shape[i] = (int64_t)array.shape((size_t)i);
        t->stride_el[i] = array.stride((size_t)i);
    }
    return true;
}

} // namespace

std::string dtype_name(nb::handle dtype) {
    if (nb::isinstance<nb::str>(dtype)) {
        return nb::cast<std::string>(dtype);
    }
    if (PyType_Check(dtype.ptr())) { /* numpy.float16, ml_dtypes.bfloat16 */
        return nb::cast<std::string>(dtype.attr("__name__"));
    }
    if (nb::hasattr(dtype, "name")) { /* dtype('float16') */
        return nb::cast<std::string>(dtype.attr("name"));
    }
    const std::string text = nb::cast<std::string>(nb::str(dtype)); /* torch.float16 */
    return text.substr(text.rfind('.') + 1);
}

Tensor read_tensor(nb::handle object) {
    Tensor t;
    if (by_buffer(&t, object.ptr()) || by_data_ptr(&t, object) ||
        by_interface(&t, object, "__cuda_array_interface__", false) ||
        by_interface(&t, object, "__array_interface__", true) || by_spec(&t, object) ||
        by_dlpack(&t, object)) {
        return t;
    }
    no_tensor(object);
}

} // namespace libtma
