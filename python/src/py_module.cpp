/* SPDX-License-Identifier: Apache-2.0
 *
 * The extension module: what of libtma needs to be fast or close to memory. The package around it
 * is Python.
 */
#include "py_copy.h"
#include "py_descriptor.h"
#include "py_driver.h"
#include "py_emulate.h"
#include "py_finding.h"
#include "py_hang.h"
#include "py_mma.h"
#include "py_ptx.h"
#include "py_queries.h"
#include "py_spelt.h"
#include "py_words.h"

NB_MODULE(_core, m) {
    /* What a program's own globals hold when Python ends is never given back: no fault of theirs
     * or ours. The tests switch it on. */
    nanobind::set_leak_warnings(false);
    m.def("set_leak_warnings", nanobind::set_leak_warnings);
    libtma::bind_spelt(m);
    libtma::bind_words(m);
    libtma::bind_finding(m);
    nanobind::class_<libtma::Descriptor> descriptor = libtma::bind_descriptor(m);
    libtma::bind_copy(m, descriptor);
    libtma::bind_driver(m, descriptor);
    libtma::bind_queries(m);
    libtma::bind_ptx(m);
    libtma::bind_ptx_file(m);
    libtma::bind_hang(m);
    libtma::bind_mma(m);
    libtma::bind_emulate(m);
}
