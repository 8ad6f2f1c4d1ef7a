/* SPDX-License-Identifier: Apache-2.0
 *
 * Values where none are given: every one of them is said with each finding, and no copy is blamed
 * on an invented map.
 */
#include <string.h>

#include "launch.h"
#include "session_uses.h"
#include "tma/detail/chars.h"
#include "tma/spec.h"

#define BUFFER_B    (UINT64_C(8) << 20)
#define TABLE_B     4096 /* where a map lies that a parameter points to */
#define THREADS     128
#define SHARED_B    (227u << 10) /* of a CTA on an H200 */
#define FIRST_BOX_B 2048
#define FIRST_ROW_B 128 /* of rank 1 */
#define MOST_BOX_B  (1u << 17)
#define MAP_ALIGN_B 64
#define MOST_EDGE   256 /* of a box */

static int refuse(const session *s, const char *what, uint32_t parameter, tma_error *error) {
    const tma_emulate_parameter *p = &s->parameter[parameter];
    return tma_fail(error, "--no-invent: %s %.*s (%s, %u byte%s at %u) is not given", what,
                    (int)p->name_length, p->name, p->type, p->size_B, text_plural(p->size_B),
                    p->offset_B);
}

static void put(session *s, const session_value *v, const void *bytes) {
    memcpy(s->params + s->parameter[v->parameter].offset_B + v->offset_B, bytes, v->size_B);
}

/* ---- maps ---- */

/* `dims` edges of at most 256 of so many elements; the longest first. 0: there are none. */
static int edges_of(uint32_t *edge, uint32_t dims, uint32_t elements) {
    uint32_t rest = elements;
    for (uint32_t i = 0; i < dims; i++) {
        edge[i] = rest < MOST_EDGE ? rest : MOST_EDGE;
        while (rest % edge[i]) {
            edge[i]--;
        }
        rest /= edge[i];
    }
    return rest == 1;
}

/* Another box, where that of box_of() has fewer bytes: whole rows of 16 bytes. */
static void fit_box(tma_spec *spec, uint32_t elements, uint32_t element_B) {
    uint32_t edge[TMA_MAX_RANK] = {0}, all = 1;
    for (uint32_t i = 0; i < spec->rank; i++) {
        all *= spec->box_el[i];
    }
    const uint32_t step = 16 / element_B;
    for (edge[0] = MOST_EDGE / step * step; all != elements && edge[0]; edge[0] -= step) {
        if (elements % edge[0] == 0 && edges_of(edge + 1, spec->rank - 1, elements / edge[0])) {
            memcpy(spec->box_el, edge, spec->rank * sizeof *edge);
            all = elements;
        }
    }
}

/* A box of so many bytes: edges of at most 256, the innermost as long as that allows, and whole
 * steps of 16 bytes. The smallest one where even elements of 1 have no box that large. */
static void box_of(tma_spec *spec, uint32_t box_B, uint32_t element_B) {
    const uint32_t step = 16 / element_B, whole = box_B / element_B / step * step;
    uint32_t rest = whole && box_B <= MOST_BOX_B ? whole : step;
    uint32_t inner = rest < 64 ? rest : 64;
    while (inner < MOST_EDGE && rest / inner > MOST_EDGE) {
        inner *= 2;
    }
    for (uint32_t i = 0; i < spec->rank; i++) {
        const uint32_t edge = i == 0 ? inner : rest < MOST_EDGE ? rest : MOST_EDGE;
        spec->box_el[i] = edge ? edge : 1;
        rest /= spec->box_el[i];
    }
    fit_box(spec, box_B / element_B, element_B);
}

