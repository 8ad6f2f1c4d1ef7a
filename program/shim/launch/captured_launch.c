/* SPDX-License-Identifier: Apache-2.0
 *
 * One launch: its kernel's PTX, sizes and parameters, and the memory that these lead to, in a file
 * of docs/emulator.md's form, schema 2 or 3. All that it needs is one mapping, which ends with the
 * call.
 */
#include "captured_launch.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture_limits.h"
#include "captured_kernels.h"
#include "captured_memory.h"
#include "careful_read.h"
#include "judged_target.h"
#include "kernel_head.h"
#include "own_work.h"
#include "ptx_demangle.h"
#include "real_driver.h"
#include "report_out.h"
#include "settings.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/json.h"
#include "tma/layout.h"
#include "tma/map.h"
#include "tma/measure.h"
#include "write_out.h"

#define MOST_ATTRIBUTES 64
#define MAP_STEP_B      64
#define MOST_PATH_B     4400
#define BUFFER_B        65536

struct capture {
    struct kernel_head head;
    uint8_t params[MOST_PARAMETERS_B];
    struct captured_memory memory;
    char path[MOST_PATH_B];
    char buffer[BUFFER_B]; /* on its way into the file */
    size_t buffered_B;
    int error; /* of a write, errno's */
};

/* ---- whether it is wanted ---- */

static struct captured_kernel *kernel_of(struct CUfunc_st *function) {
    struct captured_kernel *k = captured_kernels_at(function);
    shim_function_name_call *ask = (shim_function_name_call *)real_function(AT_cuFuncGetName);
    const char *name = NULL;
    if (!k && ask && ask(&name, function) == SHIM_SUCCESS && name) {
        k = captured_kernels_named(function, name);
    }
    return k && k->text ? k : NULL;
}

static int is_wanted(struct captured_kernel *k, struct kernel_head *head) {
    const char *const name = settings()->capture_kernel;
    const tma_ptx_span entry = {k->name, strlen(k->name)};
    int use = atomic_load(&k->use);
    if (use == CAPTURED_UNKNOWN) {
        const int is_there = kernel_head_of(head, k->text->text, k->text->text_B, k->name);
        use = is_there && (name ? ptx_is_named(entry, name) : head->has_copies) ? CAPTURED_WANTED
                                                                                : CAPTURED_UNWANTED;
        atomic_store(&k->use, use);
    }
    return use == CAPTURED_WANTED &&
           atomic_fetch_add(k->launches, 1) < settings()->capture_launches;
}

/* Most launches of a program are of kernels that nothing more is wanted of: no memory is mapped for
 * them and no call made. */
int captured_launch_is_awaited(const struct CUfunc_st *function) {
    const struct captured_kernel *k = captured_kernels_at(function);
    return !k || (k->text && atomic_load(&k->use) != CAPTURED_UNWANTED &&
                  atomic_load(k->launches) < settings()->capture_launches);
}

/* ---- parameters ---- */

/* `extra`: a list of words, each with what it is about behind it. */
static int read_buffer(struct capture *c, void **extra) {
    void *word[2] = {NULL, NULL};
    const void *buffer = NULL;
    size_t size_B = 0;
    for (size_t i = 0; i < 4 && !read_carefully(word, extra + 2 * i, sizeof(word)) && word[0];
         i++) {
        if (word[0] == SHIM_EXTRA_BUFFER) {
            buffer = word[1];
        } else if (word[0] == SHIM_EXTRA_SIZE && read_carefully(&size_B, word[1], sizeof(size_B))) {
            return -1;
        }
    }
    return size_B < c->head.size_B || read_carefully(c->params, buffer, c->head.size_B);
}

static int read_params(struct capture *c, const struct launch_call *call) {
    if (call->extra && !call->params) {
        return read_buffer(c, call->extra);
    }
    for (uint32_t i = 0; i < c->head.parameters; i++) {
        const struct kernel_parameter *p = &c->head.parameter[i];
        const void *value = NULL;
        TMA_ASSERT(p->size_B <= sizeof(c->params) && p->offset_B <= sizeof(c->params) - p->size_B);
        if (read_carefully(&value, call->params + i, sizeof(value)) ||
            read_carefully(c->params + p->offset_B, value, p->size_B)) {
            return -1;
        }
    }
    return 0;
}

/* Whether a map lies there whose tensor is in memory that the driver knows. */
static int is_map(const struct kernel_parameter *p, const uint8_t *params, uint32_t offset_B) {
    const uint8_t *at = params + p->offset_B + offset_B;
    uint64_t start, end;
    tma_decoded d;
    return p->align_B >= MAP_STEP_B && offset_B + TMA_MAP_BYTES <= p->size_B &&
           tma_decode(&d, at) == TMA_OK && d.spec.rank &&
           captured_memory_range(tma_layout_address(at), &start, &end);
}

