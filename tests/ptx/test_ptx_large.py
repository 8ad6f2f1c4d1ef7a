# SPDX-License-Identifier: Apache-2.0
"""Large files: the time is in proportion to what stands in them."""
import os
import resource
import subprocess

import pytest

TMA = os.environ["TMA"]
HEAD = """.version 8.6
.target sm_90a
.address_size 64
.global .align 128 .b8 maps[16384];
.visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .pred %p<3>; .reg .b64 %rd<9>; .reg .b32 %r<9>;
ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
"""
EDIT = """setp.eq.u32 %p1, %r1, {i};
@%p1 bra L{i};
{address}
tensormap.replace.tile.rank.global.b1024.b32 [%rd2], 1;
add.u32 %r2, %r2, 1;
L{i}:
"""


def seconds(path):
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([TMA, "ptx", "--findings", path], capture_output=True, text=True, check=False, timeout=300)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1), done.stderr
    return ended.ru_utime - began.ru_utime


def write(path, edits, address, loop=False):
    text = HEAD + ("AGAIN:\n" if loop else "")
    for i in range(edits):
        text += EDIT.format(i=i, address=address.format(i=i, at=128 * i))
    if loop:
        text += "setp.ne.u32 %p2, %r2, %r1;\n@%p2 bra AGAIN;\n"
    path.write_text(text + "ret;\n}\n")


@pytest.mark.parametrize("address", ["add.s64 %rd2, %rd1, {at};", "ld.global.u64 %rd2, [%rd1+{i}];",
                                     "add.s64 %rd2, %rd1, 128;"])
@pytest.mark.parametrize("loop", [False, True])
def test_many_edits_with_branches(address, loop, tmp_path):
    write(tmp_path / "few.ptx", 2500, address, loop)
    write(tmp_path / "many.ptx", 10000, address, loop)
    few, many = seconds(tmp_path / "few.ptx"), seconds(tmp_path / "many.ptx")
    assert many < 8 * few + 1, f"{few:.2f} s for 2,500 edits, {many:.2f} s for 10,000"
