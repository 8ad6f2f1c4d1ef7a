# SPDX-License-Identifier: Apache-2.0
"""Every public name is documented in NumPy's style: each parameter is named where there are any, what
comes back where something does, and every property in a sentence."""
import dataclasses
import enum
import importlib
import inspect
import re

import pytest

MODULES = ["libtma", *(f"libtma.{name}" for name in ("driver", "layouts", "mma", "page", "ptx", "triton"))]
BORROWED = {"as_integer_ratio", "bit_length", "conjugate", "to_bytes", "bit_count", "is_integer", "add_note",
            "with_traceback"}  # of int and Exception


def public():
    for module in (importlib.import_module(name) for name in MODULES):
        for name in module.__all__:
            if not name.startswith("__"):
                yield f"{module.__name__}.{name}", getattr(module, name)


def members(kind):
    for name in dir(kind):
        if not name.startswith("_") and name not in BORROWED and not issubclass(kind, enum.Enum):
            yield name, inspect.getattr_static(kind, name)


def documented():
    """(name, object, whether it is called)."""
    for name, thing in public():
        is_class = inspect.isclass(thing)
        yield name, thing, not is_class
        if is_class:
            for member, value in members(thing):
                plain = getattr(thing, member)
                is_data = isinstance(value, property) or not callable(plain)
                if not is_data or isinstance(value, property):
                    yield f"{name}.{member}", value if is_data else plain, not is_data


def parameters(function):
    try:
        found = inspect.signature(function).parameters
    except ValueError:  # the extension module's own
        return re.findall(r"(\w+):", function.__nb_signature__[0][0].split("->")[0])
    return [name for name in found if name not in ("self", "cls")]


@pytest.mark.parametrize("name, thing, called", list(documented()), ids=lambda value: value
                         if isinstance(value, str) else "")
def test_a_name_is_documented(name, thing, called):
    text = inspect.getdoc(thing)
    assert text and text.split("\n")[0].strip(), f"{name} has no documentation"
    for field in dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ():
        assert re.search(rf"\b{field.name}\b", text), f"{name}: its field {field.name} is not documented"
    if not called:
        return
    sections = re.split(r"\n(\w+)\n-+\n", text)
    said = dict(zip(sections[1::2], sections[2::2], strict=True))
    for parameter in parameters(thing):
        assert re.search(rf"^(.*\W)?{parameter}\b.*$", said.get("Parameters", ""), re.M), (
            f"{name}: its parameter {parameter} is not documented")
    returns = getattr(inspect.unwrap(thing), "__annotations__", {}).get("return", "None")
    if returns not in (None, "None", "Self", "NoReturn"):
        assert "Returns" in said, f"{name}: what it returns is not documented"