/* All of a tensor's memory. */
static void follow_map(struct capture *c, const uint8_t *at) {
    const struct judged_target target = target_of_device();
    tma_measure_result size = {0};
    tma_decoded d;
    (void)(tma_decode(&d, at) == TMA_OK && tma_measure(&size, &d.spec, &target.target));
    captured_memory_reach(&c->memory, tma_layout_address(at), size.tensor_B);
}

/* The memory that a parameter's words and maps point to. */
static void follow(struct capture *c, const struct kernel_parameter *p) {
    for (uint32_t at = 0; at + 8 <= p->size_B; at += 8) {
        uint64_t word;
        if (!(at % MAP_STEP_B) && is_map(p, c->params, at)) {
            follow_map(c, c->params + p->offset_B + at);
            at += TMA_MAP_BYTES - 8;
            continue;
        }
        memcpy(&word, c->params + p->offset_B + at, sizeof(word));
        captured_memory_add(&c->memory, word);
    }
}

/* ---- the file ---- */

static void flush(struct capture *c) {
    if (c->buffered_B && !c->error) {
        c->error = append_private(c->path, c->buffer, c->buffered_B);
    }
    c->buffered_B = 0;
}

static void put(void *context, const char *text, size_t length) {
    struct capture *c = context;
    while (length) {
        const size_t room = BUFFER_B - c->buffered_B, size = length < room ? length : room;
        memcpy(c->buffer + c->buffered_B, text, size);
        c->buffered_B += size;
        text += size;
        length -= size;
        if (c->buffered_B == BUFFER_B) {
            flush(c);
        }
    }
}

/* The next number that no process has taken. */
static int make_file(struct capture *c) {
    static atomic_uint number;
    int error = EEXIST;
    while (error == EEXIST) {
        const unsigned next = atomic_fetch_add(&number, 1) + 1;
        tma_out out = tma_out_into(c->path, sizeof(c->path));
        tma_putf(&out, "%s/%04u.launch", settings()->capture, next);
        error = next <= CAPTURE_MOST_LAUNCHES ? create_private(c->path) : ENOSPC;
    }
    return error;
}

static void put_size(tma_json *json, const char *key, const uint32_t size[3]) {
    tma_json_list(json, key);
    for (int i = 0; i < 3; i++) {
        tma_json_u64(json, NULL, size[i]);
    }
    tma_json_end(json);
}

static int is_cooperative(const struct launch_call *call) {
    shim_launch_attribute a;
    int is = 0;
    for (uint32_t i = 0; i < call->attributes && i < MOST_ATTRIBUTES; i++) {
        if (read_carefully(&a, call->attribute + i, sizeof(a))) {
            break;
        }
        is = a.id == SHIM_LAUNCH_COOPERATIVE ? a.value.cluster[0] != 0 : is;
    }
    return is;
}

/* What the kernel was compiled or set for, else one CTA: a launch that says nothing has no cluster,
 * and nobody has to guess. */
static void cluster_of_kernel(uint32_t cluster[3], struct CUfunc_st *function) {
    shim_function_attribute_call *ask =
        (shim_function_attribute_call *)real_function(AT_cuFuncGetAttribute);
    for (int i = 0; i < 3; i++) {
        int ctas = 0;
        cluster[i] = ask && !ask(&ctas, SHIM_FUNCTION_CLUSTER_X + i, function) && ctas > 0
                         ? (uint32_t)ctas
                         : 1;
    }
}

static void put_attributes(tma_json *json, const struct launch_call *call) {
    shim_launch_attribute a;
    uint32_t cluster[3] = {0};
    tma_json_list(json, "attributes");
    for (uint32_t i = 0; i < call->attributes && i < MOST_ATTRIBUTES; i++) {
        if (read_carefully(&a, call->attribute + i, sizeof(a))) {
            break;
        }
        tma_json_object(json, NULL);
        tma_json_u64(json, "id", a.id);
        tma_out text = tma_json_text_out(json, "hex");
        tma_put_hex_bytes(&text, &a.value, sizeof(a.value));
        tma_json_text_end(json);
        tma_json_end(json);
        if (a.id == SHIM_LAUNCH_CLUSTER) {
            memcpy(cluster, a.value.cluster, sizeof(cluster));
        }
    }
    tma_json_end(json);
    if (!cluster[0]) {
        cluster_of_kernel(cluster, call->function);
    }
    put_size(json, "cluster", cluster);
}

