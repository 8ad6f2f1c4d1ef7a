# SPDX-License-Identifier: Apache-2.0
"""Operations on bits, for the plain model (scalar_model.py)."""
from scalar_numbers import number, signed
from scalar_operands import bits_of


class Bits:
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
        at, length = ((x & 255 if n == 32 else min(x, 255)) for x in g[1:3])
        sign = 0 if t[0] == "u" or not length else g[0] >> min(at + length - 1, n - 1) & 1
        return sum((g[0] >> at + i & 1 if i < length and at + i < n else sign) << i
                   for i in range(n))

    def do_bfi(self, w, g):
        n = bits_of(w[-1])
        at, length = ((x & 255 if n == 32 else min(x, 255)) for x in g[2:4])
        r = g[1]
        for i in range(length):
            if at + i < n:
                r = r & ~(1 << at + i) | (g[0] >> i & 1) << at + i
        return r

    def do_fns(self, w, g):
        mask, base, offset = g[0], g[1], signed(g[2], 32)
        if offset == -(1 << 31):
            return 0  # an H200
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

    def do_clmad(self, w, g):
        product = 0
        for k in range(64):
            product ^= g[0] << k if g[1] >> k & 1 else 0
        return (product >> 64 if w[0] == "hi" else product & (1 << 64) - 1) ^ g[2]

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
