#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of tma check for each byte of a log in which it finds nothing, as callgrind counts them.

log_instructions.py TMA: exit code 0 within the limit, 1 over it, 77 (skipped) without valgrind.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT = 400  # counted 340 (gcc 12.2); 3,250 where each row was held against each word
SIZE_B = 200_000

# Lines of an engine, a build, a training, a traceback, tests, a server; N, F: numbers of that line.
LINES = (
    "(Engine pid=N) INFO 11-07 12:N:09 [core.py:N] Avg prompt throughput: F tokens/s, Running: N reqs, "
    "GPU KV cache usage: F%",
    "INFO 11-07 12:09:N [runner.py:N] Graph capturing finished in N secs, took F GiB",
    "[N/7000] Building CUDA object csrc/CMakeFiles/ops.dir/attention/paged_attention_vN.cu.o",
    "2026-11-07 12:09:09,N - torch.distributed - WARNING - rank N: watchdog thread started for group N",
    "epoch N step N/5000 loss=F lr=F grad_norm=F tokens_s=N mem=F GB",
    "Loading safetensors checkpoint shards:  N% Completed | N/N [00:N<00:N,  F s/it]",
    '  File "/usr/lib/python3/dist-packages/engine/worker/gpu_worker.py", line N, in execute_model',
    "suite_gemm.py::test_gemm[N-N-N] PASSED [ N%]",
    "[rankN]:[W N ProcessGroup.cpp:N] Warning: using GPU N to perform barrier as devices are unknown.",
    'INFO:     127.0.0.1:N - "POST /v1/chat/completions HTTP/1.1" 200 OK',
)


def log():
    text = []
    seed, size_B = 1, 0
    while size_B < SIZE_B:
        def number(match):
            nonlocal seed
            seed = seed * 1103515245 + 12345 & 0x7FFFFFFF
            return str(seed % 5000) if match[0] == "N" else f"{seed % 9999 / 37:.3f}"
        line = re.sub(r"(?<![A-Z])[NF](?![A-Za-eg-z])", number, LINES[len(text) % len(LINES)]) + "\n"
        text.append(line)
        size_B += len(line)
    return "".join(text)


def main():
    if not shutil.which("valgrind"):
        print("log_instructions.py: no valgrind", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        file, out = pathlib.Path(folder, "log"), pathlib.Path(folder, "out")
        file.write_text(log())
        said = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--quiet", sys.argv[1],
             "check", str(file)],
            capture_output=True, text=True, check=False)
        total = re.search(r"^(?:totals|summary): (\d+)", out.read_text(), re.M)
        if said.returncode != 2 or "nothing in it can be read" not in said.stderr or not total:
            print(f"log_instructions.py: exit status {said.returncode}:\n{said.stdout}{said.stderr}")
            return 1
        each = int(total[1]) / file.stat().st_size
    print(f"{each:.0f} instructions a byte of at most {LIMIT}{'  TOO MANY' if each > LIMIT else ''}")
    return each > LIMIT


if __name__ == "__main__":
    sys.exit(main())