/* Bytes of a parameter: a map, or all before the next one. */
static void put_part(tma_json *json, const struct capture *c, const struct kernel_parameter *p,
                     uint32_t from, uint32_t end, int map) {
    if (from == end) {
        return;
    }
    tma_json_object(json, NULL);
    tma_out name = tma_json_text_out(json, "name");
    tma_put_bytes(&name, p->name.at, p->name.length);
    tma_json_text_end(json);
    if (from) {
        tma_json_u64(json, "offset_B", from);
    }
    tma_out text = tma_json_text_out(json, map ? "map" : "param");
    tma_put(&text, map ? "" : "hex:");
    tma_put_hex_bytes(&text, c->params + p->offset_B + from, end - from);
    tma_json_text_end(json);
    tma_json_end(json);
}

static void put_params(tma_json *json, const struct capture *c) {
    tma_json_list(json, "params");
    for (uint32_t i = 0; i < c->head.parameters; i++) {
        const struct kernel_parameter *p = &c->head.parameter[i];
        uint32_t from = 0;
        for (uint32_t at = 0; at < p->size_B; at += MAP_STEP_B) {
            if (at >= from && is_map(p, c->params, at)) {
                put_part(json, c, p, from, at, 0);
                put_part(json, c, p, at, at + TMA_MAP_BYTES, 1);
                from = at + TMA_MAP_BYTES;
            }
        }
        put_part(json, c, p, from, p->size_B, 0);
    }
    tma_json_end(json);
}

static void put_all(struct capture *c, const struct captured_kernel *k,
                    const struct launch_call *call) {
    tma_out out = tma_out_to(put, c);
    tma_json json = tma_json_begin(&out);
    tma_json_object(&json, NULL);
    tma_json_u64(&json, "schema", is_cooperative(call) ? 3 : 2);
    tma_json_text(&json, "verb", "launch");
    tma_json_text(&json, "kernel", k->name);
    put_size(&json, "grid", call->grid);
    put_size(&json, "block", call->block);
    put_attributes(&json, call);
    if (is_cooperative(call)) {
        tma_json_bool(&json, "cooperative", 1);
    }
    tma_json_u64(&json, "shared_B", call->shared_B);
    put_params(&json, c);
    captured_memory_put(&json, &c->memory);
    tma_json_text(&json, "ptx", k->text->text);
    tma_json_end(&json);
    tma_put(&out, "\n");
    flush(c);
}

static void say_failed(const struct capture *c, const char *kernel, int error) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said)) {
        report_message("a launch of %.*s is not captured: %s cannot be written (errno %d)",
                       VALUE_MOST, kernel, c->path, error);
    }
}

static void say_not_laid_out(const struct kernel_head *head, const char *kernel) {
    report_message("a launch of %.*s is not captured: where its parameter %.*s lies is not "
                   "understood, or it is not among %u parameters of %u B",
                   VALUE_MOST, kernel, text_shown(head->not_laid_out.length), head->not_laid_out.at,
                   MOST_PARAMETERS, MOST_PARAMETERS_B);
}

static void write_launch(struct capture *c, const struct captured_kernel *k,
                         const struct launch_call *call) {
    const int is_there = kernel_head_of(&c->head, k->text->text, k->text->text_B, k->name);
    if (is_there && c->head.not_laid_out.length) {
        say_not_laid_out(&c->head, k->name);
        return;
    }
    if (!is_there || read_params(c, call)) {
        report_message("a launch of %.*s is not captured: its parameters cannot be read",
                       VALUE_MOST, k->name);
        return;
    }
    captured_memory_begin(&c->memory, settings()->capture_memory_B, call->stream);
    for (uint32_t i = 0; i < c->head.parameters; i++) {
        follow(c, &c->head.parameter[i]);
    }
    c->error = make_file(c);
    if (c->error) {
        say_failed(c, k->name, c->error);
        return;
    }
    put_all(c, k, call);
    if (c->error) {
        (void)unlink(c->path); /* half of it says nothing */
        say_failed(c, k->name, c->error);
    }
}

void captured_launch(const struct launch_call *call) {
    const struct own_work work = own_work_begin();
    struct captured_kernel *k = kernel_of(call->function);
    struct capture *c = NULL;
    if (k) {
        void *at =
            mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        c = at == MAP_FAILED ? NULL : at;
    }
    if (c && is_wanted(k, &c->head)) {
        const uint32_t before = exchange_capture_mode(SHIM_CAPTURE_RELAXED);
        write_launch(c, k, call);
        (void)exchange_capture_mode(before);
    }
    if (c) {
        munmap(c, sizeof(*c));
    }
    own_work_end(&work);
}
