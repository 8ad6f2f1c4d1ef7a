# SPDX-License-Identifier: Apache-2.0
"""watch_cute.py PYTHON TMA: maps as the nvidia-cutlass-dsl of this PYTHON builds them, byte for byte beside the lines of
tests/vectors that an older one answered, and beside tma replay for random maps. It prints what differs."""
import random
import subprocess
import sys
from pathlib import Path

PYTHON, TMA = sys.argv[1:3]
HERE = Path(__file__).parent
VECTORS = HERE.parent / "vectors"
ARCHS = ["sm_90a", "sm_100a", "sm_103a", "sm_120a"]
BITS = {0: 8, 2: 32, 6: 16, 7: 32, 8: 64, 9: 16, 11: 32, 13: 4}
RANDOM = 40  # maps of each target


def dsl(arch, lines):
    """The 64 bytes of each line's map, as that compiler builds it."""
    done = subprocess.run([PYTHON, "-B", HERE / "cute_maps.py", arch], input="\n".join(lines), capture_output=True, text=True)
    found = done.stdout.split()
    if len(found) != len(lines):
        sys.exit(f"{arch}: {len(found)} of {len(lines)} maps: {done.stderr[-2000:]}")
    return found


def replay(lines):
    done = subprocess.run([TMA, "replay"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return [line.split("desc64=")[1] for line in done.stdout.splitlines()]


def kept(name):
    """(request, answer) of a file of vectors."""
    for line in (VECTORS / name).read_text().splitlines():
        if not line.startswith("#"):
            request, answer = line.rsplit(" ", 1)
            yield request, answer.split("=")[1]


def random_map(draw, arch):
    dtype, swizzle, rank = draw.choice(list(BITS)), draw.randrange(4), draw.randrange(2, 6)
    bits, span = BITS[dtype], [32, 32, 64, 128][swizzle]
    if bits == 4:
        swizzle, span = draw.choice([0, 3]), 128
    inner = span * 8 // bits
    # Boxes of two and more and gaps between rows: else that compiler puts dimensions together or in another order.
    dims = [inner * draw.randrange(2, 9)] + [draw.randrange(9, 300) for _ in range(rank - 1)]
    boxes = [inner] + [draw.randrange(2, 9)] + [draw.randrange(2, 4) for _ in range(rank - 2)]
    unit = 32 if bits == 4 else 16
    strides, step = [], dims[0] * bits // 8
    for size in dims[1:]:
        step = -(-step // unit) * unit + unit * draw.randrange(1, 4)
        strides.append(step)
        step *= size

    def numbers(values):
        return ",".join(map(str, values))

    return (f"cute arch={arch} api=tiled dtype={dtype} rank={rank} addr={0x7f0000000000} dim={numbers(dims)} "
            f"stride={numbers(strides)} box={numbers(boxes)} es={numbers([1] * rank)} il=0 sw={swizzle} l2=2 oob=0")


def main():
    draw = random.Random(53)
    compared, wrong = 0, []
    for arch in ARCHS:
        rows = [row for row in kept("cutedsl_maps.txt") if f"arch={arch} " in row[0]]
        drawn = [random_map(draw, arch) for _ in range(RANDOM)]
        rows += list(zip(drawn, replay(drawn)))
        for (request, right), made in zip(rows, dsl(arch, [row[0] for row in rows])):
            compared += 1
            if made != right:
                wrong.append(f"{request}: {made}, not {right}")
    rows = list(kept("cutedsl_bit21.txt"))
    for (request, right), made in zip(rows, dsl("sm_100a", [row[0] for row in rows])):
        compared += 1
        if bytes.fromhex(made)[10] >> 5 & 1 != int(right):
            wrong.append(f"{request}: bit 21 is not {right}")
    for line in wrong[:20]:
        print(line)
    print(f"{compared} maps of nvidia-cutlass-dsl compared, {len(wrong)} differ")
    sys.exit(bool(wrong) or compared < 300)


main()
