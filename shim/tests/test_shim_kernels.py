# SPDX-License-Identifier: Apache-2.0
"""libtma-cuda.so and the driver's calls that load kernels."""
import pytest

from shim_programs import PRETEND, STAND_IN, natural, run, watched

LOADS = ["cuModuleLoad", "cuModuleLoadData", "cuModuleLoadDataEx", "cuModuleLoadFatBinary",
         "cuLibraryLoadFromFile", "cuLibraryLoadData", "cuLibraryGetKernel", "cuLibraryGetModule"]
WAYS = ["direct", "handle", "lookup2"]
PTX = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry copy()\n{\nret;\n}\n"


@pytest.fixture
def ptx(tmp_path):
    file = tmp_path / "kernels.ptx"
    file.write_text(PTX)
    return file


def test_the_program_asks_what_it_should(ptx):
    lines = natural("load_calls", "direct", ptx, PRETEND_TRACE=1).splitlines()
    assert [line.split()[2] for line in lines if line.startswith("the driver's")] == LOADS
    assert [line for line in lines if line.startswith("cu")] == [
        f"{name} 0, errno 77, a handle" for name in LOADS]
    assert [line for line in lines if "option" in line] == [
        lines[4], "option 4 0x10", "option 7 0x8", "library option 1 0x18"]
    assert lines[-1] == "image same"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["watch", "stand-in"])
def test_kernels_are_the_drivers(way, mode, ptx, tmp_path):
    """Before a driver both modes pass them on."""
    seen = tmp_path / "seen"
    settings = {"PRETEND_TRACE": 1, "PRETEND_IMAGE": seen}
    for jit in ("", "none"):
        alone = natural("load_calls", way, ptx, PRETEND_JIT=jit, **settings)
        done = run("load_calls", way, ptx, libraries=[PRETEND], LIBTMA_MODE=mode, PRETEND_JIT=jit, **settings)
        assert done.returncode == 0 and done.stderr == ""
        assert without_addresses(done.stdout) == without_addresses(alone)
        assert seen.read_text() == PTX


def without_addresses(text):
    return [line for line in text.splitlines() if not line.startswith("option 3 ")]


def test_without_a_driver_there_are_no_kernels(ptx):
    done = run("load_calls", "direct", ptx, libraries=[STAND_IN], LIBTMA_MODE="stand-in")
    lines = done.stdout.splitlines()
    assert lines == [f"{name} 34, errno 77, none" for name in LOADS[:6]] + ["image same"]
    assert len(done.stderr.splitlines()) == 1 and "there is no driver to pass cuModuleLoad on to" in done.stderr
    done = run("load_calls", "lookup2", ptx, libraries=[STAND_IN], LIBTMA_MODE="stand-in")
    assert (done.returncode, done.stdout) == (1, "cuModuleLoad was not found\n")