/* *has_B: what the box has. */
static int encode(uint8_t map[TMA_MAP_BYTES], const session *s, const session_value *v,
                  uint32_t box_B, uint32_t *has_B) {
    static const uint32_t types[9] = {[1] = TMA_DTYPE_UINT8,
                                      [2] = TMA_DTYPE_FLOAT16,
                                      [4] = TMA_DTYPE_FLOAT32,
                                      [8] = TMA_DTYPE_FLOAT64};
    tma_spec spec = {.api = v->is_im2col ? TMA_API_IM2COL : TMA_API_TILED,
                     .dtype = types[s->element_B],
                     .rank = v->rank,
                     .address = 256};
    static const uint64_t dims[TMA_MAX_RANK] = {1024, 1024, 4, 2, 2};
    memcpy(spec.dim_el, dims, sizeof(dims));
    box_of(&spec, box_B, s->element_B);
    if (!spec.box_el[0]) { /* no dimensions */
        return 1;
    }
    *has_B = s->element_B;
    for (uint32_t i = 0; i < spec.rank; i++) {
        *has_B *= spec.box_el[i];
    }
    if (v->is_rows4) { /* a row; the copy takes four */
        spec.box_el[0] = box_B / s->element_B < MOST_EDGE ? box_B / s->element_B : MOST_EDGE;
        spec.box_el[1] = 1;
    }
    spec.channels_per_pixel = spec.box_el[0];
    spec.pixels_per_column = box_B / s->element_B / spec.channels_per_pixel;
    return tma_spec_fill(&spec) != TMA_OK || tma_encode(map, &spec, NULL) != TMA_OK;
}

static int place_map(session *s, session_value *v, uint8_t *at, tma_error *error) {
    uint8_t map[TMA_MAP_BYTES];
    uint32_t has_B = 0;
    if (encode(map, s, v, v->box_B, &has_B)) {
        return tma_fail(error, "parameter %u: no map of rank %u with boxes of %u bytes",
                        v->parameter, v->rank, v->box_B);
    }
    if (v->buffer == UINT32_MAX && !session_add_buffer(s, v, BUFFER_B, error)) {
        return -1;
    }
    if (tma_replace_address(map, s->buffer[v->buffer].address, NULL) != TMA_OK) {
        return tma_fail(error, "parameter %u: the map takes no address", v->parameter);
    }
    memcpy(at, map, sizeof(map));
    tma_out out = tma_out_into(v->text, sizeof(v->text));
    v->is_less = !v->is_im2col && !v->is_rows4 && has_B != v->box_B;
    tma_putf(&out, "a map of rank %u, boxes of %u bytes, elements of %u", v->rank,
             v->is_less ? has_B : v->box_B, s->element_B);
    if (v->is_less) {
        tma_putf(&out, " (no box of them has %u)", v->box_B);
    }
    return 0;
}

int session_box(session *s, uint32_t i, uint32_t box_B, tma_error *error) {
    session_value *v = &s->value[i];
    v->box_B = box_B;
    uint8_t *const own = s->params + s->parameter[v->parameter].offset_B + v->offset_B;
    return place_map(s, v, v->holder != UINT32_MAX ? s->buffer[v->holder].first : own, error);
}

static const session_field *field_at(const session_uses *uses, uint32_t parameter,
                                     uint32_t offset_B) {
    for (uint32_t i = 0; i < uses->fields; i++) {
        if (uses->field[i].parameter == parameter && uses->field[i].offset_B == offset_B) {
            return &uses->field[i];
        }
    }
    return NULL;
}

/* A map at a field (null: nobody copies with it), or in memory that the field points to. */
static int invent_map(session *s, const session_field *field, uint32_t parameter,
                      tma_error *error) {
    const uint32_t offset_B = field ? field->offset_B : 0;
    const int is_held = field && field->is_held;
    session_value *v =
        session_add_value(s, parameter, offset_B, is_held ? 8 : TMA_MAP_BYTES, error);
    if (!v) {
        return -1;
    }
    v->from = SESSION_INVENTED;
    v->is_map = 1;
    v->rank = field && field->rank ? field->rank : 2;
    v->is_im2col = field ? field->is_im2col : 0;
    v->is_rows4 = field ? field->is_rows4 : 0;
    if (is_held) {
        const session_buffer *b = session_add_buffer(s, v, TABLE_B, error);
        if (!b) {
            return -1;
        }
        put(s, v, &b->address);
        v->holder = v->buffer;
        v->buffer = UINT32_MAX;
    }
    s->maps++;
    s->element_B = 2;
    v->first_B = v->rank == 1 ? FIRST_ROW_B : FIRST_BOX_B;
    return session_box(s, s->values - 1, v->first_B, error);
}

/* ---- other parameters ---- */

static int invent_pointer(session *s, uint32_t parameter, uint32_t offset_B, tma_error *error) {
    session_value *v = session_add_value(s, parameter, offset_B, 8, error);
    const session_buffer *b = v ? session_add_buffer(s, v, BUFFER_B, error) : NULL;
    if (!b) {
        return -1;
    }
    v->from = SESSION_INVENTED;
    put(s, v, &b->address);
    tma_out out = tma_out_into(v->text, sizeof(v->text));
    tma_putf(&out, "zeros:%llu", (unsigned long long)b->size_B);
    return 0;
}

