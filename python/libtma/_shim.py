# SPDX-License-Identifier: Apache-2.0
"""Files in this package for others: libtma-cuda.so, which watches the driver's tensor map calls, or answers
them where no driver is; the headers."""
from __future__ import annotations

from pathlib import Path

from . import _core


def shim_path() -> Path:
    """libtma-cuda.so in this package, for LD_PRELOAD.

    Returns
    -------
    pathlib.Path
        ``LD_PRELOAD=$(python -c "import libtma; print(libtma.shim_path())") python train.py``

    Raises
    ------
    FileNotFoundError
        The package was built without it; the text says why.
    """
    file = Path(__file__).with_name("libtma-cuda.so")
    if not file.exists():
        raise FileNotFoundError(
            f"{file}: this package has no libtma-cuda.so: {_core.shim_lacking() or 'it was taken away'}")
    return file


def include_path() -> Path:
    """The folder of the headers in this package, for ``-I``.

    ``tma/device.cuh`` (checks in kernels) and ``tma/layout.h`` need no library beside them.

    Returns
    -------
    pathlib.Path
        ``nvcc -I"$(python -c "import libtma; print(libtma.include_path())")" kernel.cu``
    """
    return Path(__file__).with_name("include")
