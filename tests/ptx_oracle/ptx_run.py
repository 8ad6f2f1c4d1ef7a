# SPDX-License-Identifier: Apache-2.0
"""Runs programs of ptx_programs.py as statements, a thread at a time: what each copy's operands are. And which of
them are constants by construction."""
import ptx_ops as ops
from ptx_programs import MEMORY, MOST_STEPS


class TooLong(Exception):
    pass


class Copy:
    """One copy of one thread."""

    def __init__(self, number, chain, values, turns):
        self.number, self.chain, self.values, self.turns = number, chain, values, turns


class Thread:
    def __init__(self, maker, specials, parameters):
        self.functions = {f.name: f for f in maker.functions}
        self.specials, self.parameters = specials, parameters
        self.copies, self.turns, self.chain, self.steps, self.clock = [], {}, [], 0, 1
        self.run(maker.kernel.body, {}, {})

    @staticmethod
    def value(env, operand):
        return env[operand[1]] if isinstance(operand, tuple) else operand

    def run(self, body, env, slots):
        for s in body:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise TooLong()
            getattr(self, "do_" + s[0])(s, env, slots)

    def do_op(self, s, env, slots):
        env[s[1]] = ops.run(s[2], [self.value(env, o) for o in s[3]])

    def do_special(self, s, env, slots):
        env[s[1]] = self.specials[s[2]]

    def do_clock(self, s, env, slots):
        self.clock = self.clock * 69069 + 12345 & ops.M32
        env[s[1]] = self.clock

    def do_address(self, s, env, slots):
        env[s[1]] = {"shared": 1 << 10, "global": 0x7F0012345600, "generic": (0x7E << 40) + (1 << 10)}[s[2]]

    def do_tangle(self, s, env, slots):
        _, number, predicate, turns, counter, first, second = s
        skips = env[predicate]
        for env[counter] in range(turns):
            self.turns[(number, tuple(self.chain))] = env[counter]
            if not skips:
                self.run(first, env, slots)
            skips = False
            self.run(second, env, slots)
        env[counter] = turns

    def do_load(self, s, env, slots):
        env[s[1]] = self.parameters[s[2]]

    def do_memory(self, s, env, slots):
        env[s[1]] = MEMORY[s[2]]

    def do_pack(self, s, env, slots):
        env[s[1]] = env[s[3]] << 32 | env[s[2]]

    def do_unpack(self, s, env, slots):
        env[s[1]], env[s[2]] = env[s[3]] & ops.M32, env[s[3]] >> 32

    def do_carry(self, s, env, slots):
        a, b, c, d = (env[r] for r in s[2])
        env[s[1][0]], env[s[1][1]] = a + b & ops.M32, c + d + (a + b >> 32) & ops.M32

    def do_setp(self, s, env, slots):
        env[s[1]] = ops.compare(s[2], s[3], self.value(env, s[4]), self.value(env, s[5]))

    def do_selp(self, s, env, slots):
        env[s[1]] = self.value(env, s[2] if env[s[4]] else s[3])

    def do_guard(self, s, env, slots):
        if bool(env[s[1]]) != s[2]:
            self.run([s[3]], env, slots)

    def do_if(self, s, env, slots):
        self.run(s[2] if env[s[1]] else s[3], env, slots)

    def do_switch(self, s, env, slots):
        self.run(s[2][env[s[1]]], env, slots)

    def do_loop(self, s, env, slots):
        _, number, kind, (start, step, turns), counter, body, leave = s
        env[counter] = start
        end = start + step * turns & ops.M32
        key = (number, tuple(self.chain))
        self.turns[key] = 0
        while kind == "do" or env[counter] != end:
            self.run(body, env, slots)
            if leave:
                self.run([leave], env, slots)
                if env[leave[1]]:
                    break
            env[counter] = env[counter] + step & ops.M32
            if kind == "do" and env[counter] == end:
                break
            self.turns[key] += 1 # what it is behind the loop, too

    def do_call(self, s, env, slots):
        f = self.functions[s[1]]
        inner = {to: self.value(env, of) for to, of in zip(f.arguments, s[2])}
        self.chain.append(id(s))
        self.run(f.body, inner, {})
        self.chain.pop()
        for to, of in zip(s[3], f.results):
            env[to] = inner[of]

    def do_block(self, s, env, slots):
        self.run(s[1], env, slots)

    def do_spill(self, s, env, slots):
        slots[s[2]] = env[s[1]]

    def do_fill(self, s, env, slots):
        env[s[1]] = slots[s[2]]

    def do_float(self, s, env, slots):
        env[s[1]] = env[s[2]]

    def do_copy(self, s, env, slots):
        values = [self.value(env, o) for o in [*s[2], s[3]]]
        self.copies.append(Copy(s[1], tuple(self.chain), values, dict(self.turns)))


