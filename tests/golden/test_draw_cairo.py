# SPDX-License-Identifier: Apache-2.0
"""tma draw --out of .png and .pdf, held against the SVG of the same picture: the PDF path by path and
letter by letter, the PNG pixel by pixel wherever no letter, hatch or dash is. 77 where tma was built without cairo."""
import os
import pathlib
import re
import struct
import subprocess
import xml.etree.ElementTree
import zlib

import pdf_marks
import pytest

TMA = os.environ["TMA"]
STYLES = (pathlib.Path(__file__).resolve().parents[2] / "include/tma/draw_styles.def").read_text()
TEXT_PX = {m[1]: int(m[2]) for m in re.finditer(r'^STYLE\(\w+, *"(\w+)",(?:[^,]*,){8} (\d+), \d, \d\)', STYLES, re.M)}
BOLD = set(re.findall(r'^STYLE\(\w+, *"(\w+)",.* 1, \d\)$', STYLES, re.M))
SMALL = "--dtype float16 --dim 24,12 --box 16,4 --coord 16,9"
PICTURES = {
    "copy": f"copy {SMALL}",
    "copy, dark": f"copy {SMALL} --theme dark",
    "box": f"box {SMALL} --element-stride 1,3",
    "box, dark": f"box {SMALL} --theme dark",
    "bytes": f"bytes {SMALL}",
    "banks": "banks --dtype float16 --dim 64,32 --box 64,8 --reader column-16B",
    "cost": "cost --dtype bfloat16 --dim 100,80 --stride 208 --box 64,3 --coord 8,0",
    "swizzle": "swizzle --dtype float16 --dim 64,32 --box 32,4 --swizzle 64B --shared 0x480 --theme dark",
    "im2col": "im2col --api im2col --dtype float16 --dim 16,5,4,2 --lower=-1,-1 --upper=-1,-1 --channels 8 --pixels 16 "
              "--coord 0,2,2,0 --offset 1,2",
    "packed": "packed --arch sm_100a --dtype 16u6_align16b --dim 256,16 --box 128,4 --op store",
    "padding": "copy --arch sm_100a --dtype 16u4_align16b --dim 256,16 --box 128,4",
    "edge": "copy --op store --dtype uint8 --dim 77,32 --stride 160 --box 64,4 --coord 48,28",
}
PICTURES["labels too long"] = ("copy --dtype float16 --dim 200000,12,90,90,9 --box 16,2,1,1,1 "
                               "--coord 199984,9,80,80,8 --label coord")
SCALE = 2 # pixels of the PNG for a px
HATCH_PX = 8
ARROW = re.compile(r"m(-?\d+) (-?\d+)l(-?\d+) (-?\d+)l(-?\d+) (-?\d+)")


def draw(picture, out):
    done = subprocess.run([TMA, "draw", *PICTURES[picture].split(), "--out", str(out)], capture_output=True, text=True,
                          check=False)
    if "built without cairo" in done.stderr:
        pytest.exit("tma was built without cairo", returncode=77)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return out.read_bytes()


class Mark:
    """An element of the SVG; a rectangle has its label and its hatch."""

    def __init__(self, element, looks):
        self.name = element.get("class").split()[0]
        self.anchor = {"b": 0, "e": 2}.get(element.get("class").split()[-1] if " " in element.get("class") else "", 1)
        self.kind = element.tag.rpartition("}")[2]
        self.at = {k: int(element.get(k)) for k in ("x", "y", "width", "height") if element.get(k)}
        self.data, self.words = element.get("d"), element.text
        self.look, self.label, self.hatch = looks(self.name), None, None

    def corners(self):
        a = self.at
        return a["x"], a["y"], a["x"] + a["width"], a["y"] + a["height"]


