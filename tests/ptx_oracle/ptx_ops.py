# SPDX-License-Identifier: Apache-2.0
"""PTX's scalar instructions as plain Python: what each gives for numbers."""
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def mask(bits):
    return (1 << bits) - 1


def signed(value, bits):
    value &= mask(bits)
    return value - (1 << bits) if value >> (bits - 1) else value


def shift_left(a, b, bits):
    b &= M32
    return 0 if b >= bits else a << b


def shift_right(a, b, bits, is_signed):
    b &= M32
    if is_signed:
        return signed(a, bits) >> min(b, bits - 1)
    return 0 if b >= bits else a >> b


def extract(a, b, c, bits, is_signed):
    """bfe"""
    at, length = b & 255, c & 255
    sign = a >> min(at + length - 1, bits - 1) & 1 if is_signed and length else 0
    return sum((a >> (at + i) & 1 if i < length and at + i < bits else sign) << i for i in range(bits))


def find(a, bits, is_signed):
    """bfind"""
    a = ~a & mask(bits) if is_signed and a >> (bits - 1) else a
    return (a.bit_length() - 1) & M32


def permute(a, b, c):
    """prmt.b32"""
    both, out = (b & M32) << 32 | a & M32, 0
    for i in range(4):
        byte = both >> 8 * (c >> 4 * i & 7) & 255
        out |= (255 * (byte >> 7) if c >> 4 * i & 8 else byte) << 8 * i
    return out


def insert(a, b, c, d):
    """bfi.b32"""
    at, field = c & 255, mask(min(d & 255, 32))
    return b & ~(field << at) | (a & field) << at


def look_up(a, b, c, table):
    """lop3.b32"""
    return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i for i in range(32))


