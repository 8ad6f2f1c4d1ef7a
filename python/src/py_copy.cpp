/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads, stores and reductions of one descriptor. The interpreter's lock is released while bytes
 * move.
 */
#include "py_copy.h"

#include <nanobind/stl/string.h>

#include <string>

#include "py_argument.h"
#include "py_descriptor.h"
#include "py_request.h"
#include "py_tensor.h"
#include "py_words.h"
#include "tma/grammar.h"

namespace libtma {

Held::Held(nb::handle object, bool writable, const char *argument) : of(nb::borrow(object)) {
    const int how = PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object.ptr(), &view, how | PyBUF_FORMAT) == 0) {
        return;
    }
    PyErr_Clear();
    if (PyObject_GetBuffer(object.ptr(), &view, how) == 0) { /* of a type that has no format */
        return;
    }
    PyErr_Clear();
    const std::string name = argument;
    const Tensor t = read_tensor(object);
    if (!t.on_host) {
        throw nb::type_error((name + ": this tensor is not in host memory: pass a copy that is, as "
                                     ".cpu() and cupy.asnumpy() make")
                                 .c_str());
    }
    if (writable && !t.writable) {
        throw nb::type_error((name + ": it is read-only: pass a writable tensor").c_str());
    }
    if (!is_contiguous(t)) {
        throw nb::type_error((name + ": its elements are not C-contiguous: pass a copy, as "
                                     "numpy.ascontiguousarray() makes")
                                 .c_str());
    }
    uint64_t count = 1;
    for (int i = 0; i < t.rank; i++) {
        count *= (uint64_t)t.shape[i];
    }
    view.buf = (void *)(uintptr_t)t.address;
    view.len = (Py_ssize_t)(count * t.itemsize_B);
    view.readonly = !t.writable;
}

Tensor Held::describe() const {
    Tensor t;
    if (view.obj && view.format && tensor_of_view(&t, view)) {
        return t;
    }
    return read_tensor(of);
}

namespace {

/* Writable if the object is. */
std::unique_ptr<Held> held_either(nb::handle data) {
    const std::unique_ptr<Held> first = std::make_unique<Held>(data, false, "data");
    return std::make_unique<Held>(data, !first->view.readonly, "data");
}

} // namespace

void Memory::map(uint64_t address, nb::handle data) {
    std::unique_ptr<Held> bytes = held_either(data);
    const Py_buffer &buffer = bytes->view;
    const uint64_t size_B = (uint64_t)buffer.len;
    const nb::ft_lock_guard held(lock);
    for (const tma_range &range : *mapped) {
        if (address < range.address + range.size_B && range.address < address + size_B) {
            throw nb::value_error(("address " + std::to_string(address) +
                                   ": this range overlaps the one at " +
                                   std::to_string(range.address))
                                      .c_str());
        }
    }
    if (mapped.use_count() > 1) { /* a copy of another thread reads it */
        mapped = std::make_shared<std::vector<tma_range>>(*mapped);
    }
    all_writable = all_writable && !buffer.readonly;
    mapped->push_back(tma_range{address, size_B, buffer.buf});
    buffers.push_back(std::move(bytes));
}

std::shared_ptr<const std::vector<tma_range>> Memory::ranges(bool *writable) const {
    const nb::ft_lock_guard held(lock);
    *writable = all_writable;
    return mapped;
}

size_t Memory::size() const {
    const nb::ft_lock_guard held(lock);
    return mapped->size();
}

/* The tensor's own host memory, for a descriptor that was made of one. A buffer is held from the
 * first copy on, so that nobody moves it; other tensors are asked each time. */
bool GlobalMemory::own_range(Descriptor &d, bool *writable) {
    if (!d.owner.is_valid() || d.owner.is_none()) {
        return false;
    }
    owner = d.owner;
    own = d.own;
    if (own && own->held) {
        range = own->range;
        *writable = own->writable;
        return true;
    }
    const Tensor t = read_tensor(owner);
    if (!t.on_host) {
        return false;
    }
    uint64_t last_el = 0;
    for (int i = 0; i < t.rank; i++) {
        if (t.shape[i] <= 0) {
            return false;
        }
        last_el += (uint64_t)(t.shape[i] - 1) * (uint64_t)t.stride_el[i];
    }
    range = tma_range{t.address, (last_el + 1) * t.itemsize_B, (void *)(uintptr_t)t.address};
    *writable = t.writable;
    const std::shared_ptr<Own> made = std::make_shared<Own>();
    made->hold(owner, range, t.writable);
    d.own = made;
    own = made;
    return true;
}

