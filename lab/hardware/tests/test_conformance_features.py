# SPDX-License-Identifier: Apache-2.0
"""A GPU that has not what it is thought to have: one feature dies, everything else is counted; and
the report that is sent back."""
import re

import pytest
from conformance import keys, read_vectors, replay, run

PART = ("--part", "copies", "--traps", 8)
COUNT = 4000


def counted(done):
    """(run, would trap) of the part's line, and how many were left out."""
    ran, trapping = done.matches(r"copies: (\d+) run, .*; (\d+) would trap, .*")[0].groups()
    left = done.matches(r"copies: (\d+) have a feature that did not live, and were left out")
    return int(ran), int(trapping), int(left[0][1]) if left else 0


@pytest.mark.parametrize("arch, features", [("sm_90a", 7), ("sm_100a", 24), ("sm_120a", 19)])
def test_all_features_run_and_the_report_is_replayed(arch, features, tmp_path):
    path = tmp_path / "report.txt"
    done = run(*PART, "--count", COUNT, "--report", path, arch=arch)
    assert done.status == 0, done.lines
    found = done.matches(r"features: (\d+) of (\d+) run")[0]
    assert found[1] == found[2] and int(found[1]) == features
    cases = [line for line in read_vectors(path) if not line.startswith("#")]
    assert 300 < len(cases) < 600 and replay(path) == (len(cases), 0)
    head = [line for line in read_vectors(path) if line.startswith("#")]
    assert head[0] == "# tma-conformance report 1" and f"no GPU, {arch}, driver 13.0" in head[1]
    agree = [m for line in head if (m := re.fullmatch(r"# (?!cluster: )(.+?) +(\d+) agree, 0 differ", line))]
    assert len(agree) == features
    assert head[-1] == f"# copies: {done.tally('copies')[0]} passed, 0 failed"


@pytest.mark.parametrize("lie, name", [("atom64", "loads with 128B_ATOM_64B"),
                                       ("gather4", "gather4 loads")])
def test_one_feature_dies_and_the_rest_is_counted(lie, name, tmp_path):
    path = tmp_path / "report.txt"
    done = run(*PART, "--count", COUNT, "--report", path, lie=lie, arch="sm_100a")
    assert done.status == 1
    assert len(done.matches(rf"feature: {name} are killed; .*")) == 1
    assert len(done.matches(r"feature: .* are killed; .*")) == 1
    assert done.matches(r"features: 23 of 24 run")
    ran, trapping, left = counted(done)
    assert ran + trapping + left == COUNT and left < COUNT / 5
    assert done.tally("copies")[1] == 1 and done.tally("copies")[0] >= ran
    lines = read_vectors(path)
    assert [line for line in lines if re.fullmatch(rf"# {name} +killed", line)]
    killed = [line for line in lines if line.endswith(" st=trap:cudaErrorIllegalInstruction")
              and "traps" not in line]
    _, failed = replay(path)
    assert failed == 2  # the two that were run alone: libtma says that they run
    assert sum((keys(line)["mode"] == "gather4") == (lie == "gather4") for line in killed) >= 2


def test_the_report_has_every_difference(tmp_path):
    path = tmp_path / "report.txt"
    done = run(*PART, "--count", COUNT, "--report", path, lie="byte")
    failed = done.tally("copies")[1]
    assert done.status == 1 and failed > 10
    loads_that_differ = [line for line in read_vectors(path) if line.startswith("hw ")
                         and int(keys(line)["seed"]) % 100 == 7]
    assert len(loads_that_differ) >= failed
    # a byte of the window is spoiled: a load's answer, nothing that a store's line has
    loads = [line for line in loads_that_differ if keys(line)["op"] == "load"]
    assert replay(path)[1] == len(loads)


