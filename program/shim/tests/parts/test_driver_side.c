/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of a driver whose functions are there, lacking or failing.
 */
#include <inttypes.h>

#include "aside.h"
#include "driver_errors.h"
#include "judged_target.h"
#include "loaded_kernels.h"
#include "stand_in_device.h"
#include "support/testing.h"

#define NONE                  SHIM_SYMBOLS
#define FAILED                ((shim_result)999)
#define POINTER(type, number) ((struct type *)(uintptr_t)(number))

static enum shim_symbol fails = NONE; /* with FAILED */

static const char *shown(const char *text) {
    return text ? text : "-";
}

static shim_result answer(enum shim_symbol which) {
    return fails == which ? FAILED : SHIM_SUCCESS;
}

static shim_result version_call(int *version) {
    say("version? ");
    *version = 12080;
    return answer(AT_cuDriverGetVersion);
}

static int current;

static shim_result device_call(int *device) {
    say("device? ");
    *device = current;
    return answer(AT_cuCtxGetDevice);
}

static shim_result attribute_call(int *value, int which, int device) {
    say("attribute %d of %d? ", which, device);
    *value = which == SHIM_ATTRIBUTE_MAJOR ? 10 : 3;
    return answer(AT_cuDeviceGetAttribute);
}

static shim_result module_global_call(uint64_t *address, size_t *size_B, struct CUmod_st *module,
                                      const char *name) {
    say("%s of module %p? ", name, (void *)module);
    *address = 1;
    *size_B = 2;
    return answer(AT_cuModuleGetGlobal_v2);
}

static shim_result library_global_call(uint64_t *address, size_t *size_B, struct CUlib_st *library,
                                       const char *name) {
    say("%s of library %p? ", name, (void *)library);
    *address = 3;
    *size_B = 4;
    return answer(AT_cuLibraryGetGlobal);
}

static shim_result function_call(struct CUfunc_st **function, struct CUmod_st *module,
                                 const char *name) {
    say("function %s of %p? ", name, (void *)module);
    *function = POINTER(CUfunc_st, 0x50);
    return answer(AT_cuModuleGetFunction);
}

static shim_result function_attribute_call(int *value, int which, struct CUfunc_st *function) {
    say("attribute %d of %p? ", which, (void *)function);
    *value = 10 + which;
    return answer(AT_cuFuncGetAttribute);
}

static shim_result kernel_call(struct CUkern_st **kernel, struct CUlib_st *library,
                               const char *name) {
    say("kernel %s of %p? ", name, (void *)library);
    *kernel = POINTER(CUkern_st, 0x60);
    return answer(AT_cuLibraryGetKernel);
}

static shim_result kernel_attribute_call(int *value, int which, struct CUkern_st *kernel,
                                         int device) {
    say("attribute %d of %p on %d? ", which, (void *)kernel, device);
    *value = 20 + which;
    return answer(AT_cuKernelGetAttribute);
}

static shim_result module_unload_call(struct CUmod_st *module) {
    say("unload module %p. ", (void *)module);
    return SHIM_SUCCESS;
}

static shim_result library_unload_call(struct CUlib_st *library) {
    say("unload library %p. ", (void *)library);
    return SHIM_SUCCESS;
}

static shim_result error_name_call(shim_result error, const char **text) {
    *text = error == 9007 ? "SEVEN" : NULL;
    return error == 9008 ? FAILED : answer(AT_cuGetErrorName);
}

static void have_all_but(enum shim_symbol lacking) {
    static const struct {
        enum shim_symbol which;
        shim_function call;
    } rows[] = {
        {AT_cuDriverGetVersion, (shim_function)version_call},
        {AT_cuCtxGetDevice, (shim_function)device_call},
        {AT_cuDeviceGetAttribute, (shim_function)attribute_call},
        {AT_cuModuleGetGlobal_v2, (shim_function)module_global_call},
        {AT_cuLibraryGetGlobal, (shim_function)library_global_call},
        {AT_cuModuleGetFunction, (shim_function)function_call},
        {AT_cuFuncGetAttribute, (shim_function)function_attribute_call},
        {AT_cuLibraryGetKernel, (shim_function)kernel_call},
        {AT_cuKernelGetAttribute, (shim_function)kernel_attribute_call},
        {AT_cuModuleUnload, (shim_function)module_unload_call},
        {AT_cuLibraryUnload, (shim_function)library_unload_call},
        {AT_cuGetErrorName, (shim_function)error_name_call},
        {AT_cuGetErrorString, (shim_function)error_name_call},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        driver.call[rows[i].which] = rows[i].which == lacking ? NULL : rows[i].call;
    }
}

/* --- judged_target.c --- */

struct device_case {
    enum shim_symbol lacks, fails;
    int device;
    const char *arch, *version;
    const char *said; /* of the first time and of the second */
};

