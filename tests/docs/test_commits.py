# SPDX-License-Identifier: Apache-2.0
"""A commit that a document cites is in the history; those of other projects are listed here. Without a
history, as in a tarball, nothing can be looked at: skipped."""
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMIT = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
OTHERS = {
    "0251105a": "FlashAttention 3", "0b55588": "ThunderKittens", "0b55588d": "ThunderKittens",
    "1f1d06e": "DeepGEMM", "54e2261": "DeepGEMM", "7107b05": "CUTLASS", "9241ae3": "FlashMLA",
    "a35008a": "TileLang", "fb28d72": "FlashInfer",
}
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
MADE = ROOT / "docs/evidence/documents.md"  # its words are others' and the program's


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)


def pages():
    """Not those of builds, in which other tests come and go."""
    tops = [p for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith(("build", "."))]
    found = [*ROOT.glob("*.md"), *(p for top in tops for p in top.rglob("*.md"))]
    return [p for p in found if p != MADE]


def cited():
    """{commit: a page that cites it}"""
    return {commit: page.relative_to(ROOT).as_posix() for page in pages()
            for commit in COMMIT.findall(CODE.sub("", page.read_text()))}


@pytest.fixture(scope="module")
def history():
    try:
        shallow = git("rev-parse", "--is-shallow-repository").stdout.strip()
        top = git("rev-parse", "--show-toplevel").stdout.strip()
    except FileNotFoundError:
        pytest.skip("no git")
    if shallow != "false" or pathlib.Path(top) != ROOT:
        pytest.skip("no history here, or a part of one")


@pytest.mark.usefixtures("history")
def test_cited_commits_are_there():
    found = cited()
    missing = {commit: page for commit, page in found.items() if commit not in OTHERS
               and git("cat-file", "-e", f"{commit}^{{commit}}").returncode}
    assert len(found) > 20 and not missing


def test_other_projects_commits_are_cited():
    assert not set(OTHERS) - set(cited())
