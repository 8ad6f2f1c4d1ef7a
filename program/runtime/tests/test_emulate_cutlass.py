# SPDX-License-Identifier: Apache-2.0
"""A unit test of CUTLASS for sm_90a, its source as it is, without a GPU: bulk copies of CuTe, which the program compares.
CUTLASS names the folder of a clone. Needs nvcc and googletest (libgtest-dev)."""
import os
import pathlib
import shutil
import subprocess

import pytest

TMA = os.environ["TMA"]
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
FOLDER, FILE = "test/unit/cute/hopper", "bulk_load.cu"
SOURCE = f"{FOLDER}/{FILE}"
INCLUDE = ("include", "tools/util/include", "test/unit/common")


def left_out(why):
    pytest.exit(f"CUTLASS' unit test is left out here: {why}", returncode=77)


@pytest.fixture(scope="module")
def bulk_load(tmp_path_factory):
    cutlass = os.environ.get("CUTLASS")
    if not cutlass:
        left_out("CUTLASS=FOLDER names no clone of github.com/NVIDIA/cutlass")
    if not (pathlib.Path(cutlass) / SOURCE).exists():
        left_out(f"{cutlass} has no {SOURCE}")
    if not NVCC:
        left_out("no nvcc")
    if not pathlib.Path("/usr/include/gtest/gtest.h").exists():
        left_out("no googletest (apt-get install libgtest-dev)")
    made = tmp_path_factory.mktemp("cutlass") / "bulk_load"
    subprocess.run([NVCC, "-std=c++17", "-O1", "-cudart", "shared", "-gencode", "arch=compute_90a,code=compute_90a",
                    "--expt-relaxed-constexpr", *(f"-I{cutlass}/{folder}" for folder in INCLUDE), "-o", made,
                    f"{cutlass}/{SOURCE}", "-lgtest", "-lgtest_main"], check=True)
    return made


def test_bulk_load(bulk_load):
    done = subprocess.run([TMA, "emulate", "--werror=certain", "--", bulk_load], capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[  PASSED  ] 3 tests." in done.stdout
    assert "tma emulate: 30 launches executed" in done.stderr
