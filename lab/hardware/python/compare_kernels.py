# SPDX-License-Identifier: Apache-2.0
"""Random descriptor kernels on the GPU beside the interpreter with libtma behind it: the same bytes?

compare_kernels.py FOLDER COUNT [PROCESSES]: the lines of descriptor_kernels.py go to
FOLDER/gpu.tsv, interpreter.tsv, torch.tsv and plain.tsv; what differs is printed. Ends with 0 if
COUNT kernels ran in both places and no byte differs.
"""
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time

KERNELS = pathlib.Path(__file__).with_name("descriptor_kernels.py")


def part(run, first, count, traps):
    """A stretch of the kernels, in as many processes as the GPU's faults make necessary."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "lines")
        environment = dict(os.environ, TRITON_CACHE_DIR=folder, OMP_NUM_THREADS="1")
        while count > 0:
            done = subprocess.run(
                [sys.executable, str(KERNELS), run, str(first), str(count), str(path),
                 *["traps"] * traps], env=environment, capture_output=True, text=True, check=False)
            new = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            path.unlink(missing_ok=True)
            if not new:
                new = [f"{first}\t?\tstopped: process: {' '.join(done.stderr.split())[-300:]}"]
            lines += new
            first, count = first + len(new), count - len(new)
    return lines


def lines_of(run, count, processes, traps=False, offset=0):
    step = -(-count // processes) if not traps else 1
    starts = range(offset, offset + count, step)
    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        parts = pool.map(lambda at: part(run, at, min(step, offset + count - at), traps), starts)
        return {line.split("\t")[0]: line.split("\t")[1:] for lines in parts for line in lines}


def compare(name, theirs, ours):
    """(same, different) of the kernels that the GPU's compiler took."""
    count = collections.Counter()
    for number, (what, said) in theirs.items():
        other = ours.get(number, ["?", "nothing"])[1]
        both_stop = said.startswith("stopped") and other.startswith("stopped: TensorMap")
        kind = ("left out by the compiler" if said.startswith("compiler") else
                "stopped in both" if both_stop else "same" if said == other else "DIFFERENT")
        count[kind] += 1
        if kind == "DIFFERENT":
            print(f"  {name} {number}: {what}\n    GPU   {said}\n    here  {other}")
    print(f"{name}: " + ", ".join(f"{n} {kind}" for kind, n in sorted(count.items())))
    return count


def main():
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    processes = int(sys.argv[3]) if len(sys.argv) > 3 else os.cpu_count() or 1
    results = {}
    for run, many in (("gpu", count), ("interpreter", count), ("torch", count), ("plain", count)):
        start = time.monotonic()
        results[run] = lines_of(run, many, processes)
        print(f"{run}: {len(results[run])} kernels in {time.monotonic() - start:.1f} s", flush=True)
        with open(folder / f"{run}.tsv", "w", encoding="utf-8") as file:
            file.writelines("\t".join([n, *line]) + "\n" for n, line in results[run].items())
    said = compare("GPU and interpreter with libtma", results["gpu"], results["interpreter"])
    same = said["same"] + said["stopped in both"]
    wrong = said["DIFFERENT"]
    wrong += compare("NumPy's and PyTorch's memory", results["interpreter"],
                     results["torch"])["DIFFERENT"]
    gpu, plain = results["gpu"], results["plain"]
    print("the interpreter without libtma: "
          f"{sum(gpu[n][1] == plain.get(n, ['', ''])[1] for n in gpu)} the same as the GPU")
    doomed = {run: lines_of(run, 16, processes, True, 10**6) for run in ("gpu", "interpreter")}
    wrong += compare("kernels that should be killed", doomed["gpu"], doomed["interpreter"])[
        "DIFFERENT"]
    print(f"{same} kernels compared, {wrong} different")
    return 0 if same >= count * 9 // 10 and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
