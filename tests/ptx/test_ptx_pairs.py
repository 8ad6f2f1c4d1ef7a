# SPDX-License-Identifier: Apache-2.0
"""Each pair of pairs/: `tma ptx` says of the broken kernel what the file says, and is silent on the right one; both are
executed with the file's launch: the right one has no finding, the broken one has some, or the file says otherwise. One
of the two names the broken one by the file's rule."""

import json
import os
import shlex
import subprocess

import pytest
from pairs import ALL, findings, noted, sides

TMA = os.environ["TMA"]


def executed(text, launch):
    command = [TMA, "emulate", "--json", *shlex.split(launch), "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1, 3), run.stderr
    answer = json.loads(run.stdout)
    return answer, " ".join(sorted({f["rule"] for f in answer["findings"]})) or "nothing"


@pytest.mark.parametrize("name", ALL)
def test_named_before_and_silent_after(name):
    _, rule, text = ALL[name]
    broken, right = sides(text)
    wanted = [value for word, value in noted(text) if word == "said"]
    said = {}
    for line, f in sorted((f["line"], ("" if f["certain"] else "may ") + f["rule"]) for f in findings(broken)):
        said.setdefault(f, []).append(str(line))
    assert sorted(f"{f} lines {' '.join(lines)}" for f, lines in said.items()) == sorted(wanted)
    assert rule in [*(f.removeprefix("may ") for f in said), *dict(noted(text)).get("emulate, broken", "").split()]
    assert findings(right) == []


@pytest.mark.parametrize("name", ALL)
def test_executed(name):
    text = ALL[name][2]
    broken, right = sides(text)
    notes = dict(noted(text))
    answer, found = executed(right, notes["launch"])
    if "not executed" in notes:
        assert (answer["end"], f"line {answer['end_line']}: {answer['why']}", found) == ("not-executed", notes["not executed"], "nothing")
        return
    if "emulate, right" in notes:  # a mistake of the pair's, or of the launch: to be mended
        assert set(found.split()) & set(notes["emulate, right"].split())
    else:
        assert (found, answer["end"]) == ("nothing", "completed")
    assert set(executed(broken, notes["launch"])[1].split()) & set(notes["emulate, broken"].split())


def test_most_pairs_agree():
    """Of the pairs that can be executed, so many right ones are silent beside a broken one that is named."""
    notes = [dict(noted(text)) for _, _, text in ALL.values()]
    agree = [n for n in notes if "emulate, broken" in n and "emulate, right" not in n and n["emulate, broken"] != "nothing"]
    assert len(ALL) >= 231
    assert len(agree) >= 186
    assert all("not executed" in n or "emulate, broken" in n for n in notes)
