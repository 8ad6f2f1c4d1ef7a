# SPDX-License-Identifier: Apache-2.0
"""What `tma ptx` knows of the operands of copies, held against a GPU.

A random kernel (tests/ptx_oracle) has a twin that is the same but for its copies: it stores their operands. The GPU runs
the twin with random parameters, and each stored operand is compared with what ptx/ knows of it in the kernel: with the
constant, or with the sum of parameters, indexes and loops' turns.

  twins.py --known build/tests/ptx_oracle/ptx_known_values [--kernels N] [--first SEED] [--processes N] [--ptxas PATH]

The program that runs kernels as statements (ptx_run.py) says what each thread's copies are. Where ptxas fails to optimise
a module of twins, each of them is compiled by itself. Where a twin as ptxas optimises it stores something else, or ptxas fails to optimise it, the twin
runs once more as ptxas -O0 makes it: what that one stores is compared, and the kernel is named. ptxas compiles the kernels as well as the twins. Exit status: 0 where nothing differs and 90 % of the
constants are known, 1 otherwise, 3 without a GPU. --emulate build/tma executes the twins by `tma emulate` in the place of
a GPU, and no ptxas is needed. --pretend SPOIL runs them as statements: SPOIL is "no", or what to spoil (value, order,
optimised), for the tests."""
import argparse
import multiprocessing
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from queue import Empty

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "ptx_oracle"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import ptx_known
from ptx_known import Count, compare, dumped, programs, random_parameters
from ptx_programs import HEAD
from ptx_run import Thread
from ptx_text import MOST_STORED, WORDS, Text

LAUNCHES, BLOCKS, THREADS = 2, 2, 4  # of each kernel: with parameters of its own, and so many threads
THREAD_B = MOST_STORED * WORDS * 8
LAUNCH_B = BLOCKS * THREADS * THREAD_B
MOST_PTXAS_S = 60
AFTER_S = 8                          # for what is begun when the time ends
IN_A_MODULE = 25                     # kernels that ptxas compiles at once, and a process judges at once


