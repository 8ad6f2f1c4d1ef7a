/* SPDX-License-Identifier: Apache-2.0
 *
 * The check before a copy. A copy like one that ran, by its pass, costs a few instructions; the
 * checker is called for the others. program/kernel/checker.c has what is called,
 * program/kernel/checker.h the form of the tables.
 */
#include "tma/ptx_check.h"

#include "ptx_inline.h"
#include "ptx_internal.h"
#include "tma/detail/chars.h"
#include "tma/judge.h"
#include "tma/judge_record.h"

#define CHECKER "libtma_checker_"

static int is_load(const tma_ptx_statement *s) {
    return s->in.op == TMA_OP_LOAD || s->in.op == TMA_OP_PREFETCH;
}

static int is_multicast(const tma_ptx_statement *s) {
    return (s->qualifiers & (TMA_PTX_MULTICAST | TMA_PTX_MULTICAST_16)) != 0;
}

const char *tma_ptx_check_lacks(const tma_ptx_check *check) {
    const tma_ptx_statement *s = check->statement;
    if (s->qualifiers & TMA_PTX_NOT_CHECKED) {
        return "a form of PTX 9.4 that checks in kernels do not know";
    }
    if (s->map.kind != TMA_PTX_NAME) {
        return "the map's address is no register and no variable";
    }
    if (s->in.op != TMA_OP_PREFETCH && s->shared.kind != TMA_PTX_NAME &&
        s->shared.kind != TMA_PTX_NUMBER) {
        return "the shared address is an expression";
    }
    for (uint32_t i = 0; i < s->coords; i++) {
        if (s->coord[i].kind == TMA_PTX_EXPRESSION) {
            return "a coordinate is an expression";
        }
    }
    for (uint32_t i = 0; i < s->offsets; i++) {
        if (s->offset[i].kind == TMA_PTX_EXPRESSION) {
            return "an im2col offset is an expression";
        }
    }
    return s->mask.kind == TMA_PTX_EXPRESSION ? "the ctaMask is an expression" : NULL;
}

/* --- tables --- */

/* What is longer than its place in a record (judge_record.h) ends in "...". */
static void put_string(tma_out *out, uint32_t number, const char *what, size_t room,
                       tma_ptx_span text) {
    static const char more[] = "...";
    const size_t length = text.length < room ? text.length : room - 1;
    const size_t own = length == text.length ? length : length - (sizeof(more) - 1);
    tma_putf(out, ".global .align 1 .b8 " CHECKER "%s_%u[%zu] = {", what, number, length + 1);
    for (size_t i = 0; i < length; i++) {
        tma_putf(out, "%u,", (unsigned)(uint8_t)(i < own ? text.at[i] : more[i - own]));
    }
    tma_put(out, "0};\n");
}

/* The statement's opcode with its qualifiers. */
static tma_ptx_span opcode_of(const tma_ptx_statement *s, char *text, size_t size) {
    tma_out out = tma_out_into(text, size);
    tma_ptx_statement bare = *s;
    bare.guard = (tma_ptx_operand){0};
    ptx_put(&out, &bare);
    const size_t length = out.length < size ? out.length : size - 1;
    return (tma_ptx_span){text, text_until(text, length, ' ')};
}

static uint64_t pair(uint32_t low, uint32_t high) {
    return (uint64_t)high << 32 | low;
}

static uint32_t number_as(const tma_ptx_check *check, const tma_ptx_check *other) {
    return other ? other->number : check->number;
}

