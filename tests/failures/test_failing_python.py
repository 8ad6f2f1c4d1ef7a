# SPDX-License-Identifier: Apache-2.0
"""Every allocation, write, open and rename that the Python package's own code asks of libc, refused in turn
(fail_libc.c), from the end of its import on: an exception or the answer, files whole or as they were, and afterwards
each answer as ever. Run by tools/python_package.sh; FAIL_LIBC is the library. What the interpreter itself asks for is
not refused. FAIL_ALL=1: each call, else a sample of them by FAIL_SEED."""
import os
import subprocess
import sys

import pytest

from failing import chosen, count_of, preloadable

pytest.importorskip("libtma")
LIBRARY = preloadable(os.environ["FAIL_LIBC"])
# Two allocations end the process (SECURITY.md); their place in the stack points to nanobind's table of objects.
BINDINGS_OWN = 2
IMPORT = "import numpy as np, libtma\nfrom libtma import TensorMapDescriptor as D\n"
STEPS = IMPORT + """
import sys
base = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
def made(): return D.tiled(base, (8, 64), swizzle=libtma.TensorMapSwizzle.SWIZZLE_128B)
def tiled(): return bytes(made())[8:].hex()
def load(): return made().load([8, 0]).tobytes().hex()
def store():
    other = np.zeros((64, 64), np.float16)
    D.tiled(other, (8, 64)).store([8, 0], np.ones((8, 64), np.float16))
    return other.sum()
def decode(): return made().decode()["rank"]
def check(): return len(made().check())
def json(): return len(made().to_json()) > 100
def walk(): return len(list(made().walk([0, 0])))
def picture():
    made().draw("copy", [0, 0]).save("out.svg")
    return len(open("out.svg").read()) > 1000
def refused():
    try:
        D.tiled(base, (8, 65), swizzle=libtma.TensorMapSwizzle.SWIZZLE_128B)
    except libtma.TensorMapError as error:
        return len(str(error))
def replaced():
    d = made()
    d.replace_address(base[8:])
    return len(bytes(d))
for turn in range(2):
    for step in (tiled, load, store, decode, check, json, walk, picture, refused, replaced):
        try:
            print(turn, step.__name__, step())
        except (MemoryError, OSError, libtma.TensorMapError) as error:
            print(turn, step.__name__, "failed", type(error).__name__)
"""


def run(folder, script, at):
    (folder / "count").unlink(missing_ok=True)
    return subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, timeout=120, check=False, text=True,
                          env=os.environ | {"LD_PRELOAD": LIBRARY, "FAIL_AT": str(at), "FAIL_COUNT": str(folder / "count"),
                                            "FAIL_OBJECT": "libtma/_core,libstdc++"})


def test_an_exception_or_the_answer(tmp_path):
    assert run(tmp_path, IMPORT, 0).returncode == 0
    imported = count_of(tmp_path / "count")
    right = run(tmp_path, STEPS, 0)
    assert right.returncode == 0 and "failed" not in right.stdout, right.stderr
    calls = count_of(tmp_path / "count")
    numbers = chosen(tmp_path / "count", imported)
    wrong, ended = [], 0
    for at in numbers:
        done = run(tmp_path, STEPS, at)
        lines = done.stdout.splitlines()
        if done.returncode == -6 and "instance of 'std::bad_alloc'" in done.stderr:
            ended += 1
            continue
        failed = [line for line in lines if "failed" in line]
        same = [line for line in lines if line in right.stdout.splitlines()]
        if done.returncode or len(failed) > 1 or len(failed) + len(same) != len(right.stdout.splitlines()):
            wrong.append((at, done.returncode, failed, done.stderr[-300:]))
    assert ended <= BINDINGS_OWN
    assert numbers and not wrong, (calls, wrong[:6])
    print(f"python: {len(numbers)} of {calls - imported} calls")
