/* SPDX-License-Identifier: Apache-2.0
 *
 * driver_by_hand PTX_FILE|none WORD: a program of the driver API that loads libcuda.so.1 itself, as
 * Python's packages do. Prints what the calls answer. The words:
 *   add      _Z3addPKfPfi of emulate_add.ptx on 100 floats, by a module
 *   library  by a library, in a context and a stream, its parameters in a buffer
 *   map      waits of emulate_tile.ptx with a tensor map, in a cluster
 *   tile     the same with other bytes in each row; prints those that come out
 *   early    waits_not of it: reads what a copy has not brought
 *   beyond   add with an array too small
 *   wrong    no kernel: what wrong arguments are answered, and some right ones
 *   lookups  no kernel: cuGetProcAddress
 *   graph    add in a graph that two streams capture, launched twice
 *   captures no kernel: what a capture refuses
 *   together rounds of grid_sync.ptx, whose CTAs wait for each other
 *   variables  count_up of variables.ptx in two modules, whose variables are two
 *   prints   a kernel of one thread that prints "heard", launched twice
 *   reloads  the same three times, from a module each
 *   attributes  of the device, those that cuda_attributes.def has
 *   static   asks for a table, as the static runtime does
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcuda_calls.h"

#define MOST_TEXT 65536

typedef uint32_t encode_call(void *map, uint32_t type, uint32_t rank, void *address,
                             const uint64_t *dim, const uint64_t *strides, const uint32_t *box,
                             const uint32_t *steps, uint32_t interleave, uint32_t swizzle,
                             uint32_t promotion, uint32_t fill);

/* All calls by their symbols, as dlsym finds them. */
#define LIBCUDA_CALL(name, since, symbol, ...) static uint32_t (*do_##symbol)(__VA_ARGS__);
#include "libcuda_calls.def"
static encode_call *do_encode;

static void find(void *library, void *to, const char *symbol) {
    void *found = dlsym(library, symbol);
    memcpy(to, &found, sizeof(found));
    if (!found) {
        printf("%s: not there\n", symbol);
    }
}

static int load(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        printf("%s\n", dlerror());
        return 0;
    }
#define LIBCUDA_CALL(name, since, symbol, ...) find(library, &do_##symbol, #symbol);
#include "libcuda_calls.def"
    find(library, &do_encode, "cuTensorMapEncodeTiled");
    return 1;
}

static uint32_t say(const char *what, uint32_t error) {
    const char *name = NULL;
    do_cuGetErrorName(error, &name);
    printf("%s: %s\n", what, name ? name : "?");
    return error;
}
#define SAY(symbol, ...) say(#symbol, do_##symbol(__VA_ARGS__))

static char text[MOST_TEXT];

static void read_ptx(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file) {
        text[fread(text, 1, sizeof(text) - 1, file)] = 0;
        fclose(file);
    }
}

static void begin(void) {
    struct CUctx_st *context = NULL;
    int device = 9;
    SAY(cuInit, 0);
    SAY(cuDeviceGet, &device, 0);
    SAY(cuDevicePrimaryCtxRetain, &context, device);
    SAY(cuCtxSetCurrent, context);
}

/* ---- kernels ---- */

static int check(device_address b) {
    float h[100] = {0};
    SAY(cuMemcpyDtoH_v2, h, b, sizeof(h));
    printf("b[0] = %g, b[99] = %g\n", (double)h[0], (double)h[99]);
    return h[99] != 100;
}

static int add(int beyond) {
    struct CUmod_st *module = NULL;
    struct CUfunc_st *function = NULL;
    device_address a = 0, b = 0;
    float h[100];
    int n = 100;
    for (int i = 0; i < n; i++) {
        h[i] = (float)i;
    }
    begin();
    SAY(cuModuleLoadData, &module, text);
    SAY(cuModuleGetFunction, &function, module, "_Z3addPKfPfi");
    SAY(cuMemAlloc_v2, &a, sizeof(h));
    SAY(cuMemAlloc_v2, &b, beyond ? 16 : sizeof(h));
    SAY(cuMemcpyHtoD_v2, a, h, sizeof(h));
    void *args[] = {&a, &b, &n};
    SAY(cuLaunchKernel, function, 2, 1, 1, 64, 1, 1, 0, NULL, args, NULL);
    say("cuCtxSynchronize", do_cuCtxSynchronize());
    if (beyond) {
        return 0;
    }
    const int wrong = check(b);
    SAY(cuMemFree_v2, a);
    SAY(cuModuleUnload, module);
    return wrong;
}