void tma_ptx_check_put_site(tma_out *out, const tma_ptx_check *check) {
    static const char none[] = "<unknown>";
    const tma_ptx_statement *s = check->statement;
    char text[512];
    const tma_ptx_span opcode =
        check->opcode.length ? check->opcode : opcode_of(s, text, sizeof(text));
    if (!check->file_as) {
        put_string(out, check->number, "file", TMA_JUDGE_FILE_BYTES,
                   check->file.length ? check->file : (tma_ptx_span){none, sizeof(none) - 1});
    }
    if (!check->function_as) {
        put_string(out, check->number, "function", TMA_JUDGE_FUNCTION_BYTES, check->function);
    }
    if (!check->opcode_as) {
        put_string(out, check->number, "opcode", TMA_JUDGE_OPCODE_BYTES, opcode);
    }
    tma_putf(out,
             ".global .align 8 .u64 " CHECKER "site_%u[8] = {%llu,%llu,%llu,%llu,%llu,"
             "generic(" CHECKER "file_%u),generic(" CHECKER "function_%u),"
             "generic(" CHECKER "opcode_%u)};\n",
             check->number, (unsigned long long)check->features,
             (unsigned long long)pair(s->in.op, s->in.mode),
             (unsigned long long)pair(s->in.rank, s->in.cluster),
             (unsigned long long)pair(s->in.cta_group, (uint32_t)is_multicast(s)),
             (unsigned long long)pair(check->line, s->in.mode >= TMA_JUDGE_BULK ? 0 : s->coords),
             number_as(check, check->file_as), number_as(check, check->function_as),
             number_as(check, check->opcode_as));
}

/* --- passes --- */

/* What tma_check_copy() gets and answers: program/kernel/checker.h, checked_position. */
#define POSITION_MAP_AT 48
#define POSITION_BYTES  56
#define SKIP_COPY       UINT32_MAX
_Static_assert(sizeof(tma_judge_at) <= POSITION_MAP_AT, "the map's address stands behind");

void tma_ptx_check_put_shared(tma_out *out, const tma_ptx_check_shared *shared) {
    tma_put(out, "\n");
    if (shared->called) {
        tma_putf(out, ".local .align 8 .b8 libtma_at[%d];\n", POSITION_BYTES);
    }
    if (shared->changes) {
        tma_putf(out, ".local .align 16 .b8 libtma_copy[%u];\n", TMA_MAP_BYTES);
    }
    if (shared->passes) {
        tma_putf(out, ".reg .b32 %%libtma_pass<%u>;\n", shared->passes);
    }
    if (shared->inlined) {
        ptx_put_inline_shared(out, shared);
    }
    if (shared->expects) {
        tma_put(out, ".reg .b32 %libtma_asked;\n");
    }
}

void tma_ptx_check_put_start(tma_out *out, const tma_ptx_check_shared *shared) {
    for (uint32_t i = 0; i < shared->passes; i++) {
        tma_putf(out, "mov.u32 %%libtma_pass%u, 0;\n", i);
    }
    if (shared->expects) {
        tma_put(out, "mov.u32 %libtma_asked, 0;\n");
    }
}

/* --- operands --- */

static void put_name(tma_out *out, const tma_ptx_operand *o) {
    tma_put_bytes(out, o->name, o->length);
}

/* The map's generic address. */
static void put_map(tma_out *out, const tma_ptx_check *check) {
    static const char *const spaces[] = {"", ".param", ".const", ".global"};
    const tma_ptx_operand *o = &check->statement->map;
    tma_put(out, "mov.b64 %libtma_map, ");
    put_name(out, o);
    tma_put(out, ";\n");
    if (check->map != TMA_PTX_CHECK_REGISTER && check->map <= TMA_PTX_CHECK_GLOBAL) {
        tma_putf(out, "cvta%s.u64 %%libtma_map, %%libtma_map;\n", spaces[check->map]);
    }
    if (o->value) {
        tma_putf(out, "add.s64 %%libtma_map, %%libtma_map, %" TMA_D64 ";\n", o->value);
    }
}

static const char *const coords[TMA_MAX_RANK] = {"c0", "c1", "c2", "c3", "c4"};

static void put_operands(tma_out *out, const tma_ptx_check *check) {
    const tma_ptx_statement *s = check->statement;
    if (ptx_is_bulk(check)) {
        ptx_put_bulk_operands(out, check);
        return;
    }
    for (uint32_t i = 0; i < s->coords; i++) {
        ptx_put_u32(out, coords[i], &s->coord[i], 32);
    }
    ptx_put_shared(out, "s", &s->shared, check->shared_bits);
    ptx_put_barrier(out, check);
    if (is_multicast(s)) {
        ptx_put_u32(out, "mask", &s->mask, 16);
        tma_put(out, "mov.u32 %libtma_ctas, %cluster_nctarank;\n");
    }
}

