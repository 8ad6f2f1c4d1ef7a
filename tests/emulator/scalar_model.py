# SPDX-License-Identifier: Apache-2.0
"""A plain model of scalar PTX, in whole numbers and fractions, written from the PTX ISA and what
an H200 was seen to give, apart from the emulator. scalar_model.py --write [GROUP ...] computes the
sums of scalar_forms.def anew; --show FORM prints results one by one."""

import re
import sys
from fractions import Fraction
from math import isqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import scalar_forms
import scalar_operands as operands
from scalar_operands import bits_of

FORMAT = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52), "tf32": (8, 10),
          "e4m3": (4, 3), "e5m2": (5, 2), "e2m1": (2, 1), "e2m3": (2, 3), "e3m2": (3, 2)}
LIMITED = {"e4m3": 0x7E, "e2m1": 7, "e2m3": 31, "e3m2": 31}  # the largest, where no infinity is
PACKED = {"f16x2": "f16", "bf16x2": "bf16", "f32x2": "f32", "u16x2": "u16", "s16x2": "s16",
          "e4m3x2": "e4m3", "e5m2x2": "e5m2", "e2m1x2": "e2m1", "e2m3x2": "e2m3",
          "e3m2x2": "e3m2", "ue8m0x2": "ue8m0"}
NAN, INF = "nan", "inf"


# ---- floating point: (sign, Fraction | "inf" | "nan") ----

def read(f, bits):
    eb, mb = FORMAT[f]
    sign = bits >> eb + mb & 1
    m = bits & (1 << eb + mb) - 1
    if f in LIMITED:
        if m > LIMITED[f]:
            return sign, NAN
    elif m >> mb == (1 << eb) - 1:
        return sign, NAN if m & (1 << mb) - 1 else INF
    e = m >> mb
    part = m & (1 << mb) - 1
    scale = max(e, 1) - ((1 << eb - 1) - 1) - mb
    return sign, Fraction(part + (1 << mb if e else 0)) * Fraction(2) ** scale


def nan_bits(f):
    if f == "f64":
        return 0xFFF8 << 48
    if f in ("e2m1", "e2m3", "e3m2"):
        return LIMITED[f]
    eb, mb = FORMAT[f]
    return (1 << eb + mb) - 1


