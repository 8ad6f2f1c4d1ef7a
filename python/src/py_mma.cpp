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

/* {"zero-mask-spans": "use"}, as a target's readings. */
uint32_t read_readings(nb::handle object) {
    uint32_t readings = 0;
    for (auto item : read_container<nb::dict>(object, "readings: a dictionary")) {
        tma_error error;
        const std::string word = read_text(nb::str(item.first), "readings") + "=" +
                                 read_text(nb::str(item.second), "readings");
        if (tma_read_mma_reading(&readings, read_word(word, "readings"), "readings", &error)) {
            throw nb::value_error(error.text);
        }
    }
    return readings;
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
    o.readings = read_readings(object.attr("readings"));
    if (!o.mn_el || o.mn_el > 256 || o.k_el > 1024) {
        throw nb::value_error("operand: mn is 1 to 256 elements and k at most 1024, 0 for the "
                              "instruction's own");
    }
    return o;
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

nb::list remarks_of(uint32_t said) {
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

nb::list remarks(nb::handle bits, nb::handle family, nb::handle operand) {
    const bool has_operand = !operand.is_none();
    const tma_mma_operand o = has_operand ? read_operand(operand) : tma_mma_operand{};
    return remarks_of(tma_mma_judge(read_family(family), read_integer<uint64_t>(bits, "bits"),
                                    has_operand ? &o : nullptr));
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

/* A tile, and what it points to. */
struct Tile {
    tma_mma_tile tile = {};
    tma_mma_placed placed[TMA_MMA_PLACED] = {};
    tma_spec specs[TMA_MMA_PLACED] = {};

    explicit Tile(nb::handle object) {
        const nb::tuple all = read_container<nb::tuple>(object.attr("placed"), "placed: a tuple");
        tile.shared_address = member(object, "shared_address");
        tile.copies = member(object, "copies");
        if (!tile.copies) {
            throw nb::value_error("tile: copies is 0, must be at least 1");
        }
        tile.copy_step_B = member(object, "copy_step");
        tile.panel_dims = member(object, "panel_dims");
        if (all.size() > TMA_MMA_PLACED) {
            throw nb::value_error(("placed: " + std::to_string(all.size()) +
                                   " copies; a tile has at most " + std::to_string(TMA_MMA_PLACED))
                                      .c_str());
        }
        for (size_t i = 0; i < all.size(); i++) {
            place(i, all[i]);
        }
    }
    Tile(const Tile &) = delete;
    Tile &operator=(const Tile &) = delete;

  private:
    void place(size_t i, nb::handle one) {
        if (!nb::hasattr(one, "shared_address") || !nb::hasattr(one, "map")) {
            throw nb::type_error(("placed[" + std::to_string(i) +
                                  "]: a Placed is wanted, such as "
                                  "Placed(0x4400, mn=0, k=64)")
                                     .c_str());
        }
        placed[i].shared_address = member(one, "shared_address");
        placed[i].mn = member(one, "mn");
        placed[i].k = member(one, "k");
        if (!one.attr("map").is_none()) {
            specs[i] = spec_of(one.attr("map"));
            placed[i].spec = &specs[i];
        }
        tile.placed = placed;
        tile.placed_count = (uint32_t)i + 1;
    }
};

nb::object number_if(bool is, uint32_t number) {
    return is ? nb::object(nb::int_(number)) : nb::object(nb::none());
}

nb::dict compare(nb::handle object, nb::handle operand, nb::handle map, nb::handle tile,
                 uint32_t mn0, uint32_t k0) {
    encode(object); /* throws for what is none */
    const tma_mma_descriptor d = read_descriptor(object);
    const tma_mma_operand o = read_operand(operand);
    const Tile t(tile);
    const tma_spec spec = spec_of(map);
    tma_mma_difference said = {};
    const tma_status status = tma_mma_compare(&said, &d, &o, &spec, &t.tile, mn0, k0);
    if (status != TMA_OK) {
        tma_mma_why why = {};
        (void)tma_mma_unfit(&why, &spec, &t.tile, &o);
        const std::string text = "map: " + sentence<const tma_mma_why *>(tma_put_mma_why, &why);
        throw nb::value_error(status == TMA_REFUSED ? text.c_str()
                                                    : "operand, mn or k: out of range");
    }
    nb::dict out;
    const bool agree = said.equal_el == said.all_el;
    out["equal"] = said.equal_el;
    out["total"] = said.all_el;
    out["mn"] = number_if(!agree, said.mn);
    out["k"] = number_if(!agree, said.k);
    out["read"] = number_if(!agree, said.read_B);
    out["written"] = number_if(!agree && said.has_written, said.written_B);
    out["written_copy"] = number_if(!agree && said.has_written, said.written_copy);
    out["element_copy"] = number_if(!agree && said.has_element, said.other_copy);
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
    const Tile t(tile);
    const tma_spec spec = spec_of(map);
    tma_mma_descriptor d = {};
    tma_mma_why why = {};
    const tma_status status =
        tma_mma_descriptor_of(&d, &why, &spec, &t.tile, read_family(family), &o, mn0, k0);
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

void read_four(uint32_t out[4], nb::handle object, const char *name) {
    const nb::tuple four = read_container<nb::tuple>(object.attr(name), name);
    if (four.size() != 4) {
        throw nb::value_error((std::string(name) + ": four numbers, one a part").c_str());
    }
    for (size_t i = 0; i < 4; i++) {
        out[i] = read_integer<uint32_t>(four[i], name);
    }
}

tma_mma_zero_mask read_zero_mask(nb::handle object) {
    tma_mma_zero_mask m = {};
    read_four(m.start_el, object, "start");
    read_four(m.first_is_zeros, object, "first_is_zeros");
    m.has_zeros = nb::cast<bool>(object.attr("has_zeros")) ? 1 : 0;
    m.skip_span_el = member(object, "skip_span");
    m.use_span_el = member(object, "use_span");
    m.shift_el = member(object, "shift");
    return m;
}

uint64_t zero_mask_encode(nb::handle object) {
    const tma_mma_zero_mask m = read_zero_mask(object);
    uint64_t bits = 0;
    if (tma_mma_zero_mask_encode(&bits, &m) != TMA_OK) {
        throw nb::value_error("no zero-column mask: start is 0 to 255, first_is_zeros 0 or 1, the "
                              "spans are 1 to 256 and the shift is at most 32");
    }
    return bits;
}

nb::tuple four_of(const uint32_t n[4]) {
    return nb::make_tuple(n[0], n[1], n[2], n[3]);
}

nb::dict zero_mask_decode(nb::handle bits) {
    tma_mma_zero_mask m = {};
    (void)!tma_mma_zero_mask_decode(&m, read_integer<uint64_t>(bits, "bits"));
    nb::dict out;
    out["start"] = four_of(m.start_el);
    out["first_is_zeros"] = four_of(m.first_is_zeros);
    out["has_zeros"] = m.has_zeros != 0;
    out["skip_span"] = m.skip_span_el;
    out["use_span"] = m.use_span_el;
    out["shift"] = m.shift_el;
    return out;
}

/* The column of B of each column of the product, None for zeros. */
nb::list zero_mask_columns(nb::handle object, uint32_t m_el, uint32_t n_el, nb::handle readings) {
    const tma_mma_zero_mask m = read_zero_mask(object);
    const uint32_t chosen = read_readings(readings);
    zero_mask_encode(object); /* throws for what is none */
    if ((m_el != 32 && m_el != 64 && m_el != 128) || !n_el || n_el > 256 ||
        n_el % (128 / m_el) != 0) {
        throw nb::value_error("m is 32, 64 or 128, n at most 256 and a multiple of 128 / m");
    }
    nb::list out;
    for (uint32_t n = 0; n < n_el; n++) {
        const uint32_t column = tma_mma_zero_mask_column(&m, chosen, m_el, n_el, n);
        out.append(column == TMA_MMA_ZEROS ? nb::object(nb::none()) : nb::object(nb::int_(column)));
    }
    return out;
}

nb::list zero_mask_remarks(nb::handle bits, uint32_t m_el) {
    return remarks_of(tma_mma_zero_mask_judge(read_integer<uint64_t>(bits, "bits"), m_el));
}

/* (name, question, ((value, meaning, holder), ...)), as tma list mma-readings has them. */
nb::list all_readings() {
    nb::list out;
    for (size_t i = 0; const tma_reading *reading = tma_mma_reading_at(i); i++) {
        nb::list values;
        for (size_t v = 0; const tma_reads *reads = tma_mma_reads_at(i, v); v++) {
            values.append(nb::make_tuple(reads->name, reads->meaning, reads->holder));
        }
        out.append(nb::make_tuple(reading->name, reading->question, nb::tuple(values)));
    }
    return out;
}

} // namespace

void bind_mma(nb::module_ &m) {
    using namespace nb::literals;
    m.def("mma_encode", encode, "descriptor"_a);
    m.def("mma_decode", decode, "bits"_a, "family"_a);
    m.def("mma_remarks", remarks, "bits"_a, "family"_a, "operand"_a.none());
    m.def("mma_read", read, "descriptor"_a, "operand"_a, "mn"_a, "k"_a);
    m.def("mma_zero_mask_encode", zero_mask_encode, "mask"_a);
    m.def("mma_zero_mask_decode", zero_mask_decode, "bits"_a);
    m.def("mma_zero_mask_columns", zero_mask_columns, "mask"_a, "m"_a, "n"_a, "readings"_a);
    m.def("mma_zero_mask_remarks", zero_mask_remarks, "bits"_a, "m"_a);
    m.def("mma_readings", all_readings);
    m.def("mma_compare", compare, "descriptor"_a, "operand"_a, "map"_a, "tile"_a, "mn"_a, "k"_a);
    m.def("mma_descriptor_of", descriptor_of, "map"_a, "operand"_a, "tile"_a, "family"_a, "mn"_a,
          "k"_a);
}

} // namespace libtma
