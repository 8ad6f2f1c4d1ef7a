# SPDX-License-Identifier: Apache-2.0
"""right_and_broken.py TMA FOLDER: each kernel of FOLDER as it is, which has no finding, and broken, which has one of the
rules that its last lines name. A line with `//X` is what the broken one lacks, or has as it stands behind `//X`.
`// launch:` has the launch, `// proof:` the answer about all schedules: yes, or words of why not."""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SCHEDULES = 4


def said(tma, text, launch, path):
    path.write_text(text)
    run = subprocess.run([tma, "emulate", path, *launch, "--no-invent", "--schedules", str(SCHEDULES), "--json"],
                         capture_output=True, text=True)
    if not run.stdout:
        sys.exit(f"exit status {run.returncode}: {run.stderr}")
    return json.loads(run.stdout)


def wrongs(tma, text, path):
    """What is not as the kernel's last lines say."""
    key = dict(re.findall(r"^// (launch|broken|proof): (.*)$", text, re.M))
    launch = shlex.split(key["launch"])
    broken = "\n".join(re.sub(r".*//X ?(.*)", r"\1", line) for line in text.split("\n"))
    assert broken != text and key["broken"]
    right = said(tma, text, launch, path)
    for finding in right["findings"]:
        yield f"right, but {finding['rule']}: {finding['text']}"
    if right["end"] != "completed" or right["coverage"]["executed"] != right["coverage"]["total"]:
        yield f"right, but {right['end']}, {right['coverage']}"
    proof = "yes" if right["schedules"]["proof"] else right["schedules"]["why"]
    if key["proof"] not in proof:
        yield f"proof: {proof}"
    wrong = said(tma, broken, launch, path)
    rules = [finding["rule"] for finding in wrong["findings"]]
    if not set(rules) & set(key["broken"].split()):
        yield f"broken, and {', '.join(rules) or 'nothing'} is said"
    if wrong["schedules"]["proof"]:
        yield "broken, and proved"


def main():
    tma, kernels = sys.argv[1], sorted(pathlib.Path(sys.argv[2]).glob("*.ptx"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for kernel in kernels:
            for wrong in wrongs(tma, kernel.read_text(), pathlib.Path(folder) / kernel.name):
                print(f"{kernel.name}: {wrong}")
                failed += 1
    print(f"{len(kernels)} kernels, {failed} not as they should be")
    sys.exit(failed > 0 or not kernels)


if __name__ == "__main__":
    main()
