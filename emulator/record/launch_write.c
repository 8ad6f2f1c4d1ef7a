/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch file written: what was given, in words that give the same again.
 */
#include "launch_file.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"
#include "tma/layout.h"

static void put_numbers(tma_json *json, const session_how *how, launch_where where) {
    const launch_number *row;
    for (size_t i = 0; (row = launch_number_at(i)); i++) {
        const uint64_t number = launch_number_get(row, how);
        if (number && row->where == where && row->most == 1) {
            tma_json_bool(json, row->key, 1);
        } else if (number && row->where == where) {
            tma_json_u64(json, row->key, number);
        }
    }
}

static void put_size(tma_json *json, const char *key, const uint32_t size[3]) {
    if (size[0]) {
        tma_json_list(json, key);
        for (uint32_t i = 0; i < 3; i++) {
            tma_json_u64(json, NULL, size[i]);
        }
        tma_json_end(json);
    }
}

static void put_span(tma_json *json, const char *key, const char *at, size_t length) {
    tma_out text = tma_json_text_out(json, key);
    tma_put_bytes(&text, at, length);
    tma_json_text_end(json);
}

/* 128 bytes, and whose memory their tensor is in, where that is another parameter's. */
static void put_map(tma_json *json, const session *s, const session_value *v) {
    const session_buffer *b = &s->buffer[v->buffer];
    const uint8_t *bytes = s->params + s->parameter[v->parameter].offset_B + v->offset_B;
    const uint64_t address = tma_layout_address(bytes);
    tma_out text = tma_json_text_out(json, "map");
    tma_put_hex_bytes(&text, bytes, TMA_MAP_BYTES);
    if (b->parameter != v->parameter && b->parameter != UINT32_MAX) {
        const tma_emulate_parameter *p = &s->parameter[b->parameter];
        tma_putf(&text, "@%.*s+%llu", (int)p->name_length, p->name,
                 (unsigned long long)(address - b->address));
    }
    tma_json_text_end(json);
}

static void put_params(tma_json *json, const session *s) {
    tma_json_list(json, "params");
    for (uint32_t i = 0; i < s->values; i++) {
        const session_value *v = &s->value[i];
        const tma_emulate_parameter *p = &s->parameter[v->parameter];
        tma_json_object(json, NULL);
        put_span(json, "name", p->name, p->name_length);
        if (v->offset_B) {
            tma_json_u64(json, "offset_B", v->offset_B);
        }
        if (v->is_map && v->from == SESSION_GIVEN) {
            put_map(json, s, v);
        } else {
            tma_json_text(json, "param", v->word ? v->word : v->text);
        }
        if (v->from != SESSION_GIVEN) {
            tma_json_text(json, "from", session_from_name(v->from));
        }
        tma_json_end(json);
    }
    tma_json_end(json);
}

/* Files whose bytes are in some parameter's memory; maps have theirs in words. */
static int is_named(const session *s, const char *path) {
    for (uint32_t i = 0; i < s->values; i++) {
        if (!s->value[i].is_map && s->value[i].word && text_same(s->value[i].word, path)) {
            return 1;
        }
    }
    return 0;
}

static void put_files(tma_json *json, const session *s, const launch_file *from) {
    tma_json_list(json, "files");
    for (uint32_t i = 0; i < from->datas; i++) {
        const launch_data *d = &from->data[i];
        if (is_named(s, d->path)) {
            tma_json_object(json, NULL);
            tma_json_text(json, "path", d->path);
            tma_out text = tma_json_text_out(json, "hex");
            tma_put_hex_bytes(&text, d->bytes, d->size_B);
            tma_json_text_end(json);
            tma_json_end(json);
        }
    }
    tma_json_end(json);
}

