/* SPDX-License-Identifier: Apache-2.0
 *
 * --param NAME[+OFFSET]=VALUE: numbers, bytes, memory of a kind, files, another's memory.
 */
#include <string.h>

#include "decode.h"
#include "machine.h"
#include "run_session.h"
#include "tma/detail/chars.h"

#define NUMBER_B  4 /* in a parameter that is an array of bytes: a struct */
#define POINTER_B 8

typedef struct reader {
    session *s;
    const char *text; /* the value */
    uint32_t parameter, offset_B;
    session_value *map; /* whose tensor's memory it is; null: a pointer's */
    session_read read;
    void *context;
    tma_error *error;
} reader;

static void set_text(session_value *v, const char *text) {
    tma_out out = tma_out_into(v->text, sizeof(v->text));
    tma_put_printable(&out, text, text_length(text));
}

static session_value *add(const reader *r, uint32_t size_B) {
    session_value *v = session_add_value(r->s, r->parameter, r->offset_B, size_B, r->error);
    if (v) {
        set_text(v, r->text);
        v->word = r->text;
    }
    return v;
}

static void put(session *s, const session_value *v, const void *bytes) {
    memcpy(s->params + s->parameter[v->parameter].offset_B + v->offset_B, bytes, v->size_B);
}

static int is_bytes(const tma_emulate_parameter *p) {
    return p->size_B > 8 || text_same(p->type, "b8");
}

/* Bytes that a value takes: those of the parameter, or of a number in a struct. */
static uint32_t size_of(const reader *r, uint32_t in_struct_B) {
    const tma_emulate_parameter *p = &r->s->parameter[r->parameter];
    return is_bytes(p) ? in_struct_B : p->size_B;
}

/* ---- numbers ---- */

static int put_integer(const reader *r, uint64_t number, int is_negative) {
    const int fits = is_negative ? (int64_t)number >= INT32_MIN : number <= UINT32_MAX;
    const uint32_t size_B = size_of(r, fits ? NUMBER_B : POINTER_B);
    const uint32_t bits = 8 * size_B;
    const tma_emulate_parameter *p = &r->s->parameter[r->parameter];
    if (bits < 64 &&
        (is_negative ? (int64_t)number < -((int64_t)1 << (bits - 1)) : number >> bits != 0)) {
        return tma_fail(r->error, "%.*s=%.80s: more than the parameter's %u bits",
                        (int)p->name_length, p->name, r->text, bits);
    }
    const session_value *v = add(r, size_B);
    if (v) {
        put(r->s, v, &number);
    }
    return v ? 0 : -1;
}

static int put_real(const reader *r, double value) {
    const uint32_t size_B = size_of(r, NUMBER_B);
    const float single = (float)value;
    const tma_emulate_parameter *p = &r->s->parameter[r->parameter];
    if (size_B != 4 && size_B != 8) {
        return tma_fail(r->error, "%.*s=%.80s: a number with a point has 4 or 8 bytes, this has %u",
                        (int)p->name_length, p->name, r->text, size_B);
    }
    const session_value *v = add(r, size_B);
    if (v) {
        put(r->s, v, size_B == 4 ? (const void *)&single : (const void *)&value);
    }
    return v ? 0 : -1;
}

/* 42, -1, 0x2a, 1.5; 0: it is none of these. Of a parameter that is a float also 1. */
static int take_number(const reader *r, int *failed) {
    const size_t length = text_length(r->text);
    const int is_negative = r->text[0] == '-';
    const char *const type = r->s->parameter[r->parameter].type;
    uint64_t number = 0;
    double value = 0;
    const int is_real = decode_double((tma_ptx_span){r->text, length}, &value);
    const int is_float = !is_bytes(&r->s->parameter[r->parameter]) && type[0] == 'f';
    if (!(is_float && is_real) && tma_number_of(&number, r->text + is_negative,
                                                length - (size_t)is_negative) == TMA_NUMBER_OK) {
        *failed = put_integer(r, is_negative ? 0 - number : number, is_negative);
        return 1;
    }
    *failed = is_real ? put_real(r, value) : 0;
    return is_real;
}

int session_hex(uint8_t *to, const char *digits, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const int digit = text_digit(digits[i]);
        if (digit < 0 || length % 2) {
            return -1;
        }
        to[i / 2] = (uint8_t)(to[i / 2] << 4 | digit);
    }
    return 0;
}

/* Bytes that point into memory at its own address: the parameter's memory is that. */
static void take_pointer(session *s, session_value *v, const uint8_t *bytes) {
    uint64_t address = 0;
    if (v->size_B == POINTER_B) {
        memcpy(&address, bytes, POINTER_B);
        const uint32_t at = session_buffer_at(s, address, 1);
        v->buffer = at != UINT32_MAX && s->buffer[at].parameter == UINT32_MAX ? at : UINT32_MAX;
    }
}

/* hex:BYTES, lowest address first. */
static int put_hex(const reader *r, const char *digits) {
    const size_t length = text_length(digits);
    uint8_t *bytes = ptx_memory_take(r->s->memory, length / 2 + 1, 1);
    if (bytes && session_hex(bytes, digits, length)) {
        return tma_fail(r->error, "hex:%.80s: pairs of digits are expected", digits);
    }
    session_value *v = bytes ? add(r, (uint32_t)(length / 2)) : NULL;
    if (v) {
        put(r->s, v, bytes);
        take_pointer(r->s, v, bytes);
    }
    return v ? 0 : -1;
}

