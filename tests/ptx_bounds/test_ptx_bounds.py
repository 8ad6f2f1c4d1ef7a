# SPDX-License-Identifier: Apache-2.0
"""How long `tma ptx` takes for large files, and how much memory: code as compilers write it, and text that is made to be
hard. The bounds are those of docs/ptx.md. Time is the processor's in the program itself, without the system's (which gives out
memory: that has its own bound), beside what Python's re takes for the same text."""
import os
import re
import resource
import subprocess
import sys

import pytest

TMA = os.environ["TMA"]
SIZE_B = 20_000_000
COMPILERS_B, ANY_B = 64, 256  # of memory for each byte of a file
WORD = re.compile(r"[\w.$%]+|[^\w\s]", re.ASCII)
HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
ENTRY = """.visible .entry k{k}(.param .u64 p, .param .u32 n)
{{
.reg .pred %p<3>; .reg .b64 %rd<9>; .reg .b32 %r<1001>;
ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
"""
COPY = ("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%r3], [%rd1, {%r4, %r5}], [%r6];\n")
END = COPY + "ret;\n}\n"


def kernel(body, k=""):
    return ENTRY.format(k=k) + body + END


def spent(path):
    """Seconds of the program and bytes, in a process of its own that counts its child."""
    code = ("import resource, subprocess, sys; d = subprocess.run(sys.argv[1:], capture_output=True); "
            "u = resource.getrusage(resource.RUSAGE_CHILDREN); print(d.returncode, u.ru_utime, u.ru_maxrss * 1024); "
            "print(d.stdout.decode()[-300:])")
    done = subprocess.run([sys.executable, "-c", code, TMA, "ptx", "--findings", str(path)], capture_output=True, text=True, check=True)
    status, seconds, size_B = done.stdout.splitlines()[0].split()
    assert int(status) in (0, 1), done.stdout
    return float(seconds), int(size_B), done.stdout


