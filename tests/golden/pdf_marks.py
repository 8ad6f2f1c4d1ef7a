# SPDX-License-Identifier: Apache-2.0
"""What a page of a PDF by cairo shows, in px (0.75 pt) from its upper left corner: painted paths and
glyphs, in order. Knows the operators that lines, rectangles and text need."""
import dataclasses
import re
import struct
import zlib

PT = 0.75
TOKEN = re.compile(rb"\((?:\\.|[^\\()])*\)|<[0-9a-fA-F\s]*>|\[|\]|/[^\s/\[\]<>()]*|[-+]?\d*\.?\d+|[A-Za-z'\"*]+\d*",
                   re.S)
PAINT = {b"f": "f", b"f*": "f", b"S": "S", b"B": "fS", b"B*": "fS"}


@dataclasses.dataclass
class Path:
    lines: list # each a list of points
    fill: tuple # of the colour in 0..255; None: not filled
    stroke: tuple
    width: float
    dash: list
    alpha: str # name of the graphics state
    clip: list # lines of the latest clip in this q, or None


@dataclasses.dataclass
class Glyph:
    code: int
    x: float
    y: float
    px: float # of the font
    upright: bool
    font: str
    fill: tuple


def inflated(data):
    for stream in re.finditer(rb"stream\r?\n(.*?)endstream", data, re.S):
        try:
            yield zlib.decompress(stream[1])
        except zlib.error:
            pass


def product(m, n):
    """m, then n."""
    return (m[0] * n[0] + m[1] * n[2], m[0] * n[1] + m[1] * n[3], m[2] * n[0] + m[3] * n[2],
            m[2] * n[1] + m[3] * n[3], m[4] * n[0] + m[5] * n[2] + n[4], m[4] * n[1] + m[5] * n[3] + n[5])


def text_of(token):
    """Codes: of one byte in a string, of two in hexadecimal, where a font has others than Latin letters."""
    if token.startswith(b"<"):
        return tuple(code for (code,) in struct.iter_unpack(">H", bytes.fromhex(token[1:-1].decode())))
    return re.sub(rb"\\([0-7]{1,3}|.)", lambda m: bytes([int(m[1], 8)]) if m[1].isdigit() else m[1], token[1:-1],
                  flags=re.S)


class Page:
    def __init__(self, data):
        every = b"\n".join([data, *inflated(data)])
        self.box = [float(n) for n in re.search(rb"/MediaBox\s*\[([^\]]*)\]", every)[1].split()]
        self.alphas = {m[1].decode(): float(m[2]) for m in re.finditer(rb"/(a\d+) << /CA ([\d.]+)", every)}
        self.bold = b"Bold" in b"".join(re.findall(rb"/BaseFont\s*/(\S+)", every))
        widths = {float(n) for m in re.finditer(rb"/Widths\s*\[([^\]]*)\]", every) for n in m[1].split()} - {0.0}
        self.advance = widths.pop() / 1000 if len(widths) == 1 else None
        self.paths, self.glyphs = [], []
        self.state = {"ctm": (1, 0, 0, 1, 0, 0), "rg": (0, 0, 0), "RG": (0, 0, 0), "w": 1.0, "d": [], "gs": "",
                      "clip": None}
        self.saved, self.lines, self.clipped = [], [], False
        self.read(max(inflated(data), key=lambda s: s.count(b"Tf") + s.count(b" re")))

    def place(self, x, y, matrix=None):
        m = matrix or self.state["ctm"]
        return ((m[0] * x + m[2] * y + m[4]) / PT, (self.box[3] - (m[1] * x + m[3] * y + m[5])) / PT)

    def read(self, stream):
        stack, array = [], None
        for match in TOKEN.finditer(stream):
            token = match[0]
            if token == b"[":
                array = []
            elif token == b"]":
                stack.append(array)
                array = None
            elif re.match(rb"[-+.\d]", token):
                (stack if array is None else array).append(float(token))
            elif token[:1] in b"(<":
                (stack if array is None else array).append(text_of(token))
            elif token[:1] == b"/":
                stack.append(token[1:].decode())
            else:
                self.operator(token, stack)
                stack = []

    def operator(self, name, v):
        s = self.state
        if name == b"q":
            self.saved.append(dict(s))
        elif name == b"Q":
            self.state = self.saved.pop()
        elif name == b"cm":
            s["ctm"] = product(v, s["ctm"])
        elif name in (b"rg", b"RG"):
            s[name.decode()] = tuple(round(n * 255) for n in v)
        elif name == b"w":
            s["w"] = v[0]
        elif name == b"d":
            s["d"] = v[0]
        elif name == b"gs":
            s["gs"] = v[0]
        elif name == b"m":
            self.lines.append([self.place(*v)])
        elif name == b"l":
            self.lines[-1].append(self.place(*v))
        elif name == b"h":
            self.lines[-1].append(self.lines[-1][0])
        elif name == b"re":
            x, y, w, h = v
            self.lines.append([self.place(*p) for p in ((x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y))])
        elif name in (b"W", b"W*"):
            self.clipped = True
        elif name in PAINT or name == b"n":
            self.paint(PAINT.get(name, ""))
        else:
            self.write(name, v)

    def paint(self, how):
        s = self.state
        if how:
            self.paths.append(Path(self.lines, s["rg"] if "f" in how else None, s["RG"] if "S" in how else None,
                                   s["w"] / PT, [d / PT for d in s["d"]], s["gs"], s["clip"]))
        if self.clipped:
            s["clip"] = self.lines
        self.lines, self.clipped = [], False

    def write(self, name, v):
        if name == b"BT":
            self.at = self.line = (1, 0, 0, 1, 0, 0)
        elif name == b"Tm":
            self.at = self.line = tuple(v)
        elif name in (b"Td", b"TD"):
            self.at = self.line = product((1, 0, 0, 1, *v), self.line)
        elif name == b"Tf":
            self.font, self.size = v
        elif name in (b"Tj", b"TJ"):
            for part in v[0] if isinstance(v[0], list) else v:
                self.move(-part / 1000) if isinstance(part, float) else self.put(part)

    def move(self, ems):
        self.at = product((1, 0, 0, 1, ems * self.size, 0), self.at)

    def put(self, text):
        for code in text:
            m = product(self.at, self.state["ctm"])
            x, y = self.place(0, 0, m)
            px = self.size * max(abs(m[0]), abs(m[1])) / PT
            self.glyphs.append(Glyph(code, x, y, px, abs(m[0]) < abs(m[1]), self.font, self.state["rg"]))
            self.move(self.advance or 0.6)
