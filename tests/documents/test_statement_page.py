# SPDX-License-Identifier: Apache-2.0
"""docs/documents.md is what statement_page.py makes of the tables, and the README has their numbers."""
import pathlib
import re

import statement_page as page
import statement_rows as rows

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_page_is_up_to_date():
    assert page.PAGE.read_text() == page.page(), "cmake --build build --target documents"


def test_page_has_a_line_for_each_statement():
    every = rows.counts()[0]
    text = page.PAGE.read_text()
    assert sum(text.count(page.row_text(row)) > 0 for row in rows.rows()) == every


def test_readme_has_the_numbers():
    said = re.search(r"(\d+) rows of NVIDIA's documents.*?(\d+) differ because hardware or driver do, "
                     r"(\d+) by choice", (ROOT / "README.md").read_text(), re.S)
    assert said and tuple(map(int, said.groups())) == rows.counts()
