# SPDX-License-Identifier: Apache-2.0
"""tools/mutate.py: which breaks it makes of a text, and which tests it asks for one."""
import argparse
import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import mutate # noqa: E402
import mutate_reach # noqa: E402

TEXT = """\
#define FIVE 5
static const int table[] = {7};

int f(int a, const int *b) {
    int c = a < 08 - 08 ? *b : 0x10u; /* 3 */
    if (a && !c) {
        g("4 + 4");
    }
    switch (a) {
    case 1:
        c += 2;
        break;
    }
    return c;
}
""".replace("08 - 08", "8")


def broken(text):
    found = set()
    for begin, end, new in mutate.places(text):
        whole = text[:begin] + new + text[end:]
        line = text.count("\n", 0, begin)
        found.add((line + 1, whole.splitlines()[line].strip()))
    return found


def test_breaks_of_a_text():
    found = broken(TEXT)
    assert {line for line, _ in found} == {2, 5, 6, 7, 10, 11, 12} # no directive, remark, string or header of a function
    assert (2, "static const int table[] = {8};") in found and (2, "static const int table[] = {6};") in found
    assert (5, "int c = a <= 8 ? *b : 0x10u; /* 3 */") in found and (5, "int c = a < 8 ? *b : 17u; /* 3 */") in found
    assert (6, "if (a || !c) {") in found and (6, "if (0 && a && !c) {") in found and (6, "if (a && c) {") in found
    assert (7, ";") in found and (11, ";") in found and (11, "c -= 2;") in found
    assert (12, "__attribute__((fallthrough));") in found


def reach_of(tmp_path, text):
    (tmp_path / "a.c").write_text(text)
    store = tmp_path / "reach.json"
    reach = mutate_reach.Reach(tmp_path, tmp_path, [], store)
    key = reach.key("a.c")
    reach.data = {"files": {"a.c": {"key": key, "functions": [[1, 4], [6, 9]], "lines": [2, 3, 7, 8]}}, "tests": {
        "slow": {"passes": True, "seconds": 9, "ran": {"a.c": [key, [2, 3]]}},
        "quick": {"passes": True, "seconds": 1, "ran": {"a.c": [key, [2, 7]]}},
        "fails": {"passes": False, "seconds": 0, "ran": {"a.c": [key, [2]]}},
        "gone": {"passes": True, "seconds": 0, "ran": {"a.c": [key, [2]]}},
        "before": {"passes": True, "seconds": 5, "ran": {"a.c": ["the text as it was", [99]]}}}}
    store.write_text(json.dumps(reach.data))
    return mutate_reach.Reach(tmp_path, tmp_path, [], store)


def names(found):
    return [test.name for test in found]


def test_the_tests_that_ran_a_line(tmp_path):
    """Quickest first; of a line that gcc does not count those of its function, outside of any those of the file."""
    reach = reach_of(tmp_path, "text\n")
    asked = {n: mutate_reach.Test(n, [], []) for n in ("slow", "quick", "fails", "before")}
    assert names(reach.of("a.c", 2, asked)) == ["quick", "before", "slow"]
    assert names(reach.of("a.c", 3, asked)) == ["before", "slow"]
    assert names(reach.of("a.c", 8, asked)) == ["before"] # what ran the file before it changed may run any line
    assert names(reach.of("a.c", 9, asked)) == ["quick", "before"]
    assert names(reach.of("a.c", 5, asked)) == ["quick", "before", "slow"]
    assert names(reach.of("b.c", 1, asked)) == []
    (tmp_path / "a.c").write_text("another text\n")
    assert names(reach.of("a.c", 8, asked)) == ["quick", "before", "slow"]


class Scratched:
    """Catches a mutant by the test "late" alone."""
    asked = []

    def judge_text(self, path, broken, whole, tests, spend):
        self.asked.append((names(tests), spend))
        return ("caught", "late") if "late" in names(tests) else ("survived", [t.name for t in tests if t.seconds <= spend])


def test_what_lives_is_asked_of_the_late_tests(tmp_path, monkeypatch):
    (tmp_path / "a.c").write_text(TEXT)
    monkeypatch.setattr(mutate, "ROOT", tmp_path)
    monkeypatch.setattr(mutate, "sources", lambda folder: ["a.c"])
    asked = {n: mutate_reach.Test(n, [], [], seconds, n == "late") for n, seconds in (("quick", 1), ("slow", 9), ("late", 1))}
    reach = mutate_reach.Reach(tmp_path, tmp_path, [], tmp_path / "reach.json")
    reach.of = lambda path, line, tests: list(tests.values())
    arguments = argparse.Namespace(folders=["src"], seed=1, count=2, only=None, files="", spend=5, last=7)
    crowd, scratch = mutate.Crowd(arguments, reach, asked), Scratched()
    crowd.work(scratch)
    folder, = crowd.folders
    assert folder.count["survived"] == 2 and len(folder.living) == 2
    crowd.remember()
    crowd.last(scratch)
    assert scratch.asked == [(["quick", "slow"], 5)] * 2 + [(["slow", "late"], 7)] * 2
    assert folder.count["survived"] == 0 and folder.count["caught"] == 2 and not folder.living and list(folder.catchers) == ["late"]


@pytest.mark.parametrize("where", ["src/CMakeFiles/a.dir", "CMakeFiles/a.dir/src/room", "other/CMakeFiles/a.dir/__/src/room"])
def test_counts_that_cannot_be_read_are_all_lines(tmp_path, where):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").write_text("int main(int n, char **v) {\n    (void)v;\n    if (n > 1)\n        return 1;\n    return 0;\n}\n")
    objects = tmp_path / "build" / where
    objects.mkdir(parents=True)
    subprocess.run(["gcc", "--coverage", "-c", tmp_path / "src" / "a.c", "-o", objects / "a.c.o"], check=True)
    subprocess.run(["gcc", "--coverage", objects / "a.c.o", "-o", tmp_path / "a"], check=True)
    a = "/".join(["src", "a.c"]) # no file of the project
    lines = mutate_reach.Lines(tmp_path, tmp_path / "build", ["src"])
    subprocess.run([tmp_path / "a"], check=True)
    assert lines.ran() == {a: {1, 3, 5}}
    (objects / "a.c.gcda").write_bytes(b"spoiled\xb8\xff counts")
    assert lines.ran() == {a: {1, 3, 4, 5}}
    lines.forget()
    assert lines.ran() == {}


def test_sessions_are_one_call():
    batch = [mutate_reach.Test(n, ["tma"], ["pytest", n], 1) for n in ("session a", "test_b", "session c")]
    joined = mutate_reach.joined(batch)
    assert [(t.name, t.command, t.seconds) for t in joined] == [
        ("session a + session c", ["pytest", "session a", "session c"], 2), ("test_b", ["pytest", "test_b"], 1)]
    assert names(mutate_reach.joined(batch[:2])) == ["session a", "test_b"]