/* --- the check --- */

/* A map that may change is judged quickly before each copy, and called for where that is no yes:
 * tiles that are loaded or stored. */
static int is_judged_now(const tma_ptx_check *check) {
    const tma_instruction *in = &check->statement->in;
    return check->changes && in->mode == TMA_MODE_TILE &&
           (in->op == TMA_OP_LOAD || in->op == TMA_OP_STORE) &&
           check->version >= PTX_VERSION_OF_AGGR_SMEM;
}

#define PASS_NOW "w3" /* %libtma_w3 */

static void put_pass(tma_out *out, const tma_ptx_check *check) {
    if (is_judged_now(check)) {
        tma_put(out, "%libtma_" PASS_NOW);
    } else {
        tma_putf(out, "%%libtma_pass%u", check->pass);
    }
}

/* %libtma_go: whether the pass lets the copy through; TMA_PASSES() of judge.h. */
static void put_comparison(tma_out *out, const tma_ptx_check *check) {
    const tma_ptx_statement *s = check->statement;
    const uint32_t bits = TMA_PASS_BITS;
    tma_put(out, "and.b32 %libtma_t, %libtma_c0, ");
    put_pass(out, check);
    tma_put(out, ";\nor.b32 %libtma_t, %libtma_t, %libtma_s;\n");
    ptx_put_barrier_bits(out, check);
    tma_putf(out,
             "and.b32 %%libtma_t, %%libtma_t, %u;\n"
             "setp.eq.u32 %%libtma_go, %%libtma_t, 0;\n"
             "and.b32 %%libtma_t, %%libtma_s, %u;\n"
             "setp.lt.and.u32 %%libtma_go, %%libtma_t, ",
             bits, TMA_JUDGE_CTA_BITS);
    put_pass(out, check);
    tma_put(out, ", %libtma_go;\n");
    if (!is_load(s)) {
        for (uint32_t i = 0; i < s->coords; i++) {
            tma_putf(out,
                     i ? "or.b32 %%libtma_t, %%libtma_t, %%libtma_%s;\n"
                       : "mov.b32 %%libtma_t, %%libtma_%s;\n",
                     coords[i]);
        }
        tma_put(out, "setp.ge.and.s32 %libtma_go, %libtma_t, 0, %libtma_go;\n");
    }
    if (is_multicast(s)) {
        tma_put(out, "shr.u32 %libtma_t, %libtma_mask, %libtma_ctas;\n"
                     "setp.eq.and.u32 %libtma_go, %libtma_t, 0, %libtma_go;\n");
    }
}

/* %libtma_go too: the bounding box of im2col. */
static void put_box(tma_out *out, const tma_ptx_check *check) {
    const uint32_t first = check->pass * PTX_INLINE_BOX;
    for (uint32_t i = 0; i + 1 < check->statement->coords; i++) {
        tma_putf(out,
                 "setp.ge.and.s32 %%libtma_go, %%libtma_%s, %%libtma_box%u, %%libtma_go;\n"
                 "setp.le.and.s32 %%libtma_go, %%libtma_%s, %%libtma_box%u, %%libtma_go;\n",
                 coords[i], first + i, coords[i], first + PTX_INLINE_BOX / 2 + i);
    }
}

void ptx_put_inline_comparison(tma_out *out, const tma_ptx_check *check) {
    if (ptx_is_bulk(check)) {
        ptx_put_bulk_comparison(out, check);
        return;
    }
    put_comparison(out, check);
    if (check->statement->in.mode == TMA_MODE_IM2COL) {
        put_box(out, check);
    }
}

/* %libtma_go too where the copy itself is not made. */
static void put_guard(tma_out *out, const tma_ptx_statement *s) {
    if (s->guard.kind != TMA_PTX_NAME) {
        return;
    }
    if (s->negated) {
        tma_put(out, "or.pred %libtma_go, %libtma_go, ");
    } else {
        tma_put(out, "not.pred %libtma_p, ");
    }
    put_name(out, &s->guard);
    tma_put(out, s->negated ? ";\n" : ";\nor.pred %libtma_go, %libtma_go, %libtma_p;\n");
}

