# SPDX-License-Identifier: Apache-2.0
"""Random maps as case lines, most of them near what a driver takes, and copies of them."""
import random

BITS = [8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6]
SPAN_B = {0: 1024, 1: 32, 2: 64, 3: 128, 4: 128, 5: 128, 6: 128}


def numbers(values):
    return ",".join(str(v) for v in values)


def tiled(rng, number):
    dtype = rng.choice([0, 1, 2, 6, 7, 8, 9, 9, 9, 11, 13, 14, 15])
    swizzle = rng.choice([0, 1, 2, 3, 3, 3, 4])
    rank = rng.randint(1, 5)
    arch = rng.choice(["sm_90", "sm_100a", "sm_120a"])
    inner_el = min(256, max(1, SPAN_B[swizzle] * 8 // BITS[dtype] >> rng.randint(0, 2)))
    dims = [rng.choice([inner_el * 2, inner_el * 4 + 16, 128, 4096])] + [rng.randint(1, 300) for _ in range(rank - 1)]
    box = [inner_el] + [rng.choice([1, 2, 3, 8, 16]) for _ in range(rank - 1)]
    strides, step_B = [], dims[0] * BITS[dtype] // 8
    for dim in dims[1:]:
        step_B = (step_B + 31) // 32 * 32 + rng.choice([0, 0, 0, 32, 8])
        strides.append(step_B)
        step_B *= dim
    strides = f" stride={numbers(strides)}" if strides else ""
    return (f"enc id=r{number} arch={arch} api=tiled dtype={dtype} rank={rank} addr={hex(0x7f0000000000 + 32 * rng.randint(0, 9))} "
            f"dim={numbers(dims)}{strides} box={numbers(box)} es={numbers([rng.choice([1, 1, 1, 2])] * rank)} "
            f"il=0 sw={swizzle} l2={rng.randint(0, 3)} oob={rng.choice([0, 0, 1])}")


def im2col(rng, number):
    rank = rng.randint(3, 5)
    dims = [rng.choice([64, 128])] + [rng.randint(4, 40) for _ in range(rank - 1)]
    strides, step_B = [], 2 * dims[0]
    for dim in dims[1:]:
        strides.append(step_B)
        step_B *= dim
    corners = [rng.randint(-2, 0) for _ in range(rank - 2)]
    return (f"enc id=r{number} api=im2col dtype={rng.choice([6, 9])} rank={rank} addr=0x7f0000000000 dim={numbers(dims)} "
            f"stride={numbers(strides)} lo={numbers(corners)} up={numbers(corners)} cpp=64 ppc={rng.choice([16, 40, 64, 2000])} "
            f"es={numbers([1] * rank)} il=0 sw={rng.choice([0, 3])} l2=0 oob=0")


def wide(rng, number):
    rank = rng.randint(3, 5)
    dims = [rng.choice([64, 128])] + [rng.randint(4, 40) for _ in range(rank - 1)]
    strides, step_B = [], 2 * dims[0]
    for dim in dims[1:]:
        strides.append(step_B)
        step_B *= dim
    corners = f"lo={rng.randint(-2, 0)} up={rng.randint(-2, 0)}"
    return (f"enc id=r{number} arch={rng.choice(['sm_100a', 'sm_100a', 'sm_90'])} api=wide dtype={rng.choice([6, 9])} rank={rank} "
            f"addr=0x7f0000000000 dim={numbers(dims)} stride={numbers(strides)} {corners} cpp=64 "
            f"ppc={rng.choice([16, 40, 64, 2000])} mode_w={rng.randint(0, 1)} es={numbers([1] * rank)} il=0 "
            f"sw={rng.choice([3, 3, 2, 0])} l2=0 oob=0")


def maps(count, seed=1):
    rng = random.Random(seed)
    return [rng.choices([tiled, im2col, wide], [7, 2, 1])[0](rng, i) for i in range(count)]


def coords(rng, dims, api):
    """Of a copy: inside, across an edge or outside."""
    first = rng.choice([0, 0, 16 if api == "im2col" else 32])
    return numbers([first] + [rng.randint(-2, dim + 1) for dim in dims[1:]])
