# SPDX-License-Identifier: Apache-2.0
"""docs/answers.md, docs/answers.zh-CN.md, docs/ci.md, docs/mma.md and docs/swizzle.md, run: every `$` line of a console block
prints what stands below it. The blocks of a file are one session in one folder, which has links to the inputs of the
golden tests. TMA names the program; REBASE=1 writes what it prints now."""
import os
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/golden"))
import transcript  # noqa: E402

FILES = [ROOT / "docs/answers.md", ROOT / "docs/answers.zh-CN.md", ROOT / "docs/mma.md", ROOT / "docs/swizzle.md",
         ROOT / "docs/ci.md"]
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.M | re.S)


def session(text):
    return transcript.read("".join(BLOCK.findall(text)))


def with_output(text, commands):
    """The document with what its commands print now, in the form of the golden sessions."""
    rest = iter(commands)

    def filled(match):
        count = len(transcript.read(match[1]))
        return transcript.write([next(rest) for _ in range(count)])
    return BLOCK.sub(filled, text)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_prints_what_it_says(path):
    text = path.read_text()
    now = with_output(text, transcript.run(os.environ["TMA"], session(text)))
    if os.environ.get("REBASE") == "1":
        path.write_text(now)
    else:
        assert now == text


def test_both_answer_the_same():
    """In both languages the same commands: an answer that is mended in one is mended in both."""
    one, other = ([c.text for c in session(p.read_text())] for p in FILES[:2])
    assert one == other and len(one) >= 30
