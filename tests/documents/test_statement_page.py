# SPDX-License-Identifier: Apache-2.0
"""docs/evidence/documents.md is what statement_page.py makes of the tables, and the READMEs have its numbers."""
import pathlib
import re

import sentence_list
import statement_page as page
import statement_rows as rows

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBERS = {"README.md": r"(\d+) statements in (\d+) sentences of NVIDIA's documents.*?"
                        r"(\d+) differ because hardware or driver do, (\d+) by choice",
           "README.zh-CN.md": r"(\d+) 条陈述.(\d+) 个句子.*?(\d+) 条与文档不同.*?(\d+) 条是有意的选择"}


def test_page_is_up_to_date():
    assert page.PAGE.read_text() == page.page(), "cmake --build build --target documents"


def test_page_has_a_line_for_each_statement_and_each_sentence():
    lines = page.PAGE.read_text().splitlines()
    for row in rows.rows():
        assert any(one.startswith(f"| {row['of'][0]} |") and page.code(row["ask"]) in one
                   for one in lines), row["says"]
    places = {one.split(" | ")[0].removeprefix("| ") for one in lines}
    assert not [one.place for one in sentence_list.sentences() if one.place not in places]


def test_readmes_have_the_numbers():
    every, other, chosen = rows.counts()
    asked = sum(not one.kind for one in sentence_list.sentences())
    for name, pattern in NUMBERS.items():
        said = re.search(pattern, (ROOT / name).read_text(), re.S)
        assert said and tuple(map(int, said.groups())) == (every, asked, other, chosen), name