#define MAJOR   "attribute 75 of "
#define MINOR   "attribute 76 of "
#define ASSUMED " (assumed: no device could be asked)"

static const struct device_case device_cases[] = {
    {NONE, NONE, 0, NULL, NULL,
     "device? " MAJOR "0? " MINOR
     "0? version? sm_103, driver 12.8 known 1\ndevice? sm_103, driver 12.8 known 1\n"},
    {NONE, NONE, 63, NULL, NULL,
     "device? " MAJOR "63? " MINOR
     "63? version? sm_103, driver 12.8 known 1\ndevice? sm_103, driver 12.8 known 1\n"},
    {NONE, NONE, 64, NULL, NULL,
     "device? " MAJOR "64? " MINOR "64? version? sm_103, driver 12.8 known 1\n"
     "device? " MAJOR "64? " MINOR "64? sm_103, driver 12.8 known 1\n"},
    {NONE, NONE, 1 << 30, NULL, NULL,
     "device? " MAJOR "1073741824? " MINOR "1073741824? version? sm_103, driver 12.8 known 1\n"
     "device? " MAJOR "1073741824? " MINOR "1073741824? sm_103, driver 12.8 known 1\n"},
    {NONE, NONE, -1, NULL, NULL,
     "device? " MAJOR "-1? " MINOR "-1? version? sm_103, driver 12.8 known 1\n"
     "device? " MAJOR "-1? " MINOR "-1? sm_103, driver 12.8 known 1\n"},
    {NONE, AT_cuCtxGetDevice, 5, NULL, NULL,
     "device? " MAJOR "0? " MINOR
     "0? version? sm_103, driver 12.8 known 1\ndevice? sm_103, driver 12.8 known 1\n"},
    {AT_cuCtxGetDevice, NONE, 5, NULL, NULL,
     MAJOR "0? " MINOR "0? version? sm_103, driver 12.8 known 1\nsm_103, driver 12.8 known 1\n"},
    {NONE, AT_cuDeviceGetAttribute, 1, NULL, NULL,
     "device? " MAJOR "1? version? sm_90, driver 12.8" ASSUMED " known 1\n"
     "device? " MAJOR "1? sm_90, driver 12.8" ASSUMED " known 1\n"},
    {AT_cuDeviceGetAttribute, NONE, 1, NULL, NULL,
     "device? version? sm_90, driver 12.8" ASSUMED " known 1\ndevice? sm_90, driver 12.8" ASSUMED
     " known 1\n"},
    {NONE, AT_cuDriverGetVersion, 1, "sm_100", NULL,
     "version? sm_100, driver 13.0 known 1\nversion? sm_100, driver 13.0 known 1\n"},
    {AT_cuDriverGetVersion, NONE, 1, "sm_100", NULL,
     "sm_100, driver 13.0 known 1\nsm_100, driver 13.0 known 1\n"},
    {NONE, NONE, 1, "sm_100", "12.9", "sm_100, driver 12.9 known 1\nsm_100, driver 12.9 known 1\n"},
};

static void ask_device(const void *context) {
    const struct device_case *c = context;
    if (c->arch) {
        setenv("LIBTMA_ARCH", c->arch, 1);
    }
    if (c->version) {
        setenv("LIBTMA_DRIVER", c->version, 1);
    }
    have_all_but(c->lacks);
    fails = c->fails;
    current = c->device;
    for (int i = 0; i < 2; i++) {
        char text[TARGET_TEXT_BYTES];
        const struct judged_target target = target_of_device();
        say("%s known %d\n", target_text(&target, text), target_is_known(&target));
    }
}

static void test_devices(void **state) {
    const struct judged_target unknown = {{.sm = 42, .driver = 11040}, 0};
    char text[TARGET_TEXT_BYTES];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(device_cases); i++) {
        is_said("device", ask_device, &device_cases[i], device_cases[i].said);
    }
    const struct judged_target late = {{.sm = 90, .driver = 12990}, 1};
    assert_string_equal(target_text(&late, text), "sm_90, driver 12.99" ASSUMED);
    assert_int_equal(target_is_known(&unknown), 0);
    assert_string_equal(target_text(&unknown, text), "sm_42, driver 11.4");
}

/* --- loaded_kernels.c --- */

struct kernels_case {
    enum shim_symbol lacks, fails;
    int is_library;
    const char *said;
};

#define MODULE_USE  "function k of 0x10? attribute 4 of 0x50? attribute 3 of 0x50? "
#define LIBRARY_USE "device? kernel k of 0x20? attribute 4 of 0x60 on 7? attribute 3 of 0x60 on 7? "

