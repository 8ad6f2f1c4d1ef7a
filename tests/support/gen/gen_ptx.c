/* SPDX-License-Identifier: Apache-2.0
 *
 * Random statements.
 */
#include "support/gen/gen_ptx.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A statement in the making: guard and opcode, qualifiers, operands. */
struct sketch {
    struct random_source *random;
    char head[160];
    const char *qualifier[12];
    int qualifiers;
    char operands[512];
};

static void add(char *text, size_t size, const char *format, ...) {
    const size_t length = strlen(text);
    va_list values;
    va_start(values, format);
    vsnprintf(text + length, size - length, format, values);
    va_end(values);
}

#define OPERAND(s, ...) add((s)->operands, sizeof((s)->operands), __VA_ARGS__)

static void qualify(struct sketch *s, const char *word) {
    s->qualifier[s->qualifiers++] = word;
}

static int flip(struct sketch *s) {
    return random_one_in(s->random, 2);
}

static const char *one_of(struct sketch *s, const char *const *words, uint64_t count) {
    return words[random_below(s->random, count)];
}

static void scalar(struct sketch *s) {
    switch (random_below(s->random, 4)) {
    case 0:
        OPERAND(s, "%d", (int)random_in(s->random, 0, 600) - 300);
        break;
    case 1:
        OPERAND(s, "%%r%u", random_in(s->random, 0, 99));
        break;
    case 2:
        OPERAND(s, "$x_%u", random_in(s->random, 0, 99));
        break;
    default:
        OPERAND(s, "(%u+4)*2", random_in(s->random, 1, 9));
    }
}

static void address(struct sketch *s) {
    const char *const names[] = {"%rd1", "%r12", "smem", "_Z1kv_param_0", "$buf"};
    OPERAND(s, "[%s", one_of(s, names, 5));
    if (flip(s)) {
        OPERAND(s, "+%d", flip(s) ? 16 : -128);
    }
    OPERAND(s, "]");
}

static void list(struct sketch *s, int count) {
    for (int i = 0; i < count; i++) {
        OPERAND(s, i ? ", " : "{");
        scalar(s);
    }
    OPERAND(s, "}");
}

static void tensor(struct sketch *s, int coords) {
    const char *const names[] = {"%rd7", "map", "k_param_3"};
    OPERAND(s, "[%s, ", one_of(s, names, 3));
    list(s, coords);
    OPERAND(s, "]");
}

static const char *const ranks[] = {"", "1d", "2d", "3d", "4d", "5d"};

/* Mode and rank that go together; im2colInfo's entries. */
static int pick_mode(struct sketch *s, struct ptx_sample *out, int loads) {
    const char *const load_modes[] = {"",          "tile",          "im2col", "tile::gather4",
                                      "im2col::w", "im2col::w::128"};
    const char *const store_modes[] = {
        "", "tile", "im2col_no_offs", "tile::scatter4", "im2col_no_offs::w", ""};
    out->mode = one_of(s, loads ? load_modes : store_modes, 6);
    const int rows4 = strstr(out->mode, "4") && !strstr(out->mode, "128");
    const int im2col = !strncmp(out->mode, "im2col", 6);
    out->rank = rows4 ? 2 : (int)random_in(s->random, im2col ? 3 : 1, 5);
    return !im2col || !loads ? 0 : strstr(out->mode, "::w") ? 2 : out->rank - 2;
}

static int coords_of(const struct ptx_sample *out) {
    return strstr(out->mode, "ter4") || strstr(out->mode, "her4") ? 5 : out->rank;
}

static void policy(struct sketch *s, int hint) {
    if (hint) {
        OPERAND(s, ", %%rd%u", random_in(s->random, 0, 99));
    }
}

