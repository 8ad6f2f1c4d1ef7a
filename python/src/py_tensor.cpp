/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors of NumPy, PyTorch, CuPy, JAX and others, by the protocols that they share.
 */
#include "py_tensor.h"

#include <nanobind/ndarray.h>

#include <memory>

#include "py_argument.h"
#include "tma/grammar.h"
#include "tma/synonyms.h"
#include "tma/type_traits.h"

namespace libtma {

namespace {

[[noreturn]] void no_tensor(nb::handle object) {
    const nb::str type =
        nb::borrow<nb::str>(nb::handle((PyObject *)Py_TYPE(object.ptr())).attr("__name__"));
    throw nb::type_error((std::string("'") + type.c_str() +
                          "' is no tensor: none of the buffer protocol, data_ptr(), "
                          "__cuda_array_interface__, __array_interface__, __dlpack__ and "
                          "libtma.TensorSpec; numpy.asarray() makes one of numbers")
                             .c_str());
}

void check_rank(size_t rank) {
    if (rank > (size_t)max_dims) {
        throw nb::value_error(
            ("a tensor of " + std::to_string(rank) + " dimensions: tensor maps have 1 to 5")
                .c_str());
    }
}

/* A tensor's bytes are in a GPU's order, the smaller ones first. `order` is that of Python's struct
 * module or of NumPy's dtypes; elements of one byte have none. */
void check_order(char order, uint64_t itemsize_B) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const bool big = order != '<' && order != '|';
#else
    const bool big = order == '>' || order == '!';
#endif
    if (big && itemsize_B > 1) {
        throw nb::value_error("dtype: its elements are big-endian, a GPU's are little-endian: copy "
                              "the tensor, in NumPy with .astype(t.dtype.newbyteorder('<'))");
    }
}

/* Names of the one-character formats of Python's struct module, for this machine's sizes. */
const char *format_name(const char *format, Py_ssize_t itemsize_B) {
    if (!format) {
        return "uint8"; /* what the buffer protocol says of a missing format */
    }
    if (*format == '>' || *format == '!' || *format == '<' || *format == '=' || *format == '@' ||
        *format == '|') {
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

bool is_true(nb::handle value) {
    const int is = PyObject_IsTrue(value.ptr());
    if (is < 0) {
        throw nb::python_error();
    }
    return is != 0;
}

void packed_strides(Tensor *t) {
    int64_t step = 1;
    for (int i = t->rank - 1; i >= 0; i--) {
        t->stride_el[i] = step;
        if (i && __builtin_mul_overflow(step, t->shape[i], &step)) {
            throw nb::value_error("shape: the tensor's strides do not fit 64 bits");
        }
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
    const std::unique_ptr<Py_buffer, void (*)(Py_buffer *)> held(&view, PyBuffer_Release);
    return tensor_of_view(t, view);
}

int64_t read_stride(const nb::object &strides, int i) {
    return read_integer<int64_t>(strides[i], "strides[" + std::to_string(i) + "]");
}

void read_shape(Tensor *t, nb::handle shape) {
    const size_t rank = nb::len(shape);
    check_rank(rank);
    t->rank = (int)rank;
    for (size_t i = 0; i < rank; i++) {
        t->shape[i] = read_integer<int64_t>(shape[i], "shape[" + std::to_string(i) + "]");
        if (t->shape[i] < 0) {
            throw nb::value_error(("shape[" + std::to_string(i) +
                                   "] = " + std::to_string(t->shape[i]) + ": must be 0 or more")
                                      .c_str());
        }
    }
}

void check_strides(const Tensor &t, const nb::object &strides) {
    if (nb::len(strides) != (size_t)t.rank) {
        throw nb::value_error(("strides has " + std::to_string(nb::len(strides)) +
                               " entries, shape " + std::to_string(t.rank))
                                  .c_str());
    }
}

/* What the tensor's own package says of why it has no memory, in our words. */
[[noreturn]] void no_memory(nb::handle object, const char *asked, const std::string &said) {
    const nb::str type =
        nb::borrow<nb::str>(nb::handle((PyObject *)Py_TYPE(object.ptr())).attr("__name__"));
    throw nb::value_error(("'" + std::string(type.c_str()) +
                           "' gives no memory that a map could describe: " + asked + " " + said +
                           ". A sparse, traced or fake tensor has none; libtma.TensorSpec(shape, "
                           "dtype) stands for a tensor that need not exist")
                              .c_str());
}

/* Calls `ask`; what it raises becomes a ValueError that says what it was asked for. */
template <typename Ask> nb::object asked_for(nb::handle object, const char *asked, Ask ask) {
    try {
        return ask();
    } catch (nb::python_error &error) {
        if (!error.matches(PyExc_Exception)) {
            throw;
        }
        no_memory(object, asked, "says \"" + std::string(nb::str(error.value()).c_str()) + "\"");
    }
}

uint64_t address_of(nb::handle object, const Tensor &t) {
    const nb::object pointer =
        asked_for(object, "data_ptr()", [&] { return object.attr("data_ptr")(); });
    const uint64_t address = read_integer<uint64_t>(pointer, "data_ptr()");
    bool is_empty = false;
    for (int i = 0; i < t.rank; i++) {
        is_empty = is_empty || t.shape[i] == 0;
    }
    if (!address && !is_empty) {
        no_memory(object, "data_ptr()", "is 0");
    }
    return address;
}

/* Whether a device that has a type has "cpu"; a package that says nothing is believed. */
bool is_of_host(nb::handle object) {
    const nb::object device = nb::getattr(object, "device", nb::none());
    const nb::object type = nb::getattr(device, "type", nb::none());
    return !nb::isinstance<nb::str>(type) || read_text(type, "device.type") == "cpu";
}

/* PyTorch, and what answers as it does. */
bool by_data_ptr(Tensor *t, nb::handle object) {
    if (!nb::hasattr(object, "data_ptr") || !nb::hasattr(object, "stride")) {
        return false;
    }
    if (is_true(nb::getattr(object, "is_meta", nb::bool_(false)))) {
        throw nb::value_error("a tensor on the meta device has no memory, so no map: "
                              "libtma.TensorSpec(shape, dtype) stands for one that need not exist");
    }
    read_shape(t, object.attr("shape"));
    const nb::object strides =
        asked_for(object, "stride()", [&] { return object.attr("stride")(); });
    check_strides(*t, strides);
    for (int i = 0; i < t->rank; i++) {
        t->stride_el[i] = read_stride(strides, i);
    }
    t->address = address_of(object, *t);
    t->itemsize_B = read_integer<uint32_t>(object.attr("element_size")(), "element_size()");
    t->dtype = dtype_name(object.attr("dtype"));
    t->on_host = !is_true(nb::getattr(object, "is_cuda", nb::bool_(false)));
    t->on_host = t->on_host && is_of_host(object);
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

/* "<f4": the order, the kind, the bytes. */
void read_typestr(Tensor *t, nb::handle object, nb::handle word) {
    const std::string type = nb::isinstance<nb::str>(word) ? read_text(word, "typestr") : "";
    const size_t digits = type.find_first_not_of("0123456789", 2);
    if (type.size() < 3 || type.size() > 6 || digits != std::string::npos) {
        throw nb::value_error(("dtype (typestr): elements of '" + type +
                               "' are no numbers that a GPU has, such as '<f4'")
                                  .c_str());
    }
    t->itemsize_B = (uint32_t)std::stoul(type.substr(2));
    check_order(type[0], t->itemsize_B);
    t->dtype = nb::hasattr(object, "dtype") ? dtype_name(object.attr("dtype"))
                                            : kind_name(type[1], t->itemsize_B);
}

char dlpack_kind(uint8_t code) {
    return code == (uint8_t)nb::dlpack::dtype_code::Float  ? 'f'
           : code == (uint8_t)nb::dlpack::dtype_code::Int  ? 'i'
           : code == (uint8_t)nb::dlpack::dtype_code::UInt ? 'u'
           : code == (uint8_t)nb::dlpack::dtype_code::Bool ? 'b'
                                                           : '?';
}

nb::object member(const nb::dict &interface, const char *name) {
    if (!interface.contains(name)) {
        throw nb::value_error(
            ("tensor: its array interface has no '" + std::string(name) + "'").c_str());
    }
    return nb::borrow(interface[name]);
}

/* The two array interfaces have the same members. */
bool by_interface(Tensor *t, nb::handle object, const char *attribute, bool on_host) {
    if (!nb::hasattr(object, attribute)) {
        return false;
    }
    const nb::dict interface =
        read_container<nb::dict>(object.attr(attribute), "a dictionary as an array's interface");
    const nb::tuple data = read_container<nb::tuple>(member(interface, "data"),
                                                     "(address, read-only) as an array's data");
    if (nb::len(data) != 2) {
        throw nb::value_error("data: (address, read-only) is wanted");
    }
    read_shape(t, member(interface, "shape"));
    read_typestr(t, object, member(interface, "typestr"));
    t->address = read_integer<uint64_t>(data[0], "data[0]");
    t->writable = !is_true(data[1]);
    t->on_host = on_host;
    const nb::object strides =
        interface.contains("strides") ? nb::borrow(interface["strides"]) : nb::object(nb::none());
    if (strides.is_none()) {
        packed_strides(t);
        return true;
    }
    check_strides(*t, strides);
    for (int i = 0; i < t->rank; i++) {
        t->stride_el[i] = whole_elements(read_stride(strides, i), t->itemsize_B);
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
    t->address = read_integer<uint64_t>(object.attr("address"), "address");
    t->dtype = dtype_name(object.attr("dtype"));
    if (strides.is_none()) {
        packed_strides(t);
        return true;
    }
    check_strides(*t, strides);
    for (int i = 0; i < t->rank; i++) {
        t->stride_el[i] = read_stride(strides, i);
    }
    return true;
}

/* A capsule's tensor from DLPack 1.0 on: the version and flags stand before it. */
struct VersionedTensor {
    uint32_t major, minor;
    void *context;
    void (*deleter)(VersionedTensor *);
    uint64_t flags;
    nb::dlpack::dltensor tensor;
};
constexpr uint64_t dlpack_read_only = 1, dlpack_is_copy = 2;

/* The capsule of the newest form that the exporter has. -1: the consumer synchronises nothing. */
nb::object dlpack_capsule(nb::handle object, bool host) {
    const nb::object stream = host ? nb::object(nb::none()) : nb::object(nb::int_(-1));
    const nb::object ask = object.attr("__dlpack__");
    try {
        return ask(nb::arg("stream") = stream, nb::arg("max_version") = nb::make_tuple(1, 1));
    } catch (nb::python_error &error) {
        if (!error.matches(PyExc_TypeError)) { /* which those from before 1.0 raise */
            throw;
        }
    }
    return host ? ask() : ask(nb::arg("stream") = stream);
}

/* The tensor in a capsule, which is read and not consumed: it frees itself. */
const nb::dlpack::dltensor *dlpack_tensor(Tensor *t, nb::handle capsule) {
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
        t->writable = true; /* this form has no read-only tensors */
        return (const nb::dlpack::dltensor *)PyCapsule_GetPointer(capsule.ptr(), "dltensor");
    }
    if (!PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
        throw nb::value_error("__dlpack__(): no tensor is in what it gave");
    }
    const VersionedTensor *v =
        (const VersionedTensor *)PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned");
    if (v->major > 1) {
        throw nb::value_error(
            ("__dlpack__(): DLPack " + std::to_string(v->major) + ", and version 1 was asked for")
                .c_str());
    }
    t->writable = !(v->flags & dlpack_read_only);
    t->is_copy = (v->flags & dlpack_is_copy) != 0;
    return &v->tensor;
}

/* Last because some producers do work for it. What came is kept: its memory may be its own. */
bool by_dlpack(Tensor *t, nb::handle object) {
    if (!nb::hasattr(object, "__dlpack__")) {
        return false;
    }
    const nb::object device = asked_for(object, "__dlpack_device__()",
                                        [&] { return object.attr("__dlpack_device__")(); });
    const int type = read_integer<int32_t>(device[0], "__dlpack_device__()[0]");
    t->on_host = type == nb::device::cpu::value || type == nb::device::cuda_host::value;
    t->owner =
        asked_for(object, "__dlpack__()", [&] { return dlpack_capsule(object, t->on_host); });
    const nb::dlpack::dltensor *from = dlpack_tensor(t, t->owner);
    const uint32_t bits = (uint32_t)from->dtype.bits * from->dtype.lanes;
    check_rank((size_t)(from->ndim < 0 ? max_dims + 1 : from->ndim));
    if (!bits || bits % 8) {
        throw nb::value_error(("__dlpack__(): elements of " + std::to_string(bits) +
                               " bits, must be whole bytes: pass the packed elements as uint8")
                                  .c_str());
    }
    t->rank = from->ndim;
    t->address = (uint64_t)(uintptr_t)from->data + from->byte_offset;
    t->itemsize_B = bits / 8;
    t->dtype = nb::hasattr(object, "dtype") ? dtype_name(object.attr("dtype"))
                                            : kind_name(dlpack_kind(from->dtype.code), bits / 8);
    for (int i = 0; i < t->rank; i++) {
        t->shape[i] = from->shape[i];
        t->stride_el[i] = from->strides ? from->strides[i] : 0;
    }
    if (!from->strides) {
        packed_strides(t);
    }
    return true;
}

} // namespace

std::string dtype_name(nb::handle dtype) {
    nb::object name = nb::borrow(dtype);
    if (PyType_Check(dtype.ptr())) { /* numpy.float16, ml_dtypes.bfloat16 */
        name = dtype.attr("__name__");
    } else if (nb::hasattr(dtype, "name")) { /* dtype('float16') */
        name = dtype.attr("name");
    }
    if (nb::hasattr(dtype, "byteorder") && nb::hasattr(dtype, "itemsize")) { /* NumPy's */
        const nb::object order = dtype.attr("byteorder");
        const nb::object itemsize_B = dtype.attr("itemsize");
        if (nb::isinstance<nb::str>(order) && PyLong_Check(itemsize_B.ptr())) {
            check_order(*nb::borrow<nb::str>(order).c_str(),
                        read_integer<uint64_t>(itemsize_B, "itemsize"));
        }
    }
    const bool is_word = nb::isinstance<nb::str>(name);
    const std::string text = read_text(nb::str(name), "dtype"); /* torch.float16 */
    return is_word ? text : text.substr(text.rfind('.') + 1);
}

bool tensor_of_view(Tensor *t, const Py_buffer &view) {
    const char *name = format_name(view.format, view.itemsize);
    check_rank((size_t)view.ndim);
    check_order(view.format ? *view.format : '|', (uint64_t)view.itemsize);
    if (!name) {
        return false;
    }
    t->address = (uint64_t)(uintptr_t)view.buf;
    t->rank = view.ndim;
    t->itemsize_B = (uint32_t)view.itemsize;
    t->on_host = true;
    t->writable = !view.readonly;
    t->dtype = name;
    for (int i = 0; i < view.ndim; i++) {
        t->shape[i] = view.shape[i];
    }
    if (!view.strides) { /* ctypes' arrays leave them out, whatever is asked for: packed */
        packed_strides(t);
        return true;
    }
    for (int i = 0; i < view.ndim; i++) {
        t->stride_el[i] = whole_elements(view.strides[i], t->itemsize_B);
    }
    return true;
}

bool is_contiguous(const Tensor &t) {
    int64_t step = 1;
    for (int i = t.rank - 1; i >= 0; i--) {
        if (t.shape[i] > 1 && t.stride_el[i] != step) {
            return false;
        }
        step *= t.shape[i];
    }
    return true;
}

std::string shape_words(const Tensor &t) {
    std::string words = "(";
    for (int i = 0; i < t.rank; i++) {
        words += (i ? ", " : "") + std::to_string(t.shape[i]);
    }
    return words + (t.rank == 1 ? ",)" : ")");
}

/* ml_dtypes and what follows it keep an element of fewer than 8 bits in a byte of its own; a map's
 * lie side by side. PyTorch's float4_e2m1fn_x2 names two in a byte. */
static void check_packed(const Tensor &t) {
    const tma_enum_row *row =
        t.itemsize_B == 1 && t.dtype.find("_x2") == std::string::npos
            ? tma_enum_synonym(TMA_ENUM_DTYPE, t.dtype.c_str(), t.dtype.size())
            : nullptr;
    const uint32_t bits = row && row->driver >= 0 ? tma_dtype_bits((uint32_t)row->driver) : 8;
    if (bits && bits < 8) {
        throw nb::type_error(("dtype: an element of '" + t.dtype +
                              "' takes a byte of its own here, and " + std::to_string(bits) +
                              " bits in a tensor map: pack the elements, and pass the uint8 "
                              "array with data_type=\"" +
                              row->name + "\"")
                                 .c_str());
    }
}

Tensor read_tensor(nb::handle object) {
    Tensor t;
    if (by_buffer(&t, object.ptr()) || by_data_ptr(&t, object) ||
        by_interface(&t, object, "__cuda_array_interface__", false) ||
        by_interface(&t, object, "__array_interface__", true) || by_spec(&t, object) ||
        by_dlpack(&t, object)) {
        check_packed(t);
        return t;
    }
    no_tensor(object);
}

} // namespace libtma
