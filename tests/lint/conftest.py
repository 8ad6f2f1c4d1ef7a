# SPDX-License-Identifier: Apache-2.0
"""The command, and files that it finds something in."""
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = ROOT / "tests/golden/inputs"
TILE = ["emulate_tile.ptx", "--kernel", "waits_not", "--param", "out=zeros:512",
        "--map", "map=--dtype float16 --dim 64,32 --box 64,32"]
ODD = "odd name, 100%:a.ptx"
CASES = """enc api=tiled dtype=9 il=0 sw=0 l2=0 oob=0 rank=2 addr=0x7f0000000000 dim=4096,8192 stride=8190 box=128,512 es=1,1
enc api=tiled dtype=9 il=0 sw=0 l2=0 oob=0 rank=2 addr=0x7f0000000000 dim=4096,8192 stride=8192 box=64,64 es=1,1
"""
LOG = "CUDA error: an illegal instruction was encountered\n"

# verb, arguments, how many findings (errors and warnings) at least
CALLS = {"ptx": ("ptx", ["kernel.ptx"], 5), "edits": ("ptx", ["edits.ptx", "kernel.ptx"], 6),
         "odd": ("ptx", [ODD], 5), "emulate": ("emulate", TILE, 1),
         "hangs": ("emulate", ["emulate_tile.ptx", "--kernel", "hangs", "--block", "64", "--param", "n=0"], 1),
         "cases": ("check", ["cases.txt"], 2), "log": ("check", ["log.txt"], 0),
         "none": ("ptx", ["barriers.ptx"], 0)}


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("lint")
    for path in INPUTS.glob("*.ptx"):
        shutil.copy(path, where)
    lines = (INPUTS / "kernel.ptx").read_text().splitlines()  # without source lines its own name is shown
    (where / ODD).write_text("\n".join(line for line in lines if ".loc" not in line) + "\n")
    (where / "cases.txt").write_text(CASES)
    (where / "log.txt").write_text(LOG)
    return where


@pytest.fixture(scope="session")
def tma(folder):
    def run(*words, text=None):
        return subprocess.run([os.environ["TMA"], *words], cwd=folder, capture_output=True, text=True, input=text or "")
    return run