static void load(struct sketch *s, struct ptx_sample *out) {
    const int cluster = flip(s);
    const int multicast = cluster && flip(s);
    const int offsets = pick_mode(s, out, 1);
    out->opcode = "cp.async.bulk.tensor";
    qualify(s, ranks[out->rank]);
    qualify(s, cluster ? "shared::cluster" : "shared::cta");
    qualify(s, "global");
    if (*out->mode) {
        qualify(s, out->mode);
    }
    qualify(s, "mbarrier::complete_tx::bytes");
    if (multicast) {
        qualify(s, flip(s) ? "multicast::cluster" : "multicast::cluster::16b");
    }
    if (flip(s)) {
        qualify(s, flip(s) ? "cta_group::1" : "cta_group::2");
    }
    const int hint = flip(s);
    if (hint) {
        qualify(s, "L2::cache_hint");
    }
    address(s);
    OPERAND(s, ", ");
    tensor(s, coords_of(out));
    OPERAND(s, ", ");
    address(s);
    if (offsets) {
        OPERAND(s, ", ");
        list(s, offsets);
    }
    if (multicast && flip(s)) {
        OPERAND(s, ", 0x%x", random_in(s->random, 1, 0xFFFF));
    } else if (multicast) {
        OPERAND(s, ", %%h%u", random_in(s->random, 0, 99));
    }
    policy(s, hint);
}

