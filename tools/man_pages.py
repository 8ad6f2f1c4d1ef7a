#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a man page for every verb of tma, from what its --help prints: man_pages.py TMA FOLDER"""
import re
import subprocess
import sys
from pathlib import Path

DOC_COLUMN = 29  # of cli/args/args_help.c


def ask(tma, *words):
    return subprocess.run([tma, *words], check=True, capture_output=True, text=True).stdout


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M)


def paragraphs(lines):
    out = []
    for line in lines:
        example = line.startswith("  ")
        if not line:
            out.append(".PP")
        elif example:
            out += [".RS", ".nf", roff(line.strip()), ".fi", ".RE"]
        else:
            out.append(roff(line))
    while out and out[0] == ".PP":
        out.pop(0)
    while out and out[-1] == ".PP":
        out.pop()
    return [line for i, line in enumerate(out) if line != ".PP" or out[i - 1] != ".PP"]


def options(lines):
    out = []
    for line in lines:
        if re.match(r"^ {2,6}-", line):
            name, doc = line[:DOC_COLUMN], line[DOC_COLUMN:]
            if not name.endswith(" "):  # its name reaches into the column
                name, _, doc = line.strip().partition("   ")
            name, doc = name.strip(), doc.strip()
            out += [".TP", f".B {roff(name)}"] + ([roff(doc)] if doc else [])
        elif line.startswith(" " * DOC_COLUMN):
            out.append(roff(line.strip()))
        elif re.match(r"^ \S", line):
            out.append(f".SS {roff(line.strip())}")
    return out


def page(verb, summary, version, text):
    lines = text.splitlines()
    ways = [line for line in lines if re.match(r"(Usage|  or): ", line)]
    rest = lines[len(ways) :]
    last = next((i for i, line in enumerate(rest) if line.startswith("  -V, --version")), None)
    first = next((i for i, line in enumerate(rest[:last]) if re.match(r"^ {2,6}-| \S.*:$", line)), 0)
    name = f"tma\\-{verb.replace('-', chr(92) + '-')}"
    out = ['.\\" SPDX-License-Identifier: Apache-2.0',
           f'.TH TMA\\-{roff(verb).upper()} 1 "" "libtma {version}" "User Commands"',
           ".SH NAME", f"{name} \\- {roff(summary)}", ".SH SYNOPSIS"]
    for i, way in enumerate(ways):
        out += ([".br"] if i else []) + [roff(way.split(":", 1)[1].strip())]
    if last is None:  # ptxas, run-checked: their help is text
        return "\n".join([*out, ".SH DESCRIPTION", *paragraphs(rest), ".SH SEE ALSO", ".BR tma (1)", ""])
    out += [".SH DESCRIPTION", *paragraphs(rest[:first]), ".SH OPTIONS", *options(rest[first : last + 1])]
    after = paragraphs(rest[last + 1 :])
    if after:
        out += [".SH NOTES", *after]
    return "\n".join([*out, ".SH SEE ALSO", ".BR tma (1)", ""])


def main():
    tma, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    version = ask(tma, "--version").split()[1]
    listed = ask(tma, "--help").split("Verbs:\n")[1].split("\n\n")[0]
    for line in listed.splitlines():
        verb, summary = line.split(maxsplit=1)
        text = ask(tma, verb, "--help")
        (folder / f"tma-{verb}.1").write_text(page(verb, summary.rstrip("."), version, text))


if __name__ == "__main__":
    main()