GlobalMemory::GlobalMemory(Descriptor &d, nb::handle memory, bool writes) {
    bool writable = true;
    if (!memory.is_none()) {
        owner = nb::isinstance<nb::dict>(memory) ? nb::type<Memory>()(memory) : nb::borrow(memory);
        const Memory &m = read_object<Memory>(
            owner, "memory: a libtma.Memory, or a dictionary {device address: bytes},");
        ranges = m.ranges(&writable);
        as.ranges = ranges->data();
        as.count = ranges->size();
    } else if (own_range(d, &writable)) {
        as.ranges = &range;
        as.count = 1;
    } else {
        throw nb::value_error("memory: this map's tensor is not in host memory; pass a "
                              "libtma.Memory that says which bytes stand for its addresses");
    }
    if (!writable && writes) {
        throw nb::value_error("memory: it is read-only, and this copy writes it");
    }
}

namespace {

/* What a tile looks like in its logical order. rank 0: bytes alone are known, as of packed types,
 * of slices and of modes whose halo is the instruction's. */
Tensor tile_of(const tma_plan_facts &facts) {
    Tensor t;
    t.dtype = tma_enum_row_of(TMA_ENUM_DTYPE, facts.dtype)->name;
    t.itemsize_B = facts.bits / 8;
    if (facts.group_el != 1 || facts.unit_B || tma_mode_is_wide(facts.mode)) {
        return t;
    }
    if (facts.mode == TMA_MODE_TILE) {
        t.rank = facts.rank;
        for (int i = 0; i < t.rank; i++) {
            t.shape[t.rank - 1 - i] = i ? facts.count[i] : facts.row_el;
        }
        return t;
    }
    t.rank = 2;
    t.shape[0] = facts.rows;
    t.shape[1] = facts.row_el;
    return t;
}

/* Extents of 1 hold nothing apart. */
bool same_shape(const Tensor &a, const Tensor &b) {
    int i = 0, j = 0;
    while (i < a.rank || j < b.rank) {
        if (i < a.rank && a.shape[i] == 1) {
            i++;
        } else if (j < b.rank && b.shape[j] == 1) {
            j++;
        } else if (i == a.rank || j == b.rank || a.shape[i++] != b.shape[j++]) {
            return false;
        }
    }
    return true;
}

void check_tile(const Held &held, const Descriptor &d, const tma_plan &plan, const char *argument) {
    const tma_plan_facts &facts = *tma_plan_info(&plan);
    const uint64_t wanted_B = (uint64_t)facts.rows * facts.pitch_B;
    const Tensor wanted = tile_of(facts), given = held.describe();
    const std::string name = argument;
    if (!elements_agree(given, facts.dtype, d.dtype)) {
        throw nb::type_error((name + ": its elements are " + given.dtype + ", the map's " +
                              wanted.dtype + "; raw=True takes bytes as shared memory has them")
                                 .c_str());
    }
    if (wanted.rank && !same_shape(given, wanted)) {
        throw nb::value_error((name + ": its shape is " + shape_words(given) + ", the box's " +
                               shape_words(wanted) +
                               "; raw=True takes bytes as shared memory has them")
                                  .c_str());
    }
    if (!tma_mode_is_wide(facts.mode) && (uint64_t)held.view.len != wanted_B) {
        throw nb::value_error((name + ": " + std::to_string(held.view.len) + " B, the tile has " +
                               std::to_string(wanted_B) + " B")
                                  .c_str());
    }
}

/* Below it a copy takes less time than giving the interpreter's lock away and back. */
const uint64_t release_from_B = 32768;

/* The bytes of shared memory that were given are too few. */
void check_window(const Held &held, const tma_plan &plan, const tma_position &at,
                  const char *argument) {
    tma_report_result moved = {};
    if (tma_plan_report(&moved, &plan, &at, nullptr) == TMA_OK &&
        (uint64_t)held.view.len < moved.footprint_B) {
        throw nb::value_error((std::string(argument) + ": " + std::to_string(held.view.len) +
                               " B, with raw=True this copy has " +
                               std::to_string(moved.footprint_B) + " B of shared memory")
                                  .c_str());
    }
}

struct How {
    nb::handle memory, mode, im2col_offsets;
    uint32_t shared_address;
    bool raw;
};

void copy(nb::handle self, uint32_t op, nb::handle offsets, nb::handle tile, const char *argument,
          const How &how) {
    Descriptor &d = read_object<Descriptor>(self, "a tensor map");
    const Request r =
        read_request(d, op, how.mode, offsets, true, how.im2col_offsets, how.shared_address);
    const std::shared_ptr<const Plans> plans = plans_that_run(d, self, r);
    const bool loads = op == TMA_OP_LOAD;
    const GlobalMemory global(d, how.memory, !loads);
    const Held held(tile, loads, argument);
    tma_position at = r.at;
    if (!how.raw) {
        check_tile(held, d, plans->flat, argument);
        at.shared_address = 0;
    } else if ((uint64_t)held.view.len > UINT32_MAX) {
        throw nb::value_error((std::string(argument) + ": larger than any shared memory").c_str());
    }
    tma_window window = {};
    window.address = at.shared_address;
    window.size_B = (uint32_t)held.view.len;
    window.host = held.view.buf;
    const tma_plan &plan = how.raw ? plans->real : plans->flat;
    tma_finding why = {};
    tma_status status = TMA_OK;
    if (tma_plan_info(&plan)->tx_B < release_from_B) {
        status = tma_copy(&plan, &at, &global.as, &window, &why);
    } else {
        const nb::gil_scoped_release unlocked;
        status = tma_copy(&plan, &at, &global.as, &window, &why);
    }
    if (status == TMA_MEMORY && how.raw) {
        check_window(held, plan, at, argument);
    }
    if (status != TMA_OK) {
        raise_request(status, why, self, r);
    }
    warn_of(plan, r, 1);
}

nb::object load(nb::handle self, nb::handle offsets, nb::handle memory, nb::handle mode,
                nb::handle im2col_offsets, uint32_t shared_address, nb::handle out, bool raw) {
    nb::object tile = nb::borrow(out);
    if (out.is_none() && !raw && mode.is_none()) {
        tile = read_object<Descriptor>(self, "a tensor map").new_tile();
    }
    if (tile.is_none()) {
        tile = self.attr("_tile")(offsets, mode, im2col_offsets, raw, shared_address);
    }
    copy(self, TMA_OP_LOAD, offsets, tile, "out",
         How{memory, mode, im2col_offsets, shared_address, raw});
    return tile;
}

void store(nb::handle self, nb::handle offsets, nb::handle tile, nb::handle memory, nb::handle mode,
           uint32_t shared_address, bool raw) {
    copy(self, TMA_OP_STORE, offsets, tile, "tile",
         How{memory, mode, nb::none(), shared_address, raw});
}

void reduce(nb::handle self, nb::handle offsets, nb::handle tile, const std::string &op,
            nb::handle memory, nb::handle mode, uint32_t shared_address, bool raw) {
    copy(self, read_reduction(op), offsets, tile, "tile",
         How{memory, mode, nb::none(), shared_address, raw});
}

const char memory_words[] = "Parameters\n"
                            "----------\n"
                            "ranges : dict, optional\n"
                            "    {device address: contiguous buffer or tensor in host memory}.\n\n"
                            "Raises\n"
                            "------\n"
                            "ValueError\n"
                            "    Two ranges overlap.";

} // namespace

