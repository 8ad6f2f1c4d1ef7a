/* SPDX-License-Identifier: Apache-2.0
 *
 * The enumerations, made of the library's tables, and what stands for their members.
 */
#include "py_words.h"

#include <nanobind/stl/string.h>

#include <cstring>
#include <string>

#include "py_argument.h"
#include "py_tensor.h"
#include "tma/grammar.h"
#include "tma/limits.def"
#include "tma/synonyms.h"
#include "tma/type_traits.h"

namespace libtma {

nb::dict chosen_of(const tma_target &t) {
    nb::dict out;
    for (uint32_t i = 0; const tma_reading *reading = tma_reading_at(i); i++) {
        if (tma_target_reads(&t, i)) {
            out[reading->name] = tma_reads_at(i, tma_target_reads(&t, i))->name;
        }
    }
    return out;
}

namespace {

/* Python's enumerations as cuda.core names them: what its member names leave away of cuda.h's. */
struct Family {
    tma_enum_kind kind;
    const char *name;
    const char *driver;  /* cuda.h's own */
    const char *drop;    /* before a member's name */
    const char *or_drop; /* where that is not there */
    const char *digits;  /* before a name that would start with a digit */
};

const Family families[] = {
    {TMA_ENUM_DTYPE, "TensorMapDataType", "CUtensorMapDataType", "CU_TENSOR_MAP_DATA_TYPE_", "",
     "PACKED_"},
    {TMA_ENUM_INTERLEAVE, "TensorMapInterleave", "CUtensorMapInterleave",
     "CU_TENSOR_MAP_INTERLEAVE_NONE", "CU_TENSOR_MAP_", ""},
    {TMA_ENUM_SWIZZLE, "TensorMapSwizzle", "CUtensorMapSwizzle", "CU_TENSOR_MAP_SWIZZLE_NONE",
     "CU_TENSOR_MAP_", ""},
    {TMA_ENUM_L2, "TensorMapL2Promotion", "CUtensorMapL2promotion", "CU_TENSOR_MAP_L2_PROMOTION_",
     "", ""},
    {TMA_ENUM_FILL, "TensorMapOOBFill", "CUtensorMapFloatOOBfill", "CU_TENSOR_MAP_FLOAT_OOB_FILL_",
     "", ""},
    {TMA_ENUM_WIDE_MODE, "TensorMapIm2ColWideMode", "CUtensorMapIm2ColWideMode",
     "CU_TENSOR_MAP_IM2COL_WIDE_MODE_", "", ""},
};

/* cuda.core's name of a member; "" if cuda.h has no such enumerator. */
std::string member_name(const Family &family, const tma_enum_row &row) {
    const std::string full = row.cuda_name;
    if (full.empty()) {
        return "";
    }
    if (full == family.drop) {
        return "NONE"; /* CU_TENSOR_MAP_SWIZZLE_NONE among SWIZZLE_32B, SWIZZLE_64B */
    }
    const size_t drop =
        full.rfind(family.drop, 0) == 0 ? strlen(family.drop) : strlen(family.or_drop);
    const std::string name = full.substr(drop);
    return isdigit((unsigned char)name[0]) ? family.digits + name : name;
}

const Family *family_of(tma_enum_kind kind) {
    for (const Family &family : families) {
        if (family.kind == kind) {
            return &family;
        }
    }
    return nullptr;
}

/* An element type's TMA_TRAIT_*. */
uint32_t traits_of(uint32_t dtype) {
    switch (dtype) {
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, immediate, stored, evidence, bits, mantissa, traits,   \
                       ...)                                                                        \
    case TMA_DTYPE_##id:                                                                           \
        return traits;
#include "tma/enums.def"
    default:
        return 0;
    }
}

/* A name of the library, of cuda.h, of PTX, or whatever people call it. */
const tma_enum_row *row_of_word(tma_enum_kind kind, const std::string &word, const char *argument) {
    const tma_enum_row *found = tma_enum_find(kind, read_word(word, argument));
    return found ? found : tma_enum_synonym(kind, word.c_str(), word.size());
}

std::string all_words(tma_enum_kind kind) {
    std::string words;
    for (size_t i = 0; const tma_enum_row *row = tma_enum_at(kind, i); i++) {
        words += (i ? ", " : "") + std::string(row->name);
    }
    return words;
}

bool read_number(nb::handle value, uint32_t *out, const char *argument) {
    if (!PyLong_Check(value.ptr()) || PyBool_Check(value.ptr())) {
        return false;
    }
    *out = read_integer<uint32_t>(value, argument);
    return true;
}

[[noreturn]] void unknown_word(const char *argument, const std::string &word, tma_enum_kind kind) {
    throw nb::value_error(
        (std::string(argument) + ": '" + word + "' is none of " + all_words(kind)).c_str());
}

/* The type that a word means; ValueError for one such as fp4, which stands for several storages. */
uint32_t one_storage(const std::string &word, const char *argument) {
    uint32_t dtype = 0;
    tma_error error;
    if (tma_read_enum(&dtype, TMA_ENUM_DTYPE, word.c_str(), argument, &error)) {
        throw nb::value_error(error.text);
    }
    return dtype;
}

tma_target plain_target() {
    tma_target_words words;
    tma_target_words_begin(&words);
    return words.target;
}

/* {"w128-halo": "behind"} into the target. */
void take_readings(tma_target *target, nb::handle readings) {
    for (auto item : read_container<nb::dict>(readings, "readings: a dictionary")) {
        tma_error error;
        const std::string word = read_text(nb::str(item.first), "readings") + "=" +
                                 read_text(nb::str(item.second), "readings");
        if (tma_read_reading(target, read_word(word, "readings"), "readings", &error)) {
            throw nb::value_error(error.text);
        }
    }
}

/* How the target reads each disputed question. */
nb::dict readings_of(const tma_target &t) {
    nb::dict out;
    for (uint32_t i = 0; const tma_reading *reading = tma_reading_at(i); i++) {
        out[reading->name] = tma_reads_at(i, tma_target_reads(&t, i))->name;
    }
    return out;
}

void make_target(tma_target *self, nb::handle arch, nb::handle driver, nb::handle ptx_version,
                 nb::handle readings, nb::handle toolchain) {
    tma_error error;
    tma_target target = plain_target();
    const std::string arch_word = read_text(nb::str(arch), "arch");
    if (tma_read_arch(&target, read_word(arch_word, "arch"), "arch", &error)) {
        throw nb::value_error(error.text);
    }
    if (!driver.is_none()) {
        const std::string word = read_text(nb::str(driver), "driver");
        if (tma_read_driver(&target.driver, read_word(word, "driver"), "driver", &error)) {
            throw nb::value_error(error.text);
        }
    }
    if (!ptx_version.is_none()) {
        const std::string word = read_text(nb::str(ptx_version), "ptx_version");
        if (tma_read_ptx_version(&target.ptx, read_word(word, "ptx_version"), "ptx_version",
                                 &error)) {
            throw nb::value_error(error.text);
        }
    }
    if (!toolchain.is_none()) {
        const std::string word = read_text(nb::str(toolchain), "toolchain");
        if (tma_read_toolchain(&target.toolchain, read_word(word, "toolchain"), "toolchain",
                               &error)) {
            throw nb::value_error(error.text);
        }
    }
    if (!readings.is_none()) {
        take_readings(&target, readings);
    }
    new (self) tma_target(target);
}

std::string driver_text(const tma_target &t) {
    char text[32];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_put_driver(&out, t.driver);
    return text;
}

/* "8.6"; None where any will do. */
nb::object ptx_text(const tma_target &t) {
    char text[32];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_put_ptx_version(&out, t.ptx);
    return t.ptx ? nb::object(nb::str(text)) : nb::none();
}

/* "13.5"; None where none is named. */
nb::object toolchain_text(const tma_target &t) {
    char text[32];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_put_driver(&out, t.toolchain);
    return t.toolchain ? nb::object(nb::str(text)) : nb::none();
}

/* What None stands for. */
nb::ft_mutex default_lock;
tma_target default_target = plain_target();

void set_target(nb::handle value) {
    const tma_target target = value.is_none() ? plain_target() : read_target(value);
    const nb::ft_lock_guard held(default_lock);
    default_target = target;
}

uint64_t key(const tma_target &t) {
    return ((uint64_t)t.driver << 40 | (uint64_t)t.ptx << 24 | (uint64_t)t.sm << 8 |
            (uint8_t)t.suffix) ^
           (uint64_t)t.toolchain << 16;
}

} // namespace

