# SPDX-License-Identifier: Apache-2.0
"""Includes point one way. A file of the core includes its own room and the rooms above it in
ROOMS; a file of a library on top of it its own folder and the public headers of the libraries below
it; all other folders see public headers only. ARCHITECTURE.md shows the same. No two files of a
folder include each other's headers, no three sources of a library call each other, by the symbols of their
object files, and no 13 lines of code stand twice outside tests.
check_rooms.py NM LIBRARY=OBJECT:OBJECT..."""
import os
import re
import subprocess
import sys
from collections import defaultdict

from project_tree import INSIDE, LIBRARIES, ROOT, files, finish, library_of, name

ROOMS = ["base", "barrier", "spec", "swizzle", "geometry", "instruction", "check", "map", "find", "measure", "mma", "element",
         "path", "plan", "walk", "cost", "copy", "whole"]
# A file's room is its name up to the first underscore, but for these.
NAMED_OTHERWISE = {
    "export": "base", "chars": "base", "divisor": "base", "status": "base", "assert": "base", "bytes": "base", "put": "base", "version": "base",
    "rules": "check", "finding": "check", "conditions": "swizzle", "traps": "check", "rule_words": "check", "edits": "check", "finding_text": "check",
    "report": "plan", "row_order": "plan", "memory": "copy",
    "replace_rows": "map", "fields": "map", "limits": "base",
    "enums": "spec", "readings": "spec", "archs": "spec", "traits": "swizzle", "type_traits": "swizzle",
    "tma": "whole", "cuda_driver": "whole", "cuda_api": "whole", "driver_codes": "whole", "layout": "map", "judge": "plan", "device": "plan", "judge_map": "plan", "judge_bulk": "plan", "judge_quick": "plan", "judge_record": "plan",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)
FREESTANDING = {"cpuid.h", "stdarg.h", "stddef.h", "stdint.h", "limits.h", "stdbool.h", "string.h"}
# The quick filter and the rules behind it are one function from outside.
LOOKS_INSIDE = {"tests/rules/test_accept.c",
                "program/kernel/fault.c"}  # the core's own words, compiled once more for kernels
SOURCES = {".c", ".h", ".cpp", ".cu", ".cuh"}
TWICE = 13  # so many lines of code may not stand in two places
OPTIONAL = {"include/tma/cuda_driver.h": {"cuda.h"}}  # for those who have CUDA's headers


def room(path):
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return NAMED_OTHERWISE.get(stem, stem.split("_")[0])


def core_complaints(path):
    own = room(name(path))
    if own not in ROOMS:
        return [f"{name(path)}: no room '{own}'; name it after one of {', '.join(ROOMS)}"]
    complaints = []
    for kind, target in INCLUDE.findall(path.read_text()):
        if kind == "<":
            if target not in FREESTANDING | OPTIONAL.get(name(path), set()):
                complaints.append(f"{name(path)}: the core does not include <{target}>")
        elif room(target) not in ROOMS or ROOMS.index(room(target)) > ROOMS.index(own):
            complaints.append(f"{name(path)}: room {own} includes {target} of room {room(target)}")
    return complaints


# The emulator's sources are a program's: of it the public headers alone are a library's.
HEADERS_OF = [*LIBRARIES, "libtma-emulator"]


def upper_complaints(path, library):
    """A file of a library on top of the core, or one of its public headers."""
    order, own = list(HEADERS_OF), LIBRARIES.get(library, ())
    complaints = []
    for kind, target in INCLUDE.findall(path.read_text()):
        stem = target.rsplit("/", 1)[-1]
        if kind == "<":
            if target not in FREESTANDING:
                complaints.append(f"{name(path)}: {library} does not include <{target}>")
        elif any((ROOT / "include/tma" / folder / stem).exists() for folder in ("", "detail")):
            if order.index(library_of(stem)) > order.index(library):
                complaints.append(f"{name(path)}: {target} is of {library_of(stem)}, above {library}")
        elif not any((ROOT / folder / stem).exists() for folder in own):
            complaints.append(f"{name(path)}: {target} is not of {library}")
    return complaints


def outside_complaints(path, inner_headers):
    return [f"{name(path)}: {target} is inside a library; only tma/*.h is for others"
            for kind, target in INCLUDE.findall(path.read_text())
            if kind == '"' and target.rsplit("/", 1)[-1] in inner_headers]


def ask_complaints(path):
    """What stands between the libraries and the front ends: public headers, its own, freestanding ones."""
    return [f"{name(path)}: ask includes {target}" for kind, target in INCLUDE.findall(path.read_text())
            if (target not in FREESTANDING if kind == "<" else
                not (ROOT / "include" / target).exists() and not (path.parent / target).exists())]


