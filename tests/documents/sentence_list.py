# SPDX-License-Identifier: Apache-2.0
"""sentence_list --write DOCUMENT...: the list of the documents' sentences, sentences_*.txt, made anew.

A line of the list is a sentence:

    PLACE | KEY[,KEY...] | FIRST WORDS [~ IN ENGLISH] [| WHAT IT IS [: PLACE]]

PLACE is section and number. A second KEY is the same sentence as another edition spells it. What it
is stands where a sentence says nothing that can be asked; the place behind it is where the matter is
asked. --write keeps places, English and what they are of sentences that the list has."""
import collections
import pathlib
import sys

import document_sentences as documents

HERE = pathlib.Path(__file__).resolve().parent
LISTS = ["sentences_ptx.txt", "sentences_api.txt"]

# What a sentence is that says nothing which can be asked, and whether it must name a place.
KINDS = {
    "heading": ("a heading", False),
    "lead-in": ("leads into what follows", False),
    "table head": ("the head of a table, asked at", True),
    "caption": ("the caption of a picture that is not in the text, asked at", True),
    "name": ("only a name here, asked at", True),
    "same": ("the same again, asked at", True),
    "definition": ("says what a word means", False),
    "purpose": ("says what something is for", False),
    "data": ("asks something of the data, which no argument describes", False),
    "reference": ("points elsewhere", False),
    "garbled": ("makes no sense in the edition that was read", False),
}

Sentence = collections.namedtuple("Sentence", "place keys words english kind see")


def parsed(line):
    place, keys, words, *rest = (part.strip() for part in line.split(" | "))
    words, _, english = words.partition(" ~ ")
    kind, _, see = (rest[0] if rest else "").partition(": ")
    return Sentence(place, keys.split(","), words, english, kind, see)


def written(one):
    words = one.words + (f" ~ {one.english}" if one.english else "")
    kind = [one.kind + (f": {one.see}" if one.see else "")] if one.kind else []
    return " | ".join([one.place, ",".join(one.keys), words, *kind]) + "\n"


def lines_of(name):
    return (HERE / name).read_text().splitlines(keepends=True)


def sentences():
    return [parsed(line) for name in LISTS for line in lines_of(name) if line[0] != "#"]


def first_words(one):
    return one.english or one.words


def found_in(texts):
    """{section: [(key, sentence)]} of documents, each sentence of a section as often as in the
    document that has it most often."""
    found = {}
    for text in texts:
        here = collections.defaultdict(list)
        for section, sentence in documents.sentences(text):
            here[section.split(" ", 1)[1]].append((documents.key_of(sentence), sentence))
        for section, many in here.items():
            known = collections.Counter(key for key, _ in found.setdefault(section, []))
            for key, sentence in many:
                if known[key] > 0:
                    known[key] -= 1
                else:
                    found[section].append((key, sentence))
    return found


def compared(texts):
    """(sentences of the documents that the list lacks, sentences of the list that none has)."""
    listed = collections.defaultdict(list)
    for one in sentences():
        listed[one.place.rsplit("/", 1)[0]].append(one)
    new, seen = [], set()
    for section, many in found_in(texts).items():
        free = list(listed[section])
        for key, sentence in many:
            one = next((one for one in free if key in one.keys), None)
            spelt = next((one for one in listed[section] if key in one.keys[1:]), None)
            if one:
                free.remove(one)
                seen.add(one.place)
            elif not spelt:
                new.append((section, key, sentence))
            else:
                seen.add(spelt.place)
    return new, [one for one in sentences() if one.place not in seen]


def rewritten(name, texts):
    """The lines of a list: what has gone is left out, what is new stands behind its section."""
    new, gone = compared(texts)
    lost = {one.place for one in gone}
    lines = [line for line in lines_of(name) if line[0] == "#" or parsed(line).place not in lost]
    ours = {parsed(line).place.rsplit("/", 1)[0] for line in lines_of(name) if line[0] != "#"}
    for section, key, sentence in new:
        if section not in ours and (name == LISTS[0]) != section.startswith("5.5"):
            continue
        numbers = [int(one.place.rsplit("/", 1)[1]) for one in map(parsed, (
            line for line in lines if line[0] != "#")) if one.place.rsplit("/", 1)[0] == section]
        place = f"{section}/{max(numbers, default=0) + 1}"
        behind = max((i for i, line in enumerate(lines) if line.startswith(section + "/")),
                     default=len(lines) - 1)
        lines.insert(behind + 1, written(Sentence(
            place, [key], documents.first_words(sentence), "", "", "")))
    return "".join(lines)


if __name__ == "__main__":
    if sys.argv[1:2] != ["--write"] or len(sys.argv) < 3:
        sys.exit(__doc__.splitlines()[0])
    read = [pathlib.Path(path).read_text() for path in sys.argv[2:]]
    made = {name: rewritten(name, read) for name in LISTS}
    for name, text in made.items():
        (HERE / name).write_text(text)
