/* SPDX-License-Identifier: Apache-2.0
 *
 * --map NAME[+OFFSET]=MAP: 128 bytes as text or in a file, or the options of tma encode. The tensor
 * lies in memory that is allocated to fit, in another parameter's (--address @NAME), or in memory
 * with given contents (--address random:8192, --address a.npy).
 */
#include <string.h>

#include "run_session.h"
#include "tma/detail/chars.h"
#include "tma/dump.h"
#include "tma/grammar.h"
#include "tma/layout.h"

#define MOST_PLACE       64  /* an address in hex */
#define INVENTED_ADDRESS 256 /* until the tensor has its own */

/* Bytes from the tensor's first to its last, and 0 for a map that describes none. */
static uint64_t span_B(const uint8_t map[TMA_MAP_BYTES]) {
    tma_decoded d;
    if (tma_decode(&d, map) != TMA_OK || !d.spec.rank) {
        return 0;
    }
    uint64_t all = (d.spec.dim_el[0] * tma_dtype_bits(d.spec.dtype) + 7) / 8;
    for (uint32_t i = 1; i < d.spec.rank; i++) {
        all += (d.spec.dim_el[i] - 1) * d.spec.stride_B[i - 1];
    }
    return all;
}

int session_put_map(session *s, session_value *value, const uint8_t map[TMA_MAP_BYTES],
                    tma_error *error) {
    uint8_t bytes[TMA_MAP_BYTES];
    const uint64_t all = span_B(map);
    memcpy(bytes, map, sizeof(bytes));
    value->is_map = 1;
    if (!all) {
        return tma_fail(error, "--map: the 128 bytes describe no tensor");
    }
    if (value->buffer == UINT32_MAX) { /* one of a captured launch has its tensor where it was */
        const uint32_t at = session_buffer_at(s, tma_layout_address(bytes), 1);
        value->buffer = at != UINT32_MAX && s->buffer[at].parameter == UINT32_MAX ? at : UINT32_MAX;
    }
    if (value->buffer == UINT32_MAX) {
        const session_buffer *b = session_add_buffer(s, value, all, error);
        if (!b || tma_replace_address(bytes, b->address, NULL) != TMA_OK) {
            return b ? tma_fail(error, "--map: the map takes no other address") : -1;
        }
    }
    memcpy(s->params + s->parameter[value->parameter].offset_B + value->offset_B, bytes,
           sizeof(bytes));
    return 0;
}

/* ---- the options of tma encode ---- */

/* @NAME: the map's tensor is in that parameter's memory. */
static int take_address(session *s, session_value *value, const char *name, char out[MOST_PLACE],
                        tma_error *error) {
    const size_t length = text_length(name), plus = text_until(name, length, '+');
    uint64_t added = 0;
    const session_buffer *b = session_buffer_of(s, name, plus, error);
    if (!b || (plus < length &&
               tma_read_u64(&added, name + plus + 1, length - plus - 1, "@NAME+OFFSET", error))) {
        return -1;
    }
    value->buffer = (uint32_t)(b - s->buffer);
    tma_out text = tma_out_into(out, MOST_PLACE);
    tma_putf(&text, "0x%llx", (unsigned long long)b->address + added);
    return 0;
}

typedef struct address_of {
    session *s;
    session_value *value;
    session_read read;
    void *context;
    uint8_t is_filled; /* the tensor has memory with these contents */
} address_of;

/* Memory with contents of its own is a launch's, as a captured one: a launch file has its bytes. */
static int fill_address(address_of *of, char *value, tma_error *error) {
    const size_t room = text_length(value) + 1;
    char *text = ptx_memory_take(of->s->memory, room, 1); /* a file keeps its name */
    if (!text) {
        return tma_fail(error, "no memory");
    }
    memcpy(text, value, room);
    session_buffer *b = session_contents(of->s, of->value, text, of->read, of->context, error);
    if (!b) {
        return -1;
    }
    b->parameter = UINT32_MAX;
    tma_out name = tma_out_into(b->name, sizeof(b->name));
    tma_putf(&name, "memory at 0x%llx", (unsigned long long)b->address);
    tma_out out = tma_out_into(value, MOST_PLACE);
    tma_putf(&out, "0x%llx", (unsigned long long)b->address);
    of->is_filled = 1;
    return 0;
}

