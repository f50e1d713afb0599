"""Conditions as formulas of one solver over the order and the session that they share, and what it decides of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import z3

from trialrun.prove.cells import Cell, Cells
from trialrun.prove.money import Prices
from trialrun.prove.parts import line_parts, without_maps
from trialrun.prove.reads import COUNTED, LANGUAGE, START, Path, Reader
from trialrun.prove.translate import Translator
from trialrun.prove.truth import Truth, all_of, any_of, constant, sum_of
from trialrun.prove.values import ABSENT, Values
from trialrun.prove.verdict import Never, Possible, Situation, Unknown, UnknownPart, Verdict, Witness
from trialrun.runtime.channel_config.menu import Item, Modifier, OrderLineItem
from trialrun.runtime.channel_config.session.cel_state import state_builder
from trialrun.runtime.channel_config.session.client_values import TypeMismatch
from trialrun.runtime.channel_config.session.condition import InvalidCondition, compile_condition
from trialrun.runtime.channel_config.session.condition_items import ConditionItems
from trialrun.values.cel import CelError, Node, Program
from trialrun.values.cel import compile as compile_cel
from trialrun.values.cel.evaluate import MAX_ITERATIONS
from trialrun.values.cel.syntax_tree import is_macro, walk

BUDGET, SMALLER_BUDGET = 20_000_000, 2_000_000
"""Resources of the solver for a question, and for one attempt at a smaller witness; no seconds."""
MAX_WITNESSES, MAX_ATTEMPTS, MAX_EXHAUSTED = 20, 64, 5
"""States for a question, attempts at a smaller number, and the questions that may use a whole budget up."""
Name = TypeVar("Name")


class Encoding:
    """Several conditions over the same order and the same session."""

    def __init__(
        self, situation: Situation, conditions: Sequence[str], *, named_items: Sequence[ConditionItems] = ()
    ) -> None:
        """All conditions are known from the beginning; `named_items` are told apart too, for `several`.

        Raises Unsupported where the menu has too many kinds of lines.
        """
        self.situation = situation
        self.turn, self.offers, self.declines = z3.Int("turn"), z3.Int("offers"), z3.Int("declines")
        self._builder, self._reader = state_builder(situation.schema), Reader(situation.schema)
        self._programs = {text: compile_condition(text, situation.schema) for text in dict.fromkeys(conditions)}
        sound = [text for text, each in self._programs.items() if isinstance(each, Program)]
        self._texts = texts = {text: without_maps(text, situation.schema) for text in sound}
        trees = {text: compile_cel(each, schema=situation.schema).tree for text, each in texts.items()}
        parts = [part for text, tree in trees.items() for part in line_parts(tree, texts[text], self._reader)]
        nodes = [node for tree in trees.values() for node in walk(tree)]
        self._reads_total = any(node.kind == "select" and node.name == "subtotal" for node in nodes)
        self._cells = Cells(situation, self._reader, parts, with_prices=self._reads_total, named_items=named_items)
        cells = self._cells.cells
        self.cart: z3.ArithRef = sum_of([cell.quantity for cell in cells])
        """The number of items in the order: the sum of the quantities of its lines."""
        self._prices, self._total = Prices(item for cell in cells for item in cell.items), z3.Int("total")
        self._values = Values(situation, self._reader)
        self._translator = Translator(self._reader, self._cells, self._values, self._prices, self._total)
        self.lines = _most_lines(trees.values(), situation.bounds.lines)
        """The most lines of an order that verdicts are about."""
        self._truths = {text: constant(None) for text in self._programs}
        self._truths |= {text: self._translator.condition(tree, texts[text]) for text, tree in trees.items()}
        self._facts = [*self._cells.facts, *self._session(), *self._order(), *self._values.close()]
        self._facts += self._translator.facts
        self.model: z3.ModelRef | None = None
        """The model of the witness that `confirm` is asked about."""
        self.history: list[z3.BoolRef] = []
        """What a least witness has false where it can, the most important first."""
        self._exhausted, self._budget = 0, BUDGET
        self._several: dict[int, z3.BoolRef] = {}
        self._named = list(named_items)

    def truth(self, condition: str) -> Truth:
        """When one of the conditions is true and when it is false."""
        return self._truths[condition]

    @property
    def facts(self) -> list[z3.BoolRef]:
        """What holds of every order and session; together with a goal, they are the problem of a question."""
        return [*self._facts]

    def several(self, items: ConditionItems) -> z3.BoolRef:
        """Some item that a condition names is in the order more than once (`skipOnMultiQuantityUpsoldFromItem`).

        The items must be among `named_items`. Where items are alike, it may be one of them or not.
        """
        key = self._named.index(items)
        if key not in self._several:
            self._several[key] = found = z3.Bool(f"several {key}")
            named = [cell for cell in self._cells.cells if cell.is_open or items.mentions(cell.item)]
            quantity = sum_of([cell.quantity for cell in named])
            certain = [cell.quantity > len(cell.items) for cell in named if not cell.is_open]
            self._facts += [z3.Implies(found, quantity > 1), z3.Implies(any_of(certain), found)]
        return self._several[key]

    def _session(self) -> Iterator[z3.BoolRef]:
        yield from (self.turn >= 1, self.turn <= self.situation.bounds.turns)
        yield from (self.declines >= 0, self.declines <= self.offers, self.offers <= self.turn)

    def _order(self) -> Iterator[z3.BoolRef]:
        """The bound of lines, and the total: exact but for items without a price."""
        cells = self._cells.cells
        if not cells:
            yield self._total == 0
            return
        yield sum_of([cell.lines for cell in cells]) <= self.lines
        if not self._reads_total:
            return
        unpriced = [cell for cell in cells if cell.is_open or cell.item in self._cells.unpriced]
        more = z3.Int("total of items without a price")
        yield more >= 0
        yield z3.Implies(all_of([cell.lines == 0 for cell in unpriced]), more == 0)
        prices = [self._prices.of(cell.item) * cell.quantity for cell in cells if cell not in unpriced]
        yield self._total == sum_of([*prices, more])

    @property
    def premises(self) -> tuple[str, ...]:
        """What every verdict rests on, in words."""
        bounds, menu = self.situation.bounds, self.situation.menu
        modifiers = f" with up to {self.lines} modifiers each" if self._cells.reads_modifiers else ""
        found = [f"orders of up to {self.lines} lines{modifiers}", f"turns up to {bounds.turns}"]
        paths = {path for domain in self._values.domains for path in domain.paths}
        if any(self._reader.type_of(path).name == "timestamp" for path in paths):
            found.append(f"times within {bounds.days} days after {self.situation.begin.isoformat()}")
        found.append("items of the menu" if menu.lists_items else "any item, since the menu does not list all")
        if self._reads_total:
            found.append("prices of the menu, rounded once")
        return tuple(found)

    # deciding

    def decide(
        self,
        goal: z3.BoolRef,
        confirm: Callable[[Witness], bool],
        *,
        facts: Mapping[str, z3.BoolRef] | None = None,
        witnesses: int = MAX_WITNESSES,
    ) -> Verdict:
        """Whether the goal can hold together with named facts; a witness counts when `confirm` says so.

        So many `witnesses` are tried, those of the second half with orders of other sizes.
        """
        if z3.is_false(goal):
            return Never(self.premises)
        solver = self._solver(goal)
        named = {f"fact {number}": name for number, name in enumerate(facts or ())}
        marks = [z3.Bool(mark, solver.ctx) for mark in named]
        for mark, fact in zip(marks, (facts or {}).values(), strict=True):
            solver.add(z3.Implies(mark, fact.translate(solver.ctx)))
        match solver.check(*marks):
            case z3.unsat:
                core = {named[str(mark)] for mark in _smaller_core(solver)} if marks else set()
                return Never(self.premises, tuple(name for name in facts or () if name in core))
            case z3.unknown:
                self._exhausted += 1
                self._budget = SMALLER_BUDGET if self._exhausted >= MAX_EXHAUSTED else BUDGET
                return self._unknown("the solver's budget ran out")
        solver.add(*marks)
        solver.push()
        known = [domain.number < len(domain.classes) for domain in self._values.domains]
        solver.add(*(fact.translate(solver.ctx) for fact in known))
        for number in range(witnesses):
            if solver.check() != z3.sat:
                break
            model = self._least(solver).translate(z3.main_ctx())
            self.model = model
            try:
                witness = self._witness(model)
                if witness is not None and confirm(witness):
                    return Possible(witness, self.premises)
            except TypeMismatch:
                pass
            told_apart = self._choices()[: -len(self.history) or None] if number < witnesses // 2 else [self.cart]
            other = z3.Or([term != model.eval(term, True) for term in told_apart])
            solver.add(other.translate(solver.ctx))
        return self._unknown("no state of a session was found that shows it")

    def difference(self, first: str, second: str) -> Verdict:
        """Whether some session makes exactly one of two conditions true; if never, both trigger alike."""

        def differs(witness: Witness) -> bool:
            return (self.value(first, witness) is True) != (self.value(second, witness) is True)

        return self.decide(z3.Xor(self.truth(first).true, self.truth(second).true), differs)

    @staticmethod
    def consistent(goals: Mapping[Name, z3.BoolRef]) -> list[Name]:
        """The goals that do not contradict themselves, whatever is true of orders and sessions."""
        own = z3.Context()
        solver = z3.SolverFor("QF_LIA", ctx=own)
        solver.set("rlimit", SMALLER_BUDGET)
        marks = {name: z3.Bool(f"goal {number}", own) for number, name in enumerate(goals)}
        solver.add(*(z3.Implies(mark, goals[name].translate(own)) for name, mark in marks.items()))
        return [name for name, mark in marks.items() if solver.check(mark) != z3.unsat]

    def _solver(self, goal: z3.BoolRef) -> z3.Solver:
        """A solver in a context of its own: what others were asked before changes neither verdicts nor witnesses."""
        own = z3.Context()
        solver = z3.SolverFor("QF_LIA", ctx=own)
        solver.set("rlimit", self._budget)
        solver.add(z3.And(*self._facts, goal).translate(own))
        return solver

    def same_session(self, model: z3.ModelRef) -> list[z3.BoolRef]:
        """What a model has in common with the other turns of its session: the language, and when it started."""
        kept = [domain for domain in self._values.domains if not {LANGUAGE, START}.isdisjoint(domain.paths)]
        return [domain.number == model.eval(domain.number, True) for domain in kept]

    @property
    def not_understood(self) -> set[str]:
        """The conditions of which a part is not understood."""
        return {part.condition for part in self._unknown("").parts}

    def _unknown(self, reason: str) -> Unknown:
        written = {each: text for text, each in self._texts.items()}
        parts = tuple(
            part if part.condition in self._programs else UnknownPart(text, 0, len(text), part.reason)
            for part in self._translator.unknown
            if (text := written[part.condition])
        )
        of_values = [domain for domain in self._values.domains if domain.reason]
        parts += tuple(self._part_of(domain.paths[0], domain.reason) for domain in of_values)
        if self._reads_total and self._cells.unpriced:
            count = len(self._cells.unpriced)
            reason = f"{count} item{' has' if count == 1 else 's have'} no price"
        return Unknown(parts[0].reason if parts else reason, parts, self.premises)

    def _part_of(self, path: Path, reason: str) -> UnknownPart:
        """The first place of a condition that reads a path."""
        for text, program in self._programs.items():
            for node in walk(program.tree) if isinstance(program, Program) else ():
                if self._reader.path(node, frozenset()) == path:
                    return UnknownPart(text, node.start, node.end, reason)
        return UnknownPart(next(iter(self._programs), ""), 0, 0, reason)

    def _choices(self) -> list[z3.ArithRef]:
        """What a witness is made of, in the order in which a least one has less of it."""
        cells = self._cells.cells
        order = sum_of([(cell.number + 1) * cell.lines for cell in cells])
        numbers = [domain.number for domain in self._values.domains]
        integers = [number for path, number in self._translator.integers.items() if path not in COUNTED]
        of_cells = [term for cell in cells for term in (cell.lines, cell.quantity)]
        first = [] if self._translator.first is None else [self._translator.first]
        return [
            *(
                self.cart,
                sum_of([cell.lines for cell in cells]),
                order,
                *numbers,
                self.turn,
                self.offers,
                self.declines,
            ),
            *(term for each in integers for term in (z3.If(each >= 0, each, -each), z3.If(each >= 0, 0, 1))),
            *(*of_cells, *first, *(z3.If(each, 1, 0) for each in self.history)),
        ]

    def _least(self, solver: z3.Solver) -> z3.ModelRef:
        """The model of the least witness, which is the same whatever model the solver finds first."""
        model = solver.model()
        solver.push()
        solver.set("rlimit", SMALLER_BUDGET)
        for term in self._choices():
            model = _minimize(solver, term.translate(solver.ctx), model)
        solver.set("rlimit", self._budget)
        solver.pop()
        return model

    # witnesses

    def _witness(self, model: z3.ModelRef) -> Witness | None:
        """The state of a model; None where no order has its lines."""
        lines = self._order_lines(model)
        if lines is None:
            return None
        values: dict[Path, Any] = {}
        for domain in self._values.domains:
            values |= zip(domain.paths, domain.classes[model.eval(domain.number, True).as_long()], strict=True)
        for path, number in self._translator.integers.items():
            if path not in COUNTED and not z3.is_true(model.eval(self._translator.absent(path), True)):
                values[path] = model.eval(number, True).as_long()
        sent = {path: value for path, value in values.items() if value is not ABSENT and not self._reader.is_kept(path)}
        start = values.get(START)
        language = values.get(LANGUAGE, next(iter(self.situation.languages), ""))
        turn, offers, declines = (model.eval(term, True).as_long() for term in (self.turn, self.offers, self.declines))
        begin = start if isinstance(start, datetime) else self.situation.begin
        return Witness(lines, sent, turn, offers, declines, language if isinstance(language, str) else "", begin)

    def _order_lines(self, model: z3.ModelRef) -> tuple[OrderLineItem, ...] | None:
        found: list[OrderLineItem] = []
        first = self._translator.first
        number = model.eval(first, True).as_long() if first is not None else 0
        cells = sorted(self._cells.cells, key=lambda cell: cell.number != number)
        taken: dict[tuple[Item, tuple[Modifier, ...]], int] = {}
        for cell in cells:
            count, quantity = (model.eval(term, True).as_long() for term in (cell.lines, cell.quantity))
            for left in range(count, 0, -1):
                most = cell.high if left > 1 else quantity
                amount = min(most, quantity - cell.low * (left - 1))
                quantity -= amount
                line = self._line(cell, amount, taken)
                if line is None:
                    return None
                found.append(line)
        return tuple(found)

    def _line(
        self, cell: Cell, quantity: int, taken: dict[tuple[Item, tuple[Modifier, ...]], int]
    ) -> OrderLineItem | None:
        """A line of a cell that is equal to no other; items that are alike take turns."""
        for item in cell.items:
            modifiers = self._modifiers(cell, item)
            key = item, modifiers
            if key not in taken:
                taken[key] = 1
                return OrderLineItem(item, quantity, modifiers)
        item = cell.items[0]
        modifiers = self._modifiers(cell, item)
        more = (modifiers or cell.spare)[:1]
        if not more:
            return None
        taken[item, modifiers] += 1
        return OrderLineItem(item, quantity, (*modifiers, *more * (taken[item, modifiers] - 1)))

    @staticmethod
    def _modifiers(cell: Cell, item: Item) -> tuple[Modifier, ...]:
        """The modifiers of a kind as this item has them."""
        own = [next((each for each in kind if each in item.modifiers), kind[0]) for kind in cell.modifiers]
        return tuple(own)

    def value(self, condition: str, witness: Witness) -> bool | None:
        """What the product's engine says of a condition for a witness; None if its evaluation fails."""
        program = self._programs[condition]
        if isinstance(program, InvalidCondition):
            return None
        try:
            value = program.value(witness.activation(self._builder, self.situation.store))
        except CelError:
            return None
        return value if isinstance(value, bool) else None


