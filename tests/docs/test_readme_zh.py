# SPDX-License-Identifier: Apache-2.0
"""README.zh-CN.md is README.md in Chinese: the same sections, tables, code and outputs, the same
documents linked (those that are there in Chinese in Chinese), the same numbers."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENGLISH = (ROOT / "README.md").read_text()
CHINESE = (ROOT / "README.zh-CN.md").read_text()
SECTION = re.compile(r"^(#+) ", re.M)
BLOCK = re.compile(r"^```\w*\n.*?^```$", re.M | re.S)


def parts(text):
    return re.split(r"^## .*$", BLOCK.sub("", text), flags=re.M)


def links(part):
    return [t.split("#")[0].replace("answers.zh-CN.md", "answers.md")
            for t in re.findall(r"\]\(([^)#][^)]*)\)", part) if not t.startswith("README")]


def test_sections():
    assert SECTION.findall(BLOCK.sub("", ENGLISH)) == SECTION.findall(BLOCK.sub("", CHINESE))


def test_code_and_outputs():
    assert len(BLOCK.findall(ENGLISH)) >= 8
    assert BLOCK.findall(ENGLISH) == BLOCK.findall(CHINESE)


def test_links_of_each_section():
    for one, other in zip(parts(ENGLISH), parts(CHINESE)):
        assert links(one) == links(other)


def test_words_in_code_of_each_section():
    for one, other in zip(parts(ENGLISH), parts(CHINESE)):
        assert sorted(re.findall(r"`[^`\n]+`", one)) == sorted(re.findall(r"`[^`\n]+`", other))


def test_numbers_of_each_section():
    for one, other in zip(parts(ENGLISH), parts(CHINESE)):
        numbers = [sorted(re.findall(r"\b\d[\d,.]*\d\b", p)) for p in (one, re.sub("[\u3000-\uffef]", " ", other))]
        assert numbers[0] == numbers[1]


def test_rows_of_tables():
    rows = [[len(re.findall(r"^\| ", p, re.M)) for p in parts(t)] for t in (ENGLISH, CHINESE)]
    assert rows[0] == rows[1]


def test_places_in_the_file_itself():
    for text in (ENGLISH, CHINESE):
        heads = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^## (.*)$", text, re.M)}
        places = re.findall(r"\]\(#([^)]*)\)", text)
        assert places and set(places) <= heads


def test_readme_is_short():
    assert len(ENGLISH.encode()) < 14000
