# SPDX-License-Identifier: Apache-2.0
"""lab/hardware/protocol as nvcc builds it, its sources as they are: broken kernels have findings, right
ones none and no wrong tile. Needs nvcc."""
import os
import pathlib
import shutil
import subprocess

import pytest

TMA = os.environ["TMA"]
ROOT = pathlib.Path(__file__).resolve().parents[3]
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


def built(folder, sources):
    if not NVCC:
        pytest.exit("no nvcc here: its programs are not run", returncode=77)
    made = folder / "program"
    subprocess.run([NVCC, "-std=c++17", "-O2", "-cudart", "shared", "-gencode", "arch=compute_90a,code=compute_90a",
                    *sources, "-o", made], check=True)
    return made


@pytest.fixture(scope="module")
def protocol(tmp_path_factory):
    return built(tmp_path_factory.mktemp("nvcc"), sorted((ROOT / "lab/hardware/protocol").glob("*.cu")))


def emulate(*words):
    return subprocess.run([TMA, "emulate", *map(str, words)], capture_output=True, text=True, timeout=300)


def kernels(protocol):
    listed = emulate("--", protocol, "--list")
    assert listed.returncode == 3, listed.stderr  # nothing is launched
    return [line.split()[0] for line in listed.stdout.splitlines()]


def test_all_kernels(protocol):
    names = kernels(protocol)
    assert len(names) == 80
    for name in names:
        done = emulate(protocol, name, 1, 2, 6, 200, 0)
        if name.endswith("_broken"):
            assert done.returncode == 1 and "    by: execution" in done.stderr, name + done.stdout + done.stderr
        else:
            assert done.returncode == 0 and " wrong 0 of 12 in 0 of 1 runs" in done.stdout, name + done.stderr
            assert done.stderr.endswith(", 0 findings\n"), name + done.stderr


def test_variables_live_as_long_as_the_program(tmp_path):
    done = emulate("--", built(tmp_path, [os.environ["VARIABLES"]]))
    assert (done.returncode, done.stdout) == (0, "25 125 100 cudaSuccess\n"), done.stderr
    assert done.stderr == "tma emulate: 4 launches executed, 0 findings\n"
