#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deletes each fence.proxy.async, wait_group and mbarrier wait of right PTX files in turn, and
counts how many of the deletions `tma ptx` notices.

    tools/protocol_mutants.py build/tma FILE.ptx...

A wait is replaced by a predicate that is true. A deletion counts as noticed where a finding is there
that is not there without it, or says something else. A fence or a wait_group is superfluous, and is
counted apart, where another one of its kind stands in the same straight line (a wait_group behind
it, for no more groups) and no access to shared memory, barrier or copy of the kind that it keeps
between; a wait_group also where no bulk store can come before it, and a fence where neither a
generic access to shared memory nor an mbarrier.init can. Exit status 1: the file itself has a
finding that is certain.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

MUTATIONS = {
    "fence.proxy.async": re.compile(r"^\s*(@!?%\w+\s+)?fence\.proxy\.async[.\w:]*;", re.M),
    "wait_group": re.compile(r"^\s*(@!?%\w+\s+)?cp\.async\.bulk\.wait_group[.\w]*\s+\w+\s*;", re.M),
    "wait": re.compile(r"mbarrier\.(?:try|test)_wait[.\w:]*\s+([%\w]+)\s*,[^;]*;", re.M),
}
RULES = {
    "proxy-store",
    "proxy-load",
    "store-reuse",
    "wait-missing",
    "parity-constant",
    "barrier-init",
    "expect-missing",
    "map-local",
    "map-edit",
    "exit",
    "arrive-missing",
}


def findings(tma, text):
    """What tma ptx says of a text: (rule, certain, sentence) by how often."""
    run = subprocess.run(
        [tma, "ptx", "--json", "--findings", "-"], input=text, capture_output=True, text=True, check=False
    )
    if run.returncode > 1:
        raise SystemExit(run.stderr)
    said = json.loads(run.stdout)
    rows = [f for i in said["instructions"] for f in i["findings"]] + said["findings"]
    return collections.Counter((f["rule"], f["certain"], f["text"]) for f in rows if f["rule"] in RULES)


def body_end(text, at):
    """Behind the brace that closes the first one from `at` on."""
    depth = 0
    for m in re.compile(r"//[^\n]*|[{}]").finditer(text, at):
        depth += {"{": 1, "}": -1}.get(m.group(), 0)
        if m.group() == "}" and not depth:
            return m.end()
    return len(text)


def kernels(text):
    """The head of a file, and each of its kernels behind it with what is no kernel."""
    starts = [m.start() for m in re.finditer(r"^(\.visible |\.weak )?\.entry ", text, re.M)]
    ends = [body_end(text, at) for at in starts]
    rest, last = "", 0
    for at, end in zip(starts, ends, strict=True):
        rest += text[last:at]
        last = end
    rest += text[last:]
    return [rest + text[at:end] for at, end in zip(starts, ends, strict=True)]


def mutants(text, kind):
    """Each deletion of a kind: its line, the text without it, whether it is superfluous."""
    for m in MUTATIONS[kind].finditer(text):
        instead = f"setp.eq.u32 {m.group(1)}, 0, 0;" if kind == "wait" else ""
        line = text.count("\n", 0, m.start()) + 1
        yield line, text[: m.start()] + instead + text[m.end() :], is_superfluous(text, kind, *m.span())


ENDS = re.compile(r"^[ \t]*(?:[\w$]+:|@|bra|ret|bar|mbarrier|st\.shared|stmatrix|atom|red\.|cp\.async\.c[ag])", re.M)
GROUPS = re.compile(r"wait_group[.\w]*\s+(\d+)\s*;")


STORES = re.compile(r"\.bulk_group")
ACCESSES = re.compile(
    r"^\s*(?:@!?%\w+\s+)?(?:st\.(?!global|local|param)|ld\.(?!global|local|param|const)|stmatrix|ldmatrix"
    r"|atom\.(?!global)|red\.(?!global|async)|cp\.async\.c[ag]|mbarrier\.init|call)",
    re.M,
)
LABELS = re.compile(r"^[ \t]*([\w$]+):", re.M)


def may_come_before(text, what, at):
    """Whether an instruction stands before a place, or behind it and a branch leads back from there."""
    places = [m.start() for m in what.finditer(text)]
    if any(p < at for p in places):
        return True
    labels = {m.group(1) for m in LABELS.finditer(text, 0, at)}
    backs = [m.start() for m in re.finditer(r"\bbra(?:\.uni)?\s+([\w$]+)", text) if m.group(1) in labels]
    return bool(places and backs) and min(places) < max(backs)


def is_superfluous(text, kind, start, end):
    """Whether there is nothing to wait for, or another one of the kind does the same in the same straight line."""
    if kind != "wait" and not may_come_before(text, STORES if kind == "wait_group" else ACCESSES, start):
        return True
    if kind == "wait" or text[start:end].lstrip().startswith("@"):
        return False
    for m in MUTATIONS[kind].finditer(text):
        before = kind == "fence.proxy.async" and m.end() <= start and not ENDS.search(text, m.end(), start)
        behind = kind == "wait_group" and m.start() >= end and not ENDS.search(text, end, m.start())
        if (before or behind) and not m.group(1):
            if before:
                return True
            ours, others = (GROUPS.search(text, at.start()) for at in (MUTATIONS[kind].search(text, start), m))
            return bool(ours and others and int(others.group(1)) <= int(ours.group(1)))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--most", type=int, default=0, help="mutants of a kind in one kernel")
    parser.add_argument("--silent", action="store_true", help="lines whose deletion is not noticed")
    parser.add_argument("tma")
    parser.add_argument("file", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    count = collections.Counter()
    status = 0
    for path in args.file:
        for number, text in enumerate(kernels(path.read_text())):
            before = findings(args.tma, text)
            count["kernels"] += 1
            count["findings, certain"] += sum(n for (_, c, _), n in before.items() if c)
            count["findings, may"] += sum(n for (_, c, _), n in before.items() if not c)
            status |= any(c for _, c, _ in before)
            for kind in MUTATIONS:
                for made, (line, mutant, is_more) in enumerate(mutants(text, kind)):
                    if args.most and made >= args.most:
                        break
                    more = findings(args.tma, mutant) - before
                    certain = any(c for _, c, _ in more)
                    how = "certain" if certain else "may" if more else "superfluous" if is_more else "silent"
                    count[f"{kind}: {how}"] += 1
                    if how == "silent" and args.silent:
                        print(f"{path.name} kernel {number} line {line}: {kind}")
    for name, n in sorted(count.items()):
        print(f"{n:6} {name}")
    return status


if __name__ == "__main__":
    sys.exit(main())
