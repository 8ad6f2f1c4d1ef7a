/* SPDX-License-Identifier: Apache-2.0
 *
 * A parameter's memory from a file, into one, and compared with one.
 */
#include "emulate_files.h"

#include <stdlib.h>
#include <string.h>

#include "file_bytes.h"
#include "printable.h"
#include "tensor.h"
#include "tma/detail/chars.h"
#include "trace.h"

#define MOST_B (UINT64_C(1) << 32)

void emulate_have(emulate_files *files, const launch_data *data) {
    const emulate_file file = {.path = data->path,
                               .bytes = (uint8_t *)(uintptr_t)data->bytes,
                               .size_B = data->size_B,
                               .is_held = 1};
    PTX_APPEND(files, file, files, file);
}

const char *emulate_beside(ptx_memory *memory, const char *file, const char *path) {
    const char *const slash = file ? strrchr(file, '/') : NULL;
    if (!slash || path[0] == '/') {
        return path;
    }
    const size_t folder = (size_t)(slash - file) + 1, length = strlen(path);
    char *all = ptx_memory_take(memory, folder + length + 1, 1);
    if (all) {
        memcpy(all, file, folder);
        memcpy(all + folder, path, length + 1);
    }
    return all ? all : path;
}

/* One that is there already: a launch file's, or one that was read. */
static emulate_file *have(const emulate_files *files, const char *path, const char *opened) {
    for (uint32_t i = 0; i < files->files; i++) {
        emulate_file *f = &files->file[i];
        if (f->is_held ? !strcmp(f->path, path) : !strcmp(f->opened, opened)) {
            return f;
        }
    }
    return NULL;
}

static emulate_file *load(emulate_files *files, const char *path, const char *opened,
                          tma_error *error) {
    file_bytes all;
    if (file_read(opened, MOST_B, &all, error)) {
        return NULL;
    }
    const emulate_file file = {.path = path, .opened = opened, .bytes = all.at, .size_B = all.size};
    PTX_APPEND(files, file, files, file); /* it is freed with the others */
    return files->memory->failed ? NULL : &files->file[files->files - 1];
}

int emulate_read(void *context, const char *path, const uint8_t **bytes, size_t *size_B,
                 tma_error *error) {
    emulate_files *files = context;
    const char *opened = emulate_beside(files->memory, files->folder, path);
    emulate_file *file = have(files, path, opened);
    size_t data = 0;
    file = file ? file : load(files, path, opened, error);
    if (!file) {
        return -1;
    }
    file->is_npy = npy_is(file->bytes, file->size_B) != 0;
    if (file->is_npy && npy_parse(file->bytes, file->size_B, path, &file->header, &data, error)) {
        return -1;
    }
    files->last = (uint32_t)(file - files->file);
    *bytes = file->bytes + data;
    *size_B = file->size_B - data;
    return 0;
}

/* ---- an array that a map's tensor lies in ---- */

/* The array that the tensor's strides are of, outermost first; 0: of none. */
static int memory_of(const tma_spec *spec, npy_header *out) {
    *out = (npy_header){.rank = spec->rank};
    uint64_t inner_B = tensor_item_B(spec->dtype);
    for (uint32_t i = 1; i < spec->rank; i++) {
        if (!spec->stride_B[i - 1] || spec->stride_B[i - 1] % inner_B) {
            return 0;
        }
        out->shape[spec->rank - i] = spec->stride_B[i - 1] / inner_B;
        inner_B = spec->stride_B[i - 1];
    }
    out->shape[0] = spec->rank == 1 ? tensor_row_B(spec) / inner_B : spec->dim_el[spec->rank - 1];
    return !spec->interleave;
}

/* Dimensions of the array may be one of the map's together, the outermost may be larger. */
static int is_shape(const npy_header *given, const npy_header *wanted) {
    uint32_t left = given->rank;
    for (uint32_t i = wanted->rank; i-- > 0;) {
        uint64_t size = 1;
        while (left && (i ? size < wanted->shape[i] : 1)) {
            size *= given->shape[--left];
        }
        if (i ? size != wanted->shape[i] : size < wanted->shape[i]) {
            return 0;
        }
    }
    return 1;
}

