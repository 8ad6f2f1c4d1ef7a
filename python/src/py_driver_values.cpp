/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments as cuda.bindings takes them: held beside it by tests/test_driver.py.
 */
#include "py_driver_values.h"

#include <atomic>

#include "tma/tma.h"

namespace libtma {

namespace {

std::atomic<bool> plain_integers{false};
/* The usual cases, asked without a search: this module's numbers and cuda.bindings' own. */
template <unsigned bits> PyObject *own_type = nullptr;
template <unsigned bits> std::atomic<PyObject *> binding_type{nullptr};

std::string at(const std::string &argument, size_t i) {
    return argument + "[" + std::to_string(i) + "]";
}

[[noreturn]] void no_integer(nb::handle value, const std::string &argument) {
    fail(PyExc_TypeError, argument + ": an integer is required, not '" + type_words(value) + "'");
}

/* value.__int__(), of whoever has it. */
nb::object as_integer(nb::handle value, const std::string &argument) {
    if (!has_number(value)) {
        no_integer(value, argument);
    }
    nb::object number = nb::steal<nb::object>(PyNumber_Long(value.ptr()));
    if (!number.is_valid()) {
        throw nb::python_error();
    }
    return number;
}

std::string number_words(nb::handle number) {
    return nb::str(number).c_str();
}

[[noreturn]] void wrong_kind(nb::handle value, unsigned bits, const std::string &argument) {
    const std::string wanted = "cuuint" + std::to_string(bits) + "_t";
    std::string text = argument + ": Cannot convert " + type_words(value) + " to " + wanted;
    if (PyLong_Check(value.ptr())) {
        text += ": pass driver." + wanted + "(" + number_words(value) +
                "), as cuda.bindings wants it, or call libtma.driver.lenient() first";
    }
    fail(PyExc_TypeError, text);
}

template <unsigned bits> uint64_t number_in_list(nb::handle value, const char *argument, size_t i) {
    const bool same = (PyObject *)Py_TYPE(value.ptr()) == own_type<bits>;
    if ((same || nb::isinstance<Number<bits>>(value)) && nb::inst_ready(value)) {
        return nb::inst_ptr<Number<bits>>(value)->value;
    }
    const char *wanted = bits == 32 ? "cuuint32_t" : "cuuint64_t";
    if ((PyObject *)Py_TYPE(value.ptr()) == binding_type<bits>) {
        return unsigned_number(value, bits, argument);
    }
    if (is_binding(value, wanted) && !binding_type<bits>) {
        binding_type<bits> = value.type().inc_ref().ptr(); /* looked for once; never given back */
    }
    if (is_binding(value, wanted) || (takes_plain_integers() && has_number(value))) {
        return unsigned_number(value, bits, at(argument, i));
    }
    wrong_kind(value, bits, at(argument, i));
}

/* A list that ends before what the driver reads of it. */
void check_length(size_t count, size_t wanted, const char *argument) {
    if (count < wanted) {
        fail(PyExc_ValueError, std::string(argument) + ": " + std::to_string(count) +
                                   (count == 1 ? " entry" : " entries") +
                                   ", this tensorRank reads " + std::to_string(wanted) +
                                   ": the driver would read memory that is not the list's");
    }
}

/* init_value of a cuuint32_t or cuuint64_t. */
template <unsigned bits> void make_number(Number<bits> *self, nb::handle init_value) {
    new (self) Number<bits>{unsigned_number(init_value, bits, "init_value")};
}

template <unsigned bits> void bind_number(nb::module_ &m, const char *name, const char *words) {
    const std::string head = std::string("<") + name + " ";
    nb::class_<Number<bits>> type(m, name, words);
    own_type<bits> = type.ptr();
    type.def("__init__", make_number<bits>, nb::arg("init_value") = 0)
        .def("__int__", [](const Number<bits> &n) { return n.value; })
        .def("__repr__",
             [head](const Number<bits> &n) {
                 return nb::str((head + std::to_string(n.value) + ">").c_str());
             })
        .def(
            "getPtr", [](const Number<bits> &n) { return (uintptr_t)&n.value; },
            "Address of the number in host memory.")
        .def("__reduce__", [](nb::handle self) {
            const uint64_t value = unsigned_number(self, bits, "self");
            return nb::make_tuple(self.type(), nb::make_tuple(value));
        });
}

} // namespace

bool takes_plain_integers() {
    return plain_integers.load(std::memory_order_relaxed);
}

void take_plain_integers(bool on) {
    plain_integers.store(on, std::memory_order_relaxed);
}

void fail(PyObject *kind, const std::string &text) {
    PyErr_SetString(kind, text.c_str());
    throw nb::python_error();
}

std::string type_words(nb::handle value) {
    const nb::handle type = value.type();
    const std::string module = nb::str(nb::getattr(type, "__module__", nb::str(""))).c_str();
    const std::string name = nb::str(nb::handle(type).attr("__name__")).c_str();
    return module.rfind("cuda.bindings", 0) == 0 ? module + "." + name : name;
}

bool is_binding(nb::handle value, const char *name) {
    const nb::object modules = nb::borrow(nb::module_::import_("sys").attr("modules"));
    const nb::object module = modules.attr("get")("cuda.bindings.driver");
    if (module.is_none()) {
        return false;
    }
    const nb::object type = nb::getattr(module, name, nb::none());
    return !type.is_none() && PyObject_IsInstance(value.ptr(), type.ptr()) == 1;
}

bool has_number(nb::handle value) {
    return PyLong_Check(value.ptr()) ||
           PyType_GetSlot((PyTypeObject *)value.type().ptr(), Py_nb_int) != nullptr;
}

uint64_t unsigned_number(nb::handle value, unsigned bits, const std::string &argument) {
    if (bits == 32 && (PyObject *)Py_TYPE(value.ptr()) == own_type<32> && nb::inst_ready(value)) {
        return nb::inst_ptr<Number<32>>(value)->value;
    }
    const nb::object number =
        PyLong_Check(value.ptr()) ? nb::borrow(value) : as_integer(value, argument);
    const uint64_t out = PyLong_AsUnsignedLongLong(number.ptr());
    if (out == UINT64_MAX && PyErr_Occurred()) {
        PyErr_Clear();
        fail(PyExc_OverflowError, argument + " = " + number_words(number) + ": does not fit uint" +
                                      std::to_string(bits) + "_t");
    }
    if (bits < 64 && out >> bits) {
        fail(PyExc_OverflowError, argument + " = " + number_words(number) +
                                      ": value too large to convert to uint" +
                                      std::to_string(bits) + "_t");
    }
    return out;
}

int32_t signed_number(nb::handle value, const std::string &argument) {
    const nb::object number =
        PyLong_Check(value.ptr()) ? nb::borrow(value) : as_integer(value, argument);
    const long long out = PyLong_AsLongLong(number.ptr());
    if ((out == -1 && PyErr_Occurred()) || out != (int32_t)out) {
        PyErr_Clear();
        fail(PyExc_OverflowError,
             argument + " = " + number_words(number) + ": value too large to convert to int");
    }
    return (int32_t)out;
}

void check_enumerator(nb::handle value, const char *argument) {
    if (value.is_none()) {
        fail(PyExc_TypeError, std::string("Argument '") + argument + "' must not be None");
    }
}

uint32_t enumerator(nb::handle value, const char *argument) {
    const nb::object number = PyLong_Check(value.ptr())
                                  ? nb::borrow(value)
                                  : nb::steal<nb::object>(PyNumber_Long(value.ptr()));
    if (!number.is_valid()) {
        nb::python_error error;
        fail(error.type().ptr(), std::string(argument) + ": " + nb::str(error.value()).c_str());
    }
    const long long out = PyLong_AsLongLong(number.ptr());
    const bool wide = out == -1 && PyErr_Occurred();
    if (wide || out < 0 || out > UINT32_MAX) { /* cuda.bindings for 3.11 lets small ones through */
        PyErr_Clear();
        fail(PyExc_OverflowError, std::string(argument) + " = " + number_words(number) +
                                      ": does not fit an enumeration's 32 bits");
    }
    return (uint32_t)out;
}

uint64_t void_pointer(nb::handle value, const char *argument) {
    if (value.is_none()) {
        return 0;
    }
    if (has_number(value)) {
        const nb::object number = nb::steal<nb::object>(PyNumber_Long(value.ptr()));
        const uint64_t out = number.is_valid() ? PyLong_AsUnsignedLongLong(number.ptr()) : 0;
        if (!PyErr_Occurred()) {
            return out;
        }
        PyErr_Clear();
    }
    if (PyObject_CheckBuffer(value.ptr())) {
        Py_buffer view;
        if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_SIMPLE) != 0) {
            throw nb::python_error();
        }
        const uint64_t address = (uint64_t)(uintptr_t)view.buf;
        PyBuffer_Release(&view);
        return address;
    }
    fail(PyExc_TypeError,
         std::string(argument) + ": " + type_words(value) +
             (PyLong_Check(value.ptr()) ? " " + number_words(value) : std::string()) +
             ": expected None, an int of 64 unsigned bits or an object with the "
             "buffer protocol");
}

