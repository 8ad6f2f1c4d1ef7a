# SPDX-License-Identifier: Apache-2.0
"""Calls whose arguments have other names or another number than the function's: said in one sentence,
with the name that is near."""
from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar, cast

from . import _core

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
_PLAIN_TYPES: dict[str, type] = {"str": str, "int": int, "bool": bool}


def misspelt(name: str, word: str, names: list[str]) -> str:
    near = difflib.get_close_matches(word, names, 1, 0.5)
    return (f"{name}(): no argument is called '{word}'" + (f": '{near[0]}'?" if near else ".")
            + f" It takes {', '.join(names)}")


def refused(name: str, names: list[str], given: int, named: dict[str, Any]) -> str:
    """Of the extension module's classes, whose first argument alone has no name."""
    unknown = [word for word in named if word not in names]
    if unknown:
        return misspelt(name, unknown[0], names)
    return (f"{name}(): {given} arguments without a name and {list(named)}; it takes {names[0]}"
            + (f" and, by name, {', '.join(names[1:])}" if names[1:] else ""))


def _explain(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any],
             otherwise: TypeError) -> NoReturn:
    signature = inspect.signature(function)
    names = list(signature.parameters)
    called = function.__qualname__.split(".")[-2 if function.__name__ == "__init__" else -1]
    takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    for word in named:
        if word not in names and not takes_any:
            raise TypeError(misspelt(called, word, names[names[0] in ("self", "cls"):])) from None
    plainly = [p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    many = any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values())
    if len(arguments) > len(plainly) and not many:
        shown, surplus = plainly[plainly[0] in ("self", "cls"):], arguments[len(plainly)]
        others = [f"{name}=" for name in names if name not in plainly]
        is_sequence = "Sequence" in str(signature.parameters[plainly[-1]].annotation)
        raise TypeError(f"{called}(): too many positional arguments: it takes {', '.join(shown)}"
                        + (f"; {surplus!r} needs a name: {', '.join(others)}" if others else "")
                        + (f"; {plainly[-1]} is one sequence" if is_sequence and isinstance(surplus, int)
                           else "")) from None
    try:
        bound = signature.bind(*arguments, **named)
    except TypeError as error:
        plain = signature.replace(return_annotation=inspect.Signature.empty, parameters=[
            p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()])
        raise TypeError(f"{called}(): {error}; it is {called}{plain}") from None
    if "incompatible function arguments" in str(otherwise):
        given = {name: value for name, value in bound.arguments.items() if name not in ("self", "cls")}
        kinds = {name: str(signature.parameters[name].annotation) for name in given}
        for name, value in given.items():
            wanted = _PLAIN_TYPES.get(kinds[name])
            if wanted and not isinstance(value, wanted):
                said = repr(value)
                kind = (f"{said}, of " if len(said) < 60 else "of ") + type(value).__name__
                takes = f"{called}({', '.join(plainly[plainly[0] in ('self', 'cls'):])})"
                raise TypeError(f"{called}(): {name} is {kind}; it takes {wanted.__name__}: "
                                f"{takes}") from None
        for name, value in given.items():
            if kinds[name] == "int" and value < 0:
                raise ValueError(f"{called}(): {name} = {value}: it is 0 or more") from None
            if kinds[name] == "int" and value >= 2**31:
                raise ValueError(f"{called}(): {name} has {value.bit_length()} bits: too many") from None
        takes = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise TypeError(f"{called}() takes {takes}, not "
                        + ", ".join(type(value).__name__ for value in given.values())) from None
    raise otherwise


def face_of(own: Callable[..., Any]) -> Callable[[F], F]:
    """The function below says how `own`, the extension module's, is called: names, types, defaults
    and documentation. Its body is never run."""
    def face(declared: F) -> F:
        call: Any = vars(_core)["__spelt__"](own, functools.partial(_explain, declared))
        return cast(F, functools.update_wrapper(call, declared))
    return face


def spelt(function: F) -> F:
    """A function of Python's that names an argument that it has not."""
    return face_of(function)(function)


def spelt_fields(kind: type[T]) -> type[T]:
    """A dataclass whose fields are named in the same way."""
    setattr(kind, "__init__", spelt(kind.__init__))  # noqa: B010  (mypy takes no assignment)
    return kind