static int check_array(const tma_spec *spec, const emulate_file *file, tma_error *error) {
    const npy_header *given = &file->header;
    npy_header wanted;
    char has[256], wants[256];
    if (given->rank == 1 && !strcmp(given->type, "|u1")) {
        return 0; /* bytes, as --save writes them */
    }
    if (tensor_type_check(spec->dtype, given->type, file->path, error)) {
        return -1;
    }
    if (given->rank == 1 || !memory_of(spec, &wanted) || is_shape(given, &wanted)) {
        return 0;
    }
    npy_shape_text(given, has, sizeof(has));
    npy_shape_text(&wanted, wants, sizeof(wants));
    return tma_fail(error, "%s: shape %s, but the map's tensor lies in %s (outermost first)",
                    file->path, has, wants);
}

int emulate_map(session *s, const char *text, emulate_files *files, tma_error *error) {
    uint32_t parameter, offset_B;
    tma_decoded decoded;
    files->last = UINT32_MAX;
    if (session_map(s, text, emulate_read, files, error) ||
        !session_place(s, text, "map", &parameter, &offset_B, error)) {
        return -1;
    }
    const emulate_file *file = files->last == UINT32_MAX ? NULL : &files->file[files->last];
    const uint8_t *map = s->params + s->parameter[parameter].offset_B + offset_B;
    return !file || !file->is_npy || tma_decode(&decoded, map) != TMA_OK
               ? 0
               : check_array(&decoded.spec, file, error);
}

void emulate_files_free(emulate_files *files) {
    for (uint32_t i = 0; i < files->files; i++) {
        if (!files->file[i].is_held) {
            free(files->file[i].bytes);
        }
    }
}

/* NAME=FILE: the memory, and where the file's name begins. */
static const char *take_name(session *s, const char *text, const char *option,
                             session_buffer **buffer, tma_error *error) {
    const size_t length = strcspn(text, "=");
    if (!text[length]) {
        tma_fail(error, "--%s %.80s: NAME=FILE is expected", option, printable_text(text).text);
        return NULL;
    }
    *buffer = session_buffer_of(s, text, length, error);
    return *buffer ? text + length + 1 : NULL;
}

static int ends_npy(const char *path) {
    const size_t length = strlen(path);
    return length > 4 && !strcmp(path + length - 4, ".npy");
}

int emulate_save(session *s, const char *text, emulate_files *files, tma_error *error) {
    session_buffer *b;
    uint8_t head[NPY_MOST_HEADER_B];
    const char *path = take_name(s, text, "save", &b, error);
    npy_header header = {.type = "|u1", .rank = 1, .shape = {path ? b->size_B : 0}};
    if (!path) {
        return -1;
    }
    for (uint32_t i = 0; i < s->values; i++) { /* as it was read */
        for (uint32_t k = 0; k < files->files; k++) {
            const emulate_file *f = &files->file[k];
            if (f->is_npy && s->value[i].buffer == (uint32_t)(b - s->buffer) &&
                !strcmp(s->value[i].text, f->path) && npy_size_B(&f->header) == b->size_B) {
                header = f->header;
            }
        }
    }
    const file_bytes first = {head, ends_npy(path) ? npy_header_bytes(&header, head) : 0};
    const file_bytes second = {b->bytes, (size_t)b->size_B};
    return file_write(path, &first, &second, error);
}

#define MOST_ELEMENT 48