static int invent_number(session *s, uint32_t parameter, uint32_t offset_B, uint32_t size_B,
                         int is_float, tma_error *error) {
    session_value *v = session_add_value(s, parameter, offset_B, size_B, error);
    if (!v) {
        return -1;
    }
    const float single = 1;
    const double real = 1;
    v->from = SESSION_INVENTED;
    if (is_float && size_B >= 4) {
        tma_out out = tma_out_into(v->text, sizeof(v->text));
        put(s, v, size_B == 4 ? (const void *)&single : (const void *)&real);
        tma_put(&out, "1.0");
    } else {
        v->is_number = 1;
        s->numbers++;
    }
    return 0;
}

static int invent_zeros(session *s, uint32_t parameter, tma_error *error) {
    const uint32_t size_B = s->parameter[parameter].size_B;
    session_value *v = session_add_value(s, parameter, 0, size_B, error);
    if (v) {
        tma_out out = tma_out_into(v->text, sizeof(v->text));
        tma_put(&out, "zeros");
        v->from = SESSION_INVENTED;
    }
    return v ? 0 : -1;
}

void session_number_text(session *s, const char *text) {
    for (uint32_t i = 0; i < s->values; i++) {
        if (s->value[i].is_number && s->value[i].size_B > 1) {
            tma_out out = tma_out_into(s->value[i].text, sizeof(s->value[i].text));
            tma_put(&out, text);
        }
    }
}

void session_number(session *s, uint32_t number) {
    s->number = number;
    for (uint32_t i = 0; i < s->values; i++) {
        session_value *v = &s->value[i];
        if (v->is_number) {
            const uint64_t bytes = v->size_B == 1 ? 1 : number;
            put(s, v, &bytes);
            tma_out out = tma_out_into(v->text, sizeof(v->text));
            tma_putf(&out, "%llu", (unsigned long long)bytes);
        }
    }
}

/* A part of a parameter, as the kernel uses it; what is given stays. */
static int invent_field(session *s, const session_field *f, int maps, tma_error *error) {
    const uint32_t size_B = f->is_map ? TMA_MAP_BYTES : f->size_B;
    if ((f->is_map || f->is_held) != maps || !size_B || (f->is_held && size_B != 8) ||
        (!f->is_map && size_B > 8) || f->offset_B + size_B > s->parameter[f->parameter].size_B ||
        session_has(s, f->parameter, f->offset_B, size_B)) {
        return 0;
    }
    if (maps) {
        return invent_map(s, f, f->parameter, error);
    }
    return size_B == 8 && f->is_pointer
               ? invent_pointer(s, f->parameter, f->offset_B, error)
               : invent_number(s, f->parameter, f->offset_B, size_B, f->is_float, error);
}

static int is_scalar(const tma_emulate_parameter *p) {
    return p->size_B <= 8 && !text_same(p->type, "b8");
}

/* A struct: maps first, then what else is loaded; the rest is zeros. */
static int invent_struct(session *s, const session_uses *uses, uint32_t parameter,
                         tma_error *error) {
    const tma_emulate_parameter *p = &s->parameter[parameter];
    uint32_t used = 0;
    for (uint32_t maps = 2; maps-- > 0;) {
        for (uint32_t i = 0; i < uses->fields; i++) {
            const session_field *f = &uses->field[i];
            used += f->parameter == parameter && (f->size_B || f->is_map);
            if (f->parameter == parameter && invent_field(s, f, (int)maps, error)) {
                return -1;
            }
        }
    }
    if (used || session_has(s, parameter, 0, p->size_B)) {
        return 0;
    }
    return p->size_B == TMA_MAP_BYTES && p->align_B >= MAP_ALIGN_B
               ? invent_map(s, NULL, parameter, error)
               : invent_zeros(s, parameter, error);
}

