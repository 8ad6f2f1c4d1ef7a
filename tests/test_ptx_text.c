/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements of PTX, right and wrong, and what is said of each; small files cut up, with what their
 * directives and instructions are made of.
 */
#include "support/testing.h"

#include "support/said.h"
#include "tma/ptx.h"
#include "tma/ptx_file.h"

static int read_statement(tma_out *out, const char *text, tma_error *error) {
    tma_ptx_statement s;
    if (tma_ptx_parse(&s, text, strlen(text), error)) {
        return -1;
    }
    if (s.kind == TMA_PTX_OTHER) {
        tma_put(out, "other");
        return 0;
    }
    tma_ptx_print(out, &s);
    return 0;
}

#define TO_CTA     "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
#define TO_CLUSTER "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
#define CONV       "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes "
#define BEHIND     "[s], [m, {0, 1}], [b]"
#define STORE      "cp.async.bulk.tensor.2d.global.shared::cta"
#define REPLACE    "tensormap.replace.tile."
#define PROXY      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic"
#define FENCE      "fence.proxy.tensormap::generic"

static void statements(void **state) {
    static const struct asked cases[] = {
        {TO_CTA BEHIND, "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
                        "[s], [m, {0, 1}], [b];"},
        {TO_CTA BEHIND ";",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {0, "
         "1}], [b];"},
        {TO_CTA BEHIND "; ",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {0, "
         "1}], [b];"},
        {TO_CTA BEHIND ";;", "column 95: ';' where the statement's end was expected"},
        {TO_CTA BEHIND " // c",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {0, "
         "1}], [b];"},
        {TO_CTA BEHIND " /* c",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {0, "
         "1}], [b];"},
        {TO_CTA BEHIND " /* c */ ;",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {0, "
         "1}], [b];"},
        {TO_CTA BEHIND " \\\n ;",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {0, "
         "1}], [b];"},
        {TO_CTA BEHIND " \\\r\n ;",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {0, "
         "1}], [b];"},
        {TO_CTA BEHIND " \\ ;", "column 95: '\\' where the statement's end was expected"},
        {"@p " TO_CTA BEHIND,
         "= @p cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, "
         "{0, 1}], [b];"},
        {"@ ! %p1 " TO_CTA BEHIND,
         "= @!%p1 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, "
         "{0, 1}], [b];"},
        {"@" TO_CTA, "column 4: '.async.bulk.tensor.2d.shared::cta.global' where an instruction on "
                     "tensors or tensor maps that PTX 9.5 has was expected"},
        {"@!", "column 3: the end where a predicate behind @ was expected"},
        {TO_CTA "[s+16], [m-8, {0, 1}], [b + 0x10]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s+16], [m+-8, "
         "{0, 1}], [b+16];"},
        {TO_CTA "[s+], [m, {0, 1}], [b]",
         "column 76: ']' where a number to add to the address was expected"},
        {TO_CTA "[s+x], [m, {0, 1}], [b]",
         "column 76: 'x]' where a number to add to the address was expected"},
        {TO_CTA "[16], [m, {0, 1}], [-1]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [0x10], [m, "
         "{0, 1}], [-1];"},
        {TO_CTA "[0x], [m, {0, 1}], [b]", "column 74: '0x]' where [dstMem] was expected"},
        {TO_CTA "[s, [m, {0, 1}], [b]", "column 74: 's' where [dstMem] was expected"},
        {TO_CTA "s, [m, {0, 1}], [b]", "column 73: 's' where [dstMem] was expected"},
        {TO_CTA "[s] [m, {0, 1}], [b]", "column 77: '[m' where , and the tensor map was expected"},
        {TO_CTA "[s], m, {0, 1}, [b]", "column 78: 'm' where [ of the tensor map was expected"},
        {TO_CTA "[s], [m {0, 1}], [b]",
         "column 79: 'm' where the tensor map and a comma was expected"},
        {TO_CTA "[s], [, {0, 1}], [b]",
         "column 79: ',' where the tensor map and a comma was expected"},
        {TO_CTA "[s], [m, {0 1}], [b]",
         "column 86: '}]' where 2 coordinates in braces for .2d was expected"},
        {TO_CTA "[s], [m, {0, }], [b]", "column 86: '}]' where a coordinate was expected"},
        {TO_CTA "[s], [m, {0, 1, 2}], [b]",
         "column 87: ',' where 2 coordinates in braces for .2d was expected"},
        {TO_CTA "[s], [m, {0}], [b]",
         "column 84: '}]' where 2 coordinates in braces for .2d was expected"},
        {TO_CTA "[s], [m, 0, 1], [b]",
         "column 82: '0' where 2 coordinates in braces for .2d was expected"},
        {TO_CTA "[s], [m, {0, 1}, [b]",
         "column 88: ',' where ] behind the coordinates was expected"},
        {TO_CTA "[s], [m, {0, 1}], b", "column 91: 'b' where [mbar] was expected"},
        {TO_CTA "[s], [m, {0, 1}]", "column 89: the end where , and the mbarrier was expected"},
        {TO_CTA "[s], [m, {(1 + 2) * 3, -%r1}], [b]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {(1 + "
         "2) * 3, -%r1}], [b];"},
        {TO_CTA "[s], [m, {(1, 2}], [b]", "column 83: '(1' where a coordinate was expected"},
        {TO_CTA "[s], [m, {1.5, 0f3F800000}], [b]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {1.5, "
         "0f3F800000}], [b];"},
        {TO_CTA "[s], [m, {0x7fffffff, 0b101}], [b]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, "
         "{2147483647, 5}], [b];"},
        {TO_CTA "[s], [m, {017, 08}], [b]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {15, "
         "08}], [b];"},
        {TO_CTA "[s], [m, {10U, 0b2}], [b]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {10, "
         "0b2}], [b];"},
        {TO_CTA "[s], [m, {18446744073709551615, 18446744073709551616}], [b]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {-1, "
         "18446744073709551616}], [b];"},
        {TO_CTA "[s], [m, {-1, - 1}], [b]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {-1, "
         "-1}], [b];"},
        {TO_CTA "[s], [m, {+1, x.y}], [b]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {1, "
         "x.y}], [b];"},
        {TO_CTA "[s], [m, {a\t+ b, 1 }], [b]", "column 83: 'a' where a coordinate was expected"},
        {TO_CTA "[s], [m, {a + b ~ 1, 1}], [b]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {a + "
         "b ~ 1, 1}], [b];"},
        {TO_CTA "[s], [m, {a \x7F b, 1}], [b]", "column 83: 'a' where a coordinate was expected"},
        {TO_CTA "[s], [m, {a \"b\", 1}], [b]", "column 83: 'a' where a coordinate was expected"},
        {TO_CTA "[s], [m, {a /* c */ + b, 1}], [b]",
         "column 83: 'a' where a coordinate was expected"},
        {TO_CTA "[s], [m, {a / b, 1}], [b]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {a / "
         "b, 1}], [b];"},
        {"cp.async.bulk.tensor", "column 21: the end where the rank, .1d to .5d, was expected"},
        {"cp.async.bulk.tensor.2d", "column 24: the end where .shared::cta.global, "
                                    ".shared::cluster.global or .global.shared::cta was expected"},
        {"cp.async.bulk.tensor.2d.global",
         "column 31: the end where .shared::cta.global, .shared::cluster.global or "
         ".global.shared::cta was expected"},
        {"cp.async.bulk.tensor.2d.global.global",
         "column 38: the end where .shared::cta.global, .shared::cluster.global or "
         ".global.shared::cta was expected"},
        {"cp.async.bulk.tensor.2d.shared::cta.shared::cta",
         "column 48: the end where .shared::cta.global, .shared::cluster.global or "
         ".global.shared::cta was expected"},
        {"cp.async.bulk.tensor.2d.shared::cta.global",
         "column 43: the end where a load's .mbarrier::complete_tx::bytes was expected"},
        {"cp.async.bulk.tensor.2d.shared::cta.global.bulk_group " BEHIND,
         "column 55: '[s]' where a load's .mbarrier::complete_tx::bytes was expected"},
        {"cp.async.bulk.tensor.2d.global.shared::cluster.bulk_group [m, {0, 1}], [s]",
         "column 59: '[m' where .shared::cta.global, .shared::cluster.global or "
         ".global.shared::cta was expected"},
        {"cp.async.bulk.tensor.2d.global.shared::cta.shared::cta.bulk_group [m, {0, 1}], [s]",
         "column 43: '.shared::cta.bulk_group' where a qualifier of another kind, for there is one "
         "already, was expected"},
        {"cp.async.bulk.tensor.2d.3d", "column 24: '.3d' where a qualifier of another kind, for "
                                       "there is one already, was expected"},
        {"cp.async.bulk.tensor.0d",
         "column 21: '.0d' where a qualifier that the instruction has was expected"},
        {"cp.async.bulk.tensor. 2d", "column 21: '.' where the rank, .1d to .5d, was expected"},
        {"cp.async.bulk.tensor .2d .shared::cta .global .mbarrier::complete_tx::bytes " BEHIND,
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {0, "
         "1}], [b];"},
        {"cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes[s], [m, {0, 1}], "
         "[b]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [m, {0, "
         "1}], [b];"},
        {"cp.async.bulk.tensorr.2d", "= other"},
        {"cp.async.bulk.tens", "= other"},
        {"cp.async.bulk", "= other"},
        {"cp.async.bulkx.tensor", "= other"},
        {"cp.async.bulk.other.tensor x",
         "column 1: 'cp.async.bulk.other.tensor' where an instruction on tensors or tensor maps "
         "that PTX 9.5 has was expected"},
        {TO_CLUSTER " " BEHIND,
         "= cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [m, "
         "{0, 1}], [b];"},
        {TO_CLUSTER ".multicast::cluster " BEHIND ", 0x3",
         "= "
         "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
         "cluster [s], [m, {0, 1}], [b], 0x3;"},
        {TO_CLUSTER ".multicast::cluster " BEHIND ", 65536",
         "= "
         "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
         "cluster [s], [m, {0, 1}], [b], 0x10000;"},
        {TO_CLUSTER ".multicast::cluster " BEHIND ", %h1",
         "= "
         "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
         "cluster [s], [m, {0, 1}], [b], %h1;"},
        {TO_CLUSTER ".multicast::cluster::16b " BEHIND ", -1",
         "= "
         "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
         "cluster::16b [s], [m, {0, 1}], [b], -1;"},
        {TO_CLUSTER ".multicast::cluster::32b " BEHIND ", 3",
         "= "
         "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
         "cluster::32b [s], [m, {0, 1}], [b], 0x3;"},
        {TO_CLUSTER ".multicast::cluster.multicast::cluster::16b " BEHIND ", 3",
         "column 95: '.multicast::cluster::16b' where a qualifier of another kind, for there is "
         "one already, was expected"},
        {TO_CLUSTER ".multicast::cluster " BEHIND,
         "column 117: the end where the ctaMask of .multicast::cluster was expected"},
        {TO_CLUSTER ".multicast::clusterx " BEHIND,
         "column 76: '.multicast::clusterx' where a qualifier that the instruction has was "
         "expected"},
        {TO_CLUSTER ".cta_group::1 " BEHIND,
         "= "
         "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::1 "
         "[s], [m, {0, 1}], [b];"},
        {TO_CLUSTER ".cta_group::2.L2::cache_hint " BEHIND ", %rd1",
         "= "
         "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2."
         "L2::cache_hint [s], [m, {0, 1}], [b], %rd1;"},
        {TO_CLUSTER ".cta_group::3 " BEHIND,
         "column 76: '.cta_group::3' where a qualifier that the instruction has was expected"},
        {TO_CLUSTER ".cta_group::1.cta_group::2 " BEHIND,
         "column 89: '.cta_group::2' where a qualifier of another kind, for there is one already, "
         "was expected"},
        {TO_CLUSTER ".L2::cache_hint " BEHIND,
         "column 113: the end where the cache policy of .L2::cache_hint was expected"},
        {TO_CLUSTER ".L2::cache_hint.L2::cache_hint " BEHIND,
         "column 91: '.L2::cache_hint' where a qualifier of another kind, for there is one "
         "already, was expected"},
        {TO_CLUSTER ".override::global_dim_stride " BEHIND,
         "column 105: '[s]' where .override::global_address beside the other .override was "
         "expected"},
        {TO_CLUSTER ".override::global_address [s], [m, {0, 1}], [b]",
         "column 111: '{0' where gAddrToOverride of .override::global_address was expected"},
        {"cp.async.bulk.tensor.2d.shared::cta.global.multicast::cluster.mbarrier::complete_tx::"
         "bytes " BEHIND ", 1",
         "column 92: '[s]' where a .shared::cluster destination of .multicast::cluster was "
         "expected"},
        {"cp.async.bulk.tensor.2d.tile::gather4.shared::cta.global.mbarrier::complete_tx::bytes "
         "[s], [m, {0, 1, 2, 3, 4}], [b]",
         "= cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
         "[s], [m, {0, 1, 2, 3, 4}], [b];"},
        {"cp.async.bulk.tensor.2d.tile::gather4.shared::cta.global.mbarrier::complete_tx::bytes "
         "[s], [m, {0, 1}], [b]",
         "column 101: '}]' where {column, row, row, row, row} for this mode was expected"},
        {"cp.async.bulk.tensor.3d.tile::gather4.shared::cta.global.mbarrier::complete_tx::bytes "
         "[s], [m, {0, 1, 2, 3, 4}], [b]",
         "column 24: '.tile::gather4.shared::cta.global.mbarri' where a mode that takes this rank "
         "(.tile::gather4 and .tile::scatter4 take .2d) was expected"},
        {"cp.async.bulk.tensor.2d.im2col.shared::cta.global.mbarrier::complete_tx::bytes " BEHIND,
         "column 24: '.im2col.shared::cta.global.mbarrier::com' where a mode that takes this rank "
         "(im2col modes take .3d, .4d and .5d) was expected"},
        {"cp.async.bulk.tensor.2d.tile::scatter4.shared::cta.global.mbarrier::complete_tx::"
         "bytes " BEHIND,
         "column 24: '.tile::scatter4.shared::cta.global.mbarr' where a mode of loads (.tile, "
         ".tile::gather4, .im2col, .im2col::w, .im2col::w::128) was expected"},
        {CONV "[s], [m, {0, 1, 2, 3}], [b], {4, 5}",
         "= cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [s], "
         "[m, {0, 1, 2, 3}], [b], {4, 5};"},
        {CONV "[s], [m, {0, 1, 2, 3}], [b], {4}",
         "column 111: '}' where 2 im2col offsets in braces for .4d was expected"},
        {CONV "[s], [m, {0, 1, 2, 3}], [b]",
         "column 107: the end where , and the im2col offsets was expected"},
        {CONV "[s], [m, {0, 1, 2, 3}], [b], {4, 5, 6}",
         "column 114: ',' where 2 im2col offsets in braces for .4d was expected"},
        {"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [s], [m, "
         "{0, 1, 2}], [b], 4",
         "column 106: '4' where one im2col offset in braces for .3d was expected"},
        {"cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [s], [m, "
         "{0, 1, 2, 3, 4}], [b], {4}",
         "column 114: '}' where 3 im2col offsets in braces for .5d was expected"},
        {"cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [s], "
         "[m, {0, 1, 2, 3}], [b], {4}",
         "column 114: '}' where {wHalo, wOffset} was expected"},
        {"cp.async.bulk.tensor.4d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes "
         "[s], [m, {0, 1, 2, 3}], [b], {4, 5}",
         "= cp.async.bulk.tensor.4d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes "
         "[s], [m, {0, 1, 2, 3}], [b], {4, 5};"},
        {STORE ".bulk_group [m, {0, 1}], [s]",
         "= cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [m, {0, 1}], [s];"},
        {STORE ".bulk_group [m, {0, 1}]", "column 66: the end where , and [srcMem] was expected"},
        {STORE ".bulk_group.cta_group::1 [m, {0, 1}], [s]",
         "column 68: '[m' where a load, for .multicast::cluster, .cta_group and .mbarrier::report "
         "are theirs, was "
         "expected"},
        {STORE ".bulk_group.multicast::cluster [m, {0, 1}], [s], 3",
         "column 74: '[m' where a load, for .multicast::cluster, .cta_group and .mbarrier::report "
         "are theirs, was "
         "expected"},
        {STORE ".mbarrier::complete_tx::bytes [m, {0, 1}], [s]",
         "column 73: '[m' where a store's .bulk_group was expected"},
        {STORE ".tile::scatter4.bulk_group [m, {0, 1, 2, 3, 4}], [s]",
         "= cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [m, {0, 1, 2, 3, "
         "4}], [s];"},
        {STORE ".tile::gather4.bulk_group [m, {0, 1, 2, 3, 4}], [s]",
         "column 43: '.tile::gather4.bulk_group' where a mode of stores (.tile, .tile::scatter4, "
         ".im2col_no_offs) was expected"},
        {"cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [m, {0, 1, 2}], [s]",
         "= cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [m, {0, 1, 2}], "
         "[s];"},
        {"cp.async.bulk.tensor.3d.global.shared::cta.im2col.bulk_group [m, {0, 1, 2}], [s]",
         "column 43: '.im2col.bulk_group' where a mode of stores (.tile, .tile::scatter4, "
         ".im2col_no_offs) was expected"},
        {"cp.async.bulk.tensor.3d.shared::cta.global.im2col_no_offs.mbarrier::complete_tx::bytes "
         "[s], [m, {0, 1, 2}], [b], {1}",
         "column 43: '.im2col_no_offs.mbarrier::complete_tx::b' where a mode of loads (.tile, "
         ".tile::gather4, .im2col, .im2col::w, .im2col::w::128) was expected"},
        {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [m, {0, 1}], [s]",
         "= cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [m, {0, 1}], [s];"},
        {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group.L2::cache_hint [m, {0, "
         "1}], [s], p",
         "= cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group.L2::cache_hint [m, "
         "{0, 1}], [s], p;"},
        {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.bulk_group [m, {0, 1}], [s]",
         "column 62: '[m' where the reduction, .add to .xor, was expected"},
        {"cp.reduce.async.bulk.tensor.2d.shared::cta.global.add.bulk_group [m, {0, 1}], [s]",
         "column 66: '[m' where .global.shared::cta was expected"},
        {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.min.bulk_group [m, {0, 1}], [s]",
         "column 54: '.min.bulk_group' where a qualifier of another kind, for there is one "
         "already, was expected"},
        {"cp.async.bulk.prefetch.tensor.2d.L2.global [m, {0, 1}]",
         "= cp.async.bulk.prefetch.tensor.2d.L2.global [m, {0, 1}];"},
        {"cp.async.bulk.prefetch.tensor.2d.L2.global.L2::evict_last [m, {0, 1}]",
         "= cp.async.bulk.prefetch.tensor.2d.L2.global.L2::evict_last [m, {0, 1}];"},
        {"cp.async.bulk.prefetch.tensor.2d.L2 [m, {0, 1}]",
         "column 37: '[m' where .global was expected"},
        {"cp.async.bulk.prefetch.tensor.2d.global [m, {0, 1}]",
         "column 41: '[m' where .L2 was expected"},
        {"cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [m, {0, 1, 2, 3}], {4, 5}",
         "= cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [m, {0, 1, 2, 3}], {4, 5};"},
        {REPLACE "global_address.global.b1024.b64 [%rd1], %rd2",
         "= tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;"},
        {REPLACE "global_address.global.b1024.b32 [%rd1], %rd2",
         "column 56: '[%rd1]' where .b64 for this field was expected"},
        {REPLACE "rank.shared::cta.b1024.b32 [%rd1], 2",
         "= tensormap.replace.tile.rank.shared::cta.b1024.b32 [%rd1], 2;"},
        {REPLACE "rank.shared::cta.b1024.b32 [%rd1], %r2",
         "= tensormap.replace.tile.rank.shared::cta.b1024.b32 [%rd1], %r2;"},
        {REPLACE "box_dim.b1024.b32 [%rd1], 0, %r1",
         "= tensormap.replace.tile.box_dim.b1024.b32 [%rd1], 0, %r1;"},
        {REPLACE "box_dim.b1024.b32 [%rd1], 4, %r1",
         "= tensormap.replace.tile.box_dim.b1024.b32 [%rd1], 4, %r1;"},
        {REPLACE "box_dim.b1024.b32 [%rd1], 5, %r1",
         "column 50: '5' where an ordinal that the field has, 0 to 4, was expected"},
        {REPLACE "box_dim.b1024.b32 [%rd1], -1, %r1",
         "column 50: '-1' where an ordinal that the field has, 0 to 4, was expected"},
        {REPLACE "box_dim.b1024.b32 [%rd1], %r0, %r1",
         "column 50: '%r0' where an ordinal that the field has, 0 to 4, was expected"},
        {REPLACE "box_dim.b1024.b32 [%rd1], (1 + 1), %r1",
         "= tensormap.replace.tile.box_dim.b1024.b32 [%rd1], (1 + 1), %r1;"},
        {REPLACE "box_dim.b1024.b32 [%rd1], %r1",
         "column 50: '%r1' where an ordinal that the field has, 0 to 4, was expected"},
        {REPLACE "box_dim.b1024.b32 [%rd1], 1",
         "column 51: the end where the new value was expected"},
        {REPLACE "global_stride.b1024.b64 [%rd1], 4, %rd1",
         "= tensormap.replace.tile.global_stride.b1024.b64 [%rd1], 4, %rd1;"},
        {REPLACE "global_stride.b1024.b32 [%rd1], 1, %rd1",
         "column 48: '[%rd1]' where .b64 for this field was expected"},
        {REPLACE "element_stride.b1024.b32 [%rd1+64], 1, 8",
         "= tensormap.replace.tile.element_stride.b1024.b32 [%rd1+64], 1, 8;"},
        {REPLACE "elemtype.b1024.b32 [%rd1], 15",
         "= tensormap.replace.tile.elemtype.b1024.b32 [%rd1], 15;"},
        {REPLACE "elemtype.b1024.b32 [%rd1], 16",
         "column 51: '16' where an immediate that the field takes was expected"},
        {REPLACE "elemtype.b1024.b32 [%rd1], -1",
         "column 51: '-1' where an immediate that the field takes was expected"},
        {REPLACE "elemtype.b1024.b32 [%rd1], %r1",
         "column 51: '%r1' where an immediate that the field takes was expected"},
        {REPLACE "elemtype.b1024.b32 [%rd1], 1 + 1",
         "= tensormap.replace.tile.elemtype.b1024.b32 [%rd1], 1 + 1;"},
        {REPLACE "swizzle_mode.b1024.b32 [%rd1], 4",
         "= tensormap.replace.tile.swizzle_mode.b1024.b32 [%rd1], 4;"},
        {REPLACE "swizzle_mode.b1024.b32 [%rd1], 5",
         "column 55: '5' where an immediate that the field takes was expected"},
        {REPLACE "fill_mode.b1024.b32 [%rd1], 1",
         "= tensormap.replace.tile.fill_mode.b1024.b32 [%rd1], 1;"},
        {REPLACE "fill_mode.b32 [%rd1], 1", "column 38: '[%rd1]' where .b1024 was expected"},
        {REPLACE "fill_mode.b1024 [%rd1], 1",
         "column 40: '[%rd1]' where .b32 or .b64 was expected"},
        {REPLACE "b1024.b32 [%rd1], 1",
         "column 34: '[%rd1]' where a field of the tensor map was expected"},
        {"tensormap.replace.fill_mode.b1024.b32 [%rd1], 1",
         "column 39: '[%rd1]' where .tile was expected"},
        {REPLACE "fill_mode.rank.b1024.b32 [%rd1], 1",
         "column 33: '.rank.b1024.b32' where a qualifier of another kind, for there is one "
         "already, was expected"},
        {REPLACE "fill_mode.b1024.b32 %rd1, 1",
         "column 44: '%rd1' where [address of the tensor map] was expected"},
        {PROXY ".release.gpu.sync.aligned [g], [s], 128",
         "= tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
         "[g], [s], 128;"},
        {PROXY ".release.sys.sync.aligned [g], [s], 64 * 2",
         "= tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.sys.sync.aligned "
         "[g], [s], 64 * 2;"},
        {PROXY ".release.gpu.sync.aligned [g], [s], 64",
         "column 98: '64' where the tensor map's size, 128, was expected"},
        {PROXY ".release.gpu.sync.aligned [g], [s], n",
         "column 98: 'n' where the tensor map's size, 128, was expected"},
        {PROXY ".release.gpu.sync.aligned [g], [s]",
         "column 96: the end where the tensor map's size, 128 was expected"},
        {PROXY ".release.gpu.aligned [g], [s], 128", "column 83: '[g]' where .sync was expected"},
        {PROXY ".gpu.sync.aligned [g], [s], 128", "column 80: '[g]' where .release was expected"},
        {PROXY ".release.sync.aligned [g], [s], 128",
         "column 84: '[g]' where a scope, .cta to .sys, was expected"},
        {"tensormap.cp_fenceproxy.global.shared::cta.release.gpu.sync.aligned [g], [s], 128",
         "column 69: '[g]' where .tensormap::generic was expected"},
        {"tensormap.cp_fenceproxy.shared::cta.global.tensormap::generic.release.gpu.sync.aligned "
         "[g], [s], 128",
         "column 88: '[g]' where .global.shared::cta was expected"},
        {FENCE ".acquire.gpu [g], 128", "= fence.proxy.tensormap::generic.acquire.gpu [g], 128;"},
        {FENCE ".acquire.cluster [g+8], 128",
         "= fence.proxy.tensormap::generic.acquire.cluster [g+8], 128;"},
        {FENCE ".acquire.gpu [g], 127",
         "column 49: '127' where the tensor map's size, 128, was expected"},
        {FENCE ".acquire.gpu [g]",
         "column 47: the end where the tensor map's size, 128 was expected"},
        {FENCE ".acquire [g], 128", "column 40: '[g]' where a scope, .cta to .sys, was expected"},
        {FENCE ".gpu [g], 128", "column 36: '[g]' where .acquire or .release was expected"},
        {FENCE ".release.cta", "= fence.proxy.tensormap::generic.release.cta;"},
        {FENCE ".release.sys;", "= fence.proxy.tensormap::generic.release.sys;"},
        {FENCE ".release.sys [g], 128", "column 44: '[g]' where the statement's end was expected"},
        {FENCE ".acquire.release.gpu [g], 128",
         "column 39: '.release.gpu' where a qualifier of another kind, for there is one already, "
         "was expected"},
        {"fence.proxy.release.tensormap::generic.gpu",
         "= fence.proxy.tensormap::generic.release.gpu;"},
        {"fence.proxy.async", "= other"},
        {"fence.proxy.tensormap", "column 1: 'fence.proxy.tensormap' where an instruction on "
                                  "tensors or tensor maps that PTX 9.5 has was expected"},
        {"tensormap.query.alloc_class_large.global.b1024 p, [m]",
         "= tensormap.query.alloc_class_large.global.b1024 p, [m];"},
        {"tensormap.query.alloc_class_large.b1024 %p1, [m]",
         "= tensormap.query.alloc_class_large.b1024 %p1, [m];"},
        {"tensormap.query.alloc_class_large p, [m]", "column 35: 'p' where .b1024 was expected"},
        {"tensormap.query.alloc_class_large.b1024 [m], p",
         "column 41: '[m]' where a predicate was expected"},
        {"tensormap.query", "column 1: 'tensormap.query' where an instruction on tensors or tensor "
                            "maps that PTX 9.5 has was expected"},
        {"prefetch.tensormap [m]", "= prefetch.tensormap [m];"},
        {"prefetch.param.tensormap [m+64]", "= prefetch.param.tensormap [m+64];"},
        {"prefetch.const.tensormap [m]", "= prefetch.const.tensormap [m];"},
        {"prefetch.global.tensormap [m]",
         "column 9: '.global.tensormap' where a qualifier that the instruction has was expected"},
        {"prefetch.tensormap m", "column 20: 'm' where [address of the tensor map] was expected"},
        {"prefetch.global.L2 [m]", "= other"},
        {"applypriority.async.bulk.tensor.2d.L2::evict_normal.bulk_group [m, {0, 1}]",
         "= applypriority.async.bulk.tensor.2d.bulk_group.L2::evict_normal [m, {0, 1}];"},
        {"applypriority.async.bulk.tensor.2d.L2::evict_normal [m, {0, 1}]",
         "column 53: '[m' where .bulk_group was expected"},
        {"fabric.try_put.async.tensor.2d anything ~ at all",
         "= fabric.try_put.async.tensor.2d anything ~ at all;"},
        {"fabric.try_put.async.tensor.2d \x01",
         "column 32: '?' where an operand on one line was expected"},
        {"fabric.try_put.async.tensor.2d a; b",
         "column 35: 'b' where the statement's end was expected"},
        {"applypriority.async.bulk [a], 128", "= other"},
        {"mov.b32 %r1, tensormap", "= other"},
        {"tensormap", "column 1: 'tensormap' where an instruction on tensors or tensor maps that "
                      "PTX 9.5 has was expected"},
        {"tensormap.other", "column 1: 'tensormap.other' where an instruction on tensors or tensor "
                            "maps that PTX 9.5 has was expected"},
        {"x.tensormap", "column 1: 'x.tensormap' where an instruction on tensors or tensor maps "
                        "that PTX 9.5 has was expected"},
        {"x.bulk.y", "= other"},
        {"x.tensor.bulk", "column 1: 'x.tensor.bulk' where an instruction on tensors or tensor "
                          "maps that PTX 9.5 has was expected"},
        {"x.bulk.tensor", "column 1: 'x.bulk.tensor' where an instruction on tensors or tensor "
                          "maps that PTX 9.5 has was expected"},
        {"", "= other"},
        {" ", "= other"},
        {"@p", "= other"},
    };
    (void)state;
    expect_said(read_statement, cases, COUNT_OF(cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
