#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compile_time.py TMA TURNS FILE.ptx...: seconds of ptxas, and of tma ptxas by assert and by record, without
notes and with them (as tma run-checked asks for them), in turns: CPU and wall, medians, and beside ptxas
alone. Needs ptxas, no GPU. With --write instead of TMA: 20 kernels of 10 tensor copies each as PTX, on
standard output; with --write=1 one kernel of 200."""

import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

COPY = re.compile(r"cp\.(?:reduce\.)?async\.bulk\.(?!commit|wait|prefetch)")
KERNEL = """.visible .entry k{k}(.param .align 64 .b8 a[128], .param .align 64 .b8 b[128],
.param .align 64 .b8 c[128], .param .u32 n)
{{
.reg .b32 %r<9>; .reg .b64 %q<9>; .reg .pred %p<9>; .reg .f32 %f<9>;
.shared .align 1024 .b8 tile[8192]; .shared .align 8 .b64 bar;
mov.b64 %q1, a; cvta.param.u64 %q1, %q1; mov.b64 %q2, b; cvta.param.u64 %q2, %q2;
mov.b64 %q3, c; cvta.param.u64 %q3, %q3;
ld.param.u32 %r1, [n]; mov.u32 %r2, tile; mov.u32 %r5, bar; mov.u32 %r6, 0; mov.f32 %f1, 0f00000000;
HEAD:
{loads}{work}add.u32 %r6, %r6, 1;
setp.lt.u32 %p1, %r6, %r1;
@%p1 bra HEAD;
st.shared.f32 [tile], %f1;
{stores}ret;
}}
"""
LOAD = (
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%r2], [%q{map}, {{%r6, {at}}}], [%r5];\n"
)
STORE = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%q3, {{%r6, {at}}}], [%r2];\n"


def write(count=20):
    loads = "".join(LOAD.format(map=1 + i % 2, at=32 * i) for i in range(160 // count))
    stores = "".join(STORE.format(at=32 * i) for i in range(40 // count))
    work = "".join(
        f"ld.shared.f32 %f2, [tile+{8 * (i % 1000)}];\nld.shared.f32 %f3, [tile+{8 * (i % 1000) + 4}];\n"
        f"fma.rn.f32 %f1, %f2, %f3, %f1;\n"
        for i in range(5120 // count)
    )
    kernels = [KERNEL.format(k=k, loads=loads, stores=stores, work=work) for k in range(count)]
    print(".version 8.6\n.target sm_90a\n.address_size 64\n" + "".join(kernels), end="")


def took_s(command):
    """CPU and wall seconds of a command and what it starts."""
    began, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ended, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - wall
    return ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime, wall


def main(tma, turns, *files):
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            text = pathlib.Path(path).read_text()
            arch = re.search(r"\.target (\w+)", text)[1]
            ptxas = ["ptxas", "-arch", arch, path, "-o", f"{folder}/out.cubin"]
            ways = {"ptxas": ptxas}
            for how in ("record", "assert"):
                checked = [tma, "ptxas", f"--on-fault={how}"]
                ways[how] = [*checked, *ptxas]
                ways[f"{how} with notes"] = [*checked, f"--notes={folder}/notes", *ptxas]
            took = {how: [] for how in ways}
            for _ in range(int(turns)):
                for how, command in ways.items():
                    took[how].append(took_s(command))
            print(f"{pathlib.Path(path).name}: {len(COPY.findall(text))} copies, CPU and wall seconds:")
            alone = [statistics.median(t) for t in zip(*took["ptxas"], strict=True)]
            for how, each in took.items():
                cpu, wall = (statistics.median(t) for t in zip(*each, strict=True))
                beside = [cpu / alone[0], wall / alone[1]]
                print(f"  {how}: {cpu:.2f} ({beside[0]:.2f}), {wall:.2f} ({beside[1]:.2f})", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] in (["--write"], ["--write=1"]):
        write(1 if sys.argv[1] == "--write=1" else 20)
    elif len(sys.argv) > 3:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