/* ---- memory ---- */

static session_buffer *put_buffer(const reader *r, uint64_t size_B) {
    if (r->map) {
        return session_add_buffer(r->s, r->map, size_B, r->error);
    }
    const uint32_t bytes = size_of(r, POINTER_B);
    if (bytes != POINTER_B) {
        tma_fail(r->error, "%.80s: a pointer has 8 bytes, this parameter %u", r->text, bytes);
        return NULL;
    }
    session_value *v = add(r, POINTER_B);
    session_buffer *b = v ? session_add_buffer(r->s, v, size_B, r->error) : NULL;
    if (b) {
        put(r->s, v, &b->address);
    }
    return b;
}

static void fill_random(session_buffer *b, uint64_t seed) {
    for (uint64_t at = 0; at < b->size_B; at += 8) {
        const uint64_t word = emu_random(&seed);
        const uint64_t rest = b->size_B - at;
        memcpy(b->first + at, &word, rest < 8 ? (size_t)rest : 8);
    }
}

/* zeros:BYTES, uninit:BYTES, random:BYTES[:SEED] */
static int put_kind(const reader *r, const char *numbers, int is_random, int is_uninitialised) {
    const size_t length = text_length(numbers);
    const size_t colon = is_random ? text_until(numbers, length, ':') : length;
    uint64_t size_B = 0, seed = 0;
    if (tma_read_u64(&size_B, numbers, colon, "BYTES", r->error) ||
        (colon < length &&
         tma_read_u64(&seed, numbers + colon + 1, length - colon - 1, "SEED", r->error))) {
        return -1;
    }
    session_buffer *b = put_buffer(r, size_B);
    if (b) {
        b->is_uninitialised = (uint8_t)is_uninitialised;
        if (is_random) {
            fill_random(b, seed);
        }
    }
    return b ? 0 : -1;
}

static int put_file(const reader *r) {
    const uint8_t *bytes = NULL;
    size_t size_B = 0;
    if (!r->read) {
        return tma_fail(r->error, "%.80s: no files here", r->text);
    }
    if (r->read(r->context, r->text, &bytes, &size_B, r->error)) {
        return -1;
    }
    session_buffer *b = put_buffer(r, size_B);
    if (b) {
        memcpy(b->first, bytes, size_B);
    }
    return b ? 0 : -1;
}

/* @NAME[+OFFSET]: in the same memory. */
static int put_alias(const reader *r, const char *name) {
    const size_t length = text_length(name), plus = text_until(name, length, '+');
    uint64_t added = 0;
    const session_buffer *b = session_buffer_of(r->s, name, plus, r->error);
    if (!b || (plus < length && tma_read_u64(&added, name + plus + 1, length - plus - 1,
                                             "@NAME+OFFSET", r->error))) {
        return -1;
    }
    const uint64_t address = b->address + added;
    const uint32_t buffer = (uint32_t)(b - r->s->buffer);
    session_value *v = add(r, size_of(r, POINTER_B));
    if (v) {
        v->buffer = buffer;
        put(r->s, v, &address);
    }
    return v ? 0 : -1;
}

static const char *behind(const char *text, const char *word) {
    return text_begins(text, word) ? text + text_length(word) : NULL;
}

/* Memory of a kind: 1 if the text names one, and whether that failed. */
static int take_memory(const reader *r, int *failed) {
    const char *rest;
    if ((rest = behind(r->text, "zeros:")) || (rest = behind(r->text, "uninit:"))) {
        *failed = put_kind(r, rest, 0, r->text[0] == 'u');
    } else if ((rest = behind(r->text, "random:"))) {
        *failed = put_kind(r, rest, 1, 0);
    }
    return rest != NULL;
}

session_buffer *session_contents(session *s, session_value *map, const char *text,
                                 session_read read, void *context, tma_error *error) {
    const reader r = {
        .s = s, .text = text, .map = map, .read = read, .context = context, .error = error};
    int failed = 0;
    if (behind(text, "uninit:")) { /* a launch file could not say so */
        tma_fail(error, "--address %.80s: zeros:BYTES, random:BYTES[:SEED] or a file is expected",
                 text);
        return NULL;
    }
    if (!take_memory(&r, &failed)) {
        failed = put_file(&r);
    }
    return failed ? NULL : &s->buffer[map->buffer];
}

int session_param(session *s, const char *text, session_read read, void *context,
                  tma_error *error) {
    reader r = {.s = s, .read = read, .context = context, .error = error};
    const char *rest;
    int failed = 0;
    r.text = session_place(s, text, "param", &r.parameter, &r.offset_B, error);
    if (!r.text) {
        return -1;
    }
    if (text_same(r.text, "null")) {
        return put_integer(&r, 0, 0);
    }
    if (r.text[0] == '@') {
        return put_alias(&r, r.text + 1);
    }
    if ((rest = behind(r.text, "hex:"))) {
        return put_hex(&r, rest);
    }
    return take_memory(&r, &failed) || take_number(&r, &failed) ? failed : put_file(&r);
}
