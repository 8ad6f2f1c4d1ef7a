# SPDX-License-Identifier: Apache-2.0
"""Constant coordinates that `tma ptx` knows, beside those that ptxas leaves in the registers of its tensor copies: of the
kernels of odd_kernels.txt, of those that nvcc compiles here, and of random ones (tests/ptx_oracle). None may be another.
TMA_PTX_KERNELS says of how many random ones a fifteenth is asked."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import machine_code
import pytest
from machine_code import NVDISASM, PTXAS, Count, hold
from test_ptx_odd import KERNELS

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "ptx_oracle"))
from ptx_programs import Maker
from ptx_text import Text

TMA = os.environ["TMA"]
RANDOM = int(os.environ.get("TMA_PTX_KERNELS", "300")) // 15
NVCC = shutil.which("nvcc")
pytestmark = pytest.mark.skipif(not PTXAS or not NVDISASM, reason="no ptxas or no nvdisasm")


def ask(texts, folder, arch="sm_90a"):
    count = Count()
    for name, text in texts:
        path = folder / f"{name}.ptx"
        path.write_text(text)
        hold(path, TMA, folder, count, arch)
    print(f"{count.copies} copies, {count.constants} constants in machine code, {count.equal} known, {len(count.different)} different")
    assert not count.different
    return count


def test_odd_kernels(tmp_path):
    count = ask([(name, text) for name, (text, _) in KERNELS.items() if ".section" not in text and "\n.loc" not in text], tmp_path)
    assert count.copies >= 55 and count.equal >= 0.9 * count.constants > 70


def test_random_kernels(tmp_path):
    count = ask([(seed, Text(Maker(seed)).text) for seed in range(1, 1 + RANDOM)], tmp_path)
    assert count.equal >= 0.8 * count.constants > 0  # ptxas turns loops out, too


@pytest.mark.skipif(not NVCC, reason="no nvcc")
@pytest.mark.parametrize("arch", ["sm_90a", "sm_100a"])
def test_compiled_kernels(arch, tmp_path):
    texts = []
    for source in sorted((HERE / "kernels").glob("*.cu")):
        path = tmp_path / "compiled.ptx"
        subprocess.run([NVCC, "-std=c++17", f"-arch={arch}", "-ptx", source, "-o", path], check=True)
        texts.append((source.stem, path.read_text()))
    count = ask(texts, tmp_path, arch)
    assert count.constants > 100 and count.equal >= 0.9 * count.constants


def test_another_constant_is_noticed(tmp_path):
    text = KERNELS["nested"][0]
    path = tmp_path / "k.ptx"
    path.write_text(text)
    count = Count()
    relined = machine_code.relined
    try:
        machine_code.relined = lambda t: relined(t).replace("mov.b32 x, 8", "mov.b32 x, 12")
        hold(path, TMA, tmp_path, count)
    finally:
        machine_code.relined = relined
    assert len(count.different) == 2 and "is 8, in the machine code 12" in count.different[0]
