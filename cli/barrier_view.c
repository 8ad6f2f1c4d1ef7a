/* SPDX-License-Identifier: Apache-2.0
 *
 * An mbarrier's word: what the open phase lacks, and which bits say it.
 */
#include "barrier_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli_error.h"
#include "cli_out.h"
#include "tma/view.h"

static const char *const not_one =
    "no mbarrier's word: its count and what is missing do not fit together";

static void print_fields(uint64_t word) {
    size_t i = 0;
    puts("bits     stored      field             meaning");
    while (tma_barrier_field_at(i)) {
        i++;
    }
    while (i-- > 0) {
        const tma_barrier_field *f = tma_barrier_field_at(i);
        const uint64_t stored = word >> f->bit & ((UINT64_C(1) << f->width_bit) - 1);
        char bits[16];
        if (f->width_bit == 1) {
            snprintf(bits, sizeof(bits), "[%" PRIu32 "]", f->bit);
        } else {
            snprintf(bits, sizeof(bits), "[%" PRIu32 ":%" PRIu32 "]", f->bit + f->width_bit - 1,
                     f->bit);
        }
        printf("%-8s 0x%-9" PRIx64 " %-17s %s\n", bits, stored, f->name, f->meaning);
    }
}

void barrier_json(tma_json *json, uint64_t word) {
    tma_barrier b;
    tma_barrier_read(&b, word);
    tma_json_hex(json, "word", word);
    tma_json_bool(json, "likely", tma_barrier_is_likely(word));
    tma_json_u64(json, "parity", b.parity);
    tma_json_u64(json, "count", b.count);
    tma_json_u64(json, "arrivals_missing", b.arrivals_missing);
    tma_json_i64(json, "bytes_missing_B", b.bytes_missing_B);
    tma_json_bool(json, "error", b.error != 0);
}

int barrier_view(uint64_t word, int as_json) {
    tma_barrier b;
    const int likely = tma_barrier_is_likely(word);
    tma_barrier_read(&b, word);
    if (as_json) {
        out_json line;
        tma_json *json = out_json_begin(&line, "decode");
        tma_json_object(json, "barrier");
        barrier_json(json, word);
        tma_json_end(json);
        out_json_end(&line);
        return likely ? CLI_CLEAN : CLI_FINDINGS;
    }
    if (!likely) {
        printf("0x%016" PRIx64 ": %s\n\n", word, not_one);
    } else {
        tma_out out = out_to(stdout);
        printf("mbarrier: ");
        tma_put_barrier_missing(&out, &b);
        printf("; phase parity %" PRIu32 " is open: a wait for parity %" PRIu32
               " waits, one for parity %" PRIu32 " does not%s\n\n",
               b.parity, b.parity, b.parity ^ 1,
               b.error ? "; an operation on it was an error" : "");
    }
    print_fields(word);
    return likely ? CLI_CLEAN : CLI_FINDINGS;
}
