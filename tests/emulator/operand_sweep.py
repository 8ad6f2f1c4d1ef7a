# SPDX-License-Identifier: Apache-2.0
"""operand_sweep.py TMA PTXAS [SEED] [N]: N drawn instructions with registers of each type, names and literals
in each place: which ptxas takes for sm_90a and which `tma emulate` takes. Run by hand:
python3 tests/emulator/operand_sweep.py build/tma ptxas 47 1500
"""
import collections
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

KERNEL = """.version 9.0
.target sm_90a
.address_size 64
.const .align 16 .b32 k[8];
.global .align 16 .b32 gw[8];
.visible .entry kernel(.param .u64 out)
{
.reg .b8 %b<4>; .reg .u8 %ub<4>; .reg .b16 %h<8>; .reg .u16 %uh<4>; .reg .s16 %sh<4>; .reg .f16 %f16<4>;
.reg .b32 %r<8>; .reg .u32 %ur<4>; .reg .s32 %sr<4>; .reg .f32 %f<4>; .reg .f16x2 %fx<4>;
.reg .b64 %d<8>; .reg .u64 %ud<4>; .reg .s64 %sd<4>; .reg .f64 %fd<4>; .reg .b128 %q<4>; .reg .pred %p<4>;
.shared .align 16 .b32 sh[64]; .local .align 16 .b32 lo[64];
ld.param.u64 %d0, [out]; mov.u64 %d1, %d0;
BRANCH INSTRUCTION
END:
ret;
}
"""
OPERANDS = ("%b1 %ub1 %h1 %uh1 %sh1 %f161 %fx1 %r1 %ur1 %sr1 %f1 %d2 %ud1 %sd1 %fd1 %q1 %p1 gw sh lo k %tid.x "
            "%clock64 5 1.0").split()
TYPES = "b8 u8 s8 b16 u16 s16 f16 bf16 f16x2 b32 u32 s32 f32 b64 u64 s64 f64 b128".split()
OF_A_TYPE = """ld.global.T X, [%d0]; st.global.T [%d0], X; mov.T X, Y; ld.global.v2.T {X, Y}, [%d0];
st.global.v2.T [%d0], {X, Y}; setp.eq.T %p2, X, Y; selp.T X, Y, Y, %p2; ld.shared.T X, [sh];
atom.global.exch.T X, [%d0], Y; atom.global.add.T X, [%d0], Y; atom.global.cas.T X, [%d0], Y, Y;
red.global.add.T [%d0], X; red.global.or.T [%d0], X; redux.sync.add.T X, Y, -1; match.any.sync.T X, Y, -1;
add.T X, Y, Y; and.T X, Y, Y; shl.T X, Y, %r2; shl.T X, X, Y"""
OF_TWO_TYPES = "cvt.T.U X, Y; cvt.rn.T.U X, Y; cvt.rzi.T.U X, Y; set.eq.T.U X, Y, Y; slct.T.U X, X, X, Y"
OF_NONE = """shfl.sync.idx.b32 X, Y, 1, 31, -1; shfl.sync.up.b32 X, Y, 1, 31, -1; shfl.sync.bfly.b32 X, Y, 1, 31, -1;
shfl.sync.idx.b32 %r1, %r2, X, Y, -1; shfl.sync.idx.b32 %r1|X, %r2, 0, 31, Y; vote.sync.ballot.b32 X, Y, -1;
vote.sync.any.pred X, %p2, Y; elect.sync X|%p2, Y; bar.sync X, Y; prmt.b32 X, Y, %r2, %r3; prmt.b32 %r1, %r2, X, Y;
lop3.b32 X, Y, %r2, %r3, 3; ld.global.b32 %r1, [X]; ld.shared.b32 %r1, [X]; st.global.b32 [X], Y;
cvta.to.global.u64 X, Y; cvta.shared.u64 X, Y; mapa.shared::cluster.u32 X, Y, 0; mapa.u64 X, Y, 0; nanosleep.u32 X;
mbarrier.init.shared.b64 [sh], X; mbarrier.arrive.shared.b64 X, [sh]; mbarrier.arrive.shared.b64 X, [sh], Y;
mbarrier.test_wait.shared.b64 X, [sh], Y; mbarrier.try_wait.parity.shared.b64 X, [sh], Y; activemask.b32 X;
isspacep.shared X, Y; popc.b32 X, Y; popc.b64 X, Y; bfe.u32 X, Y, 1, 2; bfi.b32 X, Y, %r2, 1, 2;
createpolicy.fractional.L2::evict_first.b64 X, Y; cp.async.ca.shared.global [sh], [X], 4;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [X], Y, [sh]"""


def forms():
    """By opcode, so that each opcode is drawn as often as another."""
    split = [[form.strip() for form in text.split(";")] for text in (OF_A_TYPE, OF_TWO_TYPES, OF_NONE)]
    every = [form.replace(".T", "." + t) for form in split[0] for t in TYPES]
    every += [form.replace(".T", "." + t).replace(".U", "." + u) for form in split[1] for t in TYPES for u in TYPES]
    by_opcode = collections.defaultdict(list)
    for form in every + split[2]:
        by_opcode[form.split(".")[0]].append(form)
    return by_opcode


def drawn(seed, count):
    rng, of, out = random.Random(seed), forms(), set()
    while len(out) < count:
        form = rng.choice(of[rng.choice(sorted(of))])
        x = rng.choice(OPERANDS)
        y = x if rng.random() < 0.45 else rng.choice(OPERANDS)
        out.add(form.replace("X", x).replace("Y", y) + ";")
    return sorted(out)


def takes(command, instruction, branch):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write(KERNEL.replace("BRANCH", branch).replace("INSTRUCTION", instruction))
        f.flush()
        done = subprocess.run([*command[0], f.name, *command[1]], capture_output=True, text=True, check=False)
    return done.returncode < 2 and "not-executed" not in done.stdout.split("\n")[0]


def main():
    tma, ptxas = sys.argv[1:3]
    seed, count = int(sys.argv[3]) if sys.argv[3:] else 47, int(sys.argv[4]) if sys.argv[4:] else 1500
    launch = "--param out=zeros:512 --block 32 --max-instructions 2000".split()
    instructions, counts = drawn(seed, count), collections.Counter()

    def ask(instruction):
        by_ptxas = [ptxas, "-arch", "sm_90a", "-o", "/dev/null"], []
        done = takes(by_ptxas, instruction, "bra END;"), takes(([tma, "emulate"], launch), instruction, "")
        return instruction, done

    with ThreadPoolExecutor(2) as pool:
        for instruction, (there, here) in pool.map(ask, instructions):
            counts[there, here] += 1
            if there != here:
                print("ptxas alone" if there else "here alone ", instruction)
    print(f"of {count} both take {counts[True, True]}, ptxas alone {counts[True, False]}, "
          f"tma emulate alone {counts[False, True]}")


main()
