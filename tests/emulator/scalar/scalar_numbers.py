# SPDX-License-Identifier: Apache-2.0
"""Numbers of PTX's types in whole numbers and fractions: read, rounded once, written."""
from fractions import Fraction
from math import isqrt

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
