# SPDX-License-Identifier: Apache-2.0
"""libtma.mma: matrix descriptors made, read and compared; recorded reads of wgmma; the command's
answers are the same."""
import gzip
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

import libtma
from libtma import mma
from libtma.mma import MatrixDescriptor, Operand, Placed, Tile, ZeroMask


def tiled(box=(128, 64), swizzle="128B", dtype=np.float16):
    return libtma.TensorMapDescriptor.tiled(np.zeros((256, 256), dtype), box, swizzle=swizzle)


def test_both_ways():
    d = MatrixDescriptor(0x400, 16, 1024, "128B")
    assert int(d) == 0x4000004000010040 and hex(d) == "0x4000004000010040"
    assert MatrixDescriptor.decode(int(d)) == d
    t = MatrixDescriptor(0x400, 2048, 512, "128B_ATOM_32B", family="tcgen05")
    assert int(t) == 0x2000402000800040 and MatrixDescriptor.decode(int(t), "tcgen05") == t


@pytest.mark.parametrize("wrong,why", [
    ({"start": 8}, "multiples of 16"), ({"start": 1 << 18}, r"below 2\^18"), ({"base_offset": 8}, "0 to 7"),
    ({"swizzle": "128B_ATOM_32B"}, "of tcgen05"), ({"swizzle": "129B"}, "swizzle"),
    ({"family": "mma"}, "none of wgmma, tcgen05"), ({"start": -1}, "start"),
    ({"leading_absolute": True}, "tcgen05's")])
def test_what_is_none_says_so(wrong, why):
    with pytest.raises(ValueError, match=why):
        int(MatrixDescriptor(**{"start": 0x400, "stride": 1024, "swizzle": "128B", **wrong}))
    with pytest.raises(ValueError, match="61"):
        MatrixDescriptor.decode(3 << 61, "tcgen05")