def whole(x, sign, mode):
    """A Fraction >= 0 as a whole number."""
    n = x.numerator // x.denominator
    rest = x - n
    mode = mode.removesuffix("i")
    up = {"rz": False, "rm": bool(sign and rest), "rp": bool(not sign and rest),
          "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and n & 1 == 1)}[mode]
    return n + up


def write(f, sign, x, mode="rn", ftz=False, satfinite=False):
    eb, mb = FORMAT[f]
    top = sign << eb + mb
    infinity = ((1 << eb) - 1) << mb
    largest = LIMITED.get(f, infinity - 1)
    if x == NAN:
        return nan_bits(f)
    if x == INF:
        return top | (largest if satfinite or f in LIMITED else infinity)
    if not x:
        return top
    lowest = 2 - (1 << eb - 1)
    e = x.numerator.bit_length() - x.denominator.bit_length()
    e -= Fraction(2) ** e > x
    if ftz and whole(x / Fraction(2) ** (e - mb), sign, mode) * Fraction(2) ** (e - mb) < \
            Fraction(2) ** lowest:
        return top
    e = max(e, lowest)
    n = whole(x / Fraction(2) ** (e - mb), sign, mode)
    r = n + (e - lowest << mb)
    if r > largest:
        inwards = mode == "rz" or (mode == "rm" and not sign) or (mode == "rp" and sign)
        r = largest if satfinite or inwards or f in LIMITED else infinity
    return top | r


def tiny(f, bits):
    eb, mb = FORMAT[f]
    return not bits >> mb & (1 << eb) - 1


def flush(f, bits):
    return bits & 1 << sum(FORMAT[f]) if tiny(f, bits) else bits


def total(a, b, mode):
    (s, x), (t, y) = a, b
    if NAN in (x, y) or (x == y == INF and s != t):
        return 0, NAN
    if INF in (x, y):
        return a if x == INF else b
    r = (-x if s else x) + (-y if t else y)
    if not r:
        return (s if s == t and not x else s if s == t else int(mode == "rm")), r
    return int(r < 0), abs(r)


def times(a, b):
    (s, x), (t, y) = a, b
    if NAN in (x, y) or (INF in (x, y) and 0 in (x, y)):
        return 0, NAN
    return s ^ t, INF if INF in (x, y) else x * y


def over(a, b):
    (s, x), (t, y) = a, b
    if NAN in (x, y) or x == y == INF or x == y == 0:
        return 0, NAN
    if x == INF or y == 0:
        return s ^ t, INF
    return s ^ t, Fraction(0) if y == INF else x / y


def root(a):
    s, x = a
    if x in (NAN, 0):
        return a
    if s:
        return 0, NAN
    if x == INF:
        return a
    scaled = x * Fraction(4) ** 700
    n = isqrt(scaled.numerator // scaled.denominator)
    exact = Fraction(n) ** 2 == scaled
    return 0, (Fraction(n) if exact else n + Fraction(1, 2)) / Fraction(2) ** 700


def signed(bits, width):
    bits &= (1 << width) - 1
    return bits - (1 << width) if bits >> width - 1 else bits


def number(t, bits):
    return signed(bits, bits_of(t)) if t[0] == "s" else bits & (1 << bits_of(t)) - 1


# ---- instructions: words, operand values, how to read an operand's type ----

class Machine:
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
        if t[0] in "us" and t in ("u16x2", "s16x2"):
            one = PACKED[t]
            parts = [getattr(self, name)(words[:-1] + [one], [g >> 16 * k & 0xFFFF for g in given])
                     for k in (0, 1)]
            return parts[0] | parts[1] << 16
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
            r = max(low, min(r, -low - 1))
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

    # -- bits --
    def do_and(self, w, g):
        return g[0] & g[1]

    def do_or(self, w, g):
        return g[0] | g[1]

    def do_xor(self, w, g):
        return g[0] ^ g[1]

    def do_not(self, w, g):
        return ~g[0] & (1 << bits_of(w[-1])) - 1

    def do_cnot(self, w, g):
        return int(not g[0])

    def do_shl(self, w, g):
        return g[0] << min(g[1], 64) & (1 << bits_of(w[-1])) - 1

    def do_shr(self, w, g):
        return number(w[-1], g[0]) >> min(g[1], 64) & (1 << bits_of(w[-1])) - 1

    def do_shf(self, w, g):
        n = min(g[2], 32) if "clamp" in w else g[2] & 31
        both = g[1] << 32 | g[0]
        return (both << n >> 32 if w[0] == "l" else both >> n) & 0xFFFFFFFF

    def do_popc(self, w, g):
        return bin(g[0]).count("1")

    def do_clz(self, w, g):
        return bits_of(w[-1]) - g[0].bit_length()

    def do_brev(self, w, g):
        n = bits_of(w[-1])
        return int(format(g[0], f"0{n}b")[::-1], 2)

    def do_bfind(self, w, g):
        t = w[-1]
        x = number(t, g[0])
        at = (~x if x < 0 else x).bit_length() - 1
        if "shiftamt" in w and at >= 0:
            at = bits_of(t) - 1 - at
        return at & 0xFFFFFFFF

    def do_bfe(self, w, g):
        t = w[-1]
        n = bits_of(t)
        at, length = g[1] & 255, g[2] & 255
        sign = 0 if t[0] == "u" or not length else g[0] >> min(at + length - 1, n - 1) & 1
        return sum((g[0] >> at + i & 1 if i < length and at + i < n else sign) << i
                   for i in range(n))

    def do_bfi(self, w, g):
        n = bits_of(w[-1])
        at, length = g[2] & 255, g[3] & 255
        r = g[1]
        for i in range(length):
            if at + i < n:
                r = r & ~(1 << at + i) | (g[0] >> i & 1) << at + i
        return r

    def do_fns(self, w, g):
        mask, base, offset = g[0], g[1], signed(g[2], 32)
        if not offset:
            return base if mask >> base & 1 else 0xFFFFFFFF
        at = range(base, 32) if offset > 0 else range(base, -1, -1)
        found = [i for i in at if mask >> i & 1]
        return found[abs(offset) - 1] if len(found) >= abs(offset) else 0xFFFFFFFF

    def do_bmsk(self, w, g):
        a, b = g[:2]
        a1, b1 = a & 31, b & 31
        mask0 = 0xFFFFFFFF << a1 & 0xFFFFFFFF
        past = a1 + b1 >= 32
        mask1 = 0xFFFFFFFF << a1 + b1 & 0xFFFFFFFF
        wide = False
        if "clamp" in w:
            if a >= 32:
                past, mask0 = True, 0
            wide = b >= 32
        if past or wide:
            mask1 = 0
        return mask0 & ~mask1

    def do_szext(self, w, g):
        b1 = g[1] & 31
        large = g[1] >= 32 and "clamp" in w
        mask = 0 if large else 0xFFFFFFFF << b1 & 0xFFFFFFFF
        sign = 0 if not b1 or large or w[-1] != "s32" else g[0] >> b1 - 1 & 1
        return g[0] & ~mask | (mask if sign else 0)

    def do_prmt(self, w, g):
        source = [(g[1] << 32 | g[0]) >> 8 * i & 255 for i in range(8)]
        i = g[2] & 3
        tables = {"f4e": [i, i + 1, i + 2, i + 3], "b4e": [i, i - 1 & 7, i - 2 & 7, i - 3 & 7],
                  "rc8": [i] * 4, "ecl": [max(i, k) for k in range(4)],
                  "ecr": [min(i, k) for k in range(4)],
                  "rc16": [0, 1, 0, 1] if not i & 1 else [2, 3, 2, 3]}
        if w[-1] in tables:
            return sum(source[s] << 8 * k for k, s in enumerate(tables[w[-1]]))
        r = 0
        for k in range(4):
            s = g[2] >> 4 * k & 15
            byte = source[s & 7]
            r |= ((255 if byte & 128 else 0) if s & 8 else byte) << 8 * k
        return r

    def do_lop3(self, w, g):
        r = 0
        for i in range(32):
            r |= (g[3] >> (g[0] >> i & 1) * 4 + (g[1] >> i & 1) * 2 + (g[2] >> i & 1) & 1) << i
        if len(g) > 4:
            return r, int(bool(r) and g[4]) if "and" in w else int(bool(r) or g[4])
        return r

    def do_dp4a(self, w, g):
        a, b = ([signed(x >> 8 * k, 8) if t[0] == "s" else x >> 8 * k & 255 for k in range(4)]
                for x, t in zip(g, w))
        return g[2] + sum(x * y for x, y in zip(a, b)) & 0xFFFFFFFF

    def do_dp2a(self, w, g):
        a = [signed(g[0] >> 16 * k, 16) if w[1] == "s32" else g[0] >> 16 * k & 0xFFFF
             for k in range(2)]
        at = 16 if w[0] == "hi" else 0
        b = [signed(g[1] >> at + 8 * k, 8) if w[2] == "s32" else g[1] >> at + 8 * k & 255
             for k in range(2)]
        return g[2] + sum(x * y for x, y in zip(a, b)) & 0xFFFFFFFF

    # -- video --
    def do_video(self, op, w, g, parts):
        """parts: of %d, %a, %b: "" or "b0", "h1", "b3210"."""
        kinds = [t for t in w if t in ("u32", "s32")]
        ways = {"2": 2, "4": 4}.get(op[-1], 1)
        name = op.rstrip("24")
        compare = next((x for x in w if x in scalar_forms.COMPARES), None)
        kinds = ["u32"] + kinds if name == "vset" else kinds
        op2 = next((x for x in w if x in ("add", "min", "max")), None)
        c = g[2] if len(g) > 2 else 0
        if ways == 1:
            a, b = (self.part(x, t, p) for x, t, p in zip(g, kinds[1:], parts[1:]))
            width = {"b": 8, "h": 16}.get(parts[0][:1], 32)
            t = self.video(name, w, a, b, compare)
            if "sat" in w:
                t = self.clamp(t, width, kinds[0])
            if width < 32:
                at = int(parts[0][1]) * width
                mask = (1 << width) - 1 << at
                return c & ~mask | t << at & mask
            x, y = number(kinds[0], t), number(kinds[0], c)
            t = {"add": t + c, "min": min(x, y), "max": max(x, y), None: t}[op2]
            return t & 0xFFFFFFFF
        width = 32 // ways
        source = [(g[1] << 32 | g[0]) >> width * i & (1 << width) - 1 for i in range(2 * ways)]
        digits = "".join(str(i) for i in reversed(range(2 * ways)))
        select = [[int(x) for x in reversed(p[1:] or d)]
                  for p, d in zip(parts[1:], (digits[ways:], digits[:ways]))]
        mask = {int(x) for x in (parts[0][1:] or digits[ways:])}
        d = c
        for i in range(ways):
            a, b = (signed(source[s[i]], width) if t == "s32" else source[s[i]]
                    for s, t in zip(select, kinds[1:]))
            t = self.video(name, w, a, b, compare)
            if "sat" in w:
                t = self.clamp(t, width, kinds[0])
            if i in mask:
                field = (1 << width) - 1 << width * i
                d = d + t if op2 else d & ~field | t << width * i & field
        return d & 0xFFFFFFFF

    def part(self, x, t, p):
        width = {"b": 8, "h": 16}.get(p[:1], 32)
        x = x >> width * int(p[1:] or 0) & (1 << width) - 1
        return signed(x, width) if t == "s32" else x

    def clamp(self, t, width, kind):
        low, high = (-(1 << width - 1), (1 << width - 1) - 1) if kind == "s32" else \
            (0, (1 << width) - 1)
        return max(low, min(t, high))

    def video(self, name, w, a, b, compare):
        if name in ("vshl", "vshr"):
            n = b & 31 if "wrap" in w else min(b, 32)
            return a << n if name == "vshl" else a >> n
        if compare:
            return int({"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b,
                        "ge": a >= b}[compare])
        if name == "vavrg":
            return a + b + 1 >> 1 if a + b >= 0 else a + b >> 1
        return {"vadd": a + b, "vsub": a - b, "vabsdiff": abs(a - b), "vmin": min(a, b),
                "vmax": max(a, b)}[name]

    def do_vmad(self, w, g, parts, negated):
        kinds = [t for t in w if t in ("u32", "s32")]
        a, b = (self.part(x, t, p) for x, t, p in zip(g, kinds[1:], parts[1:]))
        final = "s32" in kinds[1:] or negated[0] != negated[1] or negated[2]
        c = g[2]
        t = a * b
        one = int("po" in w)
        if negated[0] != negated[1]:
            t, one = ~t, 1
        elif negated[2]:
            c, one = ~c & 0xFFFFFFFF, 1
        t += (signed(c, 32) if final else c) + one
        t >>= 7 if "shr7" in w else 15 if "shr15" in w else 0
        if "sat" in w:
            t = self.clamp(t, 32, "s32" if final else "u32")
        return t & 0xFFFFFFFF

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
                    "notanumber": x == NAN, "normal": x not in (NAN, INF) and not small,
                    "subnormal": small and x != 0}[w[0]])

    # -- floating point --
    def arithmetic(self, name, w, g):
        t = w[-1]
        name = name[3:]
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
            if name == "sub":
                g = [g[0], g[1] ^ 1 << 63]
            for x in g[1:] + g[:1] if name != "div" else g:
                if read("f64", x)[1] == NAN:
                    return x | 1 << 51
        v = [read(k, x) for k, x in zip(kinds, g)]
        if name == "add":
            r = total(v[0], v[1], mode)
        elif name == "sub":
            r = total(v[0], v[1] if f == "f64" else (v[1][0] ^ 1, v[1][1]), mode)
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
        x = x ^ top if name == "neg" else x & ~top
        if read(t, x)[1] == NAN:
            return x | 1 << 51 if t == "f64" else (1 << sum(FORMAT[t])) - 1
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
        if d == "f64" and v[1] == NAN:
            if s == "f64":
                return bits | 1 << 51
            x = {"f16": 0x7FFFFFFF, "bf16": bits << 16, "f32": bits}[s]
            return x >> 31 << 63 | 0x7FF8 << 48 | (x & 0x7FFFFF) << 29
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
        return self.integer("do_" + name, w, g)
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
 * the plain model scalar_model.py gives: FORM(group, text, type of %d, types of operands, sum).
 * Written by scalar_model.py --write.
 */