void bind_copy(nb::module_ &m, nb::class_<Descriptor> &type) {
    using namespace nb::literals;
    nb::class_<Memory>(m, "Memory", "Which host bytes stand for which device addresses.")
        .def(
            "__init__",
            [](Memory *self, nb::handle ranges) {
                new (self) Memory();
                if (!ranges.is_none()) {
                    for (auto item : read_container<nb::dict>(
                             ranges, "ranges: a dictionary {device address: buffer}")) {
                        self->map(read_integer<uint64_t>(item.first, "address"), item.second);
                    }
                }
            },
            "ranges"_a = nb::none(), memory_words)
        .def("__init__",
             [](Memory *, const nb::args &given, const nb::kwargs &named) {
                 refuse_call("Memory", {"ranges"}, given, named);
             })
        .def("map", &Memory::map, "address"_a, "data"_a,
             "Lets a buffer's bytes stand for as many from a device address on.\n\nParameters\n"
             "----------\naddress : int\n    In bytes.\ndata : contiguous buffer or tensor in host "
             "memory\n\nRaises\n------\nValueError\n    The range overlaps another one.")
        .def("__len__", [](const Memory &memory) { return memory.size(); });
    type.def("_load", load, "offsets"_a, nb::kw_only(), "memory"_a = nb::none(),
             "mode"_a = nb::none(), "im2col_offsets"_a = nb::none(), "shared_address"_a = 0,
             "out"_a = nb::none(), "raw"_a = false)
        .def("_store", store, "offsets"_a, "tile"_a, nb::kw_only(), "memory"_a = nb::none(),
             "mode"_a = nb::none(), "shared_address"_a = 0, "raw"_a = false)
        .def("_reduce", reduce, "offsets"_a, "tile"_a, "op"_a, nb::kw_only(),
             "memory"_a = nb::none(), "mode"_a = nb::none(), "shared_address"_a = 0,
             "raw"_a = false);
}

} // namespace libtma
