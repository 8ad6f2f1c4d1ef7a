# SPDX-License-Identifier: Apache-2.0
"""Random blocks of random tensors: from_pallas gives the bytes that JAX Pallas' own Mosaic GPU encodes for
plgpu.copy_gmem_to_smem. JAX lowers the kernel without a GPU; the map's arguments are read where it makes
them, and jaxlib's mosaic_gpu_init_tma_desc encodes them with the stand-in as its driver."""
import ctypes
import importlib.util
import random

import numpy as np
import pytest

import libtma

jax = pytest.importorskip("jax")
pytest.importorskip("jax_cuda12_plugin")
from jax.experimental import pallas as pl
from jax.experimental.mosaic.gpu import launch_context
from jax.experimental.pallas import mosaic_gpu as plgpu
from jaxlib.mlir import ir

KINDS = [("float16", 16), ("bfloat16", 16), ("float32", 32), ("int8", 8), ("float8_e4m3fn", 8), ("int32", 32),
         ("uint16", 16), ("int4", 4), ("float8_e5m2", 8)]
AT = 0x7F0000000000
# Pallas copies a block that lies in one piece without a map, and refuses small ones of these.
NO_MAP = "divisible by the warpgroup size"


def random_block(rng):
    """Extents, element type, block, transforms, CTAs."""
    dtype, bits = rng.choice(KINDS)
    width = rng.choice([0, 32, 64, 128, 128])
    inner = (width or rng.choice([32, 64, 128])) * 8 // bits
    tile = (rng.choice([8, 8, 16, 4]), inner)
    transforms = []
    if rng.random() < .85:
        transforms.append(plgpu.TilingTransform(tile if rng.random() < .9 else tile[1:]))
    if width:
        transforms.append(plgpu.SwizzleTransform(width))
    outer = [rng.choice([None, None, 1, 2]) for _ in range(rng.choice([0, 0, 0, 1, 2, 3]))]
    is_tiled = transforms and hasattr(transforms[0], "tiling")
    times = rng.choice([1, 1, 2, 4]) if is_tiled else 1
    block = [*outer, tile[0] * rng.choice([1, 2, 4, 8]), inner * times]
    shape = [rng.choice([1, 3, 4]) if n is None else n * rng.choice([1, 3]) for n in outer]
    shape += [block[-2] * rng.choice([1, 2, 5]), block[-1] * rng.choice([1, 2, 3])]
    if rng.random() < .15:  # no multiple of the tile, or shorter than one
        shape[-2] = rng.choice([shape[-2] + 3, tile[0] // 2])
    return tuple(shape), dtype, block, tuple(transforms), rng.choice([1, 1, 1, 1, 2, 4])


@pytest.fixture
def lowered(monkeypatch):
    """What Mosaic passes for a block: type, extents, strides, the swizzle's bytes, the window."""
    seen = []
    own = launch_context.LaunchContext._get_tma_desc

    def spy(self, gmem_ref, gmem_transform, peer, window, swizzle, reduction):
        ref = launch_context._find_kernel_argument_for_gmem_ref(gmem_ref)
        code = launch_context._tma_dma_type(ir.MemRefType(ref.type).element_type, reduction)
        for transform in gmem_transform:
            ref = transform.apply(ref)
        kind = ir.MemRefType(ref.type)
        seen.append((code, kind.shape, kind.get_strides_and_offset()[0], int(swizzle or 16), window))
        return own(self, gmem_ref, gmem_transform, peer, window, swizzle, reduction)

    monkeypatch.setattr(launch_context.LaunchContext, "_get_tma_desc", spy)

    def lower(shape, dtype, block, transforms, ctas):
        seen.clear()
        part = tuple(0 if n is None else pl.ds(0, n) for n in block)
        together = {"collective_axes": "c"} if ctas > 1 else {}

        def kernel(tensor, _out, shared, barrier):
            plgpu.copy_gmem_to_smem(tensor.at[part], shared, barrier, **together)
            plgpu.barrier_wait(barrier)

        cluster = {"cluster": (ctas,), "cluster_names": ("c",)} if ctas > 1 else {}
        shared = plgpu.SMEM(tuple(n for n in block if n is not None), jax.numpy.dtype(dtype),
                            transforms=transforms)
        made = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((128,), np.float32),
                            scratch_types=[shared, plgpu.Barrier()], **cluster)
        tensor = jax.ShapeDtypeStruct(shape, jax.numpy.dtype(dtype))
        jax.jit(made).trace(tensor).lower(lowering_platforms=("cuda",))
        return seen[-1] if seen else None

    return lower


def encoded(code, extents, strides, swizzle_B, window):
    folder = importlib.util.find_spec("jax_cuda12_plugin").submodule_search_locations[0]
    runtime = ctypes.CDLL(f"{folder}/libmosaic_gpu_runtime.so")
    numbers = ctypes.c_int64 * len(extents)
    room = (ctypes.c_char * 256)()
    at = -(-ctypes.addressof(room) // 128) * 128
    runtime.mosaic_gpu_init_tma_desc(
        ctypes.c_void_p(at), ctypes.c_void_p(AT), ctypes.c_int64(code), ctypes.c_int64(len(extents)),
        numbers(*extents), numbers(*strides), ctypes.c_int64(swizzle_B), numbers(*window))
    return ctypes.string_at(at, 128)


def test_the_bytes_are_mosaics(lowered):
    rng = random.Random(7)
    same = refused = without = 0
    for _ in range(500):
        shape, dtype, block, transforms, ctas = case = random_block(rng)
        try:
            theirs, why = lowered(*case), ""
        except Exception as error:  # Pallas raises whatever it likes
            theirs, why = None, str(error)
        tensor = libtma.TensorSpec(shape, dtype, address=AT)
        try:
            own = bytes(libtma.TensorMapDescriptor.from_pallas(tensor, block, transforms, collective=ctas))
        except ValueError:
            own = None
        if theirs is None and (NO_MAP in why or not why):
            without += 1
        elif theirs is None:
            refused += 1
            assert own is None, (case, why)
        else:
            same += 1
            assert own == encoded(*theirs), (case, theirs)
    print(f"{same} the same bytes, {refused} refused by both, {without} copied without a map")
    assert same >= 350 and refused >= 40
