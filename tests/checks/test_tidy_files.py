# SPDX-License-Identifier: Apache-2.0
"""tools/tidy_files.py on a tree of two files with a clang-tidy that counts how often it is asked: a file is asked
once, by one command, and again when something that its answer hangs on has changed."""
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOM = "src"
A, B, HEADER = (f"{ROOM}/{name}" for name in ("a.c", "b.c", "a.h"))
TEST = f"{ROOM}/tests/t.c"
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools/tidy_files.py"
TOOL = """#!/bin/sh
[ "$1" = --version ] && { echo version 14; exit; }
echo "$*" >>words
shift $(($# - 1))
echo "$1" >>asked
if grep -q BAD "$1"; then echo "$1: BAD"; exit 1; fi
"""


@pytest.fixture(name="tree")
def a_tree(tmp_path):
    tree = tmp_path / "tree"
    for folder in ("tools", f"{ROOM}/tests", "build"):
        (tree / folder).mkdir(parents=True)
    shutil.copy(SCRIPT, tree / "tools")
    (tree / HEADER).write_text("int a(void);\n")
    (tree / A).write_text('#include "a.h"\n')
    (tree / B).write_text("int b;\n")
    (tree / TEST).write_text("int t;\n")
    (tree / ".clang-tidy").write_text("Checks: '*'\n")
    tool = tree / "clang-tidy"
    tool.write_text(TOOL)
    tool.chmod(0o755)
    compiled(tree, "-DA")
    return tree


def compiled(tree, flag):
    files = ((B, "-DB"), (A, flag), (A, "-fsanitize=thread"), (TEST, ""))
    (tree / "build/compile_commands.json").write_text(json.dumps(
        [{"directory": str(tree / "build"), "file": str(tree / name),
          "command": f"cc {more} -o x.o -c {tree / name}"} for name, more in files]))


def asked(tree, status=0, **settings):
    """The files that clang-tidy was asked of, and what was said."""
    (tree / "asked").unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-B", tree / "tools/tidy_files.py", tree / "build", "2", tree / "clang-tidy"],
        env={"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(tree / "cache")} | settings,
        capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return sorted((tree / "asked").read_text().split()) if (tree / "asked").exists() else [], done.stdout


def test_once_and_again_when_changed(tree):
    both = [A, B]
    assert asked(tree) == (both, "tidy: 2 files, 2 asked, the others clean before; 0 with findings\n")
    assert asked(tree)[0] == []
    (tree / HEADER).write_text("int a(void); // NOLINT\n")
    assert asked(tree)[0] == [A]
    compiled(tree, "-DC")
    assert asked(tree)[0] == [A]
    (tree / ".clang-tidy").write_text("Checks: '-*'\n")
    assert asked(tree)[0] == both
    (tree / "clang-tidy").write_text(TOOL + "true\n")
    assert asked(tree)[0] == both
    assert asked(tree)[0] == []


def test_a_finding_is_found_each_time(tree):
    (tree / B).write_text("int BAD;\n")
    for files in ([A, B], [B]):
        assert asked(tree, 1) == (
            files, f"{B}: BAD\ntidy: 2 files, {len(files)} asked, the others clean before; 1 with findings\n")


def test_deeper_is_another_question(tree):
    asked(tree)
    assert "max-nodes=75000" in (tree / "words").read_text()
    assert asked(tree, TIDY_NODES="225000")[0] == [A, B]
    assert (tree / "words").read_text().count("max-nodes=225000") == 2
    assert asked(tree, TIDY_NODES="225000")[0] == []


def test_elsewhere_the_same(tree, tmp_path):
    asked(tree)
    moved = tmp_path / "moved"
    shutil.copytree(tree, moved)
    compiled(moved, "-DA")
    state = (tree / "clang-tidy").stat()
    assert (moved / "clang-tidy").stat().st_mtime_ns == state.st_mtime_ns
    assert asked(moved, XDG_CACHE_HOME=str(tree / "cache"))[0] == []


def test_without_a_place_to_remember(tree):
    (tree / "cache").write_text("")
    assert len(asked(tree)[0]) == len(asked(tree)[0]) == 2


def test_nothing_compiled_is_no_success(tree):
    (tree / "build/compile_commands.json").write_text("[]")
    asked(tree, 1)
