# SPDX-License-Identifier: Apache-2.0
"""put_together.py page WASM UNPACKER HTML: page.html with its style, its scripts and the libraries in it, these
packed by LZMA, which the WebAssembly UNPACKER undoes. put_together.py emulator WASM SCRIPT: the emulator, packed
likewise, for the page that lies beside it. The same bytes from the same input; a file of more than its MOST is an
error."""
import lzma
import pathlib
import re
import sys

# Of 80 kB the load takes 9 ms (docs/page.md); the aim for the load is 100 ms. The reader of PTX files grows, and so
# do the rows that explain a report: choosing one by its sentences' topics took 10 kB, what their clauses deny and the life
# of tensor memory 5, which turns and sides of a call's conditions count 2. Kernels executed took 0.2 kB.
MOST_B = 371_000
# Beside the page, for those who run a kernel: -O2, as -Oz is slower, and a run is waited for.
MOST_EMULATOR_B = 508_000
HERE = pathlib.Path(__file__).parent


# 91 printable characters; < and the backslash are not among them.
DIGITS = "".join(chr(code) for code in range(33, 127) if chr(code) not in "<\\~")


def in_base_91(data):
    """13 bits are two characters; zeros fill the last ones. A lone ! at the end: they fill a byte."""
    count = (len(data) * 8 + 12) // 13
    bits = int.from_bytes(data, "little")
    out = []
    chunk = 13 * 4096  # so that shifts stay short
    for at in range(0, count, 4096):
        part = (bits >> at * 13) & ((1 << chunk) - 1)
        for k in range(min(4096, count - at)):
            value = part >> 13 * k & 8191
            out.append(DIGITS[value % 91] + DIGITS[value // 91])
    return "".join(out) + ("!" if count * 13 - len(data) * 8 >= 8 else "")


def lean(text):
    """A script or a style without its indentation and without lines that are comments."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def lean_style(text):
    """A style without line ends, its own names a letter each."""
    for letter, name in enumerate(sorted(set(re.findall("--[a-z-]+(?=:)", text))), ord("a")):
        text = re.sub(name + "(?=[:)])", "--" + chr(letter), text)
    return lean(text).replace("\n", "")


def packed(data):
    """Raw LZMA as unpack.c takes it."""
    small = {"id": lzma.FILTER_LZMA1, "lc": 3, "lp": 0, "pb": 0, "dict_size": 1 << 20, "nice_len": 112, "depth": 500}
    return lzma.compress(data, format=lzma.FORMAT_RAW, filters=[small])


def written(target, text, most_B):
    size = len(text.encode())
    if size > most_B:
        sys.exit(f"put_together.py: {target} would have {size} B, {most_B} B at most")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    return size


def in_characters(parts):
    """What tmaUnpack() takes, and its bytes."""
    libraries = packed(b"".join(parts))
    assert len(libraries) < 1 << 19 and sum(map(len, parts)) < 1 << 21, "unpack.c has no room for so much"
    return ",".join(str(len(part)) for part in parts) + " " + in_base_91(libraries), len(libraries)


def page(wasm, unpacker, html):
    # the WebAssembly first: text behind it packs better than before it
    parts = [pathlib.Path(wasm).read_bytes()]
    parts += [lean((HERE / name).read_text()).encode() for name in ("engine.js", "marks.js", "listing.js", "page.js")]
    characters, packed_B = in_characters(parts)
    marks = {f"/* {name} */": lean((HERE / name).read_text()) for name in ("unpack.js", "boot.js")}
    marks["/* page.css */"] = lean_style((HERE / "page.css").read_text())
    marks["/* unpack.wasm in base 91 */"] = in_base_91(pathlib.Path(unpacker).read_bytes())
    marks["/* page.wasm, engine.js, marks.js, listing.js, page.js: packed, in base 91 */"] = characters
    text = (HERE / "page.html").read_text()
    for mark, what in marks.items():
        assert text.count(mark) == 1, mark
        text = text.replace(mark, what)
    size = written(pathlib.Path(html), text, MOST_B)
    print(f"{html}: {size} B, of which {packed_B} B of scripts and WebAssembly, packed")


def emulator(wasm, script):
    """The emulator as a script: its panel, and behind it the packed rest, in which ~ is the quotation mark."""
    characters, packed_B = in_characters([pathlib.Path(wasm).read_bytes(), lean((HERE / "emulate/worker.js").read_text()).encode()])
    style, panel = (lean((HERE / f"emulate/panel.{kind}").read_text()) for kind in ("css", "js"))
    text = panel.replace("/* panel.css */", style) + '\ntmaRun.packed = "' + characters.replace('"', "~") + '";\n'
    size = written(pathlib.Path(script), text, MOST_EMULATOR_B)
    print(f"{script}: {size} B, of which {packed_B} B packed")


{"page": page, "emulator": emulator}[sys.argv[1]](*sys.argv[2:])
