# SPDX-License-Identifier: Apache-2.0
"""put_together.py WASM HTML: page.html with its style, its scripts and the libraries in it. The same
bytes from the same input; an HTML of more than 200 kB is an error."""
import pathlib
import sys
import zlib

MOST_B = 200_000
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


def main(wasm, html):
    # memLevel 7: shorter blocks fit the code and the words better than the usual 8.
    packer = zlib.compressobj(9, zlib.DEFLATED, 31, 7)
    packed = packer.compress(pathlib.Path(wasm).read_bytes()) + packer.flush()
    parts = {"page.css": None, "engine.js": None, "marks.js": None, "page.js": None}
    text = (HERE / "page.html").read_text()
    for name in parts:
        mark = f"/* {name} */"
        assert text.count(mark) == 1, mark
        text = text.replace(mark, lean((HERE / name).read_text()))
    mark = "/* page.wasm.gz in base 91 */"
    assert text.count(mark) == 1, mark
    text = text.replace(mark, in_base_91(packed))
    size = len(text.encode())
    if size > MOST_B:
        sys.exit(f"put_together.py: {html} would have {size} B, {MOST_B} B at most")
    target = pathlib.Path(html)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    print(f"{html}: {size} B, of which {len(packed)} B of WebAssembly in gzip")


main(*sys.argv[1:])
