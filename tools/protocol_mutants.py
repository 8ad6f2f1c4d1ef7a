#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deletes each fence.proxy.async, wait_group and mbarrier wait of right PTX files in turn, and
counts how many of the deletions `tma ptx` notices.

    tools/protocol_mutants.py build/tma FILE.ptx...

A wait is replaced by a predicate that is true. A deletion counts as noticed where a finding is there
that is not there without it, or says something else. What changes nothing is counted apart
(protocol_flow.py proves it on the text, along all ways): a fence that no generic write to shared
memory and no mbarrier.init can come before without another fence between ("behind reads alone":
generic reads can), a wait_group that leaves all groups that can be under way, or that another one
follows before anything rests on it, and a wait behind which its thread only ends, where no other CTA
is. Exit status 1: the file itself has a
finding that is certain.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

import protocol_flow

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
    """Each deletion of a kind: its line, the text without it, why it changes nothing."""
    ways = protocol_flow.Ways(text)
    for m in MUTATIONS[kind].finditer(text):
        instead = f"setp.eq.u32 {m.group(1)}, 0, 0;" if kind == "wait" else ""
        line = text.count("\n", 0, m.start()) + 1
        yield line, text[: m.start()] + instead + text[m.end() :], superfluous(ways, kind, m.end() - 1)


def superfluous(ways, kind, place):
    """Why a deletion changes nothing, or "" """
    i = ways.index(place)
    if kind == "fence.proxy.async":
        return {None: "", "": "superfluous", "reads": "behind reads alone"}[ways.fence(i)]
    does_nothing = ways.is_idle_group(i) if kind == "wait_group" else ways.is_last_wait(i)
    return "superfluous" if does_nothing else ""


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
                for made, (line, mutant, why) in enumerate(mutants(text, kind)):
                    if args.most and made >= args.most:
                        break
                    more = findings(args.tma, mutant) - before
                    certain = any(c for _, c, _ in more)
                    how = "certain" if certain else "may" if more else why or "silent"
                    count[f"{kind}: {how}"] += 1
                    if how == "silent" and args.silent:
                        print(f"{path.name} kernel {number} line {line}: {kind}")
    for name, n in sorted(count.items()):
        print(f"{n:6} {name}")
    return status


if __name__ == "__main__":
    sys.exit(main())
