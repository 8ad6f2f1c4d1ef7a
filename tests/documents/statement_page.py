# SPDX-License-Identifier: Apache-2.0
"""docs/documents.md out of the tables of this folder; --write puts it there."""
import pathlib
import sys

import statement_rows as rows

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/documents.md"
MOST_WORDS = 12

HEAD = """# NVIDIA's documents, statement by statement

Made from the tables of [tests/documents](../tests/documents) by `cmake --build build --target documents`. Each row is a test: the command is run, and its answer is compared.

PTX: the PTX ISA, section 5.5, Tensors. API: the driver API reference, section Tensor Map Object Management. The statements are in short words of ours; the documents themselves are NVIDIA's.

**{all} statements. {same} are implemented as written; {other} differ on purpose, because hardware or driver do, or because a document leaves open what they do: the row says why, and which evidence says so.** What the answers mean: [statement_answers.py](../tests/documents/statement_answers.py). Names such as `inner-span` are rules: `tma explain inner-span`.
"""

TABLE = """
## {title}

| the document says | asked | libtma answers |
| --- | --- | --- |
"""


def cell(text):
    return text.replace("|", "\\|")


def code(text):
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{cell(text)}{ticks}"


def short(answer):
    words = answer.removeprefix("> ").split()
    return code(" ".join(words[:MOST_WORDS]) + (" ..." if len(words) > MOST_WORDS else ""))


def row_text(row):
    answer = "; ".join(short(a) for a in row["answer"])
    if "differs" in row:
        answer += f" **differs: {cell(row['differs'])}**"
    if "note" in row:
        answer += f" ({cell(row['note'])})"
    return f"| {cell(row['says'])} | {code(row['ask'])} | {answer} |\n"


def contents():
    """The outline: sections with how many statements, and how many differ."""
    lines = ["\n| section | statements | differ |\n| --- | --- | --- |\n"]
    for _, title, found in rows.sections():
        differ = sum("differs" in row for row in found)
        lines.append(f"| {cell(title)} | {len(found)} | {differ or '-'} |\n")
    return "".join(lines)


def page():
    every, other = rows.counts()
    text = [HEAD.format(all=every, same=every - other, other=other), contents()]
    for _, title, found in rows.sections():
        text.append(TABLE.format(title=cell(title)))
        text += [row_text(row) for row in found]
    return "".join(text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        sys.stdout.write(page())