def test_recorded_reads():
    """What an H200 read through descriptors that no document allows."""
    seen = 0
    with gzip.open(ROOT / "tests/vectors/wgmma_reads.txt.gz", "rt") as lines:
        for line in lines:
            words = dict(word.split("=", 1) for word in line.split() if "=" in word)
            if "desc" not in words or "read" not in words:
                continue
            d = MatrixDescriptor.decode(int(words["desc"], 16))
            o = Operand(major="K" if words["major"] == "K" else "MN")
            read = [int(at) for at in words["read"].split(",")]
            for e in range(0, len(read), 37):
                assert d.read(o, e // 16, e % 16) == (read[e], 0)
            seen += 1
    assert seen >= 300


@pytest.mark.parametrize("swizzle,columns", [("128B", 64), ("64B", 32), ("32B", 16)])
def test_descriptors_of_a_map_agree_with_it(swizzle, columns):
    m = tiled((128, columns), swizzle)
    for row in (0, 64):
        for k in range(0, columns, 16):
            d = mma.descriptor_of(m, Operand(), mn=row, k=k)
            said = mma.compare(d, Operand(), m, mn=row, k=k)
            assert said and said.equal == said.total == 64 * 16 and said.mn is None
            assert str(said) == "all 1024 elements are read where the copy put them"
            assert d.remarks(Operand()) == ()


def test_the_first_difference():
    said = mma.compare(MatrixDescriptor(0x400, 16, 512, "128B"), Operand(), tiled())
    assert not said and (said.equal, said.total) == (128, 1024)
    assert (said.mn, said.k, said.read, said.written, said.element) == (8, 0, 0x640, 0x800, (4, 0))
    assert "the first is m 8, k 0" in str(said)
    beyond = mma.compare(MatrixDescriptor(0x400, 16, 1024, "128B"), Operand(), tiled((32, 64)))
    assert (beyond.mn, beyond.written) == (32, None)


def test_why_there_is_none():
    with pytest.raises(mma.NoDescriptor, match="rows lie 128 bytes apart") as caught:
        mma.descriptor_of(tiled(swizzle="none"), Operand())
    assert (caught.value.reason, caught.value.box, caught.value.swizzle) == ("pitch", 64, "128B")
    with pytest.raises(mma.NoDescriptor) as caught:
        mma.descriptor_of(tiled(), Operand(mn=256))
    assert caught.value.reason == "beyond"


def test_panels_and_copies():
    n_major = Operand("B", "MN", "f16", 128)
    d = mma.descriptor_of(tiled((64, 64)), n_major, Tile(copies=2))
    assert (d.leading, d.stride) == (8192, 1024)
    assert mma.compare(d, n_major, tiled((64, 64)), Tile(copies=2))
    assert not mma.compare(d, n_major, tiled((64, 64)), Tile(copies=2, copy_step=16384))


def test_copies_that_were_placed():
    """Two boxes of 64 columns, the second one's map another: its copy is the one that brings n 64."""
    n_major = Operand("B", "MN", "f16", 128)
    tile = Tile(placed=(Placed(0x400), Placed(0x4400, mn=64, map=tiled((64, 64)))))
    d = mma.descriptor_of(tiled((64, 64)), n_major, tile)
    assert d.leading == 0x4000 and mma.compare(d, n_major, tiled((64, 64)), tile)
    near = MatrixDescriptor(0x400, 0x2000, d.stride, d.swizzle)
    said = mma.compare(near, n_major, tiled((64, 64)), tile)
    assert (said.mn, said.k, said.read, said.written, said.written_copy, said.element_copy) == (
        64, 0, 0x2400, 0x4400, 1, None)
    assert str(said).endswith("where no copy put anything; copy 2 of 2 put the element at 0x4400")
    far = Tile(placed=(Placed(0x400), Placed(0x4400, mn=128)))
    with pytest.raises(mma.NoDescriptor, match="no copy brings the element that is 64") as why:
        mma.descriptor_of(tiled((64, 64)), n_major, far)
    assert why.value.reason == "not-brought"


@pytest.mark.parametrize("placed, why", [
    ((0x400,), r"placed\[0\]: a Placed is wanted"),
    ([Placed(0x400)], "placed: a tuple"),
    ((Placed(0x400),) * 33, "33 copies; a tile has at most 32"),
    ((Placed(0x400), Placed(0x400, k=64)), "one overwrites the other"),
    ((Placed(0x400, map=5),), "a tensor map"),
])
def test_wrong_copies(placed, why):
    with pytest.raises((ValueError, TypeError), match=why):
        mma.compare(MatrixDescriptor(0x400, swizzle="128B", stride=1024), Operand(),
                    tiled((64, 64)), Tile(placed=placed))


def test_remarks():
    said = mma.remarks(0x4000004001000040, operand=Operand())
    assert [(r.rule, r.wrong) for r in said] == [("mma-leading-unused", False)]
    assert [r.rule for r in mma.remarks(0x4000004000010040, "tcgen05") if r.wrong] == ["mma-version"]
    assert [r.rule for r in mma.remarks(0, operand=Operand(major="MN", dtype="e4m3")) if r.wrong]


def test_zero_masks_of_the_document():
    """The four examples of PTX 9.7.16.4.3, and table 45's words instead of them."""
    def drawn(bits, m, n, **readings):
        columns = ZeroMask.decode(bits).columns(m, n, readings or None)
        return "".join("0" if c is None else "." for c in columns)

    assert drawn(0x0003040000000000, 128, 32) == 32 * "."
    assert drawn(0x0003028000000000, 128, 32) == 4 * "....000" + "...."
    assert drawn(0x0003028100000000, 64, 64) == 4 * "000...." + "000." + 4 * "....000" + "...."
    assert drawn(0x0003028000000000, 128, 32, **{"zero-mask-spans": "use"}) == 4 * "...0000" + "...0"
    fourth = ZeroMask(3, 4, start=(0, 1, 2, 1), first_is_zeros=(1, 1, 0, 0), shift=2)
    assert int(fourth) == 0x0203028301020100 and ZeroMask.decode(int(fourth)) == fourth
    assert fourth.columns(32, 128)[2:5] == [None, 5, 6] and fourth.columns(32, 128)[126] == 128
    assert fourth.remarks(32) == ()
    assert [r.rule for r in ZeroMask(3, 4, shift=20).remarks(32)] == ["mma-zero-shift"]


def test_readings_choose():
    """Where k lies beyond the swizzle's span, and the version's third bit."""
    d = MatrixDescriptor(0x400, 4096, 256, "32B", family="tcgen05")
    sparse = Operand("B", "K", "f16", 64, 32)
    assert d.read(sparse, 0, 16) == (0x1400, 0)
    assert d.read(Operand("B", "K", "f16", 64, 32, {"mma-k-beyond-span": "on"}), 0, 16) == (0x420, 0)
    two = Operand(readings={"mma-version-bits": "two"})
    assert [r.rule for r in mma.remarks(0x4001404000010040, "tcgen05", two)] == ["mma-unowned"]
    assert hash(two) == hash(Operand())
    for reading in mma.readings():
        for value, meaning, holder in reading.values:
            assert meaning and holder and d.read(Operand(readings={reading.name: value}), 0, 0)


@pytest.mark.parametrize("call", [
    lambda m: int(ZeroMask(0, 4)), lambda m: int(ZeroMask(4, 257)), lambda m: int(ZeroMask(4, 4, shift=33)),
    lambda m: int(ZeroMask(4, 4, start=(0, 0, 0))), lambda m: int(ZeroMask(4, 4, start=(256, 0, 0, 0))),
    lambda m: ZeroMask(4, 4).columns(96, 32), lambda m: ZeroMask(4, 4).columns(32, 30),
    lambda m: ZeroMask.decode(-1), lambda m: ZeroMask(4, 4).columns(128, 32, {"zero-mask-spans": "both"}),
    lambda m: MatrixDescriptor(0x400).read(Operand(readings={"mma-version-bit": "two"}), 0, 0),
    lambda m: MatrixDescriptor(0x400).read(Operand(readings=None), 0, 0),
    lambda m: mma.compare(MatrixDescriptor(0x400), Operand(), b""),
    lambda m: mma.compare(MatrixDescriptor(0x400), Operand(mn=0), m),
    lambda m: mma.compare(MatrixDescriptor(0x400), Operand(dtype="f8"), m),
    lambda m: mma.compare(MatrixDescriptor(0x400), Operand(major="N"), m),
    lambda m: mma.compare(MatrixDescriptor(0x400), None, m),
    lambda m: mma.compare(None, Operand(), m),
    lambda m: mma.compare(MatrixDescriptor(0x400), Operand(), m, mn=1 << 40),
    lambda m: mma.compare(MatrixDescriptor(0x400), Operand(), m, Tile(panel_dims=9)),
    lambda m: mma.descriptor_of(m, Operand(), family=7),
    lambda m: mma.descriptor_of(m, Operand(), k=-1),
    lambda m: MatrixDescriptor(0x400).read(Operand(), 256, 0),
    lambda m: mma.remarks(1 << 64),
    lambda m: mma.remarks("0")])
def test_wrong_arguments(call):
    with pytest.raises((ValueError, TypeError, AttributeError)):
        call(tiled())


def test_the_command_says_the_same():
    tma = os.path.join(os.path.dirname(sys.executable), "tma")
    if not os.path.exists(tma):
        pytest.skip("the command is not installed beside this Python")
    done = subprocess.run([tma, "mma", "--dtype", "f16", "--dim", "256,256", "--box", "64,128",
                           "--swizzle", "128B", "--shape", "m64n128k16"],
                          capture_output=True, text=True, check=True)
    bits = [int(line.split()[4], 16) for line in done.stdout.splitlines() if line.startswith("m ")]
    ours = [int(mma.descriptor_of(tiled(), Operand(), mn=m, k=k)) for m in (0, 64) for k in range(0, 64, 16)]
    assert bits == ours
