# SPDX-License-Identifier: Apache-2.0
"""The pages that gendocs makes are what stands in docs/; and none of the tables is empty."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["arithmetic.md", "descriptor.md", "enums.md", "readings.md", "rules.md", "swizzle.md"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    subprocess.run([os.environ["GENDOCS"], folder], check=True)
    return folder


def test_makes_these_pages(made):
    assert sorted(p.name for p in made.iterdir()) == PAGES


def test_api_page_is_up_to_date(tmp_path):
    page = tmp_path / "api.md"
    subprocess.run([sys.executable, ROOT / "tools/apidocs.py", page], check=True)
    assert (ROOT / "docs/api.md").read_text() == page.read_text(), "tools/apidocs.py"


def test_api_page_has_every_structure():
    page = (ROOT / "docs/api.md").read_text()
    named = {name for path in (ROOT / "include/tma").glob("*.h")
             for name in re.findall(r"^typedef struct (\w+) \{", path.read_text(), re.M)}
    assert len(named) > 100 and not [name for name in sorted(named) if f"typedef struct {name} {{" not in page]


@pytest.mark.skipif(not shutil.which("cc"), reason="no cc")
def test_api_page_has_the_enumerators_that_a_compiler_sees():
    page = (ROOT / "docs/api.md").read_text()
    shown = {m[1]: re.findall(r"\w+", m[2]) for m in re.finditer(r"^enum (\w+) \{\n([^}]*)\};$", page, re.M)}
    text = "".join(f'#include "{path}"\n' for path in sorted((ROOT / "include/tma").glob("*.h")))
    seen = subprocess.run(["cc", "-E", "-P", f"-I{ROOT}/include", "-xc", "-"], input=text, capture_output=True, text=True, check=True)
    compiled = {m[2]: re.findall(r"(?:^|,)\s*(\w+)", m[1]) for m in re.finditer(r"typedef enum \w+\s*\{([^}]*)\}\s*(\w+);", seen.stdout)}
    compiled = {name: names for name, names in compiled.items() if name.startswith(("tma_", "CU"))}
    assert len(compiled) > 80 and shown == compiled


@pytest.mark.parametrize("page", PAGES)
def test_is_up_to_date(page, made):
    assert (ROOT / "docs" / page).read_text() == (made / page).read_text(), \
        "cmake --build build --target docs"


@pytest.mark.parametrize("page", PAGES)
def test_rows_have_as_many_cells_as_their_table(page):
    width, rows = None, 0
    for line in (ROOT / "docs" / page).read_text().splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line))
        if not cells:
            width = None
        else:
            width = width or cells
            rows += 1
            assert cells == width, line
    assert rows > 10


def test_every_rule_is_on_its_page():
    page = (ROOT / "docs/rules.md").read_text()
    named = set()
    for table in ("rules.def", "traps.def", "edits.def"):
        text = (ROOT / "include/tma" / table).read_text()
        named |= set(re.findall(r'^TMA_RULE\(\d+, \w+, "([^"]+)"', text, re.M))
    assert named and named == set(re.findall(r"^\| `([^`]+)` \|", page, re.M))


def explained(*words):
    return subprocess.run([os.environ["TMA"], "explain", *words], check=True, capture_output=True, text=True).stdout


def test_what_tma_ptx_says_is_as_tma_explain_has_it():
    rows = dict(re.findall(r"^\| (ptx-[\w-]+) \| (.+) \|$", (ROOT / "docs/kernels.md").read_text(), re.M))
    names = [n for n in explained().split() if n.startswith("ptx-")]
    assert len(names) >= 10 and set(names) == set(rows)
    for name in names:
        rule = next(r for r in map(json.loads, explained("--json", name).splitlines()) if "certain" in r)
        certain = "yes" if rule["certain"] else "no"
        assert rows[name] == f"{rule['statement']} ({rule['source']}) | {certain}"
