# SPDX-License-Identifier: Apache-2.0
"""A program with a driver that writes core dumps when asked, pretended: what of the driver's is seen from outside.
pretended.py DUMP [WORD...]: no-cuda: without a driver; stays: lives on after its dump; slow: pauses in it; ends: without a hang, with 5;
writes PID and what it was told into the file $SAID."""
import gzip
import os
import pathlib
import signal
import socket
import sys
import time


def name(variable):
    return os.environ[variable].replace("%p", str(os.getpid())).replace("%h", socket.gethostname())


def main():
    dump, *words = sys.argv[1:]
    said = pathlib.Path(os.environ["SAID"])
    ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    pipe = None
    if "no-cuda" not in words:
        os.mkfifo(name("CUDA_COREDUMP_PIPE"))
        pipe = os.open(name("CUDA_COREDUMP_PIPE"), os.O_RDWR)
    said.with_suffix(".new").write_text(f"{os.getpid()} {ignored} {os.environ.get('CUDA_COREDUMP_GENERATION_FLAGS')}\n")
    said.with_suffix(".new").rename(said)
    if "ends" in words:
        sys.exit(5)
    if pipe is None:
        time.sleep(60)
    os.read(pipe, 1)
    data = gzip.decompress(pathlib.Path(dump).read_bytes()) if dump.endswith(".gz") else pathlib.Path(dump).read_bytes()
    with open(name("CUDA_COREDUMP_FILE"), "wb") as core:  # slower than a look takes
        core.write(data[:len(data) // 2])
        core.flush()
        time.sleep(1.5 if "slow" in words else 0.4)
        core.write(data[len(data) // 2:])
    if "stays" in words:
        time.sleep(60)
    sys.exit(7)


main()
