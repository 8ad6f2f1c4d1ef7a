/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder with links to this program, and the variables by which compilers find them.
 */
#include "ptxas_in_place.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli_error.h"
#include "ptxas_find.h"

/* Where those who compile at run time keep what they compiled. */
static const struct {
    const char *variable;
    const char *folder;
} caches[] = {
    {"TRITON_CACHE_DIR", "triton"},
    {"TORCH_EXTENSIONS_DIR", "torch"},
    {"TORCHINDUCTOR_CACHE_DIR", "inductor"},
    {"TILELANG_CACHE_DIR", "tilelang"},
    {"FLASHINFER_WORKSPACE_BASE", "flashinfer"},
    {"DG_JIT_CACHE_DIR", "deep_gemm"},
    {"CUPY_CACHE_DIR", "cupy"},
};

static char *joined(const char *folder, const char *name) {
    return cli_printed("%s/%s", folder, name);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at) {
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

static char *made_folder;

/* However the end comes. A second try: the first may have had no memory. */
void ptxas_out_of_place(void) {
    if (made_folder && nftw(made_folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) &&
        nftw(made_folder, remove_one, 16, FTW_DEPTH | FTW_PHYS)) {
        cli_say("cannot take %s away: %s", made_folder, strerror(errno));
    }
    free(made_folder);
    made_folder = NULL;
}

/* nvcc hands its prefix to a shell between double quotes, where these mean something. */
static const char *temporary_folder(void) {
    const char *tmp = getenv("TMPDIR");
    return tmp && *tmp && !strpbrk(tmp, "\"$`\\\n") ? tmp : "/tmp";
}

static int make_links(void) {
    char *self = ptxas_self();
    static const char *const links[] = {"ptxas", "ptxas-blackwell", "tma-ptxas"};
    int wrong = !self;
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        char *link = joined(made_folder, links[i]);
        wrong = wrong || symlink(self, link);
        free(link);
    }
    free(self);
    if (wrong) {
        cli_say("cannot make links in %s: %s", made_folder, strerror(errno));
    }
    return wrong;
}

static void set_path(const char *variable, const char *name) {
    char *path = joined(made_folder, name);
    setenv(variable, path, 1);
    free(path);
}

/* A ptxas that Triton was told to take stays the real one. */
static void set_real(void) {
    static const char *const variables[] = {"TMA_PTXAS", "TRITON_PTXAS_BLACKWELL_PATH",
                                            "TRITON_PTXAS_PATH"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = getenv(variables[i]);
        if (value && *value) {
            char *copy = strdup(value);
            setenv("TMA_PTXAS", copy ? copy : value, 1);
            free(copy);
            return;
        }
    }
}

static void set_nvcc(void) {
    const char *before = getenv("NVCC_PREPEND_FLAGS");
    char *flags = cli_printed("%s%s--ptxas-prefix=\"%s/tma-ptxas\"", before ? before : "",
                              before ? " " : "", made_folder);
    setenv("NVCC_PREPEND_FLAGS", flags, 1);
    free(flags);
}

const char *ptxas_in_place(const char *prefix) {
    made_folder = cli_printed("%s/%s-XXXXXX", temporary_folder(), prefix);
    if (!mkdtemp(made_folder)) {
        cli_say("cannot make a folder %s: %s", made_folder, strerror(errno));
        free(made_folder);
        made_folder = NULL;
        return NULL;
    }
    (void)atexit(ptxas_out_of_place);
    if (make_links()) {
        ptxas_out_of_place();
        return NULL;
    }
    set_real();
    set_path("TRITON_PTXAS_PATH", "ptxas");
    set_path("TRITON_PTXAS_BLACKWELL_PATH", "ptxas-blackwell");
    set_nvcc();
    return made_folder;
}

int ptxas_caches(const char *folder) {
    const char *root = folder ? folder : made_folder;
    if (folder && mkdir(folder, 0777) && errno != EEXIST) {
        cli_say("cannot make %s: %s", folder, strerror(errno));
        return -1;
    }
    char *absolute = realpath(root, NULL);
    if (!absolute) {
        cli_say("no folder %s: %s", root, strerror(errno));
        return -1;
    }
    for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
        char *path = joined(absolute, caches[i].folder);
        setenv(caches[i].variable, path, 1);
        free(path);
    }
    free(absolute);
    return 0;
}
