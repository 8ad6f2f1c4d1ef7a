# SPDX-License-Identifier: Apache-2.0
"""Machine code that is loaded: kernels with tensor copies and without checks are counted, by the file that they are
in. The real ptxas makes it."""
import os
import re
import shutil
import struct
import subprocess

import pytest

from shim_programs import BUILD, EMULATOR, ORDER, PRETEND, PROGRAMS, SANITIZED, native, run

PTXAS = os.environ.get("PTXAS") or shutil.which("ptxas")
pytestmark = [pytest.mark.skipif(not PTXAS, reason="no ptxas"), pytest.mark.skipif(ORDER == ">", reason="cubins are little endian")]

LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
COPIES = {
    "load": f"{LOAD} [%r1], [%rd1, {{%r2, %r2}}], [%r1+16384];",
    "multicast": f"{LOAD}.multicast::cluster [%r1], [%rd1, {{%r2, %r2}}], [%r1+16384], %rs1;",
    "im2col": f"{LOAD.replace('2d', '4d').replace('global.', 'global.im2col.')} [%r1], [%rd1, {{%r2, %r2, %r2, %r2}}], [%r1+16384], {{%rs1, %rs1}};",
    "store": "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r2, %r2}], [%r1];",
    "im2col store": "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%rd1, {%r2, %r2, %r2, %r2}], [%r1];",
    "reduction": "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {%r2, %r2}], [%r1];",
    "prefetch": "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r2, %r2}];",
    "im2col prefetch": "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%rd1, {%r2, %r2, %r2, %r2}], {%rs1, %rs1};",
    "gather4": f"{LOAD.replace('::cluster', '::cta').replace('global.', 'global.tile::gather4.')} [%r1], [%rd1, {{%r2, %r2, %r2, %r2, %r2}}], [%r1+16384];",
    "scatter4": "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {%r2, %r2, %r2, %r2, %r2}], [%r1];",
}
OTHERS = {
    "nothing": "",
    "bulk load": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], 64, [%r1+16384];",
    "bulk store": "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r1], 64;",
    "bulk reduction": "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [%r1], 64;",
    "bulk prefetch": "cp.async.bulk.prefetch.L2.global [%rd2], 64;",
    "map prefetch": "prefetch.tensormap [%rd1];",
    "groups": "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
    "barrier": "mbarrier.init.shared::cta.b64 [%r1+16384], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1+16384], 64;",
    "arithmetic": "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd2]; mad.lo.s32 %r2, %r3, %r4, %r5; atom.global.add.u32 %r2, [%rd2], %r6;",
}
TARGETS = ["sm_90", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121"]


def kernel(statement, name="k"):
    return (f".visible .entry {name}(.param .align 64 .b8 m_{name}[128], .param .u64 p, .param .u32 c) {{\n"
            f".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %rs<3>; .shared .align 128 .b8 s_{name}[20000];\n"
            f"mov.u64 %rd3, m_{name}; cvta.param.u64 %rd1, %rd3; ld.param.u64 %rd2, [p]; ld.param.u32 %r2, [c];\n"
            f"mov.u32 %r1, s_{name}; cvt.u16.u32 %rs1, %r2;\n{statement}\nst.global.u32 [%rd2], %r2;\nret; }}\n")


def cubin(tmp_path, text, target="sm_90a", ptxas=(PTXAS,)):
    source, made = tmp_path / "k.ptx", tmp_path / "k.cubin"
    source.write_text(f".version 9.0\n.target {target}\n.address_size 64\n{text}")
    done = subprocess.run([*ptxas, f"-arch={target}", source, "-o", made], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"ptxas: status {done.returncode}: {done.stderr[:200]}")
    return made


def noted(image, tmp_path, **settings):
    """By cuModuleLoadData and so on, what the notes say."""
    notes = tmp_path / "notes"
    notes.unlink(missing_ok=True)
    done = run("load_calls", "direct", image, libraries=[PRETEND], LIBTMA_CHECK_KERNELS=1, LIBTMA_CHECK_NOTES=notes, **settings)
    assert done.returncode == 0 and done.stderr == ""
    return notes.read_text().splitlines() if notes.exists() else []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", COPIES)
def test_kernels_with_tensor_copies_are_counted(name, target, tmp_path):
    made = cubin(tmp_path, kernel(COPIES[name]) + kernel(OTHERS["nothing"], "l"), target)
    assert noted(made, tmp_path) == ["unchecked 1 kernels: in a cubin"] * 6


@pytest.mark.parametrize("target", TARGETS)
def test_other_instructions_are_none(target, tmp_path):
    made = cubin(tmp_path, "".join(kernel(text, f"k{i}") for i, text in enumerate(OTHERS.values())), target)
    assert noted(made, tmp_path) == []


@pytest.mark.parametrize("fault", ["assert", "record", "skip", "trap"])
def test_what_has_checks_is_not_counted(fault, tmp_path):
    text = "".join(kernel(COPIES[n], f"k{i}") for i, n in enumerate(["load", "store", "prefetch"]))
    made = cubin(tmp_path, text, ptxas=(*EMULATOR, BUILD / "tma", "ptxas", f"--real={PTXAS}", f"--on-fault={fault}"))
    assert noted(made, tmp_path) == []
    assert noted(cubin(tmp_path, text), tmp_path) == ["unchecked 3 kernels: in a cubin"] * 6


def test_fatbinaries_of_nvcc(tmp_path):
    if not shutil.which("nvcc"):
        pytest.skip("no nvcc")
    cubin(tmp_path, kernel(COPIES["load"]) + kernel(COPIES["store"], "l"))
    made = tmp_path / "made.fatbin"
    done = subprocess.run(["nvcc", "-fatbin", "-gencode", "arch=compute_90a,code=[compute_90a,sm_90a]", tmp_path / "k.ptx", "-o", made],
                          capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"nvcc: {done.stderr}")
    assert noted(made, tmp_path) == ["unchecked 2 kernels: in a fatbinary"] * 6


@pytest.mark.parametrize("cut", [0, 3, 63, 64, 100, 2000, -64, -1])
def test_damaged_ones_go_on(cut, tmp_path):
    whole = cubin(tmp_path, kernel(COPIES["load"])).read_bytes()
    broken = tmp_path / "broken"
    broken.write_bytes(whole[:cut])
    assert all(line == "unchecked 1 kernels: in a cubin" for line in noted(broken, tmp_path, LOAD_EDGES=1))
    for at, value in (40, 2**64 - 64), (40, len(whole)), (60, 2**16 - 1), (62, 2**16 - 1):
        size = 8 if at == 40 else 2
        broken.write_bytes(whole[:at] + struct.pack("<Q", value & 2**64 - 1)[:size] + whole[at + size:])
        noted(broken, tmp_path, LOAD_EDGES=1)


@pytest.mark.skipif(SANITIZED, reason="tma run-checked preloads no library with a sanitizer in it")
@native
def test_run_checked_says_how_many(tmp_path):
    made = cubin(tmp_path, kernel(COPIES["load"]) + kernel(COPIES["store"], "l"))
    done = subprocess.run([BUILD / "tma", "run-checked", PROGRAMS / "load_calls", "direct", made], capture_output=True, text=True,
                          env={"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(PRETEND)})
    assert re.search("^tma run-checked: 12 kernels with tensor copies were loaded without checks: in a cubin [(]12[)]$", done.stderr, re.M)
