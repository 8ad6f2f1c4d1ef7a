#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/evidence/speed.svg: plot_sizes.py SIZES.tsv SPEED.svg, with what tma-bench-sizes printed.

Needs matplotlib (Debian: python3-matplotlib); only for this drawing.
"""
import csv
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "libtma"
import matplotlib.pyplot as plt  # noqa: E402


def main():
    with open(sys.argv[1], newline="", encoding="ascii") as file:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file, delimiter="\t")]
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    for axis, key, values, fixed, title in (
            (axes[0], "rank", (2, 3, 4, 5), ("element_B", 2), "by rank (2-byte elements)"),
            (axes[1], "element_B", (1, 2, 4, 8), ("rank", 2), "by element size (rank 2)")):
        for value in values:
            line = [r for r in rows if r[key] == value and r[fixed[0]] == fixed[1]]
            axis.plot([r["box_B"] for r in line], [r["ns_per_B"] for r in line], marker="o",
                      markersize=3, label=f"{key} {value}")
        line = [r for r in rows if r["rank"] == 2 and r["element_B"] == 2]
        axis.plot([r["box_B"] for r in line], [r["memcpy_ns_per_B"] for r in line], "k--",
                  label="memcpy, row by row (rank 2)")
        axis.set(xscale="log", yscale="log", xlabel="box, bytes", title=title)
        axis.grid(True, which="both", alpha=.3)
        axis.legend(fontsize=8)
    axes[0].set_ylabel("ns per byte")
    figure.tight_layout()
    figure.savefig(sys.argv[2], metadata={"Date": None})


if __name__ == "__main__":
    main()
