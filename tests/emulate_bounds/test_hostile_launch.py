# SPDX-License-Identifier: Apache-2.0
"""`tma emulate FILE.launch` on launch files that are made to break it: each is refused with a message, or runs within its
limits."""
import json
import os
import random
import subprocess

import limited
import pytest
from hostile_ptx import module

TMA = os.environ["TMA"]
COMPLETED, FINDINGS, MISUSE, NOT_ENDED = 0, 1, 2, 3
PTX = module("ld.param.u64 %q1, [p];\nld.param.u32 %r1, [n];\nst.global.u32 [%q1], %r1;", parameters=".param .u64 p, .param .u32 n")
LIMITS = {"max_instructions": 100000, "max_memory_B": 64000000}
RIGHT = {"schema": 1, "verb": "launch", "ptx": PTX, "kernel": "k", "grid": [1, 1, 1], "block": [1, 1, 1],
         "params": [{"name": "p", "param": "zeros:64"}, {"name": "n", "param": "3"}], "files": [], "options": LIMITS}


def launch(**other):
    """The right one with other members; None: without that one."""
    return json.dumps({key: value for key, value in (RIGHT | other).items() if value is not None})


def of_map(words):
    return launch(ptx=module("", parameters=".param .align 64 .b8 m[128]"), params=[{"name": "m", "map": words}])


# name: text of the file, exit status, words of the answer
CASES = {
    "right": (launch(), COMPLETED, "completed"),
    "nothing": ("", MISUSE, "expected"),
    "blanks": (" " * 1000000, MISUSE, "expected"),
    "a list": ("[]", MISUSE, "an object is expected"),
    "no end": (launch()[:-1], MISUSE, "expected"),
    "lists in lists": ("[" * 1000000, MISUSE, "more than 32 deep"),
    "objects in objects": ('{"options":' * 1000000, MISUSE, "more than 32 deep"),
    "a text without an end": ('{"schema": 1, "ptx": "' + "a" * 1000000, MISUSE, "does not end"),
    "an escape at the end": ('{"schema": 1, "ptx": "\\', MISUSE, "does not end"),
    "half a surrogate": (launch().replace('"k"', '"\\ud800"'), MISUSE, "half of a pair"),
    "members": ("{" + ",".join(f'"a{i}": 1' for i in range(100000)) + "}", MISUSE, "no key here"),
    "one member many times": ("{" + '"schema": 1,' * 100000 + launch()[1:], COMPLETED, "completed"),
    "another schema": (launch(schema=18446744073709551615), MISUSE, "this version reads 1"),
    "a schema beyond 64 bits": (launch(schema=10**400), MISUSE, "overflows"),
    "no PTX": (launch(ptx=None), MISUSE, "neither a file nor its ptx"),
    "a text of zeros": (launch(ptx="\0" * 1000), MISUSE, "no text"),
    "PTX that is none": (launch(ptx="{" * 100000), MISUSE, "no function has a body"),
    "a file of itself": (launch(ptx=None, file="x.launch"), MISUSE, "no function has a body"),
    "a folder": (launch(ptx=None, file="/"), MISUSE, "cannot read"),
    "no kernel of the name": (launch(kernel="k" * 100000), MISUSE, "none has that name"),
    "a grid of nothing": (launch(grid=[0]), MISUSE, "must be 1 to 4294967295"),
    "a grid of four": (launch(grid=[1, 1, 1, 1]), MISUSE, "one to three numbers"),
    "a grid below 0": (launch(grid=[-1]), MISUSE, "negative"),
    "a grid with a point": (launch(grid=[1.5]), MISUSE, "not a number"),
    "the largest grid": (launch(grid=[2147483647, 65535, 65535]), NOT_ENDED, "limit"),
    "a grid beyond": (launch(grid=[4294967295] * 3), MISUSE, "grid.x: 4294967295"),
    "a block beyond": (launch(block=[4294967295] * 3), MISUSE, "1024"),
    "a cluster beyond": (launch(cluster=[4294967295] * 3), MISUSE, "at most 16"),
    "shared memory": (launch(shared_B=4294967295), MISUSE, "at most 232448"),
    "options beyond": (launch(options={"schedules": 2**64 - 1}), MISUSE, "at most"),
    "no instructions": (launch(options={"max_instructions": 1}), NOT_ENDED, "limit"),
    "a number of 64 bits": (launch(options=LIMITS | {"seed": 2**64 - 1, "resident": 4294967295}), COMPLETED, "completed"),
    "a parameter twice": (launch(params=[{"name": "n", "param": "3"}] * 100000), MISUSE, "given twice"),
    "a parameter that is none": (launch(params=[{"name": "q" * 100000, "param": "3"}]), MISUSE, "no parameter of k"),
    "a parameter without a name": (launch(params=[{"param": "3"}]), MISUSE, "each has a name"),
    "a parameter that is a list": (launch(params=[[]]), MISUSE, "an object is expected"),
    "memory without end": (launch(params=[{"name": "p", "param": "zeros:18446744073709551615"}, {"name": "n", "param": "3"}]), MISUSE, "2^40"),
    "memory beyond its offset": (launch(params=[{"name": "p+18446744073709551615", "param": "1"}]), MISUSE, "more than 2147483647"),
    "memory of itself": (launch(params=[{"name": "p", "param": "@p"}, {"name": "n", "param": "3"}]), MISUSE, "no memory belongs"),
    "a map of nothing": (of_map(""), MISUSE, "cannot read"),
    "a map of words without end": (of_map("--dim " + "1," * 100000), MISUSE, "--dim"),
    "a map of many words": (of_map("--dim 1 " * 100000), MISUSE, "--dim"),
    "digits without end": (of_map("0" * 1000000), MISUSE, "cannot open"),
    "a file that is not there": (launch(params=[{"name": "p", "param": "file:/nowhere/at/all"}, {"name": "n", "param": "3"}]), MISUSE, "cannot open"),
    "bytes that are none": (launch(files=[{"path": "a", "hex": "0g"}]), MISUSE, "no hex"),
    "half a byte": (launch(files=[{"path": "a", "hex": "0"}]), MISUSE, "its bytes as hex"),
    "files of one path": (launch(files=[{"path": "a", "hex": "00"}] * 100000), COMPLETED, "completed"),
}


