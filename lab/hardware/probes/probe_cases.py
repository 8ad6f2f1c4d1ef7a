#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the probes: one line a case, named id=qNN-..., NN the question of docs/open-questions.md.

    probe_cases.py [NAME...]    all lines, or those whose id begins with one of the names
"""
import itertools
import struct
import sys

from probe_lines import COPY, LAST, LINES, PIXELS, SIZE, TILE, TYPES, dtype, hw, line, patch, pixels


def q02_nan_fill_on_integers():
    for t in TYPES[:6]:
        n = 64 // SIZE[t]
        hw(f"q02-nan-fill-{t}", dtype=dtype(t), dim=[n // 2, 5], stride=[64], box=[n, 8],
           win=1024, patch=patch((2, 0x8000, 0x8000)))
    one = dict(dtype=dtype("u32"), dim=[16, 8], stride=[64], box=[16, 8], win=1024,
               patch=patch((2, 0x8000, 0x8000)))
    for op in ("load", "store", "add", "prefetch"):
        hw(f"q02-nan-fill-inside-{op}", op=op, **one)


def q03_tf32():
    one = dict(TILE, dim=[256, 1 << 18], stride=[1024], box=[256, 32], addr=0)
    for t in ("tf32", "tf32_ftz"):
        line("tf32", f"q03-tf32-all-{t}", dict(one, dtype=dtype(t)))
        for fill, seed in (("special", 1), ("special", 3), ("rand", 5), ("rand", 6)):
            hw(f"q03-tf32-{t}-{fill}{seed}", dtype=dtype(t), addr=0, dim=[256, 128],
               stride=[1024], box=[256, 128], win=131072, gwin=131072, fill=fill, seed=seed,
               raw=None)


def q06_tf32_flag():
    for t in TYPES[:7] + ["f64", "bf16"]:
        n = 64 // SIZE[t]
        one = dict(dtype=dtype(t), dim=[n, 32], stride=[64], box=[n, 16], win=1024, fill="rand",
                   patch=patch((2, 0x10000, 0x10000)))
        hw(f"q06-tf32-flag-load-{t}", **one)
        if t in ("u32", "f16", "f64"):
            hw(f"q06-tf32-flag-store-{t}", op="store", **one)
            hw(f"q06-tf32-flag-add-{t}", op="add", **one)
    hw("q06-tf32-flag-prefetch-u32", dtype=dtype("u32"), op="prefetch", dim=[16, 32], stride=[64],
       box=[16, 16], patch=patch((2, 0x10000, 0x10000)))
    hw("q06-tf32-flag-fill-f16", dtype=dtype("f16"), oob=1, dim=[20, 5], stride=[128], box=[32, 8],
       patch=patch((2, 0x10000, 0x10000)))


def q07_add_f64():
    values = [0, 1 << 63, 1, 1 << 63 | 1, (1 << 52) - 1, 1 << 63 | (1 << 52) - 1, 1 << 52,
              0x3FF0000000000000, 0xBFF0000000000001, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF,
              0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000001234,
              0x7FF0000000000001, 0xFFF4000000000000, 0x7FFFFFFFFFFFFFFF]
    pairs = list(itertools.product(values, values))  # 324, in rows of 18
    left = b"".join(struct.pack("<Q", a) for a, b in pairs)
    right = b"".join(struct.pack("<Q", b) for a, b in pairs)
    hw("q07-add-f64-pairs", dtype=dtype("f64"), op="add", addr=0, dim=[18, 18], stride=[144],
       box=[18, 18], win=len(left), gwin=len(left), g=left.hex(), s=right.hex())


def legal_reductions():
    for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
        for t in TYPES:
            if op == "add":
                ok = t not in ("u8", "u16", "s64")
            elif op in ("min", "max"):
                ok = t in ("u32", "s32", "u64", "s64", "f16", "bf16")
            else:
                ok = t in (("u32",) if op in ("inc", "dec") else ("u32", "s32", "u64"))
            if ok:
                yield op, t


def q08_reductions():
    """Every legal pair on random and on special values; 16-bit floats on all a against a + k."""
    for op, t in legal_reductions():
        n = 256 // SIZE[t]
        for fill, seed in (("rand", 11), ("special", 21), ("special", 22), ("special", 23),
                           ("special", 24)):
            hw(f"q08-{op}-{t}-{fill}{seed}", dtype=dtype(t), op=op, addr=0, dim=[n, 128],
               stride=[256], box=[n, 128], win=32768, gwin=32768, fill=fill, seed=seed, raw=None)
        if t in ("f16", "bf16"):
            for shift in (0, 128, 1024, 16384, 32768, 65408, 65536, 65664):
                hw(f"q08-{op}-{t}-all-plus-{shift // 2}", dtype=dtype(t), op=op, addr=0,
                   dim=[256, 256], stride=[512], box=[256, 256], smem=shift,
                   win=131072 + shift, gwin=131072, raw=None)


def q11_overlap():
    for op, t in itertools.product(("store", "add"), ("u32", "f16")):
        n = 64 // SIZE[t]
        for name, stride, rows in (("same", 0, 8), ("same", 0, 200), ("quarter", 16, 8),
                                   ("half", 32, 200)):
            hw(f"q11-overlap-{op}-{t}-{name}-{rows}", dtype=dtype(t), op=op, dim=[n, 256],
               stride=[stride], box=[n, rows], win=64 * rows, gwin=16384, fill="rand", raw=None,
               times=20)
    hw("q11-overlap-store-wide", dtype=0, op="store", dim=[256, 256], stride=[0], box=[256, 200],
       win=51200, gwin=8192, fill="rand", raw=None, times=20)
    hw("q11-overlap-store-tiny", dtype=0, op="store", dim=[16, 256], stride=[0], box=[16, 256],
       win=4096, gwin=8192, fill="rand", raw=None, times=20)
    hw("q11-overlap-load", dim=[64, 256], stride=[0], box=[64, 8])


def q13_chunks():
    for sw, box, until, step in ((0, [64, 64], 8192, 16), (3, [64, 64], 8192, 16),
                                 (0, [256, 64], 32768, 128), (0, [8, 64], 1024, 16)):
        hw(f"q13-chunks-sw{sw}-row{2 * box[0]}", dim=[box[0], 64], stride=[2 * box[0]], box=box,
           sw=sw, win=until, gwin=65536, raw=None, scan=step, until=until)
    hw("q13-barrier-word", dim=[64, 64], box=[64, 64], win=8192, gwin=16384, raw=None, bars=1)


def q14_multicast():
    for n, mask in ((2, 3), (2, 1), (2, 2), (4, 0xF), (4, 0xA), (4, 8)):
        hw(f"q14-multicast-{n}-{mask:x}", cluster=n, mask=mask, win=1024)
    two = dict(cluster=2, mask=3)
    hw("q14-multicast-oob", coord=[40, 28], **two)
    hw("q14-multicast-oob-nan", coord=[40, -3], oob=1, **two)
    hw("q14-multicast-all-outside", coord=[64, 0], **two)
    hw("q28-multicast-swizzle", sw=3, smem=128, box=[64, 8], coord=[0, 5], **two)
    hw("q28-multicast-swizzle-narrow", sw=2, smem=384, box=[16, 8], coord=[48, 30], cluster=4,
       mask=6)
    hw("q14-multicast-tf32", dtype=dtype("tf32"), dim=[32, 32], box=[32, 8], fill="rand", **two)
    hw("q14-multicast-slices", rank=3, dim=[9, 3, 4], stride=[144, 432], box=[8, 1, 2],
       es=[1] * 3, il=1, coord=[6, 1, 1], **two)
    pixels("q14-multicast-im2col", coord=[0, 7, 0, 0], off=[1, 1], **two)
    hw("q14-remote-both", cluster=2, dst_cta=1, bar_cta=1, win=1024)
    hw("q14-remote-own", cluster=2, dst_cta=0, bar_cta=0, win=1024)
    hw("q14-space-cta", space="cta", win=1024)
    hw("q14-multicast-in-cluster-of-1", cluster=1, mask=1, win=1024)


def q15_flood():
    for loads, rows in ((15, 256), (17, 240), (16, 256)):  # up to 2^20 bytes
        line("flood", f"q15-flood-{loads}x{rows}",
             dict(TILE, dtype=0, dim=[256, 256], stride=[256], box=[256, rows], addr=0,
                  loads=loads, bytes=256 * rows, win=65536))


def q16_steps_and_sizes():
    for es in ([1, 3], [1, 8], [5, 2]):
        for y in (0, -1, -2, -9, 27, 31):
            hw(f"q16-step-{es[1]}-from-{y}", es=es, box=[64, 16], coord=[0, y])
    hw("q16-step-above-box", es=[1, 8], box=[64, 3])
    hw("q16-step-above-dim", es=[1, 8], dim=[64, 3], box=[64, 16])
    hw("q17-dim-1", dim=[1, 1], box=[64, 8])
    hw("q17-dim-1-store", dim=[1, 1], box=[64, 8], op="store")
    hw("q17-box-above-dim", dim=[5, 3], box=[64, 8], oob=1)
    hw("q17-rank-1", rank=1, dim=[40], stride=[], box=[64], es=[1], coord=[8])


def q18_extremes():
    """Rows all in the same memory, so that sizes up to 2^32 have some."""
    rows = dict(stride=[0], box=[64, 8])
    for dim in (2**31 - 3, 2**31):
        for y in (LAST, LAST - 3, -1, -4, -2**31, -2**31 + 4):
            hw(f"q18-rows-{dim:x}-from-{y}", dim=[64, dim], coord=[0, y], **rows)
    hw("q18-rows-es8", dim=[64, 2**31], stride=[0], box=[64, 64], es=[1, 8], coord=[0, LAST - 24])
    hw("q18-rows-es8-negative", dim=[64, 2**31], stride=[0], box=[64, 64], es=[1, 8],
       coord=[0, -24])
    hw("q18-planes", rank=3, dim=[64, 2, 2**31], stride=[128, 0], box=[64, 2, 4], es=[1] * 3,
       coord=[0, 0, LAST - 1])
    hw("q18-store", op="store", dim=[64, 2**31], coord=[0, LAST - 3], **rows)
    hw("q18-add", op="add", dtype=2, dim=[32, 2**31], stride=[0], box=[32, 8],
       coord=[0, LAST - 3])
    for es in (1, 3):
        pixels(f"q18-images-es{es}", dim=[16, 2, 2, 2**31], stride=[32, 64, 0], ppc=16,
               es=[1, 1, 1, es], coord=[0, 0, 0, LAST - 1])
    big = dict(dtype=0, addr=0, box=[256, 2], stride=[0], gwin=2**31 + 4096)
    hw("q18-columns", dim=[2**31, 2], coord=[2**31 - 128, 0], **big)
    hw("q18-columns-negative", dtype=0, dim=[2**31, 2], box=[256, 2], coord=[-128, 0])
    hw("q18-columns-most-negative", dtype=0, dim=[2**31, 2], box=[256, 2], coord=[-2**31, 0])
    hw("q18-extent-beyond-64-bits", dim=[64, 2**31], stride=[2**40 - 16], box=[64, 1], win=256)


def q17_sizes_above_2_31():
    """Sizes that drivers encode; each kills its kernel."""
    rows = dict(stride=[0], box=[64, 8])
    for dim in (2**31 + 1, 2**32):
        for y in (0, LAST, -1):
            hw(f"q17-rows-{dim:x}-from-{y}", dim=[64, dim], coord=[0, y], **rows)
    hw("q17-columns", dim=[2**31 + 1, 32], coord=[0, 0])
    hw("q17-rank-1-2^32", rank=1, dim=[2**32], stride=[], box=[64], es=[1], coord=[8])
    hw("q17-planes", rank=3, dim=[64, 2, 2**32], stride=[128, 0], box=[64, 2, 4], es=[1] * 3,
       coord=[0, 0, 0])
    hw("q17-store", op="store", dim=[64, 2**32], **rows)
    hw("q17-add", op="add", dtype=2, dim=[32, 2**32], stride=[0], box=[32, 8])
    hw("q17-prefetch", op="prefetch", dim=[64, 2**32], **rows)
    hw("q17-slices", rank=3, dim=[9, 2**32, 4], stride=[144, 0], box=[8, 1, 2], es=[1] * 3, il=1,
       coord=[0, 0, 0])
    hw("q17-beyond-rank", patch=patch(*((w, 0xFFFFFFFF, 0xFFFFFFFF) for w in (10, 11, 12))))
    pixels("q17-images", dim=[16, 2, 2, 2**32], stride=[32, 64, 0], ppc=16)
    pixels("q17-channels", dim=[2**32, 2, 2, 2], stride=[32, 64, 128], ppc=16)


def q19_strides():
    hw("q19-stride-0", stride=[0])
    hw("q19-stride-below-row", stride=[16], coord=[0, 3])
    hw("q19-decreasing", rank=3, dim=[32, 4, 4], stride=[512, 64], es=[1] * 3, box=[32, 4, 4],
       coord=[0, 1, -1])


def q22_edge_of_memory():
    end = dict(tail=1, gwin=4096)
    hw("q22-tensor-ends-with-memory", addr=0, dim=[64, 32], box=[64, 8], coord=[0, 28], **end)
    hw("q22-tensor-ends-bit-21", addr=0, coord=[0, 28], patch=patch((2, 1 << 21, 1 << 21)), **end)
    hw("q22-tensor-small-bit-21", addr=4096 - 128, dim=[64, 1], coord=[0, 0],
       patch=patch((2, 1 << 21, 1 << 21)), **end)
    hw("q22-promotion-256B", addr=4096 - 128, dim=[64, 1], l2=3, **end)
    hw("q22-odd-row-load", addr=4096 - 16, dim=[5, 1], box=[8, 1], **end)
    hw("q22-odd-row-store", addr=4096 - 16, dim=[5, 1], box=[8, 1], op="store", **end)
    hw("q22-all-outside", addr=4096 - 128, dim=[64, 1], coord=[0, 1], **end)


def q27_wide_rows():
    """Rows wider than the swizzle's span, which no driver encodes: byte 0x37 is boxDim[0] - 1."""
    for sw, n in ((1, 24), (1, 128), (2, 64), (3, 72), (3, 256)):
        one = dict(sw=sw, dim=[256, 32], stride=[512], box=[16, 4], gwin=32768, win=4096,
                   patch=patch((13, 0xFF000000, (n - 1) << 24)))
        hw(f"q27-wide-row-sw{sw}-{2 * n}B", **one)
        if n in (64, 128):
            hw(f"q27-wide-row-store-sw{sw}-{2 * n}B", op="store", **one)
            hw(f"q27-wide-row-prefetch-sw{sw}-{2 * n}B", op="prefetch", **one)
    pixels("q27-wide-row-im2col", sw=1, patch=patch((13, 0xFF000000, 23 << 24)))


