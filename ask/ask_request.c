/* SPDX-License-Identifier: Apache-2.0
 *
 * A request by its options: every option has its row in one of the tables (spec_options.def,
 * copy_options.def, draw_options.def, target_options.def,
 * mma_options.def).
 */
#include <string.h>

#include "ask.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/dump.h"

void ask_begin(ask_request *r, uint32_t op) {
    memset(r, 0, sizeof(*r));
    tma_spec_words_begin(&r->map);
    tma_copy_words_begin(&r->copy, op);
    r->drawing.reader = TMA_READER_LDMATRIX;
}

static const tma_name_at lists[] = {tma_spec_option_name, tma_copy_option_name,
                                    tma_draw_option_name, tma_target_option_name,
                                    tma_mma_option_name};
enum { OF_SPEC, OF_COPY, OF_DRAWING, OF_TARGET, OF_MMA, LISTS };

const char *ask_option_name(size_t i) {
    for (size_t list = 0; list < LISTS; list++) {
        size_t count = 0;
        while (lists[list](count)) {
            count++;
        }
        if (i < count) {
            return lists[list](i);
        }
        i -= count;
    }
    return NULL;
}

enum { UNSWIZZLED_B = 128, TILE_ROWS = 8 }; /* of a tile that nobody chose */

#define MOST_OPTIONS 96
#define MOST_NAME    40

/* The same as they are written, --dtype. */
static const char *dashed_at(size_t i) {
    static char names[MOST_OPTIONS][MOST_NAME];
    const char *name = ask_option_name(i);
    TMA_ASSERT(!name || (i < MOST_OPTIONS && text_length(name) + 2 < MOST_NAME));
    if (!name || i >= MOST_OPTIONS) {
        return NULL;
    }
    tma_out out = tma_out_into(names[i], MOST_NAME);
    tma_putf(&out, "--%s", name);
    return names[i];
}

static int unknown(const char *name, tma_error *error) {
    char written[64];
    tma_out t = tma_out_into(written, sizeof(written));
    tma_putf(&t, "--%.60s", name);
    return tma_fail_name(error, written, "option", dashed_at);
}

/* Which list has the name, and where; LISTS for none. */
static size_t list_of(const char *name, size_t *option) {
    for (size_t list = 0; list < LISTS; list++) {
        for (*option = 0; lists[list](*option); ++*option) {
            if (text_same(name, lists[list](*option))) {
                return list;
            }
        }
    }
    return LISTS;
}

bool ask_has_value(const char *name) {
    static const char *const values[TMA_COPY_OPTIONS] = {
#define TMA_COPY_OPTION(id, name, value, help) value,
#include "tma/copy_options.def"
    };
    size_t option = 0;
    return list_of(name, &option) != OF_COPY || values[option];
}

int ask_set_copy(ask_request *r, tma_copy_option option, const char *value, tma_error *error) {
    TMA_ASSERT(option < TMA_COPY_OPTIONS);
    if (r->copy_given >> option & 1) {
        return tma_fail(error, "--%s is given twice", tma_copy_option_name(option));
    }
    r->copy_given |= 1u << option;
    return tma_copy_words_set(&r->copy, option, value, error);
}

int ask_set(ask_request *r, const char *name, const char *value, tma_error *error) {
    size_t option = 0;
    if (text_same(name, "map")) {
        r->has_bytes = 1;
        return tma_read_dump(r->encoded.bytes, value, text_length(value), error);
    }
    if (text_same(name, TMA_CONV_OPTION)) {
        return tma_spec_words_set_named(&r->map, name, value, error);
    }
    switch (list_of(name, &option)) {
    case OF_COPY:
        return ask_set_copy(r, (tma_copy_option)option, value, error);
    case OF_DRAWING:
        return tma_draw_words_set(&r->drawing, (tma_draw_option)option, value, error);
    case OF_MMA:
        return tma_mma_words_set(&r->mma, (tma_mma_option)option, value, error);
    case LISTS:
        return unknown(name, error);
    default:
        return tma_spec_words_set_named(&r->map, name, value, error);
    }
}

static const char *picture_name(size_t i) {
    return i < TMA_PICTURES ? tma_picture_name((uint32_t)i) : NULL;
}

