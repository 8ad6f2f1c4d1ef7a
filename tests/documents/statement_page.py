# SPDX-License-Identifier: Apache-2.0
"""docs/evidence/documents.md out of the tables of this folder; --write puts it there."""
import collections
import itertools
import pathlib
import sys

import sentence_list
import statement_rows as rows

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/evidence/documents.md"
MOST_WORDS = 12
CALLS = {"Tiled": "cuTensorMapEncodeTiled", "Im2col": "cuTensorMapEncodeIm2col",
         "Wide": "cuTensorMapEncodeIm2colWide", "ReplaceAddress": "cuTensorMapReplaceAddress"}

HEAD = """# NVIDIA's documents, sentence by sentence

Made from the tables of [tests/documents](../../tests/documents) by `cmake --build build --target documents`. Every sentence of two documents stands here by its place and its first words; the documents themselves are NVIDIA's.

- PTX: the PTX ISA, section 5.5, Tensors.
- API: the driver API reference, section Tensor Map Object Management. It was read in Chinese; its first words are given in English.

A list entry, a row of a table, an example's numbers and an enumerator count as a sentence. `5.5.1/3` is the third sentence of 5.5.1, `Tiled boxDim/1` the first that cuTensorMapEncodeTiled says of boxDim.

**{sentences} sentences. {silent} say nothing that can be asked here: headings, captions, names, what another sentence says in the same words; the page says what each is. {asked} say something: {statements} statements, each a test. {same} of these are implemented as written. {other} differ because hardware or driver do: the row says which evidence says so. {chosen} differ by choice: nothing was seen that decides, or the driver that was seen is of another target; the row says what is not known.**

{more} further questions ask another command for the same statement; they are tests too and are not counted. A second set of questions, by models written from the documents' text alone: [tests/other_hand](../../tests/other_hand). What the answers mean: [statement_answers.py](../../tests/documents/statement_answers.py). Names such as `inner-span` are rules: `tma explain inner-span`.
"""

TABLE = """
## {title}

| sentence | begins | the statement | asked | libtma answers |
| --- | --- | --- | --- | --- |
"""


def cell(text):
    return text.replace("|", "\\|")


def code(text):
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{cell(text)}{ticks}"


def short(answer):
    words = answer.removeprefix("> ").split()
    return code(" ".join(words[:MOST_WORDS]) + (" ..." if len(words) > MOST_WORDS else ""))


def verdict(row):
    answer = "; ".join(short(a) for a in row["answer"])
    if "differs" in row:
        answer += f" **differs: {cell(row['differs'])}**"
    if "chooses" in row:
        answer += f" **by choice: {cell(row['chooses'])}**"
    if "note" in row:
        answer += f" ({cell(row['note'])})"
    return answer


def line(place, begins, says, ask="", answer=""):
    return f"| {place} | {cell(begins)} | {cell(says)} | {ask} | {answer} |\n"


def row_text(row, begins):
    made = line(row["of"][0], begins, row["says"], code(row["ask"]), verdict(row))
    for other in row.get("also", []):
        made += line(row["of"][0], "", "the same of another command", code(other["ask"]),
                     verdict(other))
    return made


def sentence_text(one, asked):
    """The lines of a sentence: its rows, rows that stand at another sentence, or what it is."""
    begins = sentence_list.first_words(one)
    if one.kind:
        what = sentence_list.KINDS[one.kind][0] + (f" {one.see}" if one.see else "")
        return line(one.place, begins, what)
    mine = [row for row in asked if row["of"][0] == one.place]
    shown = "".join(row_text(row, begins if row is mine[0] else "") for row in mine)
    if shown:
        return shown
    places = sorted({row["of"][0] for row in asked})
    return line(one.place, begins, f"asked at {', '.join(places)}: {asked[0]['says']}")


def asked_of():
    """{place: rows that name it}."""
    found = collections.defaultdict(list)
    for row in rows.rows():
        for place in row["of"]:
            found[place].append(row)
    return found


def sections():
    """(title, sentences) in the order of the documents."""
    def part(one):
        return one.place.rsplit("/", 1)[0]
    found = {}
    for name, many in itertools.groupby(sentence_list.sentences(), part):
        found.setdefault(name, []).extend(many)
    for name, many in found.items():
        call, _, argument = name.partition(" ")
        title = f"API {CALLS[call]}" + (f", {argument}" if argument else "") if call in CALLS else \
            "API in general" if call == "in" else f"PTX {many[0].words}"
        yield title, many


def contents():
    """The outline: how many sentences a section has, how many statements, how many differ."""
    text = ["\n| section | sentences | say nothing to ask | statements | differ | by choice |\n"
            "| --- | --- | --- | --- | --- | --- |\n"]
    for title, many in sections():
        places = {one.place for one in many}
        mine = [row for row in rows.rows() if row["of"][0] in places]
        silent = sum(bool(one.kind) for one in many)
        numbers = [len(many), silent, *rows.counts(mine)]
        text.append(f"| {cell(title)} | " + " | ".join(str(n or "-") for n in numbers) + " |\n")
    return "".join(text)


def page():
    every, other, chosen = rows.counts()
    asked = asked_of()
    listed = sentence_list.sentences()
    silent = sum(bool(one.kind) for one in listed)
    text = [HEAD.format(sentences=len(listed), silent=silent, asked=len(listed) - silent,
                        statements=every, same=every - other - chosen, other=other, chosen=chosen,
                        more=sum(1 for _ in rows.questions()) - every), contents()]
    for title, many in sections():
        text.append(TABLE.format(title=cell(title)))
        text += [sentence_text(one, asked[one.place]) for one in many]
    return "".join(text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        sys.stdout.write(page())