def q31_odd_rows():
    """Rows that are no multiple of 16 bytes, likewise."""
    for sw, t, n in ((0, "bf16", 1), (0, "bf16", 9), (0, "u8", 17), (0, "f32", 5), (0, "f64", 1),
                     (3, "bf16", 9)):
        one = dict(dtype=dtype(t), sw=sw, dim=[128 // SIZE[t], 32], box=[16 // SIZE[t], 4],
                   win=1024, patch=patch((13, 0xFF000000, (n - 1) << 24)))
        hw(f"q31-odd-row-sw{sw}-{t}-{n}", **one)
        if n == 17:
            hw(f"q31-odd-row-store-sw{sw}-{t}-{n}", op="store", **one)
            hw(f"q31-odd-row-prefetch-sw{sw}-{t}-{n}", op="prefetch", **one)
    for op in ("load", "store"):
        pixels(f"q31-odd-row-im2col-{op}", op=op, patch=patch((13, 0xFF000000, 8 << 24)))
    pixels("q31-odd-row-im2col-slices", il=1, dim=[9, 7, 2, 4], stride=[144, 1008, 2016], cpp=16,
           patch=patch((13, 0xFF000000, 8 << 24)))
    for il in (1, 2):
        hw(f"q31-odd-row-slices-{il}", rank=3, dim=[13, 3, 4], stride=[13 * 32, 39 * 32], il=il,
           box=[8, 1, 2], es=[1] * 3, coord=[0] * 3, patch=patch((13, 0xFF000000, 4 << 24)))


def q30_slices():
    cube = dict(rank=4, dim=[13, 5, 3, 4], es=[1] * 4, box=[8, 2, 3, 2])
    for il in (1, 2):
        unit = 16 * il
        one = dict(cube, il=il, sw=1 if il == 2 else 0, gwin=32768, win=4096,
                   stride=[13 * unit, 65 * unit, 195 * unit])
        for c in (0, 1, 2, 3, -1):
            hw(f"q30-slice-il{il}-c{c}", coord=[0, 0, c, 0], **one)
        for at in ([-2, 0, 0, 0], [6, 4, 2, 3], [13, 0, 0, 0], [0, 0, 0, -1]):
            name = "".join("m" if x < 0 else str(x) for x in at)
            hw(f"q30-slice-edge-il{il}-{name}", coord=at, oob=1, **one)
        for op in ("store", "add"):
            for at in ([6, 4, 2, 3], [13, 0, 0, 0], [7, 3, 3, 0], [0, 0, 1, 0]):
                name = "".join(map(str, at))
                hw(f"q30-slice-{op}-il{il}-{name}", coord=at, op=op, **one)
        hw(f"q30-slice-es-il{il}", coord=[1, 0, 1, 0], **dict(one, es=[2, 3, 2, 1]))
    for sw, op in itertools.product((0, 1, 2, 3), ("load", "store", "add")):
        for smem in (0, 128, 640):
            hw(f"q31-slice-32B-sw{sw}-{op}-{smem}", sw=sw, il=2, rank=3, dim=[20, 3, 4],
               stride=[640, 1920], box=[16, 1, 2], es=[1] * 3, coord=[1, 1, 1], op=op, smem=smem,
               win=2048, gwin=16384)


def nan_fill_in_stores():
    for op in ("store", "add", "min"):
        hw(f"q30-nan-fill-{op}", op=op, oob=1, coord=[40, 28], fill="rand")


def q39_channels():
    for name, c in (("negative", -8), ("below", -16), ("partly", 8), ("beyond", 16), ("far", 800)):
        pixels(f"q39-channels-{name}", coord=[c, 0, 0, 0], oob=1)
        if c > 0:
            pixels(f"q39-channels-store-{name}", coord=[c, 0, 0, 0], op="store")
    pixels("q39-image-beyond-store", coord=[0, 0, 0, 4], op="store")
    pixels("q39-image-beyond-add", coord=[0, 0, 0, 4], op="add")
    pixels("q39-channels-above-tensor", cpp=32, coord=[0, 0, 0, 0])
    pixels("q41-pixels-1024", dtype=0, dim=[64, 33, 30, 4], stride=[64, 64 * 33, 64 * 990], cpp=64,
           ppc=1024, win=65536, gwin=262144, raw=None)
    pixels("q41-pixels-224KiB", dtype=0, dim=[224, 33, 30, 2],
           stride=[224, 224 * 33, 224 * 990], cpp=224, ppc=1024, win=229376, gwin=524288, raw=None)
    hw("q41-box-224KiB", dtype=0, rank=3, addr=0, dim=[256, 256, 8], stride=[256, 65536],
       box=[256, 224, 4], es=[1] * 3, coord=[0] * 3, win=229376, gwin=524288, raw=None)


def q45_driver():
    for n in (256, 264, 272, 512, 65536):
        for t in ("u8", "bf16"):
            line("enc", f"q45-channels-{t}-{n}",
                 dict(PIXELS, dtype=dtype(t), cpp=n, ppc=1, dim=[70000, 9, 7, 4],
                      stride=[140000, 140000 * 9, 140000 * 63], addr=4096))
    full = [256] * 5
    for name, t, rank, box in (("2^32", "u8", 4, full), ("2^32-u16", "u16", 4, full),
                               ("2^40", "u8", 5, full), ("2^43", "u64", 5, full),
                               ("2^31", "u8", 4, [256, 256, 256, 128, 1]),
                               ("3*2^32", "u8", 5, [256, 256, 256, 256, 3])):
        line("enc", f"q45-box-bytes-{name}",
             dict(TILE, dtype=dtype(t), rank=rank, dim=[1024] * rank,
                  stride=[8192 * 1024**i for i in range(rank - 1)][:3] + [8192] * (rank == 5),
                  box=box[:rank], es=[1] * rank, addr=4096))
    for a, b, c, d, e in wrapping_boxes():
        line("enc", f"q45-box-bytes-wrap-{a}x{b}x{c}x{d}x{e}",
             dict(TILE, dtype=0, rank=5, dim=[1024] * 5, stride=[1024] * 4, box=[a, b, c, d, e],
                  es=[1] * 5, addr=4096))
    for at in (0, 1, 4, 8, 16, 32, 64, 96):
        line("enc", f"q45-map-at-{at}", dict(TILE, addr=4096, at=at))


def wrapping_boxes():
    """Boxes of more than 2^32 bytes whose count, cut to 32 bits, is allowed."""
    found = []
    for a, b, c, d in itertools.product(range(256, 15, -16), range(256, 200, -3),
                                        range(255, 200, -7), range(254, 200, -9)):
        part = a * b * c * d
        for e in range(2, 257):
            if part * e >= 1 << 32 and 0 < (part * e) % (1 << 32) <= 233472:
                found.append((a, b, c, d, e))
        if len(found) > 4:
            return found
    return found


def q46_derived_words():
    for sw in (0, 3):
        for value in (0, 1, 512, 2048, 0xFFFFFFFF):
            hw(f"q46-box-bytes-sw{sw}-{value:x}", sw=sw, patch=patch((16, 0xFFFFFFFF, value)))
        for value in (0, 16, 256, 1024, 0xFFFFFFFF):
            hw(f"q46-repeat-sw{sw}-{value:x}", sw=sw, patch=patch((18, 0xFFFFFFFF, value)))
    hw("q46-both-store", sw=3, op="store",
       patch=patch((16, 0xFFFFFFFF, 3), (18, 0xFFFFFFFF, 7)))
    hw("q46-bit-21", patch=patch((2, 1 << 21, 1 << 21)), coord=[8, 28])
    hw("q46-bit-21-store", patch=patch((2, 1 << 21, 1 << 21)), coord=[8, 28], op="store")


def q47_replace():
    base = dict(TILE, rank=5, dim=[64, 32, 8, 4, 2], stride=[128, 4096, 32768, 131072],
                box=[64, 8, 2, 1, 1], es=[1, 2, 3, 4, 5], addr=4096)
    for field, ordinals, values in (
            (1, (0,), (5, 6, 7, 8, 15, 0xFFFFFFFF)),
            (2, range(5), (0, 257, 511, 0x12345678)),
            (3, range(5), (0, 1, 0xFFFFFFFF)),
            (4, (4,), (0, 16, 0x123456789ABCDEF0, 2**64 - 1)),
            (4, range(4), (8, 2**40, 2**64 - 1)),
            (5, range(5), (0, 9, 10, 16, 17, 0xFFFFFFFF))):
        for ordinal, value in itertools.product(ordinals, values):
            line("dev", f"q47-replace-{field}-{ordinal}-{value:x}",
                 dict(base, field=field, ord=ordinal, val=value))


def q50_stale_map():
    for by, wait in itertools.product((0, 1), (0, 1000, 100000, 20000000)):
        line("stale", f"q50-stale-{'replace' if by else 'store'}-{wait}",
             dict(TILE, addr=0, replace=by, wait=wait))
    line("stale", "q50-stale-launches", dict(TILE, addr=0, launches=1))


def q49_hints():
    for l2 in range(4):
        hw(f"q49-promotion-{l2}", l2=l2, coord=[8, 28])
    for policy in (0x1000000000000000, 0x12F0000000000000, 0x14F0000000000000,
                   0x10F0000000000000):
        hw(f"q49-policy-{policy >> 52:x}", policy=hex(policy), coord=[8, 28])
    for name, at in (("inside", [0, 0]), ("outside", [64, 40]), ("negative", [-64, -5])):
        hw(f"q49-prefetch-{name}", op="prefetch", coord=at)
    pixels("q49-prefetch-im2col", op="prefetch", coord=[0, 1, 1, 0])


# From here on a line may kill its kernel.


def q42_im2col_stores():
    for op in ("store", "add"):
        for name, at in (("channel", [-8, 0, 0, 0]), ("image", [0, 0, 0, -1]),
                         ("image-far", [0, 0, 0, -2**31])):
            pixels(f"q42-{op}-negative-{name}", op=op, coord=at)
    for op in ("load", "store"):
        pixels(f"q42-{op}-odd-channel", op=op, coord=[1, 0, 0, 0])


def q29_flags():
    """Bits of word 2 that no driver sets on sm_90."""
    for sw, atom in itertools.product((3, 0, 1, 2), (1, 2, 3)):
        one = dict(sw=sw, box=[(64, 16, 32, 64)[sw], 16], fill="ramp16",
                   patch=patch((2, 3 << 19, atom << 19)))
        hw(f"q29-atomicity-{atom}-sw{sw}", **one)
        if sw == 3:
            hw(f"q29-atomicity-{atom}-sw{sw}-store", op="store", **one)
            hw(f"q29-atomicity-{atom}-sw{sw}-narrow", **dict(one, box=[16, 16]))
    for bit in (21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31):
        hw(f"q29-bit-{bit}", patch=patch((2, 1 << bit, 1 << bit)))
    hw("q29-bit-22-sw3", sw=3, patch=patch((2, 1 << 22, 1 << 22)))
    hw("q29-bit-22-96B", box=[48, 8], patch=patch((2, 1 << 22, 1 << 22)))


def q29_unowned():
    for word, mask in ((7, 0xFFFF0000), (13, 0x00FF8000), (15, 0xFFFFFFFF), (17, 0xFFFFFFFF)):
        hw(f"q29-unowned-{word}", patch=patch((word, mask, mask)))
    hw("q29-unowned-19-31", patch=patch(*((w, 0xFFFFFFFF, 0xFFFFFFFF) for w in range(19, 32))))
    hw("q29-beyond-rank-dims", patch=patch(*((w, 0xFFFFFFFF, 7) for w in (10, 11, 12))))
    hw("q29-beyond-rank-strides", patch=patch(*((w, 0xFFFFFFFF, 9) for w in (4, 5, 6))))
    hw("q29-beyond-rank-box", patch=patch((14, 0xFFFFFF00, 0x03030300)))
    hw("q29-beyond-rank-es", patch=patch((13, 0x7FC0, 0x7FC0)))
    pixels("q29-unowned-15-im2col", patch=patch((15, 0xFFFFFC00, 0xFFFFFC00)))


def q29_codes():
    for code in range(11, 16):
        hw(f"q29-element-{code}", patch=patch((2, 0xF << 7, code << 7)))
        hw(f"q29-element-{code}-store", op="store", patch=patch((2, 0xF << 7, code << 7)))
    cube = dict(rank=3, dim=[9, 3, 4], stride=[288, 864], box=[8, 1, 2], es=[1] * 3,
                coord=[0] * 3)
    hw("q29-interleave-3", il=2, sw=1, patch=patch((2, 3 << 11, 3 << 11)), **cube)
    hw("q29-interleave-3-sw0", il=1, sw=0, patch=patch((2, 3 << 11, 3 << 11)), **cube)
    five = dict(rank=5, dim=[64, 4, 2, 2, 2], stride=[128, 512, 1024, 2048], box=[64, 2, 1, 1, 1],
                es=[1] * 5, coord=[0] * 5)
    for rank in (5, 6, 7):
        hw(f"q29-rank-field-{rank}", patch=patch((2, 7 << 4, rank << 4)), **five)
    for kind in (2, 3, 4, 8, 14, 15):
        hw(f"q29-kind-{kind}", patch=patch((2, 0xF, kind)))
        if kind in (2, 3, 15):
            pixels(f"q29-kind-{kind}-im2col", patch=patch((2, 0xF, kind)))


def q29_addresses_and_shapes():
    """What the driver refuses and a patched or replaced map can have."""
    for add in (1, 8):
        hw(f"q29-address-plus-{add}", patch=patch((0, 15, add)))
    hw("q29-address-odd-outside", coord=[0, 32], patch=patch((0, 15, 8)))
    hw("q29-address-odd-prefetch", op="prefetch", patch=patch((0, 15, 8)))
    for bit in (47, 48, 49, 52, 55, 56, 57, 63):
        hw(f"q29-address-bit-{bit}", patch=patch((1, 1 << (bit - 32), 1 << (bit - 32))))
    hw("q29-address-bit-57-store", op="store", patch=patch((1, 1 << 25, 1 << 25)))
    cube = dict(rank=3, dim=[13, 3, 4], stride=[13 * 32, 39 * 32], il=2, sw=1, box=[8, 1, 2],
                es=[1] * 3, coord=[0] * 3)
    for op in ("load", "store"):
        hw(f"q29-slices-32B-address-16-{op}", op=op, patch=patch((0, 31, 16)), **cube)
    hw("q29-slices-32B-address-16-outside", patch=patch((0, 31, 16)),
       **dict(cube, coord=[0, 0, 4]))
    hw("q29-slices-32B-stride-16", patch=patch((3, 0xFFFFFFFF, 27)), **cube)
    hw("q29-slices-rank-2", patch=patch((2, 3 << 11, 1 << 11)))
    hw("q29-slices-rank-1", rank=1, dim=[64], stride=[], box=[64], es=[1], coord=[0],
       patch=patch((2, 3 << 11, 1 << 11)))
    hw("q29-box-16MiB", dtype=0, rank=3, dim=[256, 256, 8], stride=[256, 65536], addr=0,
       box=[256, 2, 2], es=[1] * 3, coord=[0] * 3, gwin=524288, raw=None,
       patch=patch((14, 0xFFFF, 0xFFFF)))
    pixels("q29-corner-bits-5d", rank=5, dim=[16, 5, 4, 3, 2], es=[1] * 5, lo=[0] * 3, up=[-1] * 3,
           stride=[32, 160, 640, 1920], coord=[0] * 5, off=[0] * 3,
           patch=patch((14, 0x80008000, 0x80008000)))
    for mode in (0, 1):
        line("hw", f"q44-wide-by-im2col-{mode}",
             {**PIXELS, **COPY, "api": "wide", "mode_w": mode, "lo": [-1], "up": [1], "sw": 3,
              "mode": "im2col", "coord": [0, -1, 0, 0], "off": [1, 1], "ppc": 40, "win": 8192,
              "gwin": 16384})


def q43_other_instructions():
    cube = dict(rank=3, dim=[64, 8, 4], stride=[128, 1024], box=[64, 4, 2], es=[1] * 3)
    hw("q43-im2col-on-tiled-3", mode="im2col", coord=[0] * 3, off=[0], **cube)
    hw("q43-im2col-store-on-tiled-3", mode="im2col", coord=[0] * 3, op="store", **cube)
    pixels("q43-tile-on-im2col-4", mode="tile", off=None)
    pixels("q43-tile-store-on-im2col-4", mode="tile", op="store")
    for irank in (1, 2, 4, 5):
        hw(f"q43-{irank}d-on-rank-3", irank=irank, coord=[0] * 5, **cube)
    hw("q43-2d-store-on-rank-3", irank=2, coord=[0] * 5, op="store", **cube)
    hw("q43-4d-store-on-rank-3", irank=4, coord=[0] * 5, op="store", **cube)
    hw("q43-3d-on-rank-2", irank=3, coord=[0] * 5)
    hw("q43-1d-on-rank-2", irank=1, coord=[0] * 5)
    hw("q43-2d-on-rank-1", irank=2, rank=1, dim=[64], stride=[], box=[64], es=[1], coord=[0, 0])
    pixels("q43-3d-on-im2col-4", irank=3, coord=[0] * 5)
    pixels("q43-5d-on-im2col-4", irank=5, coord=[0] * 5, off=[0, 0, 0])


def q48_places_of_the_map():
    hw("q48-map-in-global", where="global", at=0)
    hw("q48-map-in-param-64", at=64)
    hw("q48-map-in-global-64", where="global", at=64)
    hw("q48-map-in-global-32", where="global", at=32)
    hw("q48-map-in-param-16", at=16)
    hw("q48-zero-map", irank=1, zero=1)


def q38_empty_box():
    """Corners patched so that the box has no pixel along W: from 5 to 3."""
    for w in (2, 4, 5):
        pixels(f"q38-empty-box-{w}", coord=[0, w, 0, 0], patch=patch((14, 0x00FF00FF, 0x00FB0005)))


def q49_prefetch_faults():
    hw("q49-prefetch-odd-column", op="prefetch", coord=[1, 0])
    hw("q49-prefetch-unmapped", op="prefetch", tail=1, gwin=4096, addr=0, coord=[0, 32],
       dim=[64, 64])
    pixels("q49-prefetch-left-of-box", op="prefetch", coord=[0, -1, 0, 0])
    hw("q49-prefetch-other-rank", op="prefetch", irank=3, coord=[0] * 3)
    hw("q49-prefetch-other-mode", op="prefetch", mode="im2col", rank=3, dim=[64, 8, 4],
       stride=[128, 1024], box=[64, 4, 2], es=[1] * 3, coord=[0] * 3, off=[0])
    hw("q49-policy-0", policy=0)
    hw("q49-policy-all-ones", policy=hex(2**64 - 1))


def q18_addresses():
    """Products of coordinate and stride beyond 64, 57 and 49 bits that come back to the start."""
    for bits in (64, 57, 49):
        hw(f"q18-address-wraps-at-{bits}", dim=[64, 2**31], stride=[2**36], box=[64, 1],
           coord=[0, 2**(bits - 36)], win=256)
    hw("q22-unmapped-load", tail=1, gwin=4096, addr=0, coord=[0, 28], dim=[64, 64])
    hw("q22-unmapped-store", tail=1, gwin=4096, addr=0, coord=[0, 28], dim=[64, 64], op="store")


def q23_end_of_shared():
    for op, rows in itertools.product(("load", "store"), (1, 2, 4, 8, 16, 128)):
        hw(f"q23-{op}-beyond-by-{128 * rows}", op=op, box=[64, rows + 1], dim=[64, 256],
           gwin=65536, smem=896, win=1024, raw=None)
    hw("q23-beyond-by-224KiB", dtype=0, rank=3, dim=[256, 256, 8], stride=[256, 65536],
       box=[256, 224, 4], es=[1] * 3, coord=[0] * 3, smem=896, win=1024, gwin=524288, raw=None)


def q18_wraps():
    for op, row in itertools.product(("load", "store"), (0, 3, 7)):
        hw(f"q18-wraps-cube-{row}-{op}", op=op, coord=[0, 2**25, row], rank=3, dim=[64, 2**31, 2**31],
           stride=[2**39, 128], box=[64, 1, 1], es=[1] * 3, win=256)
    cube = dict(rank=3, dim=[64, 2**31, 2**31], es=[1] * 3, win=1024)
    for op in ("load", "store"):
        hw(f"q18-wraps-rows-{op}", op=op, coord=[0, 2**25, 0], stride=[2**39, 128], box=[64, 1, 8],
           **cube)
        hw(f"q18-wraps-sum-{op}", op=op, coord=[0, 2**24, 2**24], stride=[2**39, 2**39],
           box=[64, 1, 1], **cube)
        hw(f"q18-wraps-below-{op}", op=op, coord=[0, 644457551, 0],
           stride=[(2**64 - 512) // 644457551, 128], box=[64, 1, 8], **cube)
    hw("q18-wraps-add", op="add", coord=[0, 2**25, 0], stride=[2**39, 128], box=[64, 1, 8], **cube)
    hw("q18-wraps-nowhere", coord=[0, 2**25 + 1, 0], stride=[2**39, 128], box=[64, 1, 1], **cube)


def q14_odd_masks():
    hw("q14-remote-barrier-only", cluster=2, dst_cta=0, bar_cta=1, win=1024)
    hw("q14-remote-data-only", cluster=2, dst_cta=1, bar_cta=0, win=1024)
    hw("q14-mask-0", cluster=2, mask=0, win=1024)
    hw("q14-mask-beyond-cluster", cluster=2, mask=4, win=1024)
    hw("q14-mask-partly-beyond", cluster=2, mask=0x8001, win=1024)
    for ctas, mask in ((1, 2), (1, 3), (2, 6), (4, 0x10), (4, 0x13), (8, 0x100), (8, 0x1FF)):
        hw(f"q14-mask-{ctas}-ctas-{mask:x}", cluster=ctas, mask=mask, win=1024)


PROBES = [
    q02_nan_fill_on_integers, q03_tf32, q06_tf32_flag, q07_add_f64, q08_reductions, q11_overlap,
    q14_multicast, q16_steps_and_sizes, q18_extremes, q19_strides, q22_edge_of_memory,
    q27_wide_rows, q30_slices, q31_odd_rows, nan_fill_in_stores, q39_channels, q45_driver,
    q46_derived_words, q47_replace, q49_hints, q50_stale_map, q13_chunks, q15_flood,
    q42_im2col_stores, q29_flags, q29_unowned, q29_codes,
    q29_addresses_and_shapes, q17_sizes_above_2_31, q43_other_instructions,
    q48_places_of_the_map, q38_empty_box, q49_prefetch_faults, q18_addresses, q23_end_of_shared,
    q14_odd_masks, q18_wraps,
]


def main():
    for probe in PROBES:
        probe()
    names = sys.argv[1:]
    for text in LINES:
        name = text.rsplit("id=", 1)[1]
        if not names or any(name.startswith(asked) for asked in names):
            print(text)


if __name__ == "__main__":
    main()