def assigned(body):
    """Registers and slots that statements may assign."""
    out = set()
    for s in body:
        kind = s[0]
        if kind in ("op", "special", "clock", "address", "load", "memory", "pack", "setp", "selp", "float", "fill"):
            out.add(s[1])
        elif kind in ("unpack",):
            out |= {s[1], s[2]}
        elif kind == "carry":
            out |= set(s[1])
        elif kind == "guard":
            out |= assigned([s[3]])
        elif kind == "if":
            out |= assigned(s[2]) | assigned(s[3])
        elif kind == "switch":
            out |= set().union(*map(assigned, s[2]))
        elif kind == "loop":
            out |= assigned(s[5]) | {s[4]} | (assigned([s[6]]) if s[6] else set())
        elif kind == "tangle":
            out |= assigned(s[5]) | assigned(s[6]) | {s[4]}
        elif kind == "call":
            out |= set(s[3])
        elif kind == "block":
            out |= assigned(s[1])
        elif kind == "spill":
            out.add(("slot", s[2]))
    return out


class Constants:
    """Which operands are constants by construction: made of numbers by instructions of one result, on all ways
    the same, in no loop anew. {(copy, chain, operand): number}"""

    def __init__(self, maker):
        self.functions = {f.name: f for f in maker.functions}
        self.chain, self.known, self.open = [], {}, []
        self.run(maker.kernel.body, {})

    @staticmethod
    def value(env, operand):
        return env.get(operand[1]) if isinstance(operand, tuple) else operand

    def run(self, body, env):
        for s in body:
            self.statement(s, env)

    def meet(self, env, ways, touched):
        for register in touched:
            values = {way.get(register) for way in ways}
            env[register] = values.pop() if len(values) == 1 else None

    def statement(self, s, env):
        kind = s[0]
        if kind == "op":
            values = [self.value(env, o) for o in s[3]]
            row = ops.OPS.get(s[2])
            is_known = None not in values and (row is None or row[3])
            env[s[1]] = ops.run(s[2], values) if is_known else None
        elif kind == "pack":
            known = env.get(s[2]) is not None and env.get(s[3]) is not None
            env[s[1]] = env[s[3]] << 32 | env[s[2]] if known else None
        elif kind == "unpack":
            both = env.get(s[3])
            env[s[1]], env[s[2]] = (None, None) if both is None else (both & ops.M32, both >> 32)
        elif kind == "carry":
            a, b = (env.get(r) for r in s[2][:2])
            env[s[1][0]] = None if a is None or b is None else a + b & ops.M32
            env[s[1][1]] = None
        elif kind == "float":
            env[s[1]] = env.get(s[2])
        elif kind == "spill":
            env[("slot", s[2])] = env.get(s[1])
        elif kind == "fill":
            env[s[1]] = env.get(("slot", s[2]))
        elif kind == "guard":
            other = dict(env)
            self.statement(s[3], other)
            self.meet(env, [dict(env), other], assigned([s[3]]))
        elif kind == "if":
            ways = [dict(env), dict(env)]
            self.run(s[2], ways[0])
            self.run(s[3], ways[1])
            self.meet(env, ways, assigned([s]))
        elif kind == "switch":
            ways = [dict(env) for _ in s[2]]
            for way, body in zip(ways, s[2]):
                self.run(body, way)
            self.meet(env, ways, assigned([s]))
        elif kind == "block":
            self.run(s[1], env)
        elif kind in ("loop", "tangle"):
            for register in assigned([s]):
                env[register] = None
            for body in s[5:6] if kind == "loop" else s[5:]:  # a tangle's second may be come to first
                self.run(body, env)
                for register in assigned([s]):
                    env[register] = None
        elif kind == "call":
            f = self.functions[s[1]]
            inner = {to: self.value(env, of) for to, of in zip(f.arguments, s[2])}
            if f.name not in self.open:
                self.chain.append(id(s))
                self.open.append(f.name)
                self.run(f.body, inner)
                self.open.pop()
                self.chain.pop()
            for to, of in zip(s[3], f.results):
                env[to] = inner.get(of)
        elif kind == "copy":
            for i, operand in enumerate([*s[2], s[3]]):
                self.known[(s[1], tuple(self.chain), i)] = self.value(env, operand)
        else:
            for register in assigned([s]):
                env[register] = None