/* Past the call where the pass lets it through, or where the copy itself is not made. */
static void put_branch(tma_out *out, const tma_ptx_check *check) {
    const tma_ptx_statement *s = check->statement;
    const int passes = check->pass != TMA_PTX_CHECK_NO_PASS || ptx_is_bulk(check);
    const char *negated = s->negated ? "" : "!";
    if (passes) {
        if (ptx_is_bulk(check)) {
            ptx_put_bulk_comparison(out, check);
        } else {
            put_comparison(out, check);
        }
        put_guard(out, s);
        tma_putf(out, "@%%libtma_go bra $libtma_%u;\n", check->number);
    } else if (s->guard.kind == TMA_PTX_NAME) {
        tma_putf(out, "@%s", negated);
        put_name(out, &s->guard);
        tma_putf(out, " bra $libtma_%u;\n", check->number);
    }
}

/* Likewise, where the map may change. A whole warp takes the branch as one. */
static void put_branch_now(tma_out *out, const tma_ptx_check *check) {
    ptx_put_window(out);
    put_map(out, check);
    ptx_put_quick_now(out, check, PASS_NOW);
    put_comparison(out, check);
    put_guard(out, check->statement);
    if (check->together) {
        tma_putf(out,
                 "not.pred %%libtma_p, %%libtma_go;\n"
                 "vote.sync.any.pred %%libtma_p, %%libtma_p, -1;\n"
                 "@!%%libtma_p bra $libtma_%u;\n",
                 check->number);
    }
    tma_putf(out, "@%%libtma_go bra $libtma_%u;\n", check->number);
}

/* One member of a tma_judge_at: the register's value, or 0. */
static void put_member(tma_out *out, size_t at, const char *name, int is_there) {
    tma_putf(out,
             is_there ? "st.local.u32 [libtma_at+%zu], %%libtma_%s;\n"
                      : "st.local.u32 [libtma_at+%zu], 0;\n",
             at, name);
}

static void put_position(tma_out *out, const tma_ptx_check *check) {
    const tma_ptx_statement *s = check->statement;
    const int in_window = check->version >= PTX_VERSION_OF_AGGR_SMEM;
    if (in_window) {
        ptx_put_window(out);
    }
    for (uint32_t i = 0; i < s->offsets && i < 2; i++) {
        ptx_put_u32(out, i ? "o1" : "o0", &s->offset[i], 16);
    }
    const uint32_t members = ptx_is_expect(check) ? TMA_JUDGE_STATE + 1
                             : ptx_is_bulk(check) ? TMA_JUDGE_SIZE + 1
                                                  : s->coords;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        put_member(out, offsetof(tma_judge_at, coord) + i * sizeof(int32_t), coords[i],
                   i < members);
    }
    put_member(out, offsetof(tma_judge_at, offset), "o0", s->offsets > 0);
    put_member(out, offsetof(tma_judge_at, offset) + sizeof(uint32_t), "o1", s->offsets > 1);
    put_member(out, offsetof(tma_judge_at, shared_address), "s", 1);
    put_member(out, offsetof(tma_judge_at, window_end), "w0", in_window);
    put_member(out, offsetof(tma_judge_at, cta_mask), "mask", is_multicast(s));
    put_member(out, offsetof(tma_judge_at, ctas), "ctas", is_multicast(s));
    put_member(out, offsetof(tma_judge_at, barrier), "b", 1);
}

/* The bytes of a map that may change, as they are now: a copy of them, not what a cache has. */
static void put_copy(tma_out *out) {
    for (uint32_t at = 0; at < TMA_MAP_BYTES; at += 16) {
        tma_putf(out,
                 "ld.relaxed.gpu.v4.b32 {%%libtma_w0,%%libtma_w1,%%libtma_w2,%%libtma_w3}, "
                 "[%%libtma_map+%u];\n"
                 "st.local.v4.b32 [libtma_copy+%u], "
                 "{%%libtma_w0,%%libtma_w1,%%libtma_w2,%%libtma_w3};\n",
                 at, at);
    }
    tma_put(out, "mov.u64 %libtma_map, libtma_copy;\n"
                 "cvta.local.u64 %libtma_map, %libtma_map;\n");
}

