# SPDX-License-Identifier: Apache-2.0
"""The source text that the page offers makes the same map: C compiled and run; Python against a
driver that takes down what it is asked. CC, LIBTMA (the static library) and INCLUDE besides."""
import os
import shlex
import subprocess
import sys
import types

import pytest
from random_maps import maps
from test_page_engine import ask

pytestmark = pytest.mark.skipif("LIBTMA" not in os.environ, reason="no library given")
ORDER = {"tiled": ["dtype", "rank", "address", "dim", "stride", "box", "element_stride", "interleave", "swizzle", "l2", "fill"],
         "im2col": ["dtype", "rank", "address", "dim", "stride", "lower", "upper", "channels", "pixels", "element_stride",
                    "interleave", "swizzle", "l2", "fill"],
         "wide": ["dtype", "rank", "address", "dim", "stride", "lower", "upper", "channels", "pixels", "element_stride",
                  "interleave", "wide_mode", "swizzle", "l2", "fill"]}


@pytest.fixture(scope="module")
def answers():
    taken = [got["answer"] for got in ask(*maps(120, seed=7)) if got["answer"]["accepted"]]
    assert len(taken) > 30 and {a["spec"]["api"] for a in taken} == set(ORDER)
    return taken


def code(answer, name):
    return next(c for c in answer["forms"] if c["name"] == name)


def test_c_makes_the_map(answers, tmp_path):
    functions = []
    for i, answer in enumerate(answers):
        body = code(answer, "c")["text"].replace("#include <tma/tma.h>\n", "")
        functions.append(f"static void map_{i}(void) {{\n{body}\nfor (int i = 0; i < 128; i++) printf(\"%02x\", map.bytes[i]);\n"
                         f"printf(\" %d\\n\", (int)status);\n}}\n")
    calls = "".join(f"map_{i}();\n" for i in range(len(answers)))
    source = tmp_path / "maps.c"
    source.write_text("#include <stdio.h>\n#include <tma/tma.h>\n" + "".join(functions) + f"int main(void) {{\n{calls}return 0;\n}}\n")
    subprocess.run([*shlex.split(os.environ["CC"]), "-std=c11", "-Wall", "-Werror", "-I", os.environ["INCLUDE"], source,
                    os.environ["LIBTMA"], "-o", tmp_path / "maps"], check=True)
    out = subprocess.run([tmp_path / "maps"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert out == [a["map"] + " 0" for a in answers]


class Names:
    """driver.CUtensorMapSwizzle.X is "X"."""

    def __getattr__(self, name):
        return name


def test_bindings_pass_the_arguments_in_the_order_of_cuda_h(answers):
    for answer in answers:
        seen = []
        driver = types.SimpleNamespace(cuuint64_t=int, cuuint32_t=int)
        for name in ["DataType", "Interleave", "Swizzle", "L2promotion", "FloatOOBfill", "Im2ColWideMode"]:
            setattr(driver, "CUtensorMap" + name, Names())
        for call in ["Tiled", "Im2col", "Im2colWide"]:
            setattr(driver, "cuTensorMapEncode" + call, lambda *given, call=call: seen.append((call, given)) or (0, None))
        bindings = types.ModuleType("cuda.bindings")
        bindings.driver = driver
        sys.modules.update({"cuda": types.ModuleType("cuda"), "cuda.bindings": bindings})
        try:
            exec(code(answer, "cuda-bindings")["text"], {})
        finally:
            del sys.modules["cuda"], sys.modules["cuda.bindings"]
        (call, given), = seen
        spec = answer["spec"]
        assert {"Tiled": "tiled", "Im2col": "im2col", "Im2colWide": "wide"}[call] == spec["api"]
        for name, value in zip(ORDER[spec["api"]], given, strict=True):
            wanted = spec[name]
            if name == "address":
                assert value == int(wanted, 16)
            elif name == "stride" and not wanted:
                assert value == [0]  # rank 1: not read
            elif isinstance(wanted, str):
                assert value.lower().endswith(wanted.lower()) or (name, wanted) == ("fill", "nan"), (name, value)
            elif spec["api"] == "wide" and name in ("lower", "upper"):
                assert [value] == (wanted if isinstance(wanted, list) else [wanted])  # a corner is one number
            else:
                assert value == wanted, name


def test_what_cuda_core_has_no_words_for(answers):
    for answer in answers:
        spec, core = answer["spec"], code(answer, "cuda-core")
        has = spec["api"] == "tiled" and "ATOM" not in spec["swizzle"] and "16u" not in spec["dtype"]
        if has and core["unfit"] is None:
            assert f"box_dim=({', '.join(map(str, spec['box'][::-1]))}{',' * (spec['rank'] == 1 if 'rank' in spec else len(spec['box']) == 1)})" in core["text"]
            compile(core["text"], "core", "exec")
        else:
            assert core["unfit"] and not core["text"]