static void put_options(tma_json *json, const session_how *how) {
    tma_json_object(json, "options");
    put_numbers(json, how, LAUNCH_OPTIONS);
    if (how->launch.readings) {
        tma_json_list(json, "readings");
        for (uint32_t i = 0; i < TMA_EMULATE_READINGS; i++) {
            if (how->launch.readings >> i & 1) {
                tma_out text = tma_json_text_out(json, NULL);
                tma_putf(&text, "%s=%s", tma_emulate_reading_name(i), tma_emulate_reading_value(i));
                tma_json_text_end(json);
            }
        }
        tma_json_end(json);
    }
    tma_json_end(json);
}

static int has_memory(const session *s) {
    for (uint32_t i = 0; i < s->buffers; i++) {
        if (s->buffer[i].parameter == UINT32_MAX) {
            return 1;
        }
    }
    return 0;
}

/* The oldest that has what is in it. */
static uint32_t schema_of(const session *s) {
    return s->how.launch.cooperative ? LAUNCH_SCHEMA : has_memory(s) ? 2 : 1;
}

/* Its bytes without those that are zeros, by pieces. */
static void put_bytes(tma_json *json, const session_buffer *b) {
    uint64_t at = 0;
    tma_json_list(json, "bytes");
    while (at < b->size_B) {
        const uint64_t left = b->size_B - at;
        const size_t size = (size_t)(left < LAUNCH_PIECE_B ? left : LAUNCH_PIECE_B);
        if (!launch_is_zero(b->first + at, size)) {
            tma_json_object(json, NULL);
            tma_json_u64(json, "offset_B", at);
            tma_out text = tma_json_text_out(json, "hex");
            tma_put_hex_bytes(&text, b->first + at, size);
            tma_json_text_end(json);
            tma_json_end(json);
        }
        at += size;
    }
    tma_json_end(json);
}

static void put_memory(tma_json *json, const session *s) {
    tma_json_list(json, "memory");
    for (uint32_t i = 0; i < s->buffers; i++) {
        const session_buffer *b = &s->buffer[i];
        if (b->parameter == UINT32_MAX) {
            tma_json_object(json, NULL);
            tma_json_hex(json, "address", b->address);
            tma_json_u64(json, "size_B", b->size_B);
            if (!b->is_left_out) {
                put_bytes(json, b);
            }
            tma_json_end(json);
        }
    }
    tma_json_end(json);
}

void launch_put(tma_json *json, const session *s, const launch_file *from) {
    if (from->ptx_path) {
        tma_json_text(json, "file", from->ptx_path);
    } else {
        put_span(json, "ptx", from->ptx, from->ptx_B);
    }
    tma_json_text(json, "kernel", s->kernel);
    if (from->arch) {
        tma_json_text(json, "arch", from->arch);
    }
    if (s->how.launch.target.toolchain) {
        tma_out text = tma_json_text_out(json, "ptxas");
        tma_put_driver(&text, s->how.launch.target.toolchain);
        tma_json_text_end(json);
    }
    put_size(json, "grid", s->how.launch.grid);
    put_size(json, "block", s->how.launch.block);
    put_size(json, "cluster", s->how.launch.cluster);
    put_numbers(json, &s->how, LAUNCH_TOP);
    if (has_memory(s)) {
        put_memory(json, s);
    }
    put_params(json, s);
    put_files(json, s, from);
    put_options(json, &s->how);
}

void launch_put_line(tma_out *out, const session *s, const launch_file *from,
                     const session_finding *pass) {
    tma_json json = tma_json_begin(out);
    tma_json_object(&json, NULL);
    tma_json_u64(&json, "schema", schema_of(s));
    tma_json_text(&json, "verb", pass ? "trace" : "launch");
    launch_put(&json, s, from);
    if (pass) {
        tma_json_object(&json, "pass");
        tma_json_text(&json, "schedule", session_schedule_name(pass->schedule));
        tma_json_u64(&json, "seed", pass->seed);
        tma_json_u64(&json, "number", pass->number);
        tma_json_end(&json);
    }
    tma_json_end(&json);
    tma_put(out, "\n");
}
