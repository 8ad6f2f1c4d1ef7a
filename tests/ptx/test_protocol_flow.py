# SPDX-License-Identifier: Apache-2.0
"""What tools/protocol_flow.py proves of fences and waits that do nothing, and what it must not prove."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import protocol_flow  # noqa: E402

WRITE = "st.shared.b32 [%r1], %r2;\n"
READ = "ld.shared.b32 %r2, [%r1];\n"
FENCE = "fence.proxy.async.shared::cta;\n"
STORE = "cp.async.bulk.global.shared::cta.bulk_group [%q1], [%r1], 64;\ncp.async.bulk.commit_group;\n"
TRY = "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;\n@!%p1 bra W;\n"


def ways(body):
    return protocol_flow.Ways(f".visible .entry k(.param .u32 n)\n{{\n{body}ret;\n}}\n")


def find(of, words, last=False):
    return [i for i, t in enumerate(of.text) if t.startswith(words)][-1 if last else 0]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (WRITE + FENCE + FENCE, ""),
        (FENCE, ""),
        (READ + FENCE, "reads"),
        (WRITE + FENCE + WRITE + FENCE, None),
        (WRITE + "@%p2 " + FENCE + FENCE, None),
        ("mbarrier.init.shared::cta.b64 [%r1], 1;\n" + FENCE, None),
        ("mbarrier.init.shared::cta.b64 [%r1], 1;\nbar.sync 0;\n" + FENCE, ""),
        ("A:\n" + FENCE + STORE + WRITE + "@%p1 bra A;\n" + FENCE, None),
        # both under one predicate: who runs the second one has run the first one
        (WRITE + "@%p5 bra A;\n" + FENCE + "A:\n@%p5 bra B;\n" + FENCE + "B:\n", ""),
        (WRITE + "@%p5 bra A;\n" + FENCE + "A:\n@%p6 bra B;\n" + FENCE + "B:\n", None),
    ],
)
def test_a_fence(body, why):
    of = ways("setp.eq.u32 %p5, %r3, 0;\nsetp.eq.u32 %p6, %r4, 0;\n" + body)
    assert of.fence(find(of, "fence", last=True)) == why


WAIT = "cp.async.bulk.wait_group.read {};\n"


@pytest.mark.parametrize(
    ("body", "idle"),
    [
        (WAIT.format(0), True),
        (STORE + WAIT.format(0) + WRITE, False),
        (STORE + WAIT.format(1) + WRITE, True),
        (STORE + STORE + WAIT.format(1) + WRITE, False),
        (STORE + WAIT.format(0) + STORE + WAIT.format(0) + WRITE, True),
        (STORE + WAIT.format(0) + STORE + WAIT.format(1) + WRITE, False),
        ("A:\n" + STORE + WAIT.format(1) + "@%p1 bra A;\n" + WRITE, False),
        ("cp.async.bulk.commit_group;\n" + WAIT.format(0) + WRITE, True),
    ],
)
def test_a_wait_for_groups(body, idle):
    of = ways(body)
    assert of.is_idle_group(find(of, "cp.async.bulk.wait_group")) == idle


@pytest.mark.parametrize(
    ("body", "last"),
    [
        (TRY, True),
        (TRY + "st.global.b32 [%q1], %r1;\n", False),
        (TRY + "bar.sync 0;\n", False),
        ("barrier.cluster.arrive;\n" + TRY, False),
    ],
)
def test_a_wait(body, last):
    of = ways(body)
    assert of.is_last_wait(find(of, "mbarrier.try_wait")) == last
