/* SPDX-License-Identifier: Apache-2.0
 *
 * Encode calls in the driver's arguments, dumps, grammar, reports, runs and pictures.
 */
#include "py_queries.h"

#include <nanobind/stl/string.h>

#include <cstring>
#include <string>
#include <vector>

#include "py_argument.h"
#include "py_copy.h"
#include "py_finding.h"
#include "py_request.h"
#include "py_spec.h"
#include "py_tensor.h"
#include "py_words.h"
#include "tma/case.h"
#include "tma/cost.h"
#include "tma/draw.h"
#include "tma/dump.h"
#include "tma/grammar.h"
#include "tma/json.h"
#include "tma/pattern.h"

namespace libtma {

namespace {

constexpr size_t PNG_WORK_B = 1 << 20; /* most pictures at once */

/* Whatever has a number: an int, an enumerator, cuda.bindings' cuuint32_t. */
template <typename T> T read_value(nb::handle value, const std::string &argument) {
    const nb::object number = nb::steal<nb::object>(PyNumber_Long(value.ptr()));
    if (!number.is_valid()) {
        throw nb::python_error();
    }
    T out = 0;
    if (!nb::try_cast<T>(number, out)) {
        throw nb::value_error((argument + " = " + nb::str(number).c_str() + ": does not fit " +
                               (std::is_signed_v<T> ? "signed " : "unsigned ") +
                               std::to_string(8 * sizeof(T)) + " bits")
                                  .c_str());
    }
    return out;
}

/* A list of the driver's arguments, checked against what the member holds. */
template <typename T>
void read_list(T *out, uint32_t most, nb::handle values, const char *argument) {
    if (values.is_none()) {
        return;
    }
    const size_t count = nb::len(values);
    for (size_t i = 0; i < count && i < most; i++) {
        out[i] = read_value<T>(nb::object(values[i]),
                               std::string(argument) + "[" + std::to_string(i) + "]");
    }
}

tma_spec read_spec(nb::dict arguments) {
    tma_spec s = {};
    const auto number = [&](const char *name) {
        return arguments.contains(name) ? read_value<uint32_t>(nb::object(arguments[name]), name)
                                        : 0u;
    };
    const auto list = [&](const char *name) {
        return arguments.contains(name) ? nb::borrow(arguments[name]) : nb::object(nb::none());
    };
    s.api = number("api");
    s.dtype = number("data_type");
    s.rank = number("rank");
    s.address = arguments.contains("address")
                    ? read_value<uint64_t>(nb::object(arguments["address"]), "globalAddress")
                    : 0;
    read_list(s.dim_el, TMA_MAX_RANK, list("dim"), "globalDim");
    read_list(s.stride_B, TMA_MAX_STRIDES, list("stride_bytes"), "globalStrides");
    read_list(s.box_el, TMA_MAX_RANK, list("box_dim"), "boxDim");
    read_list(s.lower_px, TMA_MAX_SPATIAL, list("pixel_box_lower_corner"), "pixelBoxLowerCorner");
    read_list(s.upper_px, TMA_MAX_SPATIAL, list("pixel_box_upper_corner"), "pixelBoxUpperCorner");
    read_list(s.element_stride, TMA_MAX_RANK, list("element_strides"), "elementStrides");
    s.channels_per_pixel = number("channels_per_pixel");
    s.pixels_per_column = number("pixels_per_column");
    s.interleave = number("interleave");
    s.swizzle = number("swizzle");
    s.wide_mode = number("mode");
    s.l2 = number("l2_promotion");
    s.fill = number("oob_fill");
    return s;
}

/* (the 128 bytes or None, findings) of an encode call. */
nb::tuple encode(nb::dict arguments, nb::handle target) {
    const tma_spec spec = read_spec(arguments);
    const tma_target on = read_target(target);
    uint8_t map[TMA_MAP_BYTES];
    const nb::object bytes = tma_encode(map, &spec, &on) == TMA_OK
                                 ? nb::object(nb::bytes((const char *)map, sizeof(map)))
                                 : nb::object(nb::none());
    return nb::make_tuple(bytes, check_spec(spec, on));
}

nb::bytes read_dump(nb::bytes data) {
    uint8_t map[TMA_MAP_BYTES];
    tma_error error;
    if (tma_read_dump(map, data.c_str(), data.size(), &error)) {
        throw nb::value_error(error.text);
    }
    return nb::bytes((const char *)map, sizeof(map));
}

void write_piece(void *context, const char *text, size_t length) {
    ((std::string *)context)->append(text, length);
}

std::string spec_words(const Descriptor &d) {
    std::string text;
    tma_decoded decoded = {};
    tma_out out = tma_out_to(write_piece, &text);
    if (tma_decode(&decoded, d.bytes()) == TMA_OK) {
        tma_put_spec(&out, &decoded.spec);
    }
    return text;
}

std::string map_form(const Descriptor &d, const std::string &form) {
    std::string text;
    tma_out out = tma_out_to(write_piece, &text);
    for (size_t i = 0; tma_map_form_name(i); i++) {
        if (std::string(tma_map_form_name(i)) == form) {
            tma_put_map(&out, d.bytes(), (tma_map_form)i);
        }
    }
    return text;
}

std::string json(const Descriptor &d) {
    std::string text;
    tma_decoded decoded = {};
    tma_out out = tma_out_to(write_piece, &text);
    tma_json j = tma_json_begin(&out);
    if (tma_decode(&decoded, d.bytes()) == TMA_OK) {
        tma_json_object(&j, nullptr);
        tma_json_spec(&j, "spec", &decoded.spec);
        tma_json_target(&j, "target", &d.target);
        tma_json_map(&j, "map", d.bytes());
        tma_json_end(&j);
    }
    return text;
}

} // namespace

nb::dict report_of(Descriptor &d, nb::handle self, const Request &r) {
    const std::shared_ptr<const Plans> plans = plans_that_run(d, self, r);
    tma_report_result moved = {};
    tma_global_cost cost = {};
    tma_finding why = {};
    tma_status status = tma_plan_report(&moved, &plans->real, &r.at, &why);
    tma_report_result flat = {};
    tma_position at_zero = r.at;
    at_zero.shared_address = 0;
    if (status == TMA_OK) {
        status = tma_plan_report(&flat, &plans->flat, &at_zero, &why);
    }
    if (status == TMA_OK) {
        status = tma_cost_global(&cost, &plans->real, &r.at);
    }
    if (status != TMA_OK) {
        raise_request(status, why, self, r);
    }
    nb::dict out;
#define TMA_REPORT(member, what) out[#member] = moved.member;
#include <tma/report.def>
#undef TMA_REPORT
    out["tile_B"] = flat.footprint_B;
    out["global_first"] = moved.global_first;
    out["global_end"] = moved.global_end;
    out["sectors"] = cost.sectors;
    out["lines"] = cost.lines;
    return out;
}

namespace {

nb::dict report(nb::handle self, const std::string &op, nb::handle mode, nb::handle coordinates,
                bool outermost_first, nb::handle offsets, uint32_t shared_address, bool warns) {
    Descriptor &d = read_object<Descriptor>(self, "a tensor map");
    const Request r =
        read_request(d, read_op(op), mode, coordinates, outermost_first, offsets, shared_address);
    nb::dict moved = report_of(d, self, r);
    if (warns) {
        warn_of(plans_that_run(d, self, r)->real, r, 2);
    }
    return moved;
}

/* The columns of a walk. */
struct Columns {
    std::vector<uint32_t> kind, row, shared_address, length_B;
    std::vector<uint64_t> address;
    std::vector<int64_t> coord; /* `rank` a run */
    int rank = 0;
};

int note_run(void *context, const tma_run *run) {
    Columns &c = *(Columns *)context;
    c.rank = run->rank;
    for (int i = run->rank; i > 0; i--) {
        c.coord.push_back(run->coord[i - 1]);
    }
    c.kind.push_back(run->kind);
    c.row.push_back(run->row);
    c.address.push_back(run->address);
    c.shared_address.push_back(run->shared_address);
    c.length_B.push_back(run->length_B);
    return 0;
}

/* The numbers as they lie in memory: what numpy.frombuffer() takes. */
template <typename T> nb::object packed(const std::vector<T> &column) {
    return nb::steal<nb::object>(PyByteArray_FromStringAndSize(
        (const char *)column.data(), (Py_ssize_t)(column.size() * sizeof(T))));
}

nb::dict walk(nb::handle self, const std::string &op, nb::handle mode, nb::handle coordinates,
              bool outermost_first, nb::handle offsets, uint32_t shared_address) {
    Descriptor &d = read_object<Descriptor>(self, "a tensor map");
    const Request r =
        read_request(d, read_op(op), mode, coordinates, outermost_first, offsets, shared_address);
    Columns c;
    tma_walk(&plans_that_run(d, self, r)->real, &r.at, note_run, &c);
    nb::dict out;
    out["kind"] = packed(c.kind);
    out["row"] = packed(c.row);
    out["address"] = packed(c.address);
    out["shared_address"] = packed(c.shared_address);
    out["length_bytes"] = packed(c.length_B);
    out["coord"] = packed(c.coord);
    out["rank"] = c.rank;
    return out;
}

nb::bytes draw(nb::handle self, const std::string &picture, const std::string &op, nb::handle mode,
               nb::handle coordinates, bool outermost_first, nb::handle offsets,
               uint32_t shared_address, uint32_t label, uint32_t color, uint32_t theme,
               uint32_t lines, bool as_png) {
    Descriptor &d = read_object<Descriptor>(self, "a tensor map");
    tma_drawing drawing = {};
    if (!tma_picture_find(&drawing.picture, read_word(picture, "picture"))) {
        std::string names;
        for (uint32_t i = 0; i < TMA_PICTURES; i++) {
            names += (i ? ", " : "") + std::string(tma_picture_name(i));
        }
        throw nb::value_error(
            (std::string("picture: '") + picture + "' is none of " + names).c_str());
    }
    const Request r =
        read_request(d, read_op(op), mode, coordinates, outermost_first, offsets, shared_address);
    drawing.map = d.bytes();
    drawing.target = &d.target;
    drawing.instruction = &r.instruction;
    drawing.at = &r.at;
    drawing.label = label;
    drawing.color = color;
    drawing.theme = theme;
    drawing.lines = lines;
    const char *unfit = tma_draw_unfit(&drawing);
    if (unfit) {
        throw nb::value_error((std::string("picture '") + picture + "': " + unfit).c_str());
    }
    std::string file;
    if (!picture_of(file, drawing, as_png)) {
        plans_that_run(d, self, r); /* raises the reason */
    }
    return nb::bytes(file.data(), file.size());
}

/* The command that draws it; the map in words if they are all that is in its bytes. */
std::string draw_command(nb::handle self, const std::string &picture, const std::string &op,
                         nb::handle mode, nb::handle coordinates, bool outermost_first,
                         nb::handle offsets, uint32_t shared_address) {
    Descriptor &d = read_object<Descriptor>(self, "a tensor map");
    const Request r =
        read_request(d, read_op(op), mode, coordinates, outermost_first, offsets, shared_address);
    tma_target_words target = {};
    target.target = d.target;
    target.has_arch = target.has_driver = 1;
    target.has_ptx = d.target.ptx != 0;
    target.has_readings = d.target.readings != 0;
    target.has_toolchain = d.target.toolchain != 0;
    tma_decoded decoded = {};
    tma_map again = {};
    std::string text;
    tma_out out = tma_out_to(write_piece, &text);
    const bool is_read = tma_decode(&decoded, d.bytes()) == TMA_OK;
    tma_putf(&out, "tma draw %s", read_word(picture, "picture"));
    if (is_read && tma_encode(again.bytes, &decoded.spec, &d.target) == TMA_OK &&
        memcmp(again.bytes, d.bytes(), TMA_MAP_BYTES) == 0) {
        tma_put_spec(&out, &decoded.spec);
    } else {
        tma_put(&out, " --map ");
        tma_put_hex_bytes(&out, d.bytes(), TMA_MAP_BYTES);
    }
    tma_put_target_words(&out, &target);
    tma_put_copy_words(&out, &r.instruction, is_read ? decoded.spec.rank : 0, &r.at);
    return text;
}

std::string page_link(const std::string &text) {
    std::string link;
    tma_out out = tma_out_to(write_piece, &link);
    tma_put_page_link(&out, text.data(), text.size());
    return link;
}

/* What memory held before a captured copy (tests/vectors/README.md), and the hash of what it held
 * after. */
void pattern_fill(nb::handle data, const std::string &pattern, uint64_t seed) {
    Py_buffer view;
    uint32_t number = TMA_PATTERNS;
    for (uint32_t i = 0; i < TMA_PATTERNS; i++) {
        number = std::string(tma_pattern_name(i)) == pattern ? i : number;
    }
    if (number == TMA_PATTERNS) {
        throw nb::value_error("pattern: unknown");
    }
    if (PyObject_GetBuffer(data.ptr(), &view, PyBUF_WRITABLE) != 0) {
        throw nb::python_error();
    }
    tma_pattern_fill(view.buf, (size_t)view.len, (tma_pattern)number, seed);
    PyBuffer_Release(&view);
}

uint64_t pattern_hash(nb::handle data) {
    Py_buffer view;
    if (PyObject_GetBuffer(data.ptr(), &view, PyBUF_SIMPLE) != 0) {
        throw nb::python_error();
    }
    const uint64_t hash = tma_hash(view.buf, (size_t)view.len);
    PyBuffer_Release(&view);
    return hash;
}

/* Index of a word among a library's names. */
template <typename Name> uint32_t index_of(const std::string &word, Name name, uint32_t count) {
    std::string names;
    for (uint32_t i = 0; i < count; i++) {
        if (std::string(name(i)) == word) {
            return i;
        }
        names += (i ? ", " : "") + std::string(name(i));
    }
    throw nb::value_error((std::string("'") + word + "' is none of " + names).c_str());
}

/* One that cuda.h has: of another number there is no swizzle, and nothing would move, unseen. */
uint32_t read_swizzle(nb::handle swizzle) {
    const uint32_t number = read_enum(swizzle, TMA_ENUM_SWIZZLE, "swizzle", TMA_SWIZZLE_NONE);
    if (!tma_enum_row_of(TMA_ENUM_SWIZZLE, number)) {
        const std::string word = std::to_string(number) + "B";
        throw nb::value_error(
            ("swizzle = " + std::to_string(number) + ": no enumerator of cuda.h" +
             (tma_enum_find(TMA_ENUM_SWIZZLE, word.c_str()) ? ": pass \"" + word + "\"" : ""))
                .c_str());
    }
    return number;
}

/* Offsets of 64 bits each behind the swizzle, as bytes of as many. */
/* Address, shape, strides in bytes, bytes of an element; whether it is this machine's memory, may
 * be written, and is a copy of its package's; what keeps it alive. */
nb::tuple memory_facts(nb::handle tensor) {
    const Tensor t = read_tensor(tensor);
    nb::list shape, strides_B;
    for (int i = 0; i < t.rank; i++) {
        shape.append(t.shape[i]);
        strides_B.append(nb::int_(t.stride_el[i]) * nb::int_(t.itemsize_B));
    }
    return nb::make_tuple(t.address, shape, strides_B, t.itemsize_B, t.on_host, t.writable,
                          t.is_copy, t.owner.is_valid() ? t.owner : nb::object(nb::none()));
}

nb::bytes swizzled_all(nb::handle offsets, nb::handle swizzle) {
    const tma_swizzle_bits bits = tma_swizzle_bits_of(read_swizzle(swizzle));
    const Held held(offsets, false, "offset");
    std::vector<uint64_t> out((size_t)held.view.len / sizeof(uint64_t));
    if (!out.empty()) {
        memcpy(out.data(), held.view.buf, out.size() * sizeof(uint64_t));
    }
    for (uint64_t &offset : out) {
        if (offset > UINT32_MAX) {
            throw nb::value_error(("offset = " + std::to_string(offset) + " B: not between 0 and " +
                                   std::to_string(UINT32_MAX))
                                      .c_str());
        }
        offset = tma_swizzled(bits, (uint32_t)offset);
    }
    return nb::bytes((const char *)out.data(), out.size() * sizeof(uint64_t));
}

/* A case line's map: its arguments, and what they break on its target. */
nb::tuple read_case(const std::string &text) {
    std::string line = text;
    tma_case said;
    tma_error error;
    tma_spec spec = {};
    tma_target target = read_target(nb::none());
    if (tma_case_read(&said, &line[0], line.size(), &error) ||
        tma_case_spec(&spec, &target, &said, "", &error)) {
        throw nb::value_error(line.empty() ? "line: none could say this call" : error.text);
    }
    return nb::make_tuple(spec_dict(spec), check_spec(spec, target));
}

} // namespace

bool picture_of(std::string &file, const tma_drawing &drawing, bool as_png) {
    tma_draw_size size = {};
    tma_out out = tma_out_to(write_piece, &file);
    if (!as_png || tma_draw_measure(&size, &drawing, nullptr) != TMA_OK) {
        return !as_png && tma_draw_svg(&out, &drawing, nullptr) == TMA_OK;
    }
    const size_t least_B = TMA_DRAW_PNG_LEAST_B(size.width);
    std::vector<unsigned char> work(least_B < PNG_WORK_B ? PNG_WORK_B : least_B);
    return tma_draw_png(&out, &drawing, work.data(), work.size(), nullptr) == TMA_OK;
}

void bind_queries(nb::module_ &m) {
    using namespace nb::literals;
    m.attr("__version__") = TMA_VERSION;
    m.attr("map_bytes") = TMA_MAP_BYTES;
    m.def("encode", encode, "arguments"_a, "target"_a.none() = nb::none());
    m.def("read_case", read_case, "line"_a,
          nb::sig("def read_case(line: str) -> tuple[dict[str, Any], tuple[Finding, ...]]"));
    m.def("read_dump", read_dump, "data"_a);
    m.def("spec_words", spec_words, "descriptor"_a);
    m.def("map_form", map_form, "descriptor"_a, "form"_a);
    m.def("json", json, "descriptor"_a);
    m.def("report", report, "descriptor"_a, "op"_a, "mode"_a.none(), "coordinates"_a,
          "outermost_first"_a, "im2col_offsets"_a.none(), "shared_address"_a, "warns"_a = false);
    m.def("walk", walk, "descriptor"_a, "op"_a, "mode"_a.none(), "coordinates"_a,
          "outermost_first"_a, "im2col_offsets"_a.none(), "shared_address"_a);
    m.def("draw", draw, "descriptor"_a, "picture"_a, "op"_a, "mode"_a.none(),
          "coordinates"_a.none(), "outermost_first"_a, "im2col_offsets"_a.none(),
          "shared_address"_a, "label"_a, "color"_a, "theme"_a, "lines"_a, "png"_a);
    m.def("draw_command", draw_command, "descriptor"_a, "picture"_a, "op"_a, "mode"_a.none(),
          "coordinates"_a.none(), "outermost_first"_a, "im2col_offsets"_a.none(),
          "shared_address"_a);
    m.def("page_link", page_link, "text"_a);
    m.def("shim_lacking", [] { return LIBTMA_SHIM_LACKING; });
    m.def("draw_label",
          [](const std::string &word) { return index_of(word, tma_label_name, TMA_LABELS); });
    m.def("draw_color",
          [](const std::string &word) { return index_of(word, tma_color_name, TMA_COLORS); });
    m.def("pattern_fill", pattern_fill, "data"_a, "pattern"_a, "seed"_a);
    m.def(
        "tensor_facts",
        [](nb::handle tensor) { /* address, shape and strides outermost first, dtype's name */
                                const Tensor t = read_tensor(tensor);
                                nb::list shape, strides;
                                for (int i = 0; i < t.rank; i++) {
                                    shape.append(t.shape[i]);
                                    strides.append(t.stride_el[i]);
                                }
                                return nb::make_tuple(t.address, shape, strides, t.dtype);
        },
        "tensor"_a);
    m.def("memory_facts", memory_facts, "tensor"_a);
    m.def("pattern_hash", pattern_hash, "data"_a);
    m.def("trap_name", [](const Finding &f) { return tma_trap_name(&f.raw); });
    m.def(
        "swizzled",
        [](uint32_t offset, nb::handle swizzle) {
            return tma_swizzled(tma_swizzle_bits_of(read_swizzle(swizzle)), offset);
        },
        "offset"_a, "swizzle"_a);
    m.def("swizzled_all", swizzled_all, "offsets"_a, "swizzle"_a,
          nb::sig("def swizzled_all(offsets: Any, swizzle: Any) -> bytes"));
    m.def(
        "swizzle_span",
        [](nb::handle swizzle) { return tma_swizzle_span_B(read_swizzle(swizzle)); }, "swizzle"_a);
}

} // namespace libtma
