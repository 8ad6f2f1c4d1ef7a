#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exports.py [--check]: the linker's lists of exported symbols, each by name, a node for each minor
version: what a node has stays in it, what the headers declare beyond all nodes goes into this
version's. A symbol that no header declares any more is an error, until a major version drops it.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/checks"))
from project_tree import library_of, without_comments  # noqa: E402

MAPS = {"libtma": ("src/libtma.map", "LIBTMA"), "libtma-text": ("text/libtma-text.map", "LIBTMA_TEXT"),
        "libtma-draw": ("draw/libtma-draw.map", "LIBTMA_DRAW"),
        "libtma-emulator": ("emulator/libtma-emulator.map", "LIBTMA_EMULATOR")}
DECLARATION = re.compile(r"^TMA_EXPORT\b[^;{]*?\b(\w+)\s*\(", re.M)
NODE = re.compile(r"^(\w+_\d+\.\d+) \{\nglobal:\n(.*?)(?:local:\n    \*;\n)?\}[^;]*;", re.M | re.S)


def version():
    text = (ROOT / "include/tma/export.h").read_text()
    return tuple(int(re.search(rf"TMA_VERSION_{p} +(\d+)", text)[1]) for p in ("MAJOR", "MINOR"))


def declared(library):
    return {name for header in sorted((ROOT / "include/tma").glob("*.h")) if library_of(header.name) == library
            for name in DECLARATION.findall(without_comments(header.read_text()))}


def nodes_of(path):
    found = NODE.findall(path.read_text()) if path.exists() else []
    return {name: set(re.findall(r"(\w+);", body)) for name, body in found}


def written(library, nodes):
    text = (f"/* What {library}.so shows, by name: made by tools/exports.py from what its headers mark\n"
            "   TMA_EXPORT. A symbol stays in the node of the minor version that it came with. */\n")
    before = ""
    filled = {node: symbols for node, symbols in nodes.items() if symbols}  # linkers refuse one without
    for i, (node, symbols) in enumerate(filled.items()):
        lines = "".join(f"    {s};\n" for s in sorted(symbols))
        local = "local:\n    *;\n" if i == 0 else ""
        text += f"{node} {{\nglobal:\n{lines}{local}}}{before};\n"
        before = f" {node}"
    return text


def main():
    major, minor = version()
    wrong = []
    for library, (file, prefix) in MAPS.items():
        path, names = ROOT / file, declared(library)
        nodes = nodes_of(path)
        old = set().union(*nodes.values()) if nodes else set()
        this = f"{prefix}_{major}.{minor}"
        if old - names and set(nodes) - {this} and old - names & set().union(
                *(s for n, s in nodes.items() if n != this)):
            wrong.append(f"{file}: gone since an earlier version: {sorted(old - names)}")
        nodes.setdefault(this, set())
        nodes[this] = (nodes[this] & names) | (names - old)
        text = written(library, nodes)
        if "--check" not in sys.argv:
            path.write_text(text)
        elif path.read_text() != text:
            wrong.append(f"{file} is not what the headers say: tools/exports.py writes it")
    if wrong:
        raise SystemExit("\n".join(wrong))


main()
