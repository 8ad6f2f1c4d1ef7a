# SPDX-License-Identifier: Apache-2.0
"""Programs of ptx_programs.py as PTX text. With `twin` each copy stores its operands instead, behind each other, in
a part of memory that its thread has: [copy, operands ...] of 64 bits each. `suffix` keeps the names of several
programs apart that stand in one module."""
from ptx_programs import HEAD, MEMORY
from ptx_run import assigned

MOST_STORED = 32  # copies of one thread
WORDS = 8         # a copy's


def used(body):
    """All registers that statements name."""
    out = set()

    def walk(x):
        if isinstance(x, tuple) and len(x) == 2 and x[0] in ("b32", "b64", "pred") and isinstance(x[1], int):
            out.add(x)
        elif isinstance(x, (tuple, list)):
            for y in x:
                walk(y)
    walk(body)
    return out


class Text:
    def __init__(self, maker, twin=False, suffix=""):
        self.maker, self.twin, self.suffix = maker, twin, suffix
        self.lines = HEAD.splitlines()
        self.copy_line, self.call_line, self.loop_line = {}, {}, {}
        self.labels = 0
        self.put(f".global .align 4 .u32 memory{suffix}[{len(MEMORY)}] = {{{','.join(map(str, MEMORY))}}};")
        self.put(".extern .shared .align 16 .b8 smem[];" if not twin else f".shared .align 8 .u64 twin_at{suffix}[32];")
        for f in maker.functions:
            self.function(f)
        self.kernel(maker.kernel)
        self.text = "\n".join(self.lines) + "\n"

    def put(self, line):
        self.lines.append(line)
        return len(self.lines)

    # --- names ---
    def name(self, register):
        return self.names[register]

    def operand(self, o):
        return self.name(o[1]) if isinstance(o, tuple) else str(o)

    def declare(self, f, skip):
        """The function's registers, but for those in `skip`: ranges, as compilers have them."""
        self.names = {}
        for kind, letter in (("b32", "%r"), ("b64", "%rd"), ("pred", "%p")):
            own = [r for r in f.registers if r[0] == kind and r not in skip]
            for i, r in enumerate(own):
                self.names[r] = f"{letter}{i}"
            count = len(own) + 1
            shown = hex(count) if count % 3 == 0 else f"{count}/* so many */" if count % 3 == 1 else str(count)
            self.put(f".reg .{kind} {letter}<{shown}>;")
        self.put(".reg .b32 s0, s1, s2, %scratch, %t32; .reg .f32 %f<2>; .reg .b64 %t64, %t65; .local .align 8 .b8 stack[32];")

    # --- functions ---
    def function(self, f):
        of = {"b32": ".b32", "b64": ".b64"}
        names = [f"a{i}" for i in range(len(f.arguments))]
        if f.style == "reg":
            head = ", ".join(f".reg {of[a[0]]} {n}" for a, n in zip(f.arguments, names))
            self.put(f".func (.reg .b32 result) {f.name}{self.suffix} ({head})")
        elif f.style == "vector":
            self.put(f".func (.param .b32 result) {f.name}{self.suffix} (.param .align 16 .b8 a[{4 * len(names)}])")
        else:
            head = ", ".join(f".param {of[a[0]]} {n}" for a, n in zip(f.arguments, names))
            self.put(f".func (.param .b32 result) {f.name}{self.suffix} ({head})")
        self.put("{")
        self.declare(f, f.arguments if f.style == "reg" else [])
        if f.style == "reg":
            self.names.update(zip(f.arguments, names))
        elif f.style == "vector":
            registers = ", ".join(map(self.name, f.arguments))
            self.put(f"ld.param.v{len(names)}.b32 {{{registers}}}, [a];")
        else:
            for a, n in zip(f.arguments, names):
                self.put(f"ld.param.{a[0]} {self.name(a)}, [{n}];")
        self.body(f.body)
        result = self.name(f.results[0])
        self.put(f"mov.b32 result, {result};" if f.style == "reg" else f"st.param.b32 [result+0], {result};")
        self.put("ret;")
        self.put("}")

    def kernel(self, f):
        parameters = ", ".join(f".param .u{bits} {name}" for name, bits in self.maker.parameters)
        self.put(f".visible .entry k{self.suffix}({parameters}, .param .align 64 .b8 map[128]{', .param .u64 out' if self.twin else ''})")
        self.put("{")
        skip = set()
        self.declare(f, skip)
        if self.twin:
            for line in ("mov.u32 %scratch, %ctaid.x;", "mov.u32 %t32, %ntid.x;", "mul.lo.u32 %scratch, %scratch, %t32;",
                         "mov.u32 %t32, %tid.x;", "add.u32 %scratch, %scratch, %t32;", "ld.param.u64 %t64, [out];",
                         f"mad.wide.u32 %t64, %scratch, {MOST_STORED * WORDS * 8}, %t64;", f"mov.u64 %t65, twin_at{self.suffix};",
                         "mad.wide.u32 %t65, %t32, 8, %t65;", "st.shared.u64 [%t65], %t64;"):
                self.put(line)
        self.body(f.body)
        self.put("ret;")
        self.put("}")

    # --- statements ---
    def body(self, statements):
        for s in statements:
            getattr(self, "put_" + s[0])(s)

    def label(self):
        self.labels += 1
        return f"$L{self.labels}"

    def put_op(self, s, guard=""):
        self.put(f"{guard}{s[2]} {', '.join([self.name(s[1])] + [self.operand(o) for o in s[3]])};")

    def put_special(self, s):
        self.put(f"mov.u32 {self.name(s[1])}, {s[2]};")

    def put_load(self, s):
        self.put(f"ld.param.u{s[3]} {self.name(s[1])}, [{s[2]}];")

    def put_memory(self, s):
        self.put(f"ld.global.u32 {self.name(s[1])}, [memory{self.suffix}+{s[2]}*4];")

    def put_pack(self, s):
        self.put(f"mov.b64 {self.name(s[1])}, {{{self.name(s[2])}, {self.name(s[3])}}};")

    def put_unpack(self, s):
        self.put(f"mov.b64 {{{self.name(s[1])}, {self.name(s[2])}}}, {self.name(s[3])};")

    def put_carry(self, s):
        a, b, c, d = map(self.name, s[2])
        self.put(f"add.cc.u32 {self.name(s[1][0])}, {a}, {b};")
        self.put(f"addc.u32 {self.name(s[1][1])}, {c}, {d};")

    def put_setp(self, s):
        self.put(f"setp.{s[2]}.{s[3]} {self.name(s[1])}, {self.operand(s[4])}, {self.operand(s[5])};")

    def put_selp(self, s):
        self.put(f"selp.{s[1][0]} {self.name(s[1])}, {self.operand(s[2])}, {self.operand(s[3])}, {self.name(s[4])};")

    def put_guard(self, s):
        self.put_op(s[3], f"@{'!' if s[2] else ''}{self.name(s[1])} ")

    def put_if(self, s):
        other, end = self.label(), self.label()
        self.put(f"@!{self.name(s[1])} bra {other};")
        self.body(s[2])
        if s[3]:
            self.put(f"bra.uni {end};")
        self.put(f"{other}:")
        self.body(s[3])
        if s[3]:
            self.put(f"{end}:")

    def put_switch(self, s):
        table, end, labels = self.label(), self.label(), [self.label() for _ in s[2]]
        self.put(f"{table}: .branchtargets {', '.join(labels)};")
        self.put(f"brx.idx {self.name(s[1])}, {table};")
        for label, body in zip(labels, s[2]):
            self.put(f"{label}:")
            self.body(body)
            self.put(f"bra {end};")
        self.put(f"{end}:")

    def put_loop(self, s):
        _, number, kind, (start, step, turns), counter, body, leave = s
        head, end = self.label(), self.label()
        limit = start + step * turns & 0xFFFFFFFF
        own = self.name(counter)
        stop = f"%stop{number}"
        self.put(f"{{ .reg .pred {stop};")
        self.put(f"mov.u32 {own}, {start};")
        self.put(f"{head}:")
        self.loop_line[number] = self.put("mov.u32 %scratch, 0;")
        if kind == "while":
            self.put(f"setp.eq.u32 {stop}, {own}, {limit};")
            self.put(f"@{stop} bra {end};")
        self.body(body)
        if leave:
            self.body([leave])
            self.put(f"@{self.name(leave[1])} bra {end};")
        self.put(f"add.u32 {own}, {own}, {step};")
        if kind == "do":
            self.put(f"setp.ne.u32 {stop}, {own}, {limit};")
            self.put(f"@{stop} bra {head};")
        else:
            self.put(f"bra {head};")
        self.put(f"{end}:")
        self.put("}")

    def put_tangle(self, s):
        _, number, predicate, turns, counter, first, second = s
        head, middle = self.label(), self.label()
        own, stop = self.name(counter), f"%stop{number}"
        self.put(f"{{ .reg .pred {stop};")
        self.put(f"mov.u32 {own}, 0;")
        self.put(f"@{self.name(predicate)} bra {middle};")
        self.put(f"{head}:")
        self.loop_line[number] = self.put("mov.u32 %scratch, 0;")  # a loop's, where the predicate is never true
        self.body(first)
        self.put(f"{middle}:")
        self.body(second)
        self.put(f"add.u32 {own}, {own}, 1;")
        self.put(f"setp.lt.u32 {stop}, {own}, {turns};")
        self.put(f"@{stop} bra {head};")
        self.put("}")

    def put_clock(self, s):
        self.put(f"mov.u32 {self.name(s[1])}, %clock;")

    def put_address(self, s):
        to = self.name(s[1])
        if s[2] == "shared":
            self.put(f"mov.u32 {to}, smem;")
        else:
            self.put(f"mov.u64 {to}, {'memory' + self.suffix if s[2] == 'global' else 'smem'};")
        if s[2] == "generic":
            self.put(f"cvta.shared.u64 {to}, {to};")

    def put_call(self, s):
        f = next(f for f in self.maker.functions if f.name == s[1])
        given = [self.operand(o) for o in s[2]]
        result = self.name(s[3][0])
        if f.style == "reg":
            self.call_line[id(s)] = self.put(f"call ({result}), {f.name}{self.suffix}, ({', '.join(given)});")
            return
        self.put("{")
        if f.style == "vector":
            self.put(f".param .align 16 .b8 q0[{4 * len(given)}];")
            self.put(f"st.param.v{len(given)}.b32 [q0], {{{', '.join(given)}}};")
            names = ["q0"]
        else:
            names = [f"q{i}" for i in range(len(given))]
            for a, o, n in zip(f.arguments, given, names):
                self.put(f".param .{a[0]} {n};")
                self.put(f"st.param.{a[0]} [{n}+0], {o};")
        self.put(".param .b32 q;")
        self.call_line[id(s)] = self.put(f"call.uni (q), {f.name}{self.suffix}, ({', '.join(names)});")
        self.put(f"ld.param.b32 {result}, [q+0];")
        self.put("}")

    def put_block(self, s):
        """What only the block names is declared in it, where it is first assigned, by names that others have."""
        self.put("{")
        before = dict(self.names)
        outside = self.outside(s)
        own = {r for r in assigned(s[1]) if r[0] in ("b32", "b64")} - outside
        free = [n for n in ("s0", "s1", "s2", "%r0", "%r1", "%rd1") if n not in {self.names.get(r) for r in used(s[1])}]
        for statement in s[1]:
            for register in sorted(used([statement]) & own):
                own.discard(register)
                if free:
                    self.names[register] = free.pop(0)
                    self.put(f".reg .{register[0]} {self.names[register]};")
            getattr(self, "put_" + statement[0])(statement)
        self.names = before
        self.put("}")

    def outside(self, block):
        """Registers that the rest of the program names."""
        out = set()

        def walk(x):
            if x is block:
                return
            if isinstance(x, tuple) and len(x) == 2 and x[0] in ("b32", "b64", "pred") and isinstance(x[1], int):
                out.add(x)
            elif isinstance(x, (tuple, list)):
                for y in x:
                    walk(y)
        for f in [*self.maker.functions, self.maker.kernel]:
            walk(f.body)
            walk(tuple(f.arguments))
            walk(tuple(f.results))
        return out

    def put_spill(self, s):
        self.put(f"st.local.u32 [stack+{4 * s[2]}], {self.name(s[1])};")

    def put_fill(self, s):
        self.put(f"ld.local.u32 {self.name(s[1])}, [stack+{4 * s[2]}];")

    def put_float(self, s):
        self.put(f"mov.b32 %f0, {self.name(s[2])};")
        self.put("mov.f32 %f1, %f0;")
        self.put(f"mov.b32 {self.name(s[1])}, %f1;")

    def put_copy(self, s):
        if self.twin:
            self.put_stores(s)
            return
        coordinates = ", ".join(map(self.operand, s[2]))
        shared = self.operand(s[3])
        map_ = "map" if False else "%t64"
        if not self.in_kernel():
            self.put("mov.u64 %t64, 0;")
        else:
            self.put("mov.b64 %t64, map;")
            self.put("cvta.param.u64 %t64, %t64;")
        self.copy_line[s[1]] = self.put(f"cp.async.bulk.tensor.{len(s[2])}d.shared::cluster.global.mbarrier::complete_tx::bytes "
                                        f"[{shared}], [{map_}, {{{coordinates}}}], [{shared}];")

    def in_kernel(self):
        return any(line.startswith(".visible .entry") for line in self.lines)

    def put_stores(self, s):
        self.copy_line[s[1]] = self.put("mov.u32 %t32, %tid.x;")
        self.put(f"mov.u64 %t65, twin_at{self.suffix};")
        self.put("mad.wide.u32 %t65, %t32, 8, %t65;")
        self.put("ld.shared.u64 %t64, [%t65];")
        self.put(f"st.global.u64 [%t64], {s[1]};")
        for i, o in enumerate([*s[2], s[3]]):
            self.put(f"st.global.u32 [%t64+{8 * (i + 1)}], {self.operand(o)};")
        self.put(f"add.u64 %t64, %t64, {8 * WORDS};")
        self.put("st.shared.u64 [%t65], %t64;")
