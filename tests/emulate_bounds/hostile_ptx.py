# SPDX-License-Identifier: Apache-2.0
"""A module of one kernel `k`, with registers of each kind."""
HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
REGISTERS = ".reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %q<99>;"


def module(body, parameters="", before="", registers=REGISTERS, behind=""):
    return f"{HEAD}{before}.visible .entry k({parameters}) {behind}\n{{\n{registers}\n{body}\nret;\n}}\n"


def chain(count):
    """Functions that call each other, the last of them first."""
    return ".func f0() {ret;}\n" + "".join(f".func f{i}() {{call f{i - 1},(); ret;}}\n" for i in range(1, count))
