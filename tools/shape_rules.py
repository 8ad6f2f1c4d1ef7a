#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the rules of ptx/shapes/ report, beside ptx/always/ and `tma emulate`.

    tools/shape_rules.py BUILD [--corpus NAME]... [--most N] [--seed S] [--list FILE]

BUILD is a build folder. The command is linked again, once without any rule of ptx/shapes/ and once
without each of them. A corpus is right kernels and broken ones with their launches. A mistake is
reported where the broken kernel has a finding that the right one beside it has not: (rule, line,
certain). It counts for the first of these that reports it: the rules on all paths, an execution with
the corpus' launch, a rule by shape. For each rule by shape: broken kernels that lose a finding without
it, by who else reports them, and findings of right kernels. --list writes each broken kernel with what
reports it.
"""

import argparse
import collections
import glob
import json
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import protocol_mutants

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHAPES = ROOT / "ptx/shapes"
sys.path[:0] = [str(ROOT / "tests/ptx"), str(ROOT / "lab/hardware/protocol")]
import emulated
import pairs

MOST_INSTRUCTIONS = "20000000"
MOST_SECONDS = 300  # of an execution; one that takes longer finds nothing
RULES = protocol_mutants.RULES | {"mma-layout", "ptx-fence", "ptx-publish"}
Case = collections.namedtuple("Case", "corpus name broken right words")


def compile_line(lines, path, source):
    """The build's command for a file, of a copy of it."""
    line = next(line for line in lines if line.endswith(f" -c {path}"))
    line = re.sub(r" -M[DTF]( \S+\.o(\.d)?)?", "", line)
    return re.sub(r"-o \S+ -c \S+$", f"-o {source}.o -c {source}", line)


def linked(build, folder):
    """{rule, or "all" or "none": a command without it}"""
    commands = ["ninja", "-C", build, "-t", "commands", "tma"]
    lines = subprocess.run(commands, capture_output=True, text=True, check=True).stdout.splitlines()
    link = lines[-1].replace(" -o tma ", " -o {out} {objects} ")
    found = {"none": pathlib.Path(shutil.copy(build / "tma", folder))}
    call = r"^ +ptx_{}_check\(p\);\n"
    rules = [(path, rule) for path in SHAPES.glob("*.c")
             for rule in re.findall(call.format(r"(\w+)"), path.read_text(), re.M)]  # fmt: skip
    for path, rule in [*rules, (SHAPES / "protocol_shapes.c", "all")]:
        source = folder / f"{path.stem}_{rule}.c"
        which = call.format(r"\w+" if rule == "all" else rule)
        source.write_text(re.sub(which, "(void)p;\n", path.read_text(), flags=re.M))
        found[rule] = folder / f"tma_{rule}"
        for command in compile_line(lines, path, source), link.format(out=found[rule], objects=f"{source}.o"):
            subprocess.run(command, shell=True, cwd=build, check=True)
    return found


