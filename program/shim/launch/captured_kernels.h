/* SPDX-License-Identifier: Apache-2.0
 *
 * Which PTX the kernels of a program come from, for tma capture. Lists that only grow: whoever
 * reads them needs no lock, and a handle that the driver gives a second time is the newest one's.
 */
#ifndef SHIM_CAPTURED_KERNELS_H
#define SHIM_CAPTURED_KERNELS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A PTX text of a module or library, with a 0 behind it; or the mark that stands behind those of
 * one load: what an owner of the same handle had before is not its own. */
struct captured_text {
    struct captured_text *next;
    const void *owner;
    int is_mark;
    uint64_t hash;
    size_t text_B;
    char text[];
};

enum captured_use { CAPTURED_UNKNOWN, CAPTURED_WANTED, CAPTURED_UNWANTED };

/* A kernel or function by its handle. */
struct captured_kernel {
    struct captured_kernel *next;
    const void *handle;
    const struct captured_text *text; /* that has it; null: none is known */
    atomic_uint *launches;    /* of those that are captured: of the same kernel of the same text */
    atomic_uint own_launches; /* that is this, for the first handle */
    atomic_int use;           /* captured_use */
    char name[];
};

/* A module or library was loaded: from memory, or from a file. */
void captured_kernels_loaded(const void *image, const void *owner);
void captured_kernels_loaded_file(const char *path, const void *owner);

/* The driver gave a handle for a kernel of a module or library. */
void captured_kernels_found(const void *owner, const void *handle, const char *name);
/* A second handle of the same kernel. */
void captured_kernels_same(const void *handle, const void *other);
/* A kernel of that name, from whichever module has one: without its text if none has, or several
 * texts do. Null: there is no memory. */
struct captured_kernel *captured_kernels_named(const void *handle, const char *name);

/* By its handle, or null. */
struct captured_kernel *captured_kernels_at(const void *handle);

#endif
