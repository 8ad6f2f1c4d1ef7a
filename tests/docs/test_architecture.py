# SPDX-License-Identifier: Apache-2.0
"""ARCHITECTURE.md names every file of the core, in the room and in the order that check_rooms.py
enforces, every file of the libraries on top of it, and nothing that is not there; so do the READMEs of
the folders that are no library."""
import ast
import functools
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/checks"))
from project_tree import HEADERS, INSIDE, LIBRARIES, files, library_of  # noqa: E402

TEXT = (ROOT / "ARCHITECTURE.md").read_text()
SOURCES = sorted(p.name for p in (ROOT / "src").rglob("*") if p.is_file() and p.name != "README.md")
PUBLIC = sorted(p.name for p in (ROOT / "include/tma").rglob("*")
                if p.is_file() and library_of(p.name) == "libtma")
FILE = re.compile(r"[a-z0-9_]+\.(?:cuh|c|h|def)\b")


@functools.cache
def rooms():
    """{room: its row}, in the table's order."""
    section = TEXT.split("## Rooms")[1].split("\n## ")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| ")][2:]
    return {cells[1].strip(): " ".join(cells[2:]) for cells in rows}


@functools.cache
def checked():
    """ROOMS and NAMED_OTHERWISE as check_rooms.py has them."""
    tree = ast.parse((ROOT / "tests/checks/check_rooms.py").read_text())
    return {node.targets[0].id: ast.literal_eval(node.value) for node in tree.body
            if isinstance(node, ast.Assign) and node.targets[0].id in ("ROOMS", "NAMED_OTHERWISE")}


def room_of(name):
    stem = name.rsplit(".", 1)[0]
    return checked()["NAMED_OTHERWISE"].get(stem, stem.split("_")[0])


def test_rooms_stand_in_the_order_that_is_enforced():
    assert list(rooms()) == checked()["ROOMS"]


def test_every_file_is_named_in_its_room():
    missing = [n for n in SOURCES + PUBLIC if n != "libtma.map"
               and n not in FILE.findall(rooms()[room_of(n)])]
    assert SOURCES and not missing


def test_rooms_name_only_files_that_are_there():
    named = {n for row in rooms().values() for n in FILE.findall(row)}
    assert not named - set(SOURCES) - set(PUBLIC)


def test_every_file_lies_in_its_rooms_folder():
    """But for the loops of copies, which are a folder, and no room."""
    wrong = [p.name for p in (ROOT / "src").rglob("*") if p.suffix in CODE and p.parent.name != "loops"
             and f"`src/{p.parent.name}/`" not in rooms()[room_of(p.name)]]
    assert not wrong


def test_upper_libraries_have_a_section_that_names_their_files():
    for library, folders in list(LIBRARIES.items())[1:]:
        section = re.search(rf"^## .*`{folders[0]}/`\n(.*?)^## ", TEXT, re.S | re.M)
        table = [row for row in section[1].splitlines() if row.startswith("| ")]
        there = {p.name for folder in folders for p in (ROOT / folder).iterdir() if FILE.fullmatch(p.name)}
        assert set(FILE.findall(" ".join(table))) == there | HEADERS[library]


CODE = {".c", ".cpp", ".cu", ".cuh", ".h", ".def", ".py", ".sh", ".js"}
NOT_OURS = {"cuda.h", "__init__.py", "__main__.py"}  # NVIDIA's; the two that all_files() leaves out
LARGE = 10  # files: a room of more has each of them named
NAMED = re.compile(r"[A-Za-z0-9_]+\.(?:cuh|cu|cpp|c|h|def|py|sh|js)\b")


@functools.cache
def all_files():
    return tuple(files())


@functools.cache
def large_rooms():
    """{folder: its files of code}"""
    inside = {}
    for path in all_files():
        if path.suffix in CODE:
            inside.setdefault(path.parent, set()).add(path.name)
    return {folder: names for folder, names in inside.items() if len(names) > LARGE}


def readmes(folder):
    """ARCHITECTURE.md, and the READMEs of a folder and of those above it."""
    above = [folder, *folder.parents]
    return [p / "README.md" for p in above[:above.index(ROOT)] if (p / "README.md").exists()]


@pytest.mark.parametrize("folder", large_rooms(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_each_file_of_a_large_room_is_named(folder):
    text = TEXT + "".join(p.read_text() for p in readmes(folder))
    named = set(NAMED.findall(text))
    stems = {name.rsplit(".", 1)[0] for name in named}  # a header goes with its source
    names = large_rooms()[folder]
    missing = {n for n in names if n not in named and not (n.endswith(".h") and n[:-2] in stems)}
    assert not missing


@pytest.mark.parametrize("readme", sorted({p for folder in large_rooms() for p in readmes(folder)}),
                         ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_readme_names_files_that_are_there(readme):
    there = {p.name for p in all_files()} | NOT_OURS
    written = re.findall(r"`(?:[\w./-]*/)?(\w+\.(?:cuh|cu|cpp|c|h|def|py|sh|js))`", readme.read_text())
    assert written and not set(written) - there
    assert readme.parent.name in {"hardware", "shim", "vectors", "golden"} or len(readme.read_text().splitlines()) < 60


def test_what_to_open_is_there():
    section = TEXT.split("## I want to")[1]
    names = re.findall(r"`([\w./-]+\.(?:c|h|def|py))`", section)
    found = [n for n in names if any((ROOT / f / n).exists() for f in ("", *INSIDE))]
    assert names and found == names