def judged(tma, text):
    """What `tma ptx` says of a text."""
    command = [tma, "ptx", "--json", "--findings", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    said = json.loads(done.stdout)
    rows = [{"line": i["line"]} | f for i in said["instructions"] for f in i["findings"]] + said["findings"]
    return {(f["rule"], f["line"], f["certain"]) for f in rows if f["rule"] in RULES}


def executed(tma, text, words):
    """How `tma emulate` ends, and what it finds."""
    command = [tma, "emulate", "--json", "--no-static", "--max-instructions", MOST_INSTRUCTIONS, *words, "-"]
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        return "limit", set()
    if not done.stdout:
        return "refused", set()
    said = json.loads(done.stdout)
    found = {(f["rule"], f["line"], f["certain"]) for f in said["findings"]}
    return said["end"], set() if said["end"] == "not-executed" else found


def two_sided(paths):
    """Files of a right kernel and a broken one: (name, broken, right, launch)"""
    for path in paths:
        text = path.read_text()
        yield path.stem, *pairs.sides(text), shlex.split(dict(pairs.noted(text))["launch"])


def single(text, entry):
    """A file with one of its kernels."""
    return next(k for k in protocol_mutants.kernels(text) if re.search(rf"\.entry {entry}\(", k))


def protocol(tma, folder):
    files = emulated.compiled(folder)
    for kernel, _, ctas in emulated.table():
        sides = [f"{kernel}_{side}" for side in ("broken", "right")]
        words = [emulated.launch(tma, entry, ctas, folder) for entry in sides]
        texts = [single(files[entry].read_text(), entry) for entry in sides]
        yield kernel, texts[0], texts[1], words


def files(paths):
    """Kernels that are right, as far as anybody knows: their launches are invented."""
    for path in paths:
        for i, text in enumerate(protocol_mutants.kernels(path.read_text())):
            yield f"{path.stem} {i}", None, text, []


def deletions(rows):
    """Each fence, wait_group and wait of right kernels deleted."""
    for name, _, text, words in rows:
        launch = words[1] if words and isinstance(words[0], list) else words
        for kind in protocol_mutants.MUTATIONS:
            for line, mutant, why in protocol_mutants.mutants(text, kind):
                if not why:
                    yield f"{name}: {kind} {line}", mutant, text, launch


def corpora(tma, folder, more):
    """{name: its rows}"""
    found = {
        "pairs": lambda: two_sided(path for path in pairs.FILES if path.parent.name != "apart"),
        "executed": lambda: two_sided(sorted((ROOT / "tests/emulator/kernels").glob("*/*.ptx"))),
        "protocol": lambda: protocol(tma, folder),
        "samples": lambda: files(sorted((ROOT / "tests/ptx/samples").glob("*.ptx"))),
    }
    for word in more:
        name, _, pattern = word.partition("=")
        found[name] = lambda pattern=pattern: files(map(pathlib.Path, sorted(glob.glob(pattern))))
    return found


def cases(args, tma, folder):
    for name, rows in corpora(tma, folder, args.files).items():
        if args.corpus and name not in args.corpus:
            continue
        these = list(rows())
        yield from (Case(name, *row) for row in these)
        drawn = list(deletions(these))
        random.Random(args.seed).shuffle(drawn)
        yield from (Case(f"{name}, deletions", *row) for row in drawn[: args.most])


def judged_right(commands, kept, case, words):
    """{who: findings of the right kernel}, how it ends, what its execution finds"""
    if case.right not in kept:
        said = {who: judged(tma, case.right) for who, tma in commands.items()}
        kept[case.right] = said, *executed(commands["none"], case.right, words)
    return kept[case.right]


def judged_case(commands, kept, case):
    """The case; {who: findings that the broken kernel has alone}, or none; {who: those of the right one}"""
    two = case.words and isinstance(case.words[0], list)
    broken_words, right_words = case.words if two else (case.words, case.words)
    right, right_end, right_found = judged_right(commands, kept, case, right_words)
    if case.broken is None:
        return case, None, right
    said = {who: judged(commands[who], case.broken) for who in ("none", "all")}
    if said["none"] != said["all"]:
        said = {who: judged(tma, case.broken) for who, tma in commands.items()}
    broken = {who: said.get(who, said["none"]) - right[who] for who in commands}
    end, found = executed(commands["none"], case.broken, broken_words)
    died = {(end, 0, True)} if end in ("deadlock", "trap") and end != right_end else set()
    return case, broken | {"launch": (found - right_found) | died}, right


def who_reports(broken):
    if broken["all"]:
        return "on all paths"
    if broken["launch"]:
        return "by a launch, and by shape" if broken["none"] else "by a launch alone"
    return "by shape alone" if broken["none"] else "nobody"


def words_of(found):
    return " ".join(f"{'' if certain else 'may '}{rule}:{line}" for rule, line, certain in sorted(found))


class Counts:
    def __init__(self, listed):
        self.listed = listed
        self.of_corpus = collections.defaultdict(collections.Counter)
        self.of_rule = collections.defaultdict(collections.Counter)
        self.seen = set()

    def add(self, case, broken, right):
        if (case.corpus.split(",")[0], case.right) not in self.seen:
            self.seen.add((case.corpus.split(",")[0], case.right))
            self.of_corpus[case.corpus]["right"] += 1
            for rule, found in right.items():
                lost = len(right["none"] - found)
                self.of_rule[rule, case.corpus]["findings of right kernels"] += lost
        if broken:
            who = who_reports(broken)
            self.of_corpus[case.corpus]["broken"] += 1
            self.of_corpus[case.corpus][who] += 1
            lost = [rule for rule in right if broken["none"] - broken[rule]]
            for rule in lost:
                self.of_rule[rule, case.corpus][who] += 1
            found = [words_of(broken[of]) for of in ("none", "all", "launch")]
            print(case.corpus, case.name, who, *found, ",".join(lost), sep="\t", file=self.listed, flush=True)

    def print(self):
        for counts in self.of_corpus, self.of_rule:
            for name, row in sorted(counts.items()):
                if row.total():
                    print(*([name] if isinstance(name, str) else name), dict(+row), sep="  ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--corpus", action="append", help="this one alone; may be given several times")
    parser.add_argument("--files", action="append", default=[], help="NAME=GLOB: a corpus of right PTX files")
    parser.add_argument("--most", type=int, default=100, help="deletions of a corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", type=argparse.FileType("w"), default="/dev/null")
    args = parser.parse_args()
    counts = Counts(args.list)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        commands = linked(args.build.resolve(), folder)
        kept = {}
        for case in cases(args, commands["none"], folder):
            counts.add(*judged_case(commands, kept, case))
    counts.print()


if __name__ == "__main__":
    main()
