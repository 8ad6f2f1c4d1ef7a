/* SPDX-License-Identifier: Apache-2.0
 *
 * Operation, mode and operands out of Python's arguments.
 */
#include "py_request.h"

#include <string>

#include "py_argument.h"
#include "py_finding.h"
#include "tma/grammar.h"

namespace libtma {

namespace {

std::string entry(const char *argument, size_t i) {
    return std::string(argument) + "[" + std::to_string(i) + "]";
}

template <typename T>
void read_numbers(T *out, size_t most, nb::handle values, bool reversed, const char *argument) {
    const size_t count = nb::len(values);
    if (count > most) {
        throw nb::value_error((std::string(argument) + " has " + std::to_string(count) +
                               " entries, at most " + std::to_string(most) + " have a meaning")
                                  .c_str());
    }
    for (size_t i = 0; i < count; i++) {
        const size_t from = reversed ? count - 1 - i : i;
        const nb::object value = values[from];
        const long long number = PyLong_AsLongLong(value.ptr());
        if (number == -1 && PyErr_Occurred()) {
            throw nb::python_error();
        }
        out[i] = (T)number;
        if ((long long)out[i] != number) {
            throw nb::value_error((entry(argument, from) + " = " + std::to_string(number) +
                                   ": does not fit the instruction's " +
                                   std::to_string(8 * sizeof(T)) + "-bit operand")
                                      .c_str());
        }
    }
}

void learn_own(Descriptor &d) {
    if (d.own_mode < 0) {
        tma_decoded decoded = {};
        const bool known = tma_decode(&decoded, d.bytes()) == TMA_OK;
        const bool tiled = known && decoded.spec.api == TMA_API_TILED;
        d.own_rank = known ? decoded.spec.rank : 0;
        d.own_mode = tiled ? TMA_MODE_TILE : TMA_MODE_IM2COL;
    }
}

/* Neither fewer, which the library would take for zeros, nor more. */
void check_count(size_t given, uint32_t wanted, const char *argument, const Request &r) {
    if (given != wanted) {
        throw nb::value_error((std::string(argument) + ": " + std::to_string(given) +
                               (given == 1 ? " entry, " : " entries, ") +
                               tma_mode_name(r.instruction.mode) + " of this map has " +
                               std::to_string(wanted))
                                  .c_str());
    }
}

} // namespace

uint32_t read_op(const std::string &word) {
    uint32_t op = 0;
    tma_error error;
    if (tma_read_op(&op, read_word(word, "op"), "op", &error)) {
        throw nb::value_error(error.text);
    }
    return op;
}

Request read_request(Descriptor &d, uint32_t op, nb::handle mode, nb::handle coordinates,
                     bool outermost_first, nb::handle im2col_offsets, uint32_t shared_address) {
    Request r;
    tma_error error;
    r.instruction.op = op;
    learn_own(d);
    if (mode.is_none()) {
        r.instruction.mode = (uint32_t)d.own_mode;
    } else if (!nb::isinstance<nb::str>(mode)) {
        throw nb::type_error("mode: a word such as 'tile' is wanted");
    } else if (tma_read_mode(&r.instruction.mode, read_word(read_text(mode, "mode"), "mode"),
                             "mode", &error)) {
        throw nb::value_error(error.text);
    }
    r.at.shared_address = shared_address;
    const uint32_t rank =
        d.own_rank; /* 0: no map that anyone can read; the copy says what is wrong */
    const uint32_t mode_of = r.instruction.mode;
    r.coordinates = coordinates.is_none() ? tma_mode_coords(mode_of, rank) : nb::len(coordinates);
    if (!coordinates.is_none()) {
        if (rank) {
            check_count(r.coordinates, tma_mode_coords(mode_of, rank), "offsets", r);
        }
        read_numbers(r.at.coord, TMA_MAX_RANK, coordinates, outermost_first, "offsets");
    }
    if (!im2col_offsets.is_none()) {
        if (rank) {
            check_count(nb::len(im2col_offsets), tma_mode_offsets(op, mode_of, rank),
                        "im2col_offsets", r);
        }
        read_numbers(r.at.offset, TMA_MAX_SPATIAL, im2col_offsets, outermost_first,
                     "im2col_offsets");
    }
    return r;
}

void raise_request(tma_status status, const tma_finding &why, nb::handle self, const Request &r) {
    nb::list coordinates;
    for (size_t i = 0; i < r.coordinates; i++) {
        coordinates.append(r.at.coord[i]);
    }
    raise_copy(status, why, self, nb::tuple(coordinates));
}

std::shared_ptr<const Plans> plans_that_run(Descriptor &d, nb::handle self, const Request &r) {
    tma_finding why = {};
    tma_status status = TMA_OK;
    std::shared_ptr<const Plans> plans = d.plans_for(r.instruction, &status, &why);
    if (status == TMA_OK) {
        status = tma_plan_at(&plans->real, &r.at, &why);
    }
    if (status != TMA_OK) {
        raise_request(status, why, self, r);
    }
    return plans;
}

} // namespace libtma
