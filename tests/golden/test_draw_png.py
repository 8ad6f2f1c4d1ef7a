# SPDX-License-Identifier: Apache-2.0
"""tma draw --out of a .png: what a reader written from the PNG specification and Python's zlib unpack is held against
the SVG of the same picture, pixel by pixel wherever no letter, hatch or dash is."""
import json
import re
import struct
import subprocess
import zlib

import pytest
from drawn_svg import ARROW, PICTURES, TEXT_PX, TMA, Drawn, full_disk_is_said

SCALE = 2 # pixels of the PNG for a px


def draw(picture, out):
    done = subprocess.run([TMA, "draw", *PICTURES[picture].split(), "--out", str(out)], capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return out.read_bytes()


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


def test_what_cannot_be_written_is_said(tmp_path):
    draw("copy", tmp_path / "whole.png")
    full_disk_is_said("png", tmp_path)


CHARACTERS = "".join(map(chr, range(0x21, 0x7F)))


def timeline(name, out):
    """The picture of a run of one step by a kernel of that name, by `tma draw timeline`."""
    head = {"schema": 1, "verb": "trace", "file": "a.ptx", "kernel": name, "params": [], "files": [], "options": {},
            "pass": {"schedule": "late", "seed": 0, "number": 0}}
    step = {"step": 1, "cta": 0, "warp": 0, "lanes": "0xffffffff", "line": 49}
    trace = out.with_suffix(".trace")
    trace.write_text("\n".join(map(json.dumps, (head, step, {"end": "completed"}))) + "\n")
    subprocess.run([TMA, "draw", "timeline", str(trace), "--out", str(out)], check=True)
    return out.read_bytes()


def test_each_character_looks_another_way(tmp_path):
    """Of each the pixels in its own place; é alone has no strokes and is an empty frame."""
    name = "".join(f" {c}" for c in CHARACTERS + "×é")
    svg = timeline(name, tmp_path / "a.svg").decode()
    x, y = map(int, re.search(r'x="(\d+)" y="(\d+)">kernel ', svg).groups())
    _, _, rows = pixels(timeline(name, tmp_path / "a.png"))
    px, looks = TEXT_PX["n"], {}
    for i, c in list(enumerate(name))[1::2]: # not the blanks, into which wide ones reach
        left = round((x + (len("kernel ") + i) * px * 0.6) * SCALE)
        box = [bytes(row[3 * left:3 * left + 3 * 14]) for row in rows[(y - px) * SCALE:(y + px // 2) * SCALE]]
        looks.setdefault(b"".join(box), set()).add(c)
    assert sorted(map(len, looks.values())) == [1] * (len(CHARACTERS) + 2)


def test_names_of_any_bytes_are_drawn(tmp_path):
    """A name as long as a line can be, and one of characters of every length."""
    for name in ("x" * 5000, "\x7fé€\U0001F600" * 20, "\u202e\t\n"):
        width, height, _ = pixels(timeline(name, tmp_path / "a.png"))
        assert 400 < width < 20000 and 200 < height < 2000
