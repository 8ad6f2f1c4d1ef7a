/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies between the memory of tensors and tiles.
 */
#ifndef LIBTMA_PYTHON_COPY_H
#define LIBTMA_PYTHON_COPY_H

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "py_descriptor.h"
#include "py_tensor.h"
#include "tma/tma.h"

namespace libtma {

namespace nb = nanobind;

/* The bytes of any contiguous tensor on the host, held for the time of one call: of a buffer, or of
 * what read_tensor() takes. */
class Held {
  public:
    Held(nb::handle object, bool writable, const char *argument);
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;
    ~Held() {
        PyBuffer_Release(&view);
    }
    /* What it says of itself: shape and dtype. */
    Tensor describe() const;
    Py_buffer view = {}; /* of a tensor without a buffer: its bytes alone, released as nothing */

  private:
    nb::object of;
};

/* Host bytes that stand for ranges of device addresses; keeps what holds them alive. */
class Memory {
  public:
    Memory() = default;
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    /* The bytes of `data` at a device address. ValueError where ranges would overlap. */
    void map(uint64_t address, nb::handle data);
    /* As they are now: another thread's map() leaves what a copy is reading. */
    std::shared_ptr<const std::vector<tma_range>> ranges(bool *writable) const;
    size_t size() const;

  private:
    mutable nb::ft_mutex lock; /* where threads run without the interpreter's lock */
    std::shared_ptr<std::vector<tma_range>> mapped = std::make_shared<std::vector<tma_range>>();
    bool all_writable = true;
    std::vector<std::unique_ptr<Held>> buffers;
};

/* Where a copy's global memory is: in a Memory, or None: the descriptor's own tensor. Holds it, for
 * other threads run meanwhile. ValueError where there is none, or none that may be written. */
class GlobalMemory {
  public:
    GlobalMemory(Descriptor &d, nb::handle memory, bool writes);
    tma_global as = {};

  private:
    bool own_range(Descriptor &d, bool *writable);
    std::shared_ptr<const std::vector<tma_range>> ranges;
    nb::object owner;
    std::shared_ptr<const Own> own;
    tma_range range = {};
};

void bind_copy(nb::module_ &m, nb::class_<Descriptor> &type);

} // namespace libtma

#endif
