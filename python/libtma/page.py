# SPDX-License-Identifier: Apache-2.0
"""The page: one HTML file with the libraries in it, as `make page` makes it.

``python -m libtma.page [TEXT]`` opens it in a browser, with TEXT in its field: a spec, a command
line of tma, 128 bytes, a log. Nothing is sent anywhere.
"""
from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from . import _core

__all__ = ["path", "url"]


def path() -> Path:
    """The page's file.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    FileNotFoundError
        The package was built without clang and wasm-ld.
    """
    file = Path(__file__).with_name("page.html")
    if not file.exists():
        raise FileNotFoundError(
            f"{file}: this package was built without the page, which needs clang and wasm-ld "
            "(Debian: clang lld)")
    return file


def url(text: str = "", *, page: str | None = None) -> str:
    """The page's address with a text in its field: the link that the page itself would give.

    Parameters
    ----------
    text : str
        A spec, a command line of tma, 128 bytes, a log.
    page : str, optional
        Where the page was published. None: the file in this package.

    Returns
    -------
    str
    """
    where = path().resolve().as_uri() if page is None else page
    return where + (_core.page_link(text) if text else "")


def _main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("python -m libtma.page", description="Opens the page of libtma.")
    parser.add_argument("text", nargs="*", help="what its field holds: a spec, a command, 128 bytes")
    parser.add_argument("--print", action="store_true", help="say the address, open nothing")
    options = parser.parse_args(arguments)
    try:
        address = url(" ".join(options.text))
    except FileNotFoundError as error:
        print(f"python -m libtma.page: {error}", file=sys.stderr)
        return 1
    print(address)
    if not options.print and not webbrowser.open(address):
        print("python -m libtma.page: no browser could be opened", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
