# SPDX-License-Identifier: Apache-2.0
"""Runs tma-conformance-pretend, whose GPU and driver are the library and lie on request."""
import dataclasses
import os
import re
import resource
import signal
import subprocess

PROGRAM = os.environ.get("CONFORMANCE", "")
DRIVER = os.environ.get("PRETEND_DRIVER", "")
TMA = os.environ.get("TMA")
MOST_REPORTS = 20  # session.h


@dataclasses.dataclass
class Run:
    status: int
    lines: list
    errors: str

    def tally(self, part):
        """(passed, failed) of the part's one closing line."""
        found = [m for line in self.lines
                 if (m := re.fullmatch(rf"{part}: (\d+) passed, (\d+) failed", line))]
        assert len(found) == 1, self.lines
        return int(found[0][1]), int(found[0][2])

    def matches(self, pattern):
        """What of the output is such a line, from its first character to its last."""
        return [m for line in self.lines if (m := re.fullmatch(pattern, line))]


def limit_files(most_B, most):
    """A disk that is full once a file has so many bytes; no more than so many files open."""
    if most_B:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_B, most_B))
    if most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def run(*arguments, lie="", arch="sm_90a", driver=None, most_file_B=None, most_files=None, readings=0):
    known = {k: v for k, v in os.environ.items() if not k.startswith("PRETEND")}
    done = subprocess.run(
        [PROGRAM, "--driver", driver or DRIVER, "--threads", "2", *map(str, arguments)],
        env={**known, "PRETEND": lie, "PRETEND_ARCH": arch, "PRETEND_READINGS": str(readings)}, text=True, capture_output=True,
        check=False, timeout=300,
        preexec_fn=(lambda: limit_files(most_file_B, most_files)) if most_file_B or most_files else None)
    return Run(done.returncode, done.stdout.splitlines(), done.stderr)


def keys(line):
    """A case line's KEY=VALUE fields."""
    return dict(field.split("=", 1) for field in line.split()[1:])


def read_vectors(path):
    return path.read_text().splitlines()


def replay(path, *options):
    """(passed, failed) of `tma replay --check`."""
    done = subprocess.run([TMA, "replay", "--check", *options, path], text=True, capture_output=True,
                          check=False, timeout=300)
    passed, failed = re.fullmatch(r"(\d+) passed, (\d+) failed",
                                  done.stdout.splitlines()[-1]).groups()
    assert done.returncode == (1 if int(failed) else 0), done.stderr
    return int(passed), int(failed)
