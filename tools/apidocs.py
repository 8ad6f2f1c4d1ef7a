#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""apidocs.py [FILE]: docs/api.md, every structure, enumeration and function of the public headers, by what one wants.

The words are the headers' own: a declaration with the comment before it. A header that no group
below has is an error, and so is a function without a comment.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
INCLUDE = ROOT / "include/tma"

# What one wants, and the headers for it, from the simplest use to the most special.
GROUPS = [
    ("Describe a map", ["spec.h"]),
    ("Check a map", ["check.h"]),
    ("Encode, decode and edit the 128 bytes", ["map.h"]),
    ("Measure a map: the numbers that a kernel needs", ["measure.h"]),
    ("Compare an MMA's matrix descriptor with a map", ["mma.h"]),
    ("Plan one copy", ["instruction.h", "plan.h"]),
    ("Perform copies", ["copy.h", "path.h"]),
    ("List every run of bytes of a copy", ["walk.h"]),
    ("Count sectors, lines and bank conflicts", ["cost.h"]),
    ("Find maps in memory", ["find.h"]),
    ("Read mbarriers", ["barrier.h"]),
    ("Elements and addresses", ["element.h", "swizzle.h"]),
    ("In a CUDA kernel", ["layout.h", "judge.h", "judge_quick.h", "judge_record.h", "type_traits.h"]),
    ("The driver's interface", ["cuda_driver.h", "cuda_api.h"]),
    ("Statuses and versions", ["status.h", "export.h"]),
    ("Words: libtma-text", ["text.h", "code.h", "view.h", "grammar.h", "mma_text.h", "synonyms.h", "case.h", "dump.h", "paste.h", "crash.h", "word.h",
                            "pattern.h", "ptx.h", "ptx_file.h", "ptx_check.h", "json.h"]),
    ("Pictures: libtma-draw", ["draw.h"]),
    ("Kernels executed: libtma-emulator", ["emulate.h"]),
]
NOT_FUNCTIONS = {"tma.h"}
DECLARATION = re.compile(
    r"^(?:TMA_EXPORT|TMA_LAYOUT_FUNCTION|static inline)\b(?P<rest>[^;{}#]*?)\s*(?:;|\{)", re.M | re.S)
COMMENT = re.compile(r"^/\*(.*?)\*/", re.M | re.S)


def words(comment):
    """A comment's text in paragraphs, without its stars."""
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment.strip().splitlines()]
    return re.sub(r"[ \t]+", " ", "\n".join(lines)).strip()


def declaration(text):
    text = re.sub(r"\b(TMA_EXPORT|TMA_MUST_USE|TMA_LAYOUT_FUNCTION|TMA_FORMAT\([^)]*\))\s*", "", text)
    text = re.sub(r"^static inline ", "", text.strip())
    return re.sub(r"\s+", " ", text).strip() + ";"


def functions(header):
    """(declaration, comment) of each function; several may share the comment before the first."""
    text = (INCLUDE / header).read_text()
    shared, found = "", []
    at = 0
    for match in DECLARATION.finditer(text):
        between = text[at:match.start()]
        comments = COMMENT.findall(between)
        lines = re.sub(r"/\*.*?\*/", "", between, flags=re.S)
        if comments and between.rstrip().endswith(comments[-1] + "*/"):
            shared = words(comments[-1])
        elif "typedef" in lines:
            shared = ""
        behind = re.match(r"[ \t]*/\*(.*?)\*/", text[match.end():])
        said = shared or (words(behind[1]) if behind else "")
        name = re.search(r"(\w+)\s*\(", match["rest"])
        if name and not name[1].endswith("_"):
            found.append((declaration(match[0].rstrip("{;")), said, name[1]))
        at = match.end()
    return found


# A structure whole: fields and comments, and the comment right before it.
STRUCT = re.compile(r"^(?:/\*(?:(?!\*/).)*\*/\n)?typedef (?:struct|union)\b[^;{]*\{.*?^\} ?\w+[^;\n]*;"
                    r"(?:[ \t]*/\*.*?\*/)?", re.M | re.S)


ENUM = re.compile(r"^typedef enum \w+ \{(.*?)\} ?(\w+);", re.M | re.S)
ROW_MACRO = re.compile(r" *# *define (\w+)\(([^)]*)\) *(\w+(?:##\w+)*)")


def rows(table, macros):
    """The enumerators that a .def file gives: of each row of a macro the name that the macro makes of it."""
    for row in re.finditer(r"^(\w+)\(([^\n]*)", (INCLUDE / table).read_text(), re.M):
        if row[1] in macros:
            parameters, name = macros[row[1]]
            given = dict(zip(parameters, (word.strip() for word in row[2].split(","))))
            yield "".join(given.get(piece, piece) for piece in name.split("##"))


def enumerators(body):
    macros = {}
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S).replace("\\\n", " ")
    for directive, plain in re.findall(r"^( *#.*)$|((?:^(?! *#).*\n?)+)", body, re.M):
        if made := ROW_MACRO.match(directive):
            macros[made[1]] = [word.strip() for word in made[2].split(",")], made[3]
        elif table := re.match(r' *# *include "(\w+\.def)"', directive):
            yield from rows(table[1], macros)
        yield from re.findall(r"(?:^|,)\s*(\w+)", plain)


def enums(header):
    """The names of each enumeration's numbers, in their order."""
    for body, name in ENUM.findall((INCLUDE / header).read_text()):
        names = textwrap.fill(", ".join(enumerators(body)), 100, initial_indent="    ", subsequent_indent="    ")
        yield f"enum {name} {{\n{names}\n}};"


def types(header):
    """What a program fills and reads, as the header has it, and enumerations: one block of code, or nothing."""
    found = [re.sub(r" ?\bTMA_ZERO\b", "", match[0]) for match in STRUCT.finditer((INCLUDE / header).read_text())]
    found += enums(header)
    return ["```c", "\n\n".join(found), "```", ""] if found else []


def page():
    listed = [h for _, headers in GROUPS for h in headers]
    there = {p.name for p in INCLUDE.glob("*.h")} - NOT_FUNCTIONS
    wrong = [f"{h} is in no group of apidocs.py" for h in sorted(there - set(listed))]
    wrong += [f"{h}, in apidocs.py, is gone" for h in sorted(set(listed) - there)]
    out = ["# Functions and types", "",
           "Made from the public headers by `tools/apidocs.py`: of each header its structures and enumerations, then its functions. "
           "Which number a name is, and where it comes from, the headers say; "
           "[examples](../examples) are whole programs; [abi.md](abi.md) says what stays.", "",
           "A function writes its result through its first argument. Where it has a last argument "
           "*why*, it writes the reason of a failure there; *why* may be null. Look at every status "
           "that a function returns. No function allocates memory, keeps state, or does input or "
           "output.", ""]
    for title, headers in GROUPS:
        out += [f"## {title}", ""]
        for header in filter(there.__contains__, headers):
            found, last, block = functions(header), None, types(header)
            if found or block:
                out += [f"### [{header}](../include/tma/{header})", "", *block]
            for text, said, name in found:
                if not said:
                    wrong.append(f"{header}: {name} has no comment")
                if said != last:
                    out += ["" if last is not None else "", said, ""] if last is not None else [said, ""]
                last = said
                out += ["```c", text, "```"]
            out += [""]
    text = "\n".join(out).replace("```\n```c\n", "")
    out = re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"
    return out, wrong


def main():
    text, wrong = page()
    if wrong:
        raise SystemExit("\n".join(wrong))
    (pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/api.md").write_text(text)


if __name__ == "__main__":
    main()