def divide(a, b):
    """To 0, as in C."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0


def typed(name, count, function, types, foldable=True):
    return {f"{name}.{t}": (count, t, function, foldable) for t in types}


def by_type(function):
    """A function of (bits, is_signed, operands) from one of operands that are read by the type."""
    def call(bits, is_signed, *values):
        return function(*(signed(v, bits) if is_signed else v & mask(bits) for v in values))
    return call


# name: (operands, type, function(bits, is_signed, *operands), whether constants stay constants by construction)
OPS = {
    **typed("add", 2, by_type(lambda a, b: a + b), ["u32", "s32", "u64", "s64"]),
    **typed("sub", 2, by_type(lambda a, b: a - b), ["u32", "s32", "u64", "s64"]),
    **typed("mul.lo", 2, by_type(lambda a, b: a * b), ["u32", "s32", "u64", "s64"]),
    **typed("mad.lo", 3, by_type(lambda a, b, c: a * b + c), ["u32", "s32", "u64", "s64"]),
    **typed("min", 2, by_type(min), ["u32", "s32", "u64", "s64"]),
    **typed("max", 2, by_type(max), ["u32", "s32", "u64", "s64"]),
    **typed("and", 2, by_type(lambda a, b: a & b), ["b32", "b64"]),
    **typed("or", 2, by_type(lambda a, b: a | b), ["b32", "b64"]),
    **typed("xor", 2, by_type(lambda a, b: a ^ b), ["b32", "b64"]),
    **typed("not", 1, by_type(lambda a: ~a), ["b32", "b64"]),
    **typed("neg", 1, by_type(lambda a: -a), ["s32", "s64"]),
    **typed("abs", 1, by_type(abs), ["s32", "s64"]),
    **typed("mov", 1, by_type(lambda a: a), ["u32", "b32", "s32", "u64", "b64"]),
    **typed("shl", 2, lambda bits, s, a, b: shift_left(a & mask(bits), b, bits), ["b32", "b64"]),
    **typed("shr", 2, lambda bits, s, a, b: shift_right(a & mask(bits), b, bits, s), ["u32", "s32", "u64", "s64", "b32"]),
    **typed("div", 2, by_type(divide), ["u32", "s32", "u64", "s64"]),
    **typed("rem", 2, by_type(lambda a, b: a - b * divide(a, b)), ["u32", "s32", "u64", "s64"]),
    **typed("mul.hi", 2, lambda bits, s, a, b: by_type(lambda x, y: x * y)(bits, s, a, b) >> bits, ["u32", "s32", "u64", "s64"]),
    **typed("mad.hi", 3, lambda bits, s, a, b, c: (by_type(lambda x, y: x * y)(bits, s, a, b) >> bits) + c, ["u32", "s32"]),
    **typed("mul24.lo", 2, lambda bits, s, a, b: by_type(lambda x, y: x * y)(24, s, a, b), ["u32", "s32"]),
    **typed("mul24.hi", 2, lambda bits, s, a, b: by_type(lambda x, y: x * y)(24, s, a, b) >> 16, ["u32", "s32"]),
    **typed("popc", 1, by_type(lambda a: bin(a).count("1")), ["b32"]),
    **typed("clz", 1, by_type(lambda a: 32 - a.bit_length()), ["b32"]),
    **typed("bfe", 3, lambda bits, s, a, b, c: extract(a & mask(bits), b, c, bits, s), ["u32", "s32", "u64", "s64"]),
    **typed("bfi", 4, by_type(insert), ["b32"]),
    **typed("bfind", 1, lambda bits, s, a: find(a & mask(bits), bits, s), ["u32", "s32"]),
    **typed("lop3", 4, by_type(look_up), ["b32"]),
    **typed("min.relu", 2, by_type(lambda a, b: max(0, min(a, b))), ["s32"], False),
    **typed("max.relu", 2, by_type(lambda a, b: max(0, a, b)), ["s32"], False),
    **typed("sad", 3, by_type(lambda a, b, c: abs(a - b) + c), ["u32", "s32"]),
    **typed("cnot", 1, by_type(lambda a: int(a == 0)), ["b32", "b64"]),
    **typed("brev", 1, lambda bits, s, a: int(f"{a & mask(bits):0{bits}b}"[::-1], 2), ["b32", "b64"]),
    **typed("prmt", 3, by_type(permute), ["b32"]),
    **typed("shf.l.wrap", 3, by_type(lambda a, b, c: ((b << 32 | a) << (c & 31)) >> 32), ["b32"]),
    **typed("shf.r.wrap", 3, by_type(lambda a, b, c: (b << 32 | a) >> (c & 31)), ["b32"]),
    **typed("shf.l.clamp", 3, by_type(lambda a, b, c: ((b << 32 | a) << min(c, 32)) >> 32), ["b32"]),
    **typed("shf.r.clamp", 3, by_type(lambda a, b, c: (b << 32 | a) >> min(c, 32)), ["b32"]),
    **typed("add.sat", 2, by_type(lambda a, b: max(-2**31, min(2**31 - 1, a + b))), ["s32"], False),
}
WIDE = {  # of 32-bit operands (and a 64-bit one), a 64-bit result
    "mul.wide.u32": (2, lambda a, b: (a & M32) * (b & M32)),
    "mul.wide.s32": (2, lambda a, b: signed(a, 32) * signed(b, 32)),
    "mad.wide.u32": (3, lambda a, b, c: (a & M32) * (b & M32) + c),
    "mad.wide.s32": (3, lambda a, b, c: signed(a, 32) * signed(b, 32) + c),
    "cvt.u64.u32": (1, lambda a: a & M32),
    "cvt.s64.s32": (1, lambda a: signed(a, 32)),
    "cvt.u64.s32": (1, lambda a: signed(a, 32)),
    "cvt.s64.u32": (1, lambda a: a & M32),
}
NARROW = {  # of a 64-bit operand, 32 bits
    "cvt.u32.u64": lambda a: a & M32,
    "cvt.s32.s64": lambda a: a & M32,
}
SAME = {  # 32 bits to 32 bits, by way of fewer
    "cvt.u32.u16": lambda a: a & 0xFFFF,
    "cvt.s32.s16": lambda a: signed(a, 16),
    "cvt.u32.u8": lambda a: a & 0xFF,
    "cvt.s32.s8": lambda a: signed(a, 8),
}
COMPARE = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}


def bits_of(op):
    return int(op[-2:])


def run(op, values):
    """What an instruction gives, as a number without a sign."""
    if op in OPS:
        bits = bits_of(op)
        return OPS[op][2](bits, op[-3] == "s", *values) & mask(bits)
    if op in WIDE:
        return WIDE[op][1](*values) & M64
    if op in NARROW:
        return NARROW[op](*values) & M32
    return SAME[op](*values) & M32


def compare(name, type_, a, b):
    bits, is_signed = int(type_[1:]), type_[0] == "s"
    read = (lambda v: signed(v, bits)) if is_signed else (lambda v: v & mask(bits))
    return COMPARE[name](read(a), read(b))
