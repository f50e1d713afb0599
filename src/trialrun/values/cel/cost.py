"""Static estimates of conditions: of sizes, to reject values that can grow exponentially, and of work.

The engine cannot be interrupted, and bounds only how often macros iterate, at most 10,000 times. So the work of an
evaluation is estimated before it, from the expression and the size of what it reads: an upper bound that depends on no
machine. Its unit took 10 ns where cel-expr-python 0.1.3 was measured.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import NamedTuple

from trialrun.values.cel.builtins import namespace_functions
from trialrun.values.cel.syntax_tree import Node, bound_variables, inner_children, is_macro, outer_children, walk

MAX_GROWTH = 256
"""How many times over a part may hold what it reads."""
MAX_RANGE = 10_000
UNKNOWN_GROWTH = 100
"""How many times a text may be put into another where neither is written out."""
_SMALL = frozenset(["bool", "int", "uint", "double", "timestamp", "duration", "null"])
STEP, ITEM, PAIR, MACRO_PAIR = 4, 60, 30, 10
"""The work of a part, of an item of lists.range, and of two items where each meets each."""
TEXT_WORK = {**dict.fromkeys(["==", "!=", "<", "<=", ">", ">=", "contains", "startsWith", "endsWith", "size"], 1)}
TEXT_WORK |= {"in": 10, "+": 2, "matches": 50}
OTHER_TEXT_WORK = 20
"""The work of a call on a character of a text or an item of a list."""
MIN_PATTERN_WORK, MAX_PATTERN_WORK = 2_000, 1_000_000
REPETITION = re.compile(r"([1-9][0-9]{0,3})\}")
_PAIRING = frozenset(["map", "filter", "transformList", "distinct", "equivalent", "intersects"])
_WITHOUT_LOOP = frozenset(["bind", "optMap", "optFlatMap"])


class _Variable(NamedTuple):
    """What a macro binds; its growth is 0 where it is written out."""

    growth: int
    is_item: bool
    """Of what is read."""
    is_joined: bool
    """From many."""


class Work(NamedTuple):
    """What an expression does: how much, by unit and number of loops, and how many items its own lists have.

    Items are read once in each loop around theirs; the lists of an expression that `splits` have one for a character.
    """

    units: Mapping[tuple[str, int, bool], int]
    own_items: int
    splits: bool


class InputSize(NamedTuple):
    """The size of what an expression reads: all characters and items, the longest list and the longest text."""

    all: int = 0
    longest_list: int = 0
    longest_text: int = 0


_NO_SCOPE: Mapping[str, _Variable] = {}


def units_of_work(work: Work, read: InputSize) -> int:
    """The most work of an evaluation."""
    longest = max(1, read.longest_list, work.own_items, read.longest_text if work.splits else 0)
    amounts = {"time": 1, "text": read.longest_text, "list": read.all, "pair": longest}
    units = 0
    for (unit, loops, is_item), weight in work.units.items():
        most = amounts[unit] * min(longest**loops, MAX_RANGE)
        units += weight * (min(most, read.all * min(longest ** (loops - 1), MAX_RANGE)) if is_item else most)
    return units


def work_of(tree: Node) -> Work:
    """The work of an expression."""
    measure, parts = _SizeEstimator(tree), list(walk(tree))
    return Work(measure.units, max(map(_own_items, parts)), any(part.name == "split" for part in parts))


def find_oversized(tree: Node) -> Node | None:
    """The innermost part that may hold what it reads more than MOST times over; None if no part may."""
    return _SizeEstimator(tree).oversized


class _SizeEstimator:
    """How many times parts contain what they read: the first that is too large, and the `units` that all of them do."""

    def __init__(self, tree: Node) -> None:
        self.oversized: Node | None = None
        self.units: Counter[tuple[str, int, bool]] = Counter()
        self.estimate(tree, _NO_SCOPE)

    def estimate(self, node: Node, scope: Mapping[str, _Variable], loops: int = 0) -> int:
        """The measure of a part inside of loops; `scope` has what macros bind."""
        self.units["time", loops, False] += STEP
        times = self._macro(node, scope, loops) if is_macro(node) else self._without_macro(node, scope, loops)
        if times > MAX_GROWTH:
            self.oversized = self.oversized or node
        return 1 if node.type in _SMALL else max(1, min(times, MAX_GROWTH + 1))

    def _macro(self, node: Node, scope: Mapping[str, _Variable], loops: int) -> int:
        source = sum(self.estimate(child, scope, loops) for child in outer_children(node))
        is_loop, is_path = node.name not in _WITHOUT_LOOP, all(map(_is_path, outer_children(node)))
        is_joined = (is_loop and not is_path) or any(_is_joined(child, scope) for child in outer_children(node))
        reads = any(part.kind == "name" for child in outer_children(node) for part in walk(child))
        variable = _Variable(source if reads else 0, is_loop and is_path, is_joined and reads)
        within = {**scope, **dict.fromkeys(bound_variables(node), variable)}
        inside = loops + is_loop
        self.units["pair", inside, False] += MACRO_PAIR * (node.name in _PAIRING)
        results = [self.estimate(child, within, inside) for child in inner_children(node)]
        return source if node.name == "filter" else results[-1] if results else source

    def _without_macro(self, node: Node, scope: Mapping[str, _Variable], loops: int) -> int:
        if node.kind == "name":
            return scope[node.name].growth if node.name in scope else 1
        parts = [self.estimate(child, scope, loops) for child in node.children]
        if node.kind in ("call", "operator"):
            self._add_call(node, parts, scope, loops)
        match node.kind, node.name:
            case "select" | "index", _:
                return parts[0]
            case "conditional", _:
                return max(parts)
            case "call", "join" if node.receiver:
                growth = _replacement_growth(None, node.children[1], parts[1]) if len(parts) > 1 else 1
                return parts[0] * growth
            case "call", "replace" if node.receiver:
                growth = _replacement_growth(node.children[1], node.children[2], parts[2]) if len(parts) > 2 else 1
                return parts[0] * growth
            case "call", "quote":
                return 2 * _sum_estimates(node.children, parts)
            case "call", "range":
                return 1 if all(_is_small(argument) for argument in node.arguments) else MAX_GROWTH + 1
        return _sum_estimates(node.children, parts)

    def _add_call(self, node: Node, parts: Sequence[int], scope: Mapping[str, _Variable], loops: int) -> None:
        """Add the work of a call or operator on texts and lists."""
        if node.name == "range":
            self.units["time", loops, False] += ITEM * _own_items(node)
        if node.name == "matches" and node.children:
            self.units["time", loops, False] += _pattern_work(node.children[-1].value)
        weight = TEXT_WORK.get(node.name, OTHER_TEXT_WORK)
        is_pairing = node.name in _PAIRING or (node.name == "contains" and node.children[0].name == "sets")
        for child, growth in zip(node.children, parts, strict=True):
            is_library = child.kind == "name" and child.name in namespace_functions("policies")
            names = [part.name for part in walk(child) if part.kind == "name"]
            is_written_out = all(name in scope and not scope[name].growth for name in names)
            if child.type in _SMALL or is_library or is_written_out:
                continue
            is_item = all(name in scope and scope[name].is_item for name in names)
            unit = "text" if child.type == "string" and not _is_joined(child, scope) else "list"
            self.units[unit, loops + _repetitions(child), is_item] += weight * growth
            self.units["pair", loops + 1, False] += PAIR * growth * is_pairing


def _sum_estimates(nodes: Iterable[Node], parts: Iterable[int]) -> int:
    """The measure of several parts side by side; what is written out is not larger than the text it is written in."""
    return sum(times for node, times in zip(nodes, parts, strict=True) if node.kind != "literal")


def _replacement_growth(needle: Node | None, text: Node, times: int) -> int:
    """How many times as long a text becomes where `text` replaces each `needle`, or between all items."""
    put, replaced = text.value, "" if needle is None else needle.value
    if not isinstance(put, str) or not isinstance(replaced, str):
        return UNKNOWN_GROWTH * times
    return -(-len(put) // len(replaced)) if replaced else 1 + len(put)


def _is_small(number: Node) -> bool:
    """Whether a number is no more than LONGEST_RANGE, or the size of something, or made of such."""
    if number.kind == "literal":
        return isinstance(number.value, int) and number.value <= MAX_RANGE
    if number.kind == "operator" and number.name in ("+", "-"):
        return all(_is_small(child) for child in number.children)
    return number.kind == "call" and number.name == "size"


def _own_items(node: Node) -> int:
    """The items of a list that a part makes: as it is written out, or as many as there may be."""
    if node.kind == "call" and node.name in ("range", "flatten"):
        count = node.arguments[0].value if node.arguments else None
        return count if isinstance(count, int) and 0 < count < MAX_RANGE else MAX_RANGE
    return len(node.children) if node.kind == "list" else 1


def _is_path(node: Node) -> bool:
    """Whether a part is a variable or a field of one, whose items are parts of what is read."""
    while node.kind in ("select", "index") or (node.kind == "call" and node.name in ("texts", "split", "filter")):
        node = node.children[0]
    return node.kind == "name"


def _pattern_work(pattern: object) -> int:
    """The work of compiling a regular expression, each time that it is matched: what it repeats is compiled anew."""
    if not isinstance(pattern, str):
        return MAX_PATTERN_WORK
    times = prod(map(int, REPETITION.findall(pattern)))
    return min(MIN_PATTERN_WORK + 10 * len(pattern) * times, MAX_PATTERN_WORK)


def _is_joined(node: Node, scope: Mapping[str, _Variable]) -> bool:
    """Whether a part may be a text of many that are read."""
    return any(part.name == "join" or (part.name in scope and scope[part.name].is_joined) for part in walk(node))


def _repetitions(node: Node) -> int:
    """How many macros in a part make lists of what they read outside of the items that they go through."""
    macros = [part for part in walk(node) if is_macro(part) and part.name in ("map", "transformList")]
    return sum(
        any(part.kind == "name" and part.name not in bound_variables(macro) for part in walk(child))
        for macro in macros
        for child in inner_children(macro)
    )
