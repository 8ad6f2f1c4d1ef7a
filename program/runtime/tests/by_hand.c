/* SPDX-License-Identifier: Apache-2.0
 *
 * by_hand PTX_FILE|none WORD: what nvcc makes of a program, by hand: a fatbinary registered, one of
 * its kernels launched. Prints what the calls answer. The words:
 *   add      _Z3addPKfPfi of emulate_add.ptx on 100 floats
 *   beyond   the same with an array too small
 *   map      waits of emulate_tile.ptx, with a tensor map of the driver's entry point
 *   early    waits_not of it: reads what a copy has not brought
 *   dies     none of it: abort() before a launch
 *   fails    nor here: the exit status is 255
 *   nodes    add in a graph whose nodes the program adds itself
 *   variables  count_up of variables.ptx, its variables read and written by their symbols
 *   together  rounds of grid_sync.ptx on 6 CTAs that wait for each other, then on too many
 *   memory   no kernel: what is the device's memory, and what is too much of it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_types.h"
#include "device_properties.h"

/* The runtime's calls that are used here, as CUDA's headers have them. */
void **__cudaRegisterFatBinary(void *fatCubin);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                       size_t size, int is_constant, int is_global);
cuda_error cudaGetSymbolAddress(void **devPtr, const void *symbol);
cuda_error cudaGetSymbolSize(size_t *size, const void *symbol);
cuda_error cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                              uint32_t kind);
cuda_error cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                uint32_t kind);
cuda_error cudaMalloc(void **devPtr, size_t size);
cuda_error cudaMallocHost(void **ptr, size_t size);
cuda_error cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height);
cuda_error cudaMemGetInfo(size_t *left, size_t *total);
cuda_error cudaFree(void *devPtr);
cuda_error cudaFreeHost(void *ptr);
cuda_error cudaMemcpy(void *dst, const void *src, size_t count, uint32_t kind);
cuda_error cudaMemset(void *devPtr, int value, size_t count);
cuda_error cudaDeviceSynchronize(void);
cuda_error cudaGetDeviceProperties(device_properties *out, int device);
cuda_error cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t sharedMem,
                            cuda_stream stream);
cuda_error cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args,
                                       size_t sharedMem, cuda_stream stream);
cuda_error cudaLaunchKernelExC(const cuda_launch_config *config, const void *func, void **args);
cuda_error cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                            uint64_t flags, uint32_t *status);
const char *cudaGetErrorName(cuda_error error);
cuda_error cudaGraphCreate(cuda_graph *graph, unsigned flags);
cuda_error cudaGraphAddKernelNode(void **node, cuda_graph graph, void *const *behind, size_t count,
                                  const cuda_kernel_node *params);
cuda_error cudaGraphAddMemcpyNode1D(void **node, cuda_graph graph, void *const *behind,
                                    size_t count, void *dst, const void *src, size_t size_B,
                                    uint32_t kind);
cuda_error cudaGraphAddMemsetNode(void **node, cuda_graph graph, void *const *behind, size_t count,
                                  const cuda_set_node *params);
cuda_error cudaGraphAddHostNode(void **node, cuda_graph graph, void *const *behind, size_t count,
                                const cuda_host_node *params);
cuda_error cudaGraphInstantiate(cuda_graph_exec *exec, cuda_graph graph, unsigned long long flags);
cuda_error cudaGraphLaunch(cuda_graph_exec exec, cuda_stream stream);
cuda_error cudaGraphExecDestroy(cuda_graph_exec exec);
cuda_error cudaGraphDestroy(cuda_graph graph);

typedef uint32_t encode_call(void *map, uint32_t type, uint32_t rank, void *address,
                             const uint64_t *dim, const uint64_t *strides, const uint32_t *box,
                             const uint32_t *steps, uint32_t interleave, uint32_t swizzle,
                             uint32_t promotion, uint32_t fill);

