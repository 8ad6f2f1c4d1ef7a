# SPDX-License-Identifier: Apache-2.0
"""``python -m libtma ARGUMENTS``: the command tma of this package; ``python -m libtma watch PROGRAM``
runs a Python program and says which line made each encode call that is refused."""
from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from ._watch import start


def _command() -> Path:
    """The tma that was installed with this package, not another one in PATH."""
    names = ("tma.exe",) if os.name == "nt" else ("tma",)
    folders = [Path(sysconfig.get_path("scripts")), Path(sys.executable).parent,
               Path(__file__).resolve().parents[1] / "bin"] # pip install --target
    for folder in folders:
        for name in names:
            if (folder / name).is_file():
                return folder / name
    raise FileNotFoundError(f"no tma in {' or '.join(map(str, folders))}: this package was installed "
                            "without the command")


def _main(arguments: list[str]) -> int:
    try:
        if arguments[:1] == ["watch"]:
            return start(arguments[1:])
        command = _command()
    except FileNotFoundError as error:
        print(f"python -m libtma: {error}", file=sys.stderr)
        return 1
    return subprocess.run([command, *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
