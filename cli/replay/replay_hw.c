/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers about copies (hw): what one load, store or reduction leaves in memory, or how it kills
 * the kernel. Memory is as the program that captured the lines had it: a shared window of win=
 * bytes at a 1024-byte aligned address in a block of 1024 bytes more, and the first gwin= bytes of
 * a global buffer, to whose start addr= is relative.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"
#include "replay_kinds.h"
#include "tma/copy.h"
#include "tma/limits.def"
#include "tma/map.h"
#include "tma/pattern.h"

#define BUFFER_ADDRESS  UINT64_C(0x7f0000000000)
#define WINDOW_ADDRESS  0x400
#define WINDOW_BEHIND_B 1024
#define MOST_WINDOW_B   ((int)TMA_VALUE(BOX_BYTES))
#define MOST_GLOBAL_B   67108864 /* 64 MiB */

/* One request in numbers. */
typedef struct hw_copy {
    tma_instruction in;
    tma_position at;
    tma_pattern fill;
    uint64_t seed;
    uint64_t window_B;
    uint64_t global_B;
    uint64_t expect_B;
    int expects;
    int raw;
} hw_copy;

static int optional_u64(const tma_case *line, const char *key, uint64_t *out, tma_error *error) {
    return tma_case_request(line, key) ? tma_case_u64(out, line, key, error) : 0;
}

static int word(const tma_case *line, const char *key, const char **out, tma_error *error) {
    *out = tma_case_request(line, key);
    return *out ? 0 : tma_fail(error, "%s= is missing", key);
}

