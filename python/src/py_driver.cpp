/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of cuda.bindings.driver that make and edit tensor maps. Plain functions of Python's own
 * kind: what is wrong with a call's arguments is said here, and no finding outlives the next call.
 */
#include "py_driver.h"

#include <nanobind/stl/string.h>

#include <array>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "py_argument.h"
#include "py_driver_values.h"
#include "py_finding.h"
#include "py_words.h"

namespace libtma {

namespace {

/* The last call of this thread, for last_findings(). */
struct Call {
    bool known;
    tma_spec spec;
    tma_target target;
};
thread_local Call last_call;

/* The machine that the module answers for. */
nb::ft_mutex target_lock;
bool has_target = false;
tma_target own_target;

tma_target target_now() {
    {
        const nb::ft_lock_guard held(target_lock);
        if (has_target) {
            return own_target;
        }
    }
    return read_target(nb::none());
}

void set_driver_target(nb::handle value) {
    const bool is_said = !value.is_none();
    const tma_target said = is_said ? read_target(value) : tma_target{};
    const nb::ft_lock_guard held(target_lock);
    has_target = is_said;
    own_target = said;
}

/* Members of the two enumerations, which live as long as the process does. */
PyObject *success, *invalid_value, *class_kind;

nb::object member(PyObject *of) {
    return nb::borrow(of);
}

const char *const tiled_names[] = {"tensorDataType", "tensorRank",  "globalAddress",  "globalDim",
                                   "globalStrides",  "boxDim",      "elementStrides", "interleave",
                                   "swizzle",        "l2Promotion", "oobFill"};
const char *const im2col_names[] = {
    "tensorDataType",      "tensorRank",       "globalAddress",
    "globalDim",           "globalStrides",    "pixelBoxLowerCorner",
    "pixelBoxUpperCorner", "channelsPerPixel", "pixelsPerColumn",
    "elementStrides",      "interleave",       "swizzle",
    "l2Promotion",         "oobFill"};
const char *const wide_names[] = {"tensorDataType",
                                  "tensorRank",
                                  "globalAddress",
                                  "globalDim",
                                  "globalStrides",
                                  "pixelBoxLowerCornerWidth",
                                  "pixelBoxUpperCornerWidth",
                                  "channelsPerPixel",
                                  "pixelsPerColumn",
                                  "elementStrides",
                                  "interleave",
                                  "mode",
                                  "swizzle",
                                  "l2Promotion",
                                  "oobFill"};
const char *const address_names[] = {"tensorMap", "globalAddress"};
const char *const class_names[] = {"tensorMap", "allocClass"};

/* A call's arguments by position, whichever way they came. */
struct Given {
    std::array<PyObject *, 16> at = {};
    const char *const *names;
    size_t count;

