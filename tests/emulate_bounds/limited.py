# SPDX-License-Identifier: Apache-2.0
"""A command within limits."""
import subprocess
import sys

MOST_MEMORY_B = 700_000_000  # of the process: what the run may take, what the sanitizers need
CODE = """import resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_CPU, (60, 61))
done = subprocess.run(sys.argv[1:], stdin=sys.stdin, stdout=sys.stderr, check=False)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)"""


def run(words, text=""):
    """Exit status, memory of the process, and what it says; it has 60 s of the processor."""
    done = subprocess.run([sys.executable, "-c", CODE, *words], input=text.encode(), capture_output=True, check=True)
    status, used_B = map(int, done.stdout.split())
    return status, used_B, done.stderr.decode(errors="replace")