/* `count` numbers between least and most, no more and no less. */
static int list(const tma_case *line, const char *key, int64_t least, int64_t most, uint32_t count,
                int64_t out[TMA_MAX_RANK], tma_error *error) {
    const char *at = tma_case_request(line, key);
    if (!at != !count) {
        return at ? tma_fail(error, "%s= does not belong to this op= and mode=", key)
                  : tma_fail(error, "%s= is missing", key);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = 0;
        const size_t length = at ? strcspn(at, ",") : 0;
        if (!at || tma_case_number(&number, at, length)) {
            return tma_fail(error, "%s= needs %" PRIu32 " numbers, decimal or hexadecimal (0x10)",
                            key, count);
        }
        out[i] = (int64_t)number;
        if (out[i] < least || out[i] > most) {
            return tma_fail(error,
                            "%s[%" PRIu32 "] is %" PRId64 ", outside %" PRId64 " to %" PRId64, key,
                            i, out[i], least, most);
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return at ? tma_fail(error, "%s= has more than the %" PRIu32 " numbers that mode= takes", key,
                         count)
              : 0;
}

static int read_instruction(hw_copy *hw, const replay_request *request, tma_error *error) {
    const char *op = NULL;
    const char *mode = NULL;
    if (word(request->line, "op", &op, error) || word(request->line, "mode", &mode, error) ||
        tma_read_op(&hw->in.op, op, "op", error) ||
        tma_read_mode(&hw->in.mode, mode, "mode", error)) {
        return -1;
    }
    /* as the program that captured the lines loads; sm_120 was asked with the other form */
    const char *space = tma_case_request(request->line, "space");
    const int to_cluster = space ? strcmp(space, "cluster") == 0 : request->target.sm == 90;
    if (space && !to_cluster && strcmp(space, "cta") != 0) {
        return tma_fail(error, "space='%.40s' is neither cta nor cluster", space);
    }
    hw->in.cluster = hw->in.op == TMA_OP_LOAD && to_cluster;
    return 0;
}

static int read_position(hw_copy *hw, const replay_request *request, tma_error *error) {
    int64_t numbers[TMA_MAX_RANK] = {0};
    uint64_t smem = 0;
    const uint32_t rank = request->spec.rank;
    const uint32_t coords = rank <= TMA_MAX_RANK ? tma_mode_coords(hw->in.mode, rank) : 0;
    const uint32_t offsets = coords ? tma_mode_offsets(hw->in.op, hw->in.mode, rank) : 0;
    if (coords && list(request->line, "coord", INT32_MIN, INT32_MAX, coords, numbers, error)) {
        return -1;
    }
    for (uint32_t i = 0; i < coords; i++) {
        hw->at.coord[i] = (int32_t)numbers[i];
    }
    if ((offsets || tma_case_request(request->line, "off")) &&
        list(request->line, "off", 0, UINT16_MAX, offsets, numbers, error)) {
        return -1;
    }
    for (uint32_t i = 0; i < offsets; i++) {
        hw->at.offset[i] = (uint16_t)numbers[i];
    }
    if (optional_u64(request->line, "smem", &smem, error)) {
        return -1;
    }
    if (smem > MOST_WINDOW_B) {
        return tma_fail(error, "smem=%.40s must be at most the %d B of shared memory",
                        tma_case_request(request->line, "smem"), MOST_WINDOW_B);
    }
    hw->at.shared_address = WINDOW_ADDRESS + (uint32_t)smem;
    return 0;
}

static int size_of(const tma_case *line, const char *key, uint64_t most, uint64_t *out,
                   tma_error *error) {
    if (tma_case_u64(out, line, key, error)) {
        return -1;
    }
    if (*out > most || *out % 8) {
        return tma_fail(error, "%s=%.40s must be a multiple of 8 B, at most %" PRIu64 " B", key,
                        tma_case_request(line, key), most);
    }
    return 0;
}

static int read_memory(hw_copy *hw, const tma_case *line, tma_error *error) {
    const char *fill = NULL;
    uint64_t raw = 0;
    size_t pattern = 0;
    if (word(line, "fill", &fill, error) ||
        tma_read_name(&pattern, fill, "fill", tma_pattern_name, error) ||
        tma_case_u64(&hw->seed, line, "seed", error) ||
        size_of(line, "win", MOST_WINDOW_B, &hw->window_B, error) ||
        size_of(line, "gwin", MOST_GLOBAL_B, &hw->global_B, error) ||
        optional_u64(line, "raw", &raw, error) ||
        optional_u64(line, "expect", &hw->expect_B, error)) {
        return -1;
    }
    hw->fill = (tma_pattern)pattern;
    hw->raw = raw != 0;
    hw->expects = hw->expect_B != 0;
    return 0;
}

static uint8_t *allocated(uint64_t size_B) {
    return cli_got(calloc(1, (size_t)size_B + 1));
}

static void fill_memory(const hw_copy *hw, uint8_t *global, uint8_t *window) {
    tma_pattern_fill(global, (size_t)hw->global_B, hw->fill, hw->seed);
    if (hw->in.op == TMA_OP_LOAD) {
        memset(window, TMA_WINDOW_UNTOUCHED, (size_t)hw->window_B);
    } else {
        tma_pattern_fill(window, (size_t)hw->window_B, hw->fill,
                         tma_window_seed(hw->fill, hw->seed));
    }
}

static void answer_memory(const hw_copy *hw, uint64_t tx_B, const uint8_t *global,
                          const uint8_t *window, tma_out *out) {
    const int load = hw->in.op == TMA_OP_LOAD;
    const uint8_t *bytes = load ? window : global;
    const int leaves_nothing = hw->in.op == TMA_OP_PREFETCH;
    const uint64_t size_B = leaves_nothing ? 0 : load ? hw->window_B : hw->global_B;
    tma_putf(out, " st=%d", !load || !hw->expects || hw->expect_B == tx_B);
    if (load) {
        tma_putf(out, " tx=%" PRIu64, tx_B);
    }
    tma_putf(out, " n=%" PRIu64 " hash=%016" PRIx64, size_B, tma_hash(bytes, (size_t)size_B));
    if (hw->raw) {
        tma_put(out, " raw=");
        tma_put_hex_bytes(out, bytes, (size_t)size_B);
    }
}

static int answer_fault(tma_status status, const tma_finding *why, tma_out *out, tma_error *error) {
    char text[1024];
    if (status == TMA_TRAP) {
        tma_putf(out, " st=trap:%s", tma_trap_name(why));
        return 0;
    }
    tma_finding_text(text, sizeof(text), why);
    return tma_fail(error, "%s", text);
}

static int run(const hw_copy *hw, const tma_plan *plan, tma_out *out, tma_error *error) {
    uint8_t *global = allocated(hw->global_B);
    uint8_t *window = allocated(hw->window_B + WINDOW_BEHIND_B);
    const tma_range range = {.address = BUFFER_ADDRESS, .size_B = hw->global_B, .host = global};
    const tma_global ranges = {.ranges = &range, .count = 1};
    const tma_window shared = {.address = WINDOW_ADDRESS,
                               .size_B = (uint32_t)hw->window_B + WINDOW_BEHIND_B,
                               .host = window};
    tma_finding why;
    tma_report_result report;
    int failed = 0;
    fill_memory(hw, global, window);
    const tma_status status = tma_copy(plan, &hw->at, &ranges, &shared, &why);
    if (status == TMA_OK && tma_plan_report(&report, plan, &hw->at, &why) == TMA_OK) {
        answer_memory(hw, report.tx_B, global, window, out);
    } else {
        failed = answer_fault(status, &why, out, error);
    }
    free(global);
    free(window);
    return failed;
}

static int read_hw(hw_copy *hw, const replay_request *request, tma_error *error) {
    memset(hw, 0, sizeof(*hw));
    return read_instruction(hw, request, error) || read_position(hw, request, error) ||
                   read_memory(hw, request->line, error)
               ? -1
               : 0;
}

int replay_hw(const replay_request *request, tma_out *out, tma_error *error) {
    hw_copy hw;
    tma_map map;
    tma_plan plan;
    tma_finding why;
    tma_spec spec = request->spec;
    if (read_hw(&hw, request, error)) {
        return -1;
    }
    spec.address += BUFFER_ADDRESS;
    if (tma_encode(map.bytes, &spec, &request->target) != TMA_OK) {
        tma_put(out, " rc=1");
        return 0;
    }
    tma_put(out, " rc=0");
    const tma_status status = tma_plan_make(&plan, map.bytes, &hw.in, &request->target, &why);
    return status == TMA_OK ? run(&hw, &plan, out, error) : answer_fault(status, &why, out, error);
}

int replay_hw_compares(const replay_request *request, const char *key) {
    return strcmp(key, "bars") != 0 && (strcmp(key, "tx") != 0 || request->target.sm != 90);
}

/* The rule by which this library runs no such copy, as the documents have it, whatever the machine
 * did with it. */
int replay_refused(const replay_request *request, tma_out *out, tma_error *error) {
    hw_copy hw;
    tma_map map;
    tma_plan plan;
    tma_finding why;
    tma_spec spec = request->spec;
    tma_target target = request->target;
    target.readings = 0;
    if (read_hw(&hw, request, error)) {
        return -1;
    }
    spec.address += BUFFER_ADDRESS;
    if (tma_encode_forced(map.bytes, &spec, &target, NULL) != TMA_OK) {
        return tma_fail(error, "the fields of a tensor map do not hold this one");
    }
    tma_status status = tma_plan_make(&plan, map.bytes, &hw.in, &target, &why);
    status = status == TMA_OK ? tma_plan_at(&plan, &hw.at, &why) : status;
    const tma_rule *rule = status == TMA_OK ? NULL : tma_rule_of(why.rule);
    tma_putf(out, " rc=0 refused=%s", rule ? rule->name : "no");
    return 0;
}

int replay_refused_compares(const replay_request *request, const char *key) {
    (void)request;
    return tma_case_word_in(key, "rc refused");
}
