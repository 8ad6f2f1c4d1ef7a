#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stopped_writer.py PIPE COMMAND...: runs a command that writes to PIPE, a FIFO that this makes. It is stopped while
the pipe is full, which cuts its write short, and then goes on; what came through the pipe is written to PIPE.bytes."""
import array
import fcntl
import os
import signal
import subprocess
import sys
import termios
import time


def waiting_B(pipe):
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def main(name, *command):
    os.mkfifo(name)
    pipe = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    full_B = fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096) # or more: a page at least
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as run:
        while waiting_B(pipe) < full_B and run.poll() is None:
            time.sleep(0.01)
        run.send_signal(signal.SIGSTOP)
        os.waitpid(run.pid, os.WUNTRACED)
        run.send_signal(signal.SIGCONT)
        os.set_blocking(pipe, True)
        with open(pipe, "rb") as come, open(f"{name}.bytes", "wb") as kept:
            kept.write(come.read())
    sys.exit(run.returncode)


main(*sys.argv[1:])
