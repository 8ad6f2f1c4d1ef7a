# SPDX-License-Identifier: Apache-2.0
"""The names that python/libtma/_types.py has for editors are those that the command lists."""
import ast

from conftest import ROOT


def test_names_are_those_of_the_tables(tma):
    found = {}
    for node in ast.walk(ast.parse((ROOT / "python/libtma/_types.py").read_text())):
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Subscript):
            members = node.value.slice.elts if isinstance(node.value.slice, ast.Tuple) else [node.value.slice]
            if all(isinstance(m, ast.Constant) for m in members):
                found[node.target.id] = [m.value for m in members]
    for name, topic in {"ArchName": "archs", "SwizzleName": "swizzles", "DataTypeName": "dtypes"}.items():
        listed = [line.split()[0] for line in tma("list", topic).stdout.splitlines()[1:] if line.strip()]
        assert len(listed) > 5 and found[name] == listed
