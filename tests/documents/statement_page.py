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

**{all} rows. {same} are implemented as written. {other} differ because hardware or driver do: the row says which evidence says so. {chosen} differ by choice: nothing was seen that decides, or the driver that was seen is of another target; the row says what is not known.** A second set of questions, by models written from the documents' text alone: [tests/other_hand](../tests/other_hand). What the answers mean: [statement_answers.py](../tests/documents/statement_answers.py). Names such as `inner-span` are rules: `tma explain inner-span`.
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
    if "chooses" in row:
        answer += f" **by choice: {cell(row['chooses'])}**"
    if "note" in row:
        answer += f" ({cell(row['note'])})"
    return f"| {cell(row['says'])} | {code(row['ask'])} | {answer} |\n"


def contents():
    """The outline: sections with how many statements, and how many differ."""
    lines = ["\n| section | rows | differ | by choice |\n| --- | --- | --- | --- |\n"]
    for _, title, found in rows.sections():
        differ = sum("differs" in row for row in found)
        chosen = sum("chooses" in row for row in found)
        lines.append(f"| {cell(title)} | {len(found)} | {differ or '-'} | {chosen or '-'} |\n")
    return "".join(lines)


def page():
    every, other, chosen = rows.counts()
    text = [HEAD.format(all=every, same=every - other - chosen, other=other, chosen=chosen),
            contents()]
    for _, title, found in rows.sections():
        text.append(TABLE.format(title=cell(title)))
        text += [row_text(row) for row in found]
    return "".join(text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        sys.stdout.write(page())
