# SPDX-License-Identifier: Apache-2.0
"""Includes point one way. A file of the core includes its own room and the rooms above it in
ROOMS; the command, tests and tools see the public headers only. ARCHITECTURE.md shows the same."""
import re

from project_tree import ROOT, files, finish, name

ROOMS = ["base", "spec", "swizzle", "shared", "instruction", "check", "map", "measure", "element",
         "path", "plan", "walk", "cost", "copy", "whole"]
# A file's room is its name up to the first underscore, but for these.
NAMED_OTHERWISE = {
    "export": "base", "status": "base", "bytes": "base", "text": "base",
    "rules": "check", "traps": "check", "finding_text": "check",
    "segments": "plan", "memory": "copy",
    "replace_rows": "map",
    "tma": "whole", "cuda": "whole",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)
FREESTANDING = {"cpuid.h", "stddef.h", "stdint.h", "limits.h", "stdbool.h", "string.h"}
# The quick filter and the rules behind it are one function from outside.
LOOKS_INSIDE = {"tests/test_accept.c"}
OPTIONAL = {"include/tma/cuda.h": {"cuda.h"}}  # for those who have CUDA's headers


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


def outside_complaints(path, inner_headers):
    return [f"{name(path)}: {target} is inside the core; only tma/*.h is for others"
            for kind, target in INCLUDE.findall(path.read_text())
            if kind == '"' and target.rsplit("/", 1)[-1] in inner_headers]


def main():
    core = [p for p in files("src", "include") if p.suffix in {".c", ".h", ".def"}]
    inner_headers = {p.name for p in core if p.parent.name == "src"}
    complaints = [c for p in core for c in core_complaints(p)]
    for folder in ("cli", "shim", "tests", "fuzz", "bench", "hardware"):
        if (ROOT / folder).is_dir():
            for p in files(folder):
                if p.suffix in {".c", ".h", ".cpp", ".cu"} and name(p) not in LOOKS_INSIDE:
                    complaints += outside_complaints(p, inner_headers)
    finish(complaints, len(core))


main()
