# SPDX-License-Identifier: Apache-2.0
"""The page's libraries in node: links, pastes and random maps say what the command says. TMA is the
command, PAGE the page's HTML; HOW_MANY random maps."""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess

import pytest
from random_maps import coords, maps

HERE = pathlib.Path(__file__).parent
TMA, PAGE = os.environ["TMA"], os.environ["PAGE"]
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="no node here")


def ask(*requests):
    lines = "".join(json.dumps({"text": r} if isinstance(r, str) else r) + "\n" for r in requests)
    out = subprocess.run([NODE, HERE / "ask.js", PAGE], input=lines, capture_output=True, text=True, check=True).stdout
    answers = [json.loads(line) for line in out.splitlines()]
    assert len(answers) == len(requests)
    return answers


def tma(*words, codes=(0, 1), **more):
    done = subprocess.run([TMA, *words], capture_output=True, text=True, **more)
    assert done.returncode in codes, done.stderr
    return done.stdout


def links():
    lines = (HERE / "links.txt").read_text().splitlines()
    return [tuple(line.split(" ", 2)) for line in lines if line and not line.startswith("# ")]


def test_links_work_for_ever():
    rows = links()
    assert len(rows) >= 10
    for (link, verdict, picture), got in zip(rows, ask(*({"link": link} for link, *_ in rows))):
        answer = got["answer"]
        assert answer["kind"] in ("spec", "map"), (link, answer.get("error"))
        assert ("accepted" if answer["accepted"] else "refused") == verdict, link
        assert answer["picture"] == picture, link
        assert (verdict == "accepted") == got["svg"].startswith("<svg"), link


def test_a_link_reads_back():
    texts = ["--dtype bf16 --dim 64,64 --coord=-1,+2 # % & é \n x", "a+b %2B", "{}\"'"]
    for text, got in zip(texts, ask(*texts)):
        assert ask({"link": got["link"]})[0]["text"] == text


def test_ptx_files_say_what_tma_ptx_says():
    samples = sorted((HERE.parent / "ptx/samples").glob("*.ptx"))
    for path, got in zip(samples, ask(*(path.read_text() for path in samples))):
        said = json.loads(tma("ptx", "--json", "--findings", str(path)))
        answer = got["answer"]
        assert answer["kind"] == "ptx" and got["svg"] == ""
        assert answer["ptx_file"] == {key: said[key] for key in answer["ptx_file"]}
        assert answer["ptx_file"]["finding_count"] == len(said["findings"]) + sum(len(i["findings"]) for i in said["instructions"])
    small, log, again = ask(".version 8.8\n.target sm_90a\n", "a log\n" + samples[0].read_text(), samples[0].read_text())
    assert small["answer"]["ptx_file"]["sites"] == 0 and log["answer"]["kind"] != "ptx" and again["answer"]["ptx_file"]["sites"]


def test_a_ptx_file_that_is_too_large():
    sample = sorted((HERE.parent / "ptx/samples").glob("*.ptx"))[0].read_text()
    large = sample[:sample.index(".visible .entry")] + ".global .b8 a;\n" * 700_000
    got, after = ask(large, sample)
    assert got["answer"]["kind"] == "ptx" and "too large" in got["answer"]["error"]
    assert after["answer"]["ptx_file"]["sites"]


