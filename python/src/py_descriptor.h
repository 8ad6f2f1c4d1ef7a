/* SPDX-License-Identifier: Apache-2.0
 *
 * The 128 bytes as a Python object: storage of their own, aligned to 128 bytes, beside the object.
 */
#ifndef LIBTMA_PYTHON_DESCRIPTOR_H
#define LIBTMA_PYTHON_DESCRIPTOR_H

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "py_argument.h"
#include "py_tensor.h"
#include "tma/tma.h"

namespace libtma {

/* One instruction against the map: as it is, and without its swizzle, whose copies leave the tile
 * in its logical order. Made once, then kept until the bytes change. */
struct Plans {
    tma_instruction made_for = {};
    tma_plan real;
    tma_plan flat;
};

/* The bytes of the tensor that a descriptor was made of, once a copy needed them. */
struct Own {
    Own() = default;
    Own(const Own &) = delete;
    Own &operator=(const Own &) = delete;
    ~Own() {
        drop();
    }
    void hold(nb::handle owner, const tma_range &bytes, bool may_write);
    void drop();
    bool held = false;
    bool writable = false;
    tma_range range = {};
    Py_buffer buffer = {};
};

/* A map's bytes, aligned as it is, out of the allocator's plain path: the aligned one takes longer
 * than the encoding. */
class Storage {
  public:
    Storage() : room(new uint8_t[sizeof(tma_map) + alignof(tma_map)]) {
        const uintptr_t past = (uintptr_t)room.get() % alignof(tma_map);
        at = room.get() + alignof(tma_map) - past;
    }
    uint8_t *at;

  private:
    std::unique_ptr<uint8_t[]> room;
};

struct Descriptor {
    Storage map;
    tma_target target = {};
    nb::object owner;  /* the tensor, kept alive; None if there is none */
    std::string dtype; /* the tensor's own, which the 128 bytes do not hold: "float8_e4m3fn" */

    std::shared_ptr<Own> own; /* a copy that another thread makes holds it, too */
    int own_mode = -1;        /* tma_mode that the map has by itself; -1: nobody asked */
    uint32_t own_rank = 0;    /* what it decodes to, once somebody asked; 0: nothing */

    /* *status is TMA_OK, or says with *why that there is no such copy; then there are none. */
    std::shared_ptr<const Plans> plans_for(const tma_instruction &instruction, tma_status *status,
                                           tma_finding *why);
    void forget_plans();
    /* An array for one load of the map's own mode; None where _remember_tile() has not said how one
     * is made since the map was last changed. */
    nb::object new_tile();
    void remember_tile(nb::handle make, nb::handle arguments);
    uint8_t *bytes() {
        return map.at;
    }
    const uint8_t *bytes() const {
        return map.at;
    }

  private:
    nb::ft_mutex lock; /* of the plans, where threads run without the interpreter's lock */
    std::shared_ptr<const Plans> plans;
    nb::object tile_maker, tile_arguments; /* numpy.empty, (shape, dtype) */
};

/* A new object of `type`, a subclass of T, with room for its 128 bytes. */
template <typename T> nb::object make(nb::handle type, const tma_target &target, T **out) {
    if (!PyType_Check(type.ptr()) ||
        !PyType_IsSubtype((PyTypeObject *)type.ptr(), (PyTypeObject *)nb::type<T>().ptr())) {
        throw nb::type_error(
            ("cls: a class of tensor maps is wanted, not '" + class_name(type) + "'").c_str());
    }
    nb::object object = nb::inst_alloc(type);
    T *d = new (nb::inst_ptr<T>(object)) T();
    nb::inst_mark_ready(object);
    d->target = target;
    *out = d;
    return object;
}

nb::class_<Descriptor> bind_descriptor(nb::module_ &m);

} // namespace libtma

#endif
