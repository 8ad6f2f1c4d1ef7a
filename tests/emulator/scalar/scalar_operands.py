# SPDX-License-Identifier: Apache-2.0
"""The operands that forms of scalar_*.def are tried on: the same in test_scalar.c, on a GPU
(lab/hardware/emulator/scalar_kernels.py) and for the plain model (scalar_model.py)."""

COUNT = 2048
ALL = (1 << 64) - 1
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52), "tf32": (8, 23)}
PAIRS = {"f16x2": "f16", "bf16x2": "bf16", "f32x2": "f32", "u16x2": "u16", "s16x2": "s16",
         "e4m3x2": "b8", "e5m2x2": "b8", "e2m3x2": "b8", "e3m2x2": "b8", "ue8m0x2": "b8"}
QUADS = {"u8x4": "u8", "s8x4": "s8"}


def bits_of(kind):
    """Of a type: 'f16x2' has 32."""
    if kind in ("pred", "amount"):
        return 32 if kind == "amount" else 1
    if kind == "e2m1x2":
        return 8
    if kind in QUADS:
        return 32
    if kind in PAIRS:
        return 2 * bits_of(PAIRS[kind])
    return {"bf16": 16, "tf32": 32}.get(kind) or int(kind[1:])


def mix(x):
    x = (x + 1) * 0x9E3779B97F4A7C15 & ALL
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & ALL
    x = (x ^ x >> 27) * 0x94D049BB133111EB & ALL
    return x ^ x >> 31


def element(kind, index, operand, part):
    """One number: chosen near the edges of its type, from 64 random bits in one of eight ways."""
    h = mix(index * 64 + operand * 4 + part)
    r = mix(h)
    way = r & 7
    near = h >> 8 & 7
    if kind == "pred":
        return h & 1
    if kind == "amount":
        return h & 0xFFFFFFFF if way == 0 else h >> 40 & (255 if way < 3 else 63 if way < 6 else 31)
    bits = bits_of(kind)
    mask = (1 << bits) - 1
    first = element(kind, index, 0, part) if operand and way == 7 else 0
    if kind in FLOATS:
        exponents, fractions = FLOATS[kind]
        top = (1 << exponents) - 1
        bias = top >> 1
        sign = h >> 63 << exponents + fractions
        fraction = h & (1 << fractions) - 1
        edge = (0, 1, (1 << fractions) - 1, 1 << fractions, (top << fractions) - 1, top << fractions,
                (top << fractions) + 1, (top << fractions) + (1 << fractions) - 1,
                bias << fractions, (bias << fractions) + 1, (bias - 1 << fractions),
                (bias + 1 << fractions) - 1, (bias + 31 if exponents > 5 else bias + 15) << fractions,
                (top << fractions) + (1 << fractions - 1), (1 << fractions) + 1,
                (bias << fractions) - 1)[r >> 8 & 15]
        exponent = {2: bias - 4 + near, 3: near & 3, 4: top - 1 - (near & 3),
                    6: bias + (r >> 8) % (fractions + 12) if exponents > 5 else bias + (r >> 8) % 16}
        if way == 5:
            return sign | edge
        if way == 7 and operand:
            return first ^ h & 3 ^ sign
        if way in exponent:
            return sign | exponent[way] << fractions | fraction
        return h & mask
    edges = (0, 1, mask, mask >> 1, (mask >> 1) + 1, (mask >> 1) + 2, mask - 1, mask >> 1 & ~1)
    if way == 2:
        return (h & 63) - 32 & mask
    if way == 3:
        return (h & mask) >> (r >> 8) % bits
    if way == 4:
        return edges[near] & mask
    if way == 5:
        return ~((h & mask) >> (r >> 8) % bits) & mask
    if way == 6:
        return h & 255 & mask
    if way == 7 and operand:
        return first ^ h & 1
    return h & mask


def value(kind, index, operand):
    if kind in QUADS:
        return sum(element(QUADS[kind], index, operand, k) << 8 * k for k in range(4))
    one = PAIRS.get(kind)
    if not one:
        return element("b8" if kind == "e2m1x2" else kind, index, operand, 0)
    return element(one, index, operand, 0) | element(one, index, operand, 1) << bits_of(one)


def fnv(total, number):
    return (total ^ number) * 0x100000001B3 & ALL


EMPTY = 0xCBF29CE484222325
