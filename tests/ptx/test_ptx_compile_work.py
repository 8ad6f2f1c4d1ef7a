# SPDX-License-Identifier: Apache-2.0
"""tma ptxas --on-fault=record: how much ptxas gets to do for the checks, as counts that no machine and no load changes:
machine instructions of a small kernel and of each copy, PTX statements, variables. The times are lab/bench/compile_time.py's."""
import contextlib
import importlib.util
import io
import os
import re
import subprocess
from pathlib import Path

import pytest
from machine_code import NVDISASM, PTXAS, functions

TMA = os.environ["TMA"]
BENCH = Path(__file__).resolve().parents[2] / "lab/bench/compile_time.py"
MOST_INSTRUCTIONS = 640  # for three maps and 10 copies; each other copy:
MOST_MORE = 10
MOST_STATEMENTS = 1200
MOST_MORE_STATEMENTS = 55
pytestmark = pytest.mark.skipif(not PTXAS or not NVDISASM, reason="no ptxas or no nvdisasm")


def first_kernel(kernels):
    """Of a file with so many kernels and 200 copies."""
    spec = importlib.util.spec_from_file_location("compile_time", BENCH)
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        bench.write(kernels)
    return text.getvalue().partition(".visible .entry k1(")[0]


def instructions(cubin):
    said = subprocess.run([NVDISASM, "-c", cubin], capture_output=True, text=True, check=True).stdout
    return sum(not isinstance(item, str) and item[1] != "NOP" for items in functions(said).values() for item in items)


def work(copies, tmp_path):
    """What the checks of so many copies add: machine instructions, PTX statements; and the file with them."""
    source, kept, cubin = tmp_path / "k.ptx", tmp_path / "kept.ptx", tmp_path / "k.cubin"
    source.write_text(first_kernel(200 // copies))
    ptxas = [PTXAS, "-arch=sm_90a", source, "-o", cubin]
    subprocess.run(ptxas, check=True)
    plain = instructions(cubin)
    subprocess.run([TMA, "ptxas", f"--real={PTXAS}", "--on-fault=record", f"--keep={kept}", *ptxas[1:]], check=True)
    return instructions(cubin) - plain, kept.read_text().count(";") - source.read_text().count(";"), kept.read_text()


def test_the_checks_stay_small(tmp_path):
    few, few_statements, _ = work(10, tmp_path)
    many, many_statements, _ = work(40, tmp_path)
    assert few <= MOST_INSTRUCTIONS and many - few <= 30 * MOST_MORE
    assert few_statements <= MOST_STATEMENTS and many_statements - few_statements <= 30 * MOST_MORE_STATEMENTS


def test_strings_are_written_once(tmp_path):
    """Two opcodes, one kernel, no file: ptxas took an eighth of its time for a string of each copy."""
    text = work(10, tmp_path)[2]
    assert len(re.findall(r"^\.global [^\n]*libtma_checker_(?:file|function|opcode)_\d+\[", text, re.M)) == 4
    assert len(re.findall(r"^\.global [^\n]*libtma_checker_site_\d+\[", text, re.M)) == 10
