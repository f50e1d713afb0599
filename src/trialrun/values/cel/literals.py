"""Checks literals in languages of their own, such as patterns and times, which the engine only parses at run time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from trialrun.values import Problem
from trialrun.values.cel.builtins import MAX_LISTED, suggest_name
from trialrun.values.cel.environment import environment
from trialrun.values.cel.syntax_tree import Node, bound_variables, is_macro, namespace
from trialrun.values.cel.type_schema import Schema, Type
from trialrun.values.timestamp import canonical_form
from trialrun.values.timestamp import check as timestamp_problems

_ZONED = "timestamp('2000-01-01T00:00:00Z')"
_ADVICE = {
    "matches": ("a regular expression", "fix it, in RE2 syntax"),
    "timestamp": ("a timestamp", "write it like 2027-01-31T12:00:00Z"),
    "duration": ("a duration", "write it like 90s or 1h30m"),
    "int": ("an int", "write digits"),
    "uint": ("a uint", "write digits"),
    "double": ("a double", "write a number"),
    "bool": ("a bool", "write true or false"),
}
_LANGUAGE_RANGE = ("a language range", "write one such as de, de-AT or *-Latn")
_TIME_ZONE = ("a time zone", "write it like America/New_York or -05:00")


def literal_problems(nodes: Sequence[Node], text: str, schema: Schema) -> Iterator[Problem]:
    """Invalid patterns, times and similar literals, and strings that are not values of the compared enum.

    `nodes` are all parts of the condition.
    """
    for node in nodes:
        if node.kind == "call":
            yield from _check_call(node, text, schema)
    if not _has_enumerations(schema):
        return
    names = frozenset(name for node in nodes if is_macro(node) for name in bound_variables(node))
    for node in nodes:
        if node.kind == "operator" and node.name in ("==", "!=", "in"):
            yield from _check_enumeration(node, schema, names)


@lru_cache(maxsize=16)
def _has_enumerations(schema: Schema) -> bool:
    types = [schema.variables, *schema.types.values()]
    return any("enum" in text for texts in types for text in texts.values())


def _check_call(node: Node, text: str, schema: Schema) -> Iterator[Problem]:
    literal = node.arguments[-1] if node.arguments else None
    if literal is None or literal.kind != "literal" or literal.name != "string":
        return
    written = text[literal.name_start : literal.name_end]
    is_conversion = node.name in _ADVICE and not node.receiver and len(node.arguments) == 1
    if is_conversion and node.name == "timestamp" and (faults := timestamp_problems(str(literal.value))):
        # each engine takes other forms than this one, too: lower case, second 60, ten digits, +0100
        meant = canonical_form(str(literal.value))
        message = f"{_truncate(written)} is not a timestamp: {faults[0].message}"
        yield Problem("type", literal.name_start, literal.name_end, message, f"'{meant}'" if meant else None)
        return
    if schema.library and namespace(node) == "language" and node.name == "matches" and len(node.arguments) == 2:
        tried, (what, advice) = f"language.matches('en', {written})", _LANGUAGE_RANGE
    elif node.name == "matches":
        tried, (what, advice) = f"''.matches({written})", _ADVICE["matches"]
    elif node.receiver and node.name.startswith("get") and node.children[0].type == "timestamp":
        tried, (what, advice) = f"{_ZONED}.{node.name}({written})", _TIME_ZONE
    elif is_conversion:
        tried, (what, advice) = f"{node.name}({written})", _ADVICE[node.name]
    else:
        return
    if (error := _runtime_error(tried, schema)) is not None:
        words = error.removeprefix("INVALID_ARGUMENT: ").removeprefix("invalid regular expression: ")
        # the message of RE2 without the pattern
        why = f" ({words.rsplit(': ', 1)[0]})" if what == _ADVICE["matches"][0] else ""
        message = f"{_truncate(written)} is not {what}{why}; {advice}"
        yield Problem("type", literal.name_start, literal.name_end, message)


def _truncate(written: str) -> str:
    return written if len(written) <= 60 else written[:60] + "…"


@lru_cache(maxsize=1024)
def _runtime_error(tried: str, schema: Schema) -> str | None:
    """The error of the engine for an expression without variables, or None."""
    try:
        value = environment(schema).plain.compile(tried).eval(data={})
    except (RuntimeError, ValueError) as error:  # ValueError: range of a negative length
        return str(error)
    return str(value.value()) if value.type().name() == "ERROR" else None


def _check_enumeration(node: Node, schema: Schema, names: frozenset[str]) -> Iterator[Problem]:
    left, right = node.children
    if node.name == "in":
        type_, literals = declared_type(left, schema, names), right.children if right.kind == "list" else ()
    else:
        type_ = declared_type(left, schema, names) or declared_type(right, schema, names)
        literals = (left, right)
    members = type_.members if type_ and type_.name == "enum" else ()
    for literal in literals if members else ():
        value = literal.value if literal.kind == "literal" else None
        if not isinstance(value, str) or value in members:
            continue
        near = suggest_name(value, members)
        listed = ", ".join(members[:MAX_LISTED]) + (", …" if len(members) > MAX_LISTED else "")
        advice = f'did you mean "{near}"?' if near else f"write one of {listed}"
        place = (literal.name_start, literal.name_end)
        yield Problem("enum", *place, f'"{value}" is never a value here; {advice}', f"'{near}'" if near else None)


def declared_type(node: Node, schema: Schema, names: frozenset[str]) -> Type | None:
    """The type of a read value in the schema; None if undeclared."""
    if node.kind == "name":
        return None if node.name in names else schema.roots.get(node.name)
    if node.kind == "select" and node.children[0].type in schema.fields:
        return schema.fields[node.children[0].type].get(node.name)
    holder = declared_type(node.children[0], schema, names) if node.kind in ("select", "index") else None
    if holder and node.kind == "select" and holder.name in schema.fields:
        # parts of an invalid condition have no types
        return schema.fields[holder.name].get(node.name)
    return holder.parameters[-1] if holder and holder.parameters else None