/* One element as its type has it. */
static void element_text(char text[MOST_ELEMENT], const char *type, const uint8_t *at,
                         uint64_t size_B) {
    float single;
    double real;
    uint64_t bits = 0;
    memcpy(&bits, at, size_B < 8 ? size_B : 8);
    if (!strcmp(type, "<f4")) {
        memcpy(&single, at, 4);
        snprintf(text, MOST_ELEMENT, "%.9g", (double)single);
    } else if (!strcmp(type, "<f8")) {
        memcpy(&real, at, 8);
        snprintf(text, MOST_ELEMENT, "%.17g", real);
    } else if (type[1] == 'i') {
        const uint64_t unused = 64 - 8 * size_B;
        snprintf(text, MOST_ELEMENT, "%lld", (long long)((int64_t)(bits << unused) >> unused));
    } else if (type[1] == 'u' || type[1] == 'b') {
        snprintf(text, MOST_ELEMENT, "%llu", (unsigned long long)bits);
    } else {
        snprintf(text, MOST_ELEMENT, "0x%0*llx", (int)(2 * size_B), (unsigned long long)bits);
    }
}

/* "[3, 17]" */
static void put_index(tma_out *out, const npy_header *header, uint64_t element) {
    uint64_t index[NPY_MOST_DIMS];
    for (uint32_t i = header->rank; i-- > 0;) {
        index[i] = header->shape[i] ? element % header->shape[i] : 0;
        element /= header->shape[i] ? header->shape[i] : 1;
    }
    tma_put(out, "[");
    for (uint32_t i = 0; i < header->rank; i++) {
        tma_putf(out, "%s%llu", i ? ", " : "", (unsigned long long)index[i]);
    }
    tma_put(out, "]");
}

/* The finding: where the first difference is, and how many there are. */
static int add_difference(session *s, const session_buffer *b, const npy_header *header,
                          const uint8_t *expected, uint64_t element, uint64_t size_B,
                          uint64_t differ, tma_error *error) {
    char is[MOST_ELEMENT], wanted[MOST_ELEMENT];
    tma_emulate_finding f = {.rule = TMA_EMULATE_RULE_EXPECTED, .certain = 1, .count = differ};
    tma_out out = tma_out_into(f.text, sizeof(f.text));
    element_text(is, header->type, b->bytes + element * size_B, size_B);
    element_text(wanted, header->type, expected + element * size_B, size_B);
    tma_put(&out, b->name);
    put_index(&out, header, element);
    tma_putf(&out, " is %s, expected %s (at 0x%llx; %llu element%s differ%s)", is, wanted,
             (unsigned long long)b->address + (unsigned long long)element * size_B,
             (unsigned long long)differ, text_plural(differ), differ == 1 ? "s" : "");
    const uint64_t address = b->address + element * size_B;
    int is_found = 0;
    if (trace_last_writer(s, address, size_B, &f.access[0], &is_found, error)) {
        return -1;
    }
    f.accesses = is_found != 0;
    if (!is_found) {
        out = tma_out_into(f.missing, sizeof(f.missing));
        tma_put(&out, "no thread and no copy wrote there");
    }
    PTX_APPEND(s, finding, findings, (session_finding){.is = f, .passes = 1});
    return 0;
}

int emulate_expect(session *s, const char *text, emulate_files *files, tma_error *error) {
    session_buffer *b;
    const uint8_t *expected = NULL;
    size_t size_B = 0;
    const char *path = take_name(s, text, "expect", &b, error);
    if (!path || emulate_read(files, path, &expected, &size_B, error)) {
        return -1;
    }
    if (size_B > b->size_B) {
        return tma_fail(error, "--expect %.80s: %llu byte%s, the parameter's memory has %llu",
                        printable_text(path).text, (unsigned long long)size_B, text_plural(size_B),
                        (unsigned long long)b->size_B);
    }
    const emulate_file *f = have(files, path, path);
    const npy_header bytes = {.type = "|u1", .rank = 1, .shape = {size_B}};
    const npy_header *header = f->is_npy ? &f->header : &bytes;
    const uint64_t item_B = npy_item_B(header->type) ? npy_item_B(header->type) : 1;
    uint64_t differ = 0, first = 0;
    for (uint64_t i = size_B / item_B; i-- > 0;) {
        if (memcmp(expected + i * item_B, b->bytes + i * item_B, item_B) != 0) {
            first = i;
            differ++;
        }
    }
    return differ ? add_difference(s, b, header, expected, first, item_B, differ, error) : 0;
}