    nb::handle operator[](const char *name) const {
        for (size_t i = 0; i < count; i++) { /* the same literal, as a rule */
            if (names[i] == name) {
                return at[i];
            }
        }
        for (size_t i = 0; i < count; i++) {
            if (strcmp(names[i], name) == 0) {
                return at[i];
            }
        }
        return nullptr;
    }
};

[[noreturn]] void unknown_keyword(const char *function, nb::handle word, const Given &g) {
    nb::list names;
    for (size_t i = 0; i < g.count; i++) {
        names.append(g.names[i]);
    }
    const nb::object near =
        nb::module_::import_("difflib").attr("get_close_matches")(word, names, 1, 0);
    fail(PyExc_TypeError, std::string(function) + "() got an unexpected keyword argument '" +
                              nb::str(word).c_str() + "': '" +
                              nb::str(nb::object(near[0])).c_str() + "'?");
}

void take_keywords(Given &g, const char *function, PyObject *const *values, PyObject *kwnames) {
    const size_t words = kwnames ? nb::len(kwnames) : 0;
    for (size_t w = 0; w < words; w++) {
        const nb::object word = nb::borrow<nb::tuple>(kwnames)[w];
        size_t i = 0;
        while (i < g.count && PyUnicode_CompareWithASCIIString(word.ptr(), g.names[i]) != 0) {
            i++;
        }
        if (i == g.count) {
            unknown_keyword(function, word, g);
        }
        if (g.at[i]) {
            fail(PyExc_TypeError, std::string(function) + "() got multiple values for argument '" +
                                      g.names[i] + "'");
        }
        g.at[i] = values[w];
    }
}

template <size_t count>
Given arguments(const char *function, const char *const (&names)[count], PyObject *const *values,
                Py_ssize_t positional, PyObject *kwnames) {
    Given g;
    g.names = names;
    g.count = count;
    if ((size_t)positional > count) {
        fail(PyExc_TypeError, std::string(function) + "() takes exactly " + std::to_string(count) +
                                  " positional arguments (" + std::to_string(positional) +
                                  " given)");
    }
    for (Py_ssize_t i = 0; i < positional; i++) {
        g.at[(size_t)i] = values[i];
    }
    take_keywords(g, function, values + positional, kwnames);
    std::string missing;
    for (size_t i = 0; i < count; i++) {
        if (!g.at[i]) {
            missing += (missing.empty() ? "" : ", ") + std::string(names[i]);
        }
    }
    if (!missing.empty()) {
        fail(PyExc_TypeError, std::string(function) + "() takes exactly " + std::to_string(count) +
                                  " arguments, these are missing: " + missing);
    }
    return g;
}

/* Runs a call; what it throws becomes Python's. */
template <typename Body> PyObject *called(Body body) {
    last_call.known = false;
    try {
        return body().release().ptr();
    } catch (nb::python_error &error) {
        error.restore();
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
}

/* That the driver reads of a list: none where it refuses the rank. */
size_t entries_of(uint32_t rank) {
    return rank <= TMA_MAX_RANK ? rank : 0;
}

/* What all three encode calls share. False: a list is a null pointer. */
bool read_common(tma_spec *s, const Given &g, uint32_t rank) {
    const size_t entries = entries_of(rank);
    bool all = number_list<64>(s->dim_el, TMA_MAX_RANK, entries, g["globalDim"], "globalDim");
    all &= number_list<64>(s->stride_B, TMA_MAX_STRIDES, entries ? entries - 1 : 0,
                           g["globalStrides"], "globalStrides");
    if (s->api == TMA_API_TILED) {
        all &= number_list<32>(s->box_el, TMA_MAX_RANK, entries, g["boxDim"], "boxDim");
    }
    all &= number_list<32>(s->element_stride, TMA_MAX_RANK, entries, g["elementStrides"],
                           "elementStrides");
    return all;
}

uint32_t read_word_of(const Given &g, const char *name) {
    const nb::handle value = g[name];
    return value.is_none() ? 0 : (uint32_t)unsigned_number(value, 32, name);
}

bool read_corners(tma_spec *s, const Given &g, uint32_t rank) {
    if (s->api == TMA_API_WIDE) {
        s->lower_px[0] = signed_number(g["pixelBoxLowerCornerWidth"], "pixelBoxLowerCornerWidth");
        s->upper_px[0] = signed_number(g["pixelBoxUpperCornerWidth"], "pixelBoxUpperCornerWidth");
        return true;
    }
    if (s->api == TMA_API_TILED) {
        return true;
    }
    const size_t entries = entries_of(rank) < 3 ? 0 : entries_of(rank) - 2;
    bool all = integer_list(s->lower_px, TMA_MAX_SPATIAL, entries, g["pixelBoxLowerCorner"],
                            "pixelBoxLowerCorner");
    all &= integer_list(s->upper_px, TMA_MAX_SPATIAL, entries, g["pixelBoxUpperCorner"],
                        "pixelBoxUpperCorner");
    return all;
}

/* The enumerations, in the order that cuda.bindings looks at them. */
struct Enumeration {
    const char *name;
    uint32_t tma_spec::*member;
};
const Enumeration enumerations[] = {
    {"tensorDataType", &tma_spec::dtype}, {"interleave", &tma_spec::interleave},
    {"mode", &tma_spec::wide_mode},       {"swizzle", &tma_spec::swizzle},
    {"l2Promotion", &tma_spec::l2},       {"oobFill", &tma_spec::fill}};

/* Of the three calls one has a mode. */
bool has(const Enumeration &e, uint32_t api) {
    return api == TMA_API_WIDE || e.member != &tma_spec::wide_mode;
}

/* False: a list is a null pointer, which the driver refuses. */
bool read_spec(tma_spec *s, const Given &g, uint32_t api) {
    s->api = api;
    nb::handle members[std::size(enumerations)];
    for (size_t i = 0; i < std::size(enumerations); i++) {
        if (has(enumerations[i], api)) {
            members[i] = g[enumerations[i].name];
            check_enumerator(members[i], enumerations[i].name);
        }
    }
    s->rank = read_word_of(g, "tensorRank");
    bool all = read_common(s, g, s->rank);
    all &= read_corners(s, g, s->rank);
    s->address = void_pointer(g["globalAddress"], "globalAddress");
    if (api != TMA_API_TILED) {
        s->channels_per_pixel = read_word_of(g, "channelsPerPixel");
        s->pixels_per_column = read_word_of(g, "pixelsPerColumn");
    }
    for (size_t i = 0; i < std::size(enumerations); i++) {
        if (members[i]) {
            s->*enumerations[i].member = enumerator(members[i], enumerations[i].name);
        }
    }
    return all;
}

nb::object answer_of(const tma_spec &spec, bool all_lists) {
    last_call.known = true;
    last_call.spec = spec;
    last_call.target = target_now();
    tma_map map;
    if (tma_encode(map.bytes, &spec, &last_call.target) != TMA_OK || !all_lists) {
        return nb::make_tuple(member(invalid_value), nb::none());
    }
    CuTensorMap *made = nullptr;
    const nb::object object = make<CuTensorMap>(nb::type<CuTensorMap>(), last_call.target, &made);
    memcpy(made->bytes(), map.bytes, TMA_MAP_BYTES);
    return nb::make_tuple(member(success), object);
}

template <uint32_t api, size_t count>
PyObject *encode(const char *function, const char *const (&names)[count], PyObject *const *values,
                 Py_ssize_t positional, PyObject *kwnames) {
    return called([&] {
        const Given g = arguments(function, names, values, positional, kwnames);
        tma_spec spec = {};
        const bool all = read_spec(&spec, g, api);
        return answer_of(spec, all);
    });
}

PyObject *encode_tiled(PyObject *, PyObject *const *values, Py_ssize_t count, PyObject *kwnames) {
    return encode<TMA_API_TILED>("cuTensorMapEncodeTiled", tiled_names, values, count, kwnames);
}

PyObject *encode_im2col(PyObject *, PyObject *const *values, Py_ssize_t count, PyObject *kwnames) {
    return encode<TMA_API_IM2COL>("cuTensorMapEncodeIm2col", im2col_names, values, count, kwnames);
}

PyObject *encode_wide(PyObject *, PyObject *const *values, Py_ssize_t count, PyObject *kwnames) {
    return encode<TMA_API_WIDE>("cuTensorMapEncodeIm2colWide", wide_names, values, count, kwnames);
}

/* A map that is edited in place: this module's, or cuda.bindings' own. */
class Edited {
  public:
    explicit Edited(nb::handle given) : object(given), target(target_now()) {
        own = nb::isinstance<CuTensorMap>(given) ||
              (takes_plain_integers() && nb::isinstance<Descriptor>(given));
        if (own && nb::inst_ready(given)) {
            Descriptor *d = nb::inst_ptr<Descriptor>(given);
            memcpy(map.bytes, d->bytes(), TMA_MAP_BYTES);
            target = d->target;
        } else if (own || !bytes_of_binding(given, map.bytes)) {
            fail(PyExc_TypeError,
                 "Argument 'tensorMap' has incorrect type (expected CUtensorMap, got " +
                     type_words(given) + ")");
        }
    }
    void write_back() {
        if (own) {
            Descriptor *d = nb::inst_ptr<Descriptor>(object);
            memcpy(d->bytes(), map.bytes, TMA_MAP_BYTES);
            d->own_mode = -1;
            d->forget_plans();
            return;
        }
        nb::list words;
        for (size_t i = 0; i < TMA_MAP_BYTES; i += 8) {
            words.append(read_word_at(i));
        }
        object.attr("opaque") = words;
    }
    uint64_t read_word_at(size_t i) const {
        uint64_t word = 0;
        for (size_t b = 8; b > 0; b--) {
            word = word << 8 | map.bytes[i + b - 1];
        }
        return word;
    }
    nb::handle object;
    tma_map map;
    tma_target target;
    bool own;
};

PyObject *replace_address(PyObject *, PyObject *const *values, Py_ssize_t count,
                          PyObject *kwnames) {
    return called([&]() -> nb::object {
        const Given g =
            arguments("cuTensorMapReplaceAddress", address_names, values, count, kwnames);
        const uint64_t address = void_pointer(g["globalAddress"], "globalAddress");
        if (g["tensorMap"].is_none()) {
            return nb::make_tuple(member(invalid_value));
        }
        Edited edited(g["tensorMap"]);
        tma_decoded before = {};
        if (tma_replace_address(edited.map.bytes, address, nullptr) != TMA_OK) {
            last_call.known = tma_decode(&before, edited.map.bytes) == TMA_OK;
            last_call.spec = before.spec;
            last_call.spec.address = address;
            last_call.target = edited.target;
            return nb::make_tuple(member(invalid_value));
        }
        edited.write_back();
        return nb::make_tuple(member(success));
    });
}

PyObject *set_class(PyObject *, PyObject *const *values, Py_ssize_t count, PyObject *kwnames) {
    return called([&]() -> nb::object {
        const Given g =
            arguments("cuTensorMapSetAllocationClass", class_names, values, count, kwnames);
        check_enumerator(g["allocClass"], "allocClass");
        const uint32_t wanted = enumerator(g["allocClass"], "allocClass");
        if (g["tensorMap"].is_none()) {
            return nb::make_tuple(member(invalid_value), nb::none());
        }
        Edited edited(g["tensorMap"]);
        uint32_t in_effect = 0;
        if (tma_set_allocation_class(edited.map.bytes, wanted, &in_effect, &edited.target) !=
            TMA_OK) {
            return nb::make_tuple(member(invalid_value), nb::none());
        }
        edited.write_back();
        return nb::make_tuple(member(success), member(class_kind)(in_effect));
    });
}

nb::tuple last_findings() {
    return last_call.known ? check_spec(last_call.spec, last_call.target) : nb::tuple();
}

#define CALL_WORDS                                                                                 \
    "Returns\n-------\ntuple\n    (CUDA_SUCCESS, CUtensorMap), or (CUDA_ERROR_INVALID_VALUE, "     \
    "None); "                                                                                      \
    "last_findings() says why.\n\nRaises\n------\nTypeError, OverflowError\n    As cuda.bindings " \
    "does.\nValueError\n    A list has fewer entries than tensorRank reads, or more than 5.\n"

PyMethodDef calls[] = {
    {"cuTensorMapEncodeTiled", (PyCFunction)(void (*)(void))encode_tiled,
     METH_FASTCALL | METH_KEYWORDS,
     "cuTensorMapEncodeTiled(tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, "
     "boxDim, elementStrides, interleave, swizzle, l2Promotion, oobFill)\n--\n\n"
     "A map for tiles. Arrays are innermost first.\n\n"
     "Parameters\n----------\n"
     "tensorDataType : CUtensorMapDataType\ntensorRank : int\n    1 to 5.\n"
     "globalAddress : int, buffer or None\n    The tensor's address, in bytes.\n"
     "globalDim : list of cuuint64_t\n    Extents, tensorRank of them, in elements.\n"
     "globalStrides : list of cuuint64_t\n    tensorRank - 1 of them, in bytes.\n"
     "boxDim : list of cuuint32_t\n    tensorRank of them, in elements.\n"
     "elementStrides : list of cuuint32_t\n    tensorRank of them, in elements.\n"
     "interleave : CUtensorMapInterleave\nswizzle : CUtensorMapSwizzle\n"
     "l2Promotion : CUtensorMapL2promotion\noobFill : CUtensorMapFloatOOBfill\n\n" CALL_WORDS},
    {"cuTensorMapEncodeIm2col", (PyCFunction)(void (*)(void))encode_im2col,
     METH_FASTCALL | METH_KEYWORDS,
     "cuTensorMapEncodeIm2col(tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, "
     "pixelBoxLowerCorner, pixelBoxUpperCorner, channelsPerPixel, pixelsPerColumn, elementStrides, "
     "interleave, swizzle, l2Promotion, oobFill)\n--\n\n"
     "A map for im2col. Arrays are innermost first, so the corners' entry 0 is W.\n\n"
     "Parameters\n----------\n"
     "tensorDataType : CUtensorMapDataType\ntensorRank : int\n    3 to 5.\n"
     "globalAddress : int, buffer or None\n    The tensor's address, in bytes.\n"
     "globalDim : list of cuuint64_t\n    Extents, tensorRank of them, in elements.\n"
     "globalStrides : list of cuuint64_t\n    tensorRank - 1 of them, in bytes.\n"
     "pixelBoxLowerCorner, pixelBoxUpperCorner : list of int\n    tensorRank - 2 of them, in "
     "pixels.\n"
     "channelsPerPixel : int\n    In elements, at most 256.\n"
     "pixelsPerColumn : int\n    In pixels, at most 1024.\n"
     "elementStrides : list of cuuint32_t\n    tensorRank of them, in elements.\n"
     "interleave : CUtensorMapInterleave\nswizzle : CUtensorMapSwizzle\n"
     "l2Promotion : CUtensorMapL2promotion\noobFill : CUtensorMapFloatOOBfill\n\n" CALL_WORDS},
    {"cuTensorMapEncodeIm2colWide", (PyCFunction)(void (*)(void))encode_wide,
     METH_FASTCALL | METH_KEYWORDS,
     "cuTensorMapEncodeIm2colWide(tensorDataType, tensorRank, globalAddress, globalDim, "
     "globalStrides, pixelBoxLowerCornerWidth, pixelBoxUpperCornerWidth, channelsPerPixel, "
     "pixelsPerColumn, elementStrides, interleave, mode, swizzle, l2Promotion, oobFill)\n--\n\n"
     "A map for im2col's wide modes, which walk along W alone.\n\n"
     "Parameters\n----------\n"
     "tensorDataType : CUtensorMapDataType\ntensorRank : int\n    3 to 5.\n"
     "globalAddress : int, buffer or None\n    The tensor's address, in bytes.\n"
     "globalDim : list of cuuint64_t\n    Extents, tensorRank of them, in elements.\n"
     "globalStrides : list of cuuint64_t\n    tensorRank - 1 of them, in bytes.\n"
     "pixelBoxLowerCornerWidth, pixelBoxUpperCornerWidth : int\n    In pixels.\n"
     "channelsPerPixel : int\n    In elements, at most 256.\n"
     "pixelsPerColumn : int\n    In pixels.\n"
     "elementStrides : list of cuuint32_t\n    tensorRank of them, in elements.\n"
     "interleave : CUtensorMapInterleave\nmode : CUtensorMapIm2ColWideMode\n"
     "swizzle : CUtensorMapSwizzle\nl2Promotion : CUtensorMapL2promotion\n"
     "oobFill : CUtensorMapFloatOOBfill\n\n" CALL_WORDS},
    {"cuTensorMapReplaceAddress", (PyCFunction)(void (*)(void))replace_address,
     METH_FASTCALL | METH_KEYWORDS,
     "cuTensorMapReplaceAddress(tensorMap, globalAddress)\n--\n\n"
     "Another address in a map, in place.\n\n"
     "Parameters\n----------\n"
     "tensorMap : CUtensorMap or None\n    This module's, or cuda.bindings' own.\n"
     "globalAddress : int, buffer or None\n    In bytes.\n\n"
     "Returns\n-------\ntuple\n    (CUDA_SUCCESS,), or (CUDA_ERROR_INVALID_VALUE,) and the map as "
     "it was.\n"},
    {"cuTensorMapSetAllocationClass", (PyCFunction)(void (*)(void))set_class,
     METH_FASTCALL | METH_KEYWORDS,
     "cuTensorMapSetAllocationClass(tensorMap, allocClass)\n--\n\n"
     "Another allocation class in a map, in place: CUDA 13.5's call.\n\n"
     "Parameters\n----------\n"
     "tensorMap : CUtensorMap or None\n    This module's, or cuda.bindings' own.\n"
     "allocClass : CUtensorMapAllocClass\n\n"
     "Returns\n-------\ntuple\n    (CUDA_SUCCESS, the class that holds now, never AUTO), or "
     "(CUDA_ERROR_INVALID_VALUE, None) and the map as it was.\n"},
    {nullptr, nullptr, 0, nullptr},
};

nb::list opaque(nb::handle self) {
    const uint8_t *bytes = read_object<Descriptor>(self, "a CUtensorMap").bytes();
    nb::list out;
    for (size_t i = 0; i < TMA_MAP_BYTES; i += 8) {
        uint64_t word = 0;
        for (size_t b = 8; b > 0; b--) {
            word = word << 8 | bytes[i + b - 1];
        }
        out.append(nb::cast(Number<64>{word}));
    }
    return out;
}

void words_into(uint8_t out[TMA_MAP_BYTES], nb::handle words) {
    size_t at = 0;
    for (nb::handle word : nb::iter(words)) {
        if (at == TMA_MAP_BYTES) {
            fail(PyExc_IndexError, "opaque: more than 16 words");
        }
        uint64_t value = unsigned_number(word, 64, "opaque[" + std::to_string(at / 8) + "]");
        for (size_t b = 0; b < 8; b++, value >>= 8) {
            out[at + b] = (uint8_t)value;
        }
        at += 8;
    }
    if (at != TMA_MAP_BYTES) {
        fail(PyExc_IndexError, "opaque: 16 words are wanted, these are " + std::to_string(at / 8));
    }
}

void set_opaque(nb::handle self, nb::handle words) {
    Descriptor &d = read_object<Descriptor>(self, "a CUtensorMap");
    uint8_t bytes[TMA_MAP_BYTES];
    words_into(bytes, words);
    memcpy(d.bytes(), bytes, TMA_MAP_BYTES);
    d.own_mode = -1;
    d.forget_plans();
}

std::string opaque_words(nb::handle self) {
    return std::string("opaque : ") + nb::repr(opaque(self)).c_str();
}

void make_map(CuTensorMap *self, nb::handle ptr) {
    if (unsigned_number(ptr, 64, "_ptr") != 0) {
        fail(PyExc_ValueError, "_ptr: this library looks at no address that it is told; "
                               "TensorMapDescriptor.from_bytes() takes 128 bytes");
    }
    new (self) CuTensorMap();
    memset(self->bytes(), 0, TMA_MAP_BYTES);
    self->target = target_now();
    self->owner = nb::none();
}

void bind_map(nb::module_ &m, nb::class_<Descriptor> &base) {
    nb::class_<CuTensorMap, Descriptor> type(
        m, "CUtensorMap",
        "The 128 bytes, zeros at first. Equal to itself alone, as cuda.bindings' own; bytes() has "
        "its bytes.\n\nParameters\n----------\n_ptr : int\n    0, and nothing else here.");
    (void)base;
    type.def("__init__", make_map, nb::arg("_ptr") = 0)
        .def_prop_rw(
            "opaque", opaque, set_opaque,
            nb::for_getter(nb::sig("def opaque(self, /) -> list[cuuint64_t]")),
            nb::for_setter(nb::sig("def opaque(self, words: Iterable[SupportsInt], /) -> None")),
            "The bytes as sixteen words of 64 bits; a copy of them.")
        .def("__repr__", opaque_words)
        .def(
            "__eq__",
            [](nb::handle self, nb::handle other) -> nb::object {
                return self.is(other) || nb::isinstance<CuTensorMap>(other)
                           ? nb::object(nb::bool_(self.is(other)))
                           : nb::borrow(Py_NotImplemented);
            },
            nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](nb::handle self) { return (Py_hash_t)((uintptr_t)self.ptr() >> 4); })
        .def(
            "__reduce__",
            [](nb::handle) -> nb::object {
                fail(PyExc_TypeError,
                     "a CUtensorMap is not copied or pickled, as cuda.bindings' own is "
                     "not: TensorMapDescriptor.from_bytes() makes an object that is");
            },
            nb::sig("def __reduce__(self) -> NoReturn"));
}

} // namespace

bool bytes_of_binding(nb::handle object, uint8_t out[TMA_MAP_BYTES]) {
    if (!is_binding(object, "CUtensorMap_st") && !is_binding(object, "CUtensorMap")) {
        return false;
    }
    words_into(out, object.attr("opaque"));
    return true;
}

void bind_driver(nb::module_ &m, nb::class_<Descriptor> &base) {
    bind_driver_numbers(m);
    bind_map(m, base);
    success = m.attr("CUresult").attr("CUDA_SUCCESS").ptr();
    invalid_value = m.attr("CUresult").attr("CUDA_ERROR_INVALID_VALUE").ptr();
    class_kind = m.attr("CUtensorMapAllocClass").ptr();
    for (PyObject *kept : {success, invalid_value, class_kind}) {
        Py_INCREF(kept);
    }
    if (PyModule_AddFunctions(m.ptr(), calls) != 0) {
        throw nb::python_error();
    }
    m.def("driver_set_target", set_driver_target, nb::arg("target").none());
    m.def("driver_findings", last_findings);
    m.def("driver_lenient", takes_plain_integers);
    m.def("set_driver_lenient", take_plain_integers, nb::arg("on"));
    m.def(
        "binding_bytes",
        [](nb::handle object) -> nb::object {
            uint8_t bytes[TMA_MAP_BYTES];
            return bytes_of_binding(object, bytes)
                       ? nb::object(nb::bytes((const char *)bytes, sizeof(bytes)))
                       : nb::object(nb::none());
        },
        nb::arg("object"));
}

} // namespace libtma