def words_spent(text):
    """Seconds that Python's re takes to split the text in words."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    assert sum(1 for _ in WORD.finditer(text)) > 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - before


def judge(path, text, times, memory_B):
    path.write_text(text)
    words = words_spent(text)
    took, used_B, said = spent(path)
    path.unlink()
    print(f"{len(text)} B: {took:.2f} s, {took / words:.1f} times as long as its words ({words:.2f} s); {used_B / len(text):.0f} B for each byte")
    assert took < times * words, f"{took:.2f} s for {len(text)} B, whose words took {words:.2f} s"
    assert used_B < memory_B * len(text), f"{used_B} B for {len(text)} B"
    return said


def edits(address, loop):
    text = HEAD + ".global .align 128 .b8 maps[16384];\n" + ENTRY.format(k="") + "AGAIN:\n" * loop
    for i in range(20000):
        text += (f"setp.eq.u32 %p1, %r1, {i};\n@%p1 bra L{i};\n{address.format(i=i, at=128 * i)}\n"
                 "tensormap.replace.tile.rank.global.b1024.b32 [%rd2], 1;\n" f"add.u32 %r2, %r2, 1;\nL{i}:\n")
    return text + "setp.ne.u32 %p2, %r2, %r1;\n@%p2 bra AGAIN;\n" * loop + "ret;\n}\n"


@pytest.mark.parametrize("address", ["add.s64 %rd2, %rd1, {at};", "ld.global.u64 %rd2, [%rd1+{i}];"])
@pytest.mark.parametrize("loop", [False, True])
def test_edits(address, loop, tmp_path):
    judge(tmp_path / "edits.ptx", edits(address, loop), 10, 128)


def test_many_kernels(tmp_path):
    body = "".join(f"add.s32 %r{i % 8}, %r{(i + 1) % 8}, {i};\nmad.lo.s32 %r{(i + 3) % 8}, %r{i % 8}, %r{(i + 5) % 8}, %r2;\n"
                   for i in range(300))
    body = "AGAIN:\n" + body + COPY + "setp.ne.u32 %p2, %r2, %r1;\n@%p2 bra AGAIN;\n"
    count = SIZE_B // len(kernel(body))
    said = judge(tmp_path / "many.ptx", HEAD + "".join(kernel(body, k) for k in range(count)), 5, COMPILERS_B)
    assert f"{count} kernels, {2 * count} tensor instructions" in said


def test_one_kernel(tmp_path):
    parts = []
    for i in range(SIZE_B // 70):
        parts.append(f"add.s32 %r{i % 1000}, %r{(i + 1) % 1000}, {i};\nmad.lo.s32 %r{(i + 3) % 1000}, %r{i % 1000}, %r{(i + 5) % 1000}, %r2;\n")
        if i % 50 == 0:
            parts.append(f"setp.eq.u32 %p1, %r1, {i};\n@%p1 bra L{i};\nadd.s32 %r{i % 1000}, %r{i % 1000}, 1;\nL{i}:\n")
        if i % 500 == 0:
            parts.append(COPY)
    judge(tmp_path / "one.ptx", HEAD + kernel("".join(parts)), 5, COMPILERS_B)


def branches_anywhere():
    n = SIZE_B // 64
    return kernel("".join(f"L{i}: @%p1 bra L{i * 7919 % n};\nadd.s32 %r{i % 1000}, %r{i * 3 % 1000}, 1;\n" for i in range(n)))


def loops_in_loops():
    n = SIZE_B // 52
    return kernel("".join(f"H{i}: add.s32 %r{i % 1000}, %r{i * 3 % 1000}, 1;\n" for i in range(n)) + COPY +
                  "".join(f"@%p1 bra H{n - 1 - i};\n" for i in range(n)))


def tables():
    return kernel("ts: .branchtargets " + ",".join(f"B{i}" for i in range(500)) + ";\n" + "".join(f"B{i}:\n" for i in range(500)) +
                  "brx.idx %r1, ts;\nadd.s32 %r1,%r1,%r2;\n" * (SIZE_B // 40))


def calls_of_calls():
    return "".join(f".func f{i}(.reg .b32 a)\n{{\n" + (f"call f{i - 1}, (a);\ncall f{i - 1}, (a);\n" if i else "") + "ret;\n}\n"
                   for i in range(SIZE_B // 72)) + kernel(f"call f{SIZE_B // 72 - 1}, (%r1);\n")


def against_the_order():
    """Blocks that can only be come to from the last one back, by comparisons of a register with itself."""
    n = SIZE_B // 55
    return kernel("mbarrier.init.shared.b64 [%r6], 1;\nsetp.ne.u32 %p1, %r1, %r1;\n@%p1 bra B0;\n" + "".join(
        f"B{i}: add.u32 %r2, %r2, 1;\n@%p1 bra {f'B{i + 1}' if i < n - 1 else 'E'};\n" for i in reversed(range(n))) + "E:\n")


def mmas_and_copies():
    """Each MMA may read what any copy of two stages left."""
    mma = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd2, %rd2, 1, 1, 1, 0, 0;\n"
    turn = (".reg .f32 %f<5>; .shared .align 1024 .b8 tiles[16384]; .shared .align 8 .b64 bar;\n"
            "mov.u32 %r7, tiles; mov.u32 %r6, bar; mov.u32 %r8, 0;\nAGAIN: shl.b32 %r9, %r8, 13; add.s32 %r3, %r7, %r9;\n"
            "shr.u32 %r10, %r3, 4; and.b32 %r10, %r10, 16383; cvt.u64.u32 %rd2, %r10; or.b64 %rd2, %rd2, 4611756662317645824;\n")
    back = "xor.b32 %r8, %r8, 1; add.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, %r1;\n@%p2 bra AGAIN;\n"
    return kernel(turn + (COPY + mma) * (SIZE_B // 215) + back)


HARD = {
    "MMAs and copies": mmas_and_copies,
    "against the order": against_the_order,
    "branches anywhere": branches_anywhere,
    "loops in loops": loops_in_loops,
    "tables": tables,
    "calls of calls": calls_of_calls,
    "calls": lambda: ".func f(.reg .b32 a)\n{\n" + "add.s32 a, a, 1;\n" * 5000 + "ret;\n}\n" + kernel("call f, (%r1);\n" * (SIZE_B // 16)),
    "parentheses": lambda: ".global .u64 x = " + "(" * (SIZE_B // 2) + "1" + ")" * (SIZE_B // 2) + ";\n" + kernel(""),
    "signs": lambda: ".global .u64 x = " + "-~" * (SIZE_B // 2) + "1;\n" + kernel(""),
    "braces": lambda: kernel("{" * (SIZE_B // 2) + "}" * (SIZE_B // 2)),
    "a vector": lambda: kernel("mov.b64 %rd1, {" + "%r1," * (SIZE_B // 4) + "%r2};\n"),
    "guards": lambda: kernel("".join(f"@%p1 mov.b32 %r{i % 1000}, %r{(i + 1) % 1000};\n" for i in range(SIZE_B // 33))),
    "diamonds": lambda: kernel("".join(f"@%p1 bra A{i};\nadd.s32 %r2, %r2, 1;\nA{i}: mul.lo.s32 %r2, %r2, %r2;\n" for i in range(SIZE_B // 72))),
    "copies": lambda: kernel((COPY + "add.s32 %r4, %r4, 1;\n") * (SIZE_B // 130)),
    "modules": lambda: HEAD.join([".visible .entry k(){ret;}\n"] * (SIZE_B // 75)) + HEAD + kernel(""),
}


@pytest.mark.parametrize("name", HARD)
def test_hard_text(name, tmp_path):
    """No more than a few times what compilers' code takes."""
    judge(tmp_path / "hard.ptx", HEAD + HARD[name](), 15, ANY_B)
