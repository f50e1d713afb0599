"""The types of a session: those that the workspace declares, or the shipped default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from trialrun.lint.rule import SessionTypes

if TYPE_CHECKING:
    from trialrun.values.cel import SchemaError

ANY = "dyn"
"""The type text of a value of which nothing is known."""


def session_types(declarations: Iterable[Mapping[str, Any]]) -> SessionTypes:
    """The types and variables of all SessionSchema documents together; the default, a guess, without any.

    Of a type or variable that two documents declare, the first counts. What a text that cannot be read declares is of
    any type, and a name that cannot be used is left out: the findings of its own file say why, and no condition is
    wrong for that.
    """
    from trialrun.values import cel

    types: dict[str, dict[str, str]] = {}
    variables: dict[str, str] = {}
    for declared in declarations:
        for name, fields in _mapping(declared.get("types")).items():
            types.setdefault(name, _texts(fields))
        for name, text in _texts(declared.get("variables")).items():
            variables.setdefault(name, text)
    if not variables:
        return SessionTypes(cel.DEFAULT_SCHEMA, is_declared=False)
    while errors := list(cel.schema_errors(types, variables)):
        for error in errors:
            _discard(error, types, variables)
    return SessionTypes(cel.build_schema(types, variables), is_declared=True)


def _discard(error: SchemaError, types: dict[str, dict[str, str]], variables: dict[str, str]) -> None:
    """Take away what an error is about: a name, or what replaces a type."""
    root, *way = error.path
    *holder, name = way
    of_name: dict[str, Any] = variables if root == "variables" else types.get(holder[0], {}) if holder else types
    if error.in_name:
        of_name.pop(name, None)
    elif name in of_name:
        of_name[name] = ANY


def _texts(value: Any) -> dict[str, str]:
    """Each name with its type text; one whose value is not a text, which is told where it is, may be anything."""
    return {name: text if isinstance(text, str) else ANY for name, text in _mapping(value).items()}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