int ask_set_picture(ask_request *r, const char *name, tma_error *error) {
    size_t found = 0;
    if (tma_read_name(&found, name, "picture", picture_name, error)) {
        return -1;
    }
    r->drawing.picture = (uint32_t)found;
    r->has_picture = 1;
    return 0;
}

bool ask_is_of_mma(const ask_request *r) {
    const int is_drawn = r->has_picture && r->drawing.picture != TMA_PICTURE_MMA;
    return tma_mma_is_alone(&r->mma) && !r->has_bytes && !r->map.given && !r->copy_given &&
           !is_drawn; /* else a map is missing, and is said to be */
}

/* A picture of the swizzle alone takes a tensor and a box that are as wide as its span. */
static int take_usual_tile(ask_request *r, tma_error *error) {
    static const char *const names[] = {"dim", "box"};
    const uint32_t span_B = tma_swizzle_span_B(r->map.spec.swizzle);
    if (!r->has_picture || r->drawing.picture != TMA_PICTURE_SWIZZLE || r->has_bytes ||
        r->map.given != 1u << TMA_OPTION_SWIZZLE) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char value[32];
        tma_out out = tma_out_into(value, sizeof(value));
        tma_putf(&out, "%u,%d", span_B ? span_B : UNSWIZZLED_B, TILE_ROWS);
        if (ask_set(r, names[i], value, error)) {
            return -1;
        }
    }
    return ask_set(r, "dtype", "uint8", error);
}

int ask_finish(ask_request *r, tma_error *error) {
    if (take_usual_tile(r, error)) {
        return -1;
    }
    const int has_options = r->map.given != 0;
    if (r->has_bytes && has_options) {
        return tma_fail(error, "--map and the options of a map exclude each other");
    }
    if (!r->has_bytes && !has_options) {
        const int is_swizzle = r->has_picture && r->drawing.picture == TMA_PICTURE_SWIZZLE;
        return tma_fail(error, "no map: give %s--dtype, --dim and --box, or --map",
                        is_swizzle ? "--swizzle, e.g. 128B, for the pattern alone, or " : "");
    }
    return has_options && tma_spec_words_finish(&r->map, error)
               ? -1
               : tma_copy_words_together(&r->copy, error);
}

void ask_complete(ask_request *r) {
    if (r->has_bytes) {
        tma_decoded decoded;
        r->is_accepted = tma_decode(&decoded, r->encoded.bytes) == TMA_OK;
        r->map.spec = decoded.spec;
    } else {
        const tma_target *target = &r->map.target.target;
        r->is_accepted = tma_encode(r->encoded.bytes, &r->map.spec, target) == TMA_OK;
    }
    tma_copy_words_default(&r->copy, &r->map.spec);
    r->read = r->encoded;
    if (r->is_accepted && r->copy.in.overrides) {
        r->override_status =
            tma_override(r->read.bytes, r->encoded.bytes, &r->copy.in, &r->copy.override,
                         &r->map.target.target, &r->override_why);
    }
}

int ask_fits(const ask_request *r, tma_error *error) {
    const tma_spec *spec = &r->map.spec;
    return spec->rank <= TMA_MAX_RANK ? tma_copy_words_check(&r->copy, spec, error) : 0;
}

tma_drawing ask_drawing(const ask_request *r) {
    tma_drawing d = r->drawing;
    d.map = r->read.bytes;
    d.instruction = &r->copy.in;
    d.at = &r->copy.at;
    d.target = &r->map.target.target;
    d.mma = &r->mma;
    return d;
}

void ask_put_map(tma_out *out, const tma_spec *spec, const uint8_t *bytes,
                 const tma_target_words *target) {
    if (bytes) {
        tma_put(out, " --map ");
        tma_put_hex_bytes(out, bytes, TMA_MAP_BYTES);
    } else {
        tma_put_spec(out, spec);
    }
    tma_put_target_words(out, target);
}

tma_target_words ask_whole_target(const tma_target *target) {
    return (tma_target_words){.target = *target,
                              .has_arch = 1,
                              .has_driver = 1,
                              .has_ptx = target->ptx != 0,
                              .has_readings = target->readings != 0,
                              .has_toolchain = target->toolchain != 0};
}