def _smaller_core(solver: z3.Solver) -> z3.AstVector:
    """The assumptions that a proof needs, without some that the solver merely came across."""
    core = solver.unsat_core()
    for _ in range(2):
        if solver.check(*core) != z3.unsat or len(solver.unsat_core()) >= len(core):
            break
        core = solver.unsat_core()
    return core


def _minimize(solver: z3.Solver, term: z3.ArithRef, model: z3.ModelRef) -> z3.ModelRef:
    """The model with the least value of a non-negative term, which the solver then keeps; by doubling, then by halving.

    That the first model is far from it costs nothing, and the least is the same whatever the first model is.
    """
    low, high = 0, model.eval(term, True).as_long()
    step = 1
    for _ in range(MAX_ATTEMPTS if low < high else 0):
        middle = min(low + step - 1, (low + high) // 2)
        solver.push()
        solver.add(term <= middle)
        answer = solver.check()
        found = solver.model() if answer == z3.sat else None
        solver.pop()
        if found is not None:
            model, high = found, found.eval(term, True).as_long()
        else:
            low, step = middle + 1, step * 2
        if low >= high:
            break
    solver.add(term == high)
    return model


def _most_lines(trees: Iterable[Node], most: int) -> int:
    """How many lines the engine evaluates conditions over, before it has iterated too often; no more than `most`."""
    depths = [depth for tree in trees for depth in _macro_depths(tree, 0)]
    while most > 1 and sum(most**depth for depth in depths) > MAX_ITERATIONS:
        most -= 1
    return most


def _macro_depths(node: Node, depth: int) -> Iterator[int]:
    within = depth + (is_macro(node) and node.name != "bind")
    if within > depth:
        yield within
    for child in node.children:
        yield from _macro_depths(child, within)
