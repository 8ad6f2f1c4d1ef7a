# SPDX-License-Identifier: Apache-2.0
"""put_together.py WASM HTML: page.html with its style, its scripts and the libraries in it. The same
bytes from the same input; an HTML of more than 200 kB is an error."""
import gzip
import pathlib
import sys

MOST_B = 200_000
HERE = pathlib.Path(__file__).parent


# 85 characters from ( on; < and the backslash, which HTML and JavaScript read, have others.
DIGITS = "".join({60: "}", 92: "~"}.get(code, chr(code)) for code in range(40, 125))


def in_base_85(data):
    """Four bytes are five characters; the last byte says how many bytes at the end are none of the data."""
    rest = 4 - len(data) % 4
    data += bytes(rest - 1) + bytes([rest])
    out = []
    for at in range(0, len(data), 4):
        word = int.from_bytes(data[at:at + 4], "big")
        out.append("".join(DIGITS[word // 85 ** k % 85] for k in (4, 3, 2, 1, 0)))
    return "".join(out)


def main(wasm, html):
    packed = gzip.compress(pathlib.Path(wasm).read_bytes(), 9, mtime=0)
    parts = {"page.css": None, "engine.js": None, "marks.js": None, "page.js": None}
    text = (HERE / "page.html").read_text()
    for name in parts:
        mark = f"/* {name} */"
        assert text.count(mark) == 1, mark
        text = text.replace(mark, (HERE / name).read_text().rstrip())
    mark = "/* page.wasm.gz in base 85 */"
    assert text.count(mark) == 1, mark
    text = text.replace(mark, in_base_85(packed))
    size = len(text.encode())
    if size > MOST_B:
        sys.exit(f"put_together.py: {html} would have {size} B, {MOST_B} B at most")
    target = pathlib.Path(html)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    print(f"{html}: {size} B, of which {len(packed)} B of WebAssembly in gzip")


main(*sys.argv[1:])
