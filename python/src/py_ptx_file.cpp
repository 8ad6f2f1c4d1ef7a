/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX files as a whole: what tma ptx says of them.
 */
#include "py_ptx.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "py_argument.h"
#include "py_request.h"
#include "py_words.h"
#include "tma/json.h"
#include "tma/ptx_file.h"

extern "C" {
#include "ptx_said.h"
#include "ptx_why.h"
}

namespace libtma {

namespace {

/* The reader's memory, and what it found. */
class File {
  public:
    File(const std::string &text, const std::vector<ptx_given> &given, const tma_target *arch) {
        if (make(text, given, arch)) {
            release();
            throw std::bad_alloc();
        }
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    ~File() {
        release();
    }

    ptx_report report;

  private:
    std::vector<void *> blocks;

    /* Other threads run meanwhile: it may take seconds, and looks at nothing of Python's. */
    int make(const std::string &text, const std::vector<ptx_given> &given, const tma_target *arch) {
        const nb::gil_scoped_release unlocked;
        return ptx_report_make(&report, more, this, text.data(), text.size(), given.data(),
                               (uint32_t)given.size(), arch);
    }

    static void *more(void *context, size_t size_B) {
        File *file = (File *)context;
        try { /* nothing is thrown through the reader */
            file->blocks.push_back(nullptr);
        } catch (const std::bad_alloc &) {
            return nullptr;
        }
        return file->blocks.back() = malloc(size_B);
    }

    void release() {
        for (void *block : blocks) {
            free(block);
        }
        blocks.clear();
    }
};

void write_piece(void *context, const char *text, size_t length) {
    ((std::string *)context)->append(text, length);
}

/* Names ("" for all maps) and their 128 bytes. */
std::vector<ptx_given> given_maps(const std::vector<std::pair<std::string, nb::bytes>> &maps) {
    std::vector<ptx_given> out;
    for (const auto &[name, bytes] : maps) {
        ptx_given given = {};
        if (bytes.size() != TMA_MAP_BYTES) {
            throw nb::value_error(
                ("maps: " + name + ": " + std::to_string(bytes.size()) + " B, a map has 128")
                    .c_str());
        }
        given.name = {name.data(), name.size()};
        memcpy(given.map.bytes, bytes.c_str(), TMA_MAP_BYTES);
        out.push_back(given);
    }
    return out;
}

std::string file_json(const std::string &text, nb::handle target,
                      const std::vector<std::pair<std::string, nb::bytes>> &maps) {
    tma_target arch = {};
    const bool has_arch = !target.is_none();
    if (has_arch) {
        arch = read_target(target);
    }
    const File file(text, given_maps(maps), has_arch ? &arch : nullptr);
    if (!file.report.sites && !file.report.rows.module[0].version) {
        throw nb::value_error("text: no PTX: no .version and no tensor instruction");
    }
    std::string out;
    tma_out to = tma_out_to(write_piece, &out);
    tma_json json = tma_json_begin(&to);
    tma_json_object(&json, nullptr);
    ptx_report_json(&json, &file.report, 0);
    tma_json_end(&json);
    return out;
}

std::string why(const std::string &text, size_t line) {
    File file(text, {}, nullptr);
    std::string out;
    tma_out to = tma_out_to(write_piece, &out);
    const int count = ptx_why_put(&to, &file.report, line);
    if (count < 0) {
        throw std::bad_alloc();
    }
    if (!count) {
        throw nb::value_error(
            ("line: no kernel runs an instruction of line " + std::to_string(line)).c_str());
    }
    return out;
}

} // namespace

void bind_ptx_file(nb::module_ &m) {
    using namespace nb::literals;
    m.def("ptx_file", file_json, "text"_a, "target"_a.none(), "maps"_a);
    m.def("ptx_why", why, "text"_a, "line"_a);
}

} // namespace libtma
