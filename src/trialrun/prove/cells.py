"""Kinds of order lines: items that no condition tells apart, with their modifiers and an interval of quantities.

An order is how many lines of each kind there are, and how many of the item they have together. Lines that are equal are
joined by the session, so an item without modifiers has one line at most; with modifiers there may be any number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import lcm
from typing import Any

import z3

from trialrun.prove.money import first_change
from trialrun.prove.parts import (
    LinePart,
    asks_pairs,
    is_monotone,
    is_quantity,
    quantity_uses,
    reads_sets_of_modifiers,
)
from trialrun.prove.reads import FIRST, ITEMS, Reader, Unsupported, literal_integer
from trialrun.prove.truth import sum_of
from trialrun.prove.verdict import Situation
from trialrun.runtime.channel_config.menu import Item, Modifier, OrderLineItem
from trialrun.runtime.channel_config.session.actions import MAX_QUANTITY, OrderLine, plain_line
from trialrun.runtime.channel_config.session.cel_state import replace_surrogates
from trialrun.runtime.channel_config.session.client_values import coerce_value
from trialrun.runtime.channel_config.session.condition_items import ConditionItems, pattern_matches
from trialrun.values.cel import CelError, Node
from trialrun.values.cel.batch import compile_expression
from trialrun.values.cel.evaluate import evaluate_expression, prepare_value
from trialrun.values.cel.syntax_tree import is_macro, walk

MAX_MODIFIER_KINDS, MAX_SPANS, MAX_STEP, MAX_CELLS = 6, 40, 12, 6000
_PATTERNS = ("startsWith", "endsWith", "contains", "matches")
Span = tuple[int, int]
Kind = tuple[Modifier, ...]
Results = Mapping[frozenset[Kind], tuple[tuple[Any, ...], ...]]
"""What all parts come to for the lines of an item: by the kinds of its modifiers, of each span of quantities."""


@dataclass(slots=True, eq=False)
class Cell:
    """A kind of order line. `items` are alike; quantities are `low`, `low + step` … `high`.

    `modifiers` are those that conditions ask for; others of the item make no difference, `spare` is a kind of them.
    `is_vague` is a line with modifiers that nothing is known about, `is_open` an item that the menu does not list.
    """

    items: tuple[Item, ...]
    modifiers: tuple[Kind, ...]
    spare: Kind
    low: int
    high: int
    step: int
    is_vague: bool
    is_open: bool
    number: int
    plain: Any
    lines: z3.ArithRef
    quantity: z3.ArithRef
    is_present: z3.BoolRef

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
            if part.reads("modifierGroups")
            for node in walk(part.node)
        )
        of_modifiers = [part.node for part in parts if part.reads("modifierGroups")]
        self._are_groups_alike = all(map(asks_pairs, of_modifiers))
        exact = [part for part in parts if part.is_exact]
        self._can_drop_kinds = all(map(reads_sets_of_modifiers, of_modifiers)) and not any(
            part.reads("modifierGroups") for part in exact
        )
        self._can_join_spans = self.step == 1 and all(
            part.text in self.safe and part not in exact for part in parts if part.reads("quantity")
        )
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
                for node in quantity_uses(part.node):
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
            plain = sum(map(is_quantity, walk(node)))
            if None in periods or 0 in periods or plain != sum(is_quantity(each.children[0]) for each in remainders):
                raise Unsupported("a remainder of what is computed of a quantity")
            return {1}, lcm(*(abs(period or 1) for period in periods))
        if node.name == "in":
            numbers = [literal_integer(each) for each in node.children[1].children]
            if not is_quantity(node.children[0]) or None in numbers or node.children[1].kind != "list":
                raise Unsupported("a quantity in what is computed")
            around = {(number or 0) + after for number in numbers for after in (0, 1)}
            return {cut for cut in around if 1 < cut <= MAX_QUANTITY}, 1
        if not is_monotone(node, is_quantity):
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
        alike: dict[tuple[Any, ...], tuple[list[Item], Results]] = {}
        for item in items:
            kinds = self._modifier_kinds(item)
            subsets = [each for size in range(len(kinds) + 1) for each in combinations(kinds, size)]
            results = {
                frozenset(subset): tuple(tuple(self._results(item, subset, low)) for low, _ in self.spans)
                for subset in subsets
            }
            found = alike.setdefault((*self._profile(item, kinds), *results.values()), ([], results))
            found[0].append(item)
        for group, of_group in alike.values():
            self._add_cells(tuple(group), of_group)
        if not menu.lists_items:
            for span in self.spans:
                self._add((Item("", "", 0.0),), (), span, is_open=True)

    def _add_cells(self, items: tuple[Item, ...], results: Results) -> None:
        """The cells of items that are alike, without modifiers and quantities that make no difference for them."""
        read = self._modifier_kinds(items[0])
        kinds = [kind for kind in read if not self._can_drop_kinds or _makes_a_difference(kind, results)]
        is_vague = self.reads_modifiers and self._is_vague(items[0])
        others = [kind for kind in self._all_kinds(items[0]) if kind not in kinds and not is_vague]
        spare = others[0] if others else ()
        spans = self._joined_spans(results) if self._can_join_spans else self.spans
        is_joined = not spare and (self.reads_modifiers or not self.can_have_modifiers(items[0]))
        for subset in (each for size in range(len(kinds) + 1) for each in combinations(kinds, size)):
            of_subset = [self._add(items, subset, span, spare=spare) for span in spans]
            if is_joined and not subset:
                self.facts.append(sum_of([cell.lines for cell in of_subset]) <= len(items))
        for span in spans if is_vague else ():
            self._add(items, (), span, is_vague=True)

    def _joined_spans(self, results: Results) -> list[Span]:
        """The spans of quantities, those that follow one another as one where no part comes to anything else."""
        found: list[Span] = []
        for number, (low, high) in enumerate(self.spans):
            if number and all(of_spans[number] == of_spans[number - 1] for of_spans in results.values()):
                found[-1] = (found[-1][0], high)
            else:
                found.append((low, high))
        return found

    def _add(
        self,
        items: tuple[Item, ...],
        modifiers: tuple[Kind, ...],
        span: Span,
        *,
        spare: Kind = (),
        is_vague: bool = False,
        is_open: bool = False,
    ) -> Cell:
        number, (low, high) = len(self.cells), span
        if number >= MAX_CELLS:
            raise Unsupported("more kinds of order lines than are told apart")
        lines, quantity = z3.Int(f"lines {number}"), z3.Int(f"quantity {number}")
        plain = self._plain(OrderLineItem(items[0], low, tuple(each[0] for each in modifiers)))
        step = self.step if low < high else 1
        cell = Cell(
            items, modifiers, spare, low, high, step, is_vague, is_open, number, plain, lines, quantity, lines > 0
        )
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

    def _modifier_kinds(self, item: Item) -> Sequence[Kind]:
        """The modifiers of an item by what conditions tell apart; none where they are not read or too many."""
        return () if not self.reads_modifiers or self._is_vague(item) else self._all_kinds(item)

    def _all_kinds(self, item: Item) -> Sequence[Kind]:
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

    def _profile(self, item: Item, kinds: Sequence[Kind]) -> tuple[Any, ...]:
        """What conditions tell apart of an item beside what the parts come to for its lines."""
        found: list[Any] = [self.can_have_modifiers(item), len(kinds), self.reads_modifiers and self._is_vague(item)]
        if self.with_prices:
            found += [item.price, item in self.unpriced]
        found += [items.mentions(item) for items in self.named_items]
        for part in self.parts:
            for fields in part.fields.values():
                if "basePrice" in fields:
                    found.append(item in self.unpriced)
                if part.is_exact or "*" in fields:
                    found.append((item.name, item.id, item.price) if "*" in fields else self._own(item, fields))
        return tuple(found)

    def _own(self, item: Item, fields: frozenset[str]) -> tuple[str, ...]:
        """The values of fields that are the same in all lines of an item."""
        plain = self._values.get((id(item),)) or self._values.setdefault((id(item),), self._plain(OrderLineItem(item)))
        return tuple(repr(plain.get(field)) for field in sorted(fields - {"quantity", "modifierGroups", "uid", "*"}))

    def _results(self, item: Item, subset: tuple[Kind, ...], low: int) -> Iterator[Any]:
        """What the engine says of each part for a line."""
        for part in self.parts:
            for variable, fields in part.fields.items():
                if part.is_exact or "*" in fields:
                    continue
                modifiers = tuple(kind[0] for kind in subset) if "modifierGroups" in fields else ()
                quantity = low if "quantity" in fields and part.text in self.safe else 1
                key = part.text, self._own(item, fields), quantity, modifiers
                if key not in self._values:
                    line = self._plain(OrderLineItem(item, quantity, modifiers))
                    self._values[key] = (evaluate(part.text, {variable: line}),)
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


def _makes_a_difference(kind: Kind, results: Results) -> bool:
    """Whether some part comes to anything else for a line with a modifier of a kind than for the same without it."""
    return any(of_spans != results[subset - {kind}] for subset, of_spans in results.items() if kind in subset)


def scope_of(fields: frozenset[tuple[str, str]]) -> set[str]:
    """The variables whose fields are read."""
    return {variable for variable, _ in fields}
