/* SPDX-License-Identifier: Apache-2.0
 *
 * A CUDA program without a GPU: what its calls of the runtime (cudart/) and of the driver (driver/)
 * share. One device, whose memory is the host's; everything is done in the order of the calls, by
 * the thread that calls. libcuda.so.1 has all of it, libcudart.so asks there.
 */
#ifndef EMULATED_PROGRAM_H
#define EMULATED_PROGRAM_H

#include "cuda_types.h"
#include "tma/emulate.h"

/* One call at a time. */
PROGRAM_API void tma_program_lock(void);
PROGRAM_API void tma_program_unlock(void);

/* What a kernel that died left: each later call answers with it. CUDA_SUCCESS: none did. */
PROGRAM_API cuda_error tma_program_died(void);
void tma_program_fail(cuda_error error); /* under the lock */

/* One line to standard error, once for each text. */
PROGRAM_API void tma_program_say_once(const char *text);

/* ---- program_device.c, program_contexts.c ---- */
#define PROGRAM_VERSION         13000 /* of the driver and of the runtime: 13.0 */
#define PROGRAM_MOST_ATTRIBUTES 150   /* CUdevice_attribute has fewer; the others are answered 0 */
typedef struct program_device {
    uint32_t sm; /* of its own code sm_NNNa */
    const char *name;
    size_t memory_B;
} program_device;
PROGRAM_API const program_device *tma_program_device(void); /* cuda_devices.def */
PROGRAM_API int tma_program_attribute(int number);
#define PROGRAM_ATTRIBUTE(id) tma_program_attribute(ATTRIBUTE_##id)
/* The device's primary context becomes the thread's, where it has none: what the runtime does. */
PROGRAM_API void tma_program_use_primary(void);

/* ---- program_memory.c ---- */
#define PROGRAM_GRANULE_B 512 /* of pitches, and what an allocation's address is a multiple of */
enum { PROGRAM_HOST = 1, PROGRAM_DEVICE_MEMORY = 2, PROGRAM_MANAGED = 3, PROGRAM_REGISTERED = 4 };
typedef struct program_block {
    uint8_t *at;
    size_t size_B;   /* with room up to whole units of 16 bytes behind it */
    uint32_t type;   /* of the enumeration above */
    int is_variable; /* a module's: no call frees it */
    struct program_block *next;
} program_block;
const program_block *tma_program_blocks(void);
/* The block that an address lies in, as it was then; false: none. */
PROGRAM_API int tma_program_block_of(program_block *block, const void *at);
/* Nothing and null for 0 bytes. */
PROGRAM_API cuda_error tma_program_allocate(void **out, size_t size_B, uint32_t type);
PROGRAM_API cuda_error tma_program_allocate_rows(void **out, size_t *pitch_B, size_t width_B,
                                                 size_t height);
PROGRAM_API cuda_error tma_program_register(void *at, size_t size_B);
PROGRAM_API cuda_error tma_program_release(void *at, int was_registered);
PROGRAM_API size_t tma_program_used_B(void); /* of the device */
/* Memory of a module's variable; null: there is none. Under the lock, as what frees it. */
void *tma_program_variable_new(size_t size_B);
void tma_program_variable_free(void *at);

/* ---- program_module.c ---- */
typedef struct program_module program_module;
typedef struct program_kernel {
    const void *host; /* the function that the runtime's calls launch by, or null */
    char *name;
    program_module *module;
    uint32_t findings; /* reported so far */
    int dynamic_shared_most_B, may_be_large_cluster;
    struct program_kernel *next;
} program_kernel;

/* A fatbinary or PTX text as the program has it; it has to stay. The size is known of files alone,
 * else SIZE_MAX. Null: no memory. */
PROGRAM_API program_module *tma_program_module_new(const void *image, size_t size_B);
void tma_program_module_drop(program_module *m); /* program_unload.c calls it */
/* Reads it now; *error has the words of what is wrong. */
cuda_error tma_program_module_read(program_module *m, tma_error *error);
int tma_program_is_module(const program_module *m);

const char *tma_program_kernel_at(program_module *m, size_t index, size_t *length);
/* Its PTX decoded; null and *error, which is said. */
tma_emulator *tma_program_emulator(program_module *m, cuda_error *error);

/* A module's variables in memory of their own, all of tma_emulator_variable_at(), which they keep
 * until the module is unloaded; made and initialised when they are needed first. Under the lock. */
cuda_error tma_program_module_variables(program_module *m, const tma_emulate_memory **variable,
                                        size_t *count);

/* ---- program_variables.c ---- */
/* A variable's memory by its name; CUDA_SYMBOL_NOT_FOUND. */
cuda_error tma_program_variable_named(program_module *m, const char *name, tma_emulate_memory *to);
/* What nvcc registers: the host's variable that stands for it. */
PROGRAM_API int tma_program_symbol_new(program_module *m, const void *host, const char *name);
void tma_program_symbols_free(const program_module *m);
/* By that; CUDA_INVALID_SYMBOL. */
PROGRAM_API cuda_error tma_program_symbol(const void *host, tma_emulate_memory *to);

/* Where the schedule of the pass is read whose printing goes out; under the lock. */
void tma_program_listen(const uint32_t *of_the_pass);

/* ---- program_kernels.c ---- */
PROGRAM_API program_kernel *tma_program_kernel_new(program_module *m, const char *name,
                                                   size_t length, const void *host);
