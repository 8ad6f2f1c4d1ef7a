# SPDX-License-Identifier: Apache-2.0
"""tma encode --as: C is compiled against this library and run, and makes the bytes that the command
prints; C++ for cuda.h is compiled where there is a cuda.h, with and without names for all numbers;
Python is run with a cuda.bindings that notes its arguments. TMA names the program, LIBTMA the
library's archive."""
import os
import pathlib
import random
import re
import subprocess
import sys
import types

import pytest

TMA, LIBTMA = os.environ["TMA"], os.environ["LIBTMA"]
INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"
CUDA = [p for p in (*(os.environ.get(v, "") for v in ("CUDA_HOME", "CUDA_PATH")), "/usr/local/cuda", "/usr")
        if p and (pathlib.Path(p) / "include/cuda.h").exists()]
COUNT = 40


def one_of(r, *choices):
    return str(r.choice(choices))


def random_options(r):
    """A spec that the driver takes, in the command's words."""
    size_B, dtype = r.choice([(1, "uint8"), (2, "float16"), (2, "bfloat16"), (4, "float32"), (8, "float64")])
    call = r.choice(["tiled", "tiled", "tiled", "im2col", "wide"])
    rank = r.randint(1, 5) if call == "tiled" else r.randint(3, 5)
    dim = [16 * r.randint(1, 40)] + [r.randint(8, 40) for _ in range(rank - 1)]
    options = ["--api", call, "--dtype", dtype, "--dim", ",".join(map(str, dim)), "--address",
               hex(0x7F0000000000 + 128 * r.randint(0, 9999)), "--l2", one_of(r, "none", "64B", "256B"),
               "--swizzle", one_of(r, "none", "64B", "128B")]
    inner = 64 // size_B
    if call == "tiled":
        options += ["--box", ",".join([str(inner)] + [one_of(r, 1, 2, 4) for _ in dim[1:]]),
                    "--fill", "nan" if "float" in dtype and r.random() < 0.5 else "none"]
    else:
        corners = rank - 2 if call == "im2col" else 1
        options += ["--lower=" + ",".join(["-1"] * corners), "--upper=" + ",".join(["-1"] * corners),
                    "--channels", str(inner), "--pixels", "8"]
    if call == "wide":
        options += ["--arch", "sm_100a"]
        options[options.index("--swizzle") + 1] = "128B"
    return options


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


@pytest.fixture(scope="module")
def specs():
    r, found = random.Random(16), []
    while len(found) < COUNT:
        options = random_options(r)
        encoded = run(TMA, "encode", *options)
        if encoded.returncode == 0:
            found.append((options, encoded.stdout.strip()))
    assert {o[1] for o, _ in found} == {"tiled", "im2col", "wide"}
    return found


def source(options, form):
    done = run(TMA, "encode", "--as", form, *options)
    assert done.returncode == 0 and not done.stderr, (options, done.stderr)
    return done.stdout


def test_c_makes_the_same_bytes(specs, tmp_path):
    text = "#include <stdio.h>\n#include <tma/tma.h>\n"
    for i, (options, _) in enumerate(specs):
        body = re.sub("^#include.*$", "", source(options, "c"), flags=re.M)
        text += (f"static void make_{i}(void) {{\n{body}if (status != TMA_OK) {{ puts(\"refused\"); return; }}\n"
                 "for (int i = 0; i < 128; i++) { printf(\"%02x\", map.bytes[i]); }\nputs(\"\");\n}\n")
    text += "int main(void) {\n" + "".join(f"make_{i}();\n" for i in range(len(specs))) + "return 0;\n}\n"
    (tmp_path / "all.c").write_text(text)
    built = run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", tmp_path / "all.c", LIBTMA,
                "-o", tmp_path / "all")
    assert built.returncode == 0, built.stderr
    assert run(tmp_path / "all").stdout.split() == [encoded for _, encoded in specs]


@pytest.mark.skipif(not CUDA, reason="no cuda.h in CUDA_HOME, CUDA_PATH, /usr/local/cuda or /usr")
@pytest.mark.parametrize("language", ["c", "c++"])
def test_cuda_compiles(specs, language):
    text = "#include <cuda.h>\n" + "".join(
        f"CUresult make_{i}(void);\nCUresult make_{i}(void) {{\n{source(options, 'cuda')}return result;\n}}\n"
        for i, (options, _) in enumerate(specs))
    done = run("cc", "-x", language, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{CUDA[0]}/include", "-",
               input=text)
    if "has not been declared" in done.stderr or "undeclared" in done.stderr or "implicit declaration" in done.stderr:
        pytest.skip("this cuda.h is too old for a call or a name: " + done.stderr.splitlines()[0])
    assert done.returncode == 0, done.stderr


class Names:
    """cuda.bindings.driver as far as the text needs it: names stand for themselves."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        if name.startswith("cuTensorMapEncode"):
            return lambda *arguments: self.calls.append((name, arguments)) or (0, None)
        if name.startswith("cuuint"):
            return int
        return types.SimpleNamespace(**{n: n for n in self.names})


def test_bindings_pass_the_driver_s_arguments(specs, monkeypatch):
    for options, _ in specs:
        text, driver = source(options, "cuda.bindings"), Names()
        driver.names = re.findall(r"\bCU_TENSOR_MAP_\w+", text)
        package = types.ModuleType("cuda.bindings")
        package.driver = driver
        monkeypatch.setitem(sys.modules, "cuda", types.ModuleType("cuda"))
        monkeypatch.setitem(sys.modules, "cuda.bindings", package)
        exec(compile(text, "generated", "exec"), {})
        (name, arguments), = driver.calls
        given = dict(zip(options[::2], options[1::2]))
        dim = [int(n) for n in given["--dim"].split(",")]
        assert name == {"tiled": "cuTensorMapEncodeTiled", "im2col": "cuTensorMapEncodeIm2col",
                        "wide": "cuTensorMapEncodeIm2colWide"}[given["--api"]]
        assert arguments[1:4] == (len(dim), int(given["--address"], 16), dim)
        assert arguments[0].endswith(given["--dtype"].upper())


def test_core_says_what_it_has_not():
    done = run(TMA, "encode", "--as", "cuda.core", "--api", "im2col", "--dtype", "f16", "--dim", "64,28,28,8",
               "--lower=-1,-1", "--upper=-1,-1", "--channels", "64", "--pixels", "64")
    assert done.returncode == 2 and not done.stdout and "cuda.core makes tiled maps alone" in done.stderr
