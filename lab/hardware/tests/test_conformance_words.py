# SPDX-License-Identifier: Apache-2.0
"""All that tma-conformance says and writes, line by line, beside a GPU and a driver that tell the truth or lie: words/.
Lines of cases are shown by what they begin with and a check sum. REBASE=1 writes them anew: read the difference."""
import concurrent.futures
import difflib
import hashlib
import os
import pathlib
import re

import pytest
from conformance import run

WORDS = pathlib.Path(__file__).parent / "words"
VERSION = re.search(r'^#define TMA_VERSION +"(.*)"$', (
    WORDS.parents[3] / "include/tma/export.h").read_text(), re.M)[1]
COPIES = ("--part", "copies", "--count", 2000, "--traps", 8)
FEW = ("--part", "copies", "--count", 300, "--traps", 3)
ENCODE = ("--part", "encode", "--count", 3000)
REPLACE = ("--part", "replace", "--count", 1000)
BARRIER = ("--part", "barrier", "--count", 20500)
WGMMA = ("--part", "wgmma", "--count", 640)
# name: arguments, a file written (report, vectors or none), what the pretended machine is
RUNS = {
    "copies": (COPIES, "report", {}),
    "copies_byte": (COPIES, "report", {"lie": "byte"}),
    "copies_more": (COPIES, "", {"lie": "more"}),
    "copies_kill": (COPIES, "vectors", {"lie": "kill"}),
    "copies_kills": ((*FEW, "--batch", 64), "report", {"lie": "kills"}),
    "copies_kills_in_pieces": ((*FEW, "--batch", 17, "--seed", 4), "vectors", {"lie": "kills"}),
    "copies_together": ((*FEW, "--batch", 40), "report", {"lie": "together"}),
    "copies_live": ((*FEW, "--first", 1000), "", {"lie": "live"}),
    "copies_name": (FEW, "", {"lie": "name"}),
    "copies_die": (COPIES, "", {"lie": "die"}),
    "copies_traps": (("--part", "copies", "--count", 1, "--traps", 60), "vectors", {}),
    "copies_no_traps": (("--part", "copies", "--count", 1, "--traps", 0), "", {}),
    "copies_seed": ((*COPIES, "--seed", 77, "--first", 123456789), "report", {}),
    "copies_100": (COPIES, "report", {"arch": "sm_100a"}),
    "copies_100_byte": (COPIES, "vectors", {"arch": "sm_100a", "lie": "byte"}),
    "copies_100_features": (COPIES, "report", {"arch": "sm_100a", "lie": "atom64,gather4"}),
    "copies_100_refused": (COPIES, "report", {"arch": "sm_100a", "lie": "flip,halves"}),
    "copies_100_live": (COPIES, "report", {"arch": "sm_100a", "lie": "live"}),
    "copies_100_clusters": (COPIES, "report", {"arch": "sm_100a", "lie": "own-barrier,neighbour"}),
    "copies_100_multicast": (COPIES, "", {"arch": "sm_100a", "lie": "multicast"}),
    "copies_100_column": (COPIES, "report", {"arch": "sm_100a", "lie": "column,halo"}),
    "copies_100_read": (COPIES, "report", {"arch": "sm_100a", "readings": 0x55}),
    "copies_100_read_too": (COPIES, "report", {"arch": "sm_100a", "readings": 0xaa}),
    "copies_103": (COPIES, "report", {"arch": "sm_103a"}),
    "copies_120": (COPIES, "report", {"arch": "sm_120a"}),
    "encode": (ENCODE, "report", {}),
    "encode_bit": (ENCODE, "report", {"lie": "bit"}),
    "encode_rc": ((*ENCODE, "--first", 70000), "vectors", {"lie": "rc"}),
    "encode_address": (ENCODE, "vectors", {"lie": "address", "arch": "sm_100a"}),
    "encode_alone": (("--part", "encode", "--count", 99999, "--threads", 3), "", {"lie": "rc"}),
    "encode_processes": (("--part", "encode", "--count", 100000, "--threads", 3), "report", {"lie": "bit"}),
    "encode_die": (("--part", "encode", "--count", 100001, "--threads", 3), "", {"lie": "die"}),
    "replace": (REPLACE, "report", {}),
    "replace_edit": (REPLACE, "report", {"lie": "edit"}),
    "replace_die": (REPLACE, "", {"lie": "die"}),
    "replace_100": ((*REPLACE, "--seed", 9), "vectors", {"arch": "sm_100a"}),
    "replace_then_die": (("--part", "replace", "--part", "speed", "--count", 20), "", {"lie": "die"}),
    "barrier": (BARRIER, "report", {}),
    "barrier_wait": (BARRIER, "", {"lie": "barrier-wait"}),
    "barrier_state": ((*BARRIER, "--seed", 2), "", {"lie": "barrier-state"}),
    "barrier_word": (BARRIER, "", {"lie": "barrier-word"}),
    "barrier_live": ((*BARRIER, "--seed", 3, "--first", 77), "", {"lie": "barrier-live"}),
    "barrier_name": ((*BARRIER, "--threads", 3), "", {"lie": "barrier-name"}),
    "barrier_dump": (BARRIER, "vectors", {"lie": "barrier-dump"}),
    "barrier_die": (BARRIER, "", {"lie": "barrier-die"}),
    "wgmma": (WGMMA, "vectors", {}),
    "wgmma_wrong": ((*WGMMA, "--seed", 5), "report", {"lie": "wgmma"}),
    "wgmma_tile": ((*WGMMA, "--seed", 6), "", {"lie": "wgmma-tile"}),
    "wgmma_die": (WGMMA, "", {"lie": "wgmma-die"}),
    "wgmma_100": (WGMMA, "", {"arch": "sm_100a"}),
    "copies_count": (FEW, "report", {"lie": "count"}),
    "copies_memory": (FEW, "", {"lie": "memory"}),
    "older": ((*REPLACE, "--part", "encode"), "report", {"lie": "older"}),
    "two_parts": (("--part", "replace", "--part", "encode", "--count", 500), "report", {"lie": "edit"}),
}


