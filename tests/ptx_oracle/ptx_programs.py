# SPDX-License-Identifier: Apache-2.0
"""Random kernels with tensor copies: as statements, which ptx_run.py runs, and as PTX text, which ptxas takes.

A program is a list of statements (tuples):
  ("op", to, name, operands)           an instruction of ptx_ops.py; operands: ("r", register) or a number
  ("special", to, name)                %tid.x, %ctaid.x
  ("load", to, parameter, offset)      ld.param of the kernel
  ("memory", to, index)                ld.global of the file's array
  ("pack", to, low, high), ("unpack", low, high, from)
  ("carry", (low, high), a, b)         add.cc, addc
  ("setp", to, comparison, type, a, b), ("selp", to, yes, no, predicate)
  ("guard", predicate, negated, op)    one "op" under a predicate
  ("if", predicate, then, other)       branches
  ("switch", register, bodies)         brx.idx; the register's value is less than the number of bodies
  ("tangle", id, predicate, turns, counter, first, second): a way leads into the middle of what is run again
  ("clock", to), ("address", to, name)
  ("loop", id, kind, count, counter, body, leave): kind "do" or "while"; leave: None, or a predicate that ends it
  ("call", function, arguments, results), ("block", declarations, body)
  ("spill", register, slot), ("fill", to, slot)   .local
  ("float", to, from)                  by way of .f32 registers
  ("copy", id, coordinates, shared)
Registers are ("b32"|"b64"|"pred", key); two may have one name in the text, in blocks of their own."""
import random

import ptx_ops as ops

HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
MEMORY = [3, 1, 4, 1, 5, 9, 2, 6]
MOST_COPIES = 24  # that one thread makes
MOST_STEPS = 4000


class Function:
    def __init__(self, name, style, arguments, results):
        self.name, self.style, self.arguments, self.results = name, style, arguments, results
        self.body, self.registers = [], []