template <unsigned bits, typename T>
bool number_list(T *out, uint32_t room, size_t wanted, nb::handle values, const char *argument) {
    if (values.is_none()) {
        return false;
    }
    const Py_ssize_t count = PyObject_Size(values.ptr());
    if (count < 0) {
        throw nb::python_error();
    }
    if (count > TMA_MAX_RANK) {
        fail(PyExc_ValueError, std::string("Argument '") + argument +
                                   "' too long, must be <= " + std::to_string(TMA_MAX_RANK));
    }
    const bool plain = PyList_CheckExact(values.ptr()) || PyTuple_CheckExact(values.ptr());
    for (Py_ssize_t i = 0; i < count; i++) {
        const nb::object value =
            plain ? nb::steal<nb::object>(PySequence_GetItem(values.ptr(), i))
                  : nb::steal<nb::object>(PyObject_GetItem(values.ptr(), nb::int_(i).ptr()));
        if (!value.is_valid()) {
            throw nb::python_error();
        }
        const uint64_t number = number_in_list<bits>(value, argument, (size_t)i);
        if ((uint32_t)i < room) {
            out[i] = (T)number;
        }
    }
    if (count) {
        check_length((size_t)count, wanted, argument);
    }
    return count != 0;
}

template bool number_list<32>(uint32_t *, uint32_t, size_t, nb::handle, const char *);
template bool number_list<64>(uint64_t *, uint32_t, size_t, nb::handle, const char *);

