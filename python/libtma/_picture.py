# SPDX-License-Identifier: Apache-2.0
"""Pictures: SVG in a notebook, in a file."""
from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any


class Picture:
    """What :meth:`TensorMapDescriptor.draw` returns. A notebook shows it by itself.

    Parameters
    ----------
    svg : str
        The picture's text.
    summary : str
        What ``repr`` says.
    """

    def __init__(self, svg: str, summary: str) -> None:
        self.svg = svg
        self._summary = summary

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, which is there whole or not at all.

        Parameters
        ----------
        path : str or os.PathLike
            Ends in ".svg"; ValueError for another end.
        """
        target = Path(path)
        if target.suffix.lower() != ".svg":
            raise ValueError(
                f"path: '{target}' ends in '{target.suffix}'; this writes .svg "
                "(`tma draw` writes .png and .pdf where cairo is there)")
        part = target.with_name(f".libtma-{secrets.token_hex(8)}")
        file = part.open("x", encoding="utf-8")  # never one that is there, nor where a link leads
        try:
            with file:
                file.write(self.svg)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/plain": self._summary}

    def __repr__(self) -> str:
        return self._summary
