# SPDX-License-Identifier: Apache-2.0
"""tensor_launches.py DRAW_KERNELS FOLDER: one product of each form of tma-conformance's part tcgen05 as a launch file,
which `tma emulate` runs again and mutants.py --launches takes. DRAW_KERNELS is build/lab/hardware/tests/draw_kernels."""
import json
import pathlib
import re
import subprocess
import sys

IN_AT, OUT_AT = 0x100000000, 0x200000000
OUT_B = 2 * 128 * 8 * 4  # tensor_forms.h: two CTAs' lanes, eight columns of each
FORMS = 80


def main():
    draw, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    given = folder / "given"
    for form in range(FORMS):
        text = subprocess.run([draw, "100", str(form), given], capture_output=True, text=True, check=True).stdout
        ctas = int(re.search(r"reqnctapercluster (\d)", text)[1])
        memory = [{"address": hex(at), "size_B": len(held), "bytes": [{"offset_B": 0, "hex": held.hex()}]}
                  for at, held in ((IN_AT, given.read_bytes()), (OUT_AT, bytes(OUT_B)))]
        params = [{"name": name, "param": "hex:" + at.to_bytes(8, "little").hex()}
                  for name, at in (("in", IN_AT), ("out", OUT_AT))]
        launch = {"schema": 2, "verb": "launch", "ptx": text, "kernel": "k", "grid": [ctas, 1, 1], "block": [128, 1, 1],
                  "cluster": [ctas, 1, 1], "shared_B": 0, "params": params, "memory": memory}
        (folder / f"tensor_{form:02}.launch").write_text(json.dumps(launch))
    given.unlink()


if __name__ == "__main__":
    main()
