# SPDX-License-Identifier: Apache-2.0
"""Steps of a workflow as GitHub's runner takes them, as far as the documents write them."""
import os
import pathlib
import re
import subprocess

from conftest import ROOT

ACTION = ROOT / ".github/actions/check/action.yml"


def blocks(page, language="yaml"):
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S)


def steps(text):
    """Each step's keys; what stands below `with:` is a dictionary."""
    found = []
    for line in text.splitlines():
        new, indent, key, value = re.fullmatch(r" *(- )?( *)([\w-]+): *(.*)", line).groups() if ":" in line else (None,) * 4
        value = re.sub(r" +#.*", "", value or "")
        if new:
            found.append({key: value})
        elif found and key == "with":
            found[-1]["with"] = {}
        elif found and "with" in found[-1]:
            found[-1]["with"][key] = value
    return [step for step in found if step.keys() & {"uses", "run"}]


def inputs_of_action():
    return re.findall(r"^  (\w+):\n    description", ACTION.read_text().partition("inputs:\n")[2].partition("outputs:\n")[0], re.M)


class Runner:
    """A job's folder and environment: the action's command is the one that was built; downloads are none."""

    def __init__(self, folder, *paths):
        self.folder, self.out, self.uploads, self.matchers = folder, "", [], []
        tma = pathlib.Path(os.environ["TMA"]).resolve()
        self.outputs = {"tma": str(tma), "matcher": str(ROOT / "cli/share/problem-matcher.json")}
        self.env = {**os.environ, "PATH": ":".join([*map(str, paths), str(tma.parent), os.environ["PATH"]])}

    def bash(self, script, **env):
        script = re.sub(r"\$\{\{ steps\.\w+\.outputs\.(\w+) \}\}", lambda m: self.outputs[m[1]], script)
        done = subprocess.run(["bash", "-e", "-c", script], cwd=self.folder, capture_output=True, text=True,
                              env={**self.env, **env}, timeout=300, check=False)
        self.out += done.stdout + done.stderr
        self.matchers += re.findall(r"^::add-matcher::(.*)$", done.stdout, re.M)
        return done.returncode

    def uses(self, action, given):
        if action.startswith("OWNER/libtma/.github/actions/check@"):
            assert given.keys() <= set(inputs_of_action())
            script = re.findall(r"^      run: \|\n((?:        .*\n)+)", ACTION.read_text(), re.M)[1]
            return self.bash(script, FILES=given["files"], STRICT=given.get("strict", "false")) if "files" in given else 0
        if action.startswith("github/codeql-action/upload-sarif@"):
            self.uploads.append(self.folder / given["sarif_file"])
        else:
            assert action.startswith(("actions/checkout@", "actions/setup-python@"))
        return 0

    def job(self, text):
        """The status of the first step that fails, or 0."""
        for step in steps(text):
            failed = self.uses(step["uses"], step.get("with", {})) if "uses" in step else self.bash(step["run"])
            if failed and "always()" not in step.get("if", ""):
                return failed
        return 0
