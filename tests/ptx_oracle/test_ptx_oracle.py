# SPDX-License-Identifier: Apache-2.0
"""What ptx/ says is known of registers, held against kernels run as statements: random programs that ptxas takes, with
loops and calls in half of them. TMA_PTX_KERNELS says how many (make long: 10,000), TMA_PTX_SEED from which on."""
import json
import os
import random
import shutil
import subprocess

import ptx_ops as ops
from ptx_programs import MOST_COPIES, Maker
from ptx_run import Constants, Evaluator, Thread, TooLong
from ptx_text import Text

KNOWN = os.environ["PTX_KNOWN_VALUES"]
PTXAS = os.environ.get("PTXAS") or shutil.which("ptxas")
KERNELS = int(os.environ.get("TMA_PTX_KERNELS", "300"))
SEED = int(os.environ.get("TMA_PTX_SEED", "1"))
THREADS = 4


def put_together(tables):
    """Forms by number, with their atoms and those of their operations in them: one is made of earlier ones."""
    atoms, forms = tables["atoms"], [None]
    made = [None] * len(atoms)

    def atom(i):
        if made[i] is None:
            a = atoms[i]
            made[i] = [*a[:3], [form(k) for k in a[3]]] if a[0] == "operation" else \
                [*a[:2], a[2][::-1]] if a[0] == "turn" else a
        return made[i]

    def form(k):
        bits, number, terms = tables["forms"][k]
        return [bits, number, [[times, atom(i)] for times, i in terms]]
    return forms + [form(k) for k in range(1, len(tables["forms"]))]


def dumped(paths):
    """{file: {(line, chain): operands}}"""
    done = subprocess.run([KNOWN, *map(str, paths)], capture_output=True, text=True, check=True)
    out = {str(path): {} for path in paths}
    copies = []
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if "forms" not in row:
            copies.append(row)
            continue
        forms = put_together(row)
        for copy in copies:
            out[copy["file"]].setdefault((copy["line"], tuple(copy["chain"][::-1])), [forms[k] for k in copy["operands"]])
        copies = []
    return out


def thread_of(maker, seed, i):
    r = random.Random(f"{seed} {i}")
    parameters = {name: r.choice([r.getrandbits(bits), r.randint(0, 100)]) for name, bits in maker.parameters}
    return Thread(maker, {"%tid.x": r.randint(0, 31), "%ctaid.x": r.randint(0, 1000)}, parameters)


class Count:
    def __init__(self):
        self.constants = self.known = self.forms = self.copies = self.loops = self.calls = 0


def compare(maker, text, known, threads, count):
    """What differs between what is known and what the threads' copies had; counts constants on the way."""
    wrong = []
    constants = Constants(maker).known
    met = set()
    for thread in threads:
        for copy in thread.copies:
            chain = tuple(text.call_line[i] for i in copy.chain)
            operands = known.get((text.copy_line[copy.number], chain))
            if operands is None:
                wrong.append(f"copy {copy.number} by {chain} is not there")
                continue
            evaluator = Evaluator(thread, copy, text)
            for i, (form, value) in enumerate(zip(operands, copy.values)):
                constant = constants.get((copy.number, copy.chain, i))
                assert constant is None or constant == value  # the two oracles
                key = (copy.number, copy.chain, i)
                if key not in met:
                    met.add(key)
                    count.constants += constant is not None
                    count.known += constant is not None and form is not None and not form[2]
                    count.forms += form is not None and bool(form[2])
                why = form and evaluator.disagrees(form, value)
                if why:
                    wrong.append(f"line {text.copy_line[copy.number]}, operand {i}: {why}")
            count.copies += 1
    return wrong


def programs(seeds):
    for seed in seeds:
        maker = Maker(seed)
        try:
            threads = [thread_of(maker, seed, i) for i in range(THREADS)]
        except TooLong:
            continue
        if max(len(t.copies) for t in threads) <= MOST_COPIES:
            yield seed, maker, threads


def assembled(path):
    done = subprocess.run([PTXAS, "-arch=sm_90a", "-O0", "-o", "/dev/null", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, f"{path}: {done.stderr}"


def test_what_is_known_is_what_threads_have(tmp_path):
    count, wrong, kernels = Count(), [], 0
    batch = []
    for seed, maker, threads in programs(range(SEED, SEED + KERNELS)):
        text = Text(maker)
        path = tmp_path / f"{seed}.ptx"
        path.write_text(text.text)
        batch.append((path, maker, text, threads))
        kernels += 1
        count.loops += bool(text.loop_line)
        count.calls += bool(text.call_line)
        if len(batch) == 100:
            wrong += judged(batch, count)
            batch = []
    wrong += judged(batch, count)
    print(f"{kernels} kernels, {count.loops} with loops, {count.calls} with calls, {count.copies} copies, "
          f"{count.constants} operands constant by construction, {count.known} known; {count.forms} forms")
    assert not wrong, "\n".join(wrong[:20])
    assert count.known >= 0.9 * count.constants
    assert count.loops >= 0.4 * kernels and count.calls >= 0.4 * kernels


def judged(batch, count):
    wrong = []
    known = dumped([path for path, *_ in batch])
    for path, maker, text, threads in batch:
        wrong += [f"{path}: {w}" for w in compare(maker, text, known[str(path)], threads, count)]
        if not wrong:
            if PTXAS and os.environ.get("TMA_PTX_ASSEMBLE", "1") == "1":
                assembled(path)
            path.unlink()
    return wrong


def test_twins_are_assembled(tmp_path):
    if not PTXAS:
        return
    for seed, maker, _ in programs(range(SEED, SEED + min(KERNELS, 40))):
        path = tmp_path / f"{seed}.ptx"
        path.write_text(Text(maker, twin=True).text)
        assembled(path)


def test_the_oracle_itself():
    """Rows of PTX's document, typed in by hand."""
    assert ops.run("shr.s32", [0x80000000, 40]) == 0xFFFFFFFF and ops.run("shr.u32", [0x80000000, 40]) == 0
    assert ops.run("mul.wide.s32", [0xFFFFFFFF, 2]) == (1 << 64) - 2 and ops.run("mul.wide.u32", [0xFFFFFFFF, 2]) == 0x1FFFFFFFE
    assert ops.run("mul.hi.s32", [0xFFFFFFFF, 2]) == 0xFFFFFFFF and ops.run("cvt.s32.s8", [0x80]) == 0xFFFFFF80
    assert ops.run("add.sat.s32", [0x7FFFFFFF, 1]) == 0x7FFFFFFF and ops.run("bfe.u32", [0xF0, 4, 40]) == 0xF