static int library(void) {
    struct CUlib_st *loaded = NULL;
    struct CUkern_st *kernel = NULL;
    struct CUfunc_st *function = NULL;
    struct CUstream_st *stream = NULL;
    struct {
        device_address a, b;
        int n;
    } params = {.n = 100};
    size_t size_B = 20, offset_B = 9, parameter_B = 9;
    void *extra[] = {(void *)1, &params, (void *)2, &size_B, NULL};
    struct CUctxCreateParams_st zeros = {0};
    struct CUctx_st *own = NULL;
    begin();
    SAY(cuCtxCreate_v4, &own, &zeros, 0, 0);
    SAY(cuLibraryLoadData, &loaded, text, NULL, NULL, 0, NULL, NULL, 0);
    SAY(cuLibraryGetKernel, &kernel, loaded, "_Z3addPKfPfi");
    SAY(cuKernelGetFunction, &function, kernel);
    SAY(cuKernelGetParamInfo, kernel, 2, &offset_B, &parameter_B);
    printf("parameter 2: %zu bytes at %zu\n", parameter_B, offset_B);
    SAY(cuStreamCreate, &stream, 1);
    SAY(cuMemAllocAsync, &params.a, 400, stream);
    SAY(cuMemAllocManaged, &params.b, 400, 1);
    SAY(cuMemsetD32Async, params.a, 0x42c60000, 100, stream); /* 99.0 */
    SAY(cuLaunchKernel, function, 2, 1, 1, 64, 1, 1, 0, stream, NULL, extra);
    SAY(cuStreamSynchronize, stream);
    const int wrong = check(params.b);
    SAY(cuStreamDestroy_v2, stream);
    SAY(cuLibraryUnload, loaded);
    SAY(cuCtxDestroy_v2, own);
    return wrong;
}

static int tile(const char *name, int fills) {
    _Alignas(64) uint8_t map[128];
    const uint64_t dim[2] = {64, 32}, strides[1] = {128};
    const uint32_t box[2] = {64, 32}, steps[2] = {1, 1};
    struct CUmod_st *module = NULL;
    struct CUfunc_st *function = NULL;
    device_address rows = 0, out = 0;
    begin();
    SAY(cuModuleLoadDataEx, &module, text, 0, NULL, NULL);
    SAY(cuModuleGetFunction, &function, module, name);
    SAY(cuMemAlloc_v2, &rows, 4096);
    SAY(cuMemAlloc_v2, &out, 512);
    SAY(cuMemsetD8_v2, rows, 1, 4096);
    for (unsigned i = 0; i < 4096 && fills; i += 4) {
        do_cuMemsetD32_v2(rows + i, 0x01020304 * i, 1);
    }
    say("cuTensorMapEncodeTiled",
        do_encode(map, 6, 2, (void *)(uintptr_t)rows, dim, strides, box, steps, 0, 0, 0, 0));
    void *args[] = {map, &out};
    cuda_launch_attribute cluster = {.id = CUDA_ATTRIBUTE_CLUSTER, .value.cluster = {1, 1, 1}};
    const struct CUlaunchConfig_st config = {
        .grid = {1, 1, 1}, .block = {128, 1, 1}, .attribute = &cluster, .attributes = 1};
    SAY(cuLaunchKernelEx, &config, function, args, NULL);
    say("cuCtxSynchronize", do_cuCtxSynchronize());
    if (fills) {
        uint8_t bytes[512];
        do_cuMemcpyDtoH_v2(bytes, out, sizeof(bytes));
        for (unsigned i = 0; i < sizeof(bytes); i++) {
            printf("%02x", bytes[i]);
        }
        printf("\n");
    }
    return 0;
}

static int together(void) {
    struct CUmod_st *module = NULL;
    struct CUfunc_st *function = NULL;
    device_address in = 0, out = 0;
    uint32_t h[6];
    begin();
    SAY(cuModuleLoadData, &module, text);
    SAY(cuModuleGetFunction, &function, module, "rounds");
    SAY(cuMemAlloc_v2, &in, sizeof(h));
    SAY(cuMemAlloc_v2, &out, sizeof(h));
    void *args[] = {&in, &out};
    SAY(cuLaunchCooperativeKernel, function, 6, 1, 1, 64, 1, 1, 0, NULL, args);
    SAY(cuLaunchCooperativeKernel, function, 265, 1, 1, 1024, 1, 1, 0, NULL, args);
    SAY(cuMemcpyDtoH_v2, h, out, sizeof(h));
    printf("out: %u %u %u %u %u %u\n", h[0], h[1], h[2], h[3], h[4], h[5]);
    return 0;
}

