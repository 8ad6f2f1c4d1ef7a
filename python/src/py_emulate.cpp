/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX kernels executed on the CPU: emulate.h for libtma.emulate, which gives names and types.
 */
#include "py_emulate.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "tma/emulate.h"
extern "C" {
#include "source_line.h"
#include "trace_timeline.h"
}
#include "py_queries.h"
#include "py_words.h"

namespace nb = nanobind;

namespace libtma {

namespace {

/* One range of memory of a launch, as Python gives it. */
struct Range {
    uint64_t address, host, size_B;
    std::string name;
    bool uninitialised, read_only;
};

class Emulator {
  public:
    explicit Emulator(nb::bytes ptx) : text(ptx.c_str(), ptx.size()) {
        tma_error error = {};
        host.context = this;
        host.allocate = [](void *, size_t size_B) { return malloc(size_B); };
        host.release = [](void *, void *memory) { free(memory); };
        host.print = [](void *context, const char *said, size_t length) {
            ((Emulator *)context)->printed.append(said, length);
        };
        emulator.reset(tma_emulator_new(&host, text.data(), text.size(), &error));
        if (!emulator) {
            throw nb::value_error(error.text);
        }
    }

    nb::list kernels() const {
        nb::list names;
        size_t length = 0;
        for (size_t i = 0; const char *name = tma_emulator_kernel_at(emulator.get(), i, &length);
             i++) {
            names.append(nb::str(name, length));
        }
        return names;
    }

    /* (name, offset, size, alignment, type) of each parameter. */
    nb::list parameters(const std::string &kernel) const {
        nb::list rows;
        tma_emulate_parameter p;
        for (size_t i = 0; tma_emulator_parameter_at(emulator.get(), kernel.c_str(), i, &p); i++) {
            rows.append(nb::make_tuple(nb::str(p.name, p.name_length), p.offset_B, p.size_B,
                                       p.align_B, std::string(p.type ? p.type : "")));
        }
        return rows;
    }

    void add_range(uint64_t address, uint64_t host_address, uint64_t size_B,
                   const std::string &name, bool uninitialised, bool read_only) {
        ranges.push_back({address, host_address, size_B, name, uninitialised, read_only});
    }
    void clear_ranges() {
        ranges.clear();
    }

    nb::dict run(const std::string &kernel, nb::tuple grid, nb::tuple block, nb::tuple cluster,
                 uint32_t shared_B, nb::bytes params, bool order, bool values,
                 const std::string &schedule, uint64_t seed, uint32_t resident, bool cooperative,
                 uint64_t most_instructions, uint64_t most_memory_B) {
        tma_emulate_launch launch = {};
        std::vector<tma_emulate_memory> memory(ranges.size());
        for (size_t i = 0; i < ranges.size(); i++) {
            memory[i].address = ranges[i].address;
            memory[i].bytes = (void *)(uintptr_t)ranges[i].host;
            memory[i].size_B = ranges[i].size_B;
            memory[i].name = ranges[i].name.c_str();
            memory[i].uninitialised = ranges[i].uninitialised;
            memory[i].read_only = ranges[i].read_only;
        }
        const std::string bytes(params.c_str(), params.size());
        launch.kernel = kernel.c_str();
        three(launch.grid, grid);
        three(launch.block, block);
        three(launch.cluster, cluster);
        launch.dynamic_shared_B = shared_B;
        launch.params = bytes.data();
        launch.params_B = bytes.size();
        launch.memory = memory.data();
        launch.memories = memory.size();
        launch.no_order = !order;
        launch.no_values = !values;
        launch.schedule = schedule == "early"    ? TMA_EMULATE_EARLY
                          : schedule == "seeded" ? TMA_EMULATE_SEEDED
                                                 : TMA_EMULATE_LATE;
        launch.seed = seed;
        launch.resident = resident;
        launch.cooperative = cooperative;
        launch.most_instructions = most_instructions;
        launch.most_memory_B = most_memory_B;
        tma_error error = {};
        tma_status status;
        printed.clear();
        {
            nb::gil_scoped_release released;
            status = tma_emulator_run(emulator.get(), &launch, &error);
        }
        if (status != TMA_OK) {
            throw nb::value_error(error.text);
        }
        return result();
    }

