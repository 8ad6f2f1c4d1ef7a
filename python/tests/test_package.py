# SPDX-License-Identifier: Apache-2.0
"""What is installed: version, stubs, the command, and that a source distribution builds again."""
import ast
import importlib.metadata
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

import libtma

if pathlib.Path(libtma.__file__).resolve().parent == ROOT / "python/libtma":
    pytest.skip("the package of the source tree, not an installed one", allow_module_level=True)


def test_version():
    header = (ROOT / "include/tma/export.h").read_text()
    version = re.search(r'#define TMA_VERSION +"(.*)"', header)[1]
    assert libtma.__version__ == version == importlib.metadata.version("libtma")


def test_the_command():
    tma = pathlib.Path(sys.executable).with_name("tma")
    done = subprocess.run([tma, "--version"], capture_output=True, text=True, check=True)
    assert libtma.__version__ in done.stdout


def test_the_command_executes_programs_where_the_c_library_is_glibc():
    tma = pathlib.Path(sys.executable).with_name("tma")
    code = "import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0))"
    done = subprocess.run([tma, "emulate", "--", sys.executable, "-c", code], capture_output=True, text=True)
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
        assert done.stdout == "0\n" and "0 launches executed" in done.stderr, done.stderr
    else:
        assert done.returncode == 2, done.stderr


def test_the_shim_is_in_it_or_the_reason_said(monkeypatch, tmp_path):
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
        code = "import ctypes; print(ctypes.CDLL(None).cuTensorMapEncodeTiled)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "LD_PRELOAD": str(libtma.shim_path())})
        assert "_FuncPtr object" in done.stdout, done.stderr
        monkeypatch.setattr("libtma._shim.__file__", str(tmp_path / "_shim.py"))
    with pytest.raises(FileNotFoundError, match=r"libtma-cuda.so: \w+"):
        libtma.shim_path()


def test_the_headers_compile_alone(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    source = tmp_path / "use.c"
    source.write_text("#include <tma/layout.h>\n#include <tma/tma.h>\nint version = TMA_VERSION_NUMBER;\n")
    subprocess.run([compiler, f"-I{libtma.include_path()}", "-c", source, "-o", tmp_path / "use.o"],
                   check=True)
    assert (libtma.include_path() / "tma/device.cuh").exists()
    installed = {p.name for p in (libtma.include_path() / "tma").iterdir()}
    assert installed == {p.name for p in (ROOT / "include/tma").iterdir()}


def test_the_command_s_man_pages():
    pages = pathlib.Path(sys.prefix, "share/man/man1")
    tma = pathlib.Path(sys.executable).with_name("tma")
    done = subprocess.run([tma, "--help"], capture_output=True, text=True, check=True)
    verbs = set(re.findall(r"^  ([a-z][a-z-]+) +\w", done.stdout, re.M))
    assert len(verbs) > 10 and {f"tma-{verb}.1" for verb in verbs} <= {p.name for p in pages.iterdir()}
    assert (pages / "tma.1").exists()


def members(body):
    """{name: its members, if a class} of a stub's body."""
    found = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = members(node.body)
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = None
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = None
    return found


def test_stubs_name_what_the_module_has():
    """mypy's stubtest takes no nanobind function for one, so the names are compared here."""
    folder = pathlib.Path(libtma.__file__).parent
    stubs = members(ast.parse((folder / "_core.pyi").read_text()).body)
    there = {name for name in dir(libtma._core) if not name.startswith("__")}
    assert {name for name in stubs if not name.startswith("__")} == there
    for name in ("Descriptor", "Finding", "Memory", "Target"):
        real = {m for m in vars(getattr(libtma._core, name)) if not m.startswith("__")}
        assert {m for m in stubs[name] if not m.startswith("__")} == real
    assert (folder / "py.typed").exists()


@pytest.mark.parametrize("check", [["mypy", "--strict", "-p", "libtma"], [
    "mypy.stubtest", "libtma", "--concise", "--ignore-unused-allowlist",
    "--allowlist", str(ROOT / "python/tests/stubtest_allowed.txt")]], ids=["strict", "stubtest"])
def test_types_hold(check, tmp_path):
    if sys.version_info < (3, 11) and "--strict" in check:
        pytest.skip("NumPy for Python 3.10 has type arguments without defaults")
    done = subprocess.run([sys.executable, "-m", *check], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_reach_a_user(tmp_path):
    (tmp_path / "use.py").write_text(
        "import libtma\n"
        "desc = libtma.TensorMapDescriptor.tiled(libtma.TensorSpec((8, 64), 'float16'), (8, 64))\n"
        "reveal_type(desc)\nreveal_type(desc.box_dim)\nreveal_type(desc.draw())\n"
        "desc.tiled(1, box=2)\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "use.py"], cwd=tmp_path,
                          capture_output=True, text=True)
    assert 'Revealed type is "libtma._descriptor.TensorMapDescriptor"' in done.stdout
    assert 'Revealed type is "libtma._picture.Picture"' in done.stdout
    assert 'Unexpected keyword argument "box"' in done.stdout and "Found 1 error" in done.stdout


def packed_in(folder):
    code = ("import scikit_build_core.build as b, sys; "
            "print(b.build_sdist(sys.argv[1]))")
    subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT, check=True,
                   capture_output=True)
    return next(folder.glob("libtma-*.tar.gz"))


def test_the_source_distribution_is_configured_without_network(tmp_path):
    """Its files are enough: what the wheel's configuration reads is there."""
    packed = packed_in(tmp_path)
    subprocess.run(["tar", "xf", packed, "-C", tmp_path], check=True)
    source = next(p for p in tmp_path.iterdir() if p.is_dir())
    assert not (source / "tests").exists()
    assert not list(source.glob("python/libtma/_core*"))
    config = subprocess.run(
        ["cmake", "-S", source, "-B", tmp_path / "build", "-D", "LIBTMA_BUILD_PYTHON=ON",
         "-D", "LIBTMA_BUILD_TESTS=OFF", "-D", "LIBTMA_BUILD_BENCH=OFF",
         "-D", "LIBTMA_BUILD_FUZZERS=OFF", "-D", "LIBTMA_INSTALL=OFF",
         "-D", f"Python_EXECUTABLE={sys.executable}"], capture_output=True, text=True)
    assert config.returncode == 0, config.stderr[-3000:]
