# SPDX-License-Identifier: Apache-2.0
"""python -m libtma watch: each refused encode call with the Python line that made it. No driver is here:
the library in the process stands in for one."""
import os
import re
import subprocess
import sys
import textwrap

import pytest

import libtma

pytest.importorskip("cuda.bindings")
try:
    libtma.shim_path()
except FileNotFoundError as error:
    pytest.skip(str(error), allow_module_level=True)

PROGRAM = textwrap.dedent("""\
    import sys, threading
    from cuda.bindings import driver as d

    def make(box):
        return d.cuTensorMapEncodeTiled(
            d.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 0x7F0000000000,
            [d.cuuint64_t(512), d.cuuint64_t(256)], [d.cuuint64_t(1024)],
            [d.cuuint32_t(extent) for extent in box], [d.cuuint32_t(1)] * 2,
            *(kind(0) for kind in (d.CUtensorMapInterleave, d.CUtensorMapSwizzle,
                                   d.CUtensorMapL2promotion, d.CUtensorMapFloatOOBfill)))[0]

    """)


def watched(tmp_path, body, *arguments, how=("-m", "libtma", "watch"), **environment):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM + textwrap.dedent(body))
    done = subprocess.run(
        [sys.executable, *how, str(file), *arguments], capture_output=True, text=True, timeout=120,
        env={**os.environ, "LIBTMA_QUIET": "0", "PYTHONPATH": os.pathsep.join(sys.path), **environment})
    lines = [line.removeprefix("libtma:   called at ") for line in done.stderr.splitlines()
             if line.startswith("libtma:   called at ")]
    return done, [line.replace(str(file), "program.py") for line in lines]


def test_the_line_of_each_refused_call(tmp_path):
    done, lines = watched(tmp_path, """\
        def tile(): return make((64, 300))
        for _ in range(3): tile()
        make((64, 64)); make((64, 0))
        worker = threading.Thread(target=tile); worker.start(); worker.join()
        print(sys.argv[1:], __name__)
        sys.exit(7)
        """, "a", "-b")
    assert done.returncode == 7, done.stderr
    assert done.stdout == "['a', '-b'] __main__\n"
    assert [re.sub(r": return .*?(?=, from)", "", line) for line in lines] == [
        "program.py:5 in make, from program.py:12 in tile, from program.py:13 in <module>",
        "program.py:5 in make, from program.py:14 in <module>",
        "program.py:5 in make, from program.py:12 in tile"]
    assert "box-limit" in done.stderr and "box-zero" in done.stderr and "Warning" not in done.stderr


def test_a_block_hears_of_its_own_calls(tmp_path):
    done, lines = watched(tmp_path, """\
        import libtma
        make((64, 300))
        with libtma.watch() as seen:
            make((64, 0)); make((64, 0)); make((64, 64))
        make((64, 400))
        refused, = seen.refusals
        print(refused.call, refused.result.name, [f.rule for f in refused.findings], refused.spec["box_dim"])
        print(refused.where.split("/")[-1], refused.line.split()[:2])
        """, how=(), LD_PRELOAD=str(libtma.shim_path()), LIBTMA_QUIET="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith(
        "cuTensorMapEncodeTiled CUDA_ERROR_INVALID_VALUE ['box-zero'"), done.stdout
    assert done.stdout.splitlines()[0].endswith("[64, 0]")
    assert done.stdout.splitlines()[1].endswith("program.py:15 in <module> ['enc', 'api=tiled']")
    assert lines == []


def test_modules_exceptions_and_what_is_no_program(tmp_path):
    (tmp_path / "part.py").write_text("import sys; print(sys.argv[1:], __name__); raise KeyError('end')")
    done = subprocess.run([sys.executable, "-m", "libtma", "watch", "-m", "part", "x"], cwd=tmp_path,
                          capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.stdout == "['x'] __main__\n" and done.returncode == 1 and "KeyError: 'end'" in done.stderr
    for arguments, status in (([], 2), (["-m"], 2), (["--help"], 0), (["nowhere.py"], 1)):
        done = subprocess.run([sys.executable, "-m", "libtma", "watch", *arguments], capture_output=True,
                              text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        assert done.returncode == status, done.stderr
        assert "python -m libtma watch PROGRAM" in done.stdout + done.stderr or "nowhere.py" in done.stderr


def test_a_process_without_the_library_says_how(tmp_path):
    done, _ = watched(tmp_path, "import libtma; libtma.watch()", how=())
    assert "RuntimeError: libtma-cuda.so is not in this process" in done.stderr
    assert "python -m libtma watch PROGRAM" in done.stderr
