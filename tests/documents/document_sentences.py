# SPDX-License-Identifier: Apache-2.0
"""document_sentences DOCUMENT...: the sentences of NVIDIA's documents, section by section.

A document is the PTX ISA's section 5.5 as plain text or as Markdown, or the driver API reference's
section Tensor Map Object Management as plain text. A list entry, a row of a table, a pattern of
numbers, the numbers of an example and an enumerator are sentences too. What comes out has the first
words and a key of each sentence, never the sentence: the documents are NVIDIA's."""
import hashlib
import pathlib
import re
import unicodedata

WORDS = 6          # of a sentence that are kept, and
SIGNS = 14         # of a sentence without blanks
KEY_DIGITS = 8
CALLS = {"cuTensorMapEncodeTiled": "Tiled", "cuTensorMapEncodeIm2col": "Im2col",
         "cuTensorMapEncodeIm2colWide": "Wide", "cuTensorMapReplaceAddress": "ReplaceAddress"}
EXAMPLE = re.compile(r"(Tensor Size ?\[|Tensor coordinates|Tensor Coordinates in|tensor coordinates ?=|"
                     r"Pixels-per-column ?=|channels-per-pixel ?=|"
                     r"Bounding.Box (Lower|Upper).Corner [WH] ?[+=]|"
                     r"im2col offsets ?(:|in the)|Traversal Stride ?=|Shared memory buffer \d|wHalo (=|in)|"
                     r"wOffset =|W \+=)", re.I)
HEADING = re.compile(r"\d+(\.\d+)+\. ")
NUMBERS = re.compile(r"([\d ]{9,}|… Pattern repeats …)$")


def key_of(text):
    """The same for plain text and Markdown: letters and digits only."""
    kept = "".join(c for c in unicodedata.normalize("NFKC", text).lower() if c.isalnum())
    return hashlib.sha256(kept.encode()).hexdigest()[:KEY_DIGITS]


def first_words(text):
    text = " ".join(text.split())
    if HEADING.match(text):
        return text
    words = " ".join(text.split(" ")[:WORDS])
    return words if words.isascii() else text[:SIGNS]


def plain(line):
    """A line without Markdown's marks; None for a picture or the line below a table's head."""
    line = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", lambda m: "" if m[0][0] == "!" else m[1], line)
    line = line.replace("`", "").replace("\\_", "_").replace("**", "")
    if line.lstrip().startswith("!") or re.fullmatch(r"[\s|:-]*", line):
        return "" if not line.strip("|- ") else None
    line = re.sub(r"(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", "", line)
    return line.rstrip()


def split_sentences(text):
    """At a full stop before a capital, and in Chinese at its own full stop."""
    text = " ".join(text.split())
    if HEADING.match(text):
        return [text]
    found = re.split(r"(?<=\w)\.\s+(?=[A-Z.])|(?<=\))\.\s+(?=[A-Z])|(?<=。)|(?<=\))(?=当)", text)
    return [one.strip() for one in found if re.search(r"\w", one)]


class Paragraphs:
    """Lines to paragraphs: wrapped lines joined, lists, tables, examples and patterns apart."""

    def __init__(self):
        self.found, self.kind, self.text = [], "", ""

    def put(self, kind, line, joined):
        if joined and kind == self.kind:
            self.text += " " + line
        else:
            self.close()
            self.kind, self.text = kind, line

    def close(self):
        if self.text.strip():
            self.found.append((self.kind, self.text.strip()))
        self.kind, self.text = "", ""


def kind_of(line, text):
    if EXAMPLE.match(text):
        return "example"
    if line.lstrip().startswith("|") and NUMBERS.match(text.replace("|", " ").strip()):
        return "pattern"
    if NUMBERS.match(text):
        return "pattern"
    return "row" if line.lstrip().startswith("|") else "text"


def paragraphs(text):
    made = Paragraphs()
    blank = True
    for raw in text.splitlines():
        line = plain(raw)
        if line is None or raw.strip().startswith("```"):
            continue
        if not line.strip(" |"):
            blank = True
            continue
        bullet = re.match(r"\s*([•*+-]|\d+\.)\s+(?=\S)", line)
        body = line[bullet.end():] if bullet else line.strip()
        body = body.replace("|", " ").strip().lstrip("#").strip()
        kind = kind_of(line, body)
        if kind in ("example", "pattern"):
            made.put(kind, body, not body.startswith("Shared memory buffer"))
        elif kind == "row":
            made.put(kind, body, False)
        else:
            made.put(kind, body, not blank and not bullet and len(body) > 0 and wrapped(raw))
        blank = False
    made.close()
    return made.found


def wrapped(raw):
    """Plain text has a paragraph a line; Markdown's lines go on."""
    return wrapped.markdown and not raw.startswith("#")


def sentences_of_ptx(text):
    wrapped.markdown = "](#" in text
    section = ""
    for kind, body in paragraphs(text):
        head = re.match(r"(5\.5(?:\.\d+)*)\.\s+(\D.*)", body)
        if head and kind == "text":
            section = head[1]
        whole = kind != "text"
        for one in [body] if whole else split_sentences(body):
            yield f"PTX {section}", one


PARTS = re.compile(r"(参数|描述|另请参阅|函数)$")   # parameters, description, see also, functions


def sentences_of_api(text):
    """A parameter of the list is one sentence with what is said of it."""
    call, argument, part, named = "in general", "", "", ""
    for raw in text.splitlines():
        line = raw.strip()
        opened = re.match(r"CUresult (\w+) \(", line)
        bullet = re.match(r"  • ([A-Za-z0-9]+)", raw)
        if opened:
            call, argument, part = CALLS[opened[1]], "", ""
        elif PARTS.match(line):
            argument, part = "", line
            continue
        elif bullet:
            argument = " " + bullet[1]
        line = line.lstrip("•- ").strip()
        if part == "参数" and re.fullmatch(r"\w+", line) and line.isascii():
            named = line + ": "
            continue
        for one in split_sentences(named + line):
            if not re.match(r"(typedef|\} ?CU)", one):
                yield f"API {call}{argument}", one
        named = ""


def sentences(text):
    found = sentences_of_api(text) if "cuTensorMapEncodeTiled" in text else sentences_of_ptx(text)
    return list(found)


if __name__ == "__main__":
    import sys
    for name in sys.argv[1:]:
        for section, one in sentences(pathlib.Path(name).read_text()):
            print(f"{section} | {key_of(one)} | {one}")
