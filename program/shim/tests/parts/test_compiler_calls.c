/* SPDX-License-Identifier: Apache-2.0
 *
 * The compilers' calls, alone beside pretended compilers: which PTX is kept for which machine code.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "aside.h"
#include "compiled_code.h"
#include "compiler_calls.h"
#include "settings.h"
#include "support/exact_memory.h"
#include "support/testing.h"

#define CUBIN                                                                                      \
    "\x7f"                                                                                         \
    "ELF code"
#define LINKS     64 /* that a program makes at the same time */
#define MOST_ADDS 3
#define FILE_KIND 99u /* an input that is a file */

static struct shim_settings asked = {.wants_ptx = 1};

const struct shim_settings *settings(void) {
    return &asked;
}

void compiled_code_keep(const void *cubin, size_t cubin_B, const char *text, size_t text_B) {
    say("%zu B for %.*s: %.*s\n", text_B, (int)cubin_B, (const char *)cubin, (int)text_B, text);
}

/* A file that the pretended compiler reads. */
static void put_file(const char *variable, const char *text) {
    char path[64];
    const int fd = memfd_create(variable, 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (write(fd, text, strlen(text)) != (ssize_t)strlen(text) || setenv(variable, path, 1)) {
        abort();
    }
}

static void *begin(const char *fails) {
    put_file("PRETEND_CUBIN", CUBIN);
    put_file("PRETEND_PTX", ".version");
    setenv("PRETEND_FAILS", fails, 1);
    exact_memory_begins();
    errno = 77;
    return dlopen(NVRTC, RTLD_NOW | RTLD_LOCAL) && errno == 77 ? dlopen(LINK, RTLD_NOW | RTLD_LOCAL)
                                                               : NULL;
}

static void end(int rc) {
    say("rc %d, errno %d, %zu blocks\n", rc, errno, exact_memory_blocks());
}

/* --- NVRTC --- */

struct nvrtc_case {
    const char *fails;
    int check_kernels;
    long allocations;
    const char *said;
};

static void have_cubin(const void *context) {
    const struct nvrtc_case *c = context;
    char cubin[64] = "";
    asked.wants_ptx = c->check_kernels;
    (void)begin(c->fails);
    const int early = nvrtcGetCUBIN(NULL, cubin); /* finds what the allocations below are not for */
    (void)early;
    memset(cubin, 0, sizeof(cubin));
    errno = 77;
    say("--\n");
    exact_memory_ends_after(c->allocations);
    const int rc = nvrtcGetCUBIN(NULL, cubin);
    exact_memory_ends_after(-1);
    say("%s\n", cubin);
    end(rc);
}

#define KEPT  "8 B for " CUBIN ": .version\n"
#define RIGHT CUBIN "\nrc 0, errno 77, 0 blocks\n"

static void test_nvrtc(void **state) {
    static const struct nvrtc_case cases[] = {
        {"", 1, -1, KEPT "--\n" KEPT RIGHT},
        {"", 0, -1, "--\n" RIGHT},
        {"", 1, 0, KEPT "--\n" RIGHT},
        {"nvrtcGetPTX", 1, -1, "--\n" RIGHT},
        {"nvrtcGetPTXSize", 1, -1, "--\n" RIGHT},
        {"nvrtcGetCUBINSize", 1, -1, "--\n" RIGHT},
        {"nvrtcGetCUBIN", 1, -1, "--\n" CUBIN "\nrc 5, errno 77, 0 blocks\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        is_said("nvrtc", have_cubin, &cases[i], cases[i].said);
    }
}

/* --- nvJitLink --- */

static const struct {
    shim_link_data_call *data;
    shim_link_file_call *file;
    shim_link_get_call *get;
    shim_link_destroy_call *destroy;
} linkers[] = {
    {nvJitLinkAddData, nvJitLinkAddFile, nvJitLinkGetLinkedCubin, nvJitLinkDestroy},
    {__nvJitLinkAddData_13_0, __nvJitLinkAddFile_13_0, __nvJitLinkGetLinkedCubin_13_0,
     __nvJitLinkDestroy_13_0},
};

struct link_case {
    struct {
        uint32_t kind;
        const char *text;
        size_t size;
    } add[MOST_ADDS];
    const char *fails; /* of the plain calls */
    int is_off;
    long allocations;
    const char *said;
};

#define NO_PTX "rc 0, errno 77, 0 blocks\n"
#define PTX    "4 B for " CUBIN ": .ptx\n" NO_PTX
#define ALL    -1

static const struct link_case link_cases[] = {
    {{{2, ".ptx", 4}}, "", 0, ALL, PTX},
    {{{2, ".ptx\0", 5}}, "", 0, ALL, PTX},
    {{{2, ".ptx\0\0\0", 7}}, "", 0, ALL, PTX},
    {{{2, "\0\0", 2}}, "", 0, ALL, "0 B for " CUBIN ": \n" NO_PTX},
    {{{2, "xptx", 4}}, "", 0, ALL, "4 B for " CUBIN ": xptx\n" NO_PTX},
    {{{10, ".ptx", 4}}, "", 0, ALL, PTX},
    {{{10, "/ptx", 4}}, "", 0, ALL, "4 B for " CUBIN ": /ptx\n" NO_PTX},
    {{{10, "\nptx", 4}}, "", 0, ALL, "4 B for " CUBIN ": \nptx\n" NO_PTX},
    {{{10, " ptx", 4}}, "", 0, ALL, "4 B for " CUBIN ":  ptx\n" NO_PTX},
    {{{10,
       "\x7f"
       "ELF",
       4}},
     "",
     0,
     ALL,
     NO_PTX},
    {{{10, "xptx", 4}}, "", 0, ALL, NO_PTX},
    {{{1, ".ptx", 4}}, "", 0, ALL, NO_PTX},
    {{{3, ".ptx", 4}}, "", 0, ALL, NO_PTX},
    {{{2, ".ptx", 4}, {2, ".ptx", 4}}, "", 0, ALL, NO_PTX},
    {{{2, ".ptx", 4}, {2, ".ptx", 4}, {2, ".ptx", 4}}, "", 0, ALL, NO_PTX},
    {{{1, ".ptx", 4}, {2, ".ptx", 4}}, "", 0, ALL, NO_PTX},
    {{{2, ".ptx", 4}, {1, ".ptx", 4}}, "", 0, ALL, NO_PTX},
    {{{FILE_KIND, "a.ptx", 1}}, "", 0, ALL, NO_PTX},
    {{{FILE_KIND, "a.ptx", 1}, {2, ".ptx", 4}}, "", 0, ALL, NO_PTX},
    {{{2, ".ptx", 4}, {FILE_KIND, "a.ptx", 1}}, "", 0, ALL, NO_PTX},
    {{{2, ".ptx", 4}, {FILE_KIND, NULL, 1}}, "", 0, ALL, PTX}, /* which was not taken */
    {{{2, ".ptx", 0}, {2, ".ptx", 4}}, "", 0, ALL, PTX},
    {{{2, ".ptx", 4}}, "", 1, ALL, NO_PTX},
    {{{2, ".ptx", 4}}, "", 0, 0, NO_PTX},
    {{{2, ".ptx", 4}}, "nvJitLinkGetLinkedCubinSize", 0, ALL, NO_PTX},
    {{{2, ".ptx", 4}}, "nvJitLinkGetLinkedCubin", 0, ALL, "rc 5, errno 77, 0 blocks\n"},
};

static unsigned linker; /* of those */

static void link_inputs(const struct link_case *c, struct nvJitLink *handle) {
    for (int i = 0; i < MOST_ADDS && c->add[i].kind; i++) {
        if (c->add[i].kind == FILE_KIND) {
            (void)linkers[linker].file(handle, 2, c->add[i].text);
        } else {
            (void)linkers[linker].data(handle, c->add[i].kind, c->add[i].text, c->add[i].size,
                                       "kernels");
        }
    }
}

/* Twice with one handle, which is another link then. */
static void link_all(const void *context) {
    const struct link_case *c = context;
    char name[64];
    int here = 0;
    snprintf(name, sizeof(name), linker && *c->fails ? "__%s_13_0" : "%s", c->fails);
    (void)begin(name);
    asked.wants_ptx = !c->is_off;
    for (int round = 0; round < 2; round++) {
        struct nvJitLink *handle = (struct nvJitLink *)&here;
        char cubin[64] = "";
        exact_memory_ends_after(c->allocations);
        link_inputs(c, handle);
        exact_memory_ends_after(-1);
        const int rc = linkers[linker].get(handle, cubin);
        const int left = linkers[linker].destroy(&handle);
        if (strcmp(cubin, CUBIN) != 0 || left || handle) {
            say("not linked\n");
        }
        end(rc);
    }
}

static void test_links(void **state) {
    char twice[256];
    (void)state;
    for (linker = 0; linker < COUNT_OF(linkers); linker++) {
        for (size_t i = 0; i < COUNT_OF(link_cases); i++) {
            snprintf(twice, sizeof(twice), "%s%s", link_cases[i].said, link_cases[i].said);
            is_said("link", link_all, &link_cases[i], twice);
        }
    }
}

/* As many as are known at a time, and one more: from then on none is known. Each has its own text.
 */
static void link_many(const void *context) {
    int here[LINKS + 1];
    struct nvJitLink *handle[LINKS + 1];
    char cubin[64];
    char text[2] = "a";
    const int links = LINKS + *(const int *)context;
    (void)begin("");
    for (int i = 0; i < links; i++) {
        handle[i] = (struct nvJitLink *)&here[i];
        *text = (char)('0' + i);
        (void)nvJitLinkAddData(handle[i], 2, text, 1, "kernels");
    }
    for (int i = 0; i < links; i++) {
        if (i < 8 || i > LINKS - 3) {
            say("%d ", i);
            (void)nvJitLinkGetLinkedCubin(handle[i], cubin);
        }
    }
    say("%zu blocks\n", exact_memory_blocks());
    (void)nvJitLinkDestroy(&handle[5]); /* a row for what may be the last one's second input */
    (void)nvJitLinkAddData(handle[links - 1], 2, text, 1, "kernels");
    (void)nvJitLinkGetLinkedCubin(handle[links - 1], cubin);
    for (int i = 0; i < links; i++) {
        (void)nvJitLinkDestroy(&handle[i]);
    }
    end(0);
}

static void test_many_links(void **state) {
    (void)state;
    for (int beyond = 0; beyond < 2; beyond++) {
        char expected[2000] = "";
        char *at = expected;
        for (int i = 0; i < LINKS + beyond; i++) {
            if (i < 8 || i > LINKS - 3) {
                at += sprintf(at, beyond ? "%d " : "%d 1 B for " CUBIN ": %c\n", i, '0' + i);
            }
        }
        strcpy(at, "64 blocks\n" NO_PTX);
        is_said("many", link_many, &beyond, expected);
    }
}

/* --- the names --- */

static void call_without(const void *context) {
    struct nvJitLink *handle = NULL;
    char to[64];
    (void)context;
    say("%d ", nvrtcGetCUBIN(NULL, to));
    for (size_t i = 0; i < COUNT_OF(linkers); i++) {
        say("%d ", linkers[i].data(NULL, 2, "x", 1, "x"));
        say("%d ", linkers[i].file(NULL, 2, "x"));
        say("%d ", linkers[i].get(NULL, to));
        say("%d ", linkers[i].destroy(&handle));
    }
    (void)begin("");
    say("%d", nvrtcGetCUBIN(NULL, to)); /* is there now */
}

static void test_no_compiler(void **state) {
    (void)state;
    is_said("none", call_without, NULL, "11 11 11 11 11 11 11 11 11 " KEPT "0");
}

static void look_up(const void *context) {
    void *library = begin("");
    void *other = dlopen(NVRTC, RTLD_NOW | RTLD_LOCAL);
    const char *name = context;
    union {
        void *address;
        shim_link_data_call *data;
    } found = {compiler_call_instead_of(library, name)};
    say("%d", found.data == nvJitLinkAddData);
    say("%d", compiler_call_instead_of(library, name) == found.address);
    say("%d", compiler_call_instead_of(other, name) == NULL);        /* of a second library */
    say("%d", compiler_call_instead_of(RTLD_DEFAULT, name) == NULL); /* is ours already */
    say("%d", compiler_call_instead_of(library, "nvJitLinkAddDat") == NULL);
    say("%d",
        compiler_call_instead_of(library, "__nvJitLinkAddData_12_0") == NULL); /* it has none */
    say("%d", compiler_call_instead_of(library, "__nvJitLinkDestroy_13_0") != NULL);
    say("%d", compiler_call_instead_of(other, "nvrtcGetCUBIN") != NULL);
    asked.wants_ptx = 0;
    say("%d", compiler_call_instead_of(library, name) == NULL);
}

static void test_look_ups(void **state) {
    (void)state;
    is_said("look-ups", look_up, "nvJitLinkAddData", "111111111");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nvrtc),      cmocka_unit_test(test_links),
        cmocka_unit_test(test_many_links), cmocka_unit_test(test_no_compiler),
        cmocka_unit_test(test_look_ups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
