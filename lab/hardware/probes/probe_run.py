#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs probes on this machine's GPU, one after the other, and writes them with their answers.

    probe_run.py PROBE-PROGRAM ANSWERS.gz [NAME...]

A line that kills its kernel costs the process; the next line gets a new one. There are at most
LIMIT of those, one at a time: hundreds of traps at once have taken a GPU down.
"""
import gzip
import os
import signal
import subprocess
import sys
import threading
import time

LIMIT = 160
UNEXPLAINED = 5  # ends in a row that are no trap: the GPU may be lost
STALLED_S = 60
TRAPPED = 9


class Answers:
    def __init__(self, lines):
        self.lines = lines
        self.done = []
        self.traps = self.unexplained = 0

    def run_once(self, program, source):
        """One process from the first unanswered line on; returns whether lines are left."""
        with open(source) as lines:
            child = subprocess.Popen([program, "lines", str(len(self.done))], stdin=lines,
                                     stdout=subprocess.PIPE, text=True, errors="replace")
        watch = Watch(child)
        partial = ""
        for text in child.stdout:
            watch.seen = time.monotonic()
            if text.endswith("\n"):
                self.done.append(text.rstrip("\n"))
            else:
                partial = text
        status = child.wait()
        watch.ended = True
        if status == 0:
            return False
        self.unexplained = 0 if status == TRAPPED else self.unexplained + 1
        if status != TRAPPED:
            how = "hang" if watch.killed else f"exit{status}"
            asked = partial or self.lines[min(len(self.done), len(self.lines) - 1)]
            self.done.append(f"{asked} st={how}")
        self.traps += 1
        return (len(self.done) < len(self.lines) and self.traps < LIMIT
                and self.unexplained < UNEXPLAINED)


class Watch(threading.Thread):
    """Ends a child that prints nothing for too long."""

    def __init__(self, child):
        super().__init__(daemon=True)
        self.child, self.seen = child, time.monotonic()
        self.ended = self.killed = False
        self.start()

    def run(self):
        while not self.ended:
            time.sleep(0.2)
            if time.monotonic() - self.seen > STALLED_S:
                self.killed = True
                os.kill(self.child.pid, signal.SIGKILL)
                return


def main():
    program, out, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    folder = os.path.dirname(os.path.abspath(__file__))
    text = subprocess.run([sys.executable, os.path.join(folder, "probe_cases.py"), *names], check=True,
                          capture_output=True, text=True).stdout
    answers = Answers(text.splitlines())
    source = out + ".lines"
    with open(source, "w") as lines:
        lines.write(text)
    began = time.monotonic()
    while answers.run_once(program, source):
        with gzip.open(out, "wt") as written:  # what there is, should the machine be taken
            written.write("\n".join(answers.done) + "\n")
    os.remove(source)
    info = subprocess.run([program, "info"], capture_output=True, text=True).stdout
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    info += "# " + subprocess.run(query, capture_output=True, text=True).stdout
    with gzip.open(out, "wt") as written:
        written.write(info + "\n".join(answers.done) + "\n")
    print(info, end="")
    print(f"{len(answers.lines)} lines, {len(answers.done)} answered, {answers.traps} processes "
          f"lost, {time.monotonic() - began:.0f} s")
    return len(answers.done) < len(answers.lines)


if __name__ == "__main__":
    sys.exit(main())