static const struct kernels_case kernels_cases[] = {
    {NONE, NONE, 0, "g of module 0x10? 0 1 2; " MODULE_USE "0 14 13; unload module 0x10. "},
    {NONE, NONE, 1, "g of library 0x20? 0 3 4; " LIBRARY_USE "0 24 23; unload library 0x20. "},
    {NONE, AT_cuModuleGetGlobal_v2, 0,
     "g of module 0x10? 999 1 2; " MODULE_USE "0 14 13; unload module 0x10. "},
    {NONE, AT_cuModuleGetFunction, 0,
     "g of module 0x10? 0 1 2; function k of 0x10? 999 0 0; unload module 0x10. "},
    {NONE, AT_cuFuncGetAttribute, 0,
     "g of module 0x10? 0 1 2; function k of 0x10? attribute 4 of 0x50? 999 14 0; unload module "
     "0x10. "},
    {NONE, AT_cuLibraryGetGlobal, 1,
     "g of library 0x20? 999 3 4; " LIBRARY_USE "0 24 23; unload library 0x20. "},
    {NONE, AT_cuCtxGetDevice, 1,
     "g of library 0x20? 0 3 4; device? 999 0 0; unload library 0x20. "},
    {NONE, AT_cuLibraryGetKernel, 1,
     "g of library 0x20? 0 3 4; device? kernel k of 0x20? 999 0 0; unload library 0x20. "},
    {NONE, AT_cuKernelGetAttribute, 1,
     "g of library 0x20? 0 3 4; device? kernel k of 0x20? attribute 4 of 0x60 on 7? 999 24 0; "
     "unload library 0x20. "},
    {AT_cuModuleGetGlobal_v2, NONE, 0, "801 0 0; " MODULE_USE "0 14 13; unload module 0x10. "},
    {AT_cuLibraryGetGlobal, NONE, 1, "801 0 0; " LIBRARY_USE "0 24 23; unload library 0x20. "},
    {AT_cuModuleGetFunction, NONE, 0, "g of module 0x10? 0 1 2; 801 0 0; unload module 0x10. "},
    {AT_cuFuncGetAttribute, NONE, 0, "g of module 0x10? 0 1 2; 801 0 0; unload module 0x10. "},
    {AT_cuLibraryGetKernel, NONE, 1, "g of library 0x20? 0 3 4; 801 0 0; unload library 0x20. "},
    {AT_cuKernelGetAttribute, NONE, 1, "g of library 0x20? 0 3 4; 801 0 0; unload library 0x20. "},
    {AT_cuCtxGetDevice, NONE, 1, "g of library 0x20? 0 3 4; 801 0 0; unload library 0x20. "},
    {AT_cuModuleUnload, NONE, 0, "g of module 0x10? 0 1 2; " MODULE_USE "0 14 13; "},
    {AT_cuLibraryUnload, NONE, 1, "g of library 0x20? 0 3 4; " LIBRARY_USE "0 24 23; "},
};

static void ask_kernels(const void *context) {
    const struct kernels_case *c = context;
    const struct loaded_kernels kernels = {c->is_library ? NULL : POINTER(CUmod_st, 0x10),
                                           c->is_library ? POINTER(CUlib_st, 0x20) : NULL};
    uint64_t address = 0;
    size_t size_B = 0;
    int registers = 0;
    int local_B = 0;
    have_all_but(c->lacks);
    fails = c->fails;
    current = 7;
    shim_result rc = kernels_global(&kernels, "g", &address, &size_B);
    say("%u %" PRIu64 " %zu; ", rc, address, size_B);
    rc = kernels_use(&kernels, "k", &registers, &local_B);
    say("%u %d %d; ", rc, registers, local_B);
    kernels_unload(&kernels);
}

static void test_kernels(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(kernels_cases); i++) {
        is_said("kernels", ask_kernels, &kernels_cases[i], kernels_cases[i].said);
    }
}

/* --- errors --- */

static void ask_errors(const void *context) {
    static const shim_result errors[] = {0, 1, 700, 101, 9007, 9008, 9009};
    const char *text = "untouched";
    if (!context) {
        have_all_but(NONE);
    }
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        const struct driver_error e = driver_error_of(errors[i]);
        say("%u %s %d ", errors[i], e.name, e.older);
        const shim_result name = cuGetErrorName(errors[i], &text);
        say("name %u %s ", name, shown(text));
        const shim_result words = cuGetErrorString(errors[i], &text);
        say("words %u %s\n", words, shown(text));
    }
    if (context) {
        say("%u %u\n", cuGetErrorName(1, NULL), cuGetErrorString(0, NULL));
    }
}

