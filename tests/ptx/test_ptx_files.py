# SPDX-License-Identifier: Apache-2.0
"""tma ptx on whole files: every statement found (counted here in another way), however the file is
laid out; forms held against ptxas, where there is one (on PATH, or named in PTXAS)."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pieces import nested

TMA = os.environ["TMA"]
HERE = Path(__file__).parent
SAMPLES = sorted((HERE / "samples").glob("*.ptx"))
FORMS = [HERE.parents[1] / name for name in ("ptx/statement/ptx_forms.def", "ptx/judge/ptx_plain_forms.def")]
TENSOR = re.compile(r"cp\.async\.bulk\.(?:prefetch\.)?tensor\b|cp\.reduce\.async\.bulk\.tensor\b|"
                    r"\btensormap\.[a-z_]+|fence\.proxy\.tensormap::generic|"
                    r"\bprefetch(?:\.\w+)?\.tensormap")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)


def report(path, *options):
    done = subprocess.run([TMA, "ptx", "--json", *options, str(path)], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    answer = json.loads(done.stdout)
    assert done.returncode == (answer["finding_count"] > 0)
    return answer


def rules(answer):
    found = [(f["rule"], f["text"].split(",")[0]) for i in answer["instructions"] for f in i["findings"]]
    return sorted(re.sub(r"line \d+", "line N", f"{rule}: {text}") for rule, text in found)


def counted(text):
    return len(TENSOR.findall(COMMENT.sub(" ", text).replace("tensormap::generic.release.gpu.sync", "")))


def test_there_are_samples():
    assert len(SAMPLES) >= 6


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_every_statement_is_found(path):
    answer = report(path)
    assert answer["sites"] == counted(path.read_text()) > 0
    assert all(i["understood"] for i in answer["instructions"])
    assert all(re.match(r"(triton_)?kernels\.", i["source"]["file"]) for i in answer["instructions"])
    assert answer["notes"] == []


def test_maps_are_named_by_their_parameter_where_triton_converts_its_low_half():
    maps = [i["map"] for i in report(HERE / "samples/triton_matmul_90.ptx")["instructions"]]
    a, b, c = "matmul_param_0", "matmul_param_5", "matmul_param_10"
    assert maps == [a, b, a, b, a, b, c]


def crlf(text):
    return text.replace("\n", "\r\n")


def one_line(text):
    """All of a body on one line, but for the directives that end with theirs."""
    text = COMMENT.sub(" ", text)
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    ends = (".loc", ".file", ".version", ".target", ".address_size", ".section")
    return "".join(line + ("\n" if line.startswith(ends) else " ") for line in lines).replace(
        " .loc", "\n.loc")


def spread(text):
    """Every comma of a statement on a line of its own, with comments that hold braces."""
    return re.sub(r",(?=[^\n]*;)", " /* }; \u2713 { */ ,\n // ] ; \u00e9\n", text)


@pytest.mark.parametrize("layout", [crlf, one_line, spread, nested])
@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_layout_does_not_matter(path, layout, tmp_path):
    other = tmp_path / "other.ptx"
    other.write_text(layout(path.read_text()), encoding="utf-8", newline="")
    assert other.read_bytes() != path.read_bytes()
    plain, answer = report(path), report(other)
    assert answer["sites"] == plain["sites"]
    assert rules(answer) == rules(plain)
    assert [i["map"] for i in answer["instructions"]] == [i["map"] for i in plain["instructions"]]


def test_cut_files_end_well(tmp_path):
    text = (HERE / "samples/nvcc_90.ptx").read_bytes()
    cut = tmp_path / "cut.ptx"
    for size in range(0, len(text), 61):
        cut.write_bytes(text[:size])
        done = subprocess.run([TMA, "ptx", str(cut)], capture_output=True)
        assert done.returncode in (0, 1, 2)
        assert done.returncode < 2 or size < 400


def test_page_shows_what_is_printed(tmp_path):
    page = (HERE.parents[1] / "docs/kernels.md").read_text()
    shutil.copy(HERE.parent / "golden/inputs/kernel.ptx", tmp_path)
    environment = {**os.environ, "PATH": f"{Path(TMA).parent}:{os.environ['PATH']}"}
    blocks = re.findall(r"```console\n(.*?)```", page, re.S)
    assert len(blocks) >= 3
    for block in blocks:
        commands = re.findall(r"^\$ (.*)", block, re.M)
        shown = re.sub(r"^\$ .*\n", "", block, flags=re.M)
        done = [subprocess.run(["bash", "-c", c], cwd=tmp_path, env=environment, text=True,
                               capture_output=True) for c in commands]
        assert "".join(d.stdout for d in done) == shown


def ptxas_list():
    return [p for p in (os.environ.get("PTXAS") or "ptxas").split(os.pathsep) if shutil.which(p)]


def latest_version(ptxas):
    """The newest .version that it takes, as 90 for 9.0."""
    for version in range(99, 79, -1):
        done = subprocess.run([ptxas, "-arch=sm_90", "-o", "/dev/null", "-"], text=True,
                              capture_output=True, input=f".version {version // 10}.{version % 10}\n"
                              ".target sm_90\n.address_size 64\n")
        if done.returncode == 0:
            return version
    return 0


HEAD = """.version {}
.target {}
.address_size 64
.global .align 128 .b8 gmap[128];
.visible .entry k() {{
.reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .b16 %h<4>; .reg .pred %p<4>;
.shared .align 1024 .b8 sm[4096];
.shared .align 128 .b8 smap[128];
.shared .align 8 .b64 bar;
"""


def refused_lines(ptxas, path, target):
    done = subprocess.run([ptxas, f"-arch={target}", "-o", "/dev/null", str(path)],
                          capture_output=True, text=True)
    said = done.stdout + done.stderr
    if "is not defined for option" in said:
        return {0}  # a target that this ptxas has not
    of_target = {int(n) for n in re.findall(r"line (\d+); error +: PTX \.version \S+ does not support \.target", said)}
    return {int(n) for n in re.findall(r"line (\d+); (?:error|fatal)", said)} - of_target


def test_forms_are_what_ptxas_takes(tmp_path):
    compilers = ptxas_list()
    if not compilers:
        pytest.skip("no ptxas")
    examples = [e for forms in FORMS for e in re.findall(r'^\s+"([^"]+;)"', forms.read_text(), re.M)]
    assert len(examples) >= 30
    archs = [a["name"] for a in json.loads(subprocess.run(
        [TMA, "list", "archs", "--json"], capture_output=True, text=True).stdout)["table"]]
    first = HEAD.count("\n") + 1
    compared = refused = 0
    for ptxas in compilers:
        newest = latest_version(ptxas)
        assert newest >= 86
        for target in archs:
            for version in sorted({80, 83, 85, 86, 87, 88, 90, 91, 92, 93, 94, newest}):
                if version > newest:
                    continue
                path = tmp_path / "forms.ptx"
                path.write_text(HEAD.format(f"{version // 10}.{version % 10}", target) +
                                "\n".join(examples) + "\nret;\n}\n")
                theirs = refused_lines(ptxas, path, target)
                if any(n < first for n in theirs):
                    continue  # it has no such target in this version
                answer = report(path)
                found = [(i["line"], f["rule"]) for i in answer["instructions"] for f in i["findings"]]
                found += [(f["line"], f["rule"]) for f in answer["findings"]]
                ours = {line for line, rule in found if rule in ("ptx-target", "ptx-version")}
                assert ours == theirs, (ptxas, target, version, [
                    examples[n - first] for n in sorted(ours ^ theirs)])
                compared += len(examples)
                refused += len(theirs)
    assert compared > 500 and 0 < refused < compared