  private:
    struct Free {
        void operator()(tma_emulator *e) const {
            tma_emulator_free(e);
        }
    };
    std::string text, printed;
    tma_emulate_host host = {};
    std::unique_ptr<tma_emulator, Free> emulator;
    std::vector<Range> ranges;

    static void three(uint32_t out[3], const nb::tuple &in) {
        for (size_t i = 0; i < 3 && i < nb::len(in); i++) {
            out[i] = nb::cast<uint32_t>(in[i]);
        }
    }

    nb::dict access(const tma_emulate_access &a) const {
        nb::dict d;
        ptx_source source;
        d["line"] = a.line;
        d["source"] = nb::none();
        if (source_line_of(&source, emulator.get(), a.instruction)) {
            d["source"] =
                std::string(source.file.at, source.file.length) + ":" + std::to_string(source.line);
        }
        d["thread"] = a.thread == UINT32_MAX ? nb::none() : nb::object(nb::int_(a.thread));
        d["cta"] = a.cta;
        d["proxy"] = a.proxy;
        d["op"] = a.what;
        d["space"] = a.space;
        d["address"] = a.address;
        d["variable"] = nb::none();
        std::array<char, 160> name{};
        tma_out out = tma_out_into(name.data(), name.size());
        if (a.size_B && std::string_view(a.space) == "shared" &&
            source_shared_name(&out, emulator.get(), (uint32_t)a.address)) {
            d["variable"] = name.data();
        }
        d["bytes"] = a.size_B;
        d["iteration"] = a.iteration;
        return d;
    }

    static nb::dict wait(const tma_emulate_wait &w) {
        nb::dict d;
        d["cta"] = w.cta;
        d["thread"] = w.thread;
        d["line"] = w.line;
        d["threads"] = w.threads;
        d["waits_at"] = w.waits_at;
        d["barrier"] = w.barrier;
        return d;
    }

    nb::dict finding(const tma_emulate_finding &f) const {
        nb::dict d;
        nb::list accesses;
        d["rule"] = tma_emulate_rule_name(f.rule);
        d["certain"] = f.certain != 0;
        d["count"] = f.count;
        d["text"] = f.text;
        d["missing"] = f.missing;
        for (uint32_t i = 0; i < f.accesses; i++) {
            accesses.append(access(f.access[i]));
        }
        d["accesses"] = accesses;
        d["barrier"] = nb::none();
        if (f.has_barrier) {
            nb::dict b;
            b["address"] = f.barrier_address;
            b["phase"] = f.barrier_phase;
            b["arrivals_missing"] = f.arrivals_missing;
            b["bytes_missing"] = f.bytes_missing_B;
            b["waiting"] = f.waiting;
            d["barrier"] = b;
        }
        d["leads_to"] = f.waits ? nb::object(nb::str("deadlock")) : nb::none();
        nb::list waits;
        for (uint32_t i = 0; i < f.waits && i < TMA_EMULATE_WAITS; i++) {
            waits.append(wait(f.wait[i]));
        }
        d["waits"] = waits;
        d["waits_more"] = tma_emulate_waits_more(&f);
        return d;
    }