static void test_errors(void **state) {
    (void)state;
    is_said("the driver's", ask_errors, NULL,
            "0 no name known 0 name 0 - words 0 -\n"
            "1 CUDA_ERROR_INVALID_VALUE 0 name 0 - words 0 -\n"
            "700 CUDA_ERROR_ILLEGAL_ADDRESS 1 name 0 - words 0 -\n"
            "101 CUDA_ERROR_INVALID_DEVICE 0 name 0 - words 0 -\n"
            "9007 SEVEN 0 name 0 SEVEN words 0 SEVEN\n"
            "9008 no name known 0 name 999 - words 999 -\n"
            "9009 no name known 0 name 0 - words 0 -\n");
    is_said(
        "the table's", ask_errors, "no driver",
        "0 no name known 0 name 0 CUDA_SUCCESS words 0 no error\n"
        "1 CUDA_ERROR_INVALID_VALUE 0 name 0 CUDA_ERROR_INVALID_VALUE words 0 invalid argument\n"
        "700 CUDA_ERROR_ILLEGAL_ADDRESS 1 name 0 CUDA_ERROR_ILLEGAL_ADDRESS words 0 an illegal "
        "memory access was "
        "encountered\n"
        "101 CUDA_ERROR_INVALID_DEVICE 0 name 0 CUDA_ERROR_INVALID_DEVICE words 1 -\n"
        "9007 no name known 0 name 1 - words 1 -\n"
        "9008 no name known 0 name 1 - words 1 -\n"
        "9009 no name known 0 name 1 - words 1 -\n"
        "1 1\n");
}

/* --- stand_in_device.c --- */

typedef shim_result context_call(struct CUctx_st **context);
typedef shim_result device_of_call(int *device, struct CUctx_st *context);
typedef shim_result device_attribute_call(int *value, uint32_t attribute, int device);
typedef shim_result pointer_attributes_call(uint32_t count, const uint32_t *attributes, void **data,
                                            uint64_t pointer);

static void *stand_in(const char *name, int expected_since) {
    int since = 0;
    void *call = stand_in_device_call(name, &since);
    assert_non_null(call);
    assert_int_equal(since, expected_since);
    return call;
}

static void test_stand_in_device(void **state) {
    union {
        void *address;
        context_call *context;
        device_of_call *device;
        device_attribute_call *attribute;
        shim_pointer_call *pointer;
        pointer_attributes_call *pointers;
    } as;
    struct CUctx_st *context = NULL;
    struct CUctx_st *again = NULL;
    int number = 5;
    (void)state;
    setenv("LIBTMA_ARCH", "sm_103", 1);
    assert_null(stand_in_device_call("cuInit", &number));
    as.address = stand_in("cuCtxGetCurrent", 4000);
    assert_int_equal(as.context(NULL), 1);
    assert_int_equal(as.context(&context), 0);
    assert_int_equal(as.context(&again), 0);
    assert_non_null(context);
    assert_ptr_equal(context, again);
    as.address = stand_in("cuCtxGetDevice", 2000);
    assert_int_equal(as.device(NULL, NULL), 1);
    assert_int_equal(as.device(&number, NULL), 0);
    assert_int_equal(number, 0);
    as.address = stand_in("cuDeviceGetAttribute", 2000);
    for (uint32_t which = 74; which < 78; which++) {
        const int is_known = which == 75 || which == 76;
        number = -1;
        assert_int_equal(as.attribute(&number, which, 0), !is_known);
        assert_int_equal(number, which == 75 ? 10 : which == 76 ? 3 : -1);
        assert_int_equal(as.attribute(&number, which, 1), 1);
        assert_int_equal(as.attribute(NULL, which, 0), 1);
    }
    as.address = stand_in("cuPointerGetAttribute", 4000);
    for (uint32_t which = 0; which < 14; which++) {
        const int is_known = which == 2 || which == 8 || which == 9;
        int pair[2] = {-1, -1};
        assert_int_equal(as.pointer(pair, which, 0x1000), !is_known);
        assert_int_equal(pair[0], which == 2 ? 2 : is_known ? 0 : -1);
        assert_int_equal(pair[1], -1);
        assert_int_equal(as.pointer(pair, which, 0), 1);
        assert_int_equal(as.pointer(NULL, which, 0x1000), 1);
    }
    as.address = stand_in("cuPointerGetAttributes", 7000);
    int values[3] = {-1, -1, -1};
    void *data[] = {&values[0], &values[1], &values[2]};
    const uint32_t attributes[] = {2, 9, 3};
    assert_int_equal(as.pointers(2, attributes, data, 0x1000), 0);
    assert_true(values[0] == 2 && values[1] == 0 && values[2] == -1);
    assert_int_equal(as.pointers(3, attributes, data, 0x1000), 1);
    assert_int_equal(as.pointers(1, NULL, data, 0x1000), 1);
    assert_int_equal(as.pointers(1, attributes, NULL, 0x1000), 1);
    assert_int_equal(as.pointers(0, attributes, data, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices), cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_errors), cmocka_unit_test(test_stand_in_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
