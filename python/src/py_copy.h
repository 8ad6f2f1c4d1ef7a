/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies between the memory of tensors and tiles.
 */
#ifndef LIBTMA_PYTHON_COPY_H
#define LIBTMA_PYTHON_COPY_H

#include <nanobind/nanobind.h>

#include <vector>

#include "py_descriptor.h"
#include "tma/tma.h"

namespace libtma {

namespace nb = nanobind;

/* Host bytes that stand for ranges of device addresses; keeps what holds them alive. */
class Memory {
  public:
    Memory() = default;
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    ~Memory();
    /* The bytes of `data` at a device address. ValueError where ranges would overlap. */
    void map(uint64_t address, nb::handle data);
    std::vector<tma_range> ranges;
    bool all_writable = true;

  private:
    std::vector<Py_buffer> buffers;
};

void bind_copy(nb::module_ &m, nb::class_<Descriptor> &type);

} // namespace libtma

#endif
