# SPDX-License-Identifier: Apache-2.0
"""put_together.py WASM HTML: page.html with its style, its scripts and the libraries in it. The same
bytes from the same input; an HTML of more than 200 kB is an error."""
import base64
import gzip
import pathlib
import sys

MOST_B = 200_000
HERE = pathlib.Path(__file__).parent


def main(wasm, html):
    packed = gzip.compress(pathlib.Path(wasm).read_bytes(), 9, mtime=0)
    parts = {"page.css": None, "engine.js": None, "marks.js": None, "page.js": None}
    text = (HERE / "page.html").read_text()
    for name in parts:
        mark = f"/* {name} */"
        assert text.count(mark) == 1, mark
        text = text.replace(mark, (HERE / name).read_text().rstrip())
    mark = "/* page.wasm.gz in base64 */"
    assert text.count(mark) == 1, mark
    text = text.replace(mark, base64.b64encode(packed).decode())
    size = len(text.encode())
    if size > MOST_B:
        sys.exit(f"put_together.py: {html} would have {size} B, {MOST_B} B at most")
    target = pathlib.Path(html)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    print(f"{html}: {size} B, of which {len(packed)} B of WebAssembly in gzip")


main(*sys.argv[1:])