def rings(ways):
    """The sets of two or more nodes of a graph each of which leads to each other one."""
    reached = {}
    for node in ways:
        far, waiting = set(), [node]
        while waiting:
            new = ways.get(waiting.pop(), set()) - far
            far |= new
            waiting += new
        reached[node] = far
    return {frozenset(other for other in far if node in reached.get(other, ()))
            for node, far in reached.items() if node in far}


def circles(folder):
    """Each set of files (by name, without ending) of a folder that include each other's headers."""
    includes = defaultdict(set)
    there = {path.name for path in files(folder)}
    for path in files(folder):
        for _, target in INCLUDE.findall(path.read_text()) if path.suffix in SOURCES else ():
            stem = target.rsplit(".", 1)[0]
            if target in there and stem != path.stem:
                includes[path.stem].add(stem)
    return {" ".join(sorted(ring)) for ring in rings(includes)}


def include_circles(sources):
    """Each set of files of the project that include each other, whatever their folders."""
    at = {name(p): p for p in sources}
    includes = {}
    for where, path in at.items():
        found = {(path.parent / target, ROOT / "include" / target) for _, target in INCLUDE.findall(path.read_text())}
        includes[where] = {name(p.resolve()) for both in found for p in both if p.exists()} & set(at)
    return {" ".join(sorted(ring)) for ring in rings(includes)}


MOST_IN_A_RING = 2  # sources that call each other


def symbol_circles(library, nm, objects):
    """Each set of more sources of a library, over all its folders, whose object files need each other."""
    shown = subprocess.run([nm, "--print-file-name", *objects], capture_output=True, text=True, check=True).stdout
    owners, needs = {}, defaultdict(set)
    for line in shown.splitlines():
        file, _, symbol = line.rpartition(":")
        *_, kind, named = symbol.split()
        if kind == "U":
            needs[file].add(named)
        elif kind.isupper() or kind == "i":
            owners[named] = file
    ways = {file: {owners[named] for named in needs[file] if named in owners} - {file} for file in objects}
    assert any(ways.values()), f"{library}: nm shows no call from one source to another"
    return [f"{library}: {' '.join(sorted(os.path.basename(o) for o in ring))} call each other"
            for ring in rings(ways) if len(ring) > MOST_IN_A_RING]


def blocks(path):
    """(first line, TWICE lines of code) of a file, blanks and comments left out."""
    lines = [(i, " ".join(line.split())) for i, line in enumerate(path.read_text().splitlines(), 1)]
    code = [(i, line) for i, line in lines if line and not line.startswith(("//", "*", "/*", "#", '"""'))]
    for k in range(len(code) - TWICE + 1):
        yield code[k][0], tuple(line for _, line in code[k:k + TWICE])


def repeated_complaints():
    seen, complaints = {}, []
    for path in files():
        if path.suffix not in SOURCES | {".py", ".js", ".sh"} or {"tests", "fuzz"} & set(path.relative_to(ROOT).parts):
            continue
        for line, block in blocks(path):
            first = seen.setdefault(block, (name(path), line))
            if first != (name(path), line):
                complaints.append(f"{name(path)}:{line}: {TWICE} lines stand at {first[0]}:{first[1]} as well")
    return complaints


def main():
    inside = [p for p in sorted({*files("include", *INSIDE)}) if p.suffix in {".c", ".h", ".def"}]
    inner_headers = {p.name for p in inside if "tma" not in p.parts[-3:-1]}
    complaints = []
    for p in inside:
        library = (library_of(p.name) if name(p).startswith("include/") else
                   next(lib for lib, at in LIBRARIES.items() if name(p).startswith(tuple(f"{f}/" for f in at))))
        complaints += core_complaints(p) if library == "libtma" else upper_complaints(p, library)
    folders = {re.match(r"((lab|program)/)?[^/]*", name(p))[0] for p in files() if p.suffix in SOURCES}
    for folder in sorted(folders - {"include", *INSIDE}):
        for p in files(folder):
            if p.suffix in SOURCES and name(p) not in LOOKS_INSIDE and p not in inside:
                complaints += outside_complaints(p, inner_headers)
    for p in files("ask"):
        complaints += ask_complaints(p) if p.suffix in SOURCES else []
    for folder in sorted(folders):
        complaints += [f"{folder}: {circle} include each other" for circle in sorted(circles(folder))]
    for library in sys.argv[2:]:  # NAME=OBJECT:OBJECT...
        called, _, objects = library.partition("=")
        complaints += symbol_circles(called, sys.argv[1], [o for o in objects.split(":") if o])
    sources = [p for p in files() if p.suffix in SOURCES | {".def"}]
    complaints += [f"{circle} include each other" for circle in sorted(include_circles(sources))]
    complaints += repeated_complaints()
    finish(complaints, len(inside))


main()
