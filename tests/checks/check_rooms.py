# SPDX-License-Identifier: Apache-2.0
"""Includes point one way. A file of the core includes its own room and the rooms above it in
ROOMS; a file of a library on top of it its own folder and the public headers of the libraries below
it; the command, tests and tools see public headers only. ARCHITECTURE.md shows the same."""
import re

from project_tree import LIBRARIES, ROOT, files, finish, library_of, name

ROOMS = ["base", "spec", "swizzle", "geometry", "instruction", "check", "map", "find", "measure", "mma", "element",
         "path", "plan", "walk", "cost", "copy", "whole"]
# A file's room is its name up to the first underscore, but for these.
NAMED_OTHERWISE = {
    "export": "base", "status": "base", "bytes": "base", "put": "base", "version": "base",
    "rules": "check", "finding": "check", "conditions": "swizzle", "traps": "check", "rule_words": "check", "edits": "check", "finding_text": "check",
    "report": "plan", "row_order": "plan", "memory": "copy",
    "replace_rows": "map", "fields": "map", "limits": "base",
    "enums": "spec", "readings": "spec", "archs": "spec", "traits": "swizzle", "type_traits": "swizzle",
    "tma": "whole", "cuda_driver": "whole", "cuda_api": "whole", "driver_codes": "whole", "layout": "map", "judge": "plan", "device": "plan", "judge_map": "plan", "judge_quick": "plan", "judge_record": "plan",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)
FREESTANDING = {"cpuid.h", "stdarg.h", "stddef.h", "stdint.h", "limits.h", "stdbool.h", "string.h"}
# The quick filter and the rules behind it are one function from outside.
LOOKS_INSIDE = {"tests/test_accept.c"}
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


def upper_complaints(path, library):
    """A file of a library on top of the core, or one of its public headers."""
    order, folder = list(LIBRARIES), LIBRARIES[library]
    complaints = []
    for kind, target in INCLUDE.findall(path.read_text()):
        stem = target.rsplit("/", 1)[-1]
        if kind == "<":
            if target not in FREESTANDING:
                complaints.append(f"{name(path)}: {library} does not include <{target}>")
        elif (ROOT / "include/tma" / stem).exists():
            if order.index(library_of(stem)) > order.index(library):
                complaints.append(f"{name(path)}: {target} is of {library_of(stem)}, above {library}")
        elif not (ROOT / folder / stem).exists():
            complaints.append(f"{name(path)}: {target} is not of {library}")
    return complaints


def outside_complaints(path, inner_headers):
    return [f"{name(path)}: {target} is inside a library; only tma/*.h is for others"
            for kind, target in INCLUDE.findall(path.read_text())
            if kind == '"' and target.rsplit("/", 1)[-1] in inner_headers]


def main():
    inside = [p for p in files("include", *LIBRARIES.values()) if p.suffix in {".c", ".h", ".def"}]
    inner_headers = {p.name for p in inside if p.parent.name != "tma"}
    complaints = []
    for p in inside:
        folder = p.relative_to(ROOT).parts[0]
        library = (library_of(p.name) if folder == "include" else
                   next(lib for lib, at in LIBRARIES.items() if at == folder))
        complaints += core_complaints(p) if library == "libtma" else upper_complaints(p, library)
    for folder in ("ptx", "cli", "shim", "tests", "fuzz", "bench", "hardware", "python"):
        if (ROOT / folder).is_dir():
            for p in files(folder):
                if p.suffix in {".c", ".h", ".cpp", ".cu"} and name(p) not in LOOKS_INSIDE:
                    complaints += outside_complaints(p, inner_headers)
    finish(complaints, len(inside))


main()
