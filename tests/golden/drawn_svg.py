# SPDX-License-Identifier: Apache-2.0
"""Some pictures of tma draw, and the SVG of each as a list of marks, which other formats are held against."""
import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree

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
ARROW = re.compile(r"m(-?\d+) (-?\d+)l(-?\d+) (-?\d+)l(-?\d+) (-?\d+)")


def full_disk_is_said(ending, folder):
    """A file that cannot be written to its end is named, and is not there."""
    done = subprocess.run(["sh", "-c", 'trap "" XFSZ; ulimit -f 4; exec "$@"', "-", TMA, "draw",
                           *PICTURES["copy"].split(), "--out", str(folder / f"a.{ending}")],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(f"tma draw: cannot write '.*/a.{ending}': .+\n", done.stderr)
    assert [path.name for path in folder.iterdir()] == [f"whole.{ending}"]


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
