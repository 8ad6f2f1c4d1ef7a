# SPDX-License-Identifier: Apache-2.0
"""Where ptx/ says an address moves, held against all addresses that all threads have in all turns, and what it is for
one thread in the first turn: random offsets made of the thread, its lane, the CTA's rank, turns of loops and stages of
rings. What is said must hold each of them; how many are known, and how many are exact, must not fall. No offset is below
0 or wraps: ptx/ takes rings to be without that."""
import os
import random
import subprocess

KERNELS = int(os.environ.get("TMA_PTX_KERNELS", "300"))
SEED = int(os.environ.get("TMA_PTX_SEED", "1"))
RANGES = os.environ.get("PTX_KNOWN_RANGES", "ptx_known_ranges")
MOST = 1 << 20
THREADS = [0, 1, 33] # that are asked for what they have in the first turn
HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
COPY = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%q1, {%r8, %r8}], [%r7];"


class Kernel:
    """A loop of `turns` turns (its counter i goes by `step`), a ring of `stages`, and copies to offsets in it."""

    def __init__(self, r):
        self.r = r
        self.threads, self.turns, self.step, self.stages = r.choice([1, 32, 64, 96, 128]), r.randint(1, 12), r.choice([1, 1, 2, 3]), r.randint(2, 7)
        self.first, self.until = r.choice([0, 0, 1, 5]), r.choice(["ne", "lt"])
        self.lines, self.registers = [], 20

    def new(self):
        self.registers += 1
        return f"%r{self.registers}"

    def emit(self, text):
        self.lines.append(text)

    def leaf(self):
        return self.r.choice(["tid", "tid", "lane", "rank", "i", "i", "ring", "ring", self.r.choice([0, 1, 2, 3, 7, 8, 16, 31, 100, 128, 1024])])

    def expression(self, deep):
        if deep == 0 or self.r.random() < 0.2:
            return self.leaf()
        op = self.r.choice(["add", "add", "mul", "and", "or", "xor", "shl", "shr", "min", "max", "rem", "selp", "mad", "or of and", "div"])
        a = self.expression(deep - 1)
        if op in ("shl", "shr"):
            return op, a, self.r.randint(0, 8)
        if op in ("mul", "and", "rem", "div"):
            return op, a, self.r.choice([1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 64, 96, 128])
        if op == "or of and":
            bits = self.r.choice([1, 3, 7, 15])
            return self.r.choice(["or", "xor"]), ("shl", ("and", a, bits), self.r.randint(0, 6)), self.r.choice([0, 1, 16, 256])
        b = self.expression(deep - 1) if self.r.random() < 0.6 else self.r.choice([0, 1, 5, 16, 33, 64])
        if op == "selp":
            return op, a, b, self.r.choice(["lt", "ge", "eq", "ne", "gt", "le"]), self.leaf(), self.r.choice([0, 1, 2, 5, 16])
        return (op, a, self.r.choice([2, 4, 16]), b) if op == "mad" else (op, a, b)

    def put(self, e):
        """The register, or number, of an expression."""
        if isinstance(e, int):
            return str(e)
        if isinstance(e, str):
            return {"tid": "%r1", "lane": "%r2", "rank": "%r3", "i": "%r4", "ring": "%r5"}[e]
        of = [self.put(x) for x in e[1:] if not isinstance(x, str) or x not in ("lt", "ge", "eq", "ne", "gt", "le")]
        out = self.new()
        if e[0] == "selp":
            self.emit(f"setp.{e[3]}.s32 %p3, {self.own(of[2])}, {of[3]};\nselp.b32 {out}, {of[0]}, {of[1]}, %p3;")
            return out
        words = {"add": "add.s32", "mul": "mul.lo.s32", "and": "and.b32", "or": "or.b32", "xor": "xor.b32", "shl": "shl.b32",
                 "shr": "shr.u32", "min": "min.s32", "max": "max.s32", "rem": "rem.u32", "mad": "mad.lo.s32", "div": "div.u32"}
        self.emit(f"{words[e[0]]} {out}, {self.own(of[0])}, {', '.join(of[1:])};")
        return out

    def own(self, word):
        """A first operand is no number."""
        if word[0] == "%":
            return word
        out = self.new()
        self.emit(f"mov.u32 {out}, {word};")
        return out

    def text(self, expressions):
        self.emit(f".visible .entry k(.param .align 64 .b8 map[128])\n.maxntid {self.threads}, 1, 1\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<999>;\n"
                  ".reg .b64 %q<9>;\n.shared .align 1024 .b8 tile[65536];\n.shared .align 8 .b64 bar;\nmov.u64 %q1, map;\n"
                  "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %laneid;\nmov.u32 %r3, %cluster_ctarank;\nmov.u32 %r6, tile;\nmov.u32 %r7, bar;\nmov.u32 %r8, 0;\n"
                  f"mov.u32 %r4, {self.first};\nmov.u32 %r5, 0;\nAGAIN:")
        at = []
        for e in expressions:
            self.emit(f"add.s32 %r9, %r6, {self.put(e)};\n{COPY}")
            at.append("\n".join(self.lines).count("\n") + HEAD.count("\n") + 1)
        end = self.first + self.turns * self.step
        self.emit(f"add.s32 %r5, %r5, 1;\nsetp.eq.s32 %p1, %r5, {self.stages};\nselp.b32 %r5, 0, %r5, %p1;\n"
                  f"add.s32 %r4, %r4, {self.step};\nsetp.{self.until}.s32 %p2, %r4, {end};\n@%p2 bra AGAIN;\nret;\n}}\n")
        return HEAD + "\n".join(self.lines), at

    def in_first(self, e, tid):
        """What an offset is for a thread of the first CTA in the first turn."""
        return value(e, {"tid": tid, "lane": tid % 32, "rank": 0, "i": self.first, "ring": 0})

    def values(self, e, ranks=(0, 1, 30, 31)):
        """All that an offset is: of each thread in each turn in each CTA, where it hangs on them."""
        of = str(e)
        return {value(e, {"tid": tid, "lane": tid % 32, "rank": rank, "i": self.first + turn * self.step, "ring": turn % self.stages})
                for turn in range(self.turns if "'i'" in of or of == "i" or "ring" in of else 1)
                for tid in range(self.threads if "tid" in of or "lane" in of else 1)
                for rank in (ranks if "rank" in of else [0])}


