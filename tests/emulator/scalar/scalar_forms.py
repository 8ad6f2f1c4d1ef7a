# SPDX-License-Identifier: Apache-2.0
"""Forms of scalar instructions that are tried: (text, type of %d, types of %a %b %c %e %t).
%p and %q are predicates that come out."""

INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
COMPARES = ("eq", "ne", "lt", "le", "gt", "ge")
UNORDERED = ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
HALVES = ("f16", "bf16", "f16x2", "bf16x2")
CONVERTED = ("u8", "s8") + INTEGERS + ("f16", "bf16", "f32", "f64")


def plain(op, t, count=2, result=None):
    return f"{op}.{t} %d, {', '.join('%' + 'abc'[i] for i in range(count))};", \
        result or t, (t,) * count


def integers():
    for t in INTEGERS:
        for op in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            yield plain(op, t)
        yield plain("mad.lo", t, 3)
        yield plain("mad.hi", t, 3)
        yield plain("sad", t, 3)
        if t[0] == "s":
            yield plain("abs", t, 1)
            yield plain("neg", t, 1)
    for t in ("u16", "s16", "u32", "s32"):
        wide = t[0] + str(2 * int(t[1:]))
        yield plain("mul.wide", t, 2, wide)
        yield f"mad.wide.{t} %d, %a, %b, %c;", wide, (t, t, wide)
    for t in ("u32", "s32"):
        for half in ("lo", "hi"):
            yield plain(f"mul24.{half}", t)
            yield plain(f"mad24.{half}", t, 3)
    yield plain("mad24.hi.sat", "s32", 3)
    yield plain("mad.hi.sat", "s32", 3)
    yield plain("add.sat", "s32")
    yield plain("sub.sat", "s32")
    for t in ("u16x2", "s16x2"):
        for op in ("add", "min", "max"):
            yield plain(op, t)
    for t in ("s32", "s16x2"):
        yield plain("min.relu", t)
        yield plain("max.relu", t)
    yield "add.s16 %d, %a, -1;", "s16", ("s16",)
    yield "mad.wide.u32 %d, %a, 7, -5;", "u64", ("u32",)
    yield "mul.lo.s64 %d, %a, -3;", "s64", ("s64",)
    for t in ("u32", "u64"):
        yield f"add.cc.{t} %f, %a, %b; addc.{t} %d, %c, %e;", t, (t,) * 4
        yield f"add.cc.{t} %f, %a, %b; addc.cc.{t} %f, %c, %e; addc.{t} %d, %a, %c;", t, (t,) * 4
        yield f"sub.cc.{t} %f, %a, %b; subc.{t} %d, %c, %e;", t, (t,) * 4
        yield f"sub.cc.{t} %f, %a, %b; subc.cc.{t} %f, %c, %e; subc.{t} %d, %a, %c;", t, (t,) * 4
    for t in ("u32", "s32", "u64", "s64"):
        yield f"mad.lo.cc.{t} %f, %a, %b, %c; madc.hi.{t} %d, %a, %b, %e;", t, (t,) * 4
        yield f"mad.hi.cc.{t} %f, %a, %b, %c; madc.lo.cc.{t} %f, %c, %b, %e; " \
              f"addc.{t} %d, %a, %c;", t, (t,) * 4


