/* SPDX-License-Identifier: Apache-2.0
 *
 * Python's words for the library's numbers: enumerators, element types, targets.
 */
#ifndef LIBTMA_PYTHON_WORDS_H
#define LIBTMA_PYTHON_WORDS_H

#include <nanobind/nanobind.h>

#include "tma/tma.h"

namespace libtma {

namespace nb = nanobind;

/* The driver's number that `value` means: a member of the enumeration, a number, or a word that
 * the library knows. None gives `otherwise`. ValueError names `argument` and the words there are.
 */
uint32_t read_enum(nb::handle value, tma_enum_kind kind, const char *argument, uint32_t otherwise);

/* The same for element types, which are also named by the dtypes of NumPy, ml_dtypes and PyTorch.
 */
uint32_t read_dtype(nb::handle value, const char *argument);

/* For a tensor's own dtype by name; ValueError where several storages are possible. */
uint32_t dtype_of_name(const std::string &name);

/* None is sm_90 with the driver that the library knows best. */
tma_target read_target(nb::handle value);

void bind_words(nb::module_ &m);

} // namespace libtma

#endif
