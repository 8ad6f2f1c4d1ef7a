# SPDX-License-Identifier: Apache-2.0
"""Mutants of right kernels, executed. The kernels are those of tests/emulator/kernels and, where nvcc is, the right ones
of ../protocol; with --launches those of launch files. A mutant has one protocol instruction deleted, exchanged with its
neighbour, or with a constant in it one more or one less. With --deletions a mutant lacks one instruction that orders
something (a wait, an arrival, expected bytes, a fence, a commit, a barrier); the right sides of tests/ptx/pairs are
asked, too, as they are with --pairs. Eight schedules with the checks off say whether that changes anything: how the run ends, or the memory that
it leaves. Of those that change something it is counted how many the checks report; the others are printed. Where one of
these leaves the same memory in all eight schedules its order is right and its values are others: what --expect sees,
and no rule of order. A note that the right kernel does not have is counted, too. Exit status 1 where less than 97 % of
those that change something have a finding, of deletions 95 %. A finding that the right kernel has too does not count.
--lines has deletions of the lines alone in which a pattern is found; --list prints what came of each mutant.
Launch files that are named alike up to a full stop (gemm.launch, gemm.long.launch) are launches of one kernel: the
best that came of a mutant counts, and lines that a launch does not execute are not broken in it.

    mutants.py TMA COUNT SEED [--deletions] [--pairs] [--target sm_100a] [--launches FOLDER] [--lines PATTERN] [--list]
"""
import argparse
import collections
import contextlib
import itertools
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parents[2] / "tests"
sys.path[:0] = [str(TESTS / "ptx"), str(HERE.parent / "protocol")]
from pairs import noted, sides  # noqa: E402

GUARD = r"^\s*(@!?%\w+\s+)?"
PROTOCOL = re.compile(
    GUARD + r"(mbarrier\.|bar\.|barrier\.|fence|membar|cp\.|wgmma\.|st\.async|red\.async|tensormap\.|st\.bulk|tcgen05\."
    r"|clusterlaunchcontrol\.|griddepcontrol\.)")
# what moves or computes is not among these
ORDERS = re.compile(
    GUARD + r"(mbarrier\.(?!pending_count)|bar\.|barrier\.|fence|membar|cp\.async\.(bulk\.)?(commit|wait|mbarrier)"
    r"|wgmma\.(fence|commit|wait)|tensormap\.cp_fenceproxy|tcgen05\.(wait|fence|commit|dealloc|relinquish)|griddepcontrol\.)")
WAITS = re.compile(r"mbarrier\.(try|test)_wait")
SCHEDULES = 6  # seeded ones, beside late and early
BEST = ("reported", "silent", "noted", "values", "reported_only", "same", "unmet", "refused")  # counts of one mutant
MOST = 200000  # instructions of a pass, or four times those of the right kernel
LEAST_REPORTED, LEAST_DELETED = 0.97, 0.95


def of_files(files):
    """(name, PTX, words of the launch) of pairs' right sides that have no finding."""
    for path in files:
        text = path.read_text()
        words = dict(noted(text))
        if "emulate, broken" in words and "emulate, right" not in words:
            yield path.stem, sides(text)[1], shlex.split(words["launch"])


def of_launches(folder):
    for path in sorted(folder.glob("*.launch")):
        launch = json.loads(path.read_text())
        yield path.stem, launch["ptx"], ["--launch", str(path), "--kernel", launch["kernel"]]


def of_protocol(tma, folder):
    import emulated  # noqa: PLC0415 (it looks for nvcc)
    try:
        files = emulated.compiled(folder)
    except SystemExit:
        return
    for kernel, _, ctas in emulated.table():
        entry = f"{kernel}_right"
        yield entry, files[entry].read_text(), emulated.launch(tma, entry, ctas, folder)


def kernels(args, folder):
    """(name, PTX, words of the launch) of right kernels."""
    if args.launches:
        found = of_launches(args.launches)
    else:
        files = sorted((TESTS / "emulator/kernels").glob("*/*.ptx"))
        pairs = sorted((TESTS / "ptx/pairs").glob("*/*.ptx")) if args.deletions or args.pairs else []
        found = itertools.chain(of_files(files + pairs), of_protocol(args.tma, folder))
    for one in found:
        if re.search(r"^\.target\s+" + args.target, one[1], re.M):
            yield one


def deleted(lines, i):
    if not WAITS.search(lines[i]):
        return [*lines[:i], "", *lines[i + 1:]]  # the others keep their numbers
    predicate = re.search(r"\s(%?\w+), *\[", lines[i])[1]  # the wait is its branch, too: it goes on at once
    return lines[:i] + [f"setp.eq.u32 {predicate}, 0, 0;"] + lines[i + 1:]


def changed(lines, i, last):
    """One exchanged with its neighbour, or with another constant."""
    after = next((k for k in range(i + 1, last) if lines[k].strip() and not lines[k].strip().startswith("//")), None)
    if after and lines[after].strip().endswith(";") and not re.match(r"\s*(ret|\.|\$?\w+:)", lines[after]):
        swapped = lines[:]
        swapped[i], swapped[after] = lines[after], lines[i]
        yield "exchanged", swapped
    for match in re.finditer(r"(?<=[ ,+])(\d+)(?=[,;\]])", lines[i]):
        for number in (int(match[1]) + 1, int(match[1]) - 1):
            if number >= 0:
                line = lines[i][:match.start()] + str(number) + lines[i][match.end():]
                yield f"{match[1]} to {number}", lines[:i] + [line] + lines[i + 1:]