def test_all_parts_in_one_report(tmp_path):
    path = tmp_path / "report.txt"
    done = run("--part", "encode", "--part", "replace", "--count", 30000, "--report", path)
    assert done.status == 0
    lines = read_vectors(path)
    cases = [line for line in lines if not line.startswith("#")]
    assert {line.split()[0] for line in cases} == {"enc", "rep", "dev"}
    assert replay(path) == (len(cases), 0) and len(cases) < 1500
    assert "# encode: 30000 passed, 0 failed" in lines


def test_a_report_or_vectors(tmp_path):
    done = run(*PART, "--report", tmp_path / "a", "--write-vectors", tmp_path / "b")
    assert done.status == 2 and "not both" in done.errors
    done = run(*PART, "--report", tmp_path / "nosuch" / "a")
    assert done.status == 2 and "nosuch/a: No such file" in done.errors


READINGS = {0: "w128-halo=chunks", 1 << 8: "b4-column=2el", 1: "w128-halo=behind", 2: "w128-halo=behind-chunks",
            1 << 2: "halo-pixels=along-w", 2 << 2: "halo-pixels=next-row", 1 << 4: "w-images=stride",
            1 << 10: "b4-store-edge=exact"}


@pytest.mark.parametrize("readings, name", READINGS.items())
def test_a_gpu_that_reads_otherwise(readings, name, tmp_path):
    """It swaps the halo's order, steps N otherwise: the reading is found and printed, and then
    everything agrees."""
    path = tmp_path / "report.txt"
    done = run(*PART, "--count", COUNT, "--report", path, arch="sm_100a", readings=readings)
    assert done.status == 0, done.lines
    found = [m[1] for m in done.matches(r"reading: (\S+?=\S+?)(?::.*)?")]
    assert name in found and "atom-64B-loads=run" in found
    others = [READINGS[0], "halo-pixels=walk", "w-images=one", "b4-column=16B",
              "b4-store-edge=units"]
    question = name.split("=")[0]
    assert sorted(found) == sorted([name, "atom-64B-loads=run"]
                                   + [o for o in others if o.split("=")[0] != question])
    ran, trapping, left = counted(done)
    assert ran + trapping == COUNT and left == 0
    assert any(line.startswith(f"# reading: {name}") for line in read_vectors(path))
    how = [line for line in read_vectors(path) if line.startswith("# replay: ")]
    assert how == ([f"# replay: tma replay --check --reading {name}"] if readings else [])
    assert replay(path, *([f"--reading={name}"] if readings else []))[1] == 0
    if readings and question == "w128-halo":  # the others' are few: the report may have none
        assert replay(path)[1] > 0


def test_a_halo_that_nobody_knows():
    """A byte of each load is wrong: no reading agrees, and that is said."""
    done = run(*PART, "--count", COUNT, arch="sm_100a", lie="halo")
    assert done.status == 1
    assert done.matches(r"reading: w128-halo: this GPU does none of those known \(\d+ copies\)")
    assert done.tally("copies")[1] > 1


def refused(done):
    """(rule, ran, ran as known, killed) of each feature that libtma refuses."""
    found = done.matches(r"refused: (.+) \(([A-Za-z0-9-]+)\): (\d+) ran(?: \((\d+) as by \S+\))?, "
                         r"(\d+) killed(?: \(\w+\))?")
    return {m[1]: (m[2], int(m[3]), int(m[4] or 0), int(m[5])) for m in found}


FLIP = "stores with 128B_ATOM_32B_FLIP_8B"
HALVES = "stores of 16U6_ALIGN16B in rows of 48 bytes"
COLUMN = "16U4_ALIGN8B from a column that is no multiple of 16 bytes"
RUN_ALL_THE_SAME = [("", 0, {}), ("flip", 0, {FLIP: ("swizzle-direction", 4, 0, 0)}),
                    ("halves", 0, {HALVES: ("inner-packed", 4, 4, 0)}),
                    ("", 1 << 8, {COLUMN: ("coord-align", 4, 4, 0)})]


