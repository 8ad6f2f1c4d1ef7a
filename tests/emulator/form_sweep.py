# SPDX-License-Identifier: Apache-2.0
"""form_sweep.py TMA PTXAS [--target sm_120a] [--version 9.5]: forms of PTX's instructions, written from
the ISA's syntax lines, that a ptxas takes and `tma emulate` does not execute. Each is the only instruction
of its kernel. Run by hand: python3 tests/emulator/form_sweep.py build/tma $(tools/ptxas.sh 13.5.37)

form_sweep_forms.txt has them, a family a line: {a,b,} stands for either word or none, <T> in an operand
for a register as wide as the last word that is a type, <R> as the one before, <V> for as many as .v4 says,
<M> as .x4, <M2> for twice that. [g] is global memory, [s] shared, [m] an mbarrier, [f] the cluster's.
"""
import argparse
import itertools
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FORMS = Path(__file__).with_name("form_sweep_forms.txt")
A_TYPE = re.compile(r"(u|s|b|f|bf)(8|16|32|64|128)(x2|x4)?")


def register_of(word, n):
    m = A_TYPE.fullmatch(word)
    bits = int(m[2]) * (int(m[3][1]) if m[3] else 1)
    return "%" + {8: "h", 16: "h", 32: "r", 64: "d", 128: "q"}[bits] + str(n)


def expand(form):
    """{a,b,}: each of its words; a comma behind a backslash is one of the text. Operands' begin with %."""
    m = re.search(r"\{(?!%)((?:[^{}\\]|\\,)*)\}(?!\})", form)
    if not m:
        yield form.replace("\\,", ",")
        return
    for word in re.split(r"(?<!\\),", m[1]):
        yield from expand(form[:m.start()] + word + form[m.end():])


def operands(text):
    opcode = text.split(" ")[0]
    words = opcode.split(".")
    types = [x for x in words if A_TYPE.fullmatch(x)]
    count = int(next((x[1:] for x in words if re.fullmatch(r"v[248]", x)), "1"))
    several = int(next((x[1:] for x in words if re.fullmatch(r"x[124]", x)), "1"))
    n = itertools.count()

    def vector(of):
        all_of_it = [register_of(of, next(n)) for _ in range(count)]
        return "{" + ", ".join(all_of_it) + "}" if count > 1 else all_of_it[0]

    def matrix(k):
        return "{" + ", ".join(f"%r{next(n)}" for _ in range(k)) + "}"

    text = re.sub("<T>", lambda _: register_of(types[-1], next(n)), text)
    text = re.sub("<R>", lambda _: register_of(types[-2 % len(types)], next(n)), text)
    text = re.sub("<V>", lambda _: vector(types[-1]), text)
    text = re.sub("<M>", lambda _: matrix(several), text)
    text = re.sub("<M2>", lambda _: matrix(2 * several), text)
    four = "{%r0, %r1, %r2, %r3}"
    return text.replace("<LS>", f"{four}, [s]" if text[0] == "l" else f"[s], {four}")


SPACES = {"shared", "shared::cta", "shared::cluster", "local", "const", "global"}
PLAIN = ("ld.", "st.", "atom.", "red.", "ldu.")


def placed(text):
    """Names of the memory's pieces, in the space that the opcode has."""
    opcode = text.split(" ")[0]
    space = next((w for w in opcode.split(".") if w in SPACES), "shared")
    if opcode.startswith(PLAIN) and "async" not in opcode:
        text = text.replace("[s]", {"local": "[loc]", "const": "[kon]", "global": "[g]"}.get(space, "[s]"))
    if opcode.startswith("prefetch.local"):
        text = text.replace("[g]", "[loc]")
    if opcode in ("prefetch.param.tensormap", "prefetch.const.tensormap"):
        text = text.replace("[g]", "[map]" if "param" in opcode else "[kon]")
    for short, name in (("g", "%gen"), ("s", "sm"), ("m", "bar"), ("f", "far")):
        text = re.sub(rf"\[{short}(?=[\],+])", f"[{name}", text)
    return text


HEAD = """.version {version}
.target {target}
.address_size 64
.const .align 128 .b8 kon[128];
.global .align 128 .b8 glo[1024];
"""
ENTRY = """.entry {name}(.param .align 64 .b8 map[128]){{
.reg .b8 %b<8>; .reg .b16 %h<16>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .b128 %q<4>; .reg .pred %p<4>;
.reg .v4 .u32 v4; .reg .b64 %gen;
.shared .align 128 .b8 sm[1024]; .shared .align 128 .b8 far[128]; .shared .align 8 .b64 bar;
.local .align 128 .b8 loc[128];
mov.u64 %gen, glo;
{code}
ret;
}}
"""
VALUES = "".join([f"mov.b16 %h{i}, {i + 1};\n" for i in range(16)] +
                 [f"mov.b32 %r{i}, {i + 1};\n" for i in range(16)] +
                 [f"mov.b64 %d{i}, {i + 1};\n" for i in range(16)] +
                 [f"mov.b128 %q{i}, {{%d0, %d1}};\n" for i in range(4)] +
                 [f"setp.eq.u32 %p{i}, %r0, 1;\n" for i in range(4)])


class Sweep:
    def __init__(self, asked):
        self.asked = asked
        self.folder = Path(tempfile.mkdtemp())
        self.head = HEAD.format(version=asked.version, target=asked.target)

    def file(self, number, before, form):
        path = self.folder / f"{number}.ptx"
        path.write_text(self.head + ENTRY.format(name="k", code=f"{before}{form};"))
        return path

    def is_taken(self, item):
        done = subprocess.run([self.asked.ptxas, "-arch=" + self.asked.target, "-O0", "-o",
                               self.folder / f"{item[0]}.cubin", self.file(item[0], "", item[1])],
                              capture_output=True, check=False)
        return done.returncode == 0

    def is_executed(self, item):
        path = self.file(item[0], VALUES, item[1])
        done = subprocess.run([self.asked.tma, "emulate", path, "--block", "128", "--no-static"],
                              capture_output=True, text=True, check=False)
        first = done.stdout.split("\n")[0]
        return first.startswith("kernel k: ") and "not-executed" not in first


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tma")
    parser.add_argument("ptxas")
    parser.add_argument("--target", default="sm_120a")
    parser.add_argument("--version", default="9.5")
    sweep = Sweep(parser.parse_args())
    families = FORMS.read_text(encoding="utf-8").strip().splitlines()
    forms = sorted({placed(operands(form)) for family in families for form in expand(family)})
    with ThreadPoolExecutor(2) as pool:
        executed = list(pool.map(sweep.is_executed, enumerate(forms)))
        rest = [(i, form) for i, form in enumerate(forms) if not executed[i]]
        refused = [form for (i, form), taken in zip(rest, pool.map(sweep.is_taken, rest)) if taken]
    print("\n".join(refused))
    print(f"{len(forms)} forms: {len(forms) - len(rest)} executed, {len(refused)} that ptxas takes are not")


if __name__ == "__main__":
    main()
