# SPDX-License-Identifier: Apache-2.0
"""count_lines.py TREE [TREE]: lines and statements of a tree's code, room by room, tests apart;
.def tables and data (what tests and tools read) as lines alone. tools/lines.sh makes the trees."""
import ast
import pathlib
import re
import sys

C_LIKE = {".c", ".h", ".cpp", ".cu", ".cuh", ".js"}
CODE = C_LIKE | {".py", ".sh"}
TABLES = {".def"}
DATA = {".txt", ".session", ".toml", ".tsv", ".csv", ".inc", ".json", ".ptx"}
QUOTED = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
CONTROL = re.compile(r"\b(?:if|for|while|do|switch|else)\b")
TESTS = {"tests", "fuzz"}
FRONT = {"args", "ask", "cli", "ptx", "ptxas", "rewrite", "run", "shim", "text"}  # between a request and the core


def statements_of_c(text):
    """Semicolons outside parentheses (a for has one statement), and what controls others."""
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", " ", QUOTED.sub(" ", text), flags=re.M)
    depth = count = 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        count += sign == ";" and depth <= 0
    return count + len(CONTROL.findall(text))


def statements_of_shell(text):
    lines = [line.strip() for line in text.splitlines()]
    return sum(1 for line in lines if line and not line.startswith("#"))


def statements(path, text):
    if path.suffix in C_LIKE:
        return statements_of_c(text)
    if path.suffix == ".py":
        return sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(text)))
    return statements_of_shell(text)


def room_of(relative):
    """The folder, or its tests; the many cases of a fuzzer and of golden sessions are data."""
    parts = relative.parts
    if parts[0] in {"lab", "program"}:  # which hold several
        parts = parts[1:]
    tests = any(part in TESTS for part in parts[:-1])
    if not tests:
        return parts[0]
    return parts[0] if parts[0] in TESTS else f"{parts[0]}: tests"


def count(tree):
    """{room: [lines of code, statements, lines of tables, lines of data]}"""
    rooms = {}
    for path in sorted(tree.rglob("*")):
        relative = path.relative_to(tree)
        if not path.is_file() or len(relative.parts) < 2 or relative.parts[0].startswith("."):
            continue
        kind = 0 if path.suffix in CODE else 2 if path.suffix in TABLES else 3 if path.suffix in DATA else None
        if kind is None or path.name == "CMakeLists.txt":
            continue
        text = path.read_text(errors="replace")
        row = rooms.setdefault(room_of(relative), [0, 0, 0, 0])
        row[kind] += len(text.splitlines())
        if kind == 0:
            row[1] += statements(path, text)
    return rooms


def total(rooms, which):
    return [sum(row[i] for room, row in rooms.items() if which(room)) for i in range(4)]


def is_test(room):
    return room in TESTS or room.endswith(": tests")


def main():
    trees = [count(pathlib.Path(tree)) for tree in sys.argv[1:]]
    names = sorted(set().union(*trees), key=lambda room: (is_test(room), room))
    parts = [(room, [tree.get(room, [0] * 4) for tree in trees]) for room in names]
    parts += [("ask cli ptx shim text", [total(tree, FRONT.__contains__) for tree in trees]),
              ("without tests", [total(tree, lambda room: not is_test(room)) for tree in trees]),
              ("tests", [total(tree, is_test) for tree in trees]),
              ("all", [total(tree, lambda room: True) for tree in trees])]
    head = ("code", "statem.", "tables", "data")
    print(" " * 24 + "".join(f"{word:>9}" for _ in trees for word in head) + ("   code" if len(trees) == 2 else ""))
    for room, rows in parts:
        line = f"{room:24}" + "".join(f"{number:9}" for row in rows for number in row)
        if len(rows) == 2 and rows[0][0]:
            line += f"{100 * (rows[1][0] - rows[0][0]) / rows[0][0]:+6.1f}%"
        print(line)


main()
