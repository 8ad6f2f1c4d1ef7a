# SPDX-License-Identifier: Apache-2.0
"""Each sentence of SECURITY.md that promises something has a test (security.toml), and each row there its sentence."""
import ast
import pathlib
import re

import pytest

tomllib = pytest.importorskip("tomllib", reason="Python has it from 3.11 on")
ROOT = pathlib.Path(__file__).parents[2]
ROWS = tomllib.loads((ROOT / "tests/docs/security.toml").read_text())
PACKAGE = [ast.parse(path.read_text()) for path in sorted((ROOT / "python/libtma").glob("*.py"))]


def sentences():
    """(part, sentence): of tables under their first cell, of the rest under its heading; how it is tested and reported is neither."""
    part = ""
    for line in (ROOT / "SECURITY.md").read_text().partition("\n## How it is tested")[0].splitlines():
        if line.startswith("## "):
            part = line.removeprefix("## ")
        elif line and not line.startswith(("#", "| ---", "| part |")):
            cells = line.strip("| ").split(" | ", 1) if line.startswith("|") else [part, line.removeprefix("- ")]
            yield from ((cells[0], s) for s in re.split(r"(?<=[.;])\s+(?=[A-Z`*])", cells[1]))


def test_each_sentence_has_its_row_and_each_row_its_sentence():
    all_of = list(sentences())
    assert len(all_of) > 60
    beginnings = [(part, begin) for part, rows in ROWS.items() for begin in rows]
    for part, sentence in all_of:
        assert len([b for p, b in beginnings if p == part and sentence.startswith(b)]) == 1, (part, sentence)
    for part, begin in beginnings:
        assert len([s for p, s in all_of if p == part and s.startswith(begin)]) == 1, (part, begin)


@pytest.mark.parametrize("part", ROWS)
def test_each_test_is_there(part):
    for begin, tests in ROWS[part].items():
        assert tests, begin
        for test in tests:
            file, _, name = test.partition(" ")
            assert file == "-" or name in (ROOT / file).read_text(), (begin, test)


def test_the_package_for_python_has_no_network():
    nodes = [node for tree in PACKAGE for node in ast.walk(tree)]
    named = {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names} | {
        f"{n.module}" for n in nodes if isinstance(n, ast.ImportFrom)}
    assert "os" in named
    assert not {n for n in named if re.match(r"(socket|ssl|http|urllib|requests|ftplib|smtplib|xmlrpc|asyncio)\b", n) and n != "urllib.parse"}


def test_the_package_for_python_reads_these_variables():
    """LD_PRELOAD: what the program of `python -m libtma watch` gets has what was in it."""
    read = set()
    for tree in PACKAGE:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("os.environ.get", "os.getenv", "environ.get", "getenv"):
                read.add(ast.literal_eval(node.args[0]))
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and ast.unparse(node.value) in ("os.environ", "environ"):
                read.add(ast.literal_eval(node.slice))
    assert read == {"LIBTMA_ARCH", "LIBTMA_DRIVER", "LD_PRELOAD"}


def test_the_page_loads_and_sends_nothing():
    sources = [path for path in sorted((ROOT / "page").iterdir()) if path.suffix in (".html", ".js", ".css")]
    assert len(sources) > 5
    for path in sources:
        text = path.read_text()
        found = re.findall(r"\b(?:fetch|importScripts|import)\s*\(|XMLHttpRequest|sendBeacon|WebSocket|EventSource|RTCPeerConnection|"
                           r"<(?:script|link|img|iframe)[^>]*(?:src|href)=|@import|url\((?!#|[\"']?data:)|<form", text)
        assert not found, (path.name, found)
