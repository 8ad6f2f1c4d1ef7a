/* SPDX-License-Identifier: Apache-2.0
 *
 * What libtma says to each probe, beside what the machine answered: reads answered lines, prints
 * the name, whether they agree, and both sides where they don't. A line without an answer (as
 * probe_cases.py prints it) gets libtma's alone.
 */
#include <cinttypes>
#include <iostream>

#include "probe_case.h"
#include "tma/tma.h"

#define BUFFER 0x7f0000000000ull
#define WINDOW 0x800u /* the probe's window: behind 1 KiB of the system's and 1 KiB of its own */

static tma_spec spec_of(const Case &c) {
    static const char *const apis[] = {"tiled", "im2col", "wide"};
    tma_spec s = {};
    s.api = (uint32_t)index_of(c.word("api"), apis, 3);
    s.dtype = (uint32_t)c.number("dtype");
    s.rank = (uint32_t)c.number("rank");
    s.interleave = (uint32_t)c.number("il");
    s.swizzle = (uint32_t)c.number("sw");
    s.l2 = (uint32_t)c.number("l2");
    s.fill = (uint32_t)c.number("oob");
    s.address = c.number("addr");
    c.fill("dim", s.dim_el, 5);
    c.fill("stride", s.stride_B, 4);
    c.fill("box", s.box_el, 5);
    c.fill("es", s.element_stride, 5);
    c.fill("lo", s.lower_px, 3);
    c.fill("up", s.upper_px, 3);
    s.channels_per_pixel = (uint32_t)c.number("cpp");
    s.pixels_per_column = (uint32_t)c.number("ppc");
    return s;
}

static tma_instruction instruction_of(const Case &c) {
    tma_instruction in = {};
    in.op = (uint32_t)case_op(c);
    in.mode = c.word("mode") == "im2col" ? TMA_MODE_IM2COL : TMA_MODE_TILE;
    in.rank = (uint32_t)c.number("irank", c.number("rank"));
    in.cluster = in.op == TMA_OP_LOAD && c.word("space") != "cta";
    in.cta_mask = (uint32_t)c.number("mask");
    return in;
}

static std::string reason(const char *what, tma_status status, const tma_finding &why) {
    char text[1024] = "";
    tma_finding_text(text, sizeof(text), &why);
    return std::string(what) + tma_status_name(status) + " " + text;
}

/* Memory that nobody has is an error of its own; libtma answers TMA_MEMORY. */
static std::string trap_of(tma_status status, const tma_finding &why) {
    return status == TMA_MEMORY ? "cudaErrorIllegalAddress"
           : status == TMA_TRAP ? tma_trap_name(&why)
                                : "";
}

struct Says {
    bool moved = false;
    std::string why; /* where nothing moved */
    std::string trap;
    uint64_t tx_B = 0;
    std::vector<uint8_t> bytes; /* the windows after a load, the global buffer otherwise */
};

static Says libtma_copy(const Case &c) {
    Says says;
    tma_map map;
    tma_plan plan;
    tma_position at = {};
    tma_finding why = {};
    tma_spec spec = spec_of(c);
    const tma_instruction in = instruction_of(c);
    spec.address += BUFFER;
    tma_status status = tma_encode(map.bytes, &spec, nullptr);
    if (status != TMA_OK) {
        says.why = tma_status_name(status);
        return says;
    }
    case_patch(c, &map);
    if (c.number("zero")) {
        map = {};
    }
    status = tma_plan_make(&plan, map.bytes, &in, nullptr, &why);
    if (status != TMA_OK) {
        says.why = reason("plan: ", status, why);
        says.trap = trap_of(status, why);
        return says;
    }
    const unsigned ctas = (unsigned)c.number("cluster", 1);
    std::vector<uint8_t> global = global_before(c), window = window_before(c);
    std::vector<std::vector<uint8_t>> windows(ctas, window);
    std::vector<tma_window> places;
    for (auto &bytes : windows) {
        places.push_back({WINDOW, (uint32_t)bytes.size(), bytes.data()});
    }
    const tma_range range = {
        .address = BUFFER + filled_from(c), .size_B = global.size(), .host = global.data()};
    const tma_global ranges = {.ranges = &range, .count = 1};
    c.fill("coord", at.coord, 5);
    c.fill("off", at.offset, 3);
    at.shared_address = WINDOW + (uint32_t)c.number("smem");
    status = in.cta_mask ? tma_copy_multicast(&plan, &at, &ranges, places.data(), ctas, &why)
                         : tma_copy_reference(&plan, &at, &ranges, places.data(), &why);
    if (status != TMA_OK) {
        says.why = reason("copy: ", status, why);
        says.trap = trap_of(status, why);
        return says;
    }
    says.moved = true;
    says.tx_B = tma_plan_info(&plan)->tx_B;
    if (in.op == TMA_OP_LOAD) {
        for (auto &bytes : windows) {
            says.bytes.insert(says.bytes.end(), bytes.begin(), bytes.end());
        }
    } else {
        says.bytes = global;
    }
    return says;
}

