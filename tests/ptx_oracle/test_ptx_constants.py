# SPDX-License-Identifier: Apache-2.0
"""Constant expressions as ptx/ computes them, beside ptxas: a kernel that stores random expressions becomes the same machine
code as one that stores the numbers that were read from them."""
import random
import subprocess

import pytest
from ptx_known import dumped
from test_ptx_oracle import KERNELS, PTXAS, SEED

pytestmark = pytest.mark.skipif(not PTXAS, reason="no ptxas")
HEAD = ".version 8.8\n.target sm_90a\n.address_size 64\n"
IN_ONE = 100
EDGES = [0, 1, 2, 31, 32, 63, 64, 127, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1]


def literal(r):
    value = r.choice([r.choice(EDGES), r.randint(0, 100), r.getrandbits(64), r.getrandbits(32)])
    written = r.choice(["{}", "{}U", "0x{:x}", "0x{:X}U", "0{:o}", "0b{:b}"])
    return "WARP_SZ" if r.random() < 0.03 else written.format(value)


def expression(r, deep):
    if not deep or r.random() < 0.15:
        return literal(r)
    kind = r.random()
    one = expression(r, deep - 1)
    if kind < 0.2:
        return f"{r.choice('-~!+')}({one})"
    if kind < 0.3:
        return f"{r.choice(['(.s64)', '(.u64)'])}({one})"
    other = expression(r, deep - 1)
    if kind < 0.4:
        return f"({one} ? {other} : {expression(r, deep - 1)})"
    if kind < 0.5:
        return f"({one} {r.choice('/%')} (({other}) | 1))"
    words = ["+", "-", "*", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"]
    bare = r.random() < 0.5  # which operator comes first is asked, too
    return f"{one} {r.choice(words)} {other}" if bare else f"({one} {r.choice(words)} {other})"


def stores(constants):
    """A kernel that stores them, and the operands of a copy for each: their low and their high half."""
    body = "".join(f"mov.u64 %rd3, {c};\nst.global.u64 [%rd1+{8 * i}], %rd3;\n" for i, c in enumerate(constants))
    return (f"{HEAD}.visible .entry k(.param .u64 p)\n{{\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\n"
            f"cvta.to.global.u64 %rd1, %rd1;\n{body}ret;\n}}\n")


def copies(constants):
    copy = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [m, {%r1, %r2}], [b];"
    body = "".join(f"mov.u64 %rd1, {c};\ncvt.u32.u64 %r1, %rd1;\nshr.u64 %rd1, %rd1, 32;\ncvt.u32.u64 %r2, %rd1;\n{copy}\n"
                   for c in constants)
    return f"{HEAD}.visible .entry k(.param .align 64 .b8 m[128])\n{{\n.reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n.shared .align 1024 .b8 s[1024];\n.shared .b64 b;\n{body}ret;\n}}\n"


def assembled(path, text):
    path.write_text(text)
    done = subprocess.run([PTXAS, "-arch=sm_90a", "-o", path.with_suffix(".cubin"), path], capture_output=True, text=True)
    assert done.returncode == 0, f"{path}: {done.stdout}{done.stderr}"
    return path.with_suffix(".cubin").read_bytes()


def read(path, constants):
    path.write_text(copies(constants))
    known = dumped([path])[str(path)]
    assert len(known) == len(constants)
    out = []
    for at in sorted(known):
        (low_bits, low, of_low), (high_bits, high, of_high) = known[at][:2]
        assert (low_bits, of_low, high_bits, of_high) == (32, [], 32, []), at
        out.append(low | high << 32)
    return out


@pytest.mark.parametrize("batch", range(-(-KERNELS // IN_ONE)))
def test_constants_are_those_of_ptxas(batch, tmp_path):
    r = random.Random(f"constants {SEED} {batch}")
    constants = [expression(r, r.randint(1, 4)) for _ in range(IN_ONE)]
    numbers = read(tmp_path / "copies.ptx", constants)
    path = tmp_path / "k.ptx"
    if assembled(path, stores(constants)) != assembled(path, stores(numbers)):
        wrong = [(c, n) for c, n in zip(constants, numbers)
                 if assembled(path, stores([c])) != assembled(path, stores([n]))]
        assert not wrong, "\n".join(f"{c} is not {n:#x}" for c, n in wrong)
        raise AssertionError("other machine code, and no expression alone is other")


def test_another_number_is_other_machine_code(tmp_path):
    path = tmp_path / "k.ptx"
    assert assembled(path, stores(["2 + 3"])) == assembled(path, stores([5])) != assembled(path, stores([6]))
