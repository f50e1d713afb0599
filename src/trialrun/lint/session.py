"""The types of a session: those that the workspace declares, or the shipped default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trialrun.lint.rule import SessionTypes


def session_types(declarations: Iterable[Mapping[str, Any]]) -> SessionTypes:
    """The types and variables of all SessionSchema documents together; the default, a guess, without any.

    Of a type or variable that two documents declare, the first counts. A document with a type text that cannot be read
    declares nothing: the findings of its own file say why.
    """
    from trialrun.values import cel

    types: dict[str, Mapping[str, str]] = {}
    variables: dict[str, str] = {}
    for declared in declarations:
        for name, fields in _mapping(declared.get("types")).items():
            types.setdefault(name, _texts(fields))
        for name, text in _texts(declared.get("variables")).items():
            variables.setdefault(name, text)
    if not variables:
        return SessionTypes(cel.DEFAULT_SCHEMA, declared=False)
    try:
        return SessionTypes(cel.schema(types, variables), declared=True)
    except cel.SchemaError:
        return SessionTypes(cel.DEFAULT_SCHEMA, declared=False)


def _texts(value: Any) -> Mapping[str, str]:
    """The entries whose value is a text; the others are told where they stand."""
    return {name: text for name, text in _mapping(value).items() if isinstance(text, str)}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