class Drawn:
    """The SVG's size and marks. With --theme, each class has one fill and one stroke."""

    def __init__(self, picture):
        words = PICTURES[picture]
        words += "" if "--theme" in words else " --theme light"
        text = subprocess.run([TMA, "draw", *words.split(), "--out", "-"], capture_output=True, text=True,
                              check=True).stdout
        style = text[text.index("<style>"):text.index("</style>")]
        root = xml.etree.ElementTree.fromstring(text)
        self.size = int(root.get("width")), int(root.get("height"))
        self.style, self.marks = style, []
        for element in root.iter():
            if element.tag.endswith(("}rect", "}text", "}path")):
                self.add(element)

    def add(self, element):
        name = element.get("class")
        if name.startswith("hatch"):
            self.marks[-1].hatch = element.get("d")
        elif name.startswith("l-"):
            size = re.match(r"font-size:(\d+)px", element.get("style", ""))
            px = int(size[1]) if size else TEXT_PX[name[2:]]
            self.marks[-1].label = element.text, px, element.get("transform") is not None, self.look(name)["fill"]
        else:
            self.marks.append(Mark(element, self.look))

    def look(self, name):
        """{fill, stroke, width, dashed}; a colour is three numbers, or None."""
        found = {}
        for rule in re.findall(rf"^\.tma (?:text)?\.{name}{{(.*)}}$", self.style, re.M):
            found.update(re.findall(r"([\w-]+):([^;]*)", rule))
        colours = {k: None if found.get(k, "none") == "none" else tuple(bytes.fromhex(found[k][1:]))
                   for k in ("fill", "stroke")}
        return {**colours, "width": float(found.get("stroke-width", 0)), "dashed": "stroke-dasharray" in found}


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


