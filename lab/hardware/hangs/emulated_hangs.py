# SPDX-License-Identifier: Apache-2.0
"""emulated_hangs.py TMA PROGRAM DUMPS [NAME...]: the barriers at which hangs.cu's kernels wait, as `tma emulate PROGRAM NAME`
executes them without a GPU, beside those of core dumps of a GPU.

DUMPS: a text with a line `=== NAME` for each kernel, and what `tma hang` says of its dump behind it. PROGRAM: hangs.cu as
nvcc -cudart shared builds it, with PTX in it. Of each barrier: its address, the phase waited for, missing arrivals, missing
bytes. Addresses may differ (ptxas places shared variables as it likes), and a pass may end in a phase in which this GPU
did not: both are said. Exit status: 0 where all that the dump has is there, 1 where some is not, 2: nothing was compared.
"""
import re
import subprocess
import sys

WAITS = re.compile(r"waits? at the mbarrier at (0x[0-9a-f]+) for parity ([01])\n +word 0x[0-9a-f]+: (.*?);")
EMULATED = re.compile(r"barrier: (0x[0-9a-f]+)(?: \([^)]*\))?, phase of parity ([01]): "
                      r"(\d+) arrivals? and (-?\d+) bytes are missing")

WITH_IT = re.compile(r"with it: .*: mbarrier (0x[0-9a-f]+)")  # waits because of a barrier that is reported
OFFSET = 0xffffff  # of an address in the cluster's shared memory: in its CTA


def missing_of(text):
    """Arrivals and bytes of the words of tma hang."""
    arrivals = re.match(r"(\d+) of \d+ arrivals missing", text)
    count = int(arrivals[1]) if arrivals else int("its arrival missing" in text)
    lacks = re.search(r"(\d+) B missing", text)
    more = re.search(r"(\d+) B more than expected", text)
    return count, int(lacks[1]) if lacks else -int(more[1]) if more else 0


def dumped(text):
    return {(int(at, 16), int(parity), *missing_of(word)) for at, parity, word in WAITS.findall(text)}


def emulated(tma, program, name):
    done = subprocess.run([tma, "emulate", program, name], capture_output=True, text=True, timeout=600)
    said = done.stdout + done.stderr
    return ({(int(at, 16) & OFFSET, int(parity), int(a), int(b)) for at, parity, a, b in EMULATED.findall(said)},
            {int(at, 16) & OFFSET for at in WITH_IT.findall(said)})


def compare(gpu, here, with_it):
    """How the barriers of a dump are beside those of the emulator, and whether none is missing."""
    held = {row for row in gpu - here if row[0] in with_it}
    if not gpu - here - held:
        other = f", and in another pass {shown(here - gpu)}" if here - gpu else ""
        return "same" + (f", with it {shown(held)}" if held else "") + other, True
    if {row[1:] for row in here} <= {row[1:] for row in gpu} and len(gpu) <= len(here) + len(with_it):
        return "same, at other addresses", True
    return f"dump {shown(gpu)}, emulated {shown(here)}", False


def shown(rows):
    return ", ".join(f"{at:#x} phase {parity}: {arrivals} arrivals, {count} B" for at, parity, arrivals, count in sorted(rows))


def main():
    tma, program, dumps, *names = sys.argv[1:]
    texts = dict(part.split("\n", 1) for part in open(dumps, encoding="utf-8").read().split("=== ")[1:])
    same = other = 0
    for name in names or texts:
        gpu = dumped(texts[name])
        if not gpu:
            print(f"{name}: the dump names no barrier")
            continue
        text, is_same = compare(gpu, *emulated(tma, program, name))
        same += is_same
        other += not is_same
        print(f"{name}: {text}", flush=True)
    print(f"{same} passed, {other} failed")
    return 2 if not same + other else 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
