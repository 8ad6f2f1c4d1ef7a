# SPDX-License-Identifier: Apache-2.0
"""What `tma ptx` says of each kernel of a pair and of each sample, and of the same kernel with one line left out,
doubled, moved behind the next, or with another number in it: nothing is claimed of what is right, but that it is
what was said before. kept_answers.txt has a sum for each kernel.

    REBASE=1 ctest -R ptx_kept          the answers of now are kept
    TMA=build/tma python3 tests/ptx/test_ptx_kept.py NAME       prints one kernel's, to be compared with another version's
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

from pairs import ALL, sides

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "support"))
from drawn import SHARE, is_drawn  # noqa: E402

KEPT = HERE / "kept_answers.txt"
LINES = 12 # about so many lines of a kernel are changed
STATEMENT = re.compile(r"^\s*[@a-z].*;")
NUMBER = re.compile(r"(?<=[\s,+])-?\d+(?=[\s,;\]}])")


def kernels():
    for name, (_, _, kernel) in ALL.items():
        for side, text in zip(("before", "after"), sides(kernel)):
            yield f"{name}, {side}", text
    for path in sorted((HERE / "samples").glob("*.ptx")):
        yield path.name, path.read_text(encoding="utf-8")


def changed(text, name):
    """The kernel, and it with one line changed at a time."""
    yield text
    lines = text.split("\n")
    at = [i for i, line in enumerate(lines) if STATEMENT.match(line)]
    for i in at:
        drawn = zlib.crc32(f"{name} {i}".encode())
        if drawn % max(1, len(at) // LINES):
            continue
        how = drawn // 64 % 4
        line, behind = lines[i], lines[i + 1 : i + 2]
        number = NUMBER.search(line)
        if how == 0 and number:
            new = [line[: number.start()] + str(int(number[0]) + 1) + line[number.end() :], *behind]
        elif how == 1:
            new = [line, line, *behind]
        elif how == 2:
            new = [*behind, line]
        else:
            new = behind
        yield "\n".join(lines[:i] + new + lines[i + 2 :])


def answers(name, text):
    """The list of a kernel's variants, and the ways of the first one's findings."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, variant in enumerate(changed(text, name)):
            files.append(f"{i}.ptx")
            pathlib.Path(folder, files[-1]).write_text(variant, encoding="utf-8")

        def tma(*words):
            run = subprocess.run([os.environ["TMA"], "ptx", *words], cwd=folder, capture_output=True, text=True, check=False)
            assert run.returncode in (0, 1), run.stderr
            return run.stdout + run.stderr

        said = json.loads(tma("--json", files[0]))
        found = [i["line"] for i in said["instructions"] if i["findings"]] + [f["line"] for f in said["findings"]]
        ways = [tma(f"--why={line}", files[0]) for line in sorted(set(found))[:4]]
        return "".join([tma("--mma", files[0]), tma("--json", *files), *ways])


def sums():
    return {name: hashlib.sha1(answers(name, text).encode()).hexdigest()[:16] for name, text in kernels() if is_drawn(name)}


def test_what_is_said_is_what_was_said():
    now = sums()
    if os.environ.get("REBASE") == "1":
        assert SHARE == 1, "TMA_TEST_SHARE leaves some out"
        KEPT.write_text("".join(f"{of} {name}\n" for name, of in now.items()), encoding="utf-8")
    kept = {name: of for of, _, name in (line.partition(" ") for line in KEPT.read_text(encoding="utf-8").splitlines())}
    others = [name for name in now | kept if is_drawn(name) and now.get(name) != kept.get(name)]
    assert now
    assert not others, f"{len(others)} of {len(now)} kernels are answered otherwise: {others[:8]}. {__doc__}"


def test_the_lines_that_are_changed_are_many():
    count = sum(len(list(changed(text, name))) for name, text in kernels())
    assert count > 8 * len(ALL)


if __name__ == "__main__":
    for kernel, ptx in kernels():
        if kernel in sys.argv[1:]:
            print(answers(kernel, ptx))
