# SPDX-License-Identifier: Apache-2.0
"""A file of 1 GiB with 1,000 maps of all kinds among text, numbers and pointers: `tma find` finds all
and invents none, in few instructions for each byte. TMA names the program, TEST_FIND the one that
plants them."""
import json
import os
import re
import shutil
import subprocess

import pytest

MIB = 1024
FEW_MIB, MORE_MIB = 1, 5
MOST = 9.0 # instructions a byte


def planted(file, mib):
    subprocess.run([os.environ["TEST_FIND"]], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "TMA_FIND_MIB": str(mib), "TMA_FIND_FILE": str(file)})
    assert file.stat().st_size == mib << 20
    return [line.split() for line in file.with_name(f"{file.name}.planted").read_text().splitlines()]


def test_a_gibibyte(tmp_path):
    file = tmp_path / "memory.bin"
    maps = planted(file, MIB)
    done = subprocess.run([os.environ["TMA"], "find", "--json", file], capture_output=True, text=True)
    file.unlink()
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and not done.stderr and len(maps) == 1000
    assert [[str(f["offset_B"]), f["form"]] for f in found] == maps
    assert {f["form"] for f in found} == {"whole", "edited", "built", "cute-dsl"}


def instructions(file):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", os.environ["TMA"], "find", file],
                          capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
def test_few_instructions_for_each_byte(tmp_path):
    counts = []
    for mib in (FEW_MIB, MORE_MIB):
        planted(tmp_path / "memory.bin", mib)
        counts.append(instructions(tmp_path / "memory.bin"))
    each = (counts[1] - counts[0]) / (MORE_MIB - FEW_MIB << 20)
    print(f"{each:.2f} instructions a byte")
    assert 0 < each < MOST
