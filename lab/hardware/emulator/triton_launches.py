# SPDX-License-Identifier: Apache-2.0
"""triton_launches.py FOLDER [ARCH]: the launches of triton_values.py's cases, compiled for ARCH (sm_100a), as files that
`tma emulate` runs again and that mutants.py --launches takes. Needs Triton and the Python package libtma."""
import ctypes
import json
import pathlib
import sys

import libtma.emulate
import libtma.triton
import triton_values

MAP_B = 128
CASES = ("matmul_pointers", "matmul_device", "matmul_host", "matmul_persistent", "attention")


class Recorder:
    """An emulator that writes each launch before it runs it."""

    folder, case = pathlib.Path(), ""

    def __init__(self, emulator, ptx):
        self.emulator, self.ptx, self.ranges = emulator, ptx, []

    def __getattr__(self, name):
        return getattr(self.emulator, name)

    def clear_ranges(self):
        self.ranges = []
        self.emulator.clear_ranges()

    def add_range(self, address, host, size_B, *more):
        self.ranges.append({"address": hex(address), "size_B": size_B,
                            "bytes": [{"offset_B": 0, "hex": ctypes.string_at(host, size_B).hex()}]})
        self.emulator.add_range(address, host, size_B, *more)

    def run(self, kernel, grid, block, cluster, shared, params, *how):
        rows = [{"name": name, "map" if size == MAP_B else "param": ("" if size == MAP_B else "hex:") +
                 params[offset:offset + size].hex()} for name, offset, size, *_ in self.parameters(kernel)]
        launch = {"schema": 2, "verb": "launch", "ptx": self.ptx, "kernel": kernel, "grid": grid, "block": block,
                  "cluster": cluster, "shared_B": shared, "params": rows, "memory": self.ranges}
        (self.folder / f"{self.case}.launch").write_text(json.dumps(launch))
        return self.emulator.run(kernel, grid, block, cluster, shared, params, *how)


def main():
    Recorder.folder = pathlib.Path(sys.argv[1])
    arch = sys.argv[2] if len(sys.argv) > 2 else "sm_100a"
    made = libtma.emulate.Module.__init__

    def record(self, ptx):
        made(self, ptx)
        self._emulator = Recorder(self._emulator, ptx if isinstance(ptx, str) else ptx.decode())

    libtma.emulate.Module.__init__ = record
    libtma.triton.emulate(arch)
    for name in CASES:
        Recorder.case = name
        triton_values.CASES[name](triton_values.Machine(gpu=False))
        print(name, "done", flush=True)


if __name__ == "__main__":
    main()
