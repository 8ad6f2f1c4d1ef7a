/* SPDX-License-Identifier: Apache-2.0
 *
 * libc's own dlsym and dlopen, behind those of this library.
 */
#ifndef SHIM_LIBC_LOOKUPS_H
#define SHIM_LIBC_LOOKUPS_H

typedef void *shim_dlsym_call(void *handle, const char *name);
typedef void *shim_dlopen_call(const char *file, int flags);

shim_dlsym_call *libc_dlsym(void);
shim_dlopen_call *libc_dlopen(void);

#endif
