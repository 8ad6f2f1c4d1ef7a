# SPDX-License-Identifier: Apache-2.0
"""Every call of libc's that a machine can refuse, refused in turn (fail_libc.c): the command says so and ends, or
answers as ever; what was there stays or is replaced as a whole, and nothing is left behind. TMA is the command,
FAIL_LIBC the library; FAIL_ALL=1: each call, else a sample of them by FAIL_SEED."""
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

from failing import chosen, count_of, preloadable

TMA, LIBRARY = os.environ["TMA"], preloadable(os.environ["FAIL_LIBC"])
TESTS = pathlib.Path(__file__).parents[1]
PTX = TESTS / "ptx" / "samples" / "nvcc_90.ptx"
WAITS = TESTS / "ptx" / "samples" / "persistent_90.ptx"
DUMP = TESTS / "vectors" / "hang" / "arrival_missing.nvcudmp.gz"
MAP = ["--dtype", "bf16", "--dim", "64,64", "--box", "64,8", "--swizzle", "128B"]
COMMANDS = {
    "check": ["check", *MAP], "json": ["plan", *MAP, "--json"], "encode": ["encode", *MAP],
    "load": ["load", *MAP, "--out", "out.npy"], "raw": ["load", *MAP, "--raw", "out.bin"],
    "store": ["store", *MAP, "--out", "out.npy"], "draw": ["draw", "copy", *MAP, "--out", "out.svg"],
    "find": ["find", "core"], "ptx": ["ptx", str(PTX)], "why": ["ptx", "--why", "84", str(PTX)],
    "ptx-mma": ["ptx", "--mma", str(PTX)], "mma": ["mma", *MAP, "--json"],
    "hang": ["hang", str(DUMP)],
    "ptxas": ["ptxas", "--real=./ptxas", "--keep=out.ptx", "--notes=notes", str(PTX)],
    "ptxas-record": ["ptxas", "--real=./ptxas", "--on-fault=record", "--notes=notes", str(PTX), "-o", "out.cubin"],
    "ptxas-hang": ["ptxas", "--real=./ptxas", "--on-fault=record", "--hang=2", "--notes=notes", str(WAITS)],
    "run-checked": ["run-checked", "--notes=notes", "./ptxas"],
    "run-checked-hang": ["run-checked", "--hang=2", "--notes=notes", "./ptxas"],
    "run-hang": ["run-hang", "--after=60", "./ptxas"],
}
OLD = b"what was there"


def records_left(before):
    """Other tests make and remove theirs meanwhile."""
    for _ in range(100):
        left = {name for name in set(os.listdir("/dev/shm")) - before if name.startswith("tma-faults")}
        if not left:
            break
        time.sleep(0.1)
    return left


def run(folder, words, at):
    for name in ("out.npy", "out.bin", "out.svg", "out.ptx", "out.cubin"):
        (folder / name).write_bytes(OLD)
    (folder / "core").write_bytes(bytes(8192))
    (folder / "ptxas").write_text("#!/bin/sh\ncase $* in *-o?out.cubin*) printf cu >out.cubin; sleep 0.05; printf bin >>out.cubin ;; esac\n")
    (folder / "ptxas").chmod(0o755)
    for name in ("notes", "count"):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / "tmp", ignore_errors=True)
    (folder / "tmp").mkdir()
    before = {f.name for f in folder.iterdir()} | {"notes", "count"}
    shared = set(os.listdir("/dev/shm"))
    done = subprocess.run([TMA, *words], cwd=folder, capture_output=True, timeout=60, check=False,
                          env=os.environ | {"LD_PRELOAD": LIBRARY, "FAIL_AT": str(at), "FAIL_COUNT": str(folder / "count"),
                                            "TMPDIR": str(folder / "tmp")})
    left = {f.name for f in folder.iterdir()} - before
    left |= {f.name for f in (folder / "tmp").iterdir()}
    left |= records_left(shared) if words[0] == "run-checked" else set()
    notes = folder / "notes"
    done.notes = re.sub(rb"/tma-\S+", b"", notes.read_bytes()) if notes.exists() else b""
    return done, left, {f.name: f.read_bytes() for f in folder.glob("out.*")}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_call_fails_once(tmp_path, name):
    right, left, wanted = run(tmp_path, COMMANDS[name], 0)
    assert not left and right.returncode in (0, 1, 3), right.stderr
    calls = count_of(tmp_path / "count")
    assert calls > 0
    wrong = []
    numbers = chosen(tmp_path / "count")
    for at in numbers:
        done, left, files = run(tmp_path, COMMANDS[name], at)
        same = (done.returncode, done.stdout, done.notes) == (right.returncode, right.stdout, right.notes)
        if done.returncode < 0 or left or not (same or done.stderr):
            wrong.append((at, done.returncode, left, done.stderr[-200:]))
        wrong += [(at, file, "half") for file in files if files[file] not in (OLD, wanted[file])]
    assert not wrong, (calls, wrong[:12])
    print(f"{name}: {len(numbers)} of {calls} calls")
