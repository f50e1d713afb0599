"""Translates type errors of the engine to messages for authors, with exact ranges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from trialrun.lazy_dataclass import dataclass
from trialrun.lazy_pattern import lazy_pattern
from trialrun.values.cel.engine_issues import Issue
from trialrun.values.cel.literals import declared_type
from trialrun.values.cel.overloads import overload_problem
from trialrun.values.cel.syntax_tree import Node, bound_variables, is_has, is_macro, walk
from trialrun.values.cel.type_schema import Schema
from trialrun.values.cel.undeclared import (
    not_a_message,
    undeclared_field,
    undeclared_function,
    undeclared_name,
    unknown_message_type,
)
from trialrun.values.problem import Problem


@dataclass(frozen=True, slots=True)
class Place:
    """The part at the position of an issue, and the parts around it, outermost first."""

    node: Node
    around: tuple[Node, ...]
    schema: Schema
    text: str
    extensions: frozenset[str]


_Say = Callable[[Place, "re.Match[str]"], Problem | None]


def problems_of(
    text: str, tree: Node, issues: list[Issue], schema: Schema, extensions: frozenset[str]
) -> Iterator[Problem]:
    """The problems that describe the issues of a text."""
    whole = Place(tree, (), schema, text, extensions)
    places = dict(_places(whole))
    for issue in issues:
        place = places.get(issue.offset) or _in_chain(whole, issue.offset)
        problem = _to_problem(place, issue) if place else _unplaced(text, issue)
        if problem:
            yield problem


def _places(whole: Place) -> Iterator[tuple[int, Place]]:
    yield whole.node.engine_offset, whole
    around = (*whole.around, whole.node)
    for child in whole.node.children:
        yield from _places(replace(whole, node=child, around=around))


def _in_chain(whole: Place, place: int) -> Place | None:
    """A later operator of a chain `a && b && c`, for which the engine reports the position of the first."""
    for node in walk(whole.node):
        between = pairwise(node.children) if node.name in ("&&", "||") and node.kind == "operator" else ()
        if any(left.end <= place < right.start for left, right in between):
            return replace(whole, node=replace(node, name_start=place, name_end=place + 2))
    return None


def _to_problem(place: Place, issue: Issue) -> Problem | None:
    for pattern, say in _MESSAGES.items():
        if match := pattern.match(issue.message):
            return say(place, match)
    node = place.node
    return Problem("type", node.name_start, node.name_end, _advised(issue.message))


def _unplaced(text: str, issue: Issue) -> Problem:
    start = min(max(issue.offset, 0), len(text))
    end = min(start + 1, len(text)) if issue.offset >= 0 else len(text)
    return Problem("type", start, end, _advised(issue.message))


def _advised(message: str) -> str:
    first = message.splitlines()[0] if message else "the engine refuses this"
    return first[:200].rstrip(".").replace("; ", ", ") + "; change it"


def _undefined_field(place: Place, match: re.Match[str]) -> Problem:
    return undeclared_field(place.node, match[1], match[2], place.schema)


def _undeclared(place: Place, match: re.Match[str]) -> Problem | None:
    node = place.node
    if node.kind == "call":
        return undeclared_function(node, place.schema, place.extensions)
    if node.kind == "message":
        return unknown_message_type(node)
    return undeclared_name(node, place.around, place.schema)


def _unselectable(place: Place, match: re.Match[str]) -> Problem:
    node = place.node.children[0] if is_has(place.node) else place.node
    return not_a_message(node, match[1], place.around, place.extensions)


def _range(place: Place, match: re.Match[str]) -> Problem:
    macro = next((node for node in reversed(place.around) if is_macro(node)), place.node)
    message = f"{macro.name}() iterates over a list or a map, not {match[1]}; call it on one"
    return Problem("type", macro.name_start, macro.name_end, message)


def _overload(place: Place, match: re.Match[str]) -> Problem | None:
    return overload_problem(place.node, match[1], match[2])


def _has(place: Place, match: re.Match[str]) -> Problem:
    node, message = place.node, "has() needs a field; write has(a.b)"
    test = _presence_test(node, place) if node.kind == "index" and place.around else None
    if test is None:
        return Problem("type", node.start, node.end, message)
    call, *outer = reversed(place.around)
    binds_closer = outer and outer[0].kind == "operator" and outer[0].name not in ("&&", "||")
    replacement = f"({test})" if binds_closer and not test.startswith("has(") else test
    message = f"has() takes a field, not an index; write {test}"
    return Problem("type", node.start, node.end, message, replacement, (call.start, call.end))


def _presence_test(node: Node, place: Place) -> str | None:
    """How CEL asks whether an index is there: the key of a map, the place of a list, the field of a message."""
    holder, key = node.children
    bound = frozenset(name for outer in place.around if is_macro(outer) for name in bound_variables(outer))
    declared = declared_type(holder, place.schema, bound)
    of, at = (place.text[part.start : part.end].strip() for part in (holder, key))
    if declared is not None and declared.name in place.schema.fields:
        return f"has({of}.{at[1:-1]})" if key.value in place.schema.fields[declared.name] else None
    if key.kind == "literal" and key.name == "int" and (declared is None or declared.name == "list"):
        return f"size({of}) > {at}"
    if declared.name != "map" if declared else at[1:-1].isidentifier():
        return None
    return f"({at}) in {of}" if key.kind in ("operator", "conditional") else f"{at} in {of}"


def _variable(place: Place, match: re.Match[str]) -> Problem:
    node, name = place.node, match[1]
    message = f"{name}() needs a plain name for its variable; write {name}(x, …)"
    return Problem("type", node.start, node.end, message)


_MESSAGES: Mapping[re.Pattern[str], _Say] = {
    lazy_pattern(r"undefined field '(.*)' not found in struct '(.*)'"): _undefined_field,
    lazy_pattern(r"undeclared reference to '(.*)'"): _undeclared,
    lazy_pattern(r"expression of type '(.*)' cannot be the operand of a select"): _unselectable,
    lazy_pattern(r"expression of type '(.*)' cannot be the range of a comprehension"): _range,
    lazy_pattern(r"found no matching overload for '(.*)' applied to '\((.*)\)'"): _overload,
    lazy_pattern(r"has\(\) argument must be"): _has,
    lazy_pattern(r"([\w.]+)\(\).* variable name must be a simple identifier"): _variable,
}
