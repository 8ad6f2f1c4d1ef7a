/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor maps made from tensors and from 128 bytes.
 */
#include "py_descriptor.h"

#include <nanobind/stl/string.h>

#include <cstring>
#include <stdexcept>

#include "py_argument.h"
#include "py_finding.h"
#include "py_spec.h"
#include "py_words.h"

namespace libtma {

namespace {

nb::object encoded(nb::handle type, nb::handle tensor, const Tensor &t, const tma_spec &spec,
                   nb::handle stride_order, nb::handle target, bool check) {
    const tma_target on = read_target(target);
    Descriptor *d = nullptr;
    nb::object object = make(type, on, &d);
    tma_status status = tma_encode(d->bytes(), &spec, &on);
    if (status != TMA_OK && !check) {
        status = tma_encode_forced(d->bytes(), &spec, &on, nullptr);
    }
    if (status != TMA_OK) {
        return refused(spec, on, stride_order);
    }
    d->owner = nb::borrow(tensor);
    d->dtype = t.dtype;
    return object;
}

/* cuda.core's options=: an object, or a mapping, instead of the arguments. */
nb::object option(nb::handle options, const char *name) {
    if (nb::isinstance<nb::dict>(options)) {
        const nb::dict mapping = nb::borrow<nb::dict>(options);
        return mapping.contains(name) ? nb::borrow(mapping[name]) : nb::object(nb::none());
    }
    return nb::getattr(options, name, nb::none());
}

/* Nothing was said, or what holds anyway. */
bool is_plain(nb::handle value) {
    return value.is_none() || (PyLong_Check(value.ptr()) && PyObject_IsTrue(value.ptr()) == 0);
}

nb::object tiled(nb::handle type, nb::handle tensor, nb::object box_dim, nb::handle options,
                 nb::object element_strides, nb::object data_type, nb::object interleave,
                 nb::object swizzle, nb::object l2_promotion, nb::object oob_fill,
                 nb::handle stride_order, nb::handle target, bool check) {
    if (!options.is_none()) {
        const bool both = !(box_dim.is_none() && element_strides.is_none() && data_type.is_none() &&
                            is_plain(interleave) && is_plain(swizzle) && is_plain(l2_promotion) &&
                            is_plain(oob_fill));
        if (both) {
            throw nb::type_error("options: pass either it or the arguments that it stands for");
        }
        if (!nb::isinstance<nb::dict>(options) && !nb::hasattr(options, "box_dim")) {
            throw nb::type_error(
                ("options: a TensorMapDescriptorOptions or a dict is wanted, not '" +
                 class_name(options) + "'")
                    .c_str());
        }
        box_dim = option(options, "box_dim");
        element_strides = option(options, "element_strides");
        data_type = option(options, "data_type");
        interleave = option(options, "interleave");
        swizzle = option(options, "swizzle");
        l2_promotion = option(options, "l2_promotion");
        oob_fill = option(options, "oob_fill");
    }
    const Tensor t = read_tensor(tensor);
    const tma_spec spec = tiled_spec(t, box_dim,
                                     Common{element_strides, data_type, interleave, swizzle,
                                            l2_promotion, oob_fill, stride_order});
    return encoded(type, tensor, t, spec, stride_order, target, check);
}

nb::object im2col(nb::handle type, nb::handle tensor, nb::handle lower, nb::handle upper,
                  uint32_t channels_per_pixel, uint32_t pixels_per_column,
                  nb::handle element_strides, nb::handle data_type, nb::handle interleave,
                  nb::handle swizzle, nb::handle l2_promotion, nb::handle oob_fill,
                  nb::handle stride_order, nb::handle target, bool check) {
    const Tensor t = read_tensor(tensor);
    const tma_spec spec = im2col_spec(t, lower, upper, channels_per_pixel, pixels_per_column,
                                      Common{element_strides, data_type, interleave, swizzle,
                                             l2_promotion, oob_fill, stride_order});
    return encoded(type, tensor, t, spec, stride_order, target, check);
}

nb::object im2col_wide(nb::handle type, nb::handle tensor, int32_t lower_w, int32_t upper_w,
                       uint32_t channels_per_pixel, uint32_t pixels_per_column, nb::handle mode,
                       nb::handle element_strides, nb::handle data_type, nb::handle interleave,
                       nb::handle swizzle, nb::handle l2_promotion, nb::handle oob_fill,
                       nb::handle stride_order, nb::handle target, bool check) {
    const Tensor t = read_tensor(tensor);
    const tma_spec spec =
        wide_spec(t, lower_w, upper_w, channels_per_pixel, pixels_per_column, mode,
                  Common{element_strides, data_type, interleave, swizzle, l2_promotion, oob_fill,
                         stride_order});
    return encoded(type, tensor, t, spec, stride_order, target, check);
}

/* 128 bytes of whatever has a buffer. */
nb::object from_buffer(nb::handle type, nb::handle data, nb::handle target, std::string dtype,
                       nb::handle owner) {
    Py_buffer view;
    Descriptor *d = nullptr;
    nb::object object = make(type, read_target(target), &d);
    if (PyObject_GetBuffer(data.ptr(), &view, PyBUF_SIMPLE) != 0) {
        throw nb::python_error();
    }
    const Py_ssize_t length = view.len;
    if (length == TMA_MAP_BYTES) {
        memcpy(d->bytes(), view.buf, TMA_MAP_BYTES);
    }
    PyBuffer_Release(&view);
    if (length != TMA_MAP_BYTES) {
        throw nb::value_error(
            ("a tensor map has 128 bytes, these are " + std::to_string(length)).c_str());
    }
    d->dtype = dtype;
    d->owner = nb::borrow(owner);
    return object;
}

tma_decoded decoded(const Descriptor &d) {
    tma_decoded out = {};
    if (tma_decode(&out, d.bytes()) != TMA_OK) {
        throw std::logic_error("tma_decode() takes every 128 bytes");
    }
    return out;
}

/* The map with its swizzle taken away: both fields' immediates of "none" are 0. */
void unswizzled(tma_map *out, const uint8_t *bytes) {
    memcpy(out->bytes, bytes, TMA_MAP_BYTES);
    tma_edit mode = {}, atomicity = {};
    mode.field = TMA_REPLACE_SWIZZLE_MODE;
    atomicity.field = TMA_REPLACE_SWIZZLE_ATOMICITY;
    if (tma_replace(out->bytes, &mode, nullptr) != TMA_OK ||
        tma_replace(out->bytes, &atomicity, nullptr) != TMA_OK) {
        throw std::logic_error("tma_replace() takes the swizzle away from every map");
    }
}

void replace_address(Descriptor &d, nb::handle tensor) {
    uint64_t address = 0;
    if (PyLong_Check(tensor.ptr())) {
        address = read_integer<uint64_t>(tensor, "tensor");
    } else {
        address = read_tensor(tensor).address;
    }
    if (tma_replace_address(d.bytes(), address, nullptr) != TMA_OK) {
        tma_spec spec = decoded(d).spec;
        spec.address = address;
        raise_refused(spec, d.target);
    }
    d.forget_plans();
    if (!PyLong_Check(tensor.ptr())) {
        d.own.reset();
        d.owner = nb::borrow(tensor);
    }
}

/* (whether the driver takes the class, the class that holds then). */
nb::tuple set_class(Descriptor &d, uint32_t allocation_class) {
    uint32_t in_effect = 0;
    const tma_status status =
        tma_set_allocation_class(d.bytes(), allocation_class, &in_effect, &d.target);
    d.forget_plans();
    return nb::make_tuple(status == TMA_OK, in_effect);
}

uint32_t read_field(const std::string &word) {
    std::string names;
    for (uint32_t field = 0; field < TMA_REPLACE_FIELDS; field++) {
        const char *name = tma_replace_row_of(field)->name;
        if (word == name) {
            return field;
        }
        names += (field ? ", " : "") + std::string(name);
    }
    throw nb::value_error((std::string("field: '") + word + "' is none of " + names).c_str());
}

/* tensormap.replace, which checks nothing but what ptxas does. */
void replace(Descriptor &d, const std::string &word, uint64_t value, uint32_t ordinal) {
    const uint32_t field = read_field(word);
    const tma_replace_row &row = *tma_replace_row_of(field);
    tma_edit edit = {};
    edit.field = field;
    edit.ordinal = ordinal;
    edit.value = value;
    edit.toolchain = tma_target_toolchain(&d.target);
    if (tma_replace(d.bytes(), &edit, nullptr) != TMA_OK) {
        const bool wrong_ordinal = ordinal > 0 && ordinal >= (uint32_t)row.ordinals;
        const std::string said =
            wrong_ordinal ? "ordinal: " + std::to_string(ordinal) + ", .tile." + row.name +
                                (row.ordinals ? " takes 0 to " + std::to_string(row.ordinals - 1)
                                              : " takes none")
                          : "value: " + std::to_string(value) + ", an immediate of 0 to " +
                                std::to_string(row.immediate_max) + " is wanted: " + row.value;
        throw nb::value_error(said.c_str());
    }
    d.own_mode = -1;
    d.forget_plans();
}

/* Dimensions and strides as Python has them: outermost first. */
nb::tuple reversed(const uint64_t *values, uint32_t count) {
    nb::list out;
    for (uint32_t i = count; i > 0; i--) {
        out.append(values[i - 1]);
    }
    return nb::tuple(out);
}

nb::tuple box_dim(const Descriptor &d) {
    const tma_spec s = decoded(d).spec;
    nb::list out;
    if (s.api != TMA_API_TILED) {
        out.append(s.pixels_per_column);
        out.append(s.channels_per_pixel);
        return nb::tuple(out);
    }
    for (uint32_t i = s.rank; i > 0; i--) {
        out.append(s.box_el[i - 1]);
    }
    return nb::tuple(out);
}

nb::tuple stride_bytes(const Descriptor &d) {
    const tma_spec s = decoded(d).spec;
    return reversed(s.stride_B, s.rank ? s.rank - 1 : 0);
}

tma_measure_result measured(const Descriptor &d) {
    tma_measure_result out;
    const tma_spec spec = decoded(d).spec;
    if (tma_measure(&out, &spec, &d.target) != TMA_OK) {
        raise_refused(spec, d.target);
    }
    return out;
}

int get_buffer(PyObject *object, Py_buffer *view, int flags) {
    if (!nb::inst_ready(object)) { /* __new__ without one of the class methods */
        PyErr_SetString(PyExc_BufferError, "a tensor map that was never made has no bytes");
        return -1;
    }
    Descriptor *d = nb::inst_ptr<Descriptor>(object);
    return PyBuffer_FillInfo(view, object, d->bytes(), TMA_MAP_BYTES, 1, flags);
}

/* The owner may hold the descriptor: cycles are the collector's. */
int traverse(PyObject *object, visitproc visit, void *arg) {
    if (nb::inst_ready(object)) {
        const Descriptor *d = nb::inst_ptr<Descriptor>(object);
        Py_VISIT(d->owner.ptr());
        if (d->own && d->own->held) {
            Py_VISIT(d->own->buffer.obj);
        }
    }
    Py_VISIT(Py_TYPE(object));
    return 0;
}

int clear(PyObject *object) {
    if (nb::inst_ready(object)) {
        nb::inst_ptr<Descriptor>(object)->own.reset();
        nb::inst_ptr<Descriptor>(object)->owner.reset();
    }
    return 0;
}

PyType_Slot slots[] = {
    {Py_bf_getbuffer, (void *)get_buffer},
    {Py_tp_traverse, (void *)traverse},
    {Py_tp_clear, (void *)clear},
    {0, nullptr},
};

/* A function that gets the class first, as Python's classmethod makes one. */
template <typename... Args> void classmethod(nb::handle type, const char *name, Args &&...args) {
    nb::object function =
        nb::cpp_function(std::forward<Args>(args)..., nb::name(name), nb::scope(type));
    nb::setattr(type, name, nb::module_::import_("builtins").attr("classmethod")(function));
}

} // namespace

std::shared_ptr<const Plans> Descriptor::plans_for(const tma_instruction &instruction,
                                                   tma_status *status, tma_finding *why) {
    *status = TMA_OK;
    const nb::ft_lock_guard held(lock);
    if (plans && memcmp(&plans->made_for, &instruction, sizeof(instruction)) == 0) {
        return plans;
    }
    tma_map flat;
    unswizzled(&flat, bytes());
    const std::shared_ptr<Plans> made = std::make_shared<Plans>();
    made->made_for = instruction;
    *status = tma_plan_make(&made->real, bytes(), &instruction, &target, why);
    if (*status == TMA_OK) {
        *status = tma_plan_make(&made->flat, flat.bytes, &instruction, &target, why);
    }
    if (*status != TMA_OK) {
        return nullptr;
    }
    plans = made;
    return plans;
}

void Descriptor::forget_plans() {
    const nb::ft_lock_guard held(lock);
    plans.reset();
    tile_maker.reset();
    tile_arguments.reset();
}

void Descriptor::remember_tile(nb::handle make, nb::handle arguments) {
    const nb::ft_lock_guard held(lock);
    tile_maker = nb::borrow(make);
    tile_arguments = nb::borrow(arguments);
}

nb::object Descriptor::new_tile() {
    nb::object make, arguments;
    {
        const nb::ft_lock_guard held(lock);
        make = tile_maker;
        arguments = tile_arguments;
    }
    if (!make.is_valid()) {
        return nb::none();
    }
    const nb::object tile =
        nb::steal<nb::object>(PyObject_Call(make.ptr(), arguments.ptr(), nullptr));
    if (!tile.is_valid()) {
        throw nb::python_error();
    }
    return tile;
}

void Own::hold(nb::handle owner, const tma_range &bytes, bool may_write) {
    drop();
    if (PyObject_GetBuffer(owner.ptr(), &buffer, PyBUF_STRIDED_RO) != 0) {
        PyErr_Clear(); /* no buffer: nothing to hold on to */
        return;
    }
    range = bytes;
    writable = may_write;
    held = true;
}

void Own::drop() {
    if (held) {
        held = false;
        PyBuffer_Release(&buffer);
    }
}

nb::class_<Descriptor> bind_descriptor(nb::module_ &m) {
    using namespace nb::literals;
    nb::class_<Descriptor> type(m, "Descriptor", nb::type_slots(slots));
    type.def_prop_ro(
            "ptr", [](const Descriptor &d) { return (uintptr_t)d.bytes(); },
            "Address of the 128 bytes, aligned to 128, valid as long as the object.")
        .def(
            "getPtr", [](const Descriptor &d) { return (uintptr_t)d.bytes(); },
            "`ptr`, as cuda.bindings calls it.")
        .def(
            "tma_desc_cpu_ptr", [](const Descriptor &d) { return (uintptr_t)d.bytes(); },
            "`ptr`, as Triton calls it.")
        .def("__bytes__",
             [](const Descriptor &d) { return nb::bytes((const char *)d.bytes(), TMA_MAP_BYTES); })
        .def(
            "__eq__",
            [](const Descriptor &d, nb::handle other) -> nb::object {
                if (!nb::isinstance<Descriptor>(other) || !nb::inst_ready(other)) {
                    return nb::borrow(Py_NotImplemented);
                }
                const Descriptor &o = *nb::inst_ptr<Descriptor>(other);
                return nb::bool_(memcmp(d.bytes(), o.bytes(), TMA_MAP_BYTES) == 0);
            },
            nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("_replace_address", replace_address, "tensor"_a)
        .def("_replace", replace, "field"_a, "value"_a, nb::kw_only(), "ordinal"_a = 0)
        .def_prop_ro(
            "owner", [](const Descriptor &d) { return d.owner; },
            nb::sig("def owner(self, /) -> Any"), "The tensor that is kept alive, or None.")
        .def_prop_ro(
            "target", [](const Descriptor &d) { return d.target; },
            "The machine that the map is judged and copied for.")
        .def_prop_ro("_dtype", [](const Descriptor &d) { return d.dtype; })
        .def_prop_ro(
            "_spec", [](const Descriptor &d) { return spec_dict(decoded(d).spec); },
            nb::sig("def _spec(self, /) -> dict[str, Any]"))
        .def_prop_ro(
            "rank", [](const Descriptor &d) { return decoded(d).spec.rank; },
            "How many dimensions.")
        .def_prop_ro(
            "address", [](const Descriptor &d) { return decoded(d).spec.address; },
            "Of the tensor's first element, in bytes.")
        .def_prop_ro(
            "shape",
            [](const Descriptor &d) {
                const tma_spec s = decoded(d).spec;
                return reversed(s.dim_el, s.rank);
            },
            nb::sig("def shape(self, /) -> tuple[int, ...]"),
            "The tensor's extents in elements, outermost first.")
        .def_prop_ro("stride_bytes", stride_bytes,
                     nb::sig("def stride_bytes(self, /) -> tuple[int, ...]"),
                     "Strides in bytes, outermost first, without the innermost dimension's.")
        .def_prop_ro("box_dim", box_dim, nb::sig("def box_dim(self, /) -> tuple[int, ...]"),
                     "The box in elements, outermost first; of im2col maps pixels per column and "
                     "channels per pixel.")
        .def_prop_ro(
            "readings",
            [](const Descriptor &d) {
                tma_target made = {};
                made.readings = decoded(d).readings;
                return chosen_of(made);
            },
            nb::sig("def readings(self, /) -> dict[str, str]"),
            "By which readings of disputed questions the 128 bytes were made, where these are not "
            "the documents': {'atom-repeat': 'span'}.")
        .def_prop_ro(
            "global_tx_bytes", [](const Descriptor &d) { return measured(d).copy_B; },
            "Bytes that one copy counts on its barrier: expect_tx's operand.")
        .def_prop_ro(
            "shared_storage_bytes", [](const Descriptor &d) { return measured(d).footprint_B; },
            "Bytes of shared memory that one copy needs.")
        .def_prop_ro(
            "shared_alignment", [](const Descriptor &d) { return measured(d).align_B; },
            "Alignment in shared memory that a copy must have, in bytes.")
        .def_prop_ro(
            "shared_pattern_bytes", [](const Descriptor &d) { return measured(d).pattern_B; },
            "Bytes after which the swizzle repeats: the alignment that a reader assumes.")
        .def(
            "_findings",
            [](const Descriptor &d, nb::handle target) {
                const tma_target on = target.is_none() ? d.target : read_target(target);
                return check_spec(decoded(d).spec, on);
            },
            "target"_a.none())
        .def("_set_class", set_class, "allocation_class"_a)
        .def("_remember_tile", &Descriptor::remember_tile, "make"_a, "arguments"_a);
    type.attr("__hash__") = nb::none();

    /* cuda.core's defaults. */
    const auto member = [&m](const char *kind, const char *name) {
        return nb::object(m.attr(kind).attr(name));
    };
    const nb::object interleave = member("TensorMapInterleave", "NONE");
    const nb::object swizzle = member("TensorMapSwizzle", "NONE");
    const nb::object wide_swizzle = member("TensorMapSwizzle", "SWIZZLE_128B");
    const nb::object l2 = member("TensorMapL2Promotion", "NONE");
    const nb::object fill = member("TensorMapOOBFill", "NONE");
    classmethod(type, "_tiled", tiled, "cls"_a, "tensor"_a, "box_dim"_a = nb::none(), nb::kw_only(),
                "options"_a = nb::none(), "element_strides"_a = nb::none(),
                "data_type"_a = nb::none(), "interleave"_a = interleave, "swizzle"_a = swizzle,
                "l2_promotion"_a = l2, "oob_fill"_a = fill, "stride_order"_a = nb::none(),
                "target"_a = nb::none(), "check"_a = true);
    classmethod(type, "_im2col", im2col, "cls"_a, "tensor"_a, "pixel_box_lower_corner"_a,
                "pixel_box_upper_corner"_a, "channels_per_pixel"_a, "pixels_per_column"_a,
                nb::kw_only(), "element_strides"_a = nb::none(), "data_type"_a = nb::none(),
                "interleave"_a = interleave, "swizzle"_a = swizzle, "l2_promotion"_a = l2,
                "oob_fill"_a = fill, "stride_order"_a = nb::none(), "target"_a = nb::none(),
                "check"_a = true);
    classmethod(type, "_im2col_wide", im2col_wide, "cls"_a, "tensor"_a,
                "pixel_box_lower_corner_width"_a, "pixel_box_upper_corner_width"_a,
                "channels_per_pixel"_a, "pixels_per_column"_a, nb::kw_only(),
                "mode"_a = member("TensorMapIm2ColWideMode", "W"), "element_strides"_a = nb::none(),
                "data_type"_a = nb::none(), "interleave"_a = interleave, "swizzle"_a = wide_swizzle,
                "l2_promotion"_a = l2, "oob_fill"_a = fill, "stride_order"_a = nb::none(),
                "target"_a = nb::none(), "check"_a = true);
    classmethod(type, "_from_buffer", from_buffer, "cls"_a, "data"_a, "target"_a = nb::none(),
                "dtype"_a = "", "owner"_a = nb::none());
    return type;
}

} // namespace libtma
