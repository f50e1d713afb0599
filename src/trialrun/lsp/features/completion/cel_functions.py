"""Completion of CEL functions and methods, and their result types."""

from __future__ import annotations

from functools import cache
from typing import Final

from trialrun.values.cel.builtins import METHODS, CelFunction, global_functions, namespace_functions
from trialrun.values.cel.type_schema import Type, format_type, parse_type

BOUND: Final = ("x", "i", "v")
"""Variable names that completion inserts for macros."""


def label(function: CelFunction) -> str:
    """The displayed name; macros with two variables include these."""
    return f"{function.name}(i, v)" if function.is_two_variable else function.name


def snippet(function: CelFunction, *, with_all: bool = True) -> str:
    """The call as a snippet with a tab stop for each argument, or only for the first."""
    taken = function.takes if with_all else function.takes[:1]
    stops = [f"${{{at}:{name}}}" if name in BOUND else f"${at}" for at, name in enumerate(taken, 1)]
    return f"{function.name}({', '.join(stops)})"


def methods(of: Type) -> tuple[CelFunction, ...]:
    """The member functions of a type."""
    return METHODS.get("string" if of.members else of.name, ())


def method_result(of: Type, name: str) -> Type | None:
    """The result type of a member function of a type; None if unknown."""
    function = next((method for method in methods(of) if method.name == name), None)
    return result_type(function, of) if function else None


def global_result(name: str, namespace: str | None = None, *, library: str = "") -> Type | None:
    """The result type of a global function, or of one in a namespace; None if unknown.

    `library` is the library of the schema.
    """
    table = global_functions(library) if namespace is None else namespace_functions(library)[namespace]
    return next((result_type(cel_function) for cel_function in table if cel_function.name == name), None)


def result_type(function: CelFunction, of: Type | None = None) -> Type | None:
    """The result type of a function, called on a value of type `of` if given; None if unknown."""
    inner = element_type(of) or Type("dyn")
    match function.gives:
        case "T":
            return of
        case "E":
            return inner
        case "list(E)":
            return Type("list", (inner,))
        case "optional(E)" | "optional(dyn)":
            return Type("optional", (inner if function.gives == "optional(E)" else Type("dyn"),))
        case text:
            return _read(text) if text else None


@cache
def _read(text: str) -> Type:
    return parse_type(text)


def element_type(of: Type | None) -> Type | None:
    """The type of the variable of a macro: list elements, map keys, or the value of an optional."""
    return of.parameters[0] if of is not None and of.parameters else None


def element_types(of: Type | None) -> tuple[Type | None, Type | None]:
    """The types of both variables of a macro: index and element of a list, or key and value of a map."""
    if of is not None and of.name == "map":
        return of.parameters[0], of.parameters[1]
    return Type("int"), element_type(of)


def signature(function: CelFunction, of: Type | None = None) -> str:
    """The signature of a function, with its result type."""
    gives = result_type(function, of)
    return f"{function.name}({', '.join(function.takes)}): {'dyn' if gives is None else format_type(gives)}"
