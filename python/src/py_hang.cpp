/* SPDX-License-Identifier: Apache-2.0
 *
 * GPU core dumps: what tma hang says of them.
 */
#include "py_hang.h"

#include <nanobind/stl/string.h>

#include <cstdio>
#include <memory>
#include <string>

#include "tma/barrier.h"
#include "tma/check.h"
#include "tma/find.h"
#include "tma/json.h"
#include "tma/text.h"

extern "C" {
#include "hang_view.h"
}

namespace libtma {

namespace {

/* A dump on disk, read where it is asked for: it may be larger than memory. */
class DumpFile {
  public:
    explicit DumpFile(const std::string &path) : file(fopen(path.c_str(), "rb"), fclose) {
        if (file && setvbuf(file.get(), nullptr, _IONBF, 0) == 0 && seek(0, SEEK_END)) {
            size = where();
        }
    }

    bool is_open() const {
        return (bool)file;
    }

    static bool read(void *context, uint64_t at, void *to, size_t size_B) {
        DumpFile *dump = (DumpFile *)context;
        return at <= dump->size && size_B <= dump->size - at && dump->seek(at, SEEK_SET) &&
               fread(to, 1, size_B, dump->file.get()) == size_B;
    }

    uint64_t size = 0;

  private:
    std::unique_ptr<FILE, int (*)(FILE *)> file;

#ifdef _WIN32
    bool seek(uint64_t at, int from) {
        return _fseeki64(file.get(), (int64_t)at, from) == 0;
    }
    uint64_t where() {
        return (uint64_t)_ftelli64(file.get());
    }
#else
    bool seek(uint64_t at, int from) {
        return fseek(file.get(), (long)at, from) == 0;
    }
    uint64_t where() {
        return (uint64_t)ftell(file.get());
    }
#endif
};

void write_piece(void *context, const char *text, size_t length) {
    ((std::string *)context)->append(text, length);
}

std::string hang(const std::string &path, const std::string &name) {
    auto found = std::make_unique<core_hang>();
    auto view = std::make_unique<hang_view>();
    DumpFile dump(path);
    std::string out;
    if (!dump.is_open()) {
        throw nb::value_error((name + ": cannot be opened").c_str());
    }
    const char *why = nullptr;
    {
        nb::gil_scoped_release others;
        why = core_hang_read(found.get(), DumpFile::read, &dump, dump.size);
        if (!why) {
            hang_view_make(view.get(), found.get(), DumpFile::read, &dump);
        }
    }
    if (why) {
        throw nb::value_error((name + ": " + why).c_str());
    }
    tma_out to = tma_out_to(write_piece, &out);
    tma_json json = tma_json_begin(&to);
    tma_json_object(&json, nullptr);
    hang_json(&json, view.get());
    std::string text;
    tma_out words = tma_out_to(write_piece, &text);
    hang_put(&words, view.get());
    tma_json_text(&json, "text", text.c_str());
    tma_json_end(&json);
    return out;
}

} // namespace

void bind_hang(nb::module_ &m) {
    using namespace nb::literals;
    m.def("hang", hang, "path"_a, "name"_a);
}

} // namespace libtma