"""


def main():
    path = Path(__file__).parent / "scalar_forms.def"
    if sys.argv[1:2] == ["--show"]:
        for forms in scalar_forms.GROUPS.values():
            for text, result, kinds in forms():
                if text == sys.argv[2]:
                    for i, (d, p, q) in enumerate(results(text, result, kinds)):
                        given = " ".join(f"{operands.value(k, i, j):x}" for j, k in enumerate(kinds))
                        print(i, given, f"{d:x}", p, q)
        return
    known = {}
    if path.exists():
        for m in re.finditer(r'^FORM\((\w+), "(.*?)", .*, (0x\w+)\)$', path.read_text(), re.M):
            known[m[2]] = (m[1], m[3])
    chosen = sys.argv[2:] or list(scalar_forms.GROUPS)
    lines = []
    for group, forms in scalar_forms.GROUPS.items():
        for text, result, kinds in forms():
            if group in chosen or text not in known:
                total_sum = f"0x{total_of(text, result, kinds):016x}"
            else:
                total_sum = known[text][1]
            lines.append(f'FORM({group}, "{text}", "{result or ""}", "{" ".join(kinds)}", '
                         f'{total_sum})')
    path.write_text(HEAD + "\n".join(lines) + "\n\n#undef FORM\n")


if __name__ == "__main__":
    main()