uint32_t read_enum(nb::handle value, tma_enum_kind kind, const char *argument, uint32_t otherwise) {
    uint32_t number = otherwise;
    if (value.is_none() || read_number(value, &number, argument)) {
        return number;
    }
    if (!nb::isinstance<nb::str>(value)) {
        throw nb::type_error((std::string(argument) + ": a member of " + family_of(kind)->name +
                              ", its number or its name is wanted")
                                 .c_str());
    }
    const std::string word = read_text(value, argument);
    const tma_enum_row *row = row_of_word(kind, word, argument);
    if (!row) {
        unknown_word(argument, word, kind);
    }
    return kind == TMA_ENUM_DTYPE && !tma_enum_find(kind, word.c_str())
               ? one_storage(word, argument)
               : (uint32_t)row->driver;
}

uint32_t dtype_of_name(const std::string &name) {
    static thread_local const tma_enum_row *last = nullptr; /* most maps are of one type */
    const tma_enum_row *row = last && name == last->name
                                  ? last
                                  : tma_enum_find(TMA_ENUM_DTYPE, read_word(name, "data_type"));
    if (row) {
        last = row;
        return (uint32_t)row->driver;
    }
    row = row_of_word(TMA_ENUM_DTYPE, name, "data_type");
    if (!row) {
        unknown_word("data_type", name, TMA_ENUM_DTYPE);
    }
    return one_storage(name, "data_type");
}

