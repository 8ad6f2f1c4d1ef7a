# SPDX-License-Identifier: Apache-2.0
"""right_and_broken.py TMA FOLDER: the right kernel of each file of FOLDER, which has no finding, and the broken one, which
has one of the rules that the file's last lines name (README.md)."""
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ptx"))
from pairs import noted, sides  # noqa: E402

SCHEDULES = 4  # seeded ones, beside late and early


def said(tma, text, launch, path):
    path.write_text(text)
    run = subprocess.run([tma, "emulate", path, *launch, "--no-invent", "--schedules", str(SCHEDULES), "--json"],
                         capture_output=True, text=True)
    if not run.stdout:
        sys.exit(f"exit status {run.returncode}: {run.stderr}")
    return json.loads(run.stdout)


def wrongs(tma, text, path):
    """What is not as the kernel's last lines say."""
    key = dict(noted(text))
    launch = shlex.split(key["launch"])
    broken, kernel = sides(text)
    assert broken != kernel and key["emulate, broken"]
    right = said(tma, kernel, launch, path)
    for finding in right["findings"]:
        yield f"right, but {finding['rule']}: {finding['text']}"
    if right["end"] != "completed" or right["coverage"]["executed"] != right["coverage"]["total"]:
        yield f"right, but {right['end']}, {right['coverage']}"
    proof = "yes" if right["schedules"]["proof"] else right["schedules"]["why"]
    if key["proof"] not in proof:
        yield f"proof: {proof}"
    wrong = said(tma, broken, launch, path)
    rules = [finding["rule"] for finding in wrong["findings"]]
    if not set(rules) & set(key["emulate, broken"].split()):
        yield f"broken, and {', '.join(rules) or 'nothing'} is said"
    lacks = key.get("missing, broken")
    if lacks and lacks not in [f["missing"] for f in wrong["findings"] if f["rule"] in key["emulate, broken"].split()]:
        yield f"broken, and {[f['missing'] for f in wrong['findings']]} is missing"
    if key.get("never, broken") in rules:
        yield f"broken, and {key['never, broken']} is said"
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
