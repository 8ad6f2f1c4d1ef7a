# SPDX-License-Identifier: Apache-2.0
"""tma ptxas --on-fault=record: the checks that it writes are run here, one by one, on operands that are right and on
operands that break a rule. Each copy of a file is asked, not the first of a kind alone: what it leaves must be its own
site, coordinates and shared address. TMA is the command."""
import operator
import os
import re
import subprocess
from pathlib import Path

import pytest

TMA = os.environ["TMA"]
SAMPLES = Path(__file__).parent / "samples"
FILES = ["persistent_90", "gluon_tiles_90", "triton_copy_90", "triton_matmul_90"]
FAKE = """#!/bin/sh
for a in "$@"; do case $a in *.ptx) in=$a ;; esac; done
case " $* " in *" --version "*) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit 0 ;; esac
case " $* " in *"/plain.cubin "*) exit 0 ;; esac # without checks, for its registers alone: into another file
cp "$in" "$OUT"
"""
COPY = re.compile(r"(?:@(!?)(%[\w$]+)\s+)?(cp\.(?:async\.bulk\.(?:prefetch\.)?|reduce\.async\.bulk\.)tensor\.\S+)\s+([^;]*);")
BLOCK = re.compile(r"\n\{\n\.reg \.pred %libtma_go.*?\n\}\n", re.S)
# Behind copies that a whole warp comes to.
BEHIND = re.compile(r"\n(not\.pred %libtma_any, %libtma_all;\nvote\.sync\.any\.pred [^\n]*, -1;\n@%libtma_any bra \$libtma_cold_\d+;)\n")
EXPECTS = "%libtma_asked"  # in the checks of what expects bytes of a barrier: tests/plan/test_judge_barrier.c
SHARED, FITS, BEYOND = 0x8000, 0x38000, 0x40000  # an address, the limit that a judged map leaves, one behind it
COMPARE = {"eq": operator.eq, "lt": operator.lt, "le": operator.le, "ge": operator.ge, "gt": operator.gt, "ne": operator.ne}
MANY = """.version 8.3
.target sm_90a
.address_size 64
.visible .entry kernel(.param .align 64 .b8 a[128], .param .align 64 .b8 b[128])
{
.reg .b32 %r<40>;
.reg .b64 %rd<3>;
.reg .pred %p<2>;
mov.b64 %rd1, a;
mov.b64 %rd2, b;
"""


def many():
    """Nine loads that stand back to back, of two maps, each with operands of its own."""
    lines = [f"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r{3 * i + 1}], [%rd{i % 2 + 1}, "
             f"{{%r{3 * i + 2}, %r{3 * i + 3}}}], [%r30];" for i in range(9)]
    return MANY + "\n".join(lines) + "\nret;\n}\n"


def rewritten(source, tmp_path):
    fake = tmp_path / "ptxas"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    out = tmp_path / "out"
    subprocess.run([TMA, "ptxas", f"--real={fake}", "--on-fault=record", "-arch=sm_90a", str(source), "-o", str(tmp_path / "x")],
                   check=True, env={**os.environ, "OUT": str(out)})
    return out.read_text()


class Copy:
    """A copy's own words."""

    def __init__(self, match):
        self.negated, self.guard, self.opcode, operands = match.groups()
        brackets = re.findall(r"\[([^\[\]]*)\]", operands)
        self.loads = ".global.shared::cta" not in self.opcode and "prefetch" not in self.opcode
        tensor = next(x for x in brackets if "{" in x)
        self.shared = "0" if "prefetch" in self.opcode else next(x for x in brackets if "{" not in x).strip()
        mbar = [x.strip() for x in brackets if "{" not in x][1:]
        self.barrier = re.match(r"[^+]*", mbar[0])[0] if mbar and self.loads else "0"
        self.coords = [c.strip() for c in re.search(r"\{(.*)\}", tensor)[1].split(",")]


    def made_by(self, block):
        """Whose copy it is, where its guard is the check's."""
        self.run = self.guard if self.guard and self.guard.startswith("%libtma_run") else None
        if self.run:
            is_so, = re.findall(rf"^and\.pred {self.run}, %libtma_all, (%\S+);$", "\n".join(block), re.M)
            negated = re.search(r"^not\.pred %libtma_p, (%\S+);$\n^and\.pred %libtma_run", "\n".join(block), re.M)
            self.guard, self.negated = (negated[1], "!") if is_so == "%libtma_p" else (is_so, "")