/* The hashes, one for each CTA. */
static std::string hashes(const Case &c, const Says &says) {
    const size_t ctas = c.word("op") == "load" ? c.number("cluster", 1) : 1;
    std::string out;
    for (size_t i = 0; i < ctas; i++) {
        char text[32];
        const size_t each_B = says.bytes.size() / ctas;
        snprintf(text, sizeof(text), "%s%016" PRIx64, i ? "," : "",
                 fnv1a(&says.bytes[i * each_B], each_B));
        out += text;
    }
    return out;
}

static std::string first_difference(const Case &c, const Says &says) {
    const std::string raw = c.word("=raw");
    for (size_t i = 0; i < says.bytes.size() && 2 * i + 1 < raw.size(); i++) {
        const unsigned seen = (unsigned)strtoul(raw.substr(2 * i, 2).c_str(), nullptr, 16);
        if (seen != says.bytes[i]) {
            char text[96];
            snprintf(text, sizeof(text), " from byte %zu on (machine %02x, libtma %02x)", i, seen,
                     says.bytes[i]);
            return text;
        }
    }
    return "";
}

static std::string judge_copy(const Case &c) {
    const Says says = libtma_copy(c);
    const std::string st = c.word("=st"), hash = c.word("=hash");
    if (!says.moved) {
        const std::string trap = "trap:" + says.trap;
        return (!says.trap.empty() && st == trap ? "same   " : "DIFFERS ") + st + " | " + says.why;
    }
    if (st != "1") {
        return "DIFFERS " + st + " | libtma moves bytes";
    }
    std::string out;
    if (c.word("op") != "prefetch" && hash != hashes(c, says)) {
        out += "DIFFERS bytes" + first_difference(c, says);
    }
    uint64_t index = 0;
    for (uint64_t tx_B : c.list("=tx")) {
        const bool receives = c.has("mask") ? c.number("mask") >> index & 1 : index == 0;
        const uint64_t wanted = receives ? says.tx_B : 0;
        if (tx_B != wanted) {
            out += (out.empty() ? "DIFFERS" : "") + (" count " + std::to_string(tx_B)) +
                   " | libtma " + std::to_string(wanted);
        }
        index++;
    }
    return out.empty() ? "same" : out;
}

static std::string judge_map(const Case &c) {
    static const char digits[] = "0123456789abcdef";
    tma_map map;
    tma_spec spec = spec_of(c);
    const tma_status status = tma_encode(map.bytes, &spec, nullptr);
    if (status == TMA_OK && c.kind == "dev") {
        tma_edit edit = {};
        edit.field = (uint32_t)c.number("field");
        edit.ordinal = (uint32_t)c.number("ord");
        edit.value = c.number("val");
        if (tma_replace(map.bytes, &edit, nullptr) != TMA_OK) {
            return "DIFFERS an edit that ptxas refuses";
        }
    }
    std::string hex;
    for (uint8_t byte : map.bytes) {
        hex += {digits[byte >> 4], digits[byte & 15]};
    }
    if (std::to_string((int)status) != c.word("=rc")) {
        return "DIFFERS rc " + c.word("=rc") + " | libtma " + std::to_string((int)status);
    }
    return status == TMA_OK && hex != c.word("=desc") ? "DIFFERS desc | libtma " + hex : "same";
}

/* Places of the map and of other CTAs' barriers, hints, caches: libtma has no words for them. */
static bool is_sayable(const Case &c) {
    static const char *const beyond[] = {"scan", "where", "at", "policy", "dst_cta", "bar_cta"};
    for (const char *key : beyond) {
        if (c.has(key) && c.kind == "hw") {
            return false;
        }
    }
    return c.kind == "hw" || c.kind == "enc" || c.kind == "dev";
}

static std::string judge(const Case &c) {
    if (!is_sayable(c) || c.word("mask") == "0") {
        return "not judged";
    }
    return c.kind == "hw" && c.word("=rc", "0") == "0" ? judge_copy(c) : judge_map(c);
}

int main() {
    std::string line;
    unsigned differing = 0, lines = 0;
    while (std::getline(std::cin, line)) {
        Case c;
        if (!case_read(line, &c)) {
            continue;
        }
        const std::string verdict = judge(c);
        lines++;
        differing += verdict.compare(0, 7, "DIFFERS") == 0;
        std::cout << c.word("id") << ": " << verdict << "\n";
    }
    std::cout << lines << " lines, " << differing << " differ\n";
    return differing != 0;
}
