# SPDX-License-Identifier: Apache-2.0
"""python_notebook.py NOTEBOOK [--check]: runs a notebook's cells and stores what they give, or with
--check says where that is not what is stored. Needs nbclient and ipykernel."""
import sys

import nbclient
import nbformat

IGNORED = {"id", "execution_count", "metadata"}


def shown(cell):
    """The outputs of a cell without what differs from run to run."""
    return [{key: value for key, value in output.items() if key not in IGNORED}
            for output in cell.get("outputs", [])]


def main(path, check):
    stored = nbformat.read(path, as_version=4)
    notebook = nbformat.from_dict(stored)
    before = [shown(cell) for cell in stored.cells]
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    after = [shown(cell) for cell in notebook.cells]
    if check:
        differ = [n for n, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
        outputs = sum(map(bool, before))
        for n in differ:
            print(f"{path}: cell {n}: stored\n{before[n]}\nnow\n{after[n]}"[:4000])
        print(f"{path}: {outputs} cells with outputs, {len(differ)} differ")
        return 1 if differ or not outputs else 0
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata = {"kernelspec": stored.metadata["kernelspec"]}
    nbformat.write(notebook, path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--check" in sys.argv))
