#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The findings of `tma ptx` in PTX files, one a line: file, line, rule, certain or may, kernel, sentence, path.

    tools/ptx_findings.py build/tma PATH... > before
    tools/ptx_findings.py build/tma PATH... | diff before -

A PATH is a file or a folder, which is looked through. A change of how rules are written shows no difference.
With --deleted, each file is read once more without each of the statements that order something (fences,
barriers, waits, arrivals, groups), one at a time: the file's name then ends with +LINE.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ORDERS = re.compile(
    r"^\s*(?:@!?%\w+\s+)?(?:fence|bar|barrier|mbarrier|membar|tcgen05\.(?:commit|wait|fence)|wgmma\.(?:fence|commit|wait)"
    r"|cp\.async\.(?:bulk\.)?(?:commit|wait)_group|cp\.async\.wait_all|cp\.async\.mbarrier|elect|shfl\.sync)\b[^;]*;\s*$"
)


def files(paths):
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("*.ptx"))
        else:
            yield path


def without(path):
    """The file's text without one statement that orders something, and that statement's line."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    for at, line in enumerate(lines):
        if ORDERS.match(line):
            yield at + 1, "\n".join([*lines[:at], "", *lines[at + 1 :]])


def path_of(finding):
    return ">".join(f"{place['line']}{place['kind'][0]}" for place in finding.get("way") or [])


def rows_of(name, answer):
    about = [(one["line"], one.get("function"), finding) for one in answer["instructions"] for finding in one["findings"]]
    about += [(one["line"], one.get("function"), one) for one in answer["findings"]]
    for line, function, finding in sorted(about, key=lambda one: (one[0], one[2]["rule"], one[2]["text"])):
        certain = "certain" if finding["certain"] else "may"
        yield "\t".join(map(str, (name, line, finding["rule"], certain, function, finding["text"], path_of(finding))))
    for one in answer["unjudged"]:
        yield f"{name}\t{json.dumps(one, sort_keys=True)}"


def say(tma, paths, names):
    """One call for all: each answers on a line of its own."""
    run = subprocess.run([tma, "ptx", "--json", *map(str, paths)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True, check=False)
    answers = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    by_file = {answer["file"]: answer for answer in answers if "instructions" in answer}
    for path, name in zip(paths, names):
        if str(path) not in by_file:
            print(f"{name}\tno answer")
            continue
        for row in rows_of(name, by_file[str(path)]):
            print(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deleted", action="store_true", help="also without each statement that orders something")
    parser.add_argument("tma", type=os.path.abspath)
    parser.add_argument("path", type=pathlib.Path, nargs="+")
    given = parser.parse_args()
    for path in files(given.path):
        say(given.tma, [path], [path])
        with tempfile.TemporaryDirectory() as folder:
            changed = []
            for line, text in without(path) if given.deleted else ():
                changed.append(pathlib.Path(folder) / f"{line}.ptx")
                changed[-1].write_text(text, encoding="utf-8")
            if changed:
                say(given.tma, changed, [f"{path}+{one.stem}" for one in changed])
    return 0


if __name__ == "__main__":
    sys.exit(main())
