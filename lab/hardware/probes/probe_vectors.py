#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes answered probes as the project's vectors.

    probe_vectors.py FOLDER ANSWERS.gz...    FOLDER: tests/vectors

The requests are those of probe_cases.py; of several answers to one request the last counts. What depends
on more than map, instruction and memory (places of the map, other CTAs' barriers, caches, addresses
that nobody has) stays out.
"""
import gzip
import os
import subprocess
import sys

PLAIN = """api dtype rank addr dim stride box es lo up cpp ppc il sw l2 oob mode_w op mode coord off
smem win gwin fill seed expect id""".split()
FURTHER = "patch zero irank cluster mask g s".split()  # what the file probes may have
DROPPED = "raw times tail".split()  # tail: memory that ends behind gwin bytes, as the vectors' does
MOST_GLOBAL_B = 8 << 20
EMPTY_HASH = "cbf29ce484222325"


def read(text):
    kind, *words = text.split(" ")
    return kind, dict(word.split("=", 1) for word in words)


def line(kind, request, answer):
    pairs = [f"{key}={value}" for key, value in [*request.items(), *answer.items()]]
    return " ".join([kind, *pairs])


def copy_line(request, answer):
    """The vectors' line and the file that it belongs to, or nothing."""
    if int(request["gwin"]) > MOST_GLOBAL_B or "st" not in answer:
        return None
    if answer["st"] not in ("1", "trap:cudaErrorIllegalInstruction",
                            "trap:cudaErrorMisalignedAddress", "trap:cudaErrorLaunchFailure"):
        return None  # an address that nobody has, or a barrier beyond its range
    request = {key: value for key, value in request.items() if key not in DROPPED}
    if not set(request) <= {*PLAIN, *FURTHER} or request.get("mask") == "0":
        return None
    out = {"rc": answer["rc"], "st": answer["st"]}
    if request["op"] == "prefetch" and out["st"] == "1":
        out.update(n="0", hash=EMPTY_HASH)
    elif out["st"] == "1":
        first, *others = answer["hash"].split(",")
        out.update(n=answer["n"], hash=first)
        if others:
            out["others"] = ",".join(others)
    if "tx" in answer:
        counts = [int(count) for count in answer["tx"].split(",")]
        mask = int(request.get("mask", "1"))
        if any(count != (max(counts) if mask >> i & 1 else 0) for i, count in enumerate(counts)):
            return None
        request["expect"] = str(max(counts))  # the barrier was seen to count exactly these
    further = request["op"] == "prefetch" or set(request) & set(FURTHER)
    return "probes" if further else "copy_probes", line("hw", request, out)


def main():
    folder, answered = sys.argv[1], {}
    for name in sys.argv[2:]:
        for text in gzip.open(name, "rt").read().splitlines():
            if not text.startswith("#"):
                request, _, answer = text.partition(" rc=")
                answered[request] = read("x rc=" + answer)[1]
    cases = os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe_cases.py")
    asked = subprocess.run([sys.executable, cases], check=True, capture_output=True, text=True)
    files = {}
    for text in asked.stdout.splitlines():
        kind, request = read(text)
        answer = answered[text]
        if kind in ("enc", "dev") and "at" not in request:
            name = {"enc": "encode_probes", "dev": "replace_probes"}[kind]
            files.setdefault(name, []).append(line(kind, request, answer))
        elif kind == "hw" and (made := copy_line(request, answer)):
            files.setdefault(made[0], []).append(made[1])
    for name, lines in files.items():
        path = os.path.join(folder, name + ".txt.gz")
        with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
            out.write(("\n".join(lines) + "\n").encode())
        print(f"{path}: {len(lines)} lines")


if __name__ == "__main__":
    main()
