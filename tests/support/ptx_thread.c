/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that runs what stands before a copy.
 */
#include "ptx_thread.h"

#include "testing.h"

void ptx_thread_set(struct ptx_thread *t, const char *name, uint64_t is) {
    size_t i = 0;
    while (i < t->count && strcmp(t->value[i].name, name) != 0) {
        i++;
    }
    assert_true(i < PTX_THREAD_VALUES && strlen(name) < sizeof(t->value[i].name));
    snprintf(t->value[i].name, sizeof(t->value[i].name), "%s", name);
    t->value[i].is = is;
    t->count += i == t->count;
}

uint64_t ptx_thread_get(const struct ptx_thread *t, const char *name) {
    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(t->value[i].name, name) == 0) {
            return t->value[i].is;
        }
    }
    if (*name < '0' || *name > '9') {
        fail_msg("nothing has set %s", name);
    }
    return strtoull(name, NULL, 10);
}

static int begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static void store(struct ptx_thread *t, const char *to, uint64_t number, int is_wide) {
    static const char begin[] = "[libtma_at+";
    assert_int_equal(strncmp(to, begin, sizeof(begin) - 1), 0);
    const unsigned long place = strtoul(to + sizeof(begin) - 1, NULL, 10);
    assert_true(place % 4 == 0 && place / 4 + (is_wide ? 1u : 0u) < PTX_THREAD_WORDS);
    t->position[place / 4] = (uint32_t)number;
    if (is_wide) {
        t->position[place / 4 + 1] = (uint32_t)(number >> 32);
    }
}

/* setp.RELATION[.and].u32 p, a, b[, q]. */
static void compare(struct ptx_thread *t, const char *line) {
    char name[32];
    char to[24];
    char first[24];
    char second[24];
    char other[24] = "";
    const int parts =
        sscanf(line, "%31s %23[^,], %23[^,], %23[^,;], %23[^,;]", name, to, first, second, other);
    assert_true(parts >= 4);
    const uint64_t a = ptx_thread_get(t, first);
    const uint64_t b = ptx_thread_get(t, second);
    int is = 0;
    if (begins(name, "setp.eq.")) {
        is = a == b;
    } else if (begins(name, "setp.ne.")) {
        is = a != b;
    } else if (begins(name, "setp.lt.") && !strstr(name, ".s32")) {
        is = a < b;
    } else if (begins(name, "setp.le.") && !strstr(name, ".s32")) {
        is = a <= b;
    } else {
        fail_msg("a comparison that is not known here: %s", line);
    }
    ptx_thread_set(t, to, (uint64_t)(is && (parts < 5 || ptx_thread_get(t, other))));
}

/* Kernels' own registers, by their names, are as wide as what reads them. */
static void assert_takes(const char *name, const char *from, const char *line) {
    const char *const type = strrchr(name, '.');
    if (*from == '%' && strchr("rdh", from[1]) && from[2] >= '0' && from[2] <= '9' &&
        strcmp(type + 2, from[1] == 'd'   ? "64"
                         : from[1] == 'r' ? "32"
                                          : "16") != 0) {
        fail_msg("a register of another width: %s", line);
    }
    if (strncmp(name, "cvt.", 4) == 0 && *from != '%') {
        fail_msg("a conversion of no register: %s", line);
    }
}

static void calculate(struct ptx_thread *t, const char *line) {
    char name[24];
    char to[24];
    char from[24];
    char by[24];
    const int parts = sscanf(line, "%23s %23[^,;], %23[^,;], %23[^,;]", name, to, from, by);
    if (*line == '.' || parts < 2 || begins(name, "st.param")) {
        return;
    }
    assert_true(parts > 2);
    if (begins(name, "not.pred")) {
        ptx_thread_set(t, to, !ptx_thread_get(t, from));
        return;
    }
    const int is_wide = strstr(name, "64") == name + strlen(name) - 2;
    const uint64_t bits = is_wide ? UINT64_MAX : UINT32_MAX;
    const uint64_t given = ptx_thread_get(t, from);
    assert_takes(name, from, line);
    if (begins(name, "st.local.")) {
        store(t, to, given, is_wide);
    } else if (begins(name, "mov.")) {
        ptx_thread_set(t, to, given & bits);
    } else if (strcmp(name, "cvt.u32.u16") == 0) {
        ptx_thread_set(t, to, given & UINT16_MAX);
    } else if (strcmp(name, "cvt.u32.u64") == 0 || strcmp(name, "cvt.u64.u32") == 0) {
        ptx_thread_set(t, to, given & UINT32_MAX);
    } else if (begins(name, "cvta.")) {
        ptx_thread_set(t, to, given + PTX_THREAD_GENERIC);
    } else if (begins(name, "add.") && parts > 3) {
        ptx_thread_set(t, to, (given + ptx_thread_get(t, by)) & bits);
    } else if (begins(name, "sub.") && parts > 3) {
        ptx_thread_set(t, to, (given - ptx_thread_get(t, by)) & bits);
    } else if (begins(name, "shr.u32") && parts > 3) {
        ptx_thread_set(t, to, (given & bits) >> ptx_thread_get(t, by));
    } else if (begins(name, "and.") && parts > 3) {
        ptx_thread_set(t, to, given & ptx_thread_get(t, by));
    } else if (begins(name, "or.") && parts > 3) {
        ptx_thread_set(t, to, given | ptx_thread_get(t, by));
    } else {
        fail_msg("an instruction that is not known here: %s", line);
    }
}

/* mov.b64 {low, high}, wide. */
static int is_unpacked(struct ptx_thread *t, const char *line) {
    char low[24];
    char high[24];
    char from[24];
    if (sscanf(line, "mov.b64 {%23[^,], %23[^}]}, %23[^;]", low, high, from) != 3) {
        return 0;
    }
    const uint64_t wide = ptx_thread_get(t, from);
    ptx_thread_set(t, low, wide & UINT32_MAX);
    ptx_thread_set(t, high, wide >> 32);
    return 1;
}

int ptx_thread_run(struct ptx_thread *t, char *text) {
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (begins(line, "call ") || begins(line, "@!%libtma_go bra")) {
            return begins(line, "call ") || !ptx_thread_get(t, "%libtma_go");
        }
        if (begins(line, "@%libtma_go bra") && ptx_thread_get(t, "%libtma_go")) {
            return 0;
        }
        if (begins(line, "setp.")) {
            compare(t, line);
        } else if (*line != '@' && !is_unpacked(t, line)) {
            calculate(t, line);
        }
    }
    return 0;
}