@pytest.mark.parametrize("lie, readings, ran", RUN_ALL_THE_SAME)
def test_what_libtma_refuses_is_asked(lie, readings, ran, tmp_path):
    """One GPU kills all of it, others run one thing: the bytes are in the report, and no failure."""
    path = tmp_path / "report.txt"
    done = run(*PART, "--count", COUNT, "--report", path, lie=lie, arch="sm_100a", readings=readings)
    assert done.status == 0, done.lines
    found = refused(done)
    assert len(found) == 10 and all(of[1] + of[3] == 4 for of in found.values())
    assert {name: found[name] for name in ran} == ran
    assert done.matches(r"refused: 40 copies that libtma refuses were asked; 0 of 10 kinds .*")
    assert done.matches(f"reading: b4-column={'2el' if COLUMN in ran else '16B'}")
    lines = [line for line in read_vectors(path) if line.startswith("refused ")]
    assert len(lines) == 40 and replay(path)[1] == 0
    ran_lines = [line for line in lines if " st=trap:" not in line]
    assert len(ran_lines) == sum(of[1] for of in found.values())
    for line in ran_lines:
        size = int(keys(line)["n"])
        assert size == int(keys(line)["win" if keys(line)["op"] == "load" else "gwin"])
        assert size > 4096 or len(keys(line)["raw"]) == 2 * size
    killed = [line for line in lines if " st=trap:" in line]
    assert all(line.endswith("st=trap:cudaErrorIllegalInstruction") for line in killed)


@pytest.mark.parametrize("arch, kinds", [("sm_90a", 0), ("sm_103a", 9), ("sm_120a", 7)])
def test_what_a_chip_has_no_instruction_for_is_not_asked(arch, kinds):
    done = run(*PART, "--count", COUNT, arch=arch)
    assert done.status == 0 and len(refused(done)) == kinds
    assert done.matches(rf"refused: {4 * kinds} copies that .*; {10 - kinds} of 10 kinds are for "
                        "other chips")


def test_a_column_that_nobody_knows():
    """A byte is spoiled: it runs, and as neither reading has it."""
    done = run(*PART, "--count", COUNT, arch="sm_100a", readings=1 << 8, lie="column")
    assert done.status == 1
    assert done.matches("reading: b4-column: this GPU does none of those known")
    assert done.tally("copies")[1] == 1


def test_workers_that_die_before_they_answer():
    """Copies that could not be asked are failures, each one, and decide no reading of columns."""
    done = run(*PART, "--count", COUNT, arch="sm_100a", lie="die")
    lost = done.matches(r"refused: (.+) \(\): 0 ran, 0 killed, 4 not asked: the worker failed")
    assert done.status == 1 and len({m[1] for m in lost}) == len(lost) == 10
    assert done.matches("refused: 0 copies that libtma refuses were asked; 0 of 10 kinds .*")
    assert not done.matches("reading: b4-column.*")
    assert len(done.matches("feature: .+ are not known: the worker failed; .*")) == 24
    assert done.matches("features: 0 of 24 run") and done.tally("copies") == (0, 24 + 4 * 10 + 1)
    assert done.matches("reading: atom-64B-loads: not known, a worker failed")
    assert not done.matches("reading: .*=.*")


def test_workers_that_die_where_a_reading_is_tried():
    """Nothing is known of such a question then, though the document's reading alone was seen to agree."""
    done = run(*PART, "--count", COUNT, arch="sm_100a", lie="reading")
    assert done.status == 1 and done.matches("features: 24 of 24 run")
    assert len(done.matches(r"reading: \S+: not known, a worker failed \(\d+ copies\)")) >= 2


KINDS = {"multicast loads": "sm_90a", "loads with .cta_group::2": "sm_100a",
         "multicast loads with .cta_group::2": "sm_100a"}


def clusters(done):
    """(agree, differ) of each kind of loads by a cluster."""
    return {m[1]: (int(m[2]), int(m[3]))
            for m in done.matches(r"cluster: (.+): (\d+) agree, (\d+) differ")}


