# SPDX-License-Identifier: Apache-2.0
"""Launches of lab/hardware/hangs/hangs.py, captured on an H200 where seven of the ten hang (lab/hardware/hangs/README.md):
tma emulate ends each of the seven in a deadlock and says which barrier waits and what it lacks. TMA is the command."""
import json
import os
import pathlib
import subprocess

import pytest

TMA = os.environ["TMA"]
LAUNCHES = pathlib.Path(__file__).parent / "launches"

# What waits, as the programs make it: rule, barrier, parity of the open phase, arrivals and bytes that it lacks, line.
HANGS = {
    "cupy_arrival_missing": ("arrive-missing", 0x2408, 1, 1, 0, "rounds.cu:25"),
    "cupy_bulk_short": ("expect-missing", 0x2408, 0, 0, 16, "rounds.cu:25"),
    "cupy_wrong_barrier": ("expect-missing", 0x2408, 1, 0, 4096, "rounds.cu:25"),
    "gluon_copy_missing": ("expect-missing", 0x4408, 1, 0, 8192, "hangs_gluon.py:33"),
    "gluon_expects_more": ("expect-missing", 0x4408, 0, 0, 512, "hangs_gluon.py:33"),
    "gluon_wrong_parity": ("arrive-missing", 0x4408, 0, 1, 0, "hangs_gluon.py:35"),
    "triton_expects_more": ("expect-missing", 0x34400, 0, 0, 2048, "triton_kernels.py:20"),
}
# Two CTAs of right_gluon store the same tile to the same place, 4 instructions of one line.
RIGHT = {"right_cupy": [], "right_gluon": 4 * [("data-race", "hangs_gluon.py:40")], "right_triton": []}


def emulated(name):
    done = subprocess.run([TMA, "emulate", "--json", LAUNCHES / f"{name}.launch"], capture_output=True, text=True,
                          timeout=500, check=False)
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


def source_of(finding):
    return finding["source"].split("/")[-1]


@pytest.mark.parametrize("name", HANGS)
def test_what_hangs_is_a_deadlock(name):
    status, said = emulated(name)
    assert (status, said["end"]) == (1, "deadlock")
    [finding] = said["findings"]
    barrier = finding["barrier"]
    assert (finding["rule"], int(barrier["address"], 16), barrier["phase"], barrier["arrivals_missing"],
            barrier["bytes_missing_B"], source_of(finding)) == HANGS[name]
    assert finding["certain"]


def test_where_the_bytes_came():
    [finding] = emulated("cupy_wrong_barrier")[1]["findings"]
    assert "as many came unexpected to the mbarrier at 0x2400 (rounds::full)" in finding["missing"]


@pytest.mark.parametrize("name", RIGHT)
def test_what_ends_has_no_deadlock(name):
    _, said = emulated(name)
    assert said["end"] == "completed"
    assert [(f["rule"], source_of(f)) for f in said["findings"]] == RIGHT[name]


def test_all_launches_are_asked():
    assert {path.stem for path in LAUNCHES.iterdir()} == {*HANGS, *RIGHT}
