# SPDX-License-Identifier: Apache-2.0
"""docs/figures is what tools/draw_figures.py draws, byte for byte: every figure of the chapter, each
with the command under it; well-formed, small, and made again from what stands in its metadata."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs/figures"
TMA = os.environ["TMA"]
PICTURES = sorted(FIGURES.glob("*.svg"))
MOST_BYTES = 100_000


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    subprocess.run([sys.executable, "-B", ROOT / "tools/draw_figures.py", folder], check=True)
    return folder


def test_the_folder_is_up_to_date(drawn):
    names = sorted(p.name for p in drawn.iterdir())
    assert names == sorted(p.name for p in FIGURES.iterdir()) and len(names) > 30
    for name in names:
        assert (drawn / name).read_bytes() == (FIGURES / name).read_bytes(), \
            f"{name}: tools/draw_figures.py"


def test_every_figure_of_the_chapter_is_there():
    page = (FIGURES / "README.md").read_text()
    headings = re.findall(r"^### Figures? ([\d and]+):", page, re.M)
    numbers = [int(n) for heading in headings for n in heading.split(" and ")]
    assert numbers == list(range(5, 38))


def test_every_picture_stands_on_the_page_under_its_command():
    page = (FIGURES / "README.md").read_text()
    for picture in PICTURES:
        assert page.count(f"({picture.name})") == 1
        assert page.count(f"--out {picture.name}\n") == 1


@pytest.mark.parametrize("picture", PICTURES, ids=lambda p: p.stem)
def test_is_well_formed_and_small(picture):
    if not shutil.which("xmllint"):
        pytest.skip("no xmllint")
    subprocess.run(["xmllint", "--noout", "--nonet", picture], check=True)
    assert picture.stat().st_size < MOST_BYTES


@pytest.mark.parametrize("picture", PICTURES, ids=lambda p: p.stem)
def test_is_made_again_from_its_metadata(picture):
    text = picture.read_text()
    if picture.stem == "emulated_race":
        pytest.skip("a trace comes from standard input")
    command = re.search(r"^tma (draw .*)$", text, re.M)[1]
    again = subprocess.run([TMA, *command.split(), "--out", "-"], check=True, capture_output=True,
                           text=True).stdout
    assert again == text


@pytest.mark.parametrize("kind,magic", [("png", b"\x89PNG"), ("pdf", b"%PDF-")])
def test_png_is_written_and_pdf_or_cairo_is_said_to_be_missing(kind, magic, tmp_path):
    out = tmp_path / f"copy.{kind}"
    done = subprocess.run([TMA, "draw", "copy", "--dtype", "float16", "--dim", "64,32", "--box",
                           "64,8", "--swizzle", "128B", "--out", out], check=False,
                          capture_output=True, text=True)
    if done.returncode:
        assert done.returncode == 2 and "cairo" in done.stderr and kind == "pdf"
        assert not list(tmp_path.iterdir())
    else:
        assert out.read_bytes().startswith(magic) and out.stat().st_size > 10_000
        assert list(tmp_path.iterdir()) == [out]