/* A fatbinary of one PTX file that is not compressed: fat_image.c says what lies where. */
static void *fat_of(const char *path) {
    static uint32_t wrapper[6] = {0x466243b1, 1};
    FILE *file = strcmp(path, "none") ? fopen(path, "rb") : NULL;
    uint8_t *fat = calloc(1, 1 << 20);
    const uint64_t text_B = file ? fread(fat + 80, 1, (1 << 20) - 96, file) + 1 : 0;
    const uint64_t files_B = file ? 64 + text_B : 0;
    const uint32_t head_B = 64;
    if (file) {
        fclose(file);
    }
    memcpy(fat, &(uint32_t){0xba55ed50}, 4);
    memcpy(fat + 4, &(uint16_t){1}, 2);
    memcpy(fat + 6, &(uint16_t){16}, 2);
    memcpy(fat + 8, &files_B, 8);
    memcpy(fat + 16, &(uint16_t){1}, 2); /* PTX */
    memcpy(fat + 20, &head_B, 4);
    memcpy(fat + 24, &text_B, 8);
    memcpy(&wrapper[2], &fat, sizeof(fat));
    return wrapper;
}

static void say(const char *what, cuda_error error) {
    printf("%s: %s\n", what, cudaGetErrorName(error));
}

static const char kernel; /* what a host function's address is to the runtime */

static int add(int beyond) {
    float *a = NULL, *b = NULL, h[100];
    int n = 100;
    for (int i = 0; i < n; i++) {
        h[i] = (float)i;
    }
    say("cudaMalloc", cudaMalloc((void **)&a, sizeof(h)));
    say("cudaMalloc", cudaMalloc((void **)&b, beyond ? 16 : sizeof(h)));
    say("cudaMemcpy", cudaMemcpy(a, h, sizeof(h), 1));
    void *args[] = {&a, &b, &n};
    say("cudaLaunchKernel",
        cudaLaunchKernel(&kernel, (dim3){2, 1, 1}, (dim3){64, 1, 1}, args, 0, NULL));
    say("cudaDeviceSynchronize", cudaDeviceSynchronize());
    if (beyond) {
        return 0;
    }
    say("cudaMemcpy", cudaMemcpy(h, b, sizeof(h), 2));
    say("cudaFree", cudaFree(a));
    printf("b[0] = %g, b[99] = %g\n", (double)h[0], (double)h[99]);
    return h[99] != 100;
}

static void count_one(void *context) {
    ++*(int *)context;
}

/* a is set to 2.0, b = a + 1 is brought back, a host function counts. */
static int nodes(void) {
    float *a = NULL, *b = NULL, h[100] = {0};
    int n = 100, counted = 0;
    void *set = NULL, *run = NULL, *get = NULL, *call = NULL;
    cuda_graph graph = NULL;
    cuda_graph_exec exec = NULL;
    say("cudaMalloc", cudaMalloc((void **)&a, sizeof(h)));
    say("cudaMalloc", cudaMalloc((void **)&b, sizeof(h)));
    void *args[] = {&a, &b, &n};
    const cuda_set_node two = {a, 0, 0x40000000, 4, 100, 1};
    const cuda_kernel_node add_one = {&kernel, {2, 1, 1}, {64, 1, 1}, 0, args, NULL};
    const cuda_host_node count = {count_one, &counted};
    say("cudaGraphCreate", cudaGraphCreate(&graph, 0));
    say("cudaGraphAddMemsetNode", cudaGraphAddMemsetNode(&set, graph, NULL, 0, &two));
    say("cudaGraphAddKernelNode", cudaGraphAddKernelNode(&run, graph, &set, 1, &add_one));
    say("cudaGraphAddMemcpyNode1D",
        cudaGraphAddMemcpyNode1D(&get, graph, &run, 1, h, b, sizeof(h), 2));
    say("cudaGraphAddHostNode", cudaGraphAddHostNode(&call, graph, &get, 1, &count));
    void *nobody = &counted;
    say("of no node", cudaGraphAddHostNode(&call, graph, &nobody, 1, &count));
    say("cudaGraphInstantiate", cudaGraphInstantiate(&exec, graph, 0));
    say("cudaGraphLaunch", cudaGraphLaunch(exec, NULL));
    printf("b[0] = %g, b[99] = %g, counted %d\n", (double)h[0], (double)h[99], counted);
    say("cudaGraphExecDestroy", cudaGraphExecDestroy(exec));
    say("cudaGraphDestroy", cudaGraphDestroy(graph));
    say("of no graph", cudaGraphDestroy(graph));
    return h[99] != 3;
}

