/* SPDX-License-Identifier: Apache-2.0
 *
 * What cuda.bindings takes as an argument, and what it raises else.
 */
#ifndef LIBTMA_PYTHON_DRIVER_VALUES_H
#define LIBTMA_PYTHON_DRIVER_VALUES_H

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <string>

namespace libtma {

namespace nb = nanobind;

/* cuda.bindings' cuuint32_t and cuuint64_t: no integers, but what holds one. */
template <unsigned bits> struct Number { uint64_t value; };

/* What is asked besides what cuda.bindings takes: plain integers in lists (driver.lenient()). */
bool takes_plain_integers();
void take_plain_integers(bool on);

[[noreturn]] void fail(PyObject *kind, const std::string &text);

/* "int", "cuda.bindings.driver.cuuint32_t" */
std::string type_words(nb::handle value);

/* An object of cuda.bindings.driver's class `name`, where somebody has imported it. */
bool is_binding(nb::handle value, const char *name);

/* As C takes an argument: an int, or what __int__ makes one; no text, no __index__ alone. */
bool has_number(nb::handle value);
uint64_t unsigned_number(nb::handle value, unsigned bits, const std::string &argument);
int32_t signed_number(nb::handle value, const std::string &argument);

/* An enumerator as the driver gets it: whatever int() takes but None. */
uint32_t enumerator(nb::handle value, const char *argument);
void check_enumerator(nb::handle value, const char *argument);

/* None, a number, or the address of a buffer. */
uint64_t void_pointer(nb::handle value, const char *argument);

/* A list of cuuint32_t or cuuint64_t; false: None or empty, a null pointer. ValueError where the
 * driver, which reads `wanted` entries, would read memory that is not the list's. */
template <unsigned bits, typename T>
bool number_list(T *out, uint32_t room, size_t wanted, nb::handle values, const char *argument);
/* The same of plain integers. */
bool integer_list(int32_t *out, uint32_t room, size_t wanted, nb::handle values,
                  const char *argument);

void bind_driver_numbers(nb::module_ &m);

} // namespace libtma

#endif
