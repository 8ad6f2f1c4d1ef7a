# SPDX-License-Identifier: Apache-2.0
"""Pages for users have short sentences: the mean of a page's prose at most 16 words, none over 40, also in
tables. Code counts as one word where it stands in a sentence, and not at all in blocks; a link counts as its
text. docs/evidence/ is exempt."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted(p for p in (ROOT / "docs").glob("*.md") if "zh-CN" not in p.name)
MEAN, MOST = 16, 40
BEGIN = re.compile(r"\s*(?:[-*]|\d+\.) +")


def blocks(text):
    """(whether it is a table's cell, a piece of prose) of all paragraphs, items and cells."""
    text = re.sub(r"^```.*?^```$|^(?: {4}|\t).*$", "", text, flags=re.M | re.S)
    lines = []
    for line in [*text.splitlines(), ""]:
        table = line.startswith("|")
        if lines and (table or not line.strip() or line.startswith("#") or BEGIN.match(line)):
            yield False, " ".join(lines)
            lines = []
        if table and not re.fullmatch(r"[| :-]+", line):
            yield from ((True, cell) for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        elif line.strip() and not table and not line.startswith("#"):
            lines.append(BEGIN.sub("", line, count=1) if BEGIN.match(line) else line)


def plain(piece):
    piece = re.sub(r"!\[[^]]*\]\([^)]*\)", "", piece)
    piece = re.sub(r"`[^`]*`", "code", piece)
    piece = re.sub(r"\b(e\.g|i\.e)\.", r"\1", piece)
    return re.sub(r"\]\([^)]*\)", "]", piece)


def sentences(text):
    """(whether in a table, number of words, the sentence)"""
    for table, piece in blocks(text):
        for sentence in re.split(r"(?<=[.!?])[)*\"]*\s+(?=[\w\"'*(\[])", plain(piece)):
            count = len(re.findall(r"\w[\w.,'/+-]*", sentence))
            if count:
                yield table, count, sentence


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_sentences_are_short(page):
    found = list(sentences(page.read_text()))
    prose = [count for table, count, _ in found if not table]
    too_long = [(count, text) for _, count, text in found if count > MOST]
    print(f"{page.name}: {len(found)} sentences, mean of prose {sum(prose) / max(len(prose), 1):.1f}, "
          f"longest {max(count for _, count, _ in found)}")
    assert found and not too_long
    assert not prose or sum(prose) / len(prose) <= MEAN


def test_counting():
    text = "# Heading of five words here\n\nOne two `a b c` four. Five [six](seven.md) eight.\n\n| a b | c. D e |\n"
    assert [(table, count) for table, count, _ in sentences(text)] == [
        (False, 4), (False, 3), (True, 2), (True, 1), (True, 2)]
