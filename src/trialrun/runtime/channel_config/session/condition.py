"""Conditions of CEL upsells: compiled once, and evaluated on the state of a turn.

The result of a condition is kept by what it reads: values of the state, the size of the order, and which of its
quantifiers over the lines (`exists`, `all`, `exists_one`) hold. These follow from what holds for each line alone, which
is kept too. A condition that reads anything else is evaluated in each turn.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from trialrun.runtime.channel_config.session.actions import OrderLine, OrderLines
from trialrun.runtime.channel_config.session.cel_state import ClientState, SessionValues, StateBuilder
from trialrun.values.cel import CelError, Node, Program, Subexpression
from trialrun.values.cel import compile as compiled
from trialrun.values.cel.batch import CheckBatch, SchemaEngine
from trialrun.values.cel.cost import MAX_GROWTH, find_oversized
from trialrun.values.cel.environment import Activation
from trialrun.values.cel.syntax_tree import COMPARISONS, is_macro, is_too_deep, walk
from trialrun.values.cel.type_schema import Schema, Type


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


class EvaluationState:
    """The state of a turn as the engine takes it, and the parts of conditions that were computed on it."""

    def __init__(self, values: Callable[[], dict[str, Any]], schema: Schema) -> None:
        self._values, self._schema = values, schema
        self._parts: dict[str, Subexpression] = {}

    @cached_property
    def _activation(self) -> Activation:
        return SchemaEngine(self._schema).activation(self._values())

    def parts(self, program: Program) -> tuple[Subexpression, ...]:
        """Every part of a condition with its value, outer parts first."""
        return program.parts(self._activation, self._parts)

    def value(self, text: str) -> bool | None:
        """What another condition comes to; None if it fails."""
        program = compile_condition(text, self._schema)
        if isinstance(program, InvalidCondition):
            return None
        try:
            value = program.value(self._activation)
        except CelError:
            return None
        return value if isinstance(value, bool) else None


QUANTIFIERS = ("exists", "all", "exists_one")
MAX_MACROS, MAX_LINES, MAX_MODIFIERS = 4, 30, 4
"""The engine ends an evaluation after 10,000 steps, also where each line alone takes fewer. These macros of a condition
take at most 30 * (1 + 4 + 4 * 4 + 4 * 4 * 4) steps for so many lines with so many modifiers, however they nest."""
MAX_KEPT, MAX_KEY_LENGTH = 8192, 500
"""For the memory: results that are kept for a store, lines too, and the characters of what a result follows from."""
ITEMS, SUBTOTAL = ("order", "items"), ("order", "subtotal")
Read = tuple[str, str, float | None]
"""A variable and its field; with a number, only how the value compares with it is read."""


class ConditionBatch:
    """The conditions of a store that read the state of one schema."""

    def __init__(self, programs: Sequence[Program], builder: StateBuilder) -> None:
        engine = SchemaEngine(builder.schema)
        self.builder = builder
        self._bits: dict[str, int] = {}  # of quantifiers, by text
        self._masks = dict.fromkeys(QUANTIFIERS, 0)  # the bits of those of a name
        self._inputs = [self._inputs_of(program) for program in programs]
        self._batch = CheckBatch([program.text for program in programs], engine)
        self._line_batch = CheckBatch(list(self._bits), engine)
        self._kept: dict[Hashable, tuple[str | None, ...]] = {}  # the failure of a condition, if it fails
        self._kept_lines: dict[Hashable, int | None] = {}

    def _inputs_of(self, program: Program) -> tuple[int, Sequence[Read]] | None:
        """What the result of a condition follows from: quantifiers, as bits, and values; None if that is not all."""
        if is_too_deep(program.tree) or sum(map(is_macro, walk(program.tree))) > MAX_MACROS:
            return None
        bits, reads = 0, list[Read]()
        for read in _inputs(program.tree, self.builder.kept):
            if read is None:
                return None
            if isinstance(read, tuple):
                reads.append(read)
                continue
            bit = self._bits.setdefault(program.text[read.start : read.end], 1 << len(self._bits))
            self._masks[read.name] |= bit
            bits |= bit
        return bits, reads

    def failed_checks(self, values: SessionValues, lines: OrderLines, sent: ClientState) -> dict[int, str | None]:
        """The conditions that are false in a turn, by number, and those that cannot be evaluated, with the error."""
        base, holding = self.builder.prepared_base(sent), self._holding(lines)
        values["order"]["items"] = len(lines)  # all that is read of them beside quantifiers
        failed: dict[int, str | None] = {}
        missing: dict[int, Hashable] = {}
        for index, inputs in enumerate(self._inputs):
            key = None
            if inputs and holding is not None:
                key = index, holding & inputs[0], *[self._input(values, base, *read) for read in inputs[1]]
            if (kept := self._kept.get(key)) is None:
                missing[index] = key
            elif kept:
                failed[index] = kept[0]
        if missing:
            known = set(range(len(self._inputs))) - missing.keys()
            failed |= self._batch.failed_checks(self.builder.prepare(values, lines, sent), known)
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            for index, asked in missing.items():
                if asked and len(repr(asked)) <= MAX_KEY_LENGTH:
                    self._kept[asked] = (failed[index],) if index in failed else ()
        return failed

    def _input(
        self, values: SessionValues, base: dict[str, Any], root: str, field: str, number: float | None
    ) -> Hashable:
        """A value that a condition reads, in a form that is equal only for what the engine does not tell apart."""
        is_own = field in self.builder.kept[root]
        value = values[root][field] if is_own else (base.get(root) or {}).get(field, ...)
        return repr(value) if number is None else (value < number, value == number, value > number)

    def _holding(self, lines: OrderLines) -> int | None:
        """The quantifiers that hold for an order, as bits; None where they follow from more than each line alone."""
        some, every, several = 0, -1, 0
        for line in lines if self._bits else ():
            bits = self._holding_for(line)
            if bits is None or len(lines) > MAX_LINES:
                return None
            some, every, several = some | bits, every & bits, several | some & bits
        exists, all_, exists_one = self._masks.values()
        return some & exists | every & all_ | some & ~several & exists_one

    def _holding_for(self, line: OrderLine) -> int | None:
        """The quantifiers that hold for an order of this line; None if one fails, which another line may hide."""
        ordered, item = line.line_item, line.line_item.item
        key = item.id, item.name, repr(item.price), ordered.modifiers, ordered.quantity
        if key not in self._kept_lines:
            if len(self._kept_lines) >= MAX_KEPT:
                self._kept_lines.clear()
            failed = dict(self._line_batch.failed_checks({"order": {"items": [self.builder.prepared_line(line)]}}))
            is_known = set(failed.values()) <= {None} and len(ordered.modifiers) <= MAX_MODIFIERS
            holding = sum(1 << bit for bit in range(len(self._bits)) if bit not in failed)
            self._kept_lines[key] = holding if is_known else None
        return self._kept_lines[key]


def _inputs(node: Node, kept: Mapping[str, Mapping[str, Type]]) -> Iterator[Node | Read | None]:
    """What a part of a condition reads: quantifiers over lines, and values; None for anything else."""
    first, *others = node.children or (node,)
    path, of_order = _path(first), kept.get("order", ())
    is_of_items = path == ITEMS and "items" in of_order
    number = others[0].value if node.name in COMPARISONS and others and path == SUBTOTAL else None
    if is_macro(node):
        is_quantifier = is_of_items and _is_quantifier(node)
        yield node if is_quantifier and _is_of_line(node.children[2], node.children[1].name) else None
    elif is_of_items and node.kind == "call" and node.name == "size":
        yield *ITEMS, None
    elif isinstance(number, int | float) and number == float(number) and "subtotal" in of_order:
        yield *SUBTOTAL, number
    elif path := _path(node):
        yield (path[0], path[1], None) if path[0] in kept and len(path) > 1 and path[:2] != ITEMS else None
    else:
        for child in node.children:
            yield from _inputs(child, kept)


def _path(node: Node) -> tuple[str, ...]:
    """The variable and the fields that a part leads through; empty for another part."""
    if node.kind == "select" and (above := _path(node.children[0])):
        return *above, node.name
    return (node.name,) if node.kind == "name" else ()


def _is_of_line(node: Node, line: str, bound: frozenset[str] = frozenset()) -> bool:
    """Whether a part reads only the fields of a line, without its `uid`, and variables that macros in it have bound."""
    if is_macro(node):
        is_bounded = _is_quantifier(node) and bool(_path(node.children[0]))  # by the modifiers, as a path leads to them
        inner = bound | {node.children[1].name}
        return is_bounded and _is_of_line(node.children[0], line, bound) and _is_of_line(node.children[2], line, inner)
    if node.kind == "name":
        return node.name in bound and node.name != line and not node.value  # `.order` is what no macro has bound
    first = node.children[0] if node.children else node
    if node.kind == "select" and first.kind == "name" and first.name == line and not first.value:
        return node.name != "uid"
    return all(_is_of_line(child, line, bound) for child in node.children)


def _is_quantifier(node: Node) -> bool:
    return node.name in QUANTIFIERS and len(node.arguments) == 2