/* What the checker answered: a pass, or that the copy is not to be made. */
static void put_answer(tma_out *out, const tma_ptx_check *check) {
    const int skips = check->on_fault == TMA_PTX_CHECK_SKIP;
    const int passes = check->pass != TMA_PTX_CHECK_NO_PASS;
    if (skips) {
        tma_putf(out,
                 "ld.param.b32 %%libtma_t, [libtma_r];\n"
                 "setp.eq.u32 %%libtma_go, %%libtma_t, %u;\n",
                 SKIP_COPY);
    }
    if (passes) {
        tma_putf(out,
                 skips ? "selp.b32 %%libtma_pass%u, 0, %%libtma_t, %%libtma_go;\n"
                       : "ld.param.b32 %%libtma_pass%u, [libtma_r];\n",
                 check->pass);
    }
    tma_put(out, "}\n");
    if (skips) {
        tma_putf(out, "@%%libtma_go bra $libtma_skip_%u;\n", check->number);
    }
}

/* tma_check_copy(map, where, position). */
static void put_call(tma_out *out, const tma_ptx_check *check) {
    const tma_ptx_statement *s = check->statement;
    put_position(out, check);
    if (s->in.mode >= TMA_JUDGE_BULK) {
        tma_put(out, "mov.b64 %libtma_map, 0;\n");
    } else {
        put_map(out, check);
    }
    tma_putf(out, "st.local.u64 [libtma_at+%d], %%libtma_map;\n", POSITION_MAP_AT);
    if (check->changes) {
        put_copy(out);
    }
    tma_put(out, "{\n.param .b64 libtma_m;\n.param .b64 libtma_w;\n.param .b64 libtma_p;\n"
                 ".param .b32 libtma_r;\n");
    tma_putf(out,
             "st.param.b64 [libtma_m], %%libtma_map;\n"
             "mov.u64 %%libtma_map, " CHECKER "site_%u;\n"
             "cvta.global.u64 %%libtma_map, %%libtma_map;\n"
             "st.param.b64 [libtma_w], %%libtma_map;\n"
             "mov.u64 %%libtma_map, libtma_at;\n"
             "cvta.local.u64 %%libtma_map, %%libtma_map;\n"
             "st.param.b64 [libtma_p], %%libtma_map;\n"
             "call (libtma_r), " CHECKER "tma_check_copy, (libtma_m, libtma_w, libtma_p);\n",
             check->number);
    put_answer(out, check);
}

int tma_ptx_check_fits_inline(const tma_ptx_check *check) {
    return check->on_fault == TMA_PTX_CHECK_RECORD && check->version >= PTX_VERSION_OF_AGGR_SMEM &&
           (check->statement->in.mode >= TMA_JUDGE_BULK ||
            (check->statement->in.mode <= TMA_MODE_IM2COL &&
             !(check->features & TMA_FEATURE_PACKED)));
}

/* Who makes the copy: whom its guard lets, where the checks so far do. */
static void put_run(tma_out *out, const tma_ptx_check *check) {
    const tma_ptx_statement *s = check->statement;
    if (s->guard.kind != TMA_PTX_NAME) {
        tma_putf(out, "mov.pred %%libtma_run%u, %%libtma_all;\n", check->inlined);
        return;
    }
    if (s->negated) {
        tma_put(out, "not.pred %libtma_p, ");
    } else {
        tma_putf(out, "and.pred %%libtma_run%u, %%libtma_all, ", check->inlined);
    }
    put_name(out, &s->guard);
    tma_put(out, ";\n");
    if (s->negated) {
        tma_putf(out, "and.pred %%libtma_run%u, %%libtma_all, %%libtma_p;\n", check->inlined);
    }
}

