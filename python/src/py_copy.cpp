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
#include "tma/grammar.h"

namespace libtma {

Memory::~Memory() {
    for (Py_buffer &buffer : buffers) {
        PyBuffer_Release(&buffer);
    }
}

void Memory::map(uint64_t address, nb::handle data) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(data.ptr(), &buffer, PyBUF_WRITABLE) != 0) {
        PyErr_Clear();
        if (PyObject_GetBuffer(data.ptr(), &buffer, PyBUF_SIMPLE) != 0) {
            throw nb::python_error();
        }
    }
    const uint64_t size_B = (uint64_t)buffer.len;
    const nb::ft_lock_guard held(lock);
    for (const tma_range &range : *mapped) {
        if (address < range.address + range.size_B && range.address < address + size_B) {
            PyBuffer_Release(&buffer);
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
    buffers.push_back(buffer);
    mapped->push_back(tma_range{address, size_B, buffer.buf});
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
        const Memory &m = read_object<Memory>(memory, "memory: a libtma.Memory");
        ranges = m.ranges(&writable);
        owner = nb::borrow(memory);
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

/* Whole tiles only: what is larger or smaller has another shape than its caller thinks. */
void check_size(const Py_buffer &tile, const tma_plan &plan, const char *argument) {
    const tma_plan_facts &facts = *tma_plan_info(&plan);
    const uint64_t wanted_B = (uint64_t)facts.rows * facts.pitch_B;
    if (tma_mode_is_wide(facts.mode)) {
        return; /* the halo's rows are the instruction's: the copy itself says if they have no room
                 */
    }
    if ((uint64_t)tile.len != wanted_B) {
        throw nb::value_error((std::string(argument) + ": " + std::to_string(tile.len) +
                               " B, the tile has " + std::to_string(wanted_B) + " B")
                                  .c_str());
    }
}

/* Below it a copy takes less time than giving the interpreter's lock away and back. */
const uint64_t release_from_B = 32768;

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
        check_size(held.view, plans->flat, argument);
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
    if (status != TMA_OK) {
        raise_request(status, why, self, r);
    }
}

nb::object load(nb::handle self, nb::handle offsets, nb::handle memory, nb::handle mode,
                nb::handle im2col_offsets, uint32_t shared_address, nb::handle out, bool raw) {
    const nb::object tile =
        out.is_none() ? self.attr("_tile")(offsets, mode, im2col_offsets, raw, shared_address)
                      : nb::borrow(out);
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
    const uint32_t number = read_op(op);
    if (number == TMA_OP_LOAD || number == TMA_OP_STORE || number == TMA_OP_PREFETCH) {
        throw nb::value_error((std::string("op: '") + op + "' is no reduction").c_str());
    }
    copy(self, number, offsets, tile, "tile", How{memory, mode, nb::none(), shared_address, raw});
}

const char load_words[] =
    "One load: the tile at these offsets, outermost first, as desc.load([m, n]) in Triton.\n\n"
    "memory says which bytes stand for the map's addresses; without it the tensor that the map\n"
    "was made of is read. Returns out, or an array of the box's shape; with raw the bytes as they\n"
    "lie in shared memory from shared_address on, swizzled and padded. Elements outside of the\n"
    "tensor are the map's fill.";

const char store_words[] =
    "One store of a tile. Bytes behind a row's end are written as the hardware writes them: up to\n"
    "the next multiple of 16 bytes.";

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
            "ranges"_a = nb::none(), "{device address: buffer}")
        .def("map", &Memory::map, "address"_a, "data"_a,
             "Lets the bytes of a contiguous buffer stand for as many from a device address on.")
        .def("__len__", [](const Memory &memory) { return memory.size(); });
    type.def("load", load, "offsets"_a, nb::kw_only(), "memory"_a = nb::none(),
             "mode"_a = nb::none(), "im2col_offsets"_a = nb::none(), "shared_address"_a = 0,
             "out"_a = nb::none(), "raw"_a = false, load_words)
        .def("store", store, "offsets"_a, "tile"_a, nb::kw_only(), "memory"_a = nb::none(),
             "mode"_a = nb::none(), "shared_address"_a = 0, "raw"_a = false, store_words)
        .def("reduce", reduce, "offsets"_a, "tile"_a, "op"_a, nb::kw_only(),
             "memory"_a = nb::none(), "mode"_a = nb::none(), "shared_address"_a = 0,
             "raw"_a = false,
             "A reduction, global = global op tile: add, min, max, inc, dec, "
             "and, or, xor.");
}

} // namespace libtma
