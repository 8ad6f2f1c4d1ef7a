/* SPDX-License-Identifier: Apache-2.0
 *
 * C++ names as their source has them, from the Itanium ABI's mangling, which nvcc, NVRTC and clang
 * use.
 */
#ifndef PTX_PTX_DEMANGLE_H
#define PTX_PTX_DEMANGLE_H

#include "tma/ptx_file.h"

#define PTX_MOST_DEMANGLED 4096 /* characters */

/* "_Z4gemmILi128EEvPf" is "void gemm<128>(float*)", as c++filt writes it. A name that is not
 * mangled, that is too long, or that has a form which is not read here (an expression, a table of
 * the compiler's) comes out as it is; then the answer is 0. */
int ptx_demangle(tma_out *out, tma_ptx_span name);

/* Whether an entry of a PTX file has a user's name: as the file spells it, demangled, or "ns::name"
 * in a mangled one. */
int ptx_is_named(tma_ptx_span entry, const char *name);

/* A function's name, as users should see it: demangled unless `raw`, and printable. */
void ptx_put_name(tma_out *out, tma_ptx_span name, int raw);

#endif
