# SPDX-License-Identifier: Apache-2.0
"""`tma emulate` on kernels that are made to break it: each ends by itself with a result or a message, within its limits
on instructions and memory."""
import os

import limited
import pytest
from hostile_ptx import REGISTERS, chain, module

TMA = os.environ["TMA"]
LIMITS = ["--block=32", "--max-instructions=100000", "--max-memory=64000000"]
PRINTS = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
TAKES = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
MISUSE, FINDINGS, NOT_ENDED = 2, 1, 3

# name: PTX, options, exit status, words of the answer
CASES = {
    "no end": (module("L: add.u32 %r1, %r1, 1;\nbra L;"), [], NOT_ENDED, "limit"),
    "a branch to itself": (module("L: bra L;"), [], FINDINGS, "never ends"),
    "no end of branches": (module("mov.u32 %r1, %tid.x;\nL: and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n"
                                  "shr.u32 %r1, %r1, 1;\nbra L;"), [], NOT_ENDED, "limit"),
    "no end of groups": (module("L: cp.async.commit_group;\ncp.async.bulk.commit_group;\nbra L;"), [], NOT_ENDED, "limit"),
    "recursion": (module("call f,();", before=".func f() {call f,(); ret;}\n"), [], NOT_ENDED, "limit"),
    "recursion with memory": (module("call f,();", before=".func f() {.local .b8 a[1000000]; call f,(); ret;}\n"),
                              [], NOT_ENDED, "no more memory for the run"),
    "calls that double": (module("call f59,();", before=".func f0() {ret;}\n" + "".join(
        f".func f{i}() {{call f{i - 1},(); call f{i - 1},(); ret;}}\n" for i in range(1, 60))), [], NOT_ENDED, "limit"),
    "calls in calls": (module("call f4999,();", before=chain(5000)), [], NOT_ENDED, "limit"),
    "a call of a number": (module("mov.u64 %q1, 12345;\nps: .callprototype _ ();\ncall %q1, (), ps;"), [], NOT_ENDED,
                           "no function is at the address that is called"),
    "a call of the kernel": (module("call k,();"), [], NOT_ENDED, "not-executed"),
    "an argument of another space": (module("call f,(g);", before=".global .b8 g[100000];\n.func f(.param .b8 a[100000]) {ret;}\n"),
                                     [], NOT_ENDED, "not-executed"),
    "malloc": (module("L: call (%q1), malloc, (1048576);\nbra L;", before=TAKES), [], NOT_ENDED, "no more memory for the run"),
    "malloc of 4 GiB": (module("call (%q1), malloc, (4294967295);", before=TAKES), [], NOT_ENDED, "no more memory for the run"),
    "printf": (module("mov.u64 %q1, s;\ncvta.global.u64 %q1, %q1;\nL: call (%r1), vprintf, (%q1, 0);\nbra L;",
                      before=PRINTS + ".global .b8 s[8] = {37, 37, 65, 10, 0};\n"), [], NOT_ENDED, "limit"),
    "printf of a wide number": (module("mov.u64 %q1, s;\ncvta.global.u64 %q1, %q1;\ncall (%r1), vprintf, (%q1, %q1);", before=PRINTS +
                                       ".global .b8 s[20] = {37, " + "57, " * 15 + "100, 10, 0};\n"), [], 0, "completed"),
    "a format without an end": (module("mov.u64 %q1, s;\ncvta.global.u64 %q1, %q1;\ncall (%r1), vprintf, (%q1, %q1);",
                                       before=PRINTS + ".global .b8 s[4] = {65, 65, 65, 65};\n"), [], 0, "completed"),
    "division by zero": (module("div.s32 %r1, %r2, 0;\nmov.b32 %r3, -2147483648;\ndiv.s32 %r1, %r3, -1;\nrem.s32 %r1, %r3, -1;\n"
                                "mov.b64 %q1, -9223372036854775808;\ndiv.s64 %q2, %q1, -1;\nrem.s64 %q2, %q1, -1;\nrem.u64 %q2, %q1, 0;"),
                         [], 0, "completed"),
    "registers in number": (module("mov.b64 %z1, 0;", registers=".reg .b64 %z<4294967295>;"), [], 0, "completed"),
    "one register": (module("mov.b64 %r0, 0;", registers=".reg .b32 %r<1>;"), [], NOT_ENDED, "not-executed"),
    "local memory": (module(".local .b8 a[1099511627776];"), [], NOT_ENDED, "limit"),
    "local memory that wraps": (module("".join(f".local .b8 a{i}[1099511627776];\n" for i in range(1 << 19))), [], NOT_ENDED, "limit"),
    "shared memory": (module("st.shared.u32 [a], %r1;", before=".shared .b8 a[1099511627776];\n"), [], MISUSE, "2^24"),
    "an alignment": (module("st.shared.u32 [a], %r1;", before=".shared .align 2147483648 .b8 a[16];\n"), [], MISUSE, "2^24"),
    "an alignment beyond 32 bits": (module("", before=".global .align 4294967296 .b8 a[16];\n"), [], MISUSE, "a: a declaration"),
    "global memory": (module("", before=".global .b8 a[1099511627776];\n"), [], MISUSE, "no memory for the launch"),
    "global memory with one number": (module("", before="".join(f".global .b8 a{i}[1073741824] = {{1}};\n" for i in range(20))),
                                      [], MISUSE, "no memory for the launch"),
    "parameters": (module("", parameters=".param .b8 p[4294967296]"), [], MISUSE, "4294967296"),
    "dimensions": (module("", before=".global .b8 a" + "[1]" * 100000 + ";\n"), [], MISUSE, "a: a declaration"),
    "a list in lists": (module("", before=".global .u64 a[1] = " + "{" * 100000 + "1" + "}" * 100000 + ";\n"), [], MISUSE, "initialiser"),
    "an address of itself": (module("mov.u64 %q1, a;\nld.global.u64 %q2, [%q1];", before=".global .u64 a[2] = {a, a+8};\n"), [], 0, "completed"),
    ".reqntid": (module("", behind=".reqntid 4294967297"), ["--block=1"], MISUSE, "4294967295"),
    ".maxntid": (module("", behind=".maxntid 65536, 65536, 65536"), ["--block=2048"], MISUSE, "at most 1024"),
    "a grid": (module("st.global.u32 [%q1], %r1;"), ["--grid=2147483647"], NOT_ENDED, "limit"),
    "grids": (module("st.global.u32 [%q1], %r1;"), ["--grid=2147483647,65535,65535"], NOT_ENDED, "limit"),
    "no memory": (module(""), ["--max-memory=1"], MISUSE, "no memory for the launch"),
    "little memory": (module(""), ["--max-memory=100000"], NOT_ENDED, "limit"),
    "braces": (module("mov.b32 %r1, " + "{" * 20000 + "%r2" + "}" * 20000 + ";"), [], NOT_ENDED, "not-executed"),
    "brackets": (module("ld.global.u32 %r1, " + "[%q1," * 20000 + "%r2" + "]" * 20000 + ";"), [], NOT_ENDED, "not-executed"),
    "parentheses": (module("add.s32 %r1, %r1, " + "(" * 200000 + "1" + ")" * 200000 + ";"), [], NOT_ENDED, "not-executed"),
    "blocks": (module("{" * 100000 + "}" * 100000), [], 0, "completed"),
    "labels": (module("mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 99;\nL:\n" + "@%p1 bra {L, L, L, L, L, L, L, L, L, L, L, L, L};\n" * 50), [], NOT_ENDED, "not-executed"),
    "an index beyond its labels": (module("L:\nts: .branchtargets L, L;\nmov.u32 %r1, 4294967295;\nbrx.idx %r1, ts;"), [], FINDINGS, "trap"),
    "barriers": (module("bar.sync 2147483647;"), [], FINDINGS, "trap"),
    "a shift": (module("shl.b32 %r1, %r2, 4294967295;\nbfe.s64 %q1, %q2, 4294967295, 4294967295;\nbfi.b64 %q1, %q2, %q3, 4294967295, 4294967295;"),
                [], 0, "completed"),
    "a copy of 4 GiB": (module("mov.u64 %q1, g;\nL: cp.async.bulk.prefetch.L2.global [%q1], 4294967280;\nbra L;",
                               before=".global .align 16 .b8 g[64];\n"), [], NOT_ENDED, "limit"),
}


@pytest.mark.parametrize("name", CASES)
def test_ends_within_its_limits(name):
    text, options, status, words = CASES[name]
    own = {o.split("=")[0] for o in options}
    limits = [o for o in LIMITS if o.split("=")[0] not in own]
    was, used_B, said = limited.run([TMA, "emulate", "-", *limits, *options], text)
    assert was == status and words in said, f"exit status {was}: {said[-2000:]}"
    assert used_B < limited.MOST_MEMORY_B + 60 * len(text), used_B


def test_registers_are_the_kernels_own():
    """Registers by chance, of any width: no instruction reaches past the last."""
    assert ".b64" in REGISTERS
    for kind in ("mov.b64 %r0, 0;", "mov.b64 %r0, {%r0, %r0};", "mov.b32 {%h0, %h0}, %r0;", "mov.b128 %q0, 0;", "cvta.shared.u64 5, %q0;"):
        status, _, said = limited.run([TMA, "emulate", "-", *LIMITS], module(kind, registers=".reg .b32 %r<1>; .reg .b16 %h<1>; .reg .b64 %q<1>;"))
        assert status in (0, NOT_ENDED) and "kernel k" in said, said
