# SPDX-License-Identifier: Apache-2.0
"""The command as a black box: options in, what it answers out."""
import concurrent.futures
import json
import os
import subprocess

TMA = os.environ.get("TMA", "tma")


class Answer:
    """One call of the command: its exit status, what it printed, and that as JSON if it is."""

    def __init__(self, words, done):
        self.words, self.status = words, done.returncode
        self.out, self.err = done.stdout, done.stderr
        try:
            self.json = json.loads(done.stdout.splitlines()[0]) if done.stdout.startswith("{") else {}
        except ValueError:
            self.json = {}

    def findings(self):
        one = self.json.get("finding")
        return self.json.get("findings", []) + ([one] if one else []) + self.json.get("notes", [])

    def refuses(self):
        """The command does not take it: a refusal, a trap, or wrong arguments."""
        if not self.json:
            return self.status != 0
        if "runs" in self.json:
            return not self.json["runs"]
        return not self.json.get("accepted", True)

    def says(self):
        """All sentences of the answer."""
        return json.dumps(self.findings()) + self.err


def tma(words):
    return Answer(words, subprocess.run([TMA, *words], capture_output=True, text=True, timeout=120,
                                        check=False, stdin=subprocess.DEVNULL))


def ask_all(questions):
    """Answers to many questions, in their order; each question is asked once."""
    different = list(dict.fromkeys(tuple(words) for words in questions))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        known = dict(zip(different, pool.map(tma, different)))
    return [known[tuple(words)] for words in questions]


def options(**values):
    """dim=[64, 8] -> --dim=64,8; an underscore is a dash; None is left out."""
    words = []
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, (list, tuple)):
            value = ",".join(str(one) for one in value)
        words.append(f"--{name.replace('_', '-')}={value}")
    return words