bool elements_agree(const Tensor &tensor, uint32_t dtype, const std::string &own) {
    const uint32_t bits = tma_dtype_bits(dtype);
    const uint32_t given_bits = 8 * tensor.itemsize_B;
    if (tensor.dtype == own || bits % 8 != 0) {
        return given_bits == (bits % 8 ? 8 : bits);
    }
    if (given_bits != bits) {
        return false;
    }
    const bool is_unsigned = tensor.dtype.rfind("uint", 0) == 0;
    const bool is_integer = is_unsigned || tensor.dtype.rfind("int", 0) == 0;
    if (bits == 8) { /* 8-bit floats are bytes of the map */
        const bool map_is_float = own.rfind("float", 0) == 0;
        return is_integer || !map_is_float;
    }
    if (traits_of(dtype) & TMA_TRAIT_FLOAT) {
        const tma_enum_row *row = row_of_word(TMA_ENUM_DTYPE, tensor.dtype, "dtype");
        const bool is_float = row && (traits_of((uint32_t)row->driver) & TMA_TRAIT_FLOAT);
        return is_float ? bits == 32 || (uint32_t)row->driver == dtype
                        : is_unsigned && dtype == TMA_DTYPE_BFLOAT16;
    }
    return is_integer;
}

uint32_t read_dtype(nb::handle value, const char *argument) {
    uint32_t number = 0;
    return read_number(value, &number, argument) ? number : dtype_of_name(dtype_name(value));
}

tma_target read_target(nb::handle value) {
    if (value.is_none()) {
        const nb::ft_lock_guard held(default_lock);
        return default_target;
    }
    if (nb::isinstance<nb::str>(value)) {
        tma_target target;
        make_target(&target, value, nb::none(), nb::none(), nb::none(), nb::none());
        return target;
    }
    if (nb::isinstance<nb::dict>(value)) { /* Target's own arguments, by their names */
        return nb::cast<tma_target>(nb::type<tma_target>()(**nb::borrow<nb::kwargs>(value)));
    }
    return read_object<tma_target>(value, "target: a libtma.Target, or a word such as 'sm_100a',");
}

