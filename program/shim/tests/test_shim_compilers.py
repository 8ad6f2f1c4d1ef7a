# SPDX-License-Identifier: Apache-2.0
"""libtma-cuda.so and machine code of NVRTC and nvJitLink, whose PTX goes into the driver with checks."""
import os
import pathlib

import pytest

from shim_programs import PRETEND, PROGRAMS, SANITIZED, native, run

COMPILER = PROGRAMS / "compiler"
NVRTC, LINK = COMPILER / "libnvrtc.so.13", COMPILER / "libnvJitLink.so.13"
COPY = (".version 8.0\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 s[4096];\n"
        ".visible .entry copy(.param .align 64 .b8 m[128])\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
        "mov.b64 %d1, m;\ncvta.param.u64 %d2, %d1;\nmov.u32 %r1, 0;\n"
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d2, {%r1}], [s];\nret;\n}\n")
CHECKER = "libtma_checker_tma_check_copy"
CUBIN = b"\x7fELF" + bytes(range(256)) * 16
SOURCE = r"""
struct alignas(64) map_bytes { char at[128]; };
extern "C" __global__ void copy(const __grid_constant__ map_bytes map) {
    __shared__ alignas(128) char s[4096];
    asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%0, {%1}], [%2];"
                 :: "l"(&map), "r"(0), "r"((unsigned)__cvta_generic_to_shared(s)) : "memory");
}
"""
TOOLKIT = [pathlib.Path(p) for p in (os.environ.get("CUDA_HOME", "/nowhere"), "/usr/local/cuda")]


def loaded(tmp_path, way, how, libraries=None, **settings):
    """What the driver got, and what was said."""
    seen = tmp_path / "seen"
    (tmp_path / "cubin").write_bytes(CUBIN)
    (tmp_path / "ptx").write_text(COPY)
    library = {"nvrtc": NVRTC}.get(how, LINK) if libraries is None else libraries
    alone = run("built_calls", way, how, library, preload=None, libraries=[PRETEND, COMPILER],
                PRETEND_CUBIN=tmp_path / "cubin", PRETEND_PTX=tmp_path / "ptx", **settings)
    done = run("built_calls", way, how, library, libraries=[PRETEND, COMPILER], PRETEND_IMAGE=seen,
               PRETEND_CUBIN=tmp_path / "cubin", PRETEND_PTX=tmp_path / "ptx",
               **{"LIBTMA_CHECK_KERNELS": 1, "LIBTMA_CHECK_NOTES": tmp_path / "notes", **settings})
    assert done.returncode == 0 and done.stdout == alone.stdout and done.stdout.startswith("compiler 0, ")
    notes = tmp_path / "notes"
    return seen.read_bytes(), notes.read_text() if notes.exists() else "", done.stderr


@pytest.mark.parametrize("how", ["nvrtc", "link", "again", "link13_0"])
@pytest.mark.parametrize("way", ["direct", "handle"])
def test_the_ptx_goes_in_with_checks(way, how, tmp_path):
    image, notes, said = loaded(tmp_path, way, how)
    assert CHECKER in image.decode() and said == ""
    assert "total 1 found 1 checked" in notes and "unchecked" not in notes


@pytest.mark.parametrize("way", ["direct", "handle"])
def test_two_inputs_are_no_ptx(way, tmp_path):
    image, _, _ = loaded(tmp_path, way, "link2")
    assert image.startswith(CUBIN[:4])


@pytest.mark.parametrize("how", ["nvrtc", "link"])
def test_nothing_is_kept_unasked(how, tmp_path):
    image, notes, said = loaded(tmp_path, "handle", how, LIBTMA_CHECK_KERNELS="")
    assert image.startswith(CUBIN[:4]) and not notes and not said


def test_a_compiler_that_takes_no_checks_gets_the_cubin(tmp_path):
    image, notes, _ = loaded(tmp_path, "handle", "nvrtc", PRETEND_JIT="plain")
    assert image.startswith(CUBIN[:4]) and "total 1 found 0 checked" in notes


@native
@pytest.mark.skipif(SANITIZED, reason="NVRTC has no sanitizer in it")
def test_real_nvrtc(tmp_path):
    real = next((p for folder in TOOLKIT for p in sorted(folder.glob("lib*/libnvrtc.so.1[23]"))), None)
    if not real:
        pytest.skip("no libnvrtc.so: CUDA_HOME")
    (tmp_path / "kernel.cu").write_text(SOURCE)
    image, notes, _ = loaded(tmp_path, "handle", "nvrtc", libraries=real, SOURCE=tmp_path / "kernel.cu")
    assert CHECKER in image.decode() and ".target sm_90a" in image.decode() and "total 1 found 1 checked" in notes
