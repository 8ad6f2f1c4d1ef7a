# SPDX-License-Identifier: Apache-2.0
"""What ptx_known_values says of copies' operands, held against what threads had: the oracle's (test_ptx_oracle.py) or a
GPU's (lab/hardware/ptx_twins)."""
import json
import os
import subprocess

from ptx_programs import MOST_COPIES, Maker
from ptx_run import Constants, Evaluator, TooLong

KNOWN = os.environ.get("PTX_KNOWN_VALUES", "ptx_known_values")


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


def random_parameters(maker, r):
    return {name: r.choice([r.getrandbits(bits), r.randint(0, 100)]) for name, bits in maker.parameters}


class Count:
    """Of operands: how many are constants by construction, how many of these are known, how many others are sums of
    atoms. Of values that a copy had: how many were held against a constant, against a sum of what the thread was given
    (parameters, its place, turns of loops), against a sum with results of operations, which the oracle computes; and how
    many could only be held against each other, because a sum holds an atom that nobody can compute."""

    def __init__(self):
        self.constants = self.known = self.forms = self.copies = self.loops = self.calls = 0
        self.held = {"constant": 0, "affine": 0, "operation": 0, "opaque": 0}

    def hold(self, form):
        self.held[self.kind(form)] += 1

    def kind(self, form):
        kinds = {atom[0] for _, atom in form[2]} if form[2] else {"constant"}
        if "opaque" in kinds:
            return "opaque"
        if "operation" not in kinds:
            return "constant" if kinds == {"constant"} else "affine"
        inner = {self.kind(f) for _, atom in form[2] if atom[0] == "operation" for f in atom[3]}
        return "opaque" if "opaque" in inner else "operation"

    def add(self, other):
        for name, value in vars(other).items():
            if name == "held":
                for kind, number in value.items():
                    self.held[kind] += number
            else:
                setattr(self, name, getattr(self, name) + value)


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
                if constant not in (None, value):
                    wrong.append(f"copy {copy.number}, operand {i}: the constant {constant} by construction, but {value}")
                key = (copy.number, copy.chain, i)
                if key not in met:
                    met.add(key)
                    count.constants += constant is not None
                    count.known += constant is not None and form is not None and not form[2]
                    count.forms += form is not None and bool(form[2])
                if form:
                    count.hold(form)
                why = form and evaluator.disagrees(form, value)
                if why:
                    wrong.append(f"line {text.copy_line[copy.number]}, operand {i}: {why}")
            count.copies += 1
    return wrong


def programs(seeds, threads_of, with_clocks=False):
    """Those programs whose threads make few copies: (seed, program, threads)."""
    for seed in seeds:
        maker = Maker(seed, with_clocks)
        try:
            threads = threads_of(maker, seed)
        except TooLong:
            continue
        if max(len(t.copies) for t in threads) <= MOST_COPIES:
            yield seed, maker, threads