def threads_of(maker, seed):
    """The oracle's threads, in the order in which the GPU's have their parts of the memory."""
    threads = []
    for launch in range(LAUNCHES):
        parameters = random_parameters(maker, random.Random(f"{seed} {launch}"))
        threads += [Thread(maker, {"%tid.x": i % THREADS, "%ctaid.x": i // THREADS}, parameters) for i in range(BLOCKS * THREADS)]
    return threads


class Pretended:
    """A GPU that answers with the oracle's copies."""
    name = "pretended"

    def __init__(self, spoil):
        self.spoil = spoil

    def run(self, made, twins, optimised):
        out = bytearray()
        for _, _, threads in made:
            for thread in threads:
                rows = [[copy.number, *copy.values] for copy in thread.copies]
                if self.spoil == "value" or (self.spoil == "optimised" and optimised):
                    rows[-1][-1] ^= 1
                if self.spoil == "order":
                    rows = rows[1:]
                words = [w for row in rows for w in row + [0] * (WORDS - len(row))]
                out += struct.pack(f"<{len(words)}Q", *words).ljust(THREAD_B, b"\0")
        return bytes(out)


class Emulated:
    """A GPU that is `tma emulate`, late and early; the bytes are those of the last pass."""
    name = "tma emulate"

    def __init__(self, tma, folder):
        self.tma, self.folder = tma, folder

    def launch(self, source, name, blocks, threads, parameters):
        left = self.folder / "left"
        left.unlink(missing_ok=True)
        at = len(parameters)
        given = [*(str(value) for _, value in parameters), f"hex:{'00' * 128}", f"zeros:{LAUNCH_B}"]
        command = [self.tma, "emulate", source, "--kernel", name, "--grid", str(blocks), "--block", str(threads), "--no-static"]
        for i, value in enumerate(given):
            command += ["--param", f"{i}={value}"]
        done = subprocess.run([*map(str, command), "--save", f"{at + 1}={left}"], capture_output=True, text=True)
        if done.returncode or not left.exists():
            raise RuntimeError(f"{name}: {done.stdout[:400]}{done.stderr[:400]}")
        return left.read_bytes()

    def run(self, made, twins, optimised):
        out = bytearray()
        for row, twin in zip(made, twins):
            source = self.folder / "twin.ptx"
            source.write_text(HEAD + twin)
            for name, blocks, threads, parameters, _ in spread([row]):
                out += self.launch(source, name, blocks, threads, parameters)
        return bytes(out)


def spread(made):
    """The launches of a module's kernels, each with its part of the buffer."""
    out = []
    for k, (seed, maker, threads) in enumerate(made):
        for launch in range(LAUNCHES):
            given = threads[launch * BLOCKS * THREADS].parameters
            parameters = [(bits, given[name]) for name, bits in maker.parameters]
            out.append((f"k_{seed}", BLOCKS, THREADS, parameters, (k * LAUNCHES + launch) * LAUNCH_B))
    return out


def stored(raw, first):
    """What one thread stored: [[copy, operands ...] ...]"""
    rows = []
    for i in range(MOST_STORED):
        row = struct.unpack_from(f"<{WORDS}Q", raw, first + i * WORDS * 8)
        if not row[0]:
            break
        rows.append(list(row))
    return rows


def differs(threads, raw, first):
    """Where what a kernel's threads stored is not what the oracle says, in words, or None."""
    for t, thread in enumerate(threads):
        rows = stored(raw, first + t * THREAD_B)
        expected = [[copy.number, *copy.values] for copy in thread.copies]
        got = [row[:len(e)] for row, e in zip(rows, expected)]
        if [row[0] for row in rows] != [e[0] for e in expected]:
            return f"thread {t}: copies {[row[0] for row in rows]} on the GPU, {[e[0] for e in expected]} in the oracle"
        for e, g in zip(expected, got):
            if e != g:
                return f"thread {t}, copy {e[0]}: {g[1:]} on the GPU, {e[1:]} in the oracle"
    return None


def take(threads, raw, first):
    """Puts what the GPU stored in the place of what the oracle's copies had."""
    for t, thread in enumerate(threads):
        rows = stored(raw, first + t * THREAD_B)
        thread.copies = thread.copies if [row[0] for row in rows] == [copy.number for copy in thread.copies] else []
        for row, copy in zip(rows, thread.copies):
            copy.values = row[1:1 + len(copy.values)]


class Worker:
    def __init__(self, options, number, current):
        self.options, self.number, self.current = options, number, current
        self.folder = Path(tempfile.mkdtemp(prefix="ptx_twins."))
        self.count, self.wrong, self.notes = Count(), [], []
        self.kernels = self.compiled = 0
        self.seconds = dict.fromkeys(("make", "ptxas", "gpu", "compare"), 0.0)
        ptx_known.KNOWN = options.known
        if options.pretend:
            self.gpu = Pretended(options.pretend)
        elif options.emulate:
            self.gpu = Emulated(options.emulate, self.folder)
        else:
            from driver_calls import Gpu
            self.gpu = Gpu(IN_A_MODULE * LAUNCHES * LAUNCH_B)

    def timed(self, name, function, *arguments):
        started = time.monotonic()
        result = function(*arguments)
        self.seconds[name] += time.monotonic() - started
        return result

    def assemble(self, source, target, level):
        command = [self.options.ptxas, "-arch=sm_90a", level, "-o", str(target), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_PTXAS_S)
        self.compiled += not done.returncode
        return None if not done.returncode else f"ptxas {level} ends with {done.returncode}: {done.stderr[:300]}"

    def write(self, seed, maker):
        """The kernel's file as `tma ptx` reads it, and the twin's text."""
        text = Text(maker)
        path = self.folder / f"{seed}.ptx"
        path.write_text(text.text)
        return path, text, Text(maker, twin=True, suffix=f"_{seed}").text.removeprefix(HEAD)

    def run(self, made, twins, level):
        """What twins stored, and why there is nothing."""
        source, cubin = self.folder / "twins.ptx", self.folder / "twins.cubin"
        source.write_text(HEAD + "".join(twins))
        why = self.timed("ptxas", self.assemble, source, cubin, level) if self.options.ptxas else None
        if why:
            return None, why
        if self.options.pretend or self.options.emulate:
            try:
                return self.timed("gpu", self.gpu.run, made, twins, level == "-O3"), None
            except RuntimeError as error:
                return None, str(error)
        return self.timed("gpu", self.gpu.run, cubin.read_bytes(), spread(made)), None

    def take_kernel(self, row, twin, raw, first, why):
        """One kernel's values: what the GPU stored, or stores as -O0 makes the twin."""
        seed, _, threads = row
        if why: # another kernel's text may be what ptxas cannot optimise
            raw, why = self.run([row], [twin], "-O3")
            first = 0
        why = why or differs(threads, raw, first)
        if why:
            raw, again = self.run([row], [twin], "-O0")
            first = 0
            again = again or differs(threads, raw, first)
            if again:
                self.wrong.append(f"seed {seed}: {again}")
            else:
                self.notes.append(f"seed {seed}: as ptxas -O0 makes it all agrees; as -O3: {why}")
        if raw is not None:
            take(threads, raw, first)

    def module(self, made):
        """made: [(seed, program, threads)]"""
        self.current[self.number] = made[0][0]
        written = self.timed("make", lambda: [self.write(seed, maker) for seed, maker, _ in made])
        raw, why = self.run(made, [twin for _, _, twin in written], "-O3")
        started = time.monotonic()
        known = dumped([path for path, _, _ in written])
        for k, (row, (path, text, twin)) in enumerate(zip(made, written)):
            seed, maker, threads = row
            self.take_kernel(row, twin, raw, k * LAUNCHES * LAUNCH_B, why)
            self.wrong += [f"seed {seed}: {w}" for w in compare(maker, text, known[str(path)], threads, self.count)]
            self.count.loops += bool(text.loop_line)
            self.count.calls += bool(text.call_line)
            self.kernels += 1
        self.seconds["compare"] += time.monotonic() - started
        for path, _, _ in written:
            why = self.timed("ptxas", self.assemble, path, self.folder / "kernel.cubin", "-O0") if self.options.ptxas else None
            if why:
                self.wrong.append(f"{path.name}: {why}")
            path.unlink()

    def all(self, tell):
        o = self.options
        made = []
        for row in programs(range(o.first + self.number, o.first + o.kernels, o.processes), threads_of):
            made.append(row)
            if len(made) == IN_A_MODULE:
                self.module(made)
                made = []
                tell(self.state())
            if time.time() > o.until or len(self.wrong) > 50:
                break
        else:
            if made:
                self.module(made)
        shutil.rmtree(self.folder)
        tell(self.state())

    def state(self):
        return self.count, self.wrong, self.notes, self.kernels, self.compiled, self.seconds, self.gpu.name


def work(options, number, queue, current):
    try:
        Worker(options, number, current).all(lambda state: queue.put((number, state, False)))
        queue.put((number, None, True))
    except Exception as error:  # what a process met is the coordinator's to say
        queue.put((number, (Count(), [f"process {number}: {type(error).__name__}: {error}"], [], 0, 0, {}, ""), True))


def gather(processes, queue, current, until):
    """What each process told last; some time after `until` those that have not ended are ended, and named."""
    told = {}
    left = set(range(len(processes)))
    while left and time.time() < until + AFTER_S:
        try:
            number, state, ended = queue.get(timeout=1)
        except Empty:
            continue
        if state:
            told[number] = state
        left -= {number} if ended else set()
    for number in left:
        processes[number].kill()
        told.setdefault(number, (Count(), [], [], 0, 0, {}, ""))[1].append(
            f"process {number} did not end in time: it is at the kernels from seed {current[number]} on")
    return list(told.values())


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--known", required=True, help="the program ptx_known_values")
    parser.add_argument("--kernels", type=int, default=12000, help="seeds; kernels that make too many copies are left out (12000)")
    parser.add_argument("--first", type=int, default=1, help="the first seed (1)")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--ptxas", default=shutil.which("ptxas"))
    parser.add_argument("--seconds", type=float, default=600, help="begin no module after so many (600)")
    parser.add_argument("--emulate", metavar="TMA", help="the command tma, in the place of a GPU and ptxas")
    parser.add_argument("--pretend", choices=["no", "value", "order", "optimised"])
    options = parser.parse_args()
    options.until = time.time() + options.seconds
    if options.emulate:
        options.ptxas = None
    elif not options.pretend and not options.ptxas:
        parser.error("ptxas is not in PATH: --ptxas PATH")
    return options


def main():
    options = arguments()
    started = time.monotonic()
    multiprocessing.set_start_method("fork")
    queue, current = multiprocessing.Queue(), multiprocessing.Array("q", options.processes, lock=False)
    processes = [multiprocessing.Process(target=work, args=(options, i, queue, current)) for i in range(options.processes)]
    for process in processes:
        process.start()
    results = gather(processes, queue, current, options.until)
    return report(options, results, time.monotonic() - started)


def report(options, results, seconds):
    count, wrong, notes, spent = Count(), [], [], {}
    kernels = sum(r[3] for r in results)
    for c, w, n, _, _, s, _ in results:
        count.add(c)
        wrong += w
        notes += n
        for name, value in s.items():
            spent[name] = spent.get(name, 0) + value
    share = count.known / count.constants if count.constants else 0
    print(f"twins: {max(r[6] for r in results)}; seeds {options.first} to {options.first + options.kernels - 1}, {seconds:.1f} s in "
          f"{options.processes} processes (" + ", ".join(f"{name} {value:.0f} s" for name, value in spent.items()) + ")")
    print(f"twins: {kernels} kernels, {count.loops} with loops, {count.calls} with calls, each run by {LAUNCHES * BLOCKS * THREADS} "
          f"threads; ptxas took {sum(r[4] for r in results)} files; {count.copies} copies")
    print(f"twins: {count.constants} operands constant by construction, {count.known} known ({100 * share:.1f} %); {count.forms} operands "
          "known as sums of atoms")
    print("twins: stored values held against what is known: " + ", ".join(f"{value} {kind}" for kind, value in count.held.items()))
    print("\n".join([*wrong[:40], *(f"note: {n}" for n in notes[:20])]))
    print(f"twins: {kernels} passed, {len(wrong)} differences, {len(notes)} kernels taken as ptxas -O0 makes them")
    if any("libcuda" in w or "cuInit" in w for w in wrong) and not kernels:
        return 3
    return 1 if wrong or share < 0.9 else 0


if __name__ == "__main__":
    sys.exit(main())