@pytest.mark.parametrize("arch, kinds", [("sm_90a", 1), ("sm_100a", 3), ("sm_120a", 1)])
def test_loads_of_clusters(arch, kinds, tmp_path):
    path = tmp_path / "report.txt"
    done = run(*PART, "--count", 2000, "--report", path, arch=arch)
    assert done.status == 0, done.lines
    found = clusters(done)
    assert found == dict.fromkeys(list(KINDS)[:kinds], (16, 0))
    assert done.tally("copies")[0] == counted(done)[0] + 8 + 16 * kinds
    assert "# cluster: multicast loads: 16 agree, 0 differ" in read_vectors(path)


def test_multicast_dies_and_the_rest_is_counted():
    done = run(*PART, "--count", 2000, arch="sm_100a", lie="multicast")
    assert done.status == 1 and clusters(done) == {"loads with .cta_group::2": (16, 0)}
    assert len(done.matches(r"cluster: .*: killed \(cudaErrorIllegalInstruction\); libtma says they "
                            "run")) == 2
    assert done.tally("copies")[1] == 2


def test_no_memory_to_compare_clusters_with():
    done = run(*PART, "--count", 2000, lie="cluster-memory")
    assert done.status == 1 and not clusters(done) and done.tally("copies")[1] == 1
    assert done.matches("cluster: multicast loads: the worker ended with status 3")
    assert re.fullmatch(r"tma-conformance: no memory for \d+ bytes\n", done.errors)


def test_a_peer_that_is_not_signalled_and_a_neighbour_that_is_written():
    done = run(*PART, "--count", 2000, arch="sm_100a", lie="own-barrier")
    found = clusters(done)
    assert done.status == 1 and found["multicast loads"] == (16, 0)
    assert all(sum(found[kind]) == 16 and found[kind][1] > 2 for kind in list(KINDS)[1:])
    assert done.matches(r"case \d+, loads with .cta_group::2, mask 0x0, issued by CTA (\d), barrier "
                        r"of CTA (?!\1)\d: CTA \d: its barrier (did not complete|got more .*)")
    done = run(*PART, "--count", 2000, arch="sm_90a", lie="neighbour")
    assert clusters(done) == {"multicast loads": (0, 16)} and done.tally("copies")[1] == 16
    assert len(done.matches(r"  shared window: 1 of \d+ bytes differ, .*")) == 16


@pytest.mark.parametrize("arch, names", [
    ("sm_103a", {"loads with 96B", "stores with 96B", HALVES}),
    ("sm_107a", {"loads with 96B", "stores with 96B", HALVES}), ("sm_100a", set())])
def test_what_few_chips_have(arch, names, tmp_path):
    """96B comes from an edit on the device; rows of 48 bytes are stored by sm_103a (PTX 9.1)
    and sm_107 (PTX 9.4)."""
    path = tmp_path / "report.txt"
    done = run(*PART, "--count", COUNT, "--report", path, arch=arch)
    assert done.status == 0, done.lines
    agree = {m[1]: int(m[2]) for line in read_vectors(path)
             if (m := re.fullmatch(r"# (?!cluster: )(.+?) +(\d+) agree, 0 differ", line))}
    assert {name for name in agree if "96B" in name or "48 bytes" in name} == names
    assert not {name: agree[name] for name in names if agree[name] < 10} and replay(path)[1] == 0
    done = run(*PART, "--count", COUNT, arch=arch, lie="edit96")
    assert done.status == (1 if names else 0)


def test_an_edit_that_does_not_come(tmp_path):
    """tensormap.replace.swizzle_mode 4 leaves the map as it is: each copy with 96B differs."""
    path = tmp_path / "report.txt"
    done = run(*PART, "--count", COUNT, "--report", path, arch="sm_103a", lie="edit96")
    differ = {m[1]: (int(m[2]), int(m[3])) for line in read_vectors(path)
              if (m := re.fullmatch(r"# (?!cluster: )(.+?) +(\d+) agree, (\d+) differ", line))}
    assert done.status == 1 and sum(differ["loads with 96B"]) > 10
    assert done.matches(r"feature: loads with 96B: \d+ of \d+ differ")