class Large(Exception):
    pass


def value(e, s):
    if isinstance(e, int):
        return e
    if isinstance(e, str):
        return s[e]
    if e[0] == "selp":
        a, b = value(e[4], s), e[5]
        is_so = {"lt": a < b, "ge": a >= b, "eq": a == b, "ne": a != b, "gt": a > b, "le": a <= b}[e[3]]
        both = value(e[1], s), value(e[2], s)
        return both[0] if is_so else both[1]
    a, b = value(e[1], s), value(e[2], s)
    out = {"add": a + b, "mul": a * b, "and": a & b, "or": a | b, "xor": a ^ b, "shl": a << min(b, 31), "shr": a >> min(b, 31), "min": min(a, b),
           "max": max(a, b), "rem": a % b if b else 0, "div": a // b if b else 0, "mad": a * b + (value(e[3], s) if e[0] == "mad" else 0)}[e[0]]
    if out >= MOST:
        raise Large
    return out


def made(seed):
    r = random.Random(f"ranges {seed}")
    kernel, kept = Kernel(r), []
    while len(kept) < 8:
        e = kernel.expression(r.randint(1, 3))
        try:
            kept.append((e, kernel.values(e), [kernel.in_first(e, tid) for tid in THREADS]))
        except Large:
            continue
    text, at = kernel.text([e for e, *_ in kept])
    return text, list(zip(at, kept))


def test_addresses_are_where_they_are_said_to_be(tmp_path):
    wrong, firsts, count, known, exact = [], [], 0, 0, 0
    for begin in range(SEED, SEED + KERNELS, 100):
        files = {}
        for seed in range(begin, min(begin + 100, SEED + KERNELS)):
            text, cases = made(seed)
            (tmp_path / f"{seed}.ptx").write_text(text)
            files[str(tmp_path / f"{seed}.ptx")] = dict(cases)
        done = subprocess.run([RANGES, *files], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            path, at, *said = line.split(" ")
            e, real, first = files[path].pop(int(at))
            count += 1
            firsts += [w.rstrip("t") == str(n) for w, n in zip(said[3:], first) if w != "-"]
            if any(w not in ("-", str(n), f"{n}t") for w, n in zip(said[3:], first)):
                wrong.append(f"{path}:{at}: {e} is {first} for the threads {THREADS}, said {said[3:]}")
            if len(set(first)) > 1 and any(w[-1] not in "-t" for w in said[3:]):
                wrong.append(f"{path}:{at}: {e} hangs on the thread, {first}, and {said[3:]} says otherwise")
            if said[0] == "-":
                continue
            low, high, step = map(int, said[:3])
            known += 1
            exact += (low, high) == (min(real), max(real))
            if low > min(real) or high < max(real) or any((v - low) % step if step else v != low for v in real):
                wrong.append(f"{path}:{at}: {e} is {sorted(real)[:20]}, said {low} to {high}, step {step}")
        assert not any(files.values()), "a copy is not said"
    print(f"{count} addresses, {known} known, {exact} of them exact; {len(firsts)} of {count * len(THREADS)} first ones known; {len(wrong)} wrong")
    assert not wrong, "\n".join(wrong[:20])
    assert known >= 0.8 * count and exact >= 0.65 * known
    assert len(firsts) == count * len(THREADS)


LAST = {"tid": 63, "lane": 31, "rank": 31, "i": 8, "ring": 3}


def simple():
    """One operation of a leaf and a number, or of two leaves, of which what is said is exact."""
    for leaf, last in LAST.items():
        yield leaf
        for n in (0, 1, 2, 3, 5, 8):
            yield from ((op, leaf, n) for op in ("add", "shl", "shr", "min", "max"))
            yield "mul", leaf, n + 1
            yield from [("rem", leaf, n + 1)] * (n <= last)
        for bits in (1, 3, 7):
            if bits <= last:
                yield "and", leaf, bits
                yield from ((op, ("shl", ("and", leaf, bits), 4), c) for op in ("or", "xor") for c in (0, 1, 16, 256))
        for n in (0, 1, 2, 4):
            yield from (("selp", leaf, 3, word, leaf, n) for word in ("lt", "ge", "ne", "gt"))
        for other in LAST.keys() - {leaf, "rank"}:
            if {leaf, other} != {"i", "ring"}: # they go together
                yield from ((op, leaf, other) for op in ("add", "min", "max", "mul", *(["or", "xor"] if {leaf, other} == {"tid", "ring"} else [])))


def test_one_operation_is_exact(tmp_path):
    all_of_it, files = list(simple()), {}
    for i in range(0, len(all_of_it), 20):
        kernel = Kernel(random.Random(i))
        kernel.threads, kernel.turns, kernel.step, kernel.first, kernel.until, kernel.stages = 64, 9, 1, 0, "ne", 4
        text, at = kernel.text(all_of_it[i:i + 20])
        path = tmp_path / f"{i}.ptx"
        path.write_text(text)
        files[str(path)] = {a: (e, kernel.values(e, range(32))) for a, e in zip(at, all_of_it[i:i + 20])}
    said = {tuple(line.split(" ")[:2]): line.split(" ")[2:] for line in subprocess.run(
        [RANGES, *files], capture_output=True, text=True, check=True).stdout.splitlines()}
    wrong = []
    for path, cases in files.items():
        for at, (e, real) in cases.items():
            if said[path, str(at)][:2] != [str(min(real)), str(max(real))]:
                wrong.append(f"{path}:{at}: {e} is {min(real)} to {max(real)}, said {' '.join(said[path, str(at)])}")
    assert len(all_of_it) > 300
    assert not wrong, "\n".join(wrong[:20])
