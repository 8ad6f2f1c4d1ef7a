# SPDX-License-Identifier: Apache-2.0
"""What GitHub's workflows and the action name of the project is there: files, scripts that may be started,
make's targets, CMake's options and targets, tests, platforms, purposes of tools/deps.sh. A workflow
runs nowhere here, so nothing else would notice."""
import os
import re

from project_tree import ROOT, finish, name

WORKFLOWS = sorted((ROOT / ".github").rglob("*.yml"))
CMAKE = "\n".join(path.read_text() for path in sorted(ROOT.rglob("CMakeLists.txt")) + sorted(ROOT.glob("cmake/*.cmake"))
                  if not name(path).startswith("build"))
FOLDERS = "|".join(re.escape(path.name) for path in sorted(ROOT.iterdir())
                   if path.is_dir() and path.name != ".git" and not path.name.startswith("build"))


def words(pattern, text):
    return {word for match in re.findall(pattern, text, re.M) for word in match.split()}


def listed():
    """What each kind of name may be."""
    makefile, deps, platforms = ((ROOT / path).read_text() for path in ("Makefile", "tools/deps.sh", "tools/platforms.sh"))
    return {
        "target of make": words(r"^\.PHONY:(.*)$", makefile) & words(r"^([a-z-]+):", makefile),
        "option of CMake": words(r"^ *option\((\w+)", CMAKE) | words(r"^ *set\((\w+)[^)]*\bCACHE\b", CMAKE),
        "target of CMake": words(r"\badd_(?:executable|library|custom_target)\(([\w-]+)", CMAKE),
        "test": words(r"\b(?:add_test\(NAME|libtma_pytest\() ?(\w+)", CMAKE),
        "platform": words(r"^([\w-]+) *\| .*\|.*\|.*\|", platforms),
        "purpose of tools/deps.sh": words(r"^ {4}([a-z]+)\) packages=", deps),
    }


ASKED = (
    ("target of make", r"(?<![\w/-])make ((?:[a-z][\w-]*)(?: [a-z][\w-]*)*)"),
    ("option of CMake", r"-D ?(LIBTMA_\w+)"),
    ("target of CMake", r"--target ((?:[\w-]+ ?)+)$"),
    ("test", r" -R '?\^?(\w+)\$?'?"),
    ("platform", r"\bmake platforms P=([\w-]+)"),
    ("purpose of tools/deps.sh", r"\btools/deps\.sh((?: [a-z]+)+)"),
)


def missing_files(path, text):
    """Words that begin with a folder of the project, patterns too; what is started has to be executable."""
    for word in re.findall(rf"(?<![\w./$*-])(?:\./)?((?:{FOLDERS})/[\w./*-]*[\w*])", text):
        if not list(ROOT.glob(word)):
            yield f"{name(path)}: there is no {word}"
        elif word.endswith(".sh") and not os.access(ROOT / word, os.X_OK):
            yield f"{name(path)}: {word} cannot be started"


def unmade(path, text):
    """What is uploaded out of build/ is made by a target, a script or a step before."""
    makers = text + CMAKE + "\n".join(script.read_text() for script in sorted(ROOT.glob("tools/*.sh")))
    for word in re.findall(r"^ *path: (build\S*)$", text, re.M):
        last = word.removeprefix("build/")
        if not re.search(rf"(?:build|BINARY_DIR\}})/{re.escape(last)}\b|/\.\./{re.escape(last)}\b",
                         re.sub(r"^ *path: .*$", "", makers, flags=re.M)):
            yield f"{name(path)}: nothing makes {word}"


complaints, looked_at = [], 0
names = listed()
for kind, known in names.items():
    if not known:
        complaints.append(f"the check finds no {kind} any more")
for path in WORKFLOWS:
    text = re.sub(r"^ *#.*$", "", path.read_text().replace("\\\n", " "), flags=re.M)
    for kind, pattern in ASKED:
        asked = words(pattern, text)
        looked_at += len(asked)
        complaints += [f"{name(path)}: '{word}' is no {kind}" for word in sorted(asked - names[kind])]
    complaints += [*missing_files(path, text), *unmade(path, text)]
finish(complaints, looked_at)
