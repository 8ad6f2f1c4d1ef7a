# SPDX-License-Identifier: Apache-2.0
"""check_layout.py SOURCE: nvcc compiles tma/layout.h in device code, without a warning. Exit code
77 where there is no nvcc."""
import os
import shutil
import subprocess
import sys

from project_tree import ROOT, finish

STANDARDS = ["c++14", "c++17", "c++20"]


def nvcc():
    places = [os.path.join(os.environ[v], "bin") for v in ("CUDA_HOME", "CUDA_PATH") if v in os.environ]
    found = shutil.which("nvcc", path=os.pathsep.join(
        [*places, os.environ.get("PATH", ""), "/usr/local/cuda/bin"]))
    if not found:
        print("no nvcc in CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda/bin")
        sys.exit(77)
    return found


def main():
    compiler, complaints = nvcc(), []
    for standard in STANDARDS:
        run = subprocess.run([compiler, f"-std={standard}", "-arch=sm_90", "-Werror", "all-warnings",
                              f"-I{ROOT / 'include'}", "-c", sys.argv[1], "-o", os.devnull],
                             capture_output=True, text=True)
        if run.returncode:
            complaints.append(f"{standard}:\n{run.stdout}{run.stderr}")
    finish(complaints, len(STANDARDS))


main()
