# SPDX-License-Identifier: Apache-2.0
"""What one thread, or some, does alone where others need it, before and after a fix, as in
protocol_pairs.py; and what a barrier lives through."""

from protocol_pairs import EXPECT, INIT, LOAD, ONE_STORE, READ, STORE, WRITE_TILE, marked, turn, wait

FENCE = "fence.proxy.async.shared::cta;\n"
WAIT = wait("L")
BEGUN_LOAD = f"{INIT}@%p1 bra W;\n{EXPECT}{LOAD}W:\n"
FLAG = "setp.eq.u32 %p7, %r20, 0;\n"
INVAL = "mbarrier.inval.shared::cta.b64 [%r5];\n"
STORE_LOOP = f"""mov.u32 %r10, 0;
HEAD:
{WRITE_TILE}@%p1 bra NEXT;
{STORE}cp.async.bulk.wait_group.read 0;
NEXT:
+bar.sync 0;
{turn("HEAD")}ret;
"""

PAIRS = {
    "one thread's fence": (
        "the leader alone runs the fence, and all write",
        "proxy-store",
        f"st.shared.b32 [%r4], %r1;\n-@%p1 bra B;\n{FENCE}-B:\nbar.sync 0;\n{ONE_STORE}",
    ),
    "one thread's fence, guarded": (
        "the same by a predicate, in each warp",
        "proxy-store",
        "mov.u32 %r31, %laneid;\nsetp.eq.u32 %p6, %r31, 0;\nst.shared.b32 [%r4], %r1;\n"
        f"-@%p6 {FENCE}+{FENCE}bar.sync 0;\n{ONE_STORE}",
    ),
    "one thread waits for its group": (
        "the leader waits before the next tile, and no barrier keeps the others behind its wait",
        "store-reuse",
        STORE_LOOP,
    ),
    "one thread waits for its group, once": (
        "two tiles one after the other: the barrier stands before the wait",
        "store-reuse",
        f"""{WRITE_TILE}@%p1 bra ON;
{STORE}ON:
-bar.sync 0;
@%p1 bra ON2;
cp.async.bulk.wait_group.read 0;
ON2:
+bar.sync 0;
{WRITE_TILE}{ONE_STORE}""",
    ),
    "one lane waits for its group": (
        "each warp stores its own part, and bar.warp.sync is missing behind the first lane's wait",
        "store-reuse",
        f"""and.b32 %r31, %r1, 31;
setp.ne.u32 %p6, %r31, 0;
mov.u32 %r10, 0;
HEAD:
@%p6 bra ON;
cp.async.bulk.wait_group.read 0;
ON:
+bar.warp.sync -1;
st.shared.v4.b32 [%r4], {{%r10, %r10, %r10, %r10}};
{FENCE}bar.warp.sync -1;
@%p6 bra NEXT;
cp.async.bulk.global.shared::cta.bulk_group [%q1], [%r4], 512;
cp.async.bulk.commit_group;
NEXT:
{turn("HEAD")}@%p6 bra DONE;
cp.async.bulk.wait_group.read 0;
DONE:
ret;
""",
    ),
    "read, then waited for": (
        "a barrier of the CTA stands before the read, the wait behind it",
        "wait-missing",
        f"{BEGUN_LOAD}bar.sync 0;\n{marked('+', WAIT)}ld.shared.b32 %r30, [%r4];\n"
        f"{marked('-', WAIT)}st.global.b32 [%q1], %r30;\nret;\n",
    ),
    "one warp waits": (
        "a warp waits, all read, and no barrier stands behind the wait",
        "wait-missing",
        f"setp.gt.u32 %p6, %r1, 31;\n{BEGUN_LOAD}@%p6 bra ON;\n{WAIT}ON:\n+bar.sync 0;\n{READ}ret;\n",
    ),
    "a fence under a parameter": (
        "the fence is behind a flag that nothing else hangs on",
        "proxy-store",
        f"{FLAG}st.shared.b32 [%r4], %r1;\n-@%p7 bra ON;\n{FENCE}-ON:\nbar.sync 0;\n{ONE_STORE}",
    ),
    "a fence under the copy's parameter": (
        "the copy hangs on the same flag in the right one",
        "proxy-store",
        f"{FLAG}st.shared.b32 [%r4], %r1;\n@%p7 bra ON;\n{FENCE}ON:\nbar.sync 0;\n+@%p7 bra DONE;\n{ONE_STORE}",
    ),
    "a wait under a parameter": (
        "the same of a wait",
        "wait-missing",
        f"{FLAG}{BEGUN_LOAD}-@%p7 bra ON;\n{WAIT}-ON:\n{READ}ret;\n",
    ),
    "a wait for the group under a parameter": (
        "the same of a wait_group",
        "store-reuse",
        f"""{FLAG}mov.u32 %r10, 0;
HEAD:
{WRITE_TILE}@%p1 bra NEXT;
{STORE}-@%p7 bra NEXT;
cp.async.bulk.wait_group.read 0;
NEXT:
bar.sync 0;
add.s32 %r10, %r10, 1;
setp.lt.s32 %p2, %r10, 9;
@%p2 bra HEAD;
@%p1 bra DONE;
cp.async.bulk.wait_group.read 0;
DONE:
ret;
""",
    ),
    "the CTA ends behind a loop": (
        "each turn waits for the store before it, and nothing waits for the last one",
        "store-reuse",
        f"""mov.u32 %r10, 0;
HEAD:
@%p1 bra ON;
cp.async.bulk.wait_group.read 0;
ON:
bar.sync 0;
{WRITE_TILE}@%p1 bra NEXT;
{STORE}NEXT:
{turn("HEAD")}@%p1 bra DONE;
+cp.async.bulk.wait_group.read 0;
DONE:
ret;
""",
    ),
    "one thread waits for its warp": (
        "bar.warp.sync stands behind the wait where the CTA has several warps",
        "wait-missing",
        f"{INIT}@%p1 bra W;\n{EXPECT}{LOAD}{WAIT}W:\n-bar.warp.sync -1;\n+bar.sync 0;\n{READ}ret;\n",
    ),
    "a wait that nobody looks at": (
        "try_wait is tried once, and its answer is thrown away",
        "wait-missing",
        f"{BEGUN_LOAD}-mbarrier.try_wait.parity.shared::cta.b64 %p9, [%r5], 0;\n{marked('+', WAIT)}{READ}ret;\n",
    ),
    "never initialised": (
        "mbarrier.init was forgotten",
        "barrier-init",
        f"{marked('+', INIT)}@%p1 bra W;\n{EXPECT}{LOAD}W:\n{WAIT}{READ}ret;\n",
    ),
    "invalidated in flight": (
        "the copy still completes on the barrier",
        "barrier-init",
        f"{INIT}@%p1 bra DONE;\n{EXPECT}{LOAD}{marked('+', WAIT)}{INVAL}DONE:\n+bar.sync 0;\n"
        "+ld.shared.b32 %r30, [%r4];\n+st.global.b32 [%q1], %r30;\nret;\n",
    ),
    "invalidated while others wait": (
        "the leader has waited, others may not have",
        "barrier-init",
        f"{BEGUN_LOAD}{WAIT}{READ}+bar.sync 0;\n@%p1 bra DONE;\n{INVAL}DONE:\nret;\n",
    ),
}
