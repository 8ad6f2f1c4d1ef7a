# SPDX-License-Identifier: Apache-2.0
"""mutants.py TMA COUNT SEED: mutants of right kernels, executed. The kernels are those of tests/emulator/kernels and,
where nvcc is, the right ones of ../protocol. A mutant has one protocol instruction deleted, exchanged with its
neighbour, or with a constant in it one more or one less. Eight schedules with the checks off say whether that changes
anything: how the run ends, or the memory that it leaves. Of those that change something it is counted how many the
checks report; the others are printed. Exit status 1 where less than 97 % are reported."""
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

PROTOCOL = re.compile(
    r"^\s*(@!?%\w+\s+)?(mbarrier\.|bar\.|barrier\.|fence|membar|cp\.|wgmma\.|st\.async|red\.async|tensormap\.|st\.bulk)")
WAITS = re.compile(r"mbarrier\.(try|test)_wait")
SCHEDULES = 6  # seeded ones, beside late and early
MOST = "20000000"
LEAST_REPORTED = 0.97


def kernels(tma, folder):
    """(name, PTX, words of the launch) of right kernels."""
    for path in sorted((TESTS / "emulator/kernels").glob("*/*.ptx")):
        text = path.read_text()
        yield path.stem, sides(text)[1], shlex.split(dict(noted(text))["launch"])
    import emulated  # noqa: PLC0415 (it looks for nvcc)
    try:
        files = emulated.compiled(folder)
    except SystemExit:
        return
    for kernel, _, ctas in emulated.table():
        entry = f"{kernel}_right"
        yield entry, files[entry].read_text(), emulated.launch(tma, entry, ctas, folder)


def mutants(text, words):
    """(what, line from 1, PTX)"""
    lines = text.split("\n")
    first, last = 0, len(lines)
    if "--kernel" in words:
        name = words[words.index("--kernel") + 1]
        first = next(i for i, line in enumerate(lines) if f".entry {name}(" in line)
        last = next(i for i in range(first, last) if lines[i].startswith("}"))
    for i in range(first, last):
        if not PROTOCOL.match(lines[i]):
            continue
        if WAITS.search(lines[i]):  # the wait is its branch, too: it goes on at once
            predicate = re.search(r"\s(%?\w+), *\[", lines[i])[1]
            yield "deleted", i + 1, lines[:i] + [f"setp.eq.u32 {predicate}, 0, 0;"] + lines[i + 1:]
        else:
            yield "deleted", i + 1, lines[:i] + lines[i + 1:]
        after = next((k for k in range(i + 1, last) if lines[k].strip() and not lines[k].strip().startswith("//")), None)
        if after and lines[after].strip().endswith(";") and not re.match(r"\s*(ret|\.|\$?\w+:)", lines[after]):
            swapped = lines[:]
            swapped[i], swapped[after] = lines[after], lines[i]
            yield "exchanged", i + 1, swapped
        for match in re.finditer(r"(?<=[ ,+])(\d+)(?=[,;\]])", lines[i]):
            for by in (1, -1):
                number = int(match[1]) + by
                if number >= 0:
                    yield f"{match[1]} to {number}", i + 1, lines[:i] + [
                        lines[i][:match.start()] + str(number) + lines[i][match.end():]] + lines[i + 1:]


def run(tma, lines, words, path, *more):
    path.write_text("\n".join(lines))
    done = subprocess.run([tma, "emulate", path, *words, "--no-invent", "--schedules", str(SCHEDULES), "--max-instructions",
                           MOST, "--json", *more], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else None


def outcome(said):
    return said["end"], said["why"] if said["end"] == "trap" else None, said["schedules"]["memory"]


def main():
    tma, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    counts = dict.fromkeys(("drawn", "refused", "changes", "reported", "reported_only", "same"), 0)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = folder / "mutant.ptx"
        right, drawn = {}, []
        for kernel, text, words in kernels(tma, folder):
            said = run(tma, text.split("\n"), words, path, "--no-order")
            assert said and said["end"] == "completed", kernel
            # a value that the schedule decides is no change
            right[kernel] = outcome(said) if len(set(said["schedules"]["memory"])) == 1 else None
            drawn += [(kernel, words, *mutant) for mutant in mutants(text, words)]
        print(f"{len(right)} kernels, {len(drawn)} mutants")
        random.Random(seed).shuffle(drawn)
        for kernel, words, what, line, lines in drawn[:count]:
            counts["drawn"] += 1
            off = run(tma, lines, words, path, "--no-order")
            if not off or off["end"] == "not-executed":
                counts["refused"] += 1
                continue
            changes = outcome(off) != right[kernel] if right[kernel] else off["end"] != "completed"
            on = run(tma, lines, words, path)
            reported = bool(on["findings"])
            counts["changes"] += changes
            counts["reported"] += changes and reported
            counts["reported_only"] += reported and not changes
            counts["same"] += not changes and not reported
            if changes and not reported:
                print(f"silent: {kernel}, line {line}, {what}: {off['end']} {off['why'] or ''}")
    part = counts["reported"] / counts["changes"] if counts["changes"] else 0
    print(f"{counts['drawn']} drawn, {counts['refused']} not executed; {counts['changes']} change something, "
          f"{counts['reported']} of them reported ({100 * part:.1f} %); {counts['reported_only']} are reported and change "
          f"nothing that eight schedules show, {counts['same']} neither")
    sys.exit(not counts["changes"] or part < LEAST_REPORTED)


if __name__ == "__main__":
    main()
