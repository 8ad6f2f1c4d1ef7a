/* SPDX-License-Identifier: Apache-2.0
 *
 * Python's words for the library's numbers: enumerators, element types, targets.
 */
#ifndef LIBTMA_PYTHON_WORDS_H
#define LIBTMA_PYTHON_WORDS_H

#include <nanobind/nanobind.h>

#include "py_tensor.h"
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

/* Whether elements of a tensor may stand for a map's: of the same type, integers of the same size
 * whatever their sign, unsigned ones for floats that NumPy has not (bfloat16), bytes for packed
 * types. `own` is the name of the map's own tensor's, which its 128 bytes do not hold. */
bool elements_agree(const Tensor &tensor, uint32_t dtype, const std::string &own);

/* None is what set_target() said, else sm_90 with the driver that the library knows best. */
tma_target read_target(nb::handle value);

/* The readings of disputed questions that are not the documents', by name. */
nb::dict chosen_of(const tma_target &t);

void bind_words(nb::module_ &m);

} // namespace libtma

#endif