def body_end(lines, first):
    """The line of the brace that closes the first one; inline assembly has braces of its own."""
    depth = 0
    for i in range(first, len(lines)):
        code = lines[i].split("//")[0]
        depth += code.count("{") - code.count("}")
        if "}" in code and not depth:
            return i
    return len(lines)


def mutants(text, words, deletions, only):
    """(what, line from 1, PTX)"""
    lines = text.split("\n")
    first, last = 0, len(lines)
    if "--kernel" in words:
        name = words[words.index("--kernel") + 1]
        first = next(i for i, line in enumerate(lines) if f".entry {name}(" in line)
        last = body_end(lines, first)
    for i in range(first, last):
        if not (ORDERS if deletions else PROTOCOL).match(lines[i]) or not re.search(only, lines[i]):
            continue
        yield "deleted", i + 1, deleted(lines, i)
        if not deletions:
            yield from ((what, i + 1, other) for what, other in changed(lines, i, last))


def run(tma, lines, words, path, *more):
    path.write_text("\n".join(lines))
    done = subprocess.run([tma, "emulate", path, *words, "--no-static", "--schedules", str(SCHEDULES), "--json", *more],
                          capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else None


def outcome(said):
    return said["end"], said["why"] if said["end"] == "trap" else None, said["schedules"]["memory"]


def noted_texts(said):
    return {note["text"] for note in said["notes"]}


def found_in(said):
    return {(f["rule"], f["certain"], *(access["line"] for access in f["accesses"])) for f in said["findings"]}


def answered(off, on, right, notes, known):
    """What comes of a mutant, in a word of main()'s counts: by its run with the checks off, and with them."""
    changes = outcome(off) != right if right else off["end"] != "completed"
    if found_in(on) - known:
        return "reported" if changes else "reported_only"
    if not changes:
        return "same"
    if off["end"] != "completed" or len(set(off["schedules"]["memory"])) > 1:
        return "silent"  # and its memory hangs on the schedule
    return "noted" if noted_texts(on) - notes else "values"


def asked(tma, right, notes, known, mutant, path, lists):
    kernel, words, what, line, lines = mutant
    if not lines:
        if lists:
            print(f"unmet: {kernel}, line {line}", flush=True)
        return "unmet"
    off = run(tma, lines, words, path, "--no-order")
    if not off or off["end"] == "not-executed":
        return "refused"
    found = answered(off, run(tma, lines, words, path), right, notes, known)
    if lists or found in ("silent", "noted", "values"):
        print(f"{found}: {kernel}, line {line}, {what}: {off['end']} {off['why'] or ''}", flush=True)
    return found


def drawn(args, folder, path):
    """{kernel: what a right run leaves; None where the schedule decides it}, {kernel: its notes}, {kernel: its findings},
    mutants; of launch files those on lines that were not executed have no PTX"""
    right, notes, known, found = {}, {}, {}, []
    for kernel, text, words in kernels(args, folder):
        said = run(args.tma, text.split("\n"), words, path, "--no-order")
        assert said and said["end"] == "completed", kernel
        right[kernel] = outcome(said) if len(set(said["schedules"]["memory"])) == 1 else None
        ordered = run(args.tma, text.split("\n"), words, path)
        notes[kernel], known[kernel] = noted_texts(ordered), found_in(ordered)
        unmet = {one["line"] for one in said["coverage"]["not"]} if args.launches else set()
        most = max(MOST, 4 * said["instructions"] // said["schedules"]["run"])
        words += ["--max-instructions", str(most)]
        found += [(kernel, words, what, line, None if line in unmet else lines)
                  for what, line, lines in mutants(text, words, args.deletions, args.lines)]
    print(f"{len(right)} kernels, {len(found)} {'deletions' if args.deletions else 'mutants'}", flush=True)
    random.Random(args.seed).shuffle(found)
    return right, notes, known, found[:args.count]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tma")
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--deletions", action="store_true")
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--target", default="sm_")
    parser.add_argument("--launches", type=pathlib.Path)
    parser.add_argument("--lines", default="")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        right, notes, known, found = drawn(args, folder, folder / "mutant.ptx")
        came = collections.defaultdict(set)
        with contextlib.suppress(KeyboardInterrupt):  # what was drawn so far is counted
            for i, mutant in enumerate(found):
                of, _, what, line, _ = mutant
                one = (of.split(".")[0], what, line) if args.launches and args.deletions else i
                came[one].add(asked(args.tma, right[of], notes[of], known[of], mutant, folder / "mutant.ptx", args.list))
    counts = collections.Counter(min(all_of, key=BEST.index) for all_of in came.values())
    values = counts["noted"] + counts["values"]
    changes = counts["reported"] + counts["silent"] + values
    part = counts["reported"] / changes if changes else 0
    print(f"{counts.total()} drawn, {counts['refused']} not executed, {counts['unmet']} on lines that no launch "
          f"executes; {changes} change something, "
          f"{counts['reported']} of them reported ({100 * part:.1f} %); {values} leave other values, the same in all eight "
          f"schedules ({counts['noted']} of them with a note), {counts['silent']} are silent beside these; "
          f"{counts['reported_only']} are reported and change nothing that eight schedules show, {counts['same']} neither")
    sys.exit(part < (LEAST_DELETED if args.deletions else LEAST_REPORTED))


if __name__ == "__main__":
    main()
