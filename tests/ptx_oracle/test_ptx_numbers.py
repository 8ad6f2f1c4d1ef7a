# SPDX-License-Identifier: Apache-2.0
"""Each scalar instruction on numbers at the edges of its types, equal ones too, beside plain Python: what ptx/ knows of
its result is what it gives. Random programs (test_ptx_oracle.py) seldom meet two numbers that are equal."""
import random

import pytest
import ptx_ops as ops
from ptx_known import dumped

HEAD = ".version 8.8\n.target sm_90a\n.address_size 64\n"
BEGIN = (".visible .entry k(.param .align 64 .b8 m[128])\n{\n.reg .pred %p<9>;\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n"
         ".shared .align 1024 .b8 s[1024];\n.shared .b64 b;\n")
COPY = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [m, {%r7, %r8}], [b];\n"
SMALL = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257]
EDGES = {32: [*SMALL, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x00F0F0F0, 0x12345678, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000,
              0x80000001, 0xFFFFFF80, 0xFFFFFFFE, 0xFFFFFFFF]}
EDGES[64] = [*EDGES[32], 1 << 32, 0x123456789ABCDEF0, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, 0xFFFFFFFF00000000, ops.M64 - 1, ops.M64]
MOST = 500 # of one instruction
UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
AND = {"and": lambda a, b: a and b, "or": lambda a, b: a or b, "xor": lambda a, b: a != b}


def drawn(name, lists):
    """All combinations of the lists' numbers, or as many as one instruction gets: those with equal ones first."""
    r = random.Random(name)
    equal = [[v if v in of else of[0] for of in lists] for v in lists[0]]
    return equal + [[r.choice(of) for of in lists] for _ in range(MOST - len(equal))] if len(lists) > 1 else [[v] for v in lists[0]]


def register(i, bits):
    return f"%rd{i}" if bits == 64 else f"%r{i}"


def moves(values, widths):
    return "".join(f"mov.b{bits} {register(i, bits)}, {v};\n" for i, (v, bits) in enumerate(zip(values, widths)))


def result(bits):
    """The halves of a result go to the copy."""
    return ("cvt.u32.u64 %r7, %rd6;\nshr.u64 %rd6, %rd6, 32;\ncvt.u32.u64 %r8, %rd6;\n" if bits == 64 else
            "mov.b32 %r7, %r6;\nmov.b32 %r8, 0;\n") + COPY


def widths_of(name):
    """Of the operands, and of the result."""
    if name in ops.WIDE:
        return [64 if name.startswith("mad") and i == 2 else 32 for i in range(ops.WIDE[name][0])], 64
    if name in ops.NARROW:
        return [64], 32
    if name in ops.SAME:
        return [32], 32
    bits, count = ops.bits_of(name), ops.OPS[name][0]
    if name.startswith(("shl", "shr", "bfe", "bfi")): # places and lengths are 32 bits
        return [bits, *([bits] if name.startswith("bfi") else []), 32, 32][:count], bits
    return [bits] * count, 32 if name.startswith(("bfind", "popc", "clz")) else bits


def of_instruction(name):
    widths, bits = widths_of(name)
    for values in drawn(name, [EDGES[w] for w in widths]):
        if name.startswith(("div", "rem")) and (not values[1] or (name[-3] == "s" and values[1] == ops.mask(bits))):
            continue # by 0, and the least number by -1: PTX leaves it open
        if name.startswith("lop3"):
            values[3] &= 255
        words = [register(i, w) for i, w in enumerate(widths)]
        if name.startswith("lop3"):
            words[3] = str(values[3])
        yield values, moves(values, widths) + f"{name} {register(6, bits)}, {', '.join(words)};\n{result(bits)}", ops.run(name, values)


def of_comparison(type_):
    """setp with each word, with another predicate or without, and its opposite; set and selp."""
    bits = int(type_[1:])
    r = random.Random(type_)
    words = [*ops.COMPARE, *(UNSIGNED if type_[0] == "u" else [])]
    for word in words:
        for a, b in drawn(f"{type_} {word}", [EDGES[bits]] * 2)[:150]:
            is_so = ops.compare(UNSIGNED.get(word, word), type_, a, b)
            with_, c, is_not = r.choice([None, *AND]), r.randint(0, 1), r.choice(["", "!"])
            one = AND[with_](is_so, c ^ bool(is_not)) if with_ else is_so
            other = AND[with_](not is_so, c ^ bool(is_not)) if with_ else not is_so
            text = moves([a, b], [bits] * 2) + f"mov.b32 %r5, {c};\nsetp.ne.b32 %p3, %r5, 0;\n"
            text += (f"setp.{word}{'.' + with_ if with_ else ''}.{type_} %p1|%p2, {register(0, bits)}, {register(1, bits)}"
                     f"{f', {is_not}%p3' if with_ else ''};\nselp.b32 %r7, 11, 22, %p1;\nselp.b32 %r8, 33, 44, %p2;\n{COPY}")
            yield (word, with_, a, b, is_not, c), text, (11 if one else 22) | (33 if other else 44) << 32


def of_predicates():
    """and, or, xor, not and mov of predicates, one of them negated or not."""
    for name in ("and", "or", "xor", "not", "mov"):
        for a in (0, 1):
            for b in (0, 1):
                is_so = AND[name](a, b) if name in AND else a ^ (name == "not")
                text = (f"mov.b32 %r4, {a};\nmov.b32 %r5, {b};\nsetp.ne.b32 %p3, %r4, 0;\nsetp.ne.b32 %p4, %r5, 0;\n"
                        f"{name}.pred %p5, %p3{', %p4' if name in AND else ''};\nselp.b32 %r7, 11, 22, %p5;\nmov.u32 %r8, 0;\n{COPY}")
                yield (name, a, b), text, 11 if is_so else 22


def judged(path, cases, is_foldable):
    path.write_text(HEAD + BEGIN + "".join(text for _, text, _ in cases) + "ret;\n}\n")
    known = dumped([path])[str(path)]
    assert len(known) == len(cases)
    count = 0
    for at, (what, text, expected) in zip(sorted(known), cases):
        (_, low, of_low), (_, high, of_high) = known[at][:2]
        if not of_low and not of_high:
            count += 1
            assert low | high << 32 == expected, f"{what}: {low | high << 32:#x} is not {expected:#x}\n{text}"
    if is_foldable:
        assert count == len(cases), f"{len(cases) - count} of {len(cases)} are not known"


@pytest.mark.parametrize("name", [*ops.OPS, *ops.WIDE, *ops.NARROW, *ops.SAME])
def test_an_instruction(name, tmp_path):
    judged(tmp_path / "k.ptx", list(of_instruction(name)), name not in ops.OPS or ops.OPS[name][3])


@pytest.mark.parametrize("type_", ["u32", "s32", "u64", "s64"])
def test_a_comparison(type_, tmp_path):
    judged(tmp_path / "k.ptx", list(of_comparison(type_)), True)


def test_predicates(tmp_path):
    judged(tmp_path / "k.ptx", list(of_predicates()), True)