static int take_value(void *context, const char *name, char *value, tma_error *error) {
    address_of *of = context;
    uint64_t number = 0;
    if (!text_same(name, "address") ||
        tma_number_of(&number, value, text_length(value)) == TMA_NUMBER_OK) {
        return 0;
    }
    return value[0] == '@' ? take_address(of->s, of->value, value + 1, value, error)
                           : fill_address(of, value, error);
}

static int check_filled(const session *s, const session_value *value,
                        const uint8_t map[TMA_MAP_BYTES], tma_error *error) {
    const session_buffer *b = &s->buffer[value->buffer];
    const uint64_t all = span_B(map);
    return b->size_B >= all ? 0
                            : tma_fail(error, "--map: --address has %llu byte%s, the tensor %llu",
                                       (unsigned long long)b->size_B, text_plural(b->size_B),
                                       (unsigned long long)all);
}

static int encode_words(session *s, session_value *value, const char *text, session_read read,
                        void *context, uint8_t map[TMA_MAP_BYTES], tma_error *error) {
    tma_spec_words spec;
    address_of of = {s, value, read, context, 0};
    if (tma_spec_words_read(&spec, text, take_value, &of, error)) {
        return -1;
    }
    if (!spec.spec.address) {
        spec.spec.address = INVENTED_ADDRESS;
    }
    if (tma_encode(map, &spec.spec, &spec.target.target) != TMA_OK) {
        return tma_fail(error, "--map: the driver refuses this map; tma check says why: %.120s",
                        text);
    }
    return of.is_filled ? check_filled(s, value, map, error) : 0;
}

/* HEX@NAME+OFFSET: 256 digits, and the memory that the tensor is in. Where the @ is, or 0. */
static size_t place_of(const char *text) {
    size_t digits = 0;
    while (text_digit(text[digits]) >= 0) {
        digits++;
    }
    return digits == (size_t)2 * TMA_MAP_BYTES && text[digits] == '@' ? digits : 0;
}

static int read_placed(session *s, session_value *value, const char *text, size_t at,
                       uint8_t map[TMA_MAP_BYTES], tma_error *error) {
    char place[MOST_PLACE];
    const char *how = "";
    uint64_t address = 0;
    if (tma_read_dump_how(map, &how, text, at, error) ||
        take_address(s, value, text + at + 1, place, error) ||
        tma_read_u64(&address, place, text_length(place), "--map HEX@NAME", error)) {
        return -1;
    }
    return tma_replace_address(map, address, NULL) == TMA_OK
               ? 0
               : tma_fail(error, "--map: the map takes no address %s", place);
}

static int is_options(const char *text) {
    while (text_is_space(*text)) {
        text++;
    }
    return text_begins(text, "--");
}

static int read_bytes(const char *text, session_read read, void *context,
                      uint8_t map[TMA_MAP_BYTES], tma_error *error) {
    const char *how = "";
    const uint8_t *bytes = NULL;
    size_t size_B = 0;
    if (!tma_read_dump_how(map, &how, text, text_length(text), error)) {
        return 0;
    }
    return !read || read(context, text, &bytes, &size_B, error) ||
           tma_read_dump_how(map, &how, (const char *)bytes, size_B, error);
}

int session_map(session *s, const char *text, session_read read, void *context, tma_error *error) {
    uint8_t map[TMA_MAP_BYTES] = {0};
    uint32_t parameter, offset_B;
    const char *rest = session_place(s, text, "map", &parameter, &offset_B, error);
    session_value *v =
        rest ? session_add_value(s, parameter, offset_B, TMA_MAP_BYTES, error) : NULL;
    if (!v) {
        return -1;
    }
    tma_out out = tma_out_into(v->text, sizeof(v->text));
    tma_put_printable(&out, rest, text_length(rest));
    const size_t at = place_of(rest);
    v->word = rest;
    if (is_options(rest) ? encode_words(s, v, rest, read, context, map, error)
        : at             ? read_placed(s, v, rest, at, map, error)
                         : read_bytes(rest, read, context, map, error)) {
        return -1;
    }
    return session_put_map(s, v, map, error);
}
