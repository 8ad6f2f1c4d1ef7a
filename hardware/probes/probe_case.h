/* SPDX-License-Identifier: Apache-2.0
 *
 * One line of a probe: the case lines of tests/vectors/README.md, and the keys that README.md adds
 * here. Shared by what asks the GPU (probe.cu) and what asks libtma (judge.cpp).
 */
#ifndef PROBE_CASE_H
#define PROBE_CASE_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

struct Case {
    std::string kind;
    std::map<std::string, std::string> words;

    bool has(const char *key) const {
        return words.count(key) != 0;
    }

    std::string word(const char *key, const char *otherwise = "") const {
        auto at = words.find(key);
        return at == words.end() ? otherwise : at->second;
    }

    /* Numbers between commas (or colons); negative ones as two's complement. */
    std::vector<uint64_t> list(const char *key) const {
        std::vector<uint64_t> out;
        const std::string text = word(key);
        for (const char *at = text.c_str(); *at;) {
            char *end = nullptr;
            out.push_back(*at == '-' ? (uint64_t)strtoll(at, &end, 0) : strtoull(at, &end, 0));
            if (end == at) {
                fprintf(stderr, "%s=%s: not a list of numbers\n", key, text.c_str());
                exit(2);
            }
            at = *end ? end + 1 : end;
        }
        return out;
    }

    uint64_t number(const char *key, uint64_t otherwise = 0) const {
        return has(key) ? list(key).at(0) : otherwise;
    }

    /* The list, cut or filled up with zeros to `count` numbers of any type. */
    template <typename T> void fill(const char *key, T *out, size_t count) const {
        const std::vector<uint64_t> values = list(key);
        for (size_t i = 0; i < count; i++) {
            out[i] = i < values.size() ? (T)values[i] : T();
        }
    }
};

/* Cuts a line into words. What follows rc= is an answer and stays out of the way of the request:
 * its keys get a '=' in front. */
static inline bool case_read(const std::string &line, Case *out) {
    size_t at = 0;
    bool answer = false;
    out->kind.clear();
    out->words.clear();
    while (at < line.size()) {
        size_t end = line.find_first_of(" \r\n", at);
        end = end == std::string::npos ? line.size() : end;
        const std::string word = line.substr(at, end - at);
        const size_t equals = word.find('=');
        if (out->kind.empty()) {
            out->kind = word;
        } else if (equals != std::string::npos) {
            answer = answer || word.compare(0, 3, "rc=") == 0;
            out->words[(answer ? "=" : "") + word.substr(0, equals)] = word.substr(equals + 1);
        }
        at = end + 1;
    }
    return !out->kind.empty() && out->kind[0] != '#';
}

static inline uint64_t splitmix(uint64_t x) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
}

/* Zeros, subnormals, ties, infinities, NaNs: the tables that the vectors' fill=special names. */
static inline uint64_t special_word(uint64_t seed, uint64_t bits) {
    static const uint32_t words[32] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
        0x80800000, 0x3f800000, 0xbf800000, 0x3f801000, 0x3f803000, 0x3f801001, 0x3f802fff,
        0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
        0xff800001, 0x7fffffff, 0xffffffff, 0x00002000, 0x00001000, 0x7f7fe000, 0x7f7ff000,
        0x4b800000, 0x33800000, 0x01000000, 0x81000000};
    static const uint16_t halves[32] = {
        0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01,
        0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfc01, 0x7e00, 0xfe00, 0x7fff, 0xffff,
        0x3f80, 0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x007f, 0x807f, 0x0080};
    if (seed & 1) {
        return words[bits & 31] | (uint64_t)words[bits >> 8 & 31] << 32;
    }
    uint64_t value = 0;
    for (int i = 0; i < 4; i++) {
        value |= (uint64_t)halves[bits >> (8 * i) & 31] << (16 * i);
    }
    return value;
}

static inline uint64_t pattern_word(const std::string &fill, uint64_t seed, uint64_t i) {
    const uint64_t bits = splitmix(seed * 0x100000001B3ull + i);
    if (fill == "ramp16") {
        uint64_t value = 0;
        for (uint64_t k = 0; k < 4; k++) {
            value |= ((4 * i + k) & 0xFFFF) << (16 * k);
        }
        return value;
    }
    if (fill == "ramp32") {
        return (2 * i & 0xFFFFFFFFu) | (2 * i + 1) << 32;
    }
    return fill == "special" ? special_word(seed, bits) : bits;
}

/* The bytes of a key in hexadecimal, over and over. */
static inline std::vector<uint8_t> repeated(const std::string &hex, size_t size_B) {
    std::vector<uint8_t> out(size_B);
    const size_t period = hex.size() / 2;
    for (size_t i = 0; i < size_B; i++) {
        out[i] = (uint8_t)strtoul(hex.substr(i % period * 2, 2).c_str(), nullptr, 16);
    }
    return out;
}

/* [from_B, size_B) of a memory that holds a pattern; whole words. */
static inline std::vector<uint8_t> patterned(const std::string &fill, uint64_t seed, size_t from_B,
                                             size_t size_B) {
    std::vector<uint8_t> out(size_B - from_B);
    for (size_t at = 0; at + 8 <= out.size(); at += 8) {
        const uint64_t word = pattern_word(fill, seed, (from_B + at) / 8);
        memcpy(&out[at], &word, 8);
    }
    return out;
}

#define FILLED_B ((size_t)1 << 20) /* of a global buffer above 64 MiB, only the end is filled */

/* Where the filled part of the global buffer begins. */
static inline size_t filled_from(const Case &c) {
    const size_t size_B = c.number("gwin");
    return size_B > ((size_t)64 << 20) ? size_B - FILLED_B : 0;
}

static inline std::vector<uint8_t> global_before(const Case &c) {
    const size_t size_B = c.number("gwin");
    return c.has("g") ? repeated(c.word("g"), size_B)
                      : patterned(c.word("fill"), c.number("seed"), filled_from(c), size_B);
}

static inline std::vector<uint8_t> window_before(const Case &c) {
    const size_t size_B = c.number("win");
    if (c.word("op") == "load") {
        return std::vector<uint8_t>(size_B, 0xA5);
    }
    const uint64_t later = c.word("fill") == "special" ? 2 : 1;
    return c.has("s") ? repeated(c.word("s"), size_B)
                      : patterned(c.word("fill"), c.number("seed") + later, 0, size_B);
}

/* patch=WORD:MASK:VALUE,...: WORD of the 128 bytes loses the bits of MASK and gets VALUE. */
static inline void case_patch(const Case &c, void *map) {
    const std::vector<uint64_t> numbers = c.list("patch");
    uint32_t words[32];
    memcpy(words, map, sizeof(words));
    for (size_t i = 0; i + 2 < numbers.size(); i += 3) {
        uint32_t &word = words[numbers[i]];
        word = (word & ~(uint32_t)numbers[i + 1]) | (uint32_t)numbers[i + 2];
    }
    memcpy(map, words, sizeof(words));
}

static inline uint64_t fnv1a(const uint8_t *bytes, size_t size_B) {
    uint64_t hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < size_B; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    }
    return hash;
}

static inline int index_of(const std::string &word, const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        if (word == names[i]) {
            return i;
        }
    }
    fprintf(stderr, "'%s' is no name\n", word.c_str());
    exit(2);
}

/* load, store, the reductions, prefetch: numbered as libtma's tma_op. */
static inline int case_op(const Case &c) {
    static const char *const names[] = {"load", "store", "add", "min", "max",     "inc",
                                        "dec",  "and",   "or",  "xor", "prefetch"};
    return index_of(c.word("op"), names, 11);
}

#endif
