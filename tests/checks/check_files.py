# SPDX-License-Identifier: Apache-2.0
"""Files: under 600 lines, named once in the tree, licensed, every C file in a CMakeLists.txt, every
input that showed a bug named after it, no merge left half done, no program that was built, and at the
top nothing that an example of the documents wrote."""
import re

from project_tree import CODE, files, finish, name

LINES = 600
NAMED_OFTEN = {"CMakeLists.txt", "README.md", "conftest.py"}
AT_TOP = {"", ".md", ".toml", ".txt"}
INPUTS = ("lab/fuzz/corpus/", "tests/golden/")  # what tests read: named after what is in it


def too_long(path):
    count = len(path.read_text().splitlines())
    return [f"{name(path)} has {count} lines, {LINES} at most"] if count > LINES else []


def unlicensed(path):
    head = path.read_text().splitlines()[:3]
    licensed = any("SPDX-License-Identifier: Apache-2.0" in line for line in head)
    return [] if licensed else [f"{name(path)} does not begin with its SPDX line"]


def half_merged(path):
    """What a merge leaves where two changed the same lines."""
    marks = re.findall(r"^(?:<{7}|>{7}) ", path.read_text(), re.M)
    return [f"{name(path)} has {len(marks)} marks of a merge"] if marks else []


def unbuilt(path):
    """A C file that the nearest CMakeLists.txt above it does not name."""
    folder = path.parent
    while not (folder / "CMakeLists.txt").exists():
        folder = folder.parent
    listed = (folder / "CMakeLists.txt").read_text()
    inside = path.relative_to(folder).as_posix()
    if inside in listed or path.stem in listed.replace("(", " ").replace(")", " ").split():
        return []
    return [f"{name(path)} is in no source list ({name(folder / 'CMakeLists.txt')})"]


def built(path):
    """A program among the sources: a.out."""
    is_program = path.stat().st_mode & 0o100 and path.read_bytes()[:4] == b"\x7fELF"
    return [f"{name(path)} is a program that was built"] if is_program else []


def nameless(path):
    """An input in lab/fuzz/corpus/found with the hash for a name that libFuzzer gave it."""
    if name(path).startswith("lab/fuzz/corpus/found/") and re.search(r"[0-9a-f]{16}", path.name):
        return [f"{name(path)}: name it after the bug that it showed"]
    return []


def stray(path):
    """map.bin, where README's example was tried."""
    at_top = "/" not in name(path) and path.suffix not in AT_TOP
    return [f"{name(path)} is no file for the top folder"] if at_top else []


def main():
    complaints, seen = [], {}
    for path in files():
        complaints += nameless(path) + stray(path)
        if name(path).startswith(INPUTS):
            continue
        if path.name in seen and path.name not in NAMED_OFTEN:
            complaints.append(f"{name(path)} has the name of {name(seen[path.name])}")
        seen.setdefault(path.name, path)
        complaints += built(path)
        if path.suffix in CODE:
            complaints += too_long(path) + unlicensed(path) + half_merged(path)
        if path.suffix in {".c", ".cpp", ".cu"}:
            complaints += unbuilt(path)
    finish(complaints, len(seen))


main()
