# SPDX-License-Identifier: Apache-2.0
"""A plain model of scalar PTX, in whole numbers and fractions, written from the PTX ISA and what
an H200 was seen to give, apart from the emulator. scalar_model.py --write [GROUP ...] computes the
sums of scalar_GROUP.def anew; --show FORM prints results one by one."""

import re
import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import scalar_forms
import scalar_operands as operands
from scalar_bits import Bits
from scalar_numbers import (FORMAT, INF, NAN, PACKED, flush, number, over, read, root, signed,
                            times, tiny, total, whole, write)
from scalar_operands import bits_of
from scalar_videos import Videos

# ---- instructions: words, operand values, how to read an operand's type ----

class Machine(Bits, Videos):
    def __init__(self, values, kinds):
        self.r = dict(values)
        self.kinds = kinds
        self.carry = 0
        self.p = self.q = 0

    def get(self, name):
        if name[0] in "-0123456789":
            return int(name, 0)
        if name[0] == "!":
            return 1 - self.r[name[1:]]
        return self.r[name]

    def run(self, text):
        for one in filter(None, (x.strip() for x in text.split(";"))):
            opcode, _, rest = one.partition(" ")
            words = opcode.split(".")
            ops = [x.strip() for x in rest.split(",")]
            names = ops[0].split("|")
            if words[0][0] == "v":
                parts = [x.lstrip("-").partition(".")[2] for x in ops]
                names = [ops[0].partition(".")[0]]
                given = [self.get(x.lstrip("-").partition(".")[0]) for x in ops[1:]]
                self.r[names[0]] = \
                    self.do_vmad(words[1:], given, parts, [x[0] == "-" for x in ops[1:]]) \
                    if words[0] == "vmad" else self.do_video(words[0], words[1:], given, parts)
                continue
            given = [self.get(x) for x in ops[1:]]
            result = getattr(self, "do_" + words[0])(words[1:], given)
            if words[0] in ("setp", "testp"):
                self.p, self.q = result if isinstance(result, tuple) else (result, 0)
                continue
            if isinstance(result, tuple):
                result, self.p = result
            self.r[names[0]] = result

    def integer_or_float(self, name, words, given):
        t = words[-1]
        if t in ("u16x2", "s16x2", "u8x4", "s8x4"):
            one = operands.QUADS.get(t) or PACKED[t]
            n = bits_of(one)
            return sum(getattr(self, name)(words[:-1] + [one],
                                           [g >> n * k & (1 << n) - 1 for g in given]) << n * k
                       for k in range(32 // n))
        if t[0] in "usb" and t != "bf16" and not t.startswith("bf"):
            return self.integer(name, words, given)
        return self.arithmetic(name, words, given)

    # -- integers --
    def integer(self, name, words, given):
        t = words[-1]
        n = bits_of(t)
        mask = (1 << n) - 1
        a, *more = [number(t, g) for g in given]
        b = more[0] if more else 0
        c = more[1] if len(more) > 1 else 0
        if "wide" in words and len(given) > 2:
            c = given[2]
        low = -(1 << n - 1)
        high = -low - 1
        if t[0] == "u":
            low, high = 0, mask
        name = name[3:]
        if name in ("add", "addc", "sub", "subc", "mad", "madc") and \
                ("cc" in words or name.endswith("c")):
            return self.chain(name, words, given)
        if name == "add":
            r = a + b
        elif name == "sub":
            r = a - b
        elif name in ("mul", "mad"):
            r = a * b
            if "hi" in words:
                r >>= n
            if "wide" in words:
                mask = (1 << 2 * n) - 1
            r += c
        elif name in ("mul24", "mad24"):
            x, y = (signed(g, 24) if t[0] == "s" else g & 0xFFFFFF for g in given[:2])
            r = (x * y >> 16 if "hi" in words else x * y) + c
            if name == "mul24":
                r = x * y >> 16 if "hi" in words else x * y
        elif name == "sad":
            r = c + abs(a - b)
        elif name in ("div", "rem"):
            if not b:
                return mask
            q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            r = q if name == "div" else a - q * b
        elif name in ("min", "max"):
            r = min(a, b) if name == "min" else max(a, b)
            if "relu" in words:
                r = max(r, 0)
        elif name == "abs":
            r = abs(a)
        elif name == "neg":
            r = -a
        if "sat" in words:
            r = max(low, min(r, high))
        return r & mask

    def chain(self, name, words, given):
        t = words[-1]
        n = bits_of(t)
        mask = (1 << n) - 1
        carry = self.carry if name.endswith("c") else 0
        x, y = given[0] & mask, given[1] & mask
        if name.startswith("mad"):
            product = number(t, given[0]) * number(t, given[1])
            x, y = (product >> n if "hi" in words else product) & mask, given[2] & mask
        r = x - y - carry if name.startswith("sub") else x + y + carry
        if "cc" in words:
            self.carry = int(not 0 <= r <= mask)
        return r & mask

    def do_sad(self, w, g):
        return self.integer("do_sad", w, g)

    def do_mul24(self, w, g):
        return self.integer("do_mul24", w, g)

    def do_mad24(self, w, g):
        return self.integer("do_mad24", w, g)

    def do_addc(self, w, g):
        return self.chain("addc", w, g)

    def do_subc(self, w, g):
        return self.chain("subc", w, g)

    def do_madc(self, w, g):
        return self.chain("madc", w, g)

    def do_rem(self, w, g):
        return self.integer("do_rem", w, g)

    # -- comparisons --
    def relation(self, w, t, a, b):
        c = w[0]
        if t in FORMAT:
            if "ftz" in w:
                a, b = flush(t, a), flush(t, b)
            x, y = ((-v if s else v) if v not in (NAN, INF) else
                    (None if v == NAN else Fraction(10) ** 400 * (-1 if s else 1))
                    for s, v in (read(t, a), read(t, b)))
            if c in ("num", "nan"):
                return (c == "nan") == (x is None or y is None)
            if x is None or y is None:
                return c.endswith("u")
            c = c.removesuffix("u")
        else:
            x, y = number(t, a), number(t, b)
            c = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}.get(c, c)
        return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y,
                "ge": x >= y}[c]

    def related(self, w, g):
        t = w[-1]
        one = PACKED.get(t, t)
        n = bits_of(one)
        count = bits_of(t) // n
        r = [self.relation(w, one, g[0] >> n * k & (1 << n) - 1, g[1] >> n * k & (1 << n) - 1)
             for k in range(count)]
        if count == 1:
            r.append(not r[0])
        boolean = next((x for x in w if x in ("and", "or", "xor")), None)
        if boolean:
            c = bool(g[2])
            r = [{"and": x and c, "or": x or c, "xor": x != c}[boolean] for x in r]
        return r, count

    def do_setp(self, w, g):
        r, _ = self.related(w, g)
        return int(r[0]), int(r[1])

    def do_set(self, w, g):
        r, count = self.related(w, g)
        d = w[-2]
        one = PACKED.get(d, d)
        n = bits_of(one)
        true = write(one, 0, Fraction(1)) if one in FORMAT else (1 << n) - 1
        return sum((true if r[k] else 0) << n * k for k in range(count))

    def do_selp(self, w, g):
        return g[0] if g[2] else g[1]

    def do_slct(self, w, g):
        if w[-1] == "s32":
            return g[0] if signed(g[2], 32) >= 0 else g[1]
        s, x = read("f32", flush("f32", g[2]) if "ftz" in w else g[2])
        return g[0] if x != NAN and (not s or x == 0) else g[1]

    def do_testp(self, w, g):
        t = w[-1]
        _, x = read(t, g[0])
        small = tiny(t, g[0])
        return int({"finite": x not in (NAN, INF), "infinite": x == INF, "number": x != NAN,
                    "notanumber": x == NAN, "normal": x not in (NAN, INF) and (not small or x == 0),
                    "subnormal": small and x != 0}[w[0]])

    # -- floating point --
    def arithmetic(self, name, w, g):
        t = w[-1]
        name = name[3:].replace("mad", "fma")
        if t in PACKED:
            one = PACKED[t]
            n = bits_of(one)
            parts = [self.arithmetic("do_" + name, w[:-1] + [one],
                                     [x >> n * k & (1 << n) - 1 for x in g]) for k in (0, 1)]
            return parts[0] | parts[1] << n
        f, kinds = t, [t] * 3
        if len(w) > 1 and w[-2] == "f32" and t in ("f16", "bf16"):
            f, kinds = "f32", [t] * (len(g) - 1) + ["f32"]
        mode = next((x for x in w if x in ("rn", "rz", "rm", "rp")), "rn")
        ftz = "ftz" in w
        if ftz:
            g = [flush(k, x) if k == f else x for k, x in zip(kinds, g)]
        if "oob" in w and any(x & 0x7FFF == 0x7FF7 for x in g[:2]):
            return 0
        if f == "f64" and name not in ("min", "max"):
            for x in g[1:] + g[:1] if name != "div" else g:
                if read("f64", x)[1] == NAN:
                    return x | 1 << 51
        v = [read(k, x) for k, x in zip(kinds, g)]
        if name == "add":
            r = total(v[0], v[1], mode)
        elif name == "sub":
            r = total(v[0], (v[1][0] ^ 1, v[1][1]), mode)
        elif name == "mul":
            r = times(v[0], v[1])
        elif name == "fma":
            r = total(times(v[0], v[1]), v[2], mode)
        elif name == "div":
            r = over(v[0], v[1])
        elif name == "rcp":
            r = over((0, Fraction(1)), v[0])
        else:
            r = root(v[0])
        bits = write(f, r[0], r[1], mode, ftz)
        if "sat" in w:
            one = write(f, 0, Fraction(1))
            return 0 if r[1] == NAN or bits >> sum(FORMAT[f]) else min(bits, one)
        if "relu" in w and r[1] != NAN and bits >> sum(FORMAT[f]):
            return 0
        return bits

    def extreme(self, name, w, g):
        t = w[-1]
        if t in PACKED:
            parts = [self.extreme(name, w[:-1] + [PACKED[t]], [x >> 16 * k & 0xFFFF for x in g])
                     for k in (0, 1)]
            return parts[0] | parts[1] << 16
        top = 1 << sum(FORMAT[t])
        r = g[0]
        for b in g[1:]:
            a = r
            if "ftz" in w:
                a, b = flush(t, a), flush(t, b)
            sign = (a ^ b) & top if "xorsign" in w else 0
            if "abs" in w:
                a, b = a & ~top, b & ~top
            nans = [read(t, x)[1] == NAN for x in (a, b)]
            if all(nans) or (any(nans) and "NaN" in w):
                r = b | 1 << 51 if t == "f64" else (1 << sum(FORMAT[t])) - 1
                continue
            order = sorted((x for x, bad in zip((a, b), nans) if not bad),
                           key=lambda x: -(x - top) - 1 if x & top else x)
            r = (order[0] if name == "min" else order[-1]) | sign
        return r

    def signs(self, name, w, g):
        t = w[-1]
        if t in PACKED:
            parts = [self.signs(name, w[:-1] + [PACKED[t]], [x >> 16 * k & 0xFFFF for x in g])
                     for k in (0, 1)]
            return parts[0] | parts[1] << 16
        top = 1 << sum(FORMAT[t])
        x = flush(t, g[0]) if "ftz" in w else g[0]
        if read(t, x)[1] == NAN:
            return x | 1 << 51 if t == "f64" else (1 << sum(FORMAT[t])) - 1
        x = x ^ top if name == "neg" else x & ~top
        return x

    def do_copysign(self, w, g):
        top = 1 << sum(FORMAT[w[-1]])
        return g[0] & top | g[1] & ~top

    # -- conversions --
    def do_cvt(self, w, g):
        if "pack" in w:
            return self.pack(w, g)
        d, s = w[-2:]
        n, m = PACKED.get(d, d), PACKED.get(s, s)
        if "rna" in w:
            x = g[0] + 0x1000 if g[0] & 0x7FFFFFFF < 0x7F800000 else g[0]
            x &= 0xFFFFE000
            return x - 0x2000 if "satfinite" in w and x & 0x7FFFFFFF >= 0x7F800000 else x
        if d in PACKED:
            width = bits_of(d) // 2
            if s in PACKED:
                each = bits_of(s) // 2
                given = [g[0] >> each * k & (1 << each) - 1 for k in (0, 1)]
            else:
                given = [g[1], g[0]]
            return self.convert(w, n, m, given[0]) | self.convert(w, n, m, given[1]) << width
        r = self.convert(w, n, m, g[0])
        return r << 13 if d == "tf32" else r

    def convert(self, w, d, s, bits):
        mode = next((x for x in w if re.fullmatch("r[nzmp]i?", x)), "rn")
        if d == "ue8m0":
            return self.to_scale(read(s, bits)[1], mode, 254 if "satfinite" in w else 255)
        if d == "f32" and s == "bf16":
            return bits << 16
        if s == "ue8m0":
            v = (0, NAN) if bits == 255 else (0, Fraction(2) ** (bits - 127))
        elif s in FORMAT:
            if s == "f32" and "ftz" in w:
                bits = flush(s, bits)
            v = read(s, bits)
        else:
            x = number(s, bits)
            v = int(x < 0), Fraction(abs(x))
        if "f64" in (d, s) and v[1] == NAN and d in FORMAT and "sat" not in w:
            if s == "f32" and "ftz" in w:
                return 0x7FFFFFFFE0000000
            (eb, mb), (de, dm) = FORMAT[s], FORMAT[d]
            part = (bits & (1 << mb) - 1) << 52 - mb >> 52 - dm
            return bits >> eb + mb << de + dm | ((1 << de) - 1) << dm | 1 << dm - 1 | part
        if d in FORMAT:
            return self.to_float(w, d, v, mode)
        n = bits_of(d)
        low, high = (-(1 << n - 1), (1 << n - 1) - 1) if d[0] == "s" else (0, (1 << n) - 1)
        if v[1] == NAN:
            return 1 << n - 1 if "64" in d or "64" in s else 0
        if v[1] == INF:
            r = low if v[0] else high
        else:
            r = whole(v[1], v[0], mode) * (-1 if v[0] else 1)
        if s in FORMAT or "sat" in w:
            r = max(low, min(r, high))
        return r & (1 << n) - 1

    def to_float(self, w, d, v, mode):
        sign, x = v
        if mode.endswith("i") and x not in (NAN, INF):
            x, mode = Fraction(whole(x, sign, mode)), "rn"
        if "sat" in w and (x == NAN or sign):
            return 0
        if "relu" in w and sign and x != NAN:
            return 0
        bits = write(d, sign, x, mode, "ftz" in w and d == "f32", "satfinite" in w)
        return min(bits, write(d, 0, Fraction(1))) if "sat" in w else bits

    def to_scale(self, x, mode, most):
        if x == NAN:
            return 255
        if x == INF:
            return most
        if not x:
            return 0
        e = x.numerator.bit_length() - x.denominator.bit_length()
        e -= Fraction(2) ** e > x
        e += 127 + (mode == "rp" and Fraction(2) ** e < x)
        return most if e > 254 else max(0, e)

    def pack(self, w, g):
        t = w[2]
        n = int(t[1:])
        low, high = (-(1 << n - 1), (1 << n - 1) - 1) if t[0] == "s" else (0, (1 << n) - 1)
        a, b = (max(low, min(signed(x, 32), high)) & (1 << n) - 1 for x in g[:2])
        r = a << n | b
        return (g[2] << 2 * n | r) & 0xFFFFFFFF if len(g) > 2 else r


