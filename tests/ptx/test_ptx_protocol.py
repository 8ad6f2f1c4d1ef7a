# SPDX-License-Identifier: Apache-2.0
"""Fences, waits and reuse: kernels before and after public fixes (protocol_pairs.py)."""

import json
import os
import subprocess

import pytest
import protocol_ring_pairs
import protocol_thread_pairs
from protocol_pairs import BEGIN, HEAD, ONE_STORE, PAIRS, STORE, sides

TMA = os.environ["TMA"]
ALL = PAIRS | protocol_ring_pairs.PAIRS | protocol_thread_pairs.PAIRS


def said(text):
    run = subprocess.run([TMA, "ptx", "--json", "-"], input=text, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    answer = json.loads(run.stdout)
    rows = [f for i in answer["instructions"] for f in i["findings"]] + answer["findings"]
    return [(f["rule"], f["certain"]) for f in rows]


@pytest.mark.parametrize("name", ALL)
def test_named_before_and_silent_after(name):
    _, rule, kernel = ALL[name]
    before, after = sides(kernel)
    assert rule in [r for r, _ in said(before)]
    assert said(after) == []


WRITE = "st.shared.b32 [%r4], %r1;\n"
FENCE = "fence.proxy.async.shared::cta;\n"
UNHELPFUL = {
    "after the copy": f"{WRITE}bar.sync 0;\n{ONE_STORE.replace('ret;', FENCE + 'ret;')}",
    "for another space": f"{WRITE}fence.proxy.async.global;\nbar.sync 0;\n{ONE_STORE}",
    "on a branch that no one takes": f"{WRITE}setp.eq.u32 %p5, 1, 0;\n@%p5 bra F;\nbra B;\nF:\n"
    f"{FENCE}B:\nbar.sync 0;\n{ONE_STORE}",
    "in another turn": f"""mov.u32 %r10, 0;
HEAD:
{FENCE}{WRITE}bar.sync 0;
@%p1 bra NEXT;
{STORE}cp.async.bulk.wait_group.read 0;
NEXT:
bar.sync 0;
add.s32 %r10, %r10, 1;
setp.lt.s32 %p2, %r10, %r20;
@%p2 bra HEAD;
ret;
""",
    "under a condition that the copy contradicts": f"{WRITE}setp.ne.u32 %p6, %r20, 7;\n@%p6 bra B;\n"
    f"{FENCE}B:\nbar.sync 0;\n@!%p6 bra DONE;\n{ONE_STORE}",
}


@pytest.mark.parametrize("where", UNHELPFUL)
def test_a_fence_where_it_does_not_help(where):
    assert "proxy-store" in [r for r, _ in said(HEAD + BEGIN + UNHELPFUL[where] + "}\n")]


def test_a_fence_in_a_called_function():
    called = ".func fenced()\n{\n" + FENCE + "ret;\n}\n"
    kernel = f"{WRITE}call fenced;\nbar.sync 0;\n{ONE_STORE}"
    assert said(HEAD + called + BEGIN + kernel + "}\n") == []
    empty = called.replace(FENCE, "")
    assert "proxy-store" in [r for r, _ in said(HEAD + empty + BEGIN + kernel + "}\n")]


def test_a_call_that_is_not_seen_makes_nothing_certain():
    outside = ".extern .func outside();\n"
    kernel = f"{WRITE}call outside;\nbar.sync 0;\n{ONE_STORE}"
    assert said(HEAD + outside + BEGIN + kernel + "}\n") == []
    kernel = f"call outside;\n{WRITE}bar.sync 0;\n{ONE_STORE}"
    assert said(HEAD + outside + BEGIN + kernel + "}\n") == [("proxy-store", False)]


def test_one_thread_fences_what_it_writes():
    """A thread that writes alone needs no other one's fence."""
    kernel = f"@%p1 bra B;\n{WRITE}{FENCE}B:\nbar.sync 0;\n{ONE_STORE}"
    assert said(HEAD + BEGIN + kernel + "}\n") == []


def test_notes_of_ptxas_have_the_findings(tmp_path):
    source, notes = tmp_path / "k.ptx", tmp_path / "notes"
    source.write_text(sides(PAIRS["FlashKDA#24"][2])[0])
    command = [TMA, "ptxas", f"--notes={notes}", "--real=/bin/true", "-arch=sm_90a", str(source)]
    subprocess.run(command, check=True, capture_output=True)
    assert "proxy-store, certain: reads shared memory as it was" in notes.read_text()


@pytest.mark.parametrize("directive, is_certain", [
    ("", False), (".explicitcluster\n.reqnctapercluster 1, 1, 1\n", False), (".maxclusterrank 8\n", False),
    (".reqnctapercluster 2\n", True), (".explicitcluster\n.reqnctapercluster 1, 12, 1\n", True)])
def test_a_cluster_may_be_of_one_cta(directive, is_certain):
    """Where the kernel does not say how many it takes, its launch does."""
    before, _ = sides(ALL["a store into a CTA that ends"][2])
    assert said(before.replace(")\n{", f")\n{directive}{{", 1)) == [("exit", is_certain)]