@pytest.mark.parametrize("name", ["a.png", "a.pdf"])
def test_what_cannot_be_written_is_said(name, tmp_path):
    draw("copy", tmp_path / "whole.png") # or skipped
    done = subprocess.run(["sh", "-c", 'trap "" XFSZ; ulimit -f 4; exec "$@"', "-", TMA, "draw",
                           *PICTURES["copy"].split(), "--out", str(tmp_path / name)],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(f"tma draw: cannot write '.*/{name}': .+\n", done.stderr)
    assert [path.name for path in tmp_path.iterdir()] == ["whole.png"]


def paeth(a, b, c):
    p = a + b - c
    return a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c


def unfiltered(kind, row, above):
    """A row of 3 B a pixel; the PNG specification's five filters."""
    if kind == 1:
        for i in range(3, len(row)):
            row[i] = row[i] + row[i - 3] & 255
    elif kind == 2:
        row = bytearray(a + b & 255 for a, b in zip(row, above))
    elif kind == 3:
        for i, b in enumerate(above):
            row[i] = row[i] + ((row[i - 3] if i > 2 else 0) + b) // 2 & 255
    elif kind == 4:
        for i, b in enumerate(above):
            row[i] = row[i] + (paeth(row[i - 3], b, above[i - 3]) if i > 2 else b) & 255
    return row


def pixels(data):
    """(width, height, rows of bytes, 3 a pixel)"""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
        if kind == b"IHDR":
            width, height, *form = struct.unpack(">IIBBBBB", body)
            assert form == [8, 2, 0, 0, 0]
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    plain, rows, row = zlib.decompress(packed), [], bytes(3 * width)
    assert len(plain) == height * (3 * width + 1)
    for at in range(0, len(plain), 3 * width + 1):
        row = unfiltered(plain[at], bytearray(plain[at + 1:at + 3 * width + 1]), row)
        rows.append(row)
    return width, height, rows


class Painter:
    """The picture by its rectangles and lines. known[y][x] is 1 where the colour is sure."""

    def __init__(self, width, height):
        self.rows = [bytearray(3 * width) for _ in range(height)]
        self.known = [bytearray(width) for _ in range(height)]
        self.size = width, height

    def fill(self, left, top, right, bottom, colour):
        """Of pixels; None: not sure."""
        left, right = (min(max(n, 0), self.size[0]) for n in (left, right))
        for y in range(max(top, 0), min(bottom, self.size[1])):
            self.known[y][left:right] = (b"\1" if colour else b"\0") * (right - left)
            if colour:
                self.rows[y][3 * left:3 * right] = bytes(colour) * (right - left)

    def frame(self, left, top, right, bottom, half, colour):
        """`half` pixels to either side of the edges."""
        out, inside = -int(-half // 1), int(half // 1)
        for n, c in ((out, None), (inside, colour)) if out != inside else ((out, colour),):
            self.fill(left - n, top - n, right + n, top + n, c)
            self.fill(left - n, bottom - n, right + n, bottom + n, c)
            self.fill(left - n, top - n, left + n, bottom + n, c)
            self.fill(right - n, top - n, right + n, bottom + n, c)

    def mark(self, mark):
        if mark.kind == "rect":
            box = [n * SCALE for n in mark.corners()]
            if mark.look["fill"]:
                self.fill(*box, mark.look["fill"])
            if mark.look["width"]:
                self.frame(*box, mark.look["width"] * SCALE / 2, None if mark.look["dashed"] else mark.look["stroke"])
            if mark.hatch:
                self.fill(*box, None)
            if mark.label:
                words, px, upright, _ = mark.label
                across, along = px * 0.75, len(words) * px * 0.35 + 2
                x, y = mark.at["x"] + mark.at["width"] / 2, mark.at["y"] + mark.at["height"] / 2
                w, h = (across, along) if upright else (along, across)
                self.fill(*(int(n * SCALE) for n in (x - w, y - h, x + w, y + h)), None)
        elif mark.kind == "text":
            px, wide = TEXT_PX[mark.name], len(mark.words) * TEXT_PX[mark.name] * 0.66
            x, y = mark.at["x"] - wide * mark.anchor / 2, mark.at["y"]
            self.fill(*(int(n * SCALE) for n in (x - 2, y - px, x + wide + 2, y + px * 0.35)), None)
        else:
            x, y, w, h = map(int, re.match(r"M(-?\d+) (-?\d+)l(-?\d+) (-?\d+)", mark.data).groups())
            half = int(mark.look["width"] * SCALE / 2)
            (left, right), (top, bottom) = (sorted((a * SCALE, (a + b) * SCALE)) for a, b in ((x, w), (y, h)))
            across, along = half if h else 0, half if w else 0
            self.fill(left - across, top - along, right + across, bottom + along, mark.look["stroke"])
            if ARROW.search(mark.data):
                x, y = (x + w) * SCALE, (y + h) * SCALE
                self.fill(x - 16, y - 16, x + 16, y + 16, None)


@pytest.mark.parametrize("picture", ["copy, dark", "box", "cost", "im2col", "packed"])
def test_a_png_is_what_the_svg_is(picture, tmp_path):
    svg = Drawn(picture)
    width, height, rows = pixels(draw(picture, tmp_path / "a.png"))
    assert (width, height) == tuple(SCALE * n for n in svg.size)
    painter = Painter(width, height)
    for mark in svg.marks:
        painter.mark(mark)
    for y, (row, wanted, known) in enumerate(zip(rows, painter.rows, painter.known)):
        if row != wanted:
            wrong = [x for x in range(width) if known[x] and row[3 * x:3 * x + 3] != wanted[3 * x:3 * x + 3]]
            assert not wrong, (y, wrong[:5], *(r[3 * wrong[0]:3 * wrong[0] + 3].hex() for r in (row, wanted)))
    assert sum(map(sum, painter.known)) > 0.5 * width * height
    has_letters(svg, rows)


def has_letters(svg, rows):
    """Every label has ink of its colour in its rectangle, every line of text beside its base line."""
    for mark in svg.marks:
        if mark.kind == "text":
            px, wide = TEXT_PX[mark.name], len(mark.words) * TEXT_PX[mark.name] * 0.6
            x = mark.at["x"] - wide * mark.anchor / 2
            box, ink = (x, mark.at["y"] - px, x + wide, mark.at["y"]), mark.look["fill"]
        elif mark.label and mark.label[0].strip():
            box, ink = mark.corners(), mark.label[3]
        else:
            continue
        left, top, right, bottom = (int(n * SCALE) for n in box)
        found = [rows[y][3 * x:3 * x + 3] for y in range(max(top, 0), bottom) for x in range(max(left, 0), right)]
        assert min(max(abs(a - b) for a, b in zip(ink, p)) for p in found) < 60, (mark.words or mark.label, box)


def refused(where, cwd, **settings):
    """What is said where cairo cannot be used; nothing is written."""
    done = subprocess.run([TMA, "draw", *PICTURES["edge"].split(), "--out", str(where)], cwd=cwd, capture_output=True,
                          text=True, check=False, env=os.environ | settings)
    assert (done.returncode, done.stdout, where.exists()) == (2, "", False)
    return done.stderr


def test_a_cairo_that_is_none_is_said(tmp_path):
    draw("edge", tmp_path / "a.png")
    library, out = tmp_path / "libcairo.so.2", tmp_path / "b.pdf"
    library.write_bytes(b"no library")
    assert f"--out {out}: {library}: " in refused(out, tmp_path, LD_LIBRARY_PATH=str(tmp_path))
    library.unlink()
    with open("/proc/self/maps", encoding="ascii") as maps:
        library.symlink_to(next(line.split()[-1] for line in maps if "/libc.so.6" in line))
    assert f"--out {out}: libcairo.so.2 has no cairo_create; .svg needs no cairo" in refused(
        out, tmp_path, LD_LIBRARY_PATH=str(tmp_path))


def test_no_cairo_of_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "libcairo.so.2").write_bytes(b"no library")
    monkeypatch.chdir(tmp_path)
    draw("edge", tmp_path / "a.png")