class NotRun(Exception):
    """Turns of a loop that the thread did not run: no value can hang on them."""


class Unsure(Exception):
    """A value that hangs on an atom of which nothing is known."""


class Evaluator:
    """A form that ptx_known_values printed, in one copy's thread."""

    def __init__(self, thread, copy, text):
        """`text` knows where things stand."""
        self.thread, self.copy = thread, copy
        self.turns = {(text.loop_line[number], tuple(text.call_line[i] for i in chain)): turns
                      for (number, chain), turns in copy.turns.items()}
        self.implied = {}

    def form(self, form):
        bits, number, terms = form
        return number + sum(times * self.atom(atom) for times, atom in terms) & ops.mask(bits)

    def atom(self, atom):
        kind = atom[0]
        if kind == "special":
            return self.thread.specials[atom[1]]
        if kind == "parameter":
            return self.thread.parameters[atom[1]] >> 8 * atom[2] & ops.mask(atom[3])
        if kind == "turn":
            if (atom[1], tuple(atom[2])) not in self.turns:
                raise NotRun(f"{atom} of a loop that the thread did not run")
            return self.turns[(atom[1], tuple(atom[2]))]
        if kind == "operation":
            return self.operation(atom[1], atom[2], atom[3])
        raise Unsure()

    def operation(self, name, bits, of):
        if name == "selected":  # the other side may be of a way that the thread did not take
            return self.form(of[1] if self.form(of[0]) else of[2])
        values = [self.form(f) for f in of]
        if name == "zero-extended":
            return values[0]
        if name == "sign-extended":
            return ops.signed(values[0], of[0][0]) & ops.mask(bits)
        if name == "product":
            return values[0] * values[1] & ops.mask(bits)
        word = name.split(".")
        if word[0] == "setp":
            return int(ops.compare(word[1], word[2], *values))
        try:
            return ops.run(name, values)
        except KeyError:
            raise Unsure() from None

    def disagrees(self, form, value):
        """Why a copy's operand cannot be what the form says, or None; whether the form was a number throughout."""
        bits, number, terms = form
        value &= ops.mask(bits)
        try:
            said = self.form(form)
            return None if said == value else f"{form} is {said}, not {value}"
        except NotRun as why:
            return f"{form}: {why}"
        except Unsure:
            pass
        open_terms = [(times, atom) for times, atom in terms if not self.is_sure(atom)]
        if len(open_terms) != 1 or not open_terms[0][0] & 1:
            return None
        times, atom = open_terms[0]
        rest = self.form([bits, number, [t for t in terms if t[1] is not atom]])
        implied = (value - rest) * pow(times, -1, 1 << bits) & ops.mask(bits)
        own = min(bits, atom[2]) if atom[0] == "opaque" else bits
        if atom[0] == "opaque" and atom[2] < bits and implied >> atom[2]:
            return f"{atom} is {implied}, more than {atom[2]} bits"
        before = self.implied.setdefault((str(atom), own), implied & ops.mask(own))
        return None if before == implied & ops.mask(own) else f"{atom} is {before} and {implied}"

    def is_sure(self, atom):
        try:
            self.atom(atom)
            return True
        except (Unsure, NotRun):
            return False
