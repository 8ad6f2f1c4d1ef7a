# SPDX-License-Identifier: Apache-2.0
"""Pictures: SVG in a notebook, SVG or PNG in a file."""
from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Picture:
    """What :meth:`TensorMapDescriptor.draw` returns. A notebook shows it by itself.

    Parameters
    ----------
    draw : callable
        Its file's bytes: of SVG for False, of PNG for True.
    summary : str
        What ``repr`` says.
    """

    def __init__(self, draw: Callable[[bool], bytes], summary: str) -> None:
        self._draw = draw
        self._summary = summary
        self.svg = draw(False).decode()

    @property
    def png(self) -> bytes:
        """A PNG file, two pixels for each of the SVG's."""
        return self._draw(True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, which is there whole or not at all.

        Parameters
        ----------
        path : str or os.PathLike
            Ends in ".svg" or ".png"; ValueError for another end.
        """
        target = Path(path)
        form = target.suffix.lower()
        if form not in (".svg", ".png"):
            raise ValueError(f"path: '{target}' ends in '{target.suffix}'; this writes .svg and .png "
                             "(`tma draw` writes .pdf where cairo is there)")
        part = target.with_name(f".libtma-{secrets.token_hex(8)}")
        file = part.open("xb")  # never one that is there, nor where a link leads
        try:
            with file:
                file.write(self.png if form == ".png" else self.svg.encode())
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/plain": self._summary}

    def __repr__(self) -> str:
        return self._summary