static int invent_parameter(session *s, const session_uses *uses, uint32_t i, tma_error *error) {
    const tma_emulate_parameter *p = &s->parameter[i];
    const session_field *f = field_at(uses, i, 0);
    if (!p->size_B || (session_has(s, i, 0, p->size_B) && (is_scalar(p) || s->how.no_invent))) {
        return 0;
    }
    if (s->how.no_invent) {
        return refuse(s, f && f->is_map ? "--map" : "--param", i, error);
    }
    if (!is_scalar(p)) {
        return invent_struct(s, uses, i, error);
    }
    if (f && f->is_held && p->size_B == 8) {
        return invent_map(s, f, i, error);
    }
    return p->size_B == 8 && f && f->is_pointer
               ? invent_pointer(s, i, 0, error)
               : invent_number(s, i, 0, p->size_B, p->type[0] == 'f', error);
}

/* ---- the launch ---- */

static int invent_block(session *s, const emu_function *kernel, tma_error *error) {
    if (s->launch.block[0]) {
        return 0;
    }
    if (kernel->required[0] || kernel->most[0]) {
        s->block_from = SESSION_DIRECTIVE;
        return 0;
    }
    if (s->how.no_invent) {
        return tma_fail(error, "--no-invent: --block is not given, and the kernel has no .reqntid");
    }
    s->block_from = SESSION_INVENTED;
    s->launch.block[0] = THREADS;
    s->launch.block[1] = s->launch.block[2] = 1;
    return 0;
}

/* What only means something in a cluster. */
static int names_cluster(const emu_program *p, const emu_instruction *in) {
    const int is_own = in->op == EMU_OP_MBARRIER_ARRIVE && in->space[0] == EMU_SHARED_CTA;
    if (in->op == EMU_OP_MAPA || emu_flag(in, EMU_FLAG_MULTICAST) ||
        emu_flag(in, EMU_FLAG_MULTICAST_ALL) ||
        (emu_flag(in, EMU_FLAG_CLUSTER) && !is_own && /* barrier.cluster; remote arrivals */
         (emu_flag(in, EMU_FLAG_WAIT) || emu_flag(in, EMU_FLAG_ARRIVE)))) {
        return 1;
    }
    if (in->statement != EMU_NONE && p->statement[in->statement].qualifiers & TMA_PTX_MULTICAST) {
        return 1;
    }
    const emu_operand *o = &in->operand[1];
    return o->kind == EMU_SPECIAL && o->number >= EMU_SPECIAL_CLUSTERID_X &&
           o->number <= EMU_SPECIAL_CLUSTER_NCTARANK;
}

/* A kernel of clusters that does not say of how many CTAs: two. */
static void invent_cluster(session *s, const emu_program *p, const emu_function *kernel) {
    if (s->launch.cluster[0] || kernel->cluster[0] || s->how.no_invent) {
        return;
    }
    for (uint32_t i = 0; i < kernel->called; i++) {
        const emu_function *f = &p->function[p->called[kernel->first_called + i].function];
        for (uint32_t at = f->first; at < f->end; at++) {
            if (names_cluster(p, &p->code[at])) {
                s->cluster_from = SESSION_INVENTED;
                s->launch.cluster[0] = 2;
                s->launch.cluster[1] = s->launch.cluster[2] = 1;
                return;
            }
        }
    }
}

static int invent_shared(session *s, const session_uses *uses, tma_error *error) {
    if (!uses->has_dynamic || s->launch.dynamic_shared_B) {
        return 0;
    }
    if (s->how.no_invent) {
        return tma_fail(error, "--no-invent: --shared is not given, and the kernel names dynamic "
                               "shared memory");
    }
    s->shared_from = SESSION_INVENTED;
    s->launch.dynamic_shared_B =
        uses->static_B + 2048 < SHARED_B ? (SHARED_B - uses->static_B - 2048) / 1024 * 1024 : 0;
    return 0;
}

int session_invent(session *s, tma_error *error) {
    session_uses uses;
    const emu_program *p = emu_program_of(s->emulator);
    const emu_function *kernel = emu_kernel_of(p, s->kernel, text_length(s->kernel), error);
    if (!kernel || session_uses_of(&uses, s)) {
        return kernel ? tma_fail(error, "no memory") : -1;
    }
    if (invent_block(s, kernel, error) || invent_shared(s, &uses, error)) {
        return -1;
    }
    invent_cluster(s, p, kernel);
    for (uint32_t i = 0; i < s->parameters; i++) {
        if (invent_parameter(s, &uses, i, error)) {
            return -1;
        }
    }
    return 0;
}