bool integer_list(int32_t *out, uint32_t room, size_t wanted, nb::handle values,
                  const char *argument) {
    if (values.is_none()) {
        return false;
    }
    const nb::object all = nb::steal<nb::object>(PySequence_List(values.ptr()));
    if (!all.is_valid()) {
        throw nb::python_error();
    }
    const size_t count = nb::len(all);
    for (size_t i = 0; i < count; i++) {
        const nb::object value = all[i];
        const bool is_plain = PyLong_Check(value.ptr());
        if (!is_plain && !(takes_plain_integers() && has_number(value))) {
            fail(PyExc_TypeError, std::string("Argument '") + argument +
                                      "' is not instance of type (expected tuple[int] or "
                                      "list[int]): entry " +
                                      std::to_string(i) + " is '" + type_words(value) + "'");
        }
        const int32_t number = signed_number(value, at(argument, i));
        if (i < room) {
            out[i] = number;
        }
    }
    if (count) {
        check_length(count, wanted, argument);
    }
    return count != 0;
}

void bind_driver_numbers(nb::module_ &m) {
    bind_number<32>(
        m, "cuuint32_t",
        "cuda.bindings' 32-bit number: int() reads it, and it is no integer.\n\n"
        "Parameters\n----------\ninit_value : int\n    From 0 to 2**32 - 1. OverflowError "
        "otherwise.");
    bind_number<64>(
        m, "cuuint64_t",
        "cuda.bindings' 64-bit number: int() reads it, and it is no integer.\n\n"
        "Parameters\n----------\ninit_value : int\n    From 0 to 2**64 - 1. OverflowError "
        "otherwise.");
}

} // namespace libtma
