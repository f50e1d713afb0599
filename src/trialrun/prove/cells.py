"""Kinds of order lines: items that no condition tells apart, with their modifiers and an interval of quantities.

An order is how many lines of each kind there are, and how many of the item they have together. Lines that are equal are
joined by the session, so an item without modifiers has one line at most; with modifiers there may be any number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import lcm
from typing import Any

import z3

from trialrun.lazy_dataclass import dataclass
from trialrun.prove.money import first_change
from trialrun.prove.reads import COMPARISONS, FIRST, ITEMS, Reader, Unsupported, literal_integer
from trialrun.prove.truth import sum_of
from trialrun.prove.verdict import Situation
from trialrun.runtime.channel_config.menu import Item, Modifier, OrderLineItem
from trialrun.runtime.channel_config.session.actions import MAX_QUANTITY, OrderLine, plain_line
from trialrun.runtime.channel_config.session.cel_state import replace_surrogates
from trialrun.runtime.channel_config.session.client_values import coerce_value
from trialrun.runtime.channel_config.session.condition import ConditionItems, pattern_matches
from trialrun.values.cel import CelError, Node
from trialrun.values.cel.batch import compile_expression
from trialrun.values.cel.evaluate import evaluate_expression, prepare_value
from trialrun.values.cel.syntax_tree import is_macro, walk

MAX_MODIFIER_KINDS, MAX_SPANS, MAX_STEP, MAX_CELLS = 6, 40, 12, 6000
_PATTERNS = ("startsWith", "endsWith", "contains", "matches")
_MODIFIER_PARTS = ("modifierGroups", "modifiers")
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LinePart:
    """A largest part that reads order lines alone: its text, and the fields that it reads of each variable.

    `is_exact` is one that also reads the state or several lines: items are told apart by what it reads. Where
    quantities or modifiers are used otherwise than by intervals and sets, lines of one kind may differ in it.
    """

    text: str
    node: Node
    fields: Mapping[str, frozenset[str]]
    is_exact: bool
    source: str


@dataclass(slots=True, eq=False)
class Cell:
    """A kind of order line. `items` are alike; quantities are `low`, `low + step` … `high`.

    `is_vague` is a line with modifiers that nothing is known about, `is_open` an item that the menu does not list.
    """

    items: tuple[Item, ...]
    modifiers: tuple[tuple[Modifier, ...], ...]
    low: int
    high: int
    step: int
    is_vague: bool
    is_open: bool
    number: int
    plain: Any
    lines: z3.ArithRef
    quantity: z3.ArithRef

    @property
    def item(self) -> Item:
        """The item that stands for all that are alike."""
        return self.items[0]


def evaluate(text: str, variables: Mapping[str, Any]) -> Any:
    """The value of a part for plain values of its variables; None if it fails. `FIRST` stands for a whole order."""
    if FIRST in variables:
        others = {name: value for name, value in variables.items() if name != FIRST}
        variables = {**others, "order": {"items": [variables[FIRST]]}}
    try:
        return evaluate_expression(compile_expression(text, tuple(variables)), data=dict(variables))
    except CelError:
        return None


class Cells:
    """The kinds of lines that the parts of some conditions tell apart."""

    def __init__(
        self,
        situation: Situation,
        reader: Reader,
        parts: Sequence[LinePart],
        *,
        with_prices: bool,
        named_items: Sequence[ConditionItems] = (),
    ) -> None:
        self.situation, self.reader, self.parts = situation, reader, parts
        self.with_prices, self.named_items = with_prices, named_items
        self.unpriced = situation.unpriced
        """The items whose price nothing says, those that no menu lists among them."""
        self.safe: set[str] = set()
        """Texts of parts whose use of quantities follows from the intervals."""
        self.step, self.spans = 1, [(1, MAX_QUANTITY)]
        self._split_quantities()
        fields = {field for part in parts for of_variable in part.fields.values() for field in of_variable}
        self.reads_modifiers = "modifierGroups" in fields or "*" in fields
        nodes = [node for part in parts for node in walk(part.node)]
        self._literals = list(dict.fromkeys(node.value for node in nodes if isinstance(node.value, str)))
        self._functions = sorted({node.name for node in nodes if node.kind == "call" and node.name in _PATTERNS})
        self._are_texts_exact = any(
            (node.kind == "operator" and node.name in ("<", "<=", ">", ">=", "+"))
            or (node.kind == "call" and not is_macro(node) and node.name not in (*_PATTERNS, "has"))
            for part in parts
            if any("modifierGroups" in each for each in part.fields.values())
            for node in walk(part.node)
        )
        of_modifiers = [part.node for part in parts if any("modifierGroups" in each for each in part.fields.values())]
        self._are_groups_alike = all(map(asks_pairs, of_modifiers))
        self._values: dict[tuple[Any, ...], Any] = {}
        self.cells: list[Cell] = []
        self.facts: list[z3.BoolRef] = []
        self._build()

    # quantities

    def _split_quantities(self) -> None:
        """Cut quantities where a comparison changes; a part that computes something else with them is not safe."""
        cuts, step = {1}, 1
        for part in self.parts:
            try:
                of_part, of_step = {1}, 1
                for node in _quantity_uses(part.node):
                    more, period = self._cuts(part, node)
                    of_part, of_step = of_part | more, lcm(of_step, period)
            except Unsupported:
                continue
            if len(cuts | of_part) <= MAX_SPANS and lcm(step, of_step) <= MAX_STEP:
                cuts, step = cuts | of_part, lcm(step, of_step)
                self.safe.add(part.text)
        ordered = sorted(cuts)
        spans = zip(ordered, [*(cut - 1 for cut in ordered[1:]), MAX_QUANTITY], strict=True)
        self.step = step
        self.spans = [
            (low + offset, high - (high - low - offset) % step)
            for low, high in spans
            for offset in range(step)
            if low + offset <= high
        ]

    def _cuts(self, part: LinePart, node: Node) -> tuple[set[int], int]:
        """Where a comparison of a quantity changes, and its period. Raises Unsupported."""
        reads = self.reader.reads(node, frozenset(part.fields))
        variables = {variable for variable, _ in reads.fields}
        if not reads.is_ground or {field for _, field in reads.fields} != {"quantity"} or len(variables) != 1:
            raise Unsupported("a quantity beside other values")
        (variable,) = variables
        if self.reader.type_of((*ITEMS, "*", "quantity")).name != "int":
            raise Unsupported("a quantity that is no int")
        remainders = [each for each in walk(node) if each.kind == "operator" and each.name == "%"]
        if remainders:
            periods = [literal_integer(each.children[-1]) for each in remainders]
            plain = sum(map(_is_quantity, walk(node)))
            if None in periods or 0 in periods or plain != sum(_is_quantity(each.children[0]) for each in remainders):
                raise Unsupported("a remainder of what is computed of a quantity")
            return {1}, lcm(*(abs(period or 1) for period in periods))
        if node.name == "in":
            numbers = [literal_integer(each) for each in node.children[1].children]
            if not _is_quantity(node.children[0]) or None in numbers or node.children[1].kind != "list":
                raise Unsupported("a quantity in what is computed")
            around = {(number or 0) + after for number in numbers for after in (0, 1)}
            return {cut for cut in around if 1 < cut <= MAX_QUANTITY}, 1
        if not is_monotone(node, _is_quantity):
            raise Unsupported("what is computed of a quantity")
        sides = [f"({part.source[child.start : child.end]}\n)" for child in node.children]
        relations = ("<=", ">=") if node.name in ("==", "!=") else (node.name,)
        cuts = set()
        for relation in relations:
            holds = partial(self._holds, f"{sides[0]} {relation} {sides[1]}", variable)
            if (change := first_change(holds, 1, MAX_QUANTITY)) is not None:
                cuts.add(change)
        return cuts, 1

    @staticmethod
    def _holds(text: str, variable: str, quantity: int) -> bool | None:
        value = evaluate(text, {variable: {"quantity": quantity}})
        return value if isinstance(value, bool) else None

    # items

    def _build(self) -> None:
        menu = self.situation.menu
        items = [item for item in (*menu.items, *menu.elsewhere) if item.name or item.id]
        if not menu.lists_items:
            known = {item.name for item in items}
            unlisted = [Item(text, "", 0.0) for text in self._literals if text and text not in known]
            items, self.unpriced = [*items, *unlisted], self.unpriced | set(unlisted)
        alike: dict[tuple[Any, ...], tuple[list[Item], list[tuple[tuple[Modifier, ...], ...]]]] = {}
        for item in items:
            kinds = self._modifier_kinds(item)
            subsets = [tuple(each) for size in range(len(kinds) + 1) for each in combinations(kinds, size)]
            found = alike.setdefault(self._profile(item, kinds, subsets), ([], subsets))
            found[0].append(item)
        for group, subsets in alike.values():
            self._add_cells(tuple(group), subsets)
        if not menu.lists_items:
            for span in self.spans:
                self._add(Cell, (Item("", "", 0.0),), (), span, is_open=True)

    def _add_cells(self, items: tuple[Item, ...], subsets: Sequence[tuple[tuple[Modifier, ...], ...]]) -> None:
        is_joined = not self.can_have_modifiers(items[0]) or self.reads_modifiers
        for subset in subsets:
            of_subset = [self._add(Cell, items, subset, span) for span in self.spans]
            if is_joined and not subset:
                self.facts.append(sum_of([cell.lines for cell in of_subset]) <= len(items))
        if self.reads_modifiers and self._is_vague(items[0]):
            for span in self.spans:
                self._add(Cell, items, (), span, is_vague=True)

    def _add(
        self,
        kind: type[Cell],
        items: tuple[Item, ...],
        modifiers: tuple[tuple[Modifier, ...], ...],
        span: Span,
        *,
        is_vague: bool = False,
        is_open: bool = False,
    ) -> Cell:
        number, (low, high) = len(self.cells), span
        if number >= MAX_CELLS:
            raise Unsupported("more kinds of order lines than are told apart")
        lines, quantity = z3.Int(f"lines {number}"), z3.Int(f"quantity {number}")
        plain = self._plain(OrderLineItem(items[0], low, tuple(each[0] for each in modifiers)))
        step = self.step if low < high else 1
        cell = kind(items, modifiers, low, high, step, is_vague, is_open, number, plain, lines, quantity)
        self.facts += [lines >= 0, quantity >= low * lines, quantity <= high * lines]
        if step > 1:
            steps = z3.Int(f"steps {number}")
            self.facts.append(quantity == low * lines + step * steps)
        self.cells.append(cell)
        return cell

    def _plain(self, line: OrderLineItem) -> Any:
        if not self.reader.is_kept(ITEMS):
            return {}
        type_ = self.reader.kept["order"]["items"].parameters[0]
        schema = self.situation.schema
        plain = coerce_value(replace_surrogates(plain_line(OrderLine("line-1", line))), type_, schema)
        return prepare_value(plain, type_, schema, ("item",))

    def can_have_modifiers(self, item: Item) -> bool:
        """Whether a line of an item may have modifiers, so that the order may have several lines of it."""
        return bool(item.modifiers) or self.situation.menu.takes_any_modifier(item)

    def _is_vague(self, item: Item) -> bool:
        too_many = len(self._all_kinds(item)) > MAX_MODIFIER_KINDS
        return too_many or self.situation.menu.takes_any_modifier(item)

    def _modifier_kinds(self, item: Item) -> Sequence[tuple[Modifier, ...]]:
        """The modifiers of an item by what conditions tell apart; none where they are not read or too many."""
        return () if not self.reads_modifiers or self._is_vague(item) else self._all_kinds(item)

    def _all_kinds(self, item: Item) -> Sequence[tuple[Modifier, ...]]:
        kinds: dict[tuple[Any, ...], list[Modifier]] = {}
        for modifier in item.modifiers:
            texts = self._signature(modifier.name), self._signature(modifier.id)
            group: tuple[Any, ...] = modifier.group_id, modifier.group
            if self._are_groups_alike:
                group = tuple(map(self._signature, group))
            kinds.setdefault((*group, *texts), []).append(modifier)
        return [tuple(kind) for kind in kinds.values()]

    def _signature(self, text: str) -> Any:
        if self._are_texts_exact:
            return text
        key = "signature", text
        if key not in self._values:
            equal = tuple(text == literal for literal in self._literals)
            patterns = (pattern_matches(name, each, text) for name in self._functions for each in self._literals)
            self._values[key] = equal, tuple(patterns)
        return self._values[key]

    def _profile(
        self, item: Item, kinds: Sequence[tuple[Modifier, ...]], subsets: Sequence[tuple[tuple[Modifier, ...], ...]]
    ) -> tuple[Any, ...]:
        """What conditions tell apart of an item: the values of all parts for its lines."""
        found: list[Any] = [self.can_have_modifiers(item), len(kinds), self.reads_modifiers and self._is_vague(item)]
        if self.with_prices:
            found += [item.price, item in self.unpriced]
        found += [items.mentions(item) for items in self.named_items]
        for part in self.parts:
            for variable, fields in part.fields.items():
                found += self._components(part, variable, fields, item, subsets)
        return tuple(found)

    def _components(
        self,
        part: LinePart,
        variable: str,
        fields: frozenset[str],
        item: Item,
        subsets: Sequence[tuple[tuple[Modifier, ...], ...]],
    ) -> Iterator[Any]:
        plain = self._values.get((id(item),)) or self._values.setdefault((id(item),), self._plain(OrderLineItem(item)))
        own = tuple(repr(plain.get(field)) for field in sorted(fields - {"quantity", "modifierGroups", "uid", "*"}))
        if "basePrice" in fields:
            yield item in self.unpriced
        if part.is_exact or "*" in fields:
            yield own if "*" not in fields else (item.name, item.id, item.price)
            return
        chosen = subsets if "modifierGroups" in fields else subsets[:1]
        spans = self.spans if "quantity" in fields and part.text in self.safe else self.spans[:1]
        for subset in chosen:
            for low, _ in spans:
                key = part.text, own, low, tuple(kind[0] for kind in subset)
                if key not in self._values:
                    line = OrderLineItem(item, low, tuple(kind[0] for kind in subset))
                    self._values[key] = (evaluate(part.text, {variable: self._plain(line)}),)
                yield self._values[key][0]

    def is_uncertain(
        self, part: Node, text: str, fields: frozenset[tuple[str, str]], scope: Mapping[str, Cell]
    ) -> bool:
        """Whether lines of the cells may differ in a part, or nothing is known about it."""
        for variable, field in fields:
            cell = scope[variable]
            if cell.is_open or field in ("*", "uid"):
                return True
            if field == "quantity" and cell.low < cell.high and (text not in self.safe or len(scope_of(fields)) > 1):
                return True
            is_set = field != "modifierGroups" or reads_sets_of_modifiers(part)
            if field == "modifierGroups" and (cell.is_vague or (cell.modifiers and not is_set)):
                return True
            if field == "basePrice" and cell.item in self.unpriced:
                return True
        return False


def scope_of(fields: frozenset[tuple[str, str]]) -> set[str]:
    """The variables whose fields are read."""
    return {variable for variable, _ in fields}


def _is_quantity(node: Node) -> bool:
    return node.kind == "select" and node.name == "quantity" and node.children[0].kind in ("name", "index")


def _quantity_uses(node: Node) -> Iterator[Node]:
    """The comparisons within a part that quantities are in. Raises Unsupported where one is in something else."""
    if not any(map(_is_quantity, walk(node))):
        return
    if node.kind == "operator" and node.name in (*COMPARISONS, "in"):
        yield node
    elif (node.kind == "operator" and node.name in ("&&", "||", "!", "!!")) or node.kind == "conditional":
        for child in node.children:
            yield from _quantity_uses(child)
    else:
        raise Unsupported("a quantity that is not compared")


def is_monotone(node: Node, is_value: Any) -> bool:
    """Whether a comparison has a value once, under what only grows or only falls with it."""
    if node.kind != "operator" or node.name not in COMPARISONS or sum(map(is_value, walk(node))) != 1:
        return False
    return all(_grows_or_falls(child, is_value) for child in node.children)


def _grows_or_falls(node: Node, is_value: Any) -> bool:
    if is_value(node) or not any(map(is_value, walk(node))):
        return True
    if node.kind == "call" and not node.receiver and node.name in ("double", "int") and len(node.children) == 1:
        return _grows_or_falls(node.children[0], is_value)
    if node.kind != "operator" or node.name not in ("+", "-", "*", "/"):
        return False
    if node.name == "/" and any(map(is_value, walk(node.children[-1]))):
        return False
    return all(_grows_or_falls(child, is_value) for child in node.children)


def reads_sets_of_modifiers(node: Node, members: frozenset[str] = frozenset()) -> bool:
    """Whether a part asks only which modifiers a line has, and neither how many nor in which order.

    `members` are the variables of groups and modifiers around it.
    """
    if node.kind == "select":
        if node.name in _MODIFIER_PARTS or (node.name == "quantity" and node.children[0].name in members):
            return False
        return node.children[0].kind == "name" or reads_sets_of_modifiers(node.children[0], members)
    if node.kind == "name":
        return node.name not in members
    if is_macro(node):
        return node.name in ("exists", "all") and _is_set_macro(node, members)
    if node.kind == "operator" and node.name in COMPARISONS:
        sizes = [child for child in node.children if child.kind == "call" and child.name == "size"]
        zero = any(literal_integer(child) == 0 for child in node.children)
        if len(sizes) == 1 and zero and _is_modifier_list(sizes[0].children[0], members):
            return True
    return all(reads_sets_of_modifiers(child, members) for child in node.children)


def asks_pairs(node: Node) -> bool:
    """Whether a part asks only for groups with one of their modifiers, so that groups need not be told apart.

    `all` within `exists`, two modifiers of one group, and the like ask for more.
    """
    macros = [each for each in walk(node) if is_macro(each)]
    for macro in macros:
        outer = macro.children[0]
        if outer.kind == "select" and outer.name == "modifierGroups":
            inner = [each for each in walk(macro.arguments[-1]) if is_macro(each)]
            if len(inner) > 1 or any(each.name != macro.name for each in inner):
                return False
            if inner and not _is_under_logic(macro.arguments[-1], inner[0]):
                return False
        elif outer.kind != "select" or outer.name != "modifiers":
            return False
    return not any(_is_size(each) for each in walk(node) if each.kind != "name") or len(macros) < 2


def _is_size(node: Node) -> bool:
    return node.kind == "call" and node.name == "size"


def _is_under_logic(node: Node, inner: Node) -> bool:
    """Whether a quantifier stands under `&&` and `||` alone."""
    if node is inner or inner not in walk(node):
        return True
    is_logic = node.kind == "operator" and node.name in ("&&", "||")
    return is_logic and all(_is_under_logic(child, inner) for child in node.children)


def _is_set_macro(node: Node, members: frozenset[str]) -> bool:
    if len(node.arguments) != 2 or not _is_modifier_list(node.children[0], members):
        return False
    return reads_sets_of_modifiers(node.arguments[1], members | {node.arguments[0].name})


def _is_modifier_list(node: Node, members: frozenset[str]) -> bool:
    """Whether a part is a list of modifiers or groups, or a filter of one."""
    if is_macro(node):
        return node.name == "filter" and _is_set_macro(node, members)
    return node.kind == "select" and node.name in _MODIFIER_PARTS and node.children[0].kind == "name"
