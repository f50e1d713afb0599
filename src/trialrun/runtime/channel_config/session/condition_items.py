"""The menu items that a condition names: by texts that it compares, patterns that it matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trialrun.values.cel import CelError, Node
from trialrun.values.cel.batch import compile_expression
from trialrun.values.cel.environment import plain_engine
from trialrun.values.cel.evaluate import evaluate_expression
from trialrun.values.cel.syntax_tree import bound_variables, inner_children, is_macro, outer_children

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import Item
    from trialrun.runtime.channel_config.session.actions import OrderLine

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