for _op in ("add", "sub", "mul", "mad", "div"):
    setattr(Machine, "do_" + _op,
            lambda self, w, g, name="do_" + _op: self.integer_or_float(name, w, g))
for _op in ("fma", "rcp", "sqrt"):
    setattr(Machine, "do_" + _op, lambda self, w, g, name="do_" + _op: self.arithmetic(name, w, g))


def _extreme(name):
    def do(self, w, g):
        if w[-1] in FORMAT or PACKED.get(w[-1]) in FORMAT:
            return self.extreme(name, w, g)
        return self.integer_or_float("do_" + name, w, g)
    return do


def _sign(name):
    def do(self, w, g):
        if w[-1] in FORMAT or PACKED.get(w[-1]) in FORMAT:
            return self.signs(name, w, g)
        return self.integer_or_float("do_" + name, w, g)
    return do


for _op in ("min", "max"):
    setattr(Machine, "do_" + _op, _extreme(_op))
for _op in ("abs", "neg"):
    setattr(Machine, "do_" + _op, _sign(_op))


def results(text, result, kinds):
    """(d, p, q) of each of the operands."""
    names = ["%a", "%b", "%c", "%e"]
    for i in range(operands.COUNT):
        given = {}
        for k, kind in enumerate(kinds):
            name = "%t" if kind == "pred" else names[k]
            given[name] = operands.value(kind, i, k)
        m = Machine(given, kinds)
        m.run(text)
        width = max(16, bits_of(result)) if result else 0
        d = m.r["%d"] if result else 0
        if result and result[0] == "s" and bits_of(result) < width:  # a wider register
            d = signed(d, bits_of(result)) & (1 << width) - 1
        yield d, m.p if "%p" in text else 0, m.q if "%q" in text else 0