class Machine:
    """As much of PTX as the checks are made of."""

    def __init__(self, text):
        self.lines = [line.strip() for line in text.splitlines()]
        self.labels = {line[:-1]: i for i, line in enumerate(self.lines) if re.fullmatch(r"\$libtma_(cold_\d+|beside|leave):", line)}

    def value(self, registers, word):
        if word in registers:
            return registers[word]
        if re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)", word):
            return int(word, 0)
        return word  # a symbol

    def step(self, registers, line):
        """One statement; the label that it goes to."""
        guard = re.match(r"@(!?)(\S+) ", line)
        if guard:
            if bool(registers[guard[2]]) == bool(guard[1]):
                return None
            line = line[guard.end():]
        op, _, rest = line.rstrip(";").partition(" ")
        words = [w.strip() for w in rest.split(",")]
        if op.startswith("bra"):
            return words[0]
        to, args = words[0], [self.value(registers, w) for w in words[1:]]
        if op.startswith("setp."):
            parts = op.split(".")
            a, b = args[:2]
            if parts[-1] == "s32":
                a, b = (x - (1 << 32) if x >> 31 & 1 else x for x in (a, b))
            registers[to] = COMPARE[parts[1]](a, b) and (args[2] if parts[2] == "and" else True)
        elif op.startswith(("mov.", "cvta.")):
            registers[to] = args[0]
        elif op.startswith("add."):
            registers[to] = args[0] if isinstance(args[0], str) else args[0] + args[1] & 0xFFFFFFFF
        elif op.startswith(("and.", "or.")):
            args = [0 if isinstance(x, str) else x for x in args]  # symbols lie as they must
            registers[to] = args[0] & args[1] if op.startswith("and.") else args[0] | args[1]
        elif op.startswith("st.local."):  # what is left for the record, by its place
            registers[to] = args[0]
        elif op == "not.pred":
            registers[to] = not args[0]
        elif op == "vote.sync.any.pred":  # the other threads of the warp are right
            registers[to] = args[0]
        else:
            raise NotImplementedError(line)
        return None

    def run(self, registers, lines):
        for line in lines:
            if line and line[0] not in "{}.$/" and (target := self.step(registers, line)):
                return target
        return None

    def leaves(self, registers, target):
        """What stands in the record: site, coordinates, shared address."""
        for _ in range(1000):
            begin = self.labels[target] + 1
            target = self.run(registers, self.lines[begin:])
            if target == "$libtma_leave":
                left = [registers.get(f"[libtma_left+{at_B}]", 0) for at_B in (40, *range(8, 32, 4))]
                return int(re.search(r"site_(\d+)$", left[0])[1]), left[1:6], left[6]
        raise AssertionError("the checks go in a circle")


def groups(text):
    """Checks up to one that branches, and the copies that it is before: (first site, blocks, copies)."""
    blocks, copies, found, site = [], [], [], 0
    body = text[:text.index("\n$libtma_cold_0:")]
    for match in re.finditer(f"{BLOCK.pattern}|{BEHIND.pattern}|{COPY.pattern}", body, re.S):
        if EXPECTS in match[0]:
            if blocks:
                found.append((site, blocks, copies))
            site, blocks, copies = site + len(copies) + 1, [], []
        elif match[0].startswith("\n{"):
            if blocks and len(copies) == len(blocks):
                found.append((site, blocks, copies))
                site, blocks, copies = site + len(copies), [], []
            blocks.append([line.strip() for line in match[0].splitlines()])
        elif BEHIND.fullmatch(match[0]):
            blocks[-1] += match[0].splitlines()
        else:
            copies.append(Copy(COPY.match(match[0])))
            copies[-1].made_by(blocks[len(copies) - 1])
    return [*found, (site, blocks, copies)] if blocks else found


def right(copies, passes):
    """Operands that break nothing; each register has a value of its own where it can."""
    registers = {f"%libtma_pass{i}": FITS for i in range(passes)}
    for n, copy in enumerate(copies):
        registers.update({c: 1024 * (n + 1) for c in copy.coords if c.startswith("%")})
    for n, copy in enumerate(copies):
        if copy.guard:
            registers[copy.guard] = not copy.negated
        if copy.shared.startswith("%"):
            registers[copy.shared] = SHARED + 1024 * n
        if copy.barrier.startswith("%") and copy.barrier not in registers:
            registers[copy.barrier] = SHARED - 8
    return registers


