/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel by the name that a user gives.
 */
#include <string.h>

#include "ptx_demangle.h"
#include "tma/detail/chars.h"

#define MOST_MANGLED 1024

/* "gemm::kernel" as it stands in a mangled name: "4gemm6kernel". */
static int mangled_part(const char *name, char *out, size_t size) {
    size_t length = 0;
    while (*name) {
        const char *const end = text_within(name, text_length(name), "::");
        const size_t part = end ? (size_t)(end - name) : text_length(name);
        char digits[12];
        uint32_t count = 0;
        for (size_t n = part; n || !count; n /= 10) {
            digits[count++] = (char)('0' + n % 10);
        }
        if (length + count + part + 1 > size) {
            return 0;
        }
        while (count) {
            out[length++] = digits[--count];
        }
        memcpy(out + length, name, part);
        length += part;
        name += part + (end ? 2 : 0);
    }
    out[length] = 0;
    return length != 0;
}

/* Whether the whole name, demangled, is this one. */
static int is_demangled(tma_ptx_span entry, const char *name) {
    char text[PTX_MOST_DEMANGLED + 1];
    tma_out out = tma_out_into(text, sizeof text);
    return ptx_demangle(&out, entry) && text_is(text, out.length, name);
}

int ptx_is_named(tma_ptx_span entry, const char *name) {
    char part[MOST_MANGLED];
    return text_is(entry.at, entry.length, name) || is_demangled(entry, name) ||
           (entry.length > 2 && entry.at[0] == '_' && entry.at[1] == 'Z' &&
            mangled_part(name, part, sizeof(part)) && text_within(entry.at, entry.length, part));
}