def bits():
    for t in ("b16", "b32", "b64"):
        for op in ("and", "or", "xor"):
            yield plain(op, t)
        yield plain("not", t, 1)
        yield plain("cnot", t, 1)
        yield f"shl.{t} %d, %a, %b;", t, (t, "amount")
    for t in INTEGERS + ("b32",):
        yield f"shr.{t} %d, %a, %b;", t, (t, "amount")
    yield "shl.b64 %d, %a, 33;", "b64", ("b64",)
    yield "shr.s64 %d, %a, 70;", "s64", ("s64",)
    for side in "lr":
        for mode in ("clamp", "wrap"):
            yield f"shf.{side}.{mode}.b32 %d, %a, %b, %c;", "b32", ("b32", "b32", "amount")
    for t in ("b32", "b64"):
        yield f"popc.{t} %d, %a;", "u32", (t,)
        yield f"clz.{t} %d, %a;", "u32", (t,)
        yield plain("brev", t, 1)
        yield f"bfi.{t} %d, %a, %b, %c, %e;", t, (t, t, "amount", "amount")
    for t in ("u32", "s32", "u64", "s64"):
        yield f"bfind.{t} %d, %a;", "u32", (t,)
        yield f"bfind.shiftamt.{t} %d, %a;", "u32", (t,)
        yield f"bfe.{t} %d, %a, %b, %c;", t, (t, "amount", "amount")
    yield "bfe.u64 %d, %a, 5, 40;", "u64", ("u64",)
    yield "and.b32 %f, %b, 31; fns.b32 %d, %a, %f, %c;", "b32", ("b32", "amount", "s32")
    for mode in ("clamp", "wrap"):
        yield f"bmsk.{mode}.b32 %d, %a, %b;", "b32", ("amount", "amount")
        for t in ("u32", "s32"):
            yield f"szext.{mode}.{t} %d, %a, %b;", t, (t, "amount")
    yield "prmt.b32 %d, %a, %b, %c;", "b32", ("b32", "b32", "b32")
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        yield f"prmt.b32.{mode} %d, %a, %b, %c;", "b32", ("b32", "b32", "b32")
    for half in ("lo", "hi"):
        yield plain(f"clmad.{half}", "u64", 3)
    for table in (0x96, 0xE8, 0xCA, 0x01, 0x80, 0xF0, 0xCC, 0xAA, 0x1B):
        yield f"lop3.b32 %d, %a, %b, %c, {table};", "b32", ("b32", "b32", "b32")
    for both in ("and", "or"):
        yield f"lop3.{both}.b32 %d|%p, %a, %b, %c, 0x88, %t;", "b32", ("b32", "b32", "b32", "pred")
    for x in ("u32", "s32"):
        for y in ("u32", "s32"):
            yield f"dp4a.{x}.{y} %d, %a, %b, %c;", "u32", ("b32", "b32", "b32")
            yield f"dp2a.lo.{x}.{y} %d, %a, %b, %c;", "u32", ("b32", "b32", "b32")
            yield f"dp2a.hi.{x}.{y} %d, %a, %b, %c;", "u32", ("b32", "b32", "b32")


def comparisons():
    for t in INTEGERS:
        for c in COMPARES:
            yield f"setp.{c}.{t} %p, %a, %b;", None, (t, t)
    for t in ("u16", "u32", "u64"):
        for c in ("lo", "ls", "hi", "hs"):
            yield f"setp.{c}.{t} %p, %a, %b;", None, (t, t)
    for t in ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2"):
        for c in COMPARES + UNORDERED:
            p = "%p|%q" if t.endswith("x2") else "%p"
            yield f"setp.{c}.{t} {p}, %a, %b;", None, (t, t)
    for t in ("f32", "f16", "f16x2"):
        for c in ("eq", "lt", "gtu"):
            p = "%p|%q" if t.endswith("x2") else "%p"
            yield f"setp.{c}.ftz.{t} {p}, %a, %b;", None, (t, t)
    for b in ("and", "or", "xor"):
        yield f"setp.lt.{b}.s32 %p|%q, %a, %b, %t;", None, ("s32", "s32", "pred")
        yield f"setp.gtu.{b}.f32 %p|%q, %a, %b, !%t;", None, ("f32", "f32", "pred")
        yield f"set.le.{b}.u32.f32 %d, %a, %b, %t;", "u32", ("f32", "f32", "pred")
    for t in ("u32", "s32", "f32"):
        for s in ("s16", "u32", "s64", "f32", "f64"):
            yield f"set.lt.{t}.{s} %d, %a, %b;", t, (s, s)
    for t in ("f16", "bf16", "f16x2", "bf16x2"):
        yield f"set.geu.{t}.{t} %d, %a, %b;", t, (t, t)
    for t in ("b16", "b32", "b64", "f32", "f64"):
        yield f"selp.{t} %d, %a, %b, %t;", t, (t, t, "pred")
    for t in ("b16", "b32", "b64"):
        yield f"slct.{t}.s32 %d, %a, %b, %c;", t, (t, t, "s32")
        yield f"slct.{t}.f32 %d, %a, %b, %c;", t, (t, t, "f32")
    yield "slct.ftz.u32.f32 %d, %a, %b, %c;", "u32", ("u32", "u32", "f32")
    for t in ("f32", "f64"):
        for test in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield f"testp.{test}.{t} %p, %a;", None, (t,)


