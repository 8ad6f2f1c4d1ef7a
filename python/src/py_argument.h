/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments out of Python's objects: what cannot be read is named, with its value and its limits.
 */
#ifndef LIBTMA_PYTHON_ARGUMENT_H
#define LIBTMA_PYTHON_ARGUMENT_H

#include <nanobind/nanobind.h>

#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>

namespace libtma {

namespace nb = nanobind;

inline std::string class_name(nb::handle object) {
    return nb::str(nb::handle((PyObject *)Py_TYPE(object.ptr())).attr("__name__")).c_str();
}

/* An integer, or what stands for one (__index__), that `T` holds. */
template <typename T> T read_integer(nb::handle value, const std::string &argument) {
    const nb::object number = nb::steal<nb::object>(PyNumber_Index(value.ptr()));
    if (!number.is_valid()) {
        PyErr_Clear();
        throw nb::type_error(
            (argument + ": an integer is wanted, not '" + class_name(value) + "'").c_str());
    }
    T out = 0;
    if (!nb::try_cast<T>(number, out)) {
        throw nb::value_error((argument + " = " + nb::str(number).c_str() + ": not between " +
                               std::to_string(std::numeric_limits<T>::min()) + " and " +
                               std::to_string(std::numeric_limits<T>::max()))
                                  .c_str());
    }
    return out;
}

/* A string's text. One with half of a surrogate pair has none. */
inline std::string read_text(nb::handle text, const std::string &argument) {
    Py_ssize_t length = 0;
    const char *bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &length);
    if (!bytes) {
        PyErr_Clear();
        throw nb::value_error((argument + ": this is no text that UTF-8 can say").c_str());
    }
    return std::string(bytes, (size_t)length);
}

/* The word as the libraries take words: a null character would end it there, unseen. */
inline const char *read_word(const std::string &word, const char *argument) {
    if (word.find('\0') != std::string::npos) {
        throw nb::value_error(
            (std::string(argument) + ": '" + word.c_str() + "' has a null character behind it")
                .c_str());
    }
    return word.c_str();
}

/* An object of one of this module's types; one that __new__ made alone is none. */
template <typename T> T &read_object(nb::handle object, const char *wanted) {
    if (!nb::isinstance<T>(object) || !nb::inst_ready(object)) {
        throw nb::type_error((std::string(wanted) + " is wanted, not '" + class_name(object) +
                              (nb::isinstance<T>(object) ? "' that was never made" : "'"))
                                 .c_str());
    }
    return *nb::inst_ptr<T>(object);
}

/* A container of Python's: nb::dict, nb::tuple. */
template <typename T> T read_container(nb::handle object, const char *wanted) {
    if (!nb::isinstance<T>(object)) {
        throw nb::type_error(
            (std::string(wanted) + " is wanted, not '" + class_name(object) + "'").c_str());
    }
    return nb::borrow<T>(object);
}

/* For arguments that no function takes: its last overload. Raises a TypeError that names the
 * unknown keyword and the nearest of `names`. */
[[noreturn]] inline void refuse_call(const char *function,
                                     std::initializer_list<const char *> names,
                                     const nb::args &given, const nb::kwargs &named) {
    nb::list known;
    for (const char *name : names) {
        known.append(name);
    }
    const nb::object text = nb::module_::import_("libtma._spelling")
                                .attr("refused")(function, known, given.size(), named);
    throw nb::type_error(nb::borrow<nb::str>(text).c_str());
}

} // namespace libtma

#endif
