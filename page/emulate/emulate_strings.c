/* SPDX-License-Identifier: Apache-2.0
 *
 * What the emulator calls of string.h beside runtime.c's.
 */
#include <stdint.h>
#include <string.h>

void *memmove(void *to, const void *from, size_t length) {
    unsigned char *a = to;
    const unsigned char *b = from;
    for (size_t i = 0; (uintptr_t)a <= (uintptr_t)b && i < length; i++) {
        a[i] = b[i];
    }
    for (size_t i = length; (uintptr_t)a > (uintptr_t)b && i-- > 0;) {
        a[i] = b[i];
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t length) {
    const unsigned char *x = a, *y = b;
    size_t at = 0;
    while (at < length && x[at] == y[at]) {
        at++;
    }
    return at < length ? x[at] - y[at] : 0;
}

void *memchr(const void *in, int byte, size_t length) {
    const unsigned char *at = in;
    for (; length; length--, at++) {
        if (*at == (unsigned char)byte) {
            return (void *)(uintptr_t)at;
        }
    }
    return NULL;
}

size_t strlen(const char *text) {
    const char *at = text;
    while (*at) {
        at++;
    }
    return (size_t)(at - text);
}

char *strchr(const char *text, int byte) {
    while (*text && *text != (char)byte) {
        text++;
    }
    return *text == (char)byte ? (char *)(uintptr_t)text : NULL;
}
