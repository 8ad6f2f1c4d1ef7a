/* SPDX-License-Identifier: Apache-2.0
 *
 * New objects of Descriptor's subclasses, Python's and ours.
 */
#ifndef LIBTMA_PYTHON_MAKE_H
#define LIBTMA_PYTHON_MAKE_H

#include "py_descriptor.h"

namespace libtma {

namespace nb = nanobind;

/* A new object of `type`, with room for its 128 bytes. */
template <typename T> nb::object make(nb::handle type, const tma_target &target, T **out) {
    nb::object object = nb::inst_alloc(type);
    T *d = new (nb::inst_ptr<T>(object)) T();
    nb::inst_mark_ready(object);
    d->target = target;
    *out = d;
    return object;
}

} // namespace libtma

#endif
