# SPDX-License-Identifier: Apache-2.0
"""libtma.hang: the command's answers, typed."""
import gzip
import json
import os
import subprocess

import pytest
from conftest import ROOT

import libtma

DUMPS = sorted((ROOT / "tests/vectors/hang").glob("*.gz"))
TMA = os.environ.get("TMA", "tma")


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.name.split(".")[0])
def test_as_the_command(dump, tmp_path):
    plain = tmp_path / "core"
    plain.write_bytes(gzip.decompress(dump.read_bytes()))
    found = libtma.hang(dump)
    assert found == libtma.hang(str(plain))
    # unpacked: a wheel's command has no zlib
    said = json.loads(subprocess.run([TMA, "hang", "--json", str(plain)], capture_output=True).stdout)
    assert found.verdict == said["verdict"] and len(found.waits) == len(said["places"])
    assert [w.barrier and hex(w.barrier.word) for w in found.waits] == [
        p.get("barrier", {}).get("word") for p in said["places"]]
    assert [m.spec for m in found.maps] == [m["spec"] for m in said["maps"]]
    assert str(found) == subprocess.run([TMA, "hang", str(plain)], capture_output=True, text=True).stdout


def test_what_is_in_it():
    found = libtma.hang(ROOT / "tests/vectors/hang/wrong_barrier.nvcudmp.gz")
    wait, = found.waits
    assert found.hangs and wait.waits and wait.sure and wait.does == "wait at an mbarrier"
    barrier = wait.barrier
    assert (barrier.address, barrier.bytes_missing) == (0x400, 16384)
    assert (barrier.arrivals_missing, wait.parity) == (0, 0)
    assert (wait.line, wait.inlined_into[-1][1], wait.ctas, wait.warps, wait.lanes) == (13, 31, 4, 4, 128)
    beside, = found.beside
    assert (beside.address, beside.bytes_missing, beside.ctas) == (0x408, -16384, 4)
    assert [m.copy_bytes for m in found.maps] == [16384, 8192] and found.kernels[0].sm == 90
    assert not libtma.hang(ROOT / "tests/vectors/hang/named_barrier.nvcudmp.gz").hangs


def test_no_dump(tmp_path):
    with pytest.raises(FileNotFoundError):
        libtma.hang(tmp_path / "none")
    (tmp_path / "text").write_text("no dump")
    with pytest.raises(ValueError, match="text: not an ELF file"):
        libtma.hang(tmp_path / "text")
    (tmp_path / "cut").write_bytes(DUMPS[0].read_bytes()[:9000])
    with pytest.raises(ValueError, match="cut: its gzip is cut off"):
        libtma.hang(tmp_path / "cut")
    with pytest.raises(TypeError):
        libtma.hang(5.0)


def test_damaged_gzip(tmp_path):
    good = gzip.compress(b"\x7fELF" + bytes(range(256)) * 100)
    for name, bad in {"sum": good[:-8] + bytes(4) + good[-4:], "method": good[:2] + b"\0" + good[3:],
                      "stream": good[:20] + bytes([good[20] ^ 0xFF]) * 8 + good[28:]}.items():
        (tmp_path / name).write_bytes(bad)
        with pytest.raises(ValueError, match=f"{name}: its gzip is damaged: "):
            libtma.hang(tmp_path / name)
    with gzip.open(tmp_path / "zeros", "wb", compresslevel=1) as file:  # named by its first bytes
        file.write(bytes(64 << 20))
    with pytest.raises(ValueError, match="zeros: not an ELF file"):
        libtma.hang(tmp_path / "zeros")