def test_a_log_of_ten_megabytes():
    """The call that it is about stands in its middle."""
    line = "step 12345: loss 2.71828, 1234 ms\n"
    noise = line * (5_000_000 // len(line))
    log = noise + (HERE / "cutlass.log").read_text() + noise
    alone, whole = ask((HERE / "cutlass.log").read_text(), log)
    assert whole["answer"]["from"] == "paste" and whole["answer"]["findings"] == alone["answer"]["findings"]


def test_a_text_that_is_too_long_is_said():
    """And nothing of the text before is left: no verdict, no picture."""
    good = "tma draw copy --dtype bf16 --dim 4096,8192 --box 64,128 --swizzle 128B"
    for long in ("x" * (1 << 24), "\u00e9" * (7 << 20)):
        before, got, after = ask(good, long, good)
        assert got["answer"]["kind"] == "error" and got["svg"] == "", got["answer"]
        assert re.search(r"the text has \d+ B or more, must be at most \d+ B", got["answer"]["error"])
        assert got["answer"]["found"] == [] and "findings" not in got["answer"]
        assert after["answer"] == before["answer"]


def test_the_log_of_cutlass():
    log = (HERE / "cutlass.log").read_text()
    answer = ask(log)[0]["answer"]
    assert answer["from"] == "paste" and not answer["accepted"]
    assert [f["rule"] for f in answer["findings"]] == ["stride-align"]
    fix = answer["fixes"][0]
    edited = ask({"text": log, "edit": [fix["option"], fix["option_value"]]})[0]["edited"]
    assert ask(edited)[0]["answer"]["accepted"]


@pytest.mark.parametrize("text, error", [
    ("hello", "128 bytes"), ("--dtype bf16 --dim 64", "--box is missing"), ("--dtyp bf16", "unknown option '--dtyp': --dtype"),
    ("tma draw circle --dtype bf16", "unknown picture 'circle'"), ("--dtype", "--dtype needs a value"),
    ("--dtype bf16 --dim 'x", "quote"), ("00" * 127, "127"), ("enc api=tiled", "missing"),
    ("--dtype bf16 --dim 64 --box 64 --dim 3", "given twice"), ("--dtype bf16 --dim 64 --box 64 --op load --op store", "given twice")])
def test_what_is_not_understood(text, error):
    got = ask(text)[0]
    assert got["answer"]["kind"] == "error" and error in got["answer"]["error"]
    assert got["svg"] == ""


def test_a_log_with_a_gpu_error_and_no_map():
    answer, = [got["answer"] for got in ask("step 3\nRuntimeError: CUDA error: an illegal instruction was encountered\n"
                                            "Xid (PCI:0000:3b:00): 13, Graphics SM Warp Exception: Illegal Instruction Parameter\n")]
    assert answer["kind"] == "error"
    assert [(row["line"], row["crash"]) for row in answer["crashes"]] == [(2, "illegal-instruction"), (3, "xid-13"), (3, "illegal-parameter")]
    first = answer["crashes"][0]
    assert first["code"] == 715 and first["tensor_copy"] == "can be the cause" and "run-checked" in first["next"]
    assert ask("--dtyp CUDA_ERROR_ILLEGAL_INSTRUCTION")[0]["answer"]["crashes"] == []


def test_what_stands_beside_a_map_is_said():
    options = ("--dtype", "bf16", "--dim", "4096,512", "--box", "64,64")
    answer = ask(tma("encode", *options) + "--coord 1,2\nCUDA error: an illegal memory access was encountered\n")[0]["answer"]
    assert answer["kind"] == "map" and answer["accepted"] and "--coord is not read" in answer["beside"]
    assert [row["crash"] for row in answer["crashes"]] == ["illegal-address"]
    answer = ask(tma("encode", *options))[0]["answer"]
    assert answer["kind"] == "map" and not answer.get("beside") and not answer.get("crashes")


@pytest.mark.parametrize("command, is_right", [
    ("mma --desc 0x4000004000010040 --arch sm_90a", True), ("mma --desc 0x4000004000010040 --arch sm_100a", False),
    ("mma --desc 0x4001404000010040 --arch sm_100a --mma-reading mma-version-bits=two", False),
    ("mma --zero-mask 0x0203028301020100 --shape m32n128k16", True), ("mma --zero-mask 0x2103028000000000", False),
    ("mma --zero-mask 0x0003028000000000 --shape m128n32k16 --mma-reading zero-mask-spans=use", True)])
def test_bits_of_an_mma_without_a_map(command, is_right):
    answer = ask("tma " + command)[0]["answer"]
    assert answer["kind"] == "mma" and answer["mma"] == tma(*command.split()) and answer["mma_is_right"] == is_right
    with_map = ask(f"tma {command} --dtype f16 --dim 64,64 --box 64,64")[0]["answer"]
    assert with_map["kind"] == "spec" and ("goes with --shape" in with_map["mma"]) == ("zero" in command)


def test_words_of_64_bits():
    answer = ask("printf: smem desc 0x4000004000010040\nmbarrier state 0x000003f8001ffffe, 0x7f1e4a000000")[0]["answer"]
    assert [(w["line"], w["word"], w["kind"]) for w in answer["words"]] == [
        (1, "0x4000004000010040", "a matrix descriptor of wgmma (sm_90a)"), (2, "0x000003f8001ffffe", "an mbarrier's word")]
    assert "swizzle 128B" in answer["words"][0]["says"] and answer["words"][1]["says"].startswith("16384 B missing")
    assert ask("0x4000004000010040")[0]["answer"]["words"][0]["kind"].startswith("a matrix descriptor")


def test_what_a_log_does_not_show_is_not_judged():
    """Neither the type nor the strides stand in the text: what would stand for them is no answer."""
    log = "cuTensorMapEncodeTiled failed: CUDA_ERROR_INVALID_VALUE\nglobalDim=[1000, 77] boxDim=[64, %d]"
    got = ask(log % 64)[0]
    answer = got["answer"]
    assert answer["lacks"] == "--dtype TYPE and --stride BYTES,..." and answer["findings"] == [] and not answer["accepted"]
    assert not {"measure", "copy", "map", "code"} & set(answer) and got["svg"] == ""
    assert "--dtype TYPE" in answer["command"] and "--stride BYTES,..." in answer["command"] and "--dim 1000,77" in answer["command"]
    got = ask({"text": log % 264, "edit": ["box", "64,256"]})[0]
    assert [f["rule"] for f in got["answer"]["findings"] if f["severity"] == "refused"] == ["box-limit"]
    assert "--box 64,256" in got["edited"] and "--dtype TYPE" in got["edited"] and "uint8" not in got["edited"]
    whole = ask(log % 64 + " globalStrides=[2000] tensorDataType=9")[0]["answer"]
    assert "lacks" not in whole and whole["accepted"]


def test_coordinates_of_another_rank():
    got = ask("--dtype bf16 --dim 64,64 --box 64,8 --coord 8")[0]
    assert got["answer"]["accepted"] and "--coord has 1 entry" in got["answer"]["copy"]["error"] and got["svg"] == ""


def test_edits():
    base = "$ tma check --dtype bf16 \\\n  --dim 64,64 --box=64,8"
    cases = [(["coord", "-8,3"], base + " --coord=-8,3"), (["box", "8,8"], base.replace("--box=64,8", "--box 8,8")),
             (["dtype", "f16"], base.replace("bf16", "f16")),
             (["picture", "box"], "tma draw box --dtype bf16 \\\n  --dim 64,64 --box=64,8")]
    for (edit, wanted), got in zip(cases, ask(*({"text": base, "edit": edit} for edit, _ in cases))):
        assert got["edited"] == wanted
    dump = ask("--dtype bf16 --dim 64,64 --box 64,8")[0]["answer"]["map"]
    cases = [("tma store --dim 8", ["picture", "box"], "tma draw box --op store --dim 8"),
             ("tma draw copy --dim 8", ["picture", "box"], "tma draw box --dim 8"),
             ("--dtype=bf16 --dim=8 --box 8", ["dtype", "f16"], "--dtype f16 --dim=8 --box 8"),
             ("tma decode " + dump, ["picture", "box"], f"tma draw box --map {dump}"),
             (dump, ["coord", "0,1"], f"tma draw copy --map {dump} --coord 0,1"),
             ("hello", ["coord", "0,1"], "hello")]
    for (_, _, wanted), got in zip(cases, ask(*({"text": text, "edit": edit} for text, edit, _ in cases))):
        assert got["edited"] == wanted


def same_verdict(answer, line):
    assert answer["kind"] == "spec"
    assert answer["accepted"] == line["accepted"]
    assert answer["findings"] == line["findings"]
    assert answer.get("measure") == line["measure"]
    assert answer["spec"] == line["spec"] and answer["target"] == line["target"]
    assert answer.get("map") == line["map"]


def without_source(svg):
    """The command's pictures name the command, the page's the map."""
    return re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S).strip()


