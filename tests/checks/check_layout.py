# SPDX-License-Identifier: Apache-2.0
"""check_layout.py SOURCE: tma/layout.h compiles in device code without a warning, by nvcc (CUDA_HOME,
CUDA_PATH, PATH, /usr/local/cuda, or the packages nvidia-cuda-nvcc, -nvvm, -crt, -runtime and -cccl of
this Python) and by clang's CUDA mode, which needs no toolkit. Exit code 77 where there is neither."""
import os
import pathlib
import shutil
import subprocess
import sys

from project_tree import ROOT, finish

STANDARDS = ["c++14", "c++17", "c++20"]
# what the toolkit's headers say; clang 14 has no __grid_constant__
TOOLKIT = {"__CUDACC__": "1", "__host__": "__attribute__((host))", "__device__": "__attribute__((device))",
           "__global__": "__attribute__((global))", "__grid_constant__": "",
           "__forceinline__": "inline __attribute__((always_inline))"}


def nvcc():
    places = [os.path.join(os.environ[v], "bin") for v in ("CUDA_HOME", "CUDA_PATH") if v in os.environ]
    packages = [str(p) for s in sys.path if s for p in pathlib.Path(s).glob("nvidia/cu*/bin")]
    found = shutil.which("nvcc", path=os.pathsep.join(
        [*places, os.environ.get("PATH", ""), "/usr/local/cuda/bin", *packages]))
    return found and [found, "-arch=sm_90", "-Werror", "all-warnings", "-c", "-o", os.devnull]


def clang():
    found = shutil.which("clang++")
    return found and [found, "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-device-only",
                      "--cuda-gpu-arch=sm_80", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-S",
                      "-Wno-unknown-cuda-version", "--cuda-path=/nonexistent",
                      *(f"-D{name}={value}" for name, value in TOOLKIT.items()), "-o", "-"]


def main():
    compilers, complaints = {"nvcc": nvcc(), "clang's CUDA mode": clang()}, []
    found = {name: command for name, command in compilers.items() if command}
    for name in compilers.keys() - found.keys():
        print(f"not asked: {name}, which is not here")
    if not found:
        sys.exit(77)
    for name, command in found.items():
        for standard in STANDARDS:
            run = subprocess.run([*command, f"-std={standard}", f"-I{ROOT / 'include'}", sys.argv[1]],
                                 capture_output=True, text=True)
            if run.returncode:
                complaints.append(f"{name}, {standard}:\n{run.stdout}{run.stderr}")
            elif "-S" in command and ".entry" not in run.stdout:
                complaints.append(f"{name}, {standard}: no kernel came out:\n{run.stdout}")
    finish(complaints, len(STANDARDS) * len(found))


main()
