# SPDX-License-Identifier: Apache-2.0
"""Links from one document of the tree to another lead to a file and, behind a #, to a heading of
it, as GitHub names headings."""
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTED = shutil.which("git") and subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True,
                                                text=True, check=False).stdout.split()
DOCUMENTS = LISTED or [str(path.relative_to(ROOT)) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]]


def prose(path):
    """Without blocks of code."""
    return re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S)


def headings(path):
    seen = {}
    for text in re.findall(r"^#+ +(.*?) *$", prose(path), re.M):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).lower())
        name = name.replace(" ", "-")
        seen[name] = seen.get(name, -1) + 1
        yield f"{name}-{seen[name]}" if seen[name] else name


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document):
    path = ROOT / document
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose(path))):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = path.parent / file if file else path
        if not target.exists():
            broken.append(link)
        elif anchor and target.suffix == ".md" and anchor not in headings(target):
            broken.append(link)
    assert not broken


def test_there_are_documents_and_links():
    assert len(DOCUMENTS) > 20
    assert "docs/answers.md#" in (ROOT / "README.md").read_text()