namespace {

void add_enumeration(nb::module_ &m, const char *name, const nb::dict &members) {
    const nb::object int_enum = nb::module_::import_("enum").attr("IntEnum");
    m.attr(name) = int_enum(name, members, nb::arg("module") = m.attr("__name__"));
}

/* cuda.core's enumerations, and the driver's, which cuda.bindings has. */
void bind_enumerations(nb::module_ &m) {
    for (const Family &family : families) {
        nb::dict members;
        nb::dict cuda_members;
        for (size_t i = 0; const tma_enum_row *row = tma_enum_at(family.kind, i); i++) {
            const std::string name = member_name(family, *row);
            if (!name.empty()) {
                members[name.c_str()] = row->driver;
                cuda_members[row->cuda_name] = row->driver;
            }
        }
        add_enumeration(m, family.name, members);
        add_enumeration(m, family.driver, cuda_members);
    }
    nb::dict classes, codes;
    classes["CU_TENSOR_MAP_ALLOC_CLASS_AUTO"] = (uint32_t)TMA_CLASS_AUTO;
    classes["CU_TENSOR_MAP_ALLOC_CLASS_SMALL"] = (uint32_t)TMA_CLASS_SMALL;
    classes["CU_TENSOR_MAP_ALLOC_CLASS_LARGE"] = (uint32_t)TMA_CLASS_LARGE;
    add_enumeration(m, "CUtensorMapAllocClass", classes);
    codes["CUDA_SUCCESS"] = 0;
#define DRIVER_CODE(name, number, about, words, meaning) codes["CUDA_ERROR_" #name] = number;
#define DRIVER_CODE_NAME(name, number)                   codes["CUDA_ERROR_" #name] = number;
#include "tma/driver_codes.def"
#undef DRIVER_CODE
    add_enumeration(m, "CUresult", codes);
}

} // namespace

static const char target_words[] =
    "The machine that maps and copies are judged for.\n\n"
    "Parameters\n"
    "----------\n"
    "arch : str\n"
    "    'sm_90' to 'sm_121', with or without 'a' or 'f', or a GPU: 'H200'.\n"
    "driver : str, optional\n"
    "    '12.8', or a driver's own version: '580.95'. None: 13.0.\n"
    "ptx_version : str, optional\n"
    "    '8.6'. None: any.\n"
    "toolchain : str, optional\n"
    "    CUDA release of the compiler that made the machine code: '13.5'. None: the first that "
    "takes\n"
    "    ptx_version, but not before 13.0. :meth:`TensorMapDescriptor.replace` hangs on it.\n"
    "readings : dict, optional\n"
    "    How it reads what sources dispute: {'w128-halo': 'behind'} (docs/readings.md).\n\n"
    "Raises\n"
    "------\n"
    "ValueError\n"
    "    A word is none of these.";