void tma_program_kernels_free(const program_module *m);
/* By the program's function, by name, by handle; null or false: there is none. */
PROGRAM_API program_kernel *tma_program_kernel_of(const void *host);
program_kernel *tma_program_kernel_named(program_module *m, const char *name);
int tma_program_is_kernel(const program_kernel *kernel);
/* CUfunction_attribute and cudaFuncAttribute, which have the same numbers. */
#define PROGRAM_KERNEL_ATTRIBUTE(id, name, number) KERNEL_##id = number,
enum {
#include "kernel_attributes.def"
    KERNEL_ATTRIBUTES = 16
};
PROGRAM_API cuda_error tma_program_kernel_get(int *value, uint32_t attribute, program_kernel *k);
PROGRAM_API cuda_error tma_program_kernel_set(program_kernel *k, uint32_t attribute, int value);

/* How many blocks a multiprocessor holds: registers are not known, so 1, or 0 where none fits; and
 * the device, clusters. */
PROGRAM_API cuda_error tma_program_occupancy(int *blocks, program_kernel *k, int threads,
                                             size_t shared_B);
/* Whether a cooperative launch runs at once; CUDA_COOPERATIVE_TOO_LARGE. */
struct program_launch;
cuda_error tma_program_fits(program_kernel *k, const struct program_launch *how);
PROGRAM_API cuda_error tma_program_clusters(int *clusters, const uint32_t cluster[3]);

/* ---- program_unload.c: with its kernels and symbols ---- */
PROGRAM_API void tma_program_module_free(program_module *m);

/* ---- program_launch.c ---- */
typedef struct program_launch {
    uint32_t grid[3], block[3], cluster[3];
    uint32_t cooperative;
    size_t dynamic_shared_B;
    void *const *args; /* a parameter each, or all of them laid out: */
    const void *params;
    size_t params_B;
} program_launch;
PROGRAM_API cuda_error tma_program_launch(cuda_stream stream, program_kernel *k,
                                          const program_launch *how);

/* ---- program_ops.c ---- */
typedef struct program_copy {
    void *to;
    const void *from;
    size_t to_pitch_B, from_pitch_B, width_B, rows;
} program_copy;
typedef struct program_set {
    void *to;
    size_t pitch_B, width_el, rows;
    uint32_t value, element_B;
} program_set;
typedef void program_host_call(void *context);

PROGRAM_API cuda_error tma_program_copy(cuda_stream stream, const program_copy *copy);
PROGRAM_API cuda_error tma_program_set(cuda_stream stream, const program_set *set);
PROGRAM_API cuda_error tma_program_call(cuda_stream stream, program_host_call *call, void *context);
PROGRAM_API cuda_error tma_program_graph_launch(cuda_graph_exec exec, cuda_stream stream);

/* ---- program_streams.c ---- */
#define PROGRAM_GREATEST_PRIORITY (-5)
PROGRAM_API cuda_error tma_program_stream_new(cuda_stream *stream, uint32_t flags, int priority);
PROGRAM_API cuda_error tma_program_stream_free(cuda_stream stream);
/* Whether it is one, and nothing is wrong. */
PROGRAM_API cuda_error tma_program_stream_wait(cuda_stream stream);
PROGRAM_API cuda_error tma_program_stream_is(cuda_stream stream, uint32_t *flags, int *priority,
                                             uint64_t *id);

PROGRAM_API cuda_error tma_program_event_new(cuda_event *event, uint32_t flags);
PROGRAM_API cuda_error tma_program_event_free(cuda_event event);
PROGRAM_API cuda_error tma_program_event_record(cuda_event event, cuda_stream stream);
PROGRAM_API cuda_error tma_program_event_wait(cuda_event event);
PROGRAM_API cuda_error tma_program_event_before(cuda_stream stream, cuda_event event);
PROGRAM_API cuda_error tma_program_event_time(float *ms, cuda_event start, cuda_event end);

/* Capture: what is put into the stream from here on is kept in a graph, with that of streams that
 * wait for an event recorded in it. */
PROGRAM_API cuda_error tma_program_capture_begin(cuda_stream stream);
PROGRAM_API cuda_error tma_program_capture_end(cuda_stream stream, cuda_graph *graph);
PROGRAM_API cuda_error tma_program_captures(cuda_stream stream, uint32_t *status);

/* ---- program_graphs.c ---- */
PROGRAM_API cuda_error tma_program_graph_new(cuda_graph *graph);
PROGRAM_API cuda_error tma_program_graph_free(cuda_graph graph);
PROGRAM_API cuda_error tma_program_graph_nodes(cuda_graph graph, void **nodes, size_t *count);
PROGRAM_API cuda_error tma_program_graph_instantiate(cuda_graph_exec *exec, cuda_graph graph);
PROGRAM_API cuda_error tma_program_exec_free(cuda_graph_exec exec);

/* A node that the program adds itself. */
typedef struct program_node {
    void **node;
    cuda_graph graph;
    void *const *behind; /* nodes of the graph that it depends on */
    size_t count;
} program_node;
PROGRAM_API cuda_error tma_program_node_launch(const program_node *at, program_kernel *k,
                                               const program_launch *how);
PROGRAM_API cuda_error tma_program_node_copy(const program_node *at, const program_copy *copy);
PROGRAM_API cuda_error tma_program_node_set(const program_node *at, const program_set *set);
PROGRAM_API cuda_error tma_program_node_call(const program_node *at, program_host_call *call,
                                             void *context);

/* ---- program_run.c: a launch, its parameters laid out; under the lock ---- */
cuda_error tma_program_run(program_kernel *k, const program_launch *how);

/* ---- program_report.c: to the command that started the program ---- */
PROGRAM_API void tma_program_report(const char *what, uint32_t findings, uint32_t certain,
                                    int is_open);

#endif
