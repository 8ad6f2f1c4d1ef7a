# SPDX-License-Identifier: Apache-2.0
"""tma draw --out of a .pdf, held against the SVG of the same picture path by path and letter by letter. 77 where
tma was built without cairo."""
import os
import re
import subprocess

import pdf_marks
import pytest
from drawn_svg import ARROW, BOLD, PICTURES, TEXT_PX, TMA, Drawn, full_disk_is_said

HATCH_PX = 8


def draw(picture, out):
    done = subprocess.run([TMA, "draw", *PICTURES[picture].split(), "--out", str(out)], capture_output=True, text=True,
                          check=False)
    if "built without cairo" in done.stderr:
        pytest.exit("tma was built without cairo", returncode=77)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return out.read_bytes()


def near(a, b, by=0.01):
    return len(a) == len(b) and all(abs(x - y) <= by for x, y in zip(a, b))


def box_of(lines):
    points = [p for line in lines for p in line]
    return min(p[0] for p in points), min(p[1] for p in points), max(p[0] for p in points), max(p[1] for p in points)


class Reading:
    """Takes what a page has, mark by mark, in the SVG's order."""

    def __init__(self, page):
        self.page, self.glyphs = page, iter(page.glyphs)
        self.paths = []
        for path in page.paths: # a fill and a stroke of one path can be one thing or two
            if path.fill and path.stroke:
                self.paths += [(path, "fill"), (path, "stroke")]
            else:
                self.paths.append((path, "fill" if path.fill else "stroke"))
        self.paths = iter(self.paths)
        self.fonts = {True: set(), False: set()}

    def every(self, marks):
        for mark in marks:
            {"rect": self.rectangle, "text": self.text, "path": self.stroke}[mark.kind](mark)
        assert not list(self.paths) and not list(self.glyphs)

    def next(self, how, colour, alpha=1.0):
        path, kind = next(self.paths)
        assert (kind, getattr(path, kind)) == (how, colour)
        assert self.page.alphas[path.alpha] == alpha
        return path

    def pen(self, path, width, dashed):
        assert abs(path.width - width) < 0.01 and near(path.dash, [4, 3] if dashed else [])

    def rectangle(self, mark):
        if mark.look["fill"]:
            path = self.next("fill", mark.look["fill"])
            assert near(box_of(path.lines), mark.corners()) and len(path.lines) == 1
        if mark.look["width"]:
            path = self.next("stroke", mark.look["stroke"])
            assert near(box_of(path.lines), mark.corners()) and len(path.lines) == 1
            self.pen(path, mark.look["width"], mark.look["dashed"])
        if mark.hatch:
            self.hatch(mark, self.next("stroke", mark.look["stroke"], 0.4))
        if mark.label:
            words, px, upright, fill = mark.label
            x, y = mark.at["x"] + mark.at["width"] / 2, mark.at["y"] + mark.at["height"] / 2
            half = len(words) * px * (self.page.advance or 0) / 2
            self.letters(words, (x + px * 0.35, y + half) if upright else (x - half, y + px * 0.35), px, fill, upright,
                         mark.name in BOLD)

    def hatch(self, mark, path):
        """The SVG's lines, at multiples of HATCH_PX, though their ends may lie beyond the rectangle."""
        left, top, right, bottom = mark.corners()
        assert near(box_of(path.clip), mark.corners())
        self.pen(path, 1, False)
        here, there = {True: [], False: []}, {True: [], False: []}
        for (x, y), (end_x, end_y) in path.lines:
            rising = (x < end_x) != (y < end_y)
            assert abs(end_x - x + (end_y - y if rising else y - end_y)) < 0.01
            assert not (left < x < right and top < y < bottom or left < end_x < right and top < end_y < bottom)
            here[rising].append(x + y if rising else x - y)
        for x, y, w, h in re.findall(r"M(-?\d+) (-?\d+)l(-?\d+) (-?\d+)", mark.hatch):
            rising = (int(w) < 0) != (int(h) < 0)
            there[rising].append(int(x) + int(y) if rising else int(x) - int(y))
        for rising, places in there.items():
            assert near(sorted(here[rising]), sorted(places)) and all(n % HATCH_PX == 0 for n in places)

    def letters(self, words, start, px, fill, upright, bold):
        for i, code in enumerate(words.encode("cp1252", "replace")):
            glyph = next(self.glyphs)
            assert glyph.upright == upright and abs(glyph.px - px) < 0.02 and glyph.fill == fill
            if self.page.advance:
                along = i * px * self.page.advance
                place = (start[0], start[1] - along) if upright else (start[0] + along, start[1])
                assert near((glyph.x, glyph.y), place, 0.05)
            if words.isascii():
                assert glyph.code == code
            self.fonts[bold].add(glyph.font)

    def text(self, mark):
        px = TEXT_PX[mark.name]
        start = mark.at["x"] - len(mark.words) * px * (self.page.advance or 0) * mark.anchor / 2
        self.letters(mark.words, (start, mark.at["y"]), px, mark.look["fill"], False, mark.name in BOLD)

    def stroke(self, mark):
        path = self.next("stroke", mark.look["stroke"])
        self.pen(path, mark.look["width"], mark.look["dashed"])
        x, y, w, h = map(int, re.match(r"M(-?\d+) (-?\d+)l(-?\d+) (-?\d+)", mark.data).groups())
        lines = [[(x, y), (x + w, y + h)]]
        point = ARROW.search(mark.data)
        if point:
            at, line = (x + w, y + h), []
            for step in zip(*[iter(map(int, point.groups()))] * 2):
                at = at[0] + step[0], at[1] + step[1]
                line.append(at)
            lines.append(line)
        assert [len(line) for line in path.lines] == [len(line) for line in lines]
        assert all(near(a, b) for line, wanted in zip(path.lines, lines) for a, b in zip(line, wanted))


