# SPDX-License-Identifier: Apache-2.0
"""check_judged_once.py TMA: one request is judged once, and its way through the project does not grow:
callgrind counts the calls of what judges in runs of the command, and the functions and files that a run
enters. The calls are counted without debug information: valgrind 3.19 gives up on clang 14's, and then no
way is counted. Exit code 77: no valgrind."""
import functools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from project_tree import ROOT

SPEC = "--dtype float16 --dim 64,32 --box 64,8 --swizzle 128B"
PACKED = "--dtype 16u4_align16b --dim 256,32 --stride 160 --box 128,8 --swizzle 128B --arch sm_100a"
REFUSED = "--dtype float16 --dim 64,32 --stride 136 --box 64,8"
ONE_COPY = {"tma_plan_make": 1, "tma_plan_at": 1, "tma_plan_report": 1}
ONE_SPEC = {"tma_check_refusals": 1, "tma_check_packed": 1, "tma_check_notes": 1}
RUNS = [
    (f"load {SPEC} --coord 0,4", ONE_COPY),
    (f"load {SPEC} --coord 0,4 --json", ONE_COPY),
    (f"store {SPEC} --coord 0,4", ONE_COPY),
    (f"check {SPEC}", ONE_SPEC),
    (f"check {SPEC} --json", ONE_SPEC),
    (f"check {PACKED}", ONE_SPEC),
    (f"check {REFUSED}", ONE_SPEC),
]
COPY = """.version 8.6
.target sm_90a
.address_size 64
.entry k(.param .align 64 .b8 map[128]) {
    .reg .b64 %rd<2>;
    .shared .align 128 .b8 tile[1024];
    .shared .align 8 .b64 bar;
    mov.u64 %rd1, map;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd1, {0, 4}], [bar];
    ret;
}
"""
# The ways of a coordinate, of a broken rule, of a PTX instruction: functions and files entered, as gcc
# 12 inlines, the libraries at -O2 and the command at -O1 (commit bb5f431, all at -O2: 130 of 50, 86 of 36,
# 130 of 45; since then an instruction is also followed through its kernel). They may be a tenth more:
# another compiler inlines otherwise.
WAYS = [(f"load {SPEC} --coord 0,4", 152, 57), (f"check {REFUSED}", 92, 39), ("ptx COPY", 306, 115)]
ENTRY = re.compile(r"^(c?f[nlie])=\((\d+)\)(?: (.*))?$")


def run_of(tma, arguments, folder):
    """{function: how often it was called}, {(function, its file)} of those entered"""
    out = pathlib.Path(folder, "out")
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--quiet", tma, *arguments],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    names, counts, at, entered = {}, {}, {}, set()
    for line in out.read_text().splitlines():
        if match := ENTRY.match(line):
            kind = "fn" if match[1].endswith("n") else "file"
            name = names.setdefault((kind, match[2]), (match[3] or "").split("'")[0])
            at[match[1]] = name
            if match[1] == "fn":
                entered.add((name, at.get("fl")))
        elif line.startswith("calls="):
            counts[at["cfn"]] = counts.get(at["cfn"], 0) + int(line[6:].split()[0])
    return counts, entered


@functools.cache
def is_ours(path):
    """Whether this path that debug information names is a file of the project: its end is looked at, as
    a compiler's cache hands out objects of another folder's build."""
    parts = pathlib.PurePath(path or "").parts
    return any((ROOT / pathlib.Path(*parts[i:])).is_file() for i in range(len(parts)) if parts[i] not in ("..", "/"))


def ways(tma, folder):
    """How many are wrong."""
    copy = pathlib.Path(folder, "copy.ptx")
    copy.write_text(COPY)
    wrong = 0
    for run, functions, files in WAYS:
        entered = run_of(tma, run.replace("COPY", str(copy)).split(), folder)[1]
        ours = {(f, at) for f, at in entered if is_ours(at)}
        is_, most = (len(ours), len({at for _, at in ours})), (functions, files)
        wrong += any(10 * n > 11 * m or 2 * n < m for n, m in zip(is_, most))  # half: it was not seen whole
        print(f"tma {run}: {is_[0]} functions of {is_[1]} files ({functions} of {files} when it was written)")
    return wrong


def main():
    if not shutil.which("valgrind"):
        print("check_judged_once.py: no valgrind")
        return 77
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        tma = pathlib.Path(folder, "tma")
        subprocess.run(["strip", "--strip-debug", "-o", tma, sys.argv[1]], check=True)
        for run, expected in RUNS:
            counts = run_of(tma, run.split(), folder)[0]
            for name, most in expected.items():
                if counts.get(name, 0) != most:
                    print(f"tma {run}: {name} is called {counts.get(name, 0)} times, not {most}")
                    wrong += 1
        wrong += ways(sys.argv[1], folder)
    print(f"{len(RUNS) + len(WAYS)} runs, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
