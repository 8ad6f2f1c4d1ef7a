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
#include <tma/pattern.h>
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

/* A pattern by its name; an unknown one is rand. */
static inline tma_pattern pattern_of(const std::string &name) {
    size_t pattern = TMA_PATTERNS - 1;
    while (pattern && name != tma_pattern_name(pattern)) {
        pattern--;
    }
    return (tma_pattern)pattern;
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
    const tma_pattern pattern = pattern_of(fill);
    for (size_t at = 0; at + 8 <= out.size(); at += 8) {
        const uint64_t word = tma_pattern_word(pattern, seed, (from_B + at) / 8);
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
        return std::vector<uint8_t>(size_B, TMA_WINDOW_UNTOUCHED);
    }
    return c.has("s") ? repeated(c.word("s"), size_B)
                      : patterned(c.word("fill"),
                                  tma_window_seed(pattern_of(c.word("fill")), c.number("seed")), 0,
                                  size_B);
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