void bind_words(nb::module_ &m) {
    nb::class_<tma_target>(m, "Target", target_words)
        .def("__init__", make_target, nb::arg("arch") = "sm_90", nb::kw_only(),
             nb::arg("driver") = nb::none(), nb::arg("ptx_version") = nb::none(),
             nb::arg("readings") = nb::none(), nb::arg("toolchain") = nb::none(),
             nb::sig("def __init__(self, arch: str = 'sm_90', *, driver: str | None = None, "
                     "ptx_version: str | None = None, readings: dict[str, str] | None = None, "
                     "toolchain: str | None = None) -> None"))
        .def("__init__",
             [](tma_target *, const nb::args &given, const nb::kwargs &named) {
                 refuse_call("Target", {"arch", "driver", "ptx_version", "readings", "toolchain"},
                             given, named);
             })
        .def_prop_ro(
            "arch", [](const tma_target &t) { return tma_arch_text(&t); },
            "The architecture: 'sm_100a'.")
        .def_prop_ro("driver", driver_text, "The driver's version: '13.0'.")
        .def_prop_ro("ptx_version", ptx_text, nb::sig("def ptx_version(self, /) -> str | None"),
                     "The version of PTX: '8.6'; None where any will do.")
        .def_prop_ro("toolchain", toolchain_text, nb::sig("def toolchain(self, /) -> str | None"),
                     "The compiler's CUDA release: '13.5'; None where none is named.")
        .def_prop_ro("readings", readings_of, nb::sig("def readings(self, /) -> dict[str, str]"),
                     "How each question that sources dispute is answered.")
        .def("__repr__",
             [](const tma_target &t) {
                 return std::string("Target('") + tma_arch_text(&t) + "', driver='" +
                        driver_text(t) + "'" +
                        (t.ptx ? ", ptx_version='" + nb::cast<std::string>(ptx_text(t)) + "'"
                               : std::string()) +
                        (t.toolchain
                             ? ", toolchain='" + nb::cast<std::string>(toolchain_text(t)) + "'"
                             : std::string()) +
                        (t.readings ? ", readings=" + nb::cast<std::string>(nb::repr(chosen_of(t)))
                                    : std::string()) +
                        ")";
             })
        .def("__eq__",
             [](const tma_target &t, nb::handle other) {
                 return nb::isinstance<tma_target>(other) && nb::inst_ready(other) &&
                        key(t) == key(*nb::inst_ptr<tma_target>(other)) &&
                        t.toolchain == nb::inst_ptr<tma_target>(other)->toolchain &&
                        t.readings == nb::inst_ptr<tma_target>(other)->readings;
             })
        .def("__hash__", key)
        .def("__reduce__", [](nb::handle self) {
            const tma_target &t = read_object<tma_target>(self, "a libtma.Target");
            return nb::make_tuple(nb::module_::import_("libtma").attr("_target"),
                                  nb::make_tuple(tma_arch_text(&t), driver_text(t), ptx_text(t),
                                                 chosen_of(t), toolchain_text(t)));
        });
    bind_enumerations(m);
    m.def("api", [](nb::str name) { return read_enum(name, TMA_ENUM_API, "api", TMA_API_TILED); });
    m.def(
        "data_type", [](nb::handle value) { return read_dtype(value, "dtype"); },
        nb::arg("dtype").none());
    m.def("dtype_name", dtype_name, nb::arg("dtype"));
    m.def("swizzle_number", [](nb::handle value) {
        return read_enum(value, TMA_ENUM_SWIZZLE, "swizzle", TMA_SWIZZLE_NONE);
    });
    m.def("data_type_bits", [](uint32_t dtype) { return tma_dtype_bits(dtype); });
    m.def("data_type_of_ptx",
          [](uint32_t immediate)
              -> uint32_t { /* tensormap.replace's number */
                            switch (immediate) {
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, number, ...)                                           \
    case number:                                                                                   \
        return TMA_DTYPE_##id;
#include "tma/enums.def"
                            default:
                                throw nb::value_error(
                                    "elem_type: tensormap.replace has no such type");
                            }
          });
    m.def("ptx_of_data_type",
          [](uint32_t dtype) -> uint32_t { /* and back */
                                           switch (dtype) {
#define TMA_DTYPE_ROWS(id, name, cuda, ptx, number, ...)                                           \
    case TMA_DTYPE_##id:                                                                           \
        return number;
#include "tma/enums.def"
                                           default:
                                               throw nb::value_error(
                                                   "data_type: tensormap.replace has no such type");
                                           }
          });
    m.def("set_target", set_target, nb::arg("target").none());
    m.def("target", [] { return read_target(nb::none()); });
    m.attr("max_rank") = TMA_MAX_RANK;
    m.attr("max_box_elements") = TMA_VALUE(BOX);
    m.attr("max_shared_bytes") = TMA_VALUE(SHARED);
    m.attr("store_unit_bytes") = TMA_VALUE(ALIGN);
}

} // namespace libtma