@pytest.mark.parametrize("picture", PICTURES)
def test_a_pdf_is_what_the_svg_is(picture, tmp_path):
    svg, page = Drawn(picture), pdf_marks.Page(draw(picture, tmp_path / "a.pdf"))
    assert near(page.box, [0, 0, *(n * pdf_marks.PT for n in svg.size)])
    reading = Reading(page)
    reading.every(svg.marks)
    assert not page.bold or not reading.fonts[True] & reading.fonts[False]


def test_what_cannot_be_written_is_said(tmp_path):
    draw("copy", tmp_path / "whole.pdf")
    full_disk_is_said("pdf", tmp_path)


def refused(where, cwd, **settings):
    """What is said where cairo cannot be used; nothing is written."""
    done = subprocess.run([TMA, "draw", *PICTURES["edge"].split(), "--out", str(where)], cwd=cwd, capture_output=True,
                          text=True, check=False, env=os.environ | settings)
    assert (done.returncode, done.stdout, where.exists()) == (2, "", False)
    return done.stderr


def test_a_cairo_that_is_none_is_said(tmp_path):
    draw("edge", tmp_path / "a.pdf")
    library, out = tmp_path / "libcairo.so.2", tmp_path / "b.pdf"
    library.write_bytes(b"no library")
    assert f"--out {out}: {library}: " in refused(out, tmp_path, LD_LIBRARY_PATH=str(tmp_path))
    library.unlink()
    with open("/proc/self/maps", encoding="ascii") as maps:
        library.symlink_to(next(line.split()[-1] for line in maps if "/libc.so.6" in line))
    assert f"--out {out}: libcairo.so.2 has no cairo_create; .svg and .png need no cairo" in refused(
        out, tmp_path, LD_LIBRARY_PATH=str(tmp_path))


def test_no_cairo_of_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "libcairo.so.2").write_bytes(b"no library")
    monkeypatch.chdir(tmp_path)
    draw("edge", tmp_path / "a.pdf")
