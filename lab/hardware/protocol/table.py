#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs each kernel that breaks a rule of the protocol of copies, and its right twin, on the GPU that
is here; beside it what compute-sanitizer and `tma ptx` say of the same kernels.

    nvcc -std=c++17 -O2 -gencode arch=compute_90a,code=sm_90a lab/hardware/protocol/*.cu -o build/protocol
    lab/hardware/protocol/table.py build/protocol --tma build/tma --sanitizer compute-sanitizer > table.md

The PTX that `tma ptx` reads is made by nvcc; without nvcc, of --ptx FILE. A sanitizer may be given
more than once. Exit status 1: a right twin was wrong.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
RUNS = {  # arguments of `protocol`: runs, CTAs, tiles, patience in ms, the most ns of delay
    "whole": ["40", "528", "8", "200", "2000"],
    "checked": ["2", "4", "3", "4000", "500"],
}
TOOLS = {
    "racecheck": ["--tool", "racecheck", "--racecheck-report", "all"],
    "synccheck": ["--tool", "synccheck"],
    "memcheck": ["--tool", "memcheck"],
}
SAID = re.compile(r"^=+ +(.*(?:hazard|[Ee]rror|[Ww]arning|[Mm]issing|[Bb]arrier|Invalid|RACECHECK).*)$", re.M)


def call(command, limit_s, until=None):
    """What a command prints, and whether it ended by itself."""
    left_s = until - time.monotonic() if until else limit_s
    if left_s < 1:
        return "", "not tried"
    limit_s = min(limit_s, left_s)
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired as e:
        return (e.stdout or b"").decode(errors="replace"), f"no end in {limit_s:.0f} s"
    return run.stdout + run.stderr, "" if run.returncode == 0 else f"exit status {run.returncode}"


def outcome(text, ended):
    """wrong 17 of ..., died: ..., hung."""
    found = re.search(r"^\S+ \S+ ((?:wrong|died|hung).*)$", text, re.M)
    return found.group(1) if found else f"no answer ({ended or text.strip()[-200:]})"


def verdict(text, ended):
    """The first thing that a sanitizer says, and its sum."""
    said = [m.strip() for m in SAID.findall(text)]
    total = [s for s in said if re.search(r"(SUMMARY|hazards? displayed)", s)]
    first = [s for s in said if s not in total and not re.search(r"COMPUTE-SANITIZER", s)]
    ran = re.search(r"^\S+ \S+ ((?:wrong|died|hung).*)$", text, re.M)
    return {
        "summary": total[-1] if total else ended or "nothing",
        "first": first[0] if first else "",
        "ran": ran.group(1) if ran else "no answer",
    }


def ptx_says(tma, files):
    """Rule and certainty that `tma ptx` has of each kernel."""
    said = collections.defaultdict(list)
    for path in files:
        run = subprocess.run(
            [tma, "ptx", "--json", "--findings", str(path)], capture_output=True, text=True, check=False
        )
        all_of = json.loads(run.stdout)
        rows = [(i["function"], f) for i in all_of["instructions"] for f in i["findings"]]
        rows += [(f["function"], f) for f in all_of["findings"]]
        for kernel, f in rows:
            word = f["rule"] + (" certain" if f["certain"] else " may")
            if word not in said[kernel]:
                said[kernel].append(word)
    return said


def made_ptx(folder):
    """PTX of the kernels by nvcc."""
    files = []
    for source in ("stores", "loads", "rings", "peers", "others"):
        files.append(pathlib.Path(folder) / f"{source}.ptx")
        subprocess.run(
            ["nvcc", "-std=c++17", "-O2", "-arch=sm_90a", "-ptx", HERE / f"{source}.cu", "-o", files[-1]],
            check=True,
        )
    return files


def jobs_of(args, names):
    """(kernel, column, command) of all that is run: those that break a rule first."""
    for name in sorted(names, key=lambda name: name.endswith("_right")):
        yield name, "whole", [args.program, name, *RUNS["whole"]]
        for i, sanitizer in enumerate(args.sanitizer):
            for tool in args.tool:
                command = [sanitizer, *TOOLS[tool], args.program, name, *RUNS["checked"]]
                yield name, f"{tool} {i}", command


def gather(args, names):
    """The answers, by kernel and column."""
    answers = collections.defaultdict(dict)
    until = time.monotonic() + args.budget
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        running = {
            pool.submit(call, command, args.limit, until): (name, column)
            for name, column, command in jobs_of(args, names)
        }
        for done in concurrent.futures.as_completed(running):
            name, column = running[done]
            text, ended = done.result()
            answers[name][column] = (outcome if column == "whole" else verdict)(text, ended)
            if args.log:
                (args.log / f"{name}.{column.replace(' ', '.')}.txt").write_text(text + ended)
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("--tma", default="build/tma")
    parser.add_argument("--ptx", action="append", default=[], help="instead of nvcc's")
    parser.add_argument("--sanitizer", action="append", default=[])
    parser.add_argument("--tool", action="append", choices=list(TOOLS), default=[])
    parser.add_argument("--kernel", action="append", default=[], help="instead of all")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--limit", type=int, default=20, help="seconds for one program")
    parser.add_argument("--budget", type=int, default=600, help="seconds for all of them")
    parser.add_argument("--log", type=pathlib.Path, help="a folder for what each program printed")
    args = parser.parse_args()
    args.tool = args.tool or list(TOOLS)
    listed, _ = call([args.program, "--list"], 20)
    rules = dict(line.split(" ")[:2] for line in listed.splitlines())
    names = [name for name in rules if not args.kernel or name in args.kernel]
    answers = gather(args, names)
    with tempfile.TemporaryDirectory() as folder:
        said = ptx_says(args.tma, args.ptx or made_ptx(folder))
    columns = [f"{tool} {i}" for i in range(len(args.sanitizer)) for tool in args.tool]
    print("| kernel | rule | on the GPU | `tma ptx` |" + "".join(f" {c} |" for c in columns))
    print("| --- | --- | --- | --- |" + " --- |" * len(columns))
    for name in names:
        row = [name, rules[name], answers[name]["whole"], "; ".join(said[name]) or "nothing"]
        for c in columns:
            a = answers[name][c]
            row.append(f"{a['summary']}; {a['first']} (ran: {a['ran']})")
        print("| " + " | ".join(row) + " |")
    wrong = [n for n in names if n.endswith("_right") and " 0 of " not in answers[n]["whole"]]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