static char counter, step, lost; /* what host variables' addresses are to the runtime */

static void register_variables(void **handle) {
    __cudaRegisterVar(handle, &counter, &counter, "counter", 0, 4, 0, 0);
    __cudaRegisterVar(handle, &step, &step, "step", 0, 8, 1, 0);
    __cudaRegisterVar(handle, &lost, &lost, "lost", 0, 4, 0, 0); /* which the PTX has not */
}

static void count_up(uint32_t *out) {
    void *args[] = {&out};
    uint32_t now = 0, through = 0;
    say("cudaLaunchKernel",
        cudaLaunchKernel(&kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL));
    say("cudaMemcpyFromSymbol", cudaMemcpyFromSymbol(&now, &counter, 4, 0, 2));
    say("cudaMemcpy", cudaMemcpy(&through, out, 4, 2));
    printf("counter %u, by its address %u\n", now, through);
}

static int variables(void) {
    uint32_t *out = NULL, *at = NULL, now = 0;
    const uint32_t hundred = 100;
    size_t size_B = 0;
    say("cudaMalloc", cudaMalloc((void **)&out, 4));
    count_up(out);
    count_up(out);
    say("cudaMemcpyToSymbol", cudaMemcpyToSymbol(&step, &hundred, 4, 4, 1));
    count_up(out);
    say("cudaGetSymbolAddress", cudaGetSymbolAddress((void **)&at, &counter));
    say("cudaMemset", cudaMemset(at, 0, 4));
    count_up(out);
    say("cudaMemcpy", cudaMemcpy(&now, at, 4, 2));
    say("cudaGetSymbolSize", cudaGetSymbolSize(&size_B, &step));
    printf("counter %u, step has %zu bytes\n", now, size_B);
    say("beyond its end", cudaMemcpyToSymbol(&step, &hundred, 4, 5, 1));
    say("no variable", cudaGetSymbolAddress((void **)&at, &now));
    say("not in the PTX", cudaGetSymbolAddress((void **)&at, &lost));
    say("not allocated", cudaFree(at));
    return now != 100;
}

static size_t used(void) {
    size_t left = 0, total = 0;
    say("cudaMemGetInfo", cudaMemGetInfo(&left, &total));
    return total - left;
}

static int memory(void) {
    void *device = NULL, *host = NULL, *none = NULL;
    size_t pitch = 0;
    say("cudaMalloc", cudaMalloc(&device, 4096));
    say("cudaMallocHost", cudaMallocHost(&host, 8192));
    printf("used %zu\n", used());
    say("cudaFreeHost", cudaFreeHost(host));
    say("cudaMallocPitch", cudaMallocPitch(&none, &pitch, (size_t)1 << 40, 1));
    say("cudaMallocPitch", cudaMallocPitch(&none, &pitch, 512, (SIZE_MAX >> 9) + 2));
    say("cudaMalloc", cudaMalloc(&none, SIZE_MAX));
    say("cudaFree", cudaFree(device));
    printf("used %zu\n", used());
    return none != NULL;
}