def expected(machine, copy, registers):
    coords = [machine.value(registers, c) for c in copy.coords]
    return coords + [0] * (5 - len(coords)), machine.value(registers, copy.shared)


def asked(machine, blocks, registers):
    return machine.run(registers, [line for block in blocks for line in block])


def check_group(machine, site, blocks, copies, passes):
    """How many rules were asked."""
    count = 0
    registers = right(copies, passes)
    assert len(blocks) == len(copies) and asked(machine, blocks, registers) is None
    assert all(registers[copy.run] for copy in copies if copy.run)
    for n, copy in enumerate(copies):
        breaks = [(copy.shared, 16), (copy.shared, BEYOND)] if copy.shared.startswith("%") else []
        breaks += [(c, 0x80000000) for c in copy.coords if not copy.loads and "prefetch" not in copy.opcode and c.startswith("%")]
        if copy.barrier.startswith("%") and any("%libtma_b, 7;" in line for line in blocks[n]):
            breaks += [(copy.barrier, 4)]
        for register, by in breaks:
            registers = right(copies, passes)
            registers[register] += by
            first = next(k for k, other in enumerate(copies) if register in (other.shared, other.barrier, *other.coords))
            want = expected(machine, copies[first], registers)
            target = asked(machine, blocks, registers)
            assert target, f"copy {site + n}: {register} + 0x{by:x} is not seen"
            assert not copies[first].run or not registers[copies[first].run]  # it is not made
            got = machine.leaves(dict(registers), target)
            assert got == (site + first, *want)
            if copies[first].run:  # a thread beside it, whose own is right
                registers["%libtma_all"] = True
                assert machine.run(registers, machine.lines[machine.labels[target] + 1:]) == "$libtma_beside"
                registers["[libtma_left+40]"] = 1
                machine.run(registers, machine.lines[machine.labels["$libtma_beside"] + 1:machine.labels["$libtma_leave"]])
                assert registers["[libtma_left+40]"] == 0
            count += 1
        if copy.guard:
            registers = right(copies, passes)
            registers.update({register: registers[register] + by for register, by in breaks[:1]})
            registers.update({c.guard: bool(c.negated) for c in copies if c.guard})
            if all(c.guard for c in copies):
                assert asked(machine, blocks, registers) is None  # what is not copied breaks nothing
                assert not any(registers[c.run] for c in copies if c.run)
    return count


@pytest.mark.parametrize("name", [*FILES, "many"])
def test_each_copy_is_asked(name, tmp_path):
    source = SAMPLES / f"{name}.ptx"
    if name == "many":
        source = tmp_path / "many.ptx"
        source.write_text(many())
    text = rewritten(source, tmp_path)
    machine = Machine(text)
    passes = int((re.search(r"%libtma_pass<(\d+)>", text) or [0, 0])[1])
    found = groups(text)
    rules = sum(check_group(machine, *group, passes) for group in found)
    sites = sum(len(copies) for _, _, copies in found)
    expects = sum(EXPECTS in block for block in re.findall(BLOCK, text))
    assert sites + expects == len(re.findall(r"^\.global [^\n]*libtma_checker_site_\d+\[8\]", text, re.M))
    inits = len(re.findall(r"\bmbarrier\.init", source.read_text()))
    assert expects == (0 if inits else len(re.findall(r"\bmbarrier\.\S*expect_tx[^\n]*;", source.read_text())))
    assert rules >= 2 * sites


def test_a_judged_map_that_is_none(tmp_path):
    """Nothing fits below the limit of a map that was refused: of nine copies each of the second map's is seen first."""
    source = tmp_path / "many.ptx"
    source.write_text(many())
    text = rewritten(source, tmp_path)
    machine = Machine(text)
    (site, blocks, copies), = groups(text)
    for bad in range(2):
        registers = right(copies, 2)
        registers[f"%libtma_pass{bad}"] = 0
        target = asked(machine, blocks, registers)
        assert target and machine.leaves(registers, target)[0] == site + bad and len(copies) == 9
