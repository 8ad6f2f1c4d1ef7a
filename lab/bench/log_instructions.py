#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of tma check for each byte of a text in which it finds nothing, as callgrind counts them: of a
log, of listings, of numbers that may be a dump.

log_instructions.py TMA: exit code 0 within the limits, 1 over one, 77 (skipped) without valgrind.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SIZE_B = 200_000

# Lines of an engine, a build, a training, a traceback, tests, a server; N, F: numbers of that line.
LOG = (
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


PTX = (
    "ld.shared.v4.b32 {%rN, %rN, %rN, %rN}, [%rN+N];",
    "mad.lo.s32 %rN, %rN, N, %rN;",
    "@%pN bra $L__BBN_N;",
    "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%fN, %fN, %fN, %fN}, %rdN, %rdN, p, 1, 1, 0, 0;",
    "}",
    ".visible .entry kernel_N(.param .u64 kernel_N_param_0) {",
)

# As a debugger lists machine code: each line begins as one of a dump does.
LISTING = (
    "   0x7fc8359dN <_Z6kernelPf+N>:\tIMAD.MOV.U32 RN, RZ, RZ, c[0x0][0xN]",
    "   0x7fc8359dN <_Z6kernelPf+N>:\tLDG.E.128 RN, desc[URN][RN.64+0xN]",
    "   0x7fc8359dN <_Z6kernelPf+N>:\tFFMA RN, RN, RN, RN",
    "   0x7fc8359dN <_Z6kernelPf+N>:\t@!PN BRA 0x7fc8359dN <_Z6kernelPf+N>",
)

NUMBERS = ("N N N N N N N N N N N N", "F,F,F,F,F,F,F,F,F,F,F,F")

# Dumps of memory that holds no map: any line may be a map's first. X: a byte of that line.
XXD = ("0000abc0: XX XX XX XX XX XX XX XX  ................",)
HEXDUMP = ("0000abc0  X X X X X X X X  X X X X X X X X  |................|",)
WORDS = ("0xXXXX, 0xXXXX, 0xXXXX, 0xXXXX,",)
SASS = (
    "        /*abc0*/                   UTMALDG.2D [URN], [URN] ;        /* 0xXXXXXXXX */",
    "                                                                    /* 0xXXXXXXXX */",
)

# A text, its lines, the limit; counted with gcc 12.2.
TEXTS = (
    ("log", LOG, 400),  # 358; 3,250 where each row was held against each word
    ("ptx", PTX, 460),  # 383
    ("listing", LISTING, 480),  # 399; over 10,000 where each line was read as a dump to its end
    ("numbers", NUMBERS, 450),  # 365
    ("xxd", XXD, 540),  # 448; 1,874 where each line was read as the first of a map
    ("hexdump", HEXDUMP, 500),  # 413; 2,164 where each line was read as the first of a map
    ("words", WORDS, 400),  # 324; 2,621 where each line was read as the first of a map
    ("sass", SASS, 360),  # 297
)


def text_of(lines):
    text = []
    seed, size_B = 1, 0
    while size_B < SIZE_B:
        def number(match):
            nonlocal seed
            seed = seed * 1103515245 + 12345 & 0x7FFFFFFF
            return str(seed % 5000) if match[0] == "N" else f"{seed % 9999 / 37:.3f}"
        def byte(_):
            nonlocal seed
            seed = seed * 1103515245 + 12345 & 0x7FFFFFFF
            return f"{seed >> 8 & 0xFF:02x}"
        line = re.sub(r"(?<![A-Z])[NF](?![A-Za-eg-z])", number, lines[len(text) % len(lines)]) + "\n"
        line = re.sub(r"X", byte, line)
        text.append(line)
        size_B += len(line)
    return "".join(text)


def count(tma, text):
    """Instructions a byte; None, with what tma said, if it found something."""
    with tempfile.TemporaryDirectory() as folder:
        file, out = pathlib.Path(folder, "log"), pathlib.Path(folder, "out")
        file.write_text(text)
        said = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--quiet", tma,
             "check", str(file)],
            capture_output=True, text=True, check=False)
        total = re.search(r"^(?:totals|summary): (\d+)", out.read_text(), re.M)
        if said.returncode != 2 or "nothing in it can be read" not in said.stderr or not total:
            print(f"log_instructions.py: exit status {said.returncode}:\n{said.stdout}{said.stderr}")
            return None
        return int(total[1]) / file.stat().st_size


def main():
    if not shutil.which("valgrind"):
        print("log_instructions.py: no valgrind", file=sys.stderr)
        return 77
    is_bad = False
    for name, lines, limit in TEXTS:
        each = count(sys.argv[1], text_of(lines))
        if each is None:
            return 1
        is_bad |= each > limit
        over = "  TOO MANY" if each > limit else ""
        print(f"{name}: {each:.0f} instructions a byte of at most {limit}{over}")
    return is_bad


if __name__ == "__main__":
    sys.exit(main())