def floats():
    for t in ("f32", "f64"):
        for r in ("rn", "rz", "rm", "rp"):
            for z in ("", ".ftz") if t == "f32" else ("",):
                for op in ("add", "sub", "mul", "div"):
                    yield plain(f"{op}.{r}{z}", t)
                yield plain(f"fma.{r}{z}", t, 3)
                yield plain(f"mad.{r}{z}", t, 3)
                yield plain(f"rcp.{r}{z}", t, 1)
                yield plain(f"sqrt.{r}{z}", t, 1)
                if t == "f32":
                    for op in ("add", "sub", "mul"):
                        yield plain(f"{op}.{r}{z}.sat", t)
                    yield plain(f"fma.{r}{z}.sat", t, 3)
    for t in HALVES:
        for op in ("add", "sub", "mul"):
            for w in ("", ".ftz", ".sat", ".ftz.sat") if t[0] == "f" else ("",):
                yield plain(f"{op}.rn{w}", t)
        for w in ("", ".ftz", ".sat", ".ftz.sat", ".relu", ".ftz.relu") if t[0] == "f" else \
                ("", ".relu"):
            yield plain(f"fma.rn{w}", t, 3)
        yield plain("fma.rn.oob", t, 3)
        yield plain("fma.rn.oob.relu", t, 3)
    for op in ("min", "max"):
        for w in ("", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
            yield plain(op + w, "f32")
        yield plain(op, "f64")
        for t in HALVES:
            for w in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
                yield plain(op + w, t)
        for t in ("f16", "f16x2"):
            yield plain(op + ".ftz", t)
            yield plain(op + ".ftz.NaN", t)
    for op in ("abs", "neg"):
        for t in ("f32", "f64") + HALVES:
            yield plain(op, t, 1)
        for t in ("f32", "f16", "f16x2"):
            yield plain(op + ".ftz", t, 1)
    for t in ("f32", "f64"):
        yield plain("copysign", t)


def conversions():
    whole = ("rni", "rzi", "rmi", "rpi")
    near = ("rn", "rz", "rm", "rp")
    for d in CONVERTED:
        for s in CONVERTED:
            for form in conversion(d, s, whole, near):
                yield form + f".{d}.{s} %d, %a;", d, (s,)
    for r in whole:
        yield f"cvt.{r}.ftz.s32.f32 %d, %a;", "s32", ("f32",)
        yield f"cvt.{r}.ftz.f32.f32 %d, %a;", "f32", ("f32",)
        yield f"cvt.{r}.sat.f32.f32 %d, %a;", "f32", ("f32",)
    yield "cvt.ftz.f32.f32 %d, %a;", "f32", ("f32",)
    yield "cvt.sat.f32.f32 %d, %a;", "f32", ("f32",)
    yield "cvt.ftz.f64.f32 %d, %a;", "f64", ("f32",)
    yield "cvt.rn.ftz.f16.f32 %d, %a;", "f16", ("f32",)
    yield "cvt.rn.ftz.f32.f64 %d, %a;", "f32", ("f64",)
    yield "cvt.rn.sat.f16.f32 %d, %a;", "f16", ("f32",)
    yield "cvt.rn.sat.f32.f64 %d, %a;", "f32", ("f64",)
    yield "cvt.rn.sat.f32.s32 %d, %a;", "f32", ("s32",)
    for t in ("f16", "bf16"):
        for r in ("rn", "rz"):
            yield f"cvt.{r}.relu.{t}.f32 %d, %a;", t, ("f32",)
            yield f"cvt.{r}.{t}x2.f32 %d, %a, %b;", f"{t}x2", ("f32", "f32")
            yield f"cvt.{r}.relu.{t}x2.f32 %d, %a, %b;", f"{t}x2", ("f32", "f32")
        yield f"cvt.rn.satfinite.{t}x2.f32 %d, %a, %b;", f"{t}x2", ("f32", "f32")
        yield f"cvt.rn.satfinite.{t}.f32 %d, %a;", t, ("f32",)
    for t in ("e4m3x2", "e5m2x2"):
        for w in ("", ".relu"):
            yield f"cvt.rn.satfinite{w}.{t}.f32 %d, %a, %b;", t, ("f32", "f32")
            yield f"cvt.rn.satfinite{w}.{t}.f16x2 %d, %a;", t, ("f16x2",)
            yield f"cvt.rn{w}.f16x2.{t} %d, %a;", "f16x2", (t,)
    yield "cvt.rna.tf32.f32 %d, %a;", "b32", ("f32",)
    yield "cvt.rna.satfinite.tf32.f32 %d, %a;", "b32", ("f32",)
    for r in ("rn", "rz"):
        yield f"cvt.{r}.tf32.f32 %d, %a;", "b32", ("f32",)
        yield f"cvt.{r}.relu.tf32.f32 %d, %a;", "b32", ("f32",)
    for t in ("u16", "s16"):
        yield f"cvt.pack.sat.{t}.s32 %d, %a, %b;", "b32", ("s32", "s32")
    for t in ("u8", "s8", "u4", "s4", "u2", "s2"):
        yield f"cvt.pack.sat.{t}.s32.b32 %d, %a, %b, %c;", "b32", ("s32", "s32", "b32")


def holds(d, s):
    """Whether all numbers of s are some of d."""
    return d == s or int(d[1:]) > int(s[1:]) and (d[0] == "s" or s[0] == "u")


def conversion(d, s, whole, near):
    to_float = "f" in d
    of_float = "f" in s
    if "bf16" in (d, s) and {"u8", "s8"} & {d, s}:
        return
    if not to_float and not of_float:
        yield "cvt"
        if not holds(d, s):
            yield "cvt.sat"
    elif to_float and not of_float:
        if "16" in d and "8" in s:
            yield "cvt.rn"
            return
        for r in near:
            yield f"cvt.{r}"
    elif of_float and not to_float:
        for r in whole:
            yield f"cvt.{r}"
    elif d == s:
        for r in whole if d != "bf16" else ():
            yield f"cvt.{r}"
    else:
        size = {"f16": 1, "bf16": 1, "f32": 2, "f64": 3}
        if size[d] > size[s] and not (d == "f64" and s == "bf16"):
            yield "cvt"
        elif d == "bf16" and s == "f32":
            yield "cvt.rn"
            yield "cvt.rz"
        elif "bf16" not in (d, s):
            for r in near:
                yield f"cvt.{r}"


def videos():
    for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for types in ("u32.u32.u32", "s32.s32.s32", "s32.u32.s32", "u32.s32.u32"):
            yield f"{op}.{types} %d, %a, %b;", "b32", ("b32", "b32")
            yield f"{op}.{types}.sat %d, %a.b1, %b.h1;", "b32", ("b32", "b32")
            yield f"{op}.{types}.sat %d.b2, %a, %b.h0, %c;", "b32", ("b32", "b32", "b32")
            yield f"{op}.{types} %d.h1, %a.b3, %b.b0, %c;", "b32", ("b32", "b32", "b32")
            for op2 in ("add", "min", "max"):
                yield f"{op}.{types}.sat.{op2} %d, %a, %b, %c;", "b32", ("b32", "b32", "b32")
            for into in (".sat %d.h0", ".sat %d.h1", " %d.b1", ".sat %d.b3"):
                yield f"{op}.{types}{into}, %a, %b, %c;", "b32", ("b32", "b32", "b32")
            yield f"{op}.{types}.sat %d, %a, %b;", "b32", ("b32", "b32")
            for op2 in ("min", "max"):
                yield f"{op}.{types}.{op2} %d, %a, %b, %c;", "b32", ("b32", "b32", "b32")
    for op in ("vshl", "vshr"):
        for types in ("u32.u32.u32", "s32.s32.u32", "s32.u32.u32", "u32.s32.u32"):
            for rest in (".sat.clamp.min %d", ".sat.wrap.max %d", ".clamp.min %d", ".clamp.max %d", ".sat.wrap %d.b1",
                         ".sat.clamp %d.h1", ".wrap %d.h0"):
                yield f"{op}.{types}{rest}, %a, %b, %c;", "b32", ("b32", "amount", "b32")
        for types in ("u32.u32.u32", "s32.s32.u32"):
            for mode in ("clamp", "wrap"):
                yield f"{op}.{types}.{mode} %d, %a, %b;", "b32", ("b32", "amount")
                yield f"{op}.{types}.sat.{mode}.add %d, %a.h0, %b.b0, %c;", "b32", \
                    ("b32", "amount", "b32")
    for types in ("u32.u32.u32", "s32.s32.s32", "s32.u32.s32"):
        for scale in ("", ".shr7", ".shr15"):
            yield f"vmad.{types}{scale} %d, %a, %b, %c;", "b32", ("b32", "b32", "b32")
            yield f"vmad.{types}.sat{scale} %d, %a.h0, %b.b3, %c;", "b32", ("b32", "b32", "b32")
            yield f"vmad.{types}.po{scale} %d, %a, %b, %c;", "b32", ("b32", "b32", "b32")
            yield f"vmad.{types}.po.sat{scale} %d, %a, %b, %c;", "b32", ("b32", "b32", "b32")
            yield f"vmad.{types}{scale} %d, %a.h1, %b.h0, %c;", "b32", ("b32", "b32", "b32")
        yield f"vmad.{types} %d, -%a, %b, %c;", "b32", ("b32", "b32", "b32")
        yield f"vmad.{types} %d, %a, %b, -%c;", "b32", ("b32", "b32", "b32")
        yield f"vmad.{types}.sat.shr7 %d, -%a.b0, %b.b1, %c;", "b32", ("b32", "b32", "b32")
        yield f"vmad.{types}.sat %d, %a.b0, %b.b1, -%c;", "b32", ("b32", "b32", "b32")
    for c in COMPARES:
        yield f"vset.u32.s32.{c} %d, %a, %b.h1;", "b32", ("b32", "b32")
        yield f"vset.s32.s32.{c} %d.b1, %a, %b, %c;", "b32", ("b32", "b32", "b32")
        yield f"vset.u32.u32.{c}.add %d, %a, %b, %c;", "b32", ("b32", "b32", "b32")
        if c in ("lt", "ge"):
            yield f"vset.s32.s32.{c}.min %d, %a, %b, %c;", "b32", ("b32", "b32", "b32")
            yield f"vset.u32.s32.{c}.max %d, %a, %b, %c;", "b32", ("b32", "b32", "b32")
            yield f"vset.s32.s32.{c} %d.h1, %a, %b, %c;", "b32", ("b32", "b32", "b32")
        for n, mask in (2, ".h1"), (4, ".b31"):
            yield f"vset{n}.s32.s32.{c} %d, %a, %b, %c;", "b32", ("b32", "b32", "b32")
            yield f"vset{n}.u32.u32.{c}.add %d{mask}, %a, %b, %c;", "b32", ("b32", "b32", "b32")
    for op in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
        for types in ("u32.u32.u32", "s32.s32.s32", "s32.u32.s32"):
            for n, mask, sel in (2, ".h0", (".h13", ".h20")), (4, ".b320", (".b7061", ".b1234")):
                yield f"{op}{n}.{types} %d, %a, %b, %c;", "b32", ("b32", "b32", "b32")
                yield f"{op}{n}.{types}.sat %d{mask}, %a{sel[0]}, %b{sel[1]}, %c;", "b32", \
                    ("b32", "b32", "b32")
                yield f"{op}{n}.{types}.add %d, %a, %b{sel[0]}, %c;", "b32", ("b32", "b32", "b32")


def sm_100():
    for op in ("add", "sub", "mul"):
        for r in ("rn", "rz", "rm", "rp"):
            yield plain(f"{op}.{r}", "f32x2")
            yield plain(f"{op}.{r}.ftz", "f32x2")
    for r in ("rn", "rz", "rm", "rp"):
        yield plain(f"fma.{r}", "f32x2", 3)
        yield plain(f"fma.{r}.ftz", "f32x2", 3)
    for s in ("f16", "bf16"):
        yield f"add.rn.f32.{s} %d, %a, %b;", "f32", (s, "f32")
        yield f"sub.rz.sat.f32.{s} %d, %a, %b;", "f32", (s, "f32")
        yield f"fma.rp.f32.{s} %d, %a, %b, %c;", "f32", (s, s, "f32")
    for op in ("min", "max"):
        for w in ("", ".ftz", ".NaN", ".abs", ".NaN.abs"):
            yield plain(op + w, "f32", 3)
    for t in ("e2m1x2", "e2m3x2", "e3m2x2"):
        for w in ("", ".relu"):
            yield f"cvt.rn.satfinite{w}.{t}.f32 %d, %a, %b;", t, ("f32", "f32")
            yield f"cvt.rn{w}.f16x2.{t} %d, %a;", "f16x2", (t,)
    for r in ("rz", "rp"):
        yield f"cvt.{r}.satfinite.ue8m0x2.f32 %d, %a, %b;", "ue8m0x2", ("f32", "f32")
        yield f"cvt.{r}.satfinite.ue8m0x2.bf16x2 %d, %a;", "ue8m0x2", ("bf16x2",)
    yield "cvt.rp.ue8m0x2.f32 %d, %a, %b;", "ue8m0x2", ("f32", "f32")
    yield "cvt.rn.bf16x2.ue8m0x2 %d, %a;", "bf16x2", ("ue8m0x2",)


def sm_120():
    """PTX ISA 9.2 and later."""
    for t in ("u8x4", "s8x4"):
        for op in ("add", "add.sat", "sub", "sub.sat", "min", "max"):
            yield plain(op, t)
    for op in ("min.relu", "max.relu"):
        yield plain(op, "s8x4")
    yield plain("neg", "s8x4", 1)
    for t in ("u32", "u16x2", "s16x2"):
        yield plain("add.sat", t)


GROUPS = {"integers": integers, "bits": bits, "comparisons": comparisons, "floats": floats,
          "conversions": conversions, "videos": videos, "sm_100": sm_100, "sm_120": sm_120}
