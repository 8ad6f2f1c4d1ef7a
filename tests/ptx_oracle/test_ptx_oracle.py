# SPDX-License-Identifier: Apache-2.0
"""What ptx/ says is known of registers, held against kernels run as statements: random programs that ptxas takes, with
loops and calls in half of them. TMA_PTX_KERNELS says how many (make long: 10,000), TMA_PTX_SEED from which on."""
import os
import random
import shutil
import subprocess

import ptx_ops as ops
from ptx_known import Count, compare, dumped, programs, random_parameters
from ptx_run import Thread
from ptx_text import Text

PTXAS = os.environ.get("PTXAS") or shutil.which("ptxas")
KERNELS = int(os.environ.get("TMA_PTX_KERNELS", "300"))
SEED = int(os.environ.get("TMA_PTX_SEED", "1"))


def four_threads(maker, seed):
    threads = []
    for i in range(4):
        r = random.Random(f"{seed} {i}")
        parameters = random_parameters(maker, r)
        threads.append(Thread(maker, {"%tid.x": r.randint(0, 31), "%ctaid.x": r.randint(0, 1000)}, parameters))
    return threads


def assembled(path):
    done = subprocess.run([PTXAS, "-arch=sm_90a", "-O0", "-o", "/dev/null", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, f"{path}: {done.stderr}"


def test_what_is_known_is_what_threads_have(tmp_path):
    count, wrong, kernels = Count(), [], 0
    batch = []
    for seed, maker, threads in programs(range(SEED, SEED + KERNELS), four_threads, with_clocks=True):
        text = Text(maker)
        path = tmp_path / f"{seed}.ptx"
        path.write_text(text.text)
        batch.append((path, maker, text, threads))
        kernels += 1
        count.loops += bool(text.loop_line)
        count.calls += bool(text.call_line)
        if len(batch) == 100:
            wrong += judged(batch, count)
            batch = []
    wrong += judged(batch, count)
    print(f"{kernels} kernels, {count.loops} with loops, {count.calls} with calls, {count.copies} copies, "
          f"{count.constants} operands constant by construction, {count.known} known; {count.forms} forms")
    assert not wrong, "\n".join(wrong[:20])
    assert count.known >= 0.9 * count.constants
    assert count.loops >= 0.4 * kernels and count.calls >= 0.4 * kernels


def judged(batch, count):
    wrong = []
    known = dumped([path for path, *_ in batch])
    for path, maker, text, threads in batch:
        wrong += [f"{path}: {w}" for w in compare(maker, text, known[str(path)], threads, count)]
        if not wrong:
            if PTXAS and os.environ.get("TMA_PTX_ASSEMBLE", "1") == "1":
                assembled(path)
            path.unlink()
    return wrong


def test_twins_are_assembled(tmp_path):
    if not PTXAS:
        return
    for seed, maker, _ in programs(range(SEED, SEED + min(KERNELS, 40)), four_threads):
        path = tmp_path / f"{seed}.ptx"
        path.write_text(Text(maker, twin=True).text)
        assembled(path)


def test_the_oracle_itself():
    """Rows of PTX's document, typed in by hand."""
    assert ops.run("shr.s32", [0x80000000, 40]) == 0xFFFFFFFF and ops.run("shr.u32", [0x80000000, 40]) == 0
    assert ops.run("mul.wide.s32", [0xFFFFFFFF, 2]) == (1 << 64) - 2 and ops.run("mul.wide.u32", [0xFFFFFFFF, 2]) == 0x1FFFFFFFE
    assert ops.run("mul.hi.s32", [0xFFFFFFFF, 2]) == 0xFFFFFFFF and ops.run("cvt.s32.s8", [0x80]) == 0xFFFFFF80
    assert ops.run("prmt.b32", [0x44332211, 0x88776655, 0x7F40]) == 0x88FF5511 and ops.run("shf.l.wrap.b32", [1 << 31, 1, 33]) == 3
    assert ops.run("add.sat.s32", [0x7FFFFFFF, 1]) == 0x7FFFFFFF and ops.run("bfe.u32", [0xF0, 4, 40]) == 0xF
