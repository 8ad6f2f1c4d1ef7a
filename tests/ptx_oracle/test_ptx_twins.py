# SPDX-License-Identifier: Apache-2.0
"""lab/hardware/ptx_twins without a GPU: a pretended one runs the twins as statements. What it gets wrong is noticed."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ptx_known import KNOWN

TWINS = Path(__file__).resolve().parents[2] / "lab/hardware/ptx_twins" / "twins.py"


def twins(*options):
    return subprocess.run([sys.executable, "-B", str(TWINS), "--known", KNOWN, "--kernels", "60", "--processes", "2", "--ptxas", "",
                           *options], capture_output=True, text=True)


def test_all_is_as_known():
    done = twins("--pretend", "no")
    assert done.returncode == 0, done.stdout + done.stderr
    kernels, loops, calls = map(int, re.search(r"(\d+) kernels, (\d+) with loops, (\d+) with calls", done.stdout).groups())
    assert kernels > 40 and loops > 0.4 * kernels and calls > 0.4 * kernels
    assert f"{kernels} passed, 0 differences" in done.stdout


@pytest.mark.skipif(not os.environ.get("TMA"), reason="the command tma does not run here")
def test_the_emulator_is_as_known():
    done = twins("--emulate", os.environ["TMA"], "--kernels", "16")
    kernels = int(re.search(r"(\d+) kernels, ", done.stdout)[1])
    assert done.returncode == 0 and kernels > 10, done.stdout + done.stderr
    assert f"{kernels} passed, 0 differences" in done.stdout


@pytest.mark.parametrize("spoil, said", [("value", "on the GPU, ["), ("order", ": copies [")])
def test_a_wrong_answer_is_a_difference(spoil, said):
    done = twins("--pretend", spoil)
    assert done.returncode == 1 and said in done.stdout and "passed, 0 differences" not in done.stdout


def test_what_only_the_optimiser_changes_is_a_note():
    done = twins("--pretend", "optimised")
    assert done.returncode == 0
    assert re.search(r"note: seed \d+: as ptxas -O0 makes it all agrees; as -O3: thread 0, copy", done.stdout)
    kernels = int(re.search(r"(\d+) passed, 0 differences, (\d+) kernels", done.stdout)[2])
    assert kernels > 40


@pytest.mark.skipif(any(os.path.exists(f"{folder}/libcuda.so.1") for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64")),
                    reason="the driver is there")
def test_without_a_driver_the_status_is_3():
    done = twins("--ptxas", "ptxas")
    assert done.returncode == 3 and "libcuda.so.1" in done.stdout
