# SPDX-License-Identifier: Apache-2.0
"""emulated.py TMA [SCHEDULES]: the kernels of kernels.def, broken and right, executed by `tma emulate` (nvcc
compiles them). A line for each that is not as it should be, then how many broken ones have a finding, how
many the rule that kernels.def names, and how many right ones have none. Exit status 1 if a broken one has
none or a right one has any; 77 where there is no nvcc."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TILES = 5
TILE_B = 64 * 64 * 4
FIRST = 0x200000000  # where the first allocation of a launch lies


def compiled(folder):
    """{kernel: its PTX file}"""
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not nvcc:
        print("no nvcc")
        sys.exit(77)
    found = {}
    for source in sorted(HERE.glob("*.cu")):
        if source.stem == "protocol":
            continue
        ptx = folder / f"{source.stem}.ptx"
        subprocess.run([nvcc, "-std=c++17", "-O3", "-arch=sm_90a", "-lineinfo", "-ptx", source, "-o", ptx], check=True)
        found |= dict.fromkeys(re.findall(r"\.visible \.entry (\w+)\(", ptx.read_text()), ptx)
    return found


def table():
    """(kernel, the rule that its broken side breaks, CTAs of a cluster)"""
    return re.findall(r'PROTOCOL_KERNEL\((\w+), "([\w-]+)", (\d),', (HERE / "kernels.def").read_text())


def launch(tma, entry, ctas, folder):
    """Options of `tma emulate` for a kernel; the map that it may put in another's place goes into a file."""
    grid = max(int(ctas), 2)
    words = f"--dtype u32 --dim 64,{64 * grid * TILES} --box 64,64"
    bytes_B = grid * TILES * TILE_B
    text = subprocess.run([tma, "encode", "--address", hex(FIRST), *words.split()], check=True, capture_output=True,
                          text=True).stdout
    other = folder / f"{entry}.bin"
    other.write_bytes(bytes.fromhex(text))
    return ["--kernel", entry, "--grid", str(grid), "--cluster", ctas, "--block", "128", "--map", f"0={words}",
            "--map", f"1={words}", "--param", f"2+0=random:{bytes_B}", "--param", f"2+8=zeros:{bytes_B}",
            "--param", f"2+16=zeros:{128 * grid}", "--param", f"2+24={other}", "--param", "2+32=zeros:64",
            "--param", f"2+40={TILES}", "--param", "2+44=0", "--param", "2+48=1000000"]


def main():
    tma, schedules = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "0"
    counts = dict.fromkeys(("broken", "found", "named", "right", "silent"), 0)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = compiled(folder)
        for kernel, rule, ctas in table():
            for side in ("broken", "right"):
                entry = f"{kernel}_{side}"
                run = subprocess.run([tma, "emulate", files[entry], *launch(tma, entry, ctas, folder), "--json",
                                      "--schedules", schedules], capture_output=True, text=True)
                said = json.loads(run.stdout)
                rules = [finding["rule"] for finding in said["findings"]]
                counts[side] += 1
                if side == "broken":
                    counts["found"] += bool(rules)
                    counts["named"] += rule in rules
                    if rule not in rules:
                        print(f"{entry}: {said['end']}, {', '.join(rules) or 'no finding'}; kernels.def: {rule}")
                else:
                    counts["silent"] += not rules and said["end"] == "completed"
                    if rules or said["end"] != "completed":
                        print(f"{entry}: {said['end']}, {', '.join(rules)}")
    print(f"{counts['found']} of {counts['broken']} broken kernels have a finding, {counts['named']} the rule of "
          f"kernels.def; {counts['silent']} of {counts['right']} right ones have none")
    sys.exit(counts["found"] < counts["broken"] or counts["silent"] < counts["right"] or not counts["broken"])


if __name__ == "__main__":
    main()
