# SPDX-License-Identifier: Apache-2.0
"""Triton's own compiler and compiled launcher before a pretended driver: what 128 bytes they make of
a host-made tensor descriptor. build/stand-in in LD_LIBRARY_PATH is the driver; no GPU is asked."""
import ctypes
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import types

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource
from triton.experimental import gluon
from triton.experimental.gluon._runtime import GluonASTSource
from triton_stages import compiled

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])
STAND_IN = next((folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":")
                 if folder.endswith("stand-in")), None)


@triton.jit
def loads(desc, out, SIZE: tl.constexpr):
    tl.store(out + tl.arange(0, SIZE), desc.load([0] * len(desc.block_shape)).reshape(SIZE))


@gluon.jit
def takes(desc):
    pass


def signature(desc):
    """The type that the launch gives the argument."""
    from triton.runtime.jit import mangle_type
    return mangle_type(desc)


@functools.cache
def metadata(kind, size, sm):
    """What the compiler says of the one descriptor among a kernel's arguments; size 0: Gluon's."""
    element = kind.removeprefix("tensordesc<").split("[")[0]
    if size:
        source = ASTSource(loads, {"desc": kind, "out": f"*{element}", "SIZE": "constexpr"}, {(2,): size})
    else:
        source = GluonASTSource(takes, {"desc": kind}, {})
    return compiled(source, sm, "llir")[1]["tensordesc_meta"][0]


VERSION_CALL = """int cuDriverGetVersion(int *version) {
    *version = %d;
    return 0;
}
"""


@functools.cache
def launcher(driver_version):
    """triton.backends.nvidia.driver with its C part, compiled against the pretended driver."""
    os.environ.setdefault("TRITON_LIBCUDA_PATH", STAND_IN)
    folder = tempfile.mkdtemp(prefix="libtma-launcher-")
    library = os.path.join(folder, "version.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], check=True, text=True,
                   input=VERSION_CALL % driver_version)
    ctypes.CDLL(library, ctypes.RTLD_GLOBAL)  # the stand-in answers no other questions
    shutil.rmtree(folder)
    from triton.backends.nvidia import driver
    flags = sys.getdlopenflags()
    sys.setdlopenflags(os.RTLD_LAZY)  # most of its calls of the driver are never made here
    try:
        utils = driver.CudaUtils()
    finally:
        sys.setdlopenflags(flags)

    triton.runtime.driver.set_active(types.SimpleNamespace(
        utils=utils, get_current_target=lambda: GPUTarget("cuda", 100, 32)))
    return driver


def launched(desc, meta, driver_version=13000):
    """The 128 bytes."""
    driver = launcher(driver_version)
    arguments = (desc, meta) if VERSION < (3, 8) else (desc, meta, None)
    made = driver.make_tensordesc_arg(*arguments)[0]
    start = id(made) + 128  # the object's head, then the map at its next multiple of 128
    return ctypes.string_at(start, 128)