/* ---- graphs ---- */

/* b = a + 1 and back to a, of which a second stream brings the first element. */
static struct CUgraph_st *capture(struct CUfunc_st *function, device_address a, device_address b,
                                  float *first) {
    struct CUstream_st *stream = NULL, *other = NULL;
    struct CUevent_st *event = NULL;
    struct CUgraph_st *graph = NULL;
    uint32_t status = 9;
    int n = 100;
    void *args[] = {&a, &b, &n};
    SAY(cuStreamCreate, &stream, 1);
    SAY(cuStreamCreate, &other, 1);
    SAY(cuEventCreate, &event, 2);
    SAY(cuStreamBeginCapture_v2, stream, 0);
    SAY(cuLaunchKernel, function, 2, 1, 1, 64, 1, 1, 0, stream, args, NULL);
    SAY(cuMemcpyDtoDAsync_v2, a, b, 400, stream);
    n = 0; /* the parameters are those of the call */
    SAY(cuEventRecord, event, stream);
    SAY(cuStreamWaitEvent, other, event, 0);
    SAY(cuMemcpyDtoHAsync_v2, first, a, 4, other);
    SAY(cuEventRecord, event, other);
    SAY(cuStreamWaitEvent, stream, event, 0);
    SAY(cuStreamIsCapturing, other, &status);
    printf("the other stream captures: %u\n", status);
    SAY(cuStreamEndCapture, stream, &graph);
    SAY(cuStreamIsCapturing, other, &status);
    printf("the other stream captures: %u\n", status);
    SAY(cuStreamDestroy_v2, other);
    return graph;
}

static int graph(void) {
    struct CUmod_st *module = NULL;
    struct CUfunc_st *function = NULL;
    struct CUgraphExec_st *exec = NULL;
    device_address a = 0, b = 0;
    size_t nodes = 0;
    float first = -1;
    begin();
    SAY(cuModuleLoadData, &module, text);
    SAY(cuModuleGetFunction, &function, module, "_Z3addPKfPfi");
    SAY(cuMemAlloc_v2, &a, 400);
    SAY(cuMemAlloc_v2, &b, 400);
    SAY(cuMemsetD32_v2, a, 0, 100);
    struct CUgraph_st *made = capture(function, a, b, &first);
    SAY(cuGraphGetNodes, made, NULL, &nodes);
    printf("%zu nodes, first %g\n", nodes, (double)first);
    SAY(cuGraphInstantiateWithFlags, &exec, made, 0);
    SAY(cuGraphDestroy, made);
    SAY(cuGraphLaunch, exec, NULL);
    SAY(cuGraphLaunch, exec, NULL);
    say("cuCtxSynchronize", do_cuCtxSynchronize());
    SAY(cuGraphExecDestroy, exec);
    printf("first %g\n", (double)first);
    return first != 2;
}

static int captures(void) {
    struct CUstream_st *stream = NULL, *other = NULL;
    struct CUevent_st *event = NULL;
    struct CUgraph_st *graph = NULL, *second = NULL;
    uint32_t status = 9;
    begin();
    SAY(cuStreamCreate, &stream, 1);
    SAY(cuStreamCreate, &other, 1);
    SAY(cuEventCreate, &event, 0);
    SAY(cuStreamEndCapture, stream, &graph);
    SAY(cuStreamBeginCapture_v2, NULL, 2);
    SAY(cuStreamBeginCapture_v2, stream, 9);
    SAY(cuStreamBeginCapture_v2, stream, 2);
    SAY(cuStreamBeginCapture_v2, stream, 2);
    SAY(cuEventRecord, event, stream);
    SAY(cuStreamWaitEvent, other, event, 0);
    SAY(cuStreamEndCapture, other, &second);
    SAY(cuStreamSynchronize, stream);
    SAY(cuStreamIsCapturing, stream, &status);
    printf("%u\n", status);
    SAY(cuStreamEndCapture, stream, &graph);
    SAY(cuStreamIsCapturing, stream, &status);
    printf("%u\n", status);
    SAY(cuStreamSynchronize, stream);
    SAY(cuStreamBeginCapture_v2, stream, 2);
    SAY(cuEventRecord, event, stream);
    SAY(cuEventSynchronize, event);
    SAY(cuStreamEndCapture, stream, &graph);
    SAY(cuStreamBeginCapture_v2, stream, 2);
    SAY(cuStreamEndCapture, stream, &graph);
    SAY(cuGraphDestroy, graph);
    return 0;
}

