# SPDX-License-Identifier: Apache-2.0
"""No finding is lost in silence: what is too large to be judged to its end says so, in each answer."""
import json
import os
import subprocess

import pytest
from pairs import ALL, PADS, noted, padded, sides

TMA = os.environ["TMA"]


def answer(text, *options):
    run = subprocess.run([TMA, "ptx", "--json", *options, "-"], input=text, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    return json.loads(run.stdout), run.returncode


def rules(said):
    return {f["rule"] for i in said["instructions"] for f in i["findings"]} | {f["rule"] for f in said["findings"]}


@pytest.mark.parametrize("count", PADS)
@pytest.mark.parametrize("name", ALL)
def test_a_finding_stays_beside_acts_that_meet_none_of_its_own(name, count):
    kernel = ALL[name][2]
    named = {value.removeprefix("may ").split()[0] for word, value in noted(kernel) if word == "said"}
    before, after = (padded(side, count) for side in sides(kernel))
    said, _ = answer(before)
    assert rules(said) == named and not said["unjudged"]  # of a pair that only `tma emulate` reports: nothing
    said, _ = answer(after)
    assert not rules(said)


def large(loads):
    """Loads that nobody waits for, each with the bytes that it expects."""
    copy = ("mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%p], 16, [bar];\n")
    return (".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 from)\n{\n"
            ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b8 bar[8];\n.reg .b64 %p;\n"
            "ld.param.u64 %p, [from];\nmbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n"
            + copy * loads + "ret;\n}\n")


def test_each_answer_says_it():
    few, few_status = answer(large(100), "--werror=unjudged")
    assert "wait-missing" in rules(few) and not few["unjudged"] and few_status == 1
    said, status = answer(large(2000))
    assert status == 0 and not rules(said) and len(said["unjudged"]) == 1
    one = said["unjudged"][0]
    assert one["function"] == "k" and (one["line"], one["last_line"]) == (5, 4012)
    assert "wait-missing" in one["by_rules"] and one["bounds"]
    note, = (n for n in said["notes"] if n.startswith("not judged: "))
    assert "kernel k, lines 5 to 4012" in note and "wait-missing" in note
    assert answer(large(2000), "--werror=unjudged")[1] == 1
    assert answer(large(2000), "--werror=certain", "--werror=unjudged")[1] == 1
    assert answer(large(2000), "--werror=certain")[1] == 0
    text = subprocess.run([TMA, "ptx", "-"], input=large(2000), capture_output=True, text=True, check=False).stdout
    assert f"note: {note}\n" in text


def far(operations):
    """A load that nobody waits for; another barrier's address is made by so many operations."""
    return (".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 from)\n{\n"
            ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b64 bar, others[8];\n.reg .b64 %p; .reg .b32 %r<4>; .reg .pred %q;\n"
            "ld.param.u64 %p, [from];\nmbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.init.shared::cta.b64 [others], 1;\n"
            "fence.mbarrier_init.release.cluster;\nmov.u32 %r1, %laneid;\n" +
            "".join(f"mul.lo.u32 %r1, %r1, %r1;\nadd.u32 %r1, %r1, {i};\n" for i in range(operations)) +
            "mov.u32 %r2, others;\nadd.u32 %r2, %r2, %r1;\n"
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%p], 16, [bar];\n"
            "W: mbarrier.try_wait.parity.shared::cta.b64 %q, [%r2], 0;\n@!%q bra W;\nld.shared.b32 %r3, [tile];\n"
            "st.global.b32 [%p], %r3;\nret;\n}\n")


def test_each_answer_says_that_it_is_not_known_where_a_barrier_lies():
    few, _ = answer(far(100))
    assert "wait-missing" in rules(few) and not few["unjudged"]
    said, _ = answer(far(100_000))
    assert "wait-missing" not in rules(said) and [one["function"] for one in said["unjudged"]] == ["k"]
    assert any("barriers" in bound for bound in said["unjudged"][0]["bounds"])
    assert {"wait-missing", "parity-constant"} <= set(said["unjudged"][0]["by_rules"])
    assert answer(far(100_000), "--werror=certain", "--werror=unjudged")[1] == 1


def test_each_answer_of_checked_kernels_says_it_too(tmp_path):
    (tmp_path / "k.ptx").write_text(large(2000))
    subprocess.run([TMA, "ptxas", "--real=/bin/true", f"--notes={tmp_path}/notes", tmp_path / "k.ptx"], check=True)
    lines = (tmp_path / "notes").read_text().splitlines()
    said, = (line for line in lines if "not judged" in line)
    assert said.startswith("  not judged: kernel k, lines 5 to 4012, by ") and "wait-missing" in said
    for count, words in (1, "1 kernel was too large to be judged to the end by tma ptx: --notes=FILE has it"), (2, "2 kernels were"):
        script = f'for i in $(seq {count}); do printf "{said}\\ntotal 1 found 1 checked\\n" >>"$TMA_PTXAS_NOTES"; done'
        done = subprocess.run([TMA, "run-checked", "sh", "-c", script], capture_output=True, text=True, check=False)
        assert f"tma run-checked: {words}" in done.stderr