class Maker:
    """Makes one program. `with_clocks`: and with numbers that no two machines have alike, clocks and addresses."""

    def __init__(self, seed, with_clocks=False):
        self.random = random.Random(seed)
        self.with_clocks = with_clocks
        self.keys = self.copies = self.loops = 0
        self.counters = set()
        self.functions = []
        self.parameters = [("p0", 32), ("p1", 32), ("p2", 64), ("p3", 64)]
        self.has_loops = self.random.random() < 0.85
        self.has_calls = self.random.random() < 0.75
        for i in range(self.random.randint(1, 2) if self.has_calls else 0):
            self.functions.append(self.function(i))
        self.kernel = Function("k", "entry", [], [])
        self.own = self.kernel
        self.slots = self.random.randint(0, 3)
        self.kernel.body = self.body()
        self.kernel.slots = self.slots

    # --- registers ---
    def new(self, kind):
        self.keys += 1
        register = (kind, self.keys)
        self.own.registers.append(register)
        return register

    def any(self, kind, scope):
        return self.random.choice(scope[kind])

    def target(self, scope):
        """A register to assign anew: no loop's counter."""
        kind = self.random.choice(["b32", "b64"])
        return self.random.choice([r for r in scope[kind] if r not in self.counters])

    def number(self, bits):
        r = self.random
        value = r.choice([r.randint(0, 16), r.randint(0, 300), 1 << r.randint(0, bits - 1), r.getrandbits(bits), ops.mask(bits) - r.randint(0, 20)])
        return value & ops.mask(bits)

    def operand(self, kind, scope, numbers=0.35):
        if self.random.random() < numbers:
            return self.number(int(kind[1:]))
        return ("r", self.any(kind, scope))

    # --- statements ---
    def narrow(self, name, operands):
        """Gives operands that not every number may be, one that may."""
        r = self.random
        if name[:3] in ("div", "rem"):
            operands[1] = r.choice([1, 2, 3, 7, 16, 1 << 20, ops.mask(ops.bits_of(name)) - 2])
        if name[:4] in ("bfe.", "bfi."):
            operands[-2:] = [r.randint(0, 33), r.randint(0, 33)]
        if name[:4] == "lop3":
            operands[3] = r.randint(0, 255)

    def op(self, scope, to=None):
        r = self.random
        kind = to[0] if to else r.choice(["b32", "b32", "b32", "b64"])
        names = [n for n in ops.OPS if n.endswith(kind[1:])] + (list(ops.NARROW) + list(ops.SAME) if kind == "b32" else list(ops.WIDE))
        name = r.choice(names)
        if name in ops.OPS:
            operands = [self.operand(kind, scope) for _ in range(ops.OPS[name][0])]
            if name[:3] in ("shl", "shr"):
                operands[1] = r.choice([r.randint(0, 40), r.randint(0, 5), ("r", self.any("b32", scope))])
            self.narrow(name, operands)
        elif name in ops.WIDE:
            operands = [self.operand("b32", scope) for _ in range(min(2, ops.WIDE[name][0]))]
            if ops.WIDE[name][0] == 3:
                operands.append(self.operand("b64", scope))
        else:
            operands = [("r", self.any("b64" if name in ops.NARROW else "b32", scope))]
        if name.startswith("cvt"):
            operands = [("r", self.any("b64" if name in ops.NARROW else "b32", scope))]
        if all(not isinstance(o, tuple) for o in operands) and not name.startswith("mov"):
            operands[0] = ("r", self.any(kind if name in ops.OPS else "b32", scope))
        return ("op", to or self.new(kind), name, operands)

    def setp(self, scope):
        type_ = self.random.choice(["u32", "s32", "u64", "s64"])
        kind = "b" + type_[1:]
        return ("setp", self.new("pred"), self.random.choice(list(ops.COMPARE)), type_, ("r", self.any(kind, scope)), self.operand(kind, scope))

    def one(self, scope):
        """A statement or two without ways."""
        r = self.random
        if self.with_clocks and r.random() < 0.04:
            return [r.choice([("clock", self.new("b32")), ("address", self.new("b32"), "shared"),
                              ("address", self.new("b64"), "global"), ("address", self.new("b64"), "generic")])]
        way = r.random()
        if way < 0.58:
            return [self.op(scope, self.target(scope) if r.random() < 0.3 else None)]
        if way < 0.63:
            return [("op", self.new("b32"), "mov.u32", [self.number(32)])]
        if way < 0.67:
            return [("special", self.new("b32"), r.choice(["%tid.x", "%ctaid.x"]))]
        if way < 0.72:
            name, bits = r.choice(self.parameters)
            if self.own.style != "entry":
                return [self.op(scope)]
            return [("load", self.new(f"b{bits}"), name, bits)]
        if way < 0.75:
            return [("memory", self.new("b32"), r.randrange(len(MEMORY)))]
        if way < 0.79:
            return [("pack", self.new("b64"), self.any("b32", scope), self.any("b32", scope))]
        if way < 0.82:
            return [("unpack", self.new("b32"), self.new("b32"), self.any("b64", scope))]
        if way < 0.84:
            return [("carry", (self.new("b32"), self.new("b32")), [self.any("b32", scope) for _ in range(4)])]
        if way < 0.90:
            p = self.setp(scope)
            guarded = self.op(scope, self.target(scope))
            return [p, ("guard", p[1], r.random() < 0.5, guarded)]
        if way < 0.94:
            p = self.setp(scope)
            kind = r.choice(["b32", "b64"])
            return [p, ("selp", self.new(kind), self.operand(kind, scope), self.operand(kind, scope), p[1])]
        if way < 0.97:
            return [("float", self.new("b32"), self.any("b32", scope))]
        slot = r.randrange(4)
        return [("spill", self.any("b32", scope), slot), *self.some(scope, 1), ("fill", self.new("b32"), slot)]

    def some(self, scope, most):
        out = []
        for _ in range(self.random.randint(1, most)):
            for s in self.one(scope):
                out.append(s)
                self.enter(scope, s)
        return out

    @staticmethod
    def enter(scope, statement):
        """Registers that a statement assigns may be used behind it."""
        to = statement[1:3] if statement[0] == "unpack" else statement[1] if statement[0] == "carry" else statement[1:2]
        if statement[0] in ("op", "special", "clock", "address", "load", "memory", "pack", "unpack", "carry", "selp", "float", "fill"):
            for register in to:
                if register not in scope[register[0]]:
                    scope[register[0]].append(register)

    def inner(self, scope):
        return {k: list(v) for k, v in scope.items()}

    def copy(self, scope, constants):
        r = self.random
        self.copies += 1
        coordinates = []
        for _ in range(r.randint(1, 5)):
            way = r.random()
            coordinates.append(self.number(32) if way < 0.1 else
                               ("r", r.choice(constants)) if way < 0.55 and constants else ("r", self.any("b32", scope)))
        return ("copy", self.copies, coordinates, ("r", self.any("b32", scope)))

    def statements(self, scope, constants, depth, most):
        """A body; `constants`: registers that are likely to be."""
        r = self.random
        out = []
        for _ in range(r.randint(2, most)):
            way = r.random()
            if way < 0.5 or depth > 2:
                out += self.some(scope, 4)
            elif way < 0.64:
                p = self.setp(scope)
                out += [p, ("if", p[1], self.statements(self.inner(scope), constants[:], depth + 1, 3),
                            self.statements(self.inner(scope), constants[:], depth + 1, 2) if r.random() < 0.6 else [])]
            elif way < 0.68:
                out += self.switch(scope, constants, depth)
            elif way < 0.71 and self.has_loops:
                out += self.tangle(scope, constants, depth)
            elif way < 0.79 and self.has_loops:
                out.append(self.loop(scope, constants, depth))
            elif way < 0.88 and self.has_calls and self.functions:
                out += self.call(scope)
            elif way < 0.92:
                inner = self.inner(scope)
                out.append(("block", self.statements(inner, constants[:], depth + 1, 3)))
            else:
                out.append(self.chain(scope, constants))
            if r.random() < 0.35 and self.own.style == "entry" or r.random() < 0.1:
                out.append(self.copy(scope, constants))
        return [s for part in out for s in (part if isinstance(part, list) else [part])]

    def switch(self, scope, constants, depth):
        bodies = self.random.choice([2, 4])
        index = self.new("b32")
        return [("op", index, "and.b32", [("r", self.any("b32", scope)), bodies - 1]),
                ("switch", index, [self.statements(self.inner(scope), constants[:], depth + 1, 2) for _ in range(bodies)])]

    def chain(self, scope, constants):
        """Constants of constants."""
        r = self.random
        out = []
        for _ in range(r.randint(2, 5)):
            to = self.new("b32")
            names = [n for n, row in ops.OPS.items() if row[3] and n.endswith("32")]
            name = r.choice(names)
            of = [("r", r.choice(constants)) if constants and r.random() < 0.7 else self.number(32) for _ in range(ops.OPS[name][0])]
            if name[:3] in ("shl", "shr"):
                of[1] = r.randint(0, 33)
            if not any(isinstance(o, tuple) for o in of) or (constants and not isinstance(of[0], tuple)):
                if constants:
                    of[0] = ("r", r.choice(constants))
                else:
                    name, of = "mov.u32", [self.number(32)]
            self.narrow(name, of)
            out.append(("op", to, name, of))
            constants.append(to)
            scope["b32"].append(to)
        return out

    def loop(self, scope, constants, depth):
        r = self.random
        self.loops += 1
        number = self.loops
        counter = self.new("b32")
        step = r.choice([1, 1, 2, 3])
        turns = r.randint(1, 4)
        stepped = [r.choice(scope["b32"]) for _ in range(r.randint(0, 2))]
        self.counters.add(counter)
        inner = self.inner(scope)
        inner["b32"].append(counter)
        body = []
        for register in stepped:
            if register not in constants and register not in self.counters:
                body.append(("op", register, "add.u32", [("r", register), r.choice([self.number(32), 64, 128])]))
        body += self.statements(inner, constants[:], depth + 1, 3)
        if r.random() < 0.6 and self.own.style == "entry":
            body.append(self.copy(inner, constants))
        leave = None
        if r.random() < 0.25:
            leave = self.setp(inner)
        return ("loop", number, r.choice(["do", "while"]), (r.choice([0, 5, self.number(32)]), step, turns), counter, body, leave)

    def tangle(self, scope, constants, depth):
        p = self.setp(scope)
        self.loops += 1
        number, counter = self.loops, self.new("b32")
        self.counters.add(counter)
        bodies = [self.statements(self.inner(scope), constants[:], depth + 1, 2) for _ in range(2)]
        return [p, ("tangle", number, p[1], self.random.randint(1, 3), counter, *bodies)]

    def function(self, i):
        self.own = f = Function(f"f{i}", self.random.choice(["reg", "param", "param", "vector"]), [], [])
        f.arguments = [self.new("b32") for _ in range(self.random.randint(1, 3))]
        if f.style == "vector":
            f.arguments = [self.new("b32") for _ in range(self.random.choice([2, 4]))]
        elif self.random.random() < 0.4:
            f.arguments.append(self.new("b64"))
        if self.random.random() < 0.2:
            return self.recursive(f)
        own = self.new("b64")
        scope = {"b32": [a for a in f.arguments if a[0] == "b32"], "b64": [a for a in f.arguments if a[0] == "b64"] + [own]}
        head = [("op", own, "mov.u64", [self.number(64)])]
        if not self.functions or self.random.random() < 0.5:
            known = self.functions
            self.functions = []
            f.body = head + self.some(scope, 3) + self.statements(scope, [], 2, 2)
            self.functions = known
        else:
            f.body = head + self.some(scope, 2) + self.call(scope)
        f.results = [self.random.choice(scope["b32"])]
        return f

    def recursive(self, f):
        """Calls itself up to three times, one in another. It makes no copies."""
        first = f.arguments[0]
        scope = {"b32": [a for a in f.arguments if a[0] == "b32"], "b64": [self.new("b64")]}
        turns, left, inner, stop = self.new("b32"), self.new("b32"), self.new("b32"), self.new("pred")
        f.results = [self.new("b32")]
        f.body = [("op", turns, "and.b32", [("r", first), 3]), ("op", scope["b64"][0], "mov.u64", [self.number(64)]),
                  *self.some(scope, 2), ("setp", stop, "eq", "u32", ("r", turns), 0),
                  ("if", stop, [("op", f.results[0], "mov.u32", [("r", self.any("b32", scope))])],
                   [("op", left, "sub.u32", [("r", turns), 1]),
                    ("call", f.name, [("r", left), *(("r", self.any(a[0], scope)) for a in f.arguments[1:])], [inner]),
                    ("op", f.results[0], "add.u32", [("r", inner), ("r", self.any("b32", scope))])])]
        return f

    def call(self, scope):
        f = self.random.choice(self.functions)
        arguments = [("r", self.any(a[0], scope)) for a in f.arguments]
        result = self.new("b32")
        scope["b32"].append(result)
        return [("call", f.name, arguments, [result])]

    def body(self):
        scope = {"b32": [], "b64": []}
        out, constants = [], []
        for _ in range(3):
            to = self.new("b32")
            out.append(("op", to, "mov.u32", [self.number(32)]))
            constants.append(to)
        out += [("special", self.new("b32"), "%tid.x"), ("load", self.new("b32"), "p0", 32), ("load", self.new("b64"), "p2", 64),
                ("op", self.new("b64"), "mov.u64", [self.number(64)])]
        for s in out:
            self.enter(scope, s)
        out += self.statements(scope, constants, 0, 8)
        out.append(self.copy(scope, constants))
        return out