@pytest.mark.parametrize("name", CASES)
def test_ends_within_its_limits(name, tmp_path):
    text, status, words = CASES[name]
    path = tmp_path / "x.launch"
    path.write_text(text)
    was, used_B, said = limited.run([TMA, "emulate", path])
    assert was == status and words in said, f"exit status {was}: {said[-2000:]}"
    assert used_B < limited.MOST_MEMORY_B + 60 * len(text), used_B


def changed(r, text):
    """The text with a few bytes changed, left out, or there twice."""
    for _ in range(r.randint(1, 4)):
        at, to = r.randrange(len(text)), r.randrange(len(text))
        text = r.choice([text[:at] + r.choice('"{}[],:\\0-e9 ') + text[at + 1:], text[:at] + text[to:], text[:at] + text[at:to] + text[at:]])
        text = text or "0"
    return text


def answer(words):
    done = subprocess.run(words, capture_output=True, timeout=120, check=False)
    assert done.returncode in (COMPLETED, FINDINGS, MISUSE, NOT_ENDED), f"{done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}"
    return done.returncode


def test_launches_changed_by_chance(tmp_path):
    """Whatever the bytes: a result or a message. Some of each, or the changes reach nothing."""
    r = random.Random(54)
    path = tmp_path / "x.launch"
    met = set()
    for _ in range(300):
        path.write_text(changed(r, launch()))
        met.add(answer([TMA, "emulate", path]))
    assert {COMPLETED, MISUSE} <= met, met


def test_traces_changed_by_chance(tmp_path):
    r = random.Random(54)
    path = tmp_path / "x.launch"
    trace = tmp_path / "x.trace"
    path.write_text(launch())
    assert answer([TMA, "emulate", path, f"--trace={trace}"]) == COMPLETED
    right = trace.read_text()
    met = set()
    for _ in range(150):
        trace.write_text(changed(r, right))
        met.add(answer([TMA, "draw", "timeline", trace, f"--out={tmp_path / 'x.svg'}"]))
        met.add(answer([TMA, "emulate", trace]))
    assert {COMPLETED, MISUSE} <= met, met
