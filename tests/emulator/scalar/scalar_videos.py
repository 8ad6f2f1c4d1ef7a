# SPDX-License-Identifier: Apache-2.0
"""Video instructions, for the plain model (scalar_model.py)."""
import scalar_forms
from scalar_numbers import number, signed


class Videos:
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
            t = self.video(name, w, a, b, compare)
            if name == "vset":
                kinds[0] = kinds[1]
            return self.single(name, w, t, c, parts[0], kinds[0], op2) & 0xFFFFFFFF
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

    def single(self, name, w, t, c, part, kind, op2):
        """What ptxas 13.0 makes of it for sm_90 (an H200's results)."""
        width = {"b": 8, "h": 16}.get(part[:1], 32)
        shifts = name in ("vshl", "vshr")
        if "sat" in w and shifts:
            t = self.clamp(signed(t & (1 << 34) - 1, 34), 32, kind)
        elif "sat" in w and width < 32:
            most = (1 << width - (kind == "s32")) - 1
            t = t if 0 <= t <= most else most
        elif "sat" in w:
            t = self.clamp(t, 32, kind) if kind == "s32" else max(t, 0)
        if width < 32:
            at = int(part[1]) * width
            mask = (1 << width) - 1 << at
            return c & ~mask | (t if width == 16 else t << at) & mask
        if op2 in ("min", "max"):
            key = signed(t & 0xFFFFFFFF, 32) if name in ("vadd", "vsub") or shifts and "sat" in w else t
            less = key < signed(c, 32) if kind == "s32" else 0 <= key < c
            return t if less == (op2 == "min") else c
        return t + c if op2 else t

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
            return signed(a << n & (1 << 64) - 1, 64) if name == "vshl" else a >> n
        if compare:
            return int({"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b,
                        "ge": a >= b}[compare])
        if name == "vavrg":
            return a + b + 1 >> 1 if a + b >= 0 else a + b >> 1
        return {"vadd": a + b, "vsub": a - b, "vabsdiff": abs(a - b), "vmin": min(a, b),
                "vmax": max(a, b)}[name]

    def do_vmad(self, w, g, parts, negated):
        kinds = [t for t in w if t in ("u32", "s32")]
        a, b = (self.part(x, t if p else "s32", p) for x, t, p in zip(g, kinds[1:], parts[1:]))
        final = "s32" in kinds[1:] or negated[0] != negated[1] or negated[2]
        c = g[2]
        t = a * b
        one = int("po" in w)
        if negated[0] != negated[1]:
            t, one = ~t, 1
        elif negated[2]:
            c, one = ~c & 0xFFFFFFFF, 1
        t += signed(c, 32) + one
        by = 7 if "shr7" in w else 15 if "shr15" in w else 0
        t = (t if final or not by else t & (1 << 64) - 1) >> by
        if "sat" in w:
            t = self.clamp(t, 32, "s32" if final else "u32")
        return t & 0xFFFFFFFF