static int together(void) {
    uint32_t *in = NULL, *out = NULL, h[6];
    cudaMalloc((void **)&in, sizeof(h));
    cudaMalloc((void **)&out, sizeof(h));
    void *args[] = {&in, &out};
    cuda_launch_attribute attribute = {.id = CUDA_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    cuda_launch_config config = {
        .grid = {6, 1, 1}, .block = {64, 1, 1}, .attribute = &attribute, .attributes = 1};
    say("cudaLaunchCooperativeKernel",
        cudaLaunchCooperativeKernel(&kernel, config.grid, config.block, args, 0, NULL));
    say("cudaLaunchKernelExC", cudaLaunchKernelExC(&config, &kernel, args));
    config.grid.x = 265;
    config.block.x = 1024;
    say("too many", cudaLaunchKernelExC(&config, &kernel, args));
    say("cudaMemcpy", cudaMemcpy(h, out, sizeof(h), 2));
    printf("out: %u %u %u %u %u %u\n", h[0], h[1], h[2], h[3], h[4], h[5]);
    return 0;
}

static int tile(void) {
    union {
        void *address;
        encode_call *call;
    } encode = {0};
    _Alignas(64) uint8_t map[128];
    const uint64_t dim[2] = {64, 32}, strides[1] = {128};
    const uint32_t box[2] = {64, 32}, steps[2] = {1, 1};
    void *rows = NULL, *out = NULL;
    uint32_t status = 9;
    say("cudaGetDriverEntryPointByVersion",
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode.address, 12000, 0,
                                         &status));
    say("cudaMalloc", cudaMalloc(&rows, 4096));
    say("cudaMalloc", cudaMalloc(&out, 512));
    say("cudaMemset", cudaMemset(rows, 1, 4096));
    printf("status %u, cuTensorMapEncodeTiled: %u\n", status,
           encode.call(map, 6, 2, rows, dim, strides, box, steps, 0, 0, 0, 0));
    void *args[] = {map, &out};
    cuda_launch_attribute cluster = {.id = CUDA_ATTRIBUTE_CLUSTER, .value.cluster = {1, 1, 1}};
    const cuda_launch_config config = {
        .grid = {1, 1, 1}, .block = {128, 1, 1}, .attribute = &cluster, .attributes = 1};
    say("cudaLaunchKernelExC", cudaLaunchKernelExC(&config, &kernel, args));
    say("cudaDeviceSynchronize", cudaDeviceSynchronize());
    return 0;
}

int main(int count, char **words) {
    if (count != 3) {
        return 2;
    }
    const int is_nodes = !strcmp(words[2], "nodes");
    const int is_add = is_nodes || !strcmp(words[2], "add") || !strcmp(words[2], "beyond");
    const int is_variables = !strcmp(words[2], "variables");
    const int is_together = !strcmp(words[2], "together");
    const char *name = is_add                       ? "_Z3addPKfPfi"
                       : is_variables               ? "count_up"
                       : is_together                ? "rounds"
                       : !strcmp(words[2], "early") ? "waits_not"
                                                    : "waits";
    device_properties properties;
    void **handle = __cudaRegisterFatBinary(fat_of(words[1]));
    __cudaRegisterFunction(handle, &kernel, NULL, name, -1, NULL, NULL, NULL, NULL, NULL);
    register_variables(handle);
    __cudaRegisterFatBinaryEnd(handle);
    say("cudaGetDeviceProperties", cudaGetDeviceProperties(&properties, 0));
    printf("%s, %d.%d\n", properties.name, properties.major, properties.minor);
    if (!strcmp(words[2], "dies")) {
        abort();
    }
    if (!strcmp(words[2], "fails")) {
        return -1;
    }
    const int status = is_nodes                      ? nodes()
                       : is_variables                ? variables()
                       : is_together                 ? together()
                       : is_add                      ? add(!strcmp(words[2], "beyond"))
                       : !strcmp(words[2], "memory") ? memory()
                                                     : tile();
    fflush(stdout);
    __cudaUnregisterFatBinary(handle);
    return status;
}
