# SPDX-License-Identifier: Apache-2.0
"""check_device.py SOURCE: tma/device.cuh compiles without a warning for every target that has TMA, and
its copies are the same ones with and without checks. nvcc from CUDA_HOME, CUDA_PATH, PATH or
/usr/local/cuda; exit code 77 where there is none."""
import re
import subprocess
import sys

from project_tree import ROOT, finish, nvcc_or_skip

TARGETS = ["90", "90a", "100a", "100f", "120a"]
COPY = re.compile(r"\bcp\.(?:async|reduce\.async)\.bulk\.tensor[^;]*;")


def copies(ptx):
    """The instructions without their operands' registers."""
    return [re.sub(r"%\w+", "%", found) for found in COPY.findall(ptx)]


def main():
    nvcc = nvcc_or_skip()
    complaints = []
    for target in TARGETS:
        made = []
        for checked in (0, 1):
            run = subprocess.run([nvcc, "-std=c++17", f"-arch=sm_{target}", "-Werror", "all-warnings", "-ptx", "-o", "-",
                                  f"-DTMA_CHECKED={checked}", f"-I{ROOT / 'include'}", sys.argv[1]],
                                 capture_output=True, text=True)
            if run.returncode:
                complaints.append(f"sm_{target}, TMA_CHECKED={checked}:\n{run.stdout}{run.stderr}")
                break
            made.append(run.stdout)
        if len(made) == 2:
            plain, with_checks = map(copies, made)
            if sorted(set(plain)) != sorted(set(with_checks)) or len(set(plain)) != 5:
                complaints.append(f"sm_{target}: other copies with checks: {plain} {with_checks}")
            if "vprintf" in made[0] or "vprintf" not in made[1]:
                complaints.append(f"sm_{target}: checks where none are wanted, or none where they are")
    finish(complaints, 2 * len(TARGETS))


main()