def test_random_maps_and_copies(tmp_path):
    count = int(os.environ.get("HOW_MANY", "300"))
    rng = random.Random(2)
    lines = maps(count)
    (tmp_path / "maps.txt").write_text("\n".join(lines) + "\n")
    told = [json.loads(line) for line in tma("encode", "--json", tmp_path / "maps.txt").splitlines()]
    answers = [got["answer"] for got in ask(*lines)]
    assert len(told) == count
    for answer, line in zip(answers, told):
        same_verdict(answer, line)
    taken = [line for line in told if line["accepted"]]
    assert count / 5 < len(taken) < count
    texts = []
    for line in taken[:count // 5]:
        spec = line["spec"]
        picture = rng.choice(["copy", "copy", "bytes", "banks", "swizzle", "cost"])
        texts.append(f"tma draw {picture} --map {line['map']} --arch {line['target']['arch']} --coord={coords(rng, spec['dim'], spec['api'])}")
    drawn = 0
    for text, got in zip(texts, ask(*texts)):
        done = subprocess.run([TMA, *text.split()[1:], "--out", "-"], capture_output=True, text=True)
        assert without_source(got["svg"]) == without_source(done.stdout), text
        drawn += done.returncode == 0
    assert drawn > len(texts) / 2
    linked = [(text, tma(*text.split()[1:], "--link").strip()) for text in texts[:count // 20]]
    linked = [(text, link) for text, link in linked if link]
    assert len(linked) > count / 50
    for (text, link), got in zip(linked, ask(*({"link": link} for _, link in linked)), strict=True):
        assert got["link"] == link, "the page writes its links as the command does"
        assert without_source(got["svg"]) == without_source(tma(*text.split()[1:], "--out", "-")), text
