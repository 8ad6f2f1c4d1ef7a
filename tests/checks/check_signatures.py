# SPDX-License-Identifier: Apache-2.0
"""check_signatures.py: what the public headers promise of every function's form. What a call fills
comes first; behind its inputs only what says why, and what may be left out. A yes or no is a bool.
Rows of tables come one by one."""
import re

from project_tree import ROOT, finish, without_comments

DECLARATION = re.compile(r"^TMA_EXPORT\b([^;{]*?)\b(tma_\w+)\s*\(([^;]*?)\);", re.M | re.S)
# filled too, and last: the reason, what may be null, a callback's own, memory to work in
LAST = {"why", "error", "failed", "by_version", "but", "context", "bracketed", "unfit", "in_effect", "work"}
# a cursor after what it runs over; how many of an array's capacity are filled
BESIDE = {("tma_find_next", "at"), ("tma_dump_next", "at"), ("tma_dump_next", "at"), ("tma_runs", "count")}
# asked of a run, which comes first, as it does in all of this header
OF_RUN = "tma_emulator_"
YES_OR_NO = re.compile(r"^(is|has|can|accepts|available|same)_|_(is|has|accepts|available|same)(_|$)")


def complaints_of(header, returns, name, parameters):
    named = [(p, re.search(r"(\w+)(\[[^]]*\])*$", p)[1]) for p in parameters if p != "void"]
    fills = [("*" in p or "[" in p) and not p.startswith("const ") for p, word in named]
    said = []
    for i in range(1, len(named)):
        if fills[i] and not fills[i - 1] and \
                not name.startswith(OF_RUN) and named[i][1] not in LAST and (name, named[i][1]) not in BESIDE:
            said.append(f"{header}: {name}: '{named[i][1]}' is filled, and stands behind what is given")
    if returns == "int" and YES_OR_NO.search(name.removeprefix("tma_")):
        said.append(f"{header}: {name} answers yes or no, and is no bool")
    counted = any(f and word == "count" for f, (p, word) in zip(fills, named))
    if returns.endswith("*") and "char" not in returns and counted:
        said.append(f"{header}: {name} gives a table's rows as an array")
    return said


def main():
    complaints, asked = [], 0
    for header in sorted((ROOT / "include/tma").glob("*.h")):
        for found in DECLARATION.finditer(without_comments(header.read_text())):
            returns = " ".join(found[1].replace("TMA_MUST_USE", "").split())
            parameters = [" ".join(p.split()) for p in found[3].split(",")]
            complaints += complaints_of(header.name, returns, found[2], parameters)
            asked += 1
    if asked < 200:
        complaints.append(f"{asked} functions: the headers are written otherwise now")
    finish(complaints, asked)


main()