static void put_inline(tma_out *out, const tma_ptx_check *check) {
    const tma_ptx_operand *guard = &check->statement->guard;
    const int is_alone = check->group == check->number && check->next == TMA_PTX_CHECK_LAST;
    put_operands(out, check);
    ptx_put_inline_comparison(out, check);
    put_guard(out, check->statement);
    ptx_put_kept(out, check);
    if (guard->kind == TMA_PTX_NAME && !is_alone) {
        tma_putf(out, "mov.pred %%libtma_guard%u, ", check->inlined);
        put_name(out, guard);
        tma_put(out, ";\n");
    }
    if (check->group != check->number) {
        tma_put(out, "and.pred %libtma_all, %libtma_all, %libtma_go;\n");
    } else if (!is_alone || check->together) {
        tma_put(out, "mov.pred %libtma_all, %libtma_go;\n");
    }
    if (check->together) {
        put_run(out, check);
    } else if (check->next == TMA_PTX_CHECK_LAST) {
        tma_putf(out, "@!%%libtma_%s bra $libtma_cold_%u;\n", is_alone ? "go" : "all",
                 check->group);
    }
    tma_put(out, "}\n");
}

void ptx_put_check_registers(tma_out *out) {
    tma_put(out, "\n{\n.reg .pred %libtma_go, %libtma_p;\n"
                 ".reg .b32 %libtma_s, %libtma_b, %libtma_t, %libtma_c<5>, %libtma_o<2>, "
                 "%libtma_w<4>, %libtma_mask, "
                 "%libtma_ctas;\n.reg .b64 %libtma_map;\n");
}

static void put_expect_check(tma_out *out, const tma_ptx_check *check) {
    ptx_put_expect(out, check);
    tma_put(out, "mov.u32 %libtma_s, 0;\n");
    if (check->inlined != TMA_PTX_CHECK_CALLED) {
        ptx_put_kept(out, check);
        tma_putf(out, "bra $libtma_cold_%u;\n", check->number);
    } else {
        put_call(out, check);
    }
    tma_putf(out, "}\n$libtma_%u:\n", check->number);
}

void tma_ptx_check_put_check(tma_out *out, const tma_ptx_check *check) {
    ptx_put_check_registers(out);
    if (ptx_is_expect(check)) {
        put_expect_check(out, check);
        return;
    }
    if (check->inlined != TMA_PTX_CHECK_CALLED) {
        put_inline(out, check);
        return;
    }
    if (check->pass != TMA_PTX_CHECK_NO_PASS || ptx_is_bulk(check)) {
        put_operands(out, check);
        put_branch(out, check);
    } else if (is_judged_now(check)) {
        put_operands(out, check);
        put_branch_now(out, check);
    } else {
        put_branch(out, check);
        put_operands(out, check);
    }
    put_call(out, check);
    tma_putf(out, "}\n$libtma_%u:\n", check->number);
}

/* Whether the branch stands behind the copy. */
static int is_behind(const tma_ptx_check *check) {
    return check->together && check->inlined != TMA_PTX_CHECK_CALLED;
}

void tma_ptx_check_put_copy(tma_out *out, const tma_ptx_check *check, const tma_ptx_piece *copy) {
    tma_ptx_parts parts;
    size_t at = 0;
    if (is_behind(check) && !tma_ptx_split(&parts, copy)) {
        tma_putf(out, "@%%libtma_run%u ", check->inlined);
        at = (size_t)(parts.opcode.at - copy->at);
    }
    tma_put_bytes(out, copy->at + at, copy->size - at);
}

/* Of all threads of the warp: one that goes another way alone would part it, and ptxas keeps what
 * is the same for all of them in other registers then, and moves nothing before a barrier. */
static void put_warp_branch(tma_out *out, const tma_ptx_check *check) {
    tma_putf(out,
             "\nnot.pred %%libtma_any, %%libtma_all;\n"
             "vote.sync.any.pred %%libtma_any, %%libtma_any, -1;\n"
             "@%%libtma_any bra $libtma_cold_%u;\n",
             check->group);
}

void tma_ptx_check_put_after(tma_out *out, const tma_ptx_check *check) {
    if (is_behind(check) && check->next == TMA_PTX_CHECK_LAST) {
        put_warp_branch(out, check);
    }
    if (check->on_fault == TMA_PTX_CHECK_SKIP) {
        tma_putf(out, "\n$libtma_skip_%u:\n", check->number);
    }
}
