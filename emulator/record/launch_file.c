/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch file read.
 */
#include "launch_file.h"

#include <stddef.h>
#include <string.h>

#include "json_tree.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"

/* What a reader knows of where it is. */
typedef struct reader {
    launch_file *out;
    tma_error *error;
} reader;

typedef int (*take_value)(reader *r, const json_value *value);

typedef struct key_row {
    const char *key;
    take_value take;
} key_row;

static int fail_kind(const reader *r, const json_value *value, const char *what) {
    return tma_fail(r->error, "launch: %s: %s is expected", value->key ? value->key : "what it is",
                    what);
}

/* Members of an object, each by its row; a key that has none is a mistake. */
static int take_members(reader *r, const json_value *object, const key_row *row,
                        int (*otherwise)(reader *r, const json_value *value)) {
    if (object->kind != JSON_OBJECT) {
        return fail_kind(r, object, "an object");
    }
    for (const json_value *m = object->first; m; m = m->next) {
        const key_row *found = row;
        while (found->key && !text_same(found->key, m->key)) {
            found++;
        }
        if (found->key ? found->take(r, m) : otherwise(r, m)) {
            return -1;
        }
    }
    return 0;
}

/* ---- numbers ---- */

const launch_number *launch_number_at(size_t index) {
    static const launch_number ROW[] = {
#define LAUNCH_NUMBER(where, key, member, most)                                                    \
    {LAUNCH_##where, key, offsetof(session_how, member), sizeof(((session_how *)0)->member), most},
#include "launch_keys.def"
    };
    return index < sizeof(ROW) / sizeof(ROW[0]) ? &ROW[index] : NULL;
}

uint64_t launch_number_get(const launch_number *number, const session_how *how) {
    uint64_t whole = 0;
    uint32_t half = 0;
    const char *at = (const char *)how + number->at;
    memcpy(number->size_B == 8 ? (void *)&whole : (void *)&half, at, number->size_B);
    return number->size_B == 8 ? whole : half;
}

void launch_number_set(const launch_number *number, session_how *how, uint64_t value) {
    const uint32_t half = (uint32_t)value;
    memcpy((char *)how + number->at,
           number->size_B == 8 ? (const void *)&value : (const void *)&half, number->size_B);
}

static int other_never(reader *r, const json_value *value) {
    return tma_fail(r->error, "launch: '%.80s' is no key here; docs/emulator.md has them",
                    value->key);
}

static int take_number(reader *r, const json_value *value, launch_where where) {
    const launch_number *row;
    uint64_t number;
    for (size_t i = 0; (row = launch_number_at(i)); i++) {
        if (row->where != where || !text_same(row->key, value->key)) {
            continue;
        }
        if (value->kind == JSON_TRUE || value->kind == JSON_FALSE) {
            number = value->kind == JSON_TRUE;
        } else if (json_u64(value, &number, value->key, r->error)) {
            return -1;
        }
        if (number > row->most) {
            return tma_fail(r->error, "launch: %s: %llu, must be %llu at most", value->key,
                            (unsigned long long)number, (unsigned long long)row->most);
        }
        launch_number_set(row, &r->out->how, number);
        return 0;
    }
    return other_never(r, value);
}

static int other_option(reader *r, const json_value *value) {
    return take_number(r, value, LAUNCH_OPTIONS);
}

static int other_top(reader *r, const json_value *value) {
    return take_number(r, value, LAUNCH_TOP);
}

static int take_size(reader *r, const json_value *value, uint32_t size[3]) {
    uint32_t count = 0;
    if (value->kind != JSON_LIST || !value->first) {
        return fail_kind(r, value, "a list of one to three numbers");
    }
    size[1] = size[2] = 1;
    for (const json_value *n = value->first; n; n = n->next) {
        uint64_t number;
        if (count == 3) {
            return fail_kind(r, value, "a list of one to three numbers");
        }
        if (json_u64(n, &number, value->key, r->error)) {
            return -1;
        }
        if (!number || number > UINT32_MAX) {
            return tma_fail(r->error, "launch: %s: %llu, must be 1 to %u", value->key,
                            (unsigned long long)number, UINT32_MAX);
        }
        size[count++] = (uint32_t)number;
    }
    return 0;
}

static int take_grid(reader *r, const json_value *value) {
    return take_size(r, value, r->out->how.launch.grid);
}
static int take_block(reader *r, const json_value *value) {
    return take_size(r, value, r->out->how.launch.block);
}
static int take_cluster(reader *r, const json_value *value) {
    return take_size(r, value, r->out->how.launch.cluster);
}

/* ---- texts ---- */

static int take_text(reader *r, const json_value *value, const char **out) {
    if (value->kind != JSON_TEXT) {
        return fail_kind(r, value, "a text");
    }
    *out = value->text;
    return 0;
}

static int take_path(reader *r, const json_value *value) {
    return take_text(r, value, &r->out->ptx_path);
}
static int take_ptx(reader *r, const json_value *value) {
    r->out->ptx_B = value->length;
    return take_text(r, value, &r->out->ptx);
}
static int take_kernel(reader *r, const json_value *value) {
    return take_text(r, value, &r->out->kernel);
}
static int take_arch(reader *r, const json_value *value) {
    return take_text(r, value, &r->out->arch);
}
static int take_ptxas(reader *r, const json_value *value) {
    const char *release = "";
    return take_text(r, value, &release) || tma_read_toolchain(&r->out->how.launch.target.toolchain,
                                                               release, "launch: ptxas", r->error);
}

static int take_schema(reader *r, const json_value *value) {
    uint64_t schema;
    if (json_u64(value, &schema, "schema", r->error)) {
        return -1;
    }
    return schema && schema <= LAUNCH_SCHEMA
               ? 0
               : tma_fail(r->error, "launch: schema %llu; this version reads 1 to %d",
                          (unsigned long long)schema, LAUNCH_SCHEMA);
}

static int take_verb(reader *r, const json_value *value) {
    const char *verb = NULL;
    if (take_text(r, value, &verb) || !verb) {
        return -1;
    }
    return text_same(verb, "launch") || text_same(verb, "trace")
               ? 0
               : tma_fail(r->error, "launch: verb '%.80s': this is no launch file and no trace",
                          verb);
}

/* For who looks at the file. */
static int take_nothing(reader *r, const json_value *value) {
    (void)r;
    (void)value;
    return 0;
}

/* ---- parameters ---- */

static int add_word(reader *r, const char *name, uint64_t offset_B, const json_value *value) {
    const size_t room = text_length(name) + value->length + 32;
    char *text = ptx_memory_take(r->out->memory, room, 1);
    if (!text) {
        return tma_fail(r->error, "no memory");
    }
    tma_out out = tma_out_into(text, room);
    tma_put(&out, name);
    if (offset_B) {
        tma_putf(&out, "+%llu", (unsigned long long)offset_B);
    }
    tma_putf(&out, "=%s", value->text);
    const launch_word word = {text, (uint8_t)(text_same(value->key, "map") != 0)};
    PTX_APPEND(r->out, word, words, word);
    return r->out->memory->failed ? tma_fail(r->error, "no memory") : 0;
}

static int take_param(reader *r, const json_value *param) {
    static const key_row ROWS[] = {{"name", take_nothing},
                                   {"offset_B", take_nothing},
                                   {"param", take_nothing},
                                   {"map", take_nothing},
                                   {"address", take_nothing},
                                   {"from", take_nothing},
                                   {NULL, NULL}};
    const json_value *name = json_member(param, "name"), *from = json_member(param, "from"),
                     *offset = json_member(param, "offset_B"), *value = json_member(param, "param"),
                     *map = json_member(param, "map");
    uint64_t offset_B = 0;
    if (take_members(r, param, ROWS, other_never)) {
        return -1;
    }
    if (from && from->kind == JSON_TEXT && text_same(from->text, "invented")) {
        return 0;
    }
    if (!name || name->kind != JSON_TEXT || !value == !map) {
        return tma_fail(r->error, "launch: params: each has a name, and a param or a map");
    }
    const json_value *word = value ? value : map;
    if (word->kind != JSON_TEXT && word->kind != JSON_NUMBER) {
        return tma_fail(r->error, "launch: params: %.80s: a text or a number is expected",
                        name->text);
    }
    if (offset && json_u64(offset, &offset_B, "offset_B", r->error)) {
        return -1;
    }
    return add_word(r, name->text, offset_B, word);
}

static int take_params(reader *r, const json_value *value) {
    if (value->kind != JSON_LIST) {
        return fail_kind(r, value, "a list");
    }
    for (const json_value *p = value->first; p; p = p->next) {
        if (take_param(r, p)) {
            return -1;
        }
    }
    return 0;
}

static int take_file(reader *r, const json_value *file) {
    const json_value *path = json_member(file, "path"), *hex = json_member(file, "hex");
    if (!path || path->kind != JSON_TEXT || !hex || hex->kind != JSON_TEXT || hex->length % 2) {
        return tma_fail(r->error, "launch: files: each has a path, and its bytes as hex");
    }
    uint8_t *bytes = ptx_memory_take(r->out->memory, hex->length / 2 + 1, 1);
    if (!bytes) {
        return tma_fail(r->error, "no memory");
    }
    if (session_hex(bytes, hex->text, hex->length)) {
        return tma_fail(r->error, "launch: files: %.80s: its bytes are no hex", path->text);
    }
    PTX_APPEND(r->out, data, datas, (launch_data){path->text, bytes, hex->length / 2});
    return r->out->memory->failed ? tma_fail(r->error, "no memory") : 0;
}

static int take_files(reader *r, const json_value *value) {
    if (value->kind != JSON_LIST) {
        return fail_kind(r, value, "a list");
    }
    for (const json_value *f = value->first; f; f = f->next) {
        if (take_file(r, f)) {
            return -1;
        }
    }
    return 0;
}

static int take_memory(reader *r, const json_value *value) {
    return launch_read_memory(r->out, value, r->error);
}

/* ---- options ---- */

static int take_readings(reader *r, const json_value *value) {
    if (value->kind != JSON_LIST) {
        return fail_kind(r, value, "a list");
    }
    for (const json_value *m = value->first; m; m = m->next) {
        if (m->kind != JSON_TEXT) {
            return fail_kind(r, value, "a list of texts");
        }
        if (session_reading(&r->out->how, m->text, r->error)) {
            return -1;
        }
    }
    return 0;
}

static int take_options(reader *r, const json_value *value) {
    static const key_row ROWS[] = {{"readings", take_readings}, {NULL, NULL}};
    return take_members(r, value, ROWS, other_option);
}

/* The one pass that a trace is of. */
static int take_pass(reader *r, const json_value *value) {
    session_how *how = &r->out->how;
    const json_value *name = json_member(value, "schedule"), *seed = json_member(value, "seed"),
                     *number = json_member(value, "number");
    uint64_t invented = 0;
    if (value->kind != JSON_OBJECT || !name || name->kind != JSON_TEXT) {
        return fail_kind(r, value, "a schedule, a seed and a number");
    }
    how->only = 1;
    for (uint32_t i = 0; i <= TMA_EMULATE_SEEDED; i++) {
        if (text_same(name->text, session_schedule_name(i))) {
            how->only = i + 1;
            how->launch.schedule = i;
        }
    }
    if (!text_same(name->text, session_schedule_name(how->only - 1))) {
        return fail_kind(r, value, "schedule late, early or seeded");
    }
    if ((seed && json_u64(seed, &how->launch.seed, "seed", r->error)) ||
        (number && json_u64(number, &invented, "number", r->error))) {
        return -1;
    }
    how->number = (uint32_t)invented;
    return 0;
}

int launch_read(launch_file *out, ptx_memory *memory, const char *text, size_t size,
                tma_error *error) {
    static const key_row ROWS[] = {{"schema", take_schema},
                                   {"verb", take_verb},
                                   {"file", take_path},
                                   {"ptx", take_ptx},
                                   {"kernel", take_kernel},
                                   {"arch", take_arch},
                                   {"ptxas", take_ptxas},
                                   {"grid", take_grid},
                                   {"block", take_block},
                                   {"cluster", take_cluster},
                                   {"params", take_params},
                                   {"files", take_files},
                                   {"options", take_options},
                                   {"pass", take_pass},
                                   {"memory", take_memory},
                                   {"attributes", take_nothing},
                                   {NULL, NULL}};
    *out = (launch_file){.memory = memory};
    reader r = {out, error};
    const json_value *all = json_read(memory, text, &size, error);
    if (!all || take_members(&r, all, ROWS, other_top)) {
        return -1;
    }
    if (!json_member(all, "schema")) {
        return tma_fail(error, "launch: no schema: this is no launch file");
    }
    return out->ptx_path || out->ptx ? 0 : tma_fail(error, "launch: neither a file nor its ptx");
}