def total_of(text, result, kinds):
    t = operands.EMPTY
    for d, p, q in results(text, result, kinds):
        t = operands.fnv(t, d)
        if "%p" in text:
            t = operands.fnv(t, p | q << 1)
    return t


HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * Forms of scalar instructions, the operands that they are tried on, and the sum (FNV-1a) of what
 * the plain model gives: FORM(group, text, type of %d, types of operands, sum). Written by
 * scalar_model.py --write.
 */
"""


def show(wanted):
    for forms in scalar_forms.GROUPS.values():
        for text, result, kinds in forms():
            for i, (d, p, q) in enumerate(results(text, result, kinds) if text == wanted else ()):
                given = " ".join(f"{operands.value(k, i, j):x}" for j, k in enumerate(kinds))
                print(i, given, f"{d:x}", p, q)


def write_sums(group):
    lines = [f'FORM({group}, "{text}", "{result or ""}", "{" ".join(kinds)}", '
             f'0x{total_of(text, result, kinds):016x})'
             for text, result, kinds in scalar_forms.GROUPS[group]()]
    path = Path(__file__).parent / f"scalar_{group}.def"
    path.write_text(HEAD + "\n".join(lines) + "\n\n#undef FORM\n")


def main():
    if sys.argv[1:2] == ["--show"]:
        show(sys.argv[2])
    elif sys.argv[1:2] == ["--write"]:
        for group in sys.argv[2:] or scalar_forms.GROUPS:
            write_sums(group)
    else:
        print(__doc__)


if __name__ == "__main__":
    main()