static void count_up(struct CUmod_st *module, device_address out) {
    struct CUfunc_st *function = NULL;
    device_address at = 0;
    size_t size_B = 0;
    uint32_t now = 0;
    void *args[] = {&out};
    SAY(cuModuleGetFunction, &function, module, "count_up");
    SAY(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
    SAY(cuModuleGetGlobal_v2, &at, &size_B, module, "counter");
    SAY(cuMemcpyDtoH_v2, &now, at, sizeof(now));
    printf("counter %u, %zu bytes\n", now, size_B);
}

static int variables(void) {
    struct CUmod_st *first = NULL, *second = NULL;
    struct CUlib_st *third = NULL;
    device_address out = 0, step = 0;
    size_t left_B = 0, again_B = 0, all_B = 0;
    const uint32_t hundred = 100;
    begin();
    SAY(cuModuleLoadData, &first, text);
    SAY(cuModuleLoadData, &second, text);
    SAY(cuMemAlloc_v2, &out, 4);
    SAY(cuMemGetInfo_v2, &left_B, &all_B);
    SAY(cuModuleGetGlobal_v2, &step, NULL, second, "step");
    SAY(cuMemcpyHtoD_v2, step + 4, &hundred, sizeof(hundred));
    count_up(first, out);
    count_up(second, out);
    count_up(first, out);
    SAY(cuModuleGetGlobal_v2, &step, NULL, first, "nobody");
    SAY(cuMemFree_v2, step);
    SAY(cuModuleUnload, first);
    SAY(cuModuleUnload, second);
    SAY(cuMemGetInfo_v2, &again_B, &all_B);
    printf("memory is back: %d\n", again_B == left_B);
    SAY(cuLibraryLoadData, &third, text, NULL, NULL, 0, NULL, NULL, 0);
    SAY(cuLibraryGetGlobal, &step, &left_B, third, "step");
    printf("step has %zu bytes\n", left_B);
    return 0;
}

static int prints(void) {
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
        ".global .align 1 .b8 said[7] = {104, 101, 97, 114, 100, 10, 0};\n"
        ".visible .entry k() {\n.reg .b32 %r<2>;\n.reg .b64 %rd<3>;\n"
        "mov.u64 %rd1, said;\ncvta.global.u64 %rd2, %rd1;\n{\n.param .b64 f;\n"
        ".param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %rd2;\nst.param.b64 [a], 0;\n"
        "call.uni (r), vprintf, (f, a);\nld.param.b32 %r1, [r];\n}\nret;\n}\n";
    struct CUmod_st *module = NULL;
    struct CUfunc_st *function = NULL;
    begin();
    SAY(cuModuleLoadData, &module, ptx);
    SAY(cuModuleGetFunction, &function, module, "k");
    SAY(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    SAY(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    return 0;
}

/* ---- wrong arguments ---- */

static void look_up(const char *name, int version) {
    void *call = NULL;
    uint32_t status = 9;
    SAY(cuGetProcAddress_v2, name, &call, version, 0, &status);
    printf("%s of %d: %s, status %u\n", name, version, call ? "there" : "null", status);
}

static const char newer[] =
    ".version 8.6\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 a){ret;}";
static const char small[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a){ret;}";

static void wrong_calls(void) {
    struct CUmod_st *module = NULL;
    struct CUfunc_st *function = NULL;
    struct CUevent_st *start = NULL, *stop = NULL;
    device_address at = 0;
    size_t pitch = 0;
    int value = 0;
    float ms = 0;
    SAY(cuMemAlloc_v2, &at, 0);
    SAY(cuMemAlloc_v2, &at, (size_t)1 << 62);
    SAY(cuMemAllocPitch_v2, &at, &pitch, 100, 10, 3);
    SAY(cuMemAllocPitch_v2, &at, &pitch, 100, 10, 4);
    printf("%zu\n", pitch);
    SAY(cuMemFree_v2, at);
    SAY(cuMemFree_v2, 0);
    SAY(cuMemsetD32_v2, 2, 0, 4);
    SAY(cuDeviceGet, &value, 64);
    SAY(cuDeviceGetAttribute, &value, 0, 0);
    SAY(cuDeviceGetAttribute, &value, 100000, 0);
    SAY(cuModuleLoadData, &module, "no PTX");
    SAY(cuModuleLoad, &module, "/nowhere/of.ptx");
    SAY(cuModuleLoadData, &module, newer);
    SAY(cuModuleLoadData, &module, small);
    SAY(cuModuleGetFunction, &function, module, "nobody");
    SAY(cuModuleGetFunction, &function, module, "k");
    SAY(cuFuncSetAttribute, function, KERNEL_DYNAMIC_SHARED_B, 300000);
    SAY(cuFuncSetAttribute, function, KERNEL_DYNAMIC_SHARED_B, 232448);
    SAY(cuFuncGetAttribute, &value, 1000, function);
    SAY(cuFuncGetAttribute, &value, KERNEL_THREADS, function);
    printf("%d\n", value);
    SAY(cuLaunchKernel, function, 0, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL);
    SAY(cuLaunchKernel, function, 1, 1, 1, 1025, 1, 1, 0, NULL, NULL, NULL);
    SAY(cuLaunchKernel, function, 1, 70000, 1, 64, 1, 1, 0, NULL, NULL, NULL);
    SAY(cuLaunchKernel, function, 1, 1, 1, 64, 1, 1, 300000, NULL, NULL, NULL);
    SAY(cuLaunchKernel, function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL);
    SAY(cuEventCreate, &start, 0);
    SAY(cuEventCreate, &stop, 0);
    SAY(cuEventElapsedTime, &ms, start, stop);
    SAY(cuEventQuery, start);
    SAY(cuStreamCreate, NULL, 0);
}

static int lookups(void) {
    void *call = NULL;
    SAY(cuGetProcAddress_v2, "", &call, 13000, 0, NULL);
    SAY(cuGetProcAddress_v2, "cuNobody", &call, 13000, 0, NULL);
    look_up("cuMemAlloc", 13000);
    look_up("cuMemAlloc", 2000);
    look_up("cuTensorMapEncodeTiled", 12000);
    look_up("cuTensorMapEncodeTiled", 11080);
    look_up("cuNobody", 13000);
    return 0;
}

static int wrong(void) {
    struct CUctx_st *context = NULL;
    device_address at = 0;
    int value = 0;
    SAY(cuMemAlloc_v2, &at, 16);
    SAY(cuDeviceGetCount, &value);
    SAY(cuInit, 1);
    SAY(cuInit, 0);
    SAY(cuMemAlloc_v2, &at, 16);
    say("cuCtxSynchronize", do_cuCtxSynchronize());
    SAY(cuCtxPopCurrent_v2, &context);
    SAY(cuDevicePrimaryCtxRelease_v2, 0);
    SAY(cuDevicePrimaryCtxRetain, &context, 0);
    SAY(cuCtxSetCurrent, context);
    wrong_calls();
    return 0;
}

static int attributes(void) {
    char name[64] = "";
    int value = 0;
    begin();
    SAY(cuDeviceGetName, name, sizeof(name), 0);
    printf("%s\n", name);
#define CUDA_ATTRIBUTE(id, attribute, number, own)                                                 \
    value = -1;                                                                                    \
    do_cuDeviceGetAttribute(&value, number, 0);                                                    \
    printf("%s %d\n", #attribute, value);
#include "cuda_attributes.def"
    return 0;
}

static int table(void) {
    const void *found = NULL;
    const struct CUuuid_st id = {{0}};
    begin();
    SAY(cuGetExportTable, &found, &id);
    return 1;
}

int main(int count, char **words) {
    if (count != 3 || !load()) {
        return 2;
    }
    const char *word = words[2];
    read_ptx(words[1]);
    return !strcmp(word, "add")          ? add(0)
           : !strcmp(word, "beyond")     ? add(1)
           : !strcmp(word, "library")    ? library()
           : !strcmp(word, "wrong")      ? wrong()
           : !strcmp(word, "lookups")    ? lookups()
           : !strcmp(word, "graph")      ? graph()
           : !strcmp(word, "captures")   ? captures()
           : !strcmp(word, "variables")  ? variables()
           : !strcmp(word, "together")   ? together()
           : !strcmp(word, "prints")     ? prints()
           : !strcmp(word, "reloads")    ? prints() + prints() + prints()
           : !strcmp(word, "attributes") ? attributes()
           : !strcmp(word, "static")     ? table()
           : !strcmp(word, "early")      ? tile("waits_not", 0)
                                         : tile("waits", !strcmp(word, "tile"));
}
