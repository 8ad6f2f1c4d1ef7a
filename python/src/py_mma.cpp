/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix descriptors of MMAs: made, read, compared with what a map's copy leaves.
 */
#include "py_mma.h"

#include <nanobind/stl/string.h>

#include <string>

#include "py_argument.h"
#include "py_descriptor.h"
#include "py_words.h"
#include "tma/mma.h"
#include "tma/mma_text.h"

namespace libtma {

namespace {

void write_piece(void *context, const char *text, size_t length) {
    ((std::string *)context)->append(text, length);
}

template <typename... Arguments>
std::string sentence(void (*put)(tma_out *, Arguments...), Arguments... arguments) {
    std::string text;
    tma_out out = tma_out_to(write_piece, &text);
    put(&out, arguments...);
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return text;
}

/* One of a few words, by its place among them. */
template <size_t N>
uint32_t read_one(const std::string &word, const char *const (&words)[N], const char *argument) {
    std::string all;
    for (size_t i = 0; i < N; i++) {
        if (word == words[i]) {
            return (uint32_t)i;
        }
        all += (i ? ", " : "") + std::string(words[i]);
    }
    throw nb::value_error((std::string(argument) + ": '" + word + "' is none of " + all).c_str());
}

const char *const families[] = {"wgmma", "tcgen05"};

uint32_t read_family(nb::handle value) {
    return read_one(read_text(value, "family"), families, "family");
}

uint32_t read_type(nb::handle value) {
    const std::string word = read_text(value, "dtype");
    std::string all;
    for (uint32_t i = 0; i < TMA_MMA_TYPES; i++) {
        if (word == tma_mma_type_at(i)->name) {
            return i;
        }
        all += (i ? ", " : "") + std::string(tma_mma_type_at(i)->name);
    }
    throw nb::value_error(("dtype: '" + word + "' is none of " + all).c_str());
}

uint32_t member(nb::handle object, const char *name) {
    return read_integer<uint32_t>(object.attr(name), name);
}

/* libtma.mma's objects, by their members. */
tma_mma_operand read_operand(nb::handle object) {
    static const char *const matrices[] = {"A", "B"};
    static const char *const majors[] = {"K", "MN"};
    tma_mma_operand o = {};
    o.matrix = read_one(read_text(object.attr("matrix"), "matrix"), matrices, "matrix");
    o.major = read_one(read_text(object.attr("major"), "major"), majors, "major");
    o.type = read_type(object.attr("dtype"));
    o.mn_el = member(object, "mn");
    o.k_el = member(object, "k");
    if (!o.mn_el || o.mn_el > 256 || o.k_el > 1024) {
        throw nb::value_error("operand: mn is 1 to 256 elements and k at most 1024, 0 for the "
                              "instruction's own");
    }
    return o;
}

tma_mma_tile read_tile(nb::handle object) {
    tma_mma_tile t = {};
    t.shared_address = member(object, "shared_address");
    t.copies = member(object, "copies");
    t.copy_step_B = member(object, "copy_step");
    t.panel_dims = member(object, "panel_dims");
    return t;
}

tma_mma_descriptor read_descriptor(nb::handle object) {
    tma_mma_descriptor d = {};
    d.family = read_family(object.attr("family"));
    d.swizzle = read_enum(object.attr("swizzle"), TMA_ENUM_SWIZZLE, "swizzle", TMA_SWIZZLE_NONE);
    d.start_B = member(object, "start");
    d.leading_B = member(object, "leading");
    d.stride_B = member(object, "stride");
    d.base_offset = member(object, "base_offset");
    d.leading_absolute = nb::cast<bool>(object.attr("leading_absolute")) ? 1 : 0;
    return d;
}

nb::dict descriptor_dict(const tma_mma_descriptor &d) {
    nb::dict out;
    out["family"] = families[d.family];
    out["swizzle"] = tma_enum_row_of(TMA_ENUM_SWIZZLE, d.swizzle)->name;
    out["start"] = d.start_B;
    out["leading"] = d.leading_B;
    out["stride"] = d.stride_B;
    out["base_offset"] = d.base_offset;
    out["leading_absolute"] = d.leading_absolute != 0;
    return out;
}

uint64_t encode(nb::handle object) {
    const tma_mma_descriptor d = read_descriptor(object);
    uint64_t bits = 0;
    if (tma_mma_encode(&bits, &d) != TMA_OK) {
        throw nb::value_error(
            ("no descriptor of " + std::string(families[d.family]) +
             ": start, leading and stride are multiples of 16 below 2^18, base_offset is 0 to 7, "
             "and the swizzle is none, 32B, 64B, 128B, of tcgen05 128B_ATOM_32B too; an absolute "
             "leading address is tcgen05's")
                .c_str());
    }
    return bits;
}

nb::dict decode(nb::handle bits, nb::handle family) {
    const uint32_t of = read_family(family);
    tma_mma_descriptor d = {};
    if (tma_mma_decode(&d, of, read_integer<uint64_t>(bits, "bits")) != TMA_OK) {
        throw nb::value_error("bits: the swizzle's code (63 to 61) is none of tcgen05's: 0, 1, 2, "
                              "4, 6");
    }
    return descriptor_dict(d);
}

nb::list remarks(nb::handle bits, nb::handle family, nb::handle operand) {
    const bool has_operand = !operand.is_none();
    const tma_mma_operand o = has_operand ? read_operand(operand) : tma_mma_operand{};
    const uint32_t said = tma_mma_judge(read_family(family), read_integer<uint64_t>(bits, "bits"),
                                        has_operand ? &o : nullptr);
    nb::list out;
    for (uint32_t i = 0; i < TMA_MMA_RULES; i++) {
        if (said >> i & 1) {
            const tma_mma_rule *rule = tma_mma_rule_at(i);
            out.append(
                nb::make_tuple(rule->name, rule->wrong != 0, rule->statement, rule->evidence));
        }
    }
    return out;
}

nb::tuple read(nb::handle object, nb::handle operand, uint32_t mn, uint32_t k) {
    const tma_mma_descriptor d = read_descriptor(object);
    const tma_mma_operand o = read_operand(operand);
    uint64_t bits = 0;
    if (tma_mma_encode(&bits, &d) != TMA_OK) {
        encode(object); /* says why */
    }
    if (mn >= 256 || k >= 1024) {
        throw nb::value_error("mn is below 256 and k below 1024");
    }
    const tma_mma_place at = tma_mma_read(&d, &o, mn, k);
    return nb::make_tuple(at.address_B, at.bit);
}

tma_spec spec_of(nb::handle map) {
    tma_decoded decoded = {};
    if (tma_decode(&decoded, read_object<Descriptor>(map, "a tensor map").bytes()) != TMA_OK) {
        throw nb::value_error("map: these bytes say no map");
    }
    return decoded.spec;
}

nb::dict compare(nb::handle object, nb::handle operand, nb::handle map, nb::handle tile,
                 uint32_t mn0, uint32_t k0) {
    encode(object); /* throws for what is none */
    const tma_mma_descriptor d = read_descriptor(object);
    const tma_mma_operand o = read_operand(operand);
    const tma_mma_tile t = read_tile(tile);
    const tma_spec spec = spec_of(map);
    tma_mma_difference said = {};
    const tma_status status = tma_mma_compare(&said, &d, &o, &spec, &t, mn0, k0);
    if (status != TMA_OK) {
        tma_mma_why why = {};
        (void)tma_mma_unfit(&why, &spec, &t, &o);
        const std::string text = "map: " + sentence<const tma_mma_why *>(tma_put_mma_why, &why);
        throw nb::value_error(status == TMA_REFUSED ? text.c_str()
                                                    : "operand, mn or k: out of range");
    }
    nb::dict out;
    const bool agree = said.equal_el == said.all_el;
    out["equal"] = said.equal_el;
    out["total"] = said.all_el;
    out["mn"] = agree ? nb::object(nb::none()) : nb::object(nb::int_(said.mn));
    out["k"] = agree ? nb::object(nb::none()) : nb::object(nb::int_(said.k));
    out["read"] = agree ? nb::object(nb::none()) : nb::object(nb::int_(said.read_B));
    out["written"] =
        agree || !said.has_written ? nb::object(nb::none()) : nb::object(nb::int_(said.written_B));
    out["element"] = agree || !said.has_element
                         ? nb::object(nb::none())
                         : nb::object(nb::make_tuple(said.other_mn, said.other_k));
    out["text"] = sentence<const tma_mma_difference *, const tma_mma_operand *, uint32_t, uint32_t>(
        tma_put_mma_difference, &said, &o, mn0, k0);
    return out;
}

/* The descriptor, or (reason, sentence, box_dim of dimension 0 that would do or 0, its swizzle). */
nb::object descriptor_of(nb::handle map, nb::handle operand, nb::handle tile, nb::handle family,
                         uint32_t mn0, uint32_t k0) {
    const tma_mma_operand o = read_operand(operand);
    const tma_mma_tile t = read_tile(tile);
    const tma_spec spec = spec_of(map);
    tma_mma_descriptor d = {};
    tma_mma_why why = {};
    const tma_status status =
        tma_mma_descriptor_of(&d, &why, &spec, &t, read_family(family), &o, mn0, k0);
    if (status == TMA_INVALID) {
        throw nb::value_error("operand, mn or k: out of range");
    }
    if (status == TMA_OK) {
        return descriptor_dict(d);
    }
    const std::string text = sentence<const tma_mma_why *>(tma_put_mma_why, &why);
    return nb::make_tuple(tma_mma_reason_name(why.reason), text.c_str(), why.would_box0_el,
                          tma_enum_row_of(TMA_ENUM_SWIZZLE, why.would_swizzle)->name);
}

} // namespace

void bind_mma(nb::module_ &m) {
    using namespace nb::literals;
    m.def("mma_encode", encode, "descriptor"_a);
    m.def("mma_decode", decode, "bits"_a, "family"_a);
    m.def("mma_remarks", remarks, "bits"_a, "family"_a, "operand"_a.none());
    m.def("mma_read", read, "descriptor"_a, "operand"_a, "mn"_a, "k"_a);
    m.def("mma_compare", compare, "descriptor"_a, "operand"_a, "map"_a, "tile"_a, "mn"_a, "k"_a);
    m.def("mma_descriptor_of", descriptor_of, "map"_a, "operand"_a, "tile"_a, "family"_a, "mn"_a,
          "k"_a);
}

} // namespace libtma