    nb::dict result() const {
        const tma_emulator *e = emulator.get();
        nb::dict d;
        nb::list findings, notes, lines;
        const char *why = "";
        uint32_t line = 0;
        d["end"] = tma_emulate_end_name(tma_emulator_end(e, &why, &line));
        d["why"] = why ? why : "";
        d["line"] = line;
        d["instructions"] = tma_emulator_instructions(e);
        d["printed"] = nb::str(printed.data(), printed.size());
        for (size_t i = 0; const tma_emulate_finding *f = tma_emulator_finding_at(e, i); i++) {
            findings.append(finding(*f));
        }
        for (size_t i = 0; const char *note = tma_emulator_note_at(e, i, &line); i++) {
            notes.append(nb::make_tuple(line, std::string(note)));
        }
        tma_emulate_line row;
        for (size_t i = 0; tma_emulator_line_at(e, i, &row); i++) {
            lines.append(nb::make_tuple(row.line, row.executed, row.protocol != 0));
        }
        d["findings"] = findings;
        d["notes"] = notes;
        d["lines"] = lines;
        return d;
    }
};

/* A trace's picture, SVG or PNG. */
nb::bytes draw_timeline(nb::bytes trace, uint32_t first, uint32_t columns, bool as_png) {
    std::vector<std::unique_ptr<void, decltype(&free)>> blocks;
    ptx_memory memory = ptx_memory_of(
        [](void *context, size_t size_B) {
            void *block = malloc(size_B);
            ((decltype(blocks) *)context)->emplace_back(block, &free);
            return block;
        },
        &blocks);
    tma_timeline run = {};
    tma_drawing drawing = {};
    tma_error error = {};
    std::string file;
    const int failed = trace_timeline(&run, &memory, trace.c_str(), trace.size(), &error);
    if (!failed) {
        drawing.picture = TMA_PICTURE_TIMELINE;
        drawing.timeline = &run;
        drawing.row = first;
        drawing.lines = columns;
        drawing.source = "libtma.emulate.timeline";
        picture_of(file, drawing, as_png);
    }
    if (failed) {
        throw nb::value_error((std::string("trace: ") + error.text).c_str());
    }
    return nb::bytes(file.data(), file.size());
}

} // namespace

void bind_emulate(nb::module_ &m) {
    m.def("draw_timeline", &draw_timeline, nb::arg("trace"), nb::arg("first"), nb::arg("columns"),
          nb::arg("png"),
          nb::sig("def draw_timeline(trace: bytes, first: int, columns: int, png: bool) -> bytes"));
    nb::class_<Emulator>(m, "Emulator")
        .def(nb::init<nb::bytes>(), nb::arg("ptx"))
        .def("kernels", &Emulator::kernels, nb::sig("def kernels(self) -> list[str]"))
        .def("parameters", &Emulator::parameters, nb::arg("kernel"),
             nb::sig("def parameters(self, kernel: str) -> list[tuple[str, int, int, int, str]]"))
        .def("add_range", &Emulator::add_range, nb::arg("address"), nb::arg("host"),
             nb::arg("size_B"), nb::arg("name"), nb::arg("uninitialised"), nb::arg("read_only"))
        .def("clear_ranges", &Emulator::clear_ranges)
        .def("run", &Emulator::run, nb::arg("kernel"), nb::arg("grid"), nb::arg("block"),
             nb::arg("cluster"), nb::arg("shared_B"), nb::arg("params"), nb::arg("order"),
             nb::arg("values"), nb::arg("schedule"), nb::arg("seed"), nb::arg("resident"),
             nb::arg("cooperative"), nb::arg("most_instructions"), nb::arg("most_memory_B"),
             nb::sig("def run(self, kernel: str, grid: tuple[int, ...], block: tuple[int, ...], "
                     "cluster: tuple[int, ...], shared_B: int, params: bytes, order: bool, "
                     "values: bool, schedule: str, seed: int, resident: int, cooperative: bool, "
                     "most_instructions: int, most_memory_B: int) -> dict[str, Any]"));
    m.def(
        "emulate_rules",
        [] {
            nb::list rules;
            for (uint32_t i = 0; i < TMA_EMULATE_RULES; i++) {
                rules.append(nb::make_tuple(tma_emulate_rule_name(i), tma_emulate_rule_meaning(i)));
            }
            return rules;
        },
        nb::sig("def emulate_rules() -> list[tuple[str, str]]"));
}

} // namespace libtma