static void store(struct sketch *s, struct ptx_sample *out, int reduces) {
    const char *const ops[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    pick_mode(s, out, 0);
    out->stores = 1;
    out->opcode = reduces ? "cp.reduce.async.bulk.tensor" : "cp.async.bulk.tensor";
    qualify(s, ranks[out->rank]);
    qualify(s, "global");
    qualify(s, "shared::cta");
    if (reduces) {
        qualify(s, one_of(s, ops, 8));
    }
    if (*out->mode) {
        qualify(s, out->mode);
    }
    qualify(s, "bulk_group");
    const int hint = flip(s);
    if (hint) {
        qualify(s, "L2::cache_hint");
    }
    tensor(s, coords_of(out));
    OPERAND(s, ", ");
    address(s);
    policy(s, hint);
}

static void prefetch(struct sketch *s, struct ptx_sample *out) {
    const int offsets = pick_mode(s, out, 1);
    out->opcode = "cp.async.bulk.prefetch.tensor";
    qualify(s, ranks[out->rank]);
    qualify(s, "L2");
    qualify(s, "global");
    if (*out->mode) {
        qualify(s, out->mode);
    }
    const int hint = flip(s);
    if (hint) {
        qualify(s, "L2::cache_hint");
    }
    tensor(s, coords_of(out));
    if (offsets) {
        OPERAND(s, ", ");
        list(s, offsets);
    }
    policy(s, hint);
}

static void replace(struct sketch *s, struct ptx_sample *out) {
    static const struct {
        const char *field, *type;
        int ordinals, most; /* most < 0: registers too */
    } fields[] = {{"global_address", "b64", 0, -1},  {"rank", "b32", 0, -1},
                  {"box_dim", "b32", 5, -1},         {"global_dim", "b32", 5, -1},
                  {"global_stride", "b64", 5, -1},   {"element_stride", "b32", 5, -1},
                  {"elemtype", "b32", 0, 15},        {"interleave_layout", "b32", 0, 2},
                  {"swizzle_mode", "b32", 0, 4},     {"fill_mode", "b32", 0, 1},
                  {"swizzle_atomicity", "b32", 0, 3}};
    const char *const spaces[] = {NULL, "global", "shared::cta"};
    const uint64_t i = random_below(s->random, 11);
    const char *space = one_of(s, spaces, 3);
    out->opcode = "tensormap.replace";
    qualify(s, "tile");
    qualify(s, fields[i].field);
    if (space) {
        qualify(s, space);
    }
    qualify(s, "b1024");
    qualify(s, fields[i].type);
    address(s);
    if (fields[i].ordinals) {
        OPERAND(s, ", %u", random_in(s->random, 0, 4));
    }
    if (fields[i].most >= 0) {
        OPERAND(s, ", %u", random_in(s->random, 0, (uint32_t)fields[i].most));
    } else {
        OPERAND(s, ", ");
        scalar(s);
    }
}

static void others(struct sketch *s, struct ptx_sample *out) {
    const char *const scopes[] = {"cta", "cluster", "gpu", "sys"};
    const char *const maps[] = {NULL, "global", "shared::cta"};
    const char *space = one_of(s, maps, 3);
    switch (random_below(s->random, 4)) {
    case 0:
        out->opcode = "tensormap.cp_fenceproxy";
        qualify(s, "global");
        qualify(s, "shared::cta");
        qualify(s, "tensormap::generic");
        qualify(s, "release");
        qualify(s, one_of(s, scopes, 4));
        qualify(s, "sync");
        qualify(s, "aligned");
        address(s);
        OPERAND(s, ", ");
        address(s);
        OPERAND(s, ", 128");
        break;
    case 1:
        out->opcode = "fence.proxy";
        qualify(s, "tensormap::generic");
        qualify(s, flip(s) ? "acquire" : "release");
        qualify(s, one_of(s, scopes, 4));
        if (!strcmp(s->qualifier[1], "acquire")) {
            address(s);
            OPERAND(s, ", 128");
        }
        break;
    case 2:
        out->opcode = "tensormap.query.alloc_class_large";
        if (space) {
            qualify(s, space);
        }
        qualify(s, "b1024");
        OPERAND(s, "%%p1, ");
        address(s);
        break;
    default:
        out->opcode = "prefetch";
        if (flip(s)) {
            qualify(s, flip(s) ? "param" : "const");
        }
        qualify(s, "tensormap");
        address(s);
    }
}

static const char *gap(struct sketch *s) {
    static const char *const gaps[] = {
        "", "", " ", "\t", "\n", "\r\n", " /* [x, {y}]; */ ", " // ; }\n", " \\\n"};
    return gaps[random_below(s->random, sizeof(gaps) / sizeof(gaps[0]))];
}

/* Spaces keep their order, for it says the direction; all others go anywhere. */
static void shuffle(struct sketch *s) {
    for (int i = s->qualifiers - 1; i > 0; i--) {
        const int j = (int)random_below(s->random, (uint64_t)i + 1);
        const char *a = s->qualifier[i];
        const char *b = s->qualifier[j];
        int spaces = 0;
        for (int k = j; k <= i; k++) {
            spaces += !strncmp(s->qualifier[k], "shared", 6) || !strcmp(s->qualifier[k], "global");
        }
        if (spaces < 2) {
            s->qualifier[i] = b;
            s->qualifier[j] = a;
        }
    }
}

static void mess(struct sketch *s, struct ptx_sample *out) {
    add(out->messy, sizeof(out->messy), "%s%s", gap(s), s->head);
    add(out->messy, sizeof(out->messy), "%s", out->opcode);
    shuffle(s);
    for (int i = 0; i < s->qualifiers; i++) {
        add(out->messy, sizeof(out->messy), "%s.%s", gap(s), s->qualifier[i]);
    }
    add(out->messy, sizeof(out->messy), " ");
    int inside = 0; /* constant expressions stay whole */
    for (const char *at = s->operands; *at; at++) {
        inside += (*at == '(') - (*at == ')');
        const int between = !inside && strchr(",[]{}+", *at) != NULL;
        add(out->messy, sizeof(out->messy), "%s%c%s", between ? gap(s) : "", *at,
            between && at[1] != '-' ? gap(s) : "");
    }
    add(out->messy, sizeof(out->messy), "%s;%s", gap(s), gap(s));
}

void gen_ptx(struct random_source *random, struct ptx_sample *out) {
    struct sketch s = {.random = random};
    memset(out, 0, sizeof(*out));
    out->mode = "";
    if (flip(&s)) {
        add(s.head, sizeof(s.head), "@%s%%p%u ", flip(&s) ? "!" : "", random_in(random, 0, 9));
    }
    switch (random_below(random, 6)) {
    case 0:
    case 1:
        load(&s, out);
        break;
    case 2:
        store(&s, out, flip(&s));
        break;
    case 3:
        prefetch(&s, out);
        break;
    case 4:
        replace(&s, out);
        break;
    default:
        others(&s, out);
    }
    add(out->plain, sizeof(out->plain), "%s%s", s.head, out->opcode);
    for (int i = 0; i < s.qualifiers; i++) {
        add(out->plain, sizeof(out->plain), ".%s", s.qualifier[i]);
    }
    add(out->plain, sizeof(out->plain), "%s%s;", *s.operands ? " " : "", s.operands);
    mess(&s, out);
}