def shown(line):
    """A line without times, and with a check sum in place of a case."""
    line = re.sub(r"\b\d+\.\d s\b", "N s", line)
    case = re.match(r"((?:hw|enc|rep|dev|refused|wgmma) \w+=\w+ \w+=\w+|random bytes:|  \w.* hardware=) ?.*", line)
    return f"{case[1]} ... {hashlib.sha256(line.encode()).hexdigest()[:12]}" if case else line


def said(name, folder):
    arguments, kind, machine = RUNS[name]
    path = folder / name
    option = {"report": ("--report", path), "vectors": ("--write-vectors", path), "": ()}[kind]
    done = run("--threads", 1, *arguments, *option, **machine)
    lines = [*done.lines, *[f"2> {line}" for line in done.errors.splitlines()], f"[exit {done.status}]"]
    if kind:
        written = path.read_text().splitlines()
        cases = [line for line in written if not line.startswith("#")]
        cases = sorted(cases) if "processes" in name else cases # each writes its own when it can
        lines += ["", f"written: {len(cases)} cases {hashlib.sha256(chr(10).join(cases).encode()).hexdigest()[:12]}",
                  *[line for line in written if line.startswith("#")]]
    return [shown(line).replace(str(path), "FILE") for line in lines]


@pytest.fixture(scope="module")
def running(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("words")
    chosen = [i.callspec.params["name"] for i in request.session.items if i.originalname == "test_all_that_is_said"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {name: pool.submit(said, name, folder) for name in chosen}


@pytest.mark.parametrize("name", RUNS)
def test_all_that_is_said(name, running):
    path = WORDS / f"{name}.txt"
    now = running[name].result()
    if os.environ.get("REBASE") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(now) + "\n")
        return
    before = re.sub(r"\blibtma \d+\.\d+\.\d+,", f"libtma {VERSION},", path.read_text()).splitlines()
    assert now == before, "\n".join(difflib.unified_diff(before, now, path.name, "as it is now", n=3, lineterm=""))


def test_nothing_else_is_there():
    assert sorted(path.stem for path in WORDS.iterdir()) == sorted(RUNS)
