"""Conditions of CEL upsells: compiled once, evaluated on the state of a turn, and the items that they name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.menu import Item
from trialrun.runtime.channel_config.session.actions import OrderLine
from trialrun.runtime.channel_config.session.turn import EvaluatedCondition
from trialrun.values.cel import CelError, Node, Program, Subexpression
from trialrun.values.cel import compile as compiled
from trialrun.values.cel.batch import compile_expression
from trialrun.values.cel.cost import MAX_GROWTH, find_oversized
from trialrun.values.cel.environment import Activation, plain_engine
from trialrun.values.cel.evaluate import evaluate_expression
from trialrun.values.cel.syntax_tree import bound_variables, inner_children, is_macro, outer_children
from trialrun.values.cel.type_schema import Schema

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.active_config import Origin


PATTERN_FUNCTIONS = ("startsWith", "endsWith", "contains", "matches")
_VARIABLES = ("text", "pattern")


@dataclass(frozen=True, slots=True)
class ConditionItems:
    """The texts of a condition that may be names or ids of items, and the patterns that names or ids may fit.

    `cache` has the names and ids that were compared with them.
    """

    texts: frozenset[str]
    patterns: tuple[tuple[str, str], ...]
    cache: dict[tuple[str, str], bool] = field(default_factory=dict, compare=False, repr=False)

    def item_with_several(self, lines: Sequence[OrderLine]) -> tuple[str, int] | None:
        """The first item that the condition names of which the order has more than one, and how many on all lines."""
        quantities: Counter[str] = Counter()
        for line in lines:
            quantities[line.line_item.item.name] += line.line_item.quantity
        items = (line.line_item.item for line in lines if quantities[line.line_item.item.name] > 1)
        return next(((item.name, quantities[item.name]) for item in items if self.mentions(item)), None)

    def mentions(self, item: Item) -> bool:
        """Whether the condition names an item."""
        key = item.name, item.id
        if key not in self.cache:
            texts = list(filter(None, key))
            self.cache[key] = not self.texts.isdisjoint(texts) or any(
                pattern_matches(function, pattern, text) for text in texts for function, pattern in self.patterns
            )
        return self.cache[key]


def condition_items(tree: Node) -> ConditionItems:
    """The items that a condition names: by a literal, or by the literal of startsWith, endsWith, contains or matches.

    What is compared with a value of the session or of the order as a whole, such as a language, names no item, nor does
    what is under `!` or compared by `!=`.
    """
    literals = dict.fromkeys(_literals(tree, frozenset()))
    patterns = tuple((function, text) for function, text in literals if function)
    return ConditionItems(frozenset(text for function, text in literals if not function), patterns)


def _literals(node: Node, bound_names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The literals of a part, each with the function that compares names with it, empty for being equal."""
    if node.kind == "literal":
        yield from (("", node.value),) if isinstance(node.value, str) else ()
        return
    if node.kind == "operator" and node.name == "!":
        return  # an item that must not be in the order is not what an upsell is made from
    if _is_pattern_call(node) and not _is_single_value(node.children[0], bound_names):
        for argument in node.arguments:
            if isinstance(argument.value, str) and argument.value:
                yield node.name, argument.value
    for child, bound_in_child in _children(node, bound_names):
        yield from _literals(child, bound_in_child)


def _children(node: Node, bound_names: frozenset[str]) -> Iterator[tuple[Node, frozenset[str]]]:
    if is_macro(node):
        yield from ((child, bound_names) for child in outer_children(node))
        within = bound_names | set(bound_variables(node))
        yield from ((child, within) for child in inner_children(node))
        return
    of_single = node.kind == "operator" and (
        node.name == "!=" or any(_is_single_value(child, bound_names) for child in node.children)
    )
    for at, child in enumerate(node.children):
        is_argument = at > 0 and _is_pattern_call(node)
        is_key = node.kind == "index" and child.kind == "literal"
        if not (is_argument or is_key or (of_single and child.kind in ("literal", "list"))):
            yield child, bound_names


def _is_pattern_call(node: Node) -> bool:
    return node.kind == "call" and node.receiver and node.name in PATTERN_FUNCTIONS


def _is_single_value(node: Node, bound_names: frozenset[str]) -> bool:
    """Whether a part is one value of the session or the order, as `session.languageCode` is: no list, no item."""
    if node.kind != "select" and not (node.kind == "index" and node.children[1].kind == "literal"):
        return False
    while node.kind in ("select", "index"):
        if node.kind == "index" and not isinstance(node.children[1].value, str):
            return False
        node = node.children[0]
    return node.kind == "name" and node.name not in bound_names


def pattern_matches(function: str, pattern: str, text: str) -> bool:
    """Whether startsWith, endsWith, contains or matches with a pattern is true of a text."""
    match function:
        case "startsWith":
            return text.startswith(pattern)
        case "endsWith":
            return text.endswith(pattern)
        case "contains":
            return pattern in text
    try:  # a pattern of RE2, which the engine has; it takes no backtracking pattern to hang
        text.encode()
        activation = plain_engine(_VARIABLES).Activation(data={"text": text, "pattern": pattern})
        return evaluate_expression(compile_expression("text.matches(pattern)", _VARIABLES), activation) is True
    except (CelError, UnicodeEncodeError):
        return False


@dataclass(frozen=True, slots=True)
class InvalidCondition:
    """A condition that is never evaluated, and why."""

    error: str


@lru_cache(maxsize=4096)
def compile_condition(text: str, schema: Schema) -> Program | InvalidCondition:
    """A condition that can be evaluated; one that may fill the memory is none (`values/cel/cost.py`)."""
    try:
        program = compiled(text, schema=schema)
    except CelError as error:
        return InvalidCondition(f"the condition cannot be read: {error.message}")
    if find_oversized(program.tree):
        return InvalidCondition(
            f"the result of the condition may grow to more than {MAX_GROWTH} times its input; simplify it"
        )
    return program


EvaluationState = tuple[Activation, dict[str, Subexpression]]
"""The state of a turn as the engine takes it, and the parts of conditions that were computed on it."""


def evaluate_condition(
    program: Program | InvalidCondition, state: EvaluationState, *, upsell: UpsellConfig, origin: Origin
) -> EvaluatedCondition:
    """What a condition comes to on the state of a turn; an error is a value too."""
    activation, parts = state
    if isinstance(program, InvalidCondition):
        return EvaluatedCondition(upsell, None, program.error, origin, tuple)
    value, error = None, None
    try:
        result = program.value(activation)
        value = result if isinstance(result, bool) else None
        error = f"its result is {result!r}, not true or false" if value is None else None
    except CelError as failure:
        error = failure.message
    trace = partial(program.parts, activation, parts)
    return EvaluatedCondition(upsell, value, error, origin, trace, partial(_evaluate, activation, program.schema))


def _evaluate(activation: Activation, schema: Schema, text: str) -> bool | None:
    """What another text comes to on the state of a turn; None if it fails."""
    program = compile_condition(text, schema)
    if isinstance(program, InvalidCondition):
        return None
    try:
        value = program.value(activation)
    except CelError:
        return None
    return value if isinstance(value, bool) else None
