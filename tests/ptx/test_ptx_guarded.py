# SPDX-License-Identifier: Apache-2.0
"""Certain means proved: where a fence, a barrier, a wait or an arrival at some place of a wrong kernel would mend it, and
it is passed by under a condition of which nothing is known, the finding may still be said, but not as certain. Each is
tried at each place of each pair's first kernel."""

import json
import os
import pathlib
import re
import subprocess
import sys

from pairs import ALL, sides

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from drawn import SHARE, is_drawn  # noqa: E402

MENDS = [
    "fence.proxy.async.shared::cta;", "fence.proxy.async;", "fence.proxy.async.global;", "fence.acq_rel.gpu;", "bar.sync 0;", "bar.warp.sync -1;",
    "fence.mbarrier_init.release.cluster;", "cp.async.bulk.wait_group.read 0;", "cp.async.bulk.wait_group 0;", "cp.async.bulk.commit_group;",
    "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;", "wgmma.wait_group.sync.aligned 0;", "wgmma.fence.sync.aligned;",
    "mbarrier.arrive.shared::cta.b64 _, [%r5];", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 8192;", "tcgen05.fence::after_thread_sync;",
    "fence.proxy.tensormap::generic.release.gpu;", "fence.proxy.tensormap::generic.acquire.gpu [%q3], 128;"]
NOT_KNOWN = "ld.global.u32 %r59, [%q1];\nsetp.ne.u32 %p19, %r59, 0;"
FORMS = ["@!%p19 bra DRAWN;\n{}\nDRAWN:", "@%p19 {}"] # the second of the first instruction alone
STATEMENT = re.compile(r"^\s*[@a-z].*;|^\s*\w+:")


def certain(folder, texts):
    """The rules of which each kernel has a certain finding."""
    names = [f"{i}.ptx" for i in range(len(texts))]
    for name, text in zip(names, texts):
        (folder / name).write_text(text)
    done = subprocess.run([os.environ["TMA"], "ptx", "--json", *names], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(texts)
    return [{f["rule"] for of in [*a["instructions"], a] for f in of["findings"] if f["certain"]} for a in answers]


def places(folder):
    """(what, rule, the kernel's lines, where its registers are made, a place, what is put there)"""
    pairs = {name: pair for name, pair in ALL.items() if is_drawn(name)}
    firsts = [sides(kernel)[0] for _, _, kernel in pairs.values()]
    for (name, (_, rule, _)), text, rules in zip(pairs.items(), firsts, certain(folder, firsts)):
        lines = text.split("\n")
        begin = next((i + 1 for i, line in enumerate(lines) if line.startswith("setp.ne.u32 %p1,")), None)
        for at in range(begin, len(lines) - 1) if begin and rule in rules else []:
            if STATEMENT.match(lines[at]):
                yield from ((f"{name}: {mend!r} before line {at + 1}", rule, lines, begin, at, mend) for mend in MENDS)


def rules_of(folder, cases, form):
    said = []
    for i in range(0, len(cases), 500):
        said += certain(folder, ["\n".join([*lines[:begin], NOT_KNOWN, *lines[begin:at], form.format(mend), *lines[at:]])
                                 for _, _, lines, begin, at, mend in cases[i:i + 500]])
    return said


def test_certain_is_not_said_where_it_may_be_mended(tmp_path):
    cases = list(places(tmp_path))
    mended = [case for case, rules in zip(cases, rules_of(tmp_path, cases, "{}")) if case[1] not in rules]
    wrong = [case[0] for form in FORMS for case, rules in zip(mended, rules_of(tmp_path, mended, form)) if case[1] in rules]
    print(f"{len(cases)} places, {len(mended)} of them mend it, {len(wrong)} wrong")
    assert not wrong, "\n".join(wrong[:20])
    assert len(cases) > 10000 / SHARE / 2 and len(mended) > 300 / SHARE / 4
