# SPDX-License-Identifier: Apache-2.0
"""tma-conformance --part tcgen05: random products are drawn for each form that the chip has, compared, counted and
written to the report. The pretended GPU is the emulator itself: the products are test_tensor_products.py's."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from conformance import run

PART = ("--part", "tcgen05")
JOBS, FORMS, FORMS_103 = 16, 80, 68  # sm_103a has no .kind::i8
FEW = 4


def test_products_are_compared_and_reported(tmp_path):
    report = tmp_path / "report.txt"
    done = run(*PART, "--count", FEW, "--report", report, arch="sm_100a")
    assert done.status == 0 and done.tally("tcgen05") == (FEW * JOBS, 0)
    assert done.matches(rf"tcgen05: {FORMS} forms, {JOBS} products a launch, 1024 words of D of each")
    lines = [line for line in report.read_text().splitlines() if line.startswith("# tcgen05 ")]
    assert len(lines) == FEW * JOBS and all(line.endswith(": agrees") for line in lines)
    assert len({re.search(r"idesc (0x\w+)", line)[1] for line in lines}) > JOBS


def test_each_wrong_product_is_counted(tmp_path):
    report = tmp_path / "report.txt"
    done = run(*PART, "--count", FEW, "--first", 7, "--report", report, arch="sm_100a", lie="tcgen05")
    assert done.status == 1 and done.tally("tcgen05") == (FEW * (JOBS - 1), FEW)
    found = done.matches(r"launch (\d+), product 5: .*: CTA 0, lane 37, column \d+ is 0x(\w+), libtma 0x(\w+); "
                         r"--part tcgen05 --seed 1 --first \1 --count 1")
    assert [int(m[1]) for m in found] == list(range(7, 7 + FEW))
    assert all(int(m[2], 16) ^ int(m[3], 16) == 1 for m in found)
    assert len(re.findall(r"^# tcgen05 launch .*, libtma 0x\w+$", report.read_text(), re.M)) == FEW


def test_a_killed_kernel_ends_the_part():
    done = run(*PART, "--count", FEW, arch="sm_100a", lie="tcgen05-die")
    assert done.status == 1 and done.tally("tcgen05") == (0, JOBS)
    assert done.matches(r"launch 0, product 0: .*, or another of its products: cudaErrorIllegalInstruction")


@pytest.mark.parametrize("arch, forms", [("sm_103a", FORMS_103), ("sm_110a", FORMS)])
def test_other_chips_have_their_forms(arch, forms):
    done = run(*PART, "--count", 1, arch=arch)
    assert done.status == 0 and done.matches(rf"tcgen05: {forms} forms, .*")


@pytest.mark.parametrize("arch", ["sm_90a", "sm_120a"])
def test_a_chip_without_the_instruction(arch):
    done = run(*PART, arch=arch)
    assert done.status == 1 and done.tally("tcgen05") == (0, 1)


@pytest.mark.skipif(not shutil.which("ptxas") and not pathlib.Path("/usr/local/cuda/bin/ptxas").exists(),
                    reason="ptxas is missing")
@pytest.mark.parametrize("arch, forms", [("sm_100a", FORMS), ("sm_103a", FORMS_103), ("sm_110a", FORMS)])
def test_ptxas_takes_every_kernel(arch, forms, tmp_path):
    ptxas = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
    for form in range(0, forms, 1 if arch == "sm_100a" else 7):
        text = subprocess.run([os.environ["DRAW_KERNELS"], arch[3:-1], str(form)], capture_output=True, text=True, check=True).stdout
        (tmp_path / "k.ptx").write_text(text)
        done = subprocess.run([ptxas, "-arch", arch, tmp_path / "k.ptx", "-o", tmp_path / "k.cubin"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr + text
