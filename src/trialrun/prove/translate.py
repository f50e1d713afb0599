"""Conditions as truths: logic as CEL has it, quantifiers as sums over cells, numbers as linear arithmetic.

What has no translation may be anything, and is listed with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import z3

from trialrun.prove.cells import Cell, Cells, evaluate, holds
from trialrun.prove.money import Prices, least_units
from trialrun.prove.parts import is_logic, is_monotone
from trialrun.prove.reads import (
    COMPARISONS,
    COUNTED,
    FIRST,
    RELATIONS,
    SUBTOTAL,
    Path,
    Reader,
    Reads,
    Unsupported,
    literal_integer,
)
from trialrun.prove.truth import (
    FALSE,
    TRUE,
    Truth,
    all_of,
    any_of,
    choice,
    conjunction,
    constant,
    disjunction,
    negated,
    negation,
    sum_of,
)
from trialrun.prove.values import Values
from trialrun.prove.verdict import UnknownPart
from trialrun.values.cel import Node
from trialrun.values.cel.syntax_tree import (
    bound_variables,
    inner_children,
    is_has,
    operands,
    outer_children,
    walk,
)

Scope = Mapping[str, Cell]
LEAST, GREATEST = -(2**63), 2**63 - 1
MAX_PAIRS, MAX_LITERALS, MAX_EXACT = 20_000, 64, 1000
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True, slots=True)
class Number:
    """An integer of a condition, and when computing it fails."""

    term: z3.ArithRef
    error: z3.BoolRef = FALSE


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of the order by cell, each with the truth that they are in it, and when computing it fails."""

    cells: Sequence[tuple[Cell, Truth]]
    error: z3.BoolRef = FALSE


class Translator:
    """Translates conditions over the same cells and values."""

    def __init__(self, reader: Reader, cells: Cells, values: Values, prices: Prices, total: z3.ArithRef) -> None:
        self.reader, self.cells, self.values, self.prices, self.total = reader, cells, values, prices, total
        self.facts: list[z3.BoolRef] = []
        self.integers: dict[Path, z3.ArithRef] = {}
        self.unknown: list[UnknownPart] = []
        self.first: z3.ArithRef | None = None
        """The number of the cell of the first line, where a condition reads it."""
        self.source = ""
        self.is_total_known = prices.is_exact
        self._ground: dict[tuple[object, ...], Truth] = {}
        self._thresholds: dict[str, Truth] = {}
        self._fresh = 0

    def condition(self, tree: Node, text: str) -> Truth:
        """The truth of a whole condition."""
        self.source = text
        return self.truth(tree, {})

    def truth(self, node: Node, scope: Scope) -> Truth:
        """The truth of a part for lines of the cells that its variables stand for."""
        try:
            return self._truth(node, scope)
        except Unsupported as reason:
            part = UnknownPart(self.source, node.start, node.end, str(reason))
            if part not in self.unknown:
                self.unknown.append(part)
            return self._anything(varies=bool(scope))

    def _anything(self, *, varies: bool) -> Truth:
        self._fresh += 1
        true, false = z3.Bool(f"unknown {self._fresh} t"), z3.Bool(f"unknown {self._fresh} f")
        self.facts.append(z3.Not(z3.And(true, false)))
        return Truth(true, false, varies)

    def _truth(self, node: Node, scope: Scope) -> Truth:
        if node.kind == "literal":
            return constant(node.value)
        if node.kind == "conditional":
            return choice(*(self.truth(child, scope) for child in node.children))
        if is_logic(node):
            if node.name in ("!", "!!"):
                inner = self.truth(node.children[0], scope)
                return negation(inner) if node.name == "!" else inner
            parts = [self.truth(child, scope) for child in operands(node)]
            return conjunction(parts) if node.name == "&&" else disjunction(parts)
        lines = frozenset(scope)
        reads = self.reader.reads(node, lines)
        if FIRST not in scope and any(name == FIRST for name, _ in reads.fields):
            return self._of_first_line(node, scope)
        if reads.is_ground:
            return self._of_lines(node, scope, reads)
        if self.reader.is_quantifier(node, lines):
            return self._quantifier(node, scope)
        if reads.opaque:
            raise Unsupported(f"it reads {reads.opaque}")
        kinds = {self.reader.type_of(path).name for path in reads.paths}
        if reads.paths and not (reads.items or reads.subtotal) and "int" not in kinds:
            return self._atom(node, scope, reads)
        if kinds == {"int"} and (is_has(node) or self._is_key(node)):
            (path,) = reads.paths
            absent = self.absent(path)
            return Truth(negated(absent), absent)
        if node.kind == "operator" and node.name in (*COMPARISONS, "in"):
            if reads.subtotal and not (reads.paths or reads.items):
                return self._money(node, scope)
            if reads.subtotal:
                return self._total_relation(node, scope)
            return self._compare(node, scope)
        raise Unsupported(f"{node.name or node.kind} of several values")

    # what the engine decides

    def _of_lines(self, node: Node, scope: Scope, reads: Reads) -> Truth:
        """A part that reads lines alone: the engine says what it is for a line of each cell."""
        text = self.source[node.start : node.end]
        used = {name: scope[name] for name, _ in reads.fields}
        if self.cells.is_uncertain(node, text, reads.fields, scope):
            raise Unsupported("lines that are not told apart")
        key = text, *((name, cell.number) for name, cell in sorted(used.items()))
        if key not in self._ground:
            value = evaluate(text, {name: cell.plain for name, cell in used.items()})
            self._ground[key] = constant(value)
        return self._ground[key]

    def _of_first_line(self, node: Node, scope: Scope) -> Truth:
        """A part that reads the first line: it is of some cell that has lines; without one, reading it fails."""
        if self.first is None:
            self.first = z3.Int("cell of the first line")
            cells = self.cells.cells
            has_lines = [z3.Implies(self.first == cell.number, cell.is_present) for cell in cells]
            is_empty = z3.Implies(self.first == len(cells), all_of([cell.lines == 0 for cell in cells]))
            self.facts += [self.first >= 0, self.first <= len(cells), is_empty, *has_lines]
        parts = [(self.first == cell.number, self._truth(node, {**scope, FIRST: cell})) for cell in self.cells.cells]
        true = any_of([all_of([chosen, part.true]) for chosen, part in parts])
        false = any_of([all_of([chosen, part.false]) for chosen, part in parts])
        return Truth(true, false, bool(scope))

    def _atom(self, node: Node, scope: Scope, reads: Reads) -> Truth:
        if any(name == FIRST for name, _ in reads.fields):
            raise Unsupported("the first line beside the state")
        if reads.fields and len(self.values.atoms) > MAX_LITERALS * 4:
            raise Unsupported("a relation of many items with the state")
        return self.values.atom(self._text(node, scope), reads.paths)

    def _text(self, node: Node, scope: Scope) -> str:
        """The text of a part with the fields of lines put in as literals. Raises Unsupported."""
        found, place = list[str](), node.start
        for part in walk(node):
            of_line = part.kind == "select" and part.children[0].kind == "name" and part.children[0].name in scope
            if of_line and part.start >= place:
                cell = scope[part.children[0].name]
                value = cell.plain.get(part.name)
                is_unpriced = part.name == "basePrice" and cell.item in self.cells.unpriced
                is_varying = part.name == "quantity" and cell.low < cell.high
                if cell.is_open or is_varying or is_unpriced or not isinstance(value, str | float | int):
                    raise Unsupported(f"{part.name} of a line beside the state")
                found += [self.source[place : part.start], _quoted(value) if isinstance(value, str) else repr(value)]
                place = part.end
            elif part.kind == "name" and part.name in scope and part.start >= place:
                raise Unsupported("a whole line beside the state")
        return "".join([*found, self.source[place : node.end]])

    # the total

    def _money(self, node: Node, scope: Scope) -> Truth:
        if not self.is_total_known:
            raise Unsupported("prices that are not summed exactly")
        if not is_monotone(node, lambda each: each.kind == "select" and each.name == "subtotal"):
            raise Unsupported("the total twice, or in a function")
        left, right = (f"({self._text(child, scope)}\n)" for child in node.children)
        if node.name in ("==", "!="):
            both = conjunction([self._threshold(f"{left} {relation} {right}") for relation in (">=", "<=")])
            return both if node.name == "==" else negation(both)
        return self._threshold(f"{left} {node.name} {right}")

    def _threshold(self, text: str) -> Truth:
        if text not in self._thresholds:
            found = least_units(partial(holds, text, lambda total: {"order": {"subtotal": total}}), self.prices.unit)
            if isinstance(found, bool):
                self._thresholds[text] = constant(found)
            else:
                least, last = found
                if not self.cells.unpriced and self.cells.situation.menu.lists_items:
                    least = self.prices.reachable(least)
                above = self.total >= least
                self._thresholds[text] = Truth(above, z3.Not(above)) if last else Truth(z3.Not(above), above)
        return self._thresholds[text]

    def _total_relation(self, node: Node, scope: Scope) -> Truth:
        """The total beside a count, which doubles have exactly: rounding the total moves it over no small integer."""
        left, right = node.children
        relation, other = node.name, right
        if not self._is_total(left):
            relation, other = MIRRORED.get(node.name, ""), left
        if not relation or not self._is_total(right if other is left else left) or not self.is_total_known:
            raise Unsupported("arithmetic of the total with other values")
        if other.kind == "call" and other.name == "double" and len(other.children) == 1:
            other = other.children[0]
        number = self._number(other, scope)
        outside = self._anything(varies=bool(scope))
        is_small = z3.And(number.term >= -MAX_EXACT, number.term <= MAX_EXACT)
        holds = RELATIONS[relation](self.total, number.term * self.prices.unit)
        sound = negated(number.error)
        true, false = z3.If(is_small, holds, outside.true), z3.If(is_small, z3.Not(holds), outside.false)
        return Truth(all_of([sound, true]), all_of([sound, false]), bool(scope))

    def _is_total(self, node: Node) -> bool:
        return node.kind == "select" and self.reader.path(node, frozenset()) == SUBTOTAL

    # lines of the order

    def _quantifier(self, node: Node, scope: Scope) -> Truth:
        lines = self._lines(outer_children(node)[0], scope)
        if scope and len(lines.cells) ** (len(scope) + 1) > MAX_PAIRS:
            raise Unsupported("a quantifier within another over many kinds of lines")
        variable, body = bound_variables(node)[0], inner_children(node)[-1]
        parts = [(cell, inside, self.truth(body, {**scope, variable: cell})) for cell, inside in lines.cells]
        varies, sound = self._is_outer_varied(node, scope, parts), negated(lines.error)
        if node.name == "exists_one":
            return self._exactly_one(parts, sound, varies=varies)
        is_all = node.name == "all"  # there is no line of which the body is not true
        present = [
            (all_of([cell.is_present, inside.true]), negation(inner) if is_all else inner)
            for cell, inside, inner in parts
        ]
        some = any_of([all_of([here, inner.true]) for here, inner in present])
        maybe = any_of([all_of([here, negated(inner.false)]) for here, inner in present])
        found = Truth(all_of([sound, some]), all_of([sound, negated(maybe)]), varies)
        return negation(found) if is_all else found

    @staticmethod
    def _is_outer_varied(node: Node, scope: Scope, parts: Sequence[tuple[Cell, Truth, Truth]]) -> bool:
        """Whether lines of an outer cell may differ in a quantifier that reads them."""
        reads_outer = bool(scope) and any(each.kind == "name" and each.name in scope for each in walk(node))
        return reads_outer and any(inside.varies or inner.varies for _, inside, inner in parts)

    def _exactly_one(self, parts: Sequence[tuple[Cell, Truth, Truth]], sound: z3.BoolRef, *, varies: bool) -> Truth:
        errors = [all_of([cell.is_present, inside.true, inner.error]) for cell, inside, inner in parts]
        count = self._count([(cell, conjunction([inside, inner])) for cell, inside, inner in parts])
        clean = all_of([sound, negated(any_of(errors))])
        return Truth(all_of([clean, count == 1]), all_of([clean, count != 1]), varies)

    def _count(self, cells: Sequence[tuple[Cell, Truth]]) -> z3.ArithRef:
        """How many lines there are in cells; of a cell whose lines may differ, any number."""
        terms: list[z3.ArithRef] = []
        for cell, inside in cells:
            if inside.varies:
                self._fresh += 1
                some = z3.Int(f"some {self._fresh}")
                self.facts += [some >= 0, some <= cell.lines]
                terms.append(some)
            elif not z3.is_false(inside.true):
                terms.append(cell.lines if z3.is_true(inside.true) else z3.If(inside.true, cell.lines, 0))
        return sum_of(terms)

    def _lines(self, node: Node, scope: Scope) -> Lines:
        if not self.reader.is_lines(node, frozenset(scope)):
            raise Unsupported("a list other than the lines of the order")
        if node.kind == "select":
            return Lines([(cell, constant(True)) for cell in self.cells.cells])
        inner = self._lines(outer_children(node)[0], scope)
        variable, body = bound_variables(node)[0], inner_children(node)[-1]
        cells: list[tuple[Cell, Truth]] = []
        errors = [inner.error]
        for cell, inside in inner.cells:
            chosen = self.truth(body, {**scope, variable: cell})
            errors.append(all_of([cell.is_present, inside.true, chosen.error]))
            both = all_of([inside.true, chosen.true])
            cells.append((cell, Truth(both, negated(both), inside.varies or chosen.varies)))
        return Lines(cells, any_of(errors))

    # numbers

    def _compare(self, node: Node, scope: Scope) -> Truth:
        if node.name == "in":
            if node.children[1].kind != "list":
                raise Unsupported("membership in what is computed")
            each = [self._relation("==", node.children[0], other, scope) for other in node.children[1].children]
            return self._membership(each)
        left, right = node.children
        return self._relation(node.name, left, right, scope)

    @staticmethod
    def _membership(parts: Sequence[Truth]) -> Truth:
        """`in` a list, which fails where an element does."""
        sound = all_of([negated(part.error) for part in parts])
        some = any_of([part.true for part in parts])
        return Truth(all_of([sound, some]), all_of([sound, negated(some)]), any(part.varies for part in parts))

    def _relation(self, relation: str, left: Node, right: Node, scope: Scope) -> Truth:
        for quantity, other, name in ((left, right, relation), (right, left, MIRRORED[relation])):
            if (cell := self._quantity_cell(quantity, scope)) and cell.low < cell.high:
                return self._quantity_relation(name, cell, self._number(other, scope))
        first, second = self._number(left, scope), self._number(right, scope)
        sound, holds = negated(any_of([first.error, second.error])), RELATIONS[relation](first.term, second.term)
        return Truth(all_of([sound, holds]), all_of([sound, z3.Not(holds)]))

    @staticmethod
    def _quantity_cell(node: Node, scope: Scope) -> Cell | None:
        is_quantity = node.kind == "select" and node.name == "quantity" and node.children[0].kind == "name"
        return scope.get(node.children[0].name) if is_quantity else None

    def _quantity_relation(self, relation: str, cell: Cell, other: Number) -> Truth:
        """The quantity of a line beside a number of the state: of several lines, any that the interval has."""
        self._fresh += 1
        holds, line = z3.Bool(f"unknown {self._fresh} t"), z3.Int(f"line {self._fresh}")
        related = RELATIONS[relation](line, other.term)
        within = [line >= cell.low, line <= cell.high, z3.Implies(cell.lines == 1, line == cell.quantity)]
        self.facts.append(z3.Implies(cell.is_present, z3.And(*within, holds == related)))
        sound = negated(other.error)
        return Truth(all_of([sound, holds]), all_of([sound, z3.Not(holds)]), varies=True)

    def _number(self, node: Node, scope: Scope) -> Number:
        if (value := literal_integer(node)) is not None:
            return Number(z3.IntVal(value))
        if node.type not in ("int", "int?") and self._quantity_cell(node, scope) is None:
            raise Unsupported(f"arithmetic of {node.type}")
        if node.kind == "call" and node.name == "size" and len(node.children) == 1:
            lines = self._lines(node.children[0], scope)
            return Number(self._count(lines.cells), lines.error)
        if node.kind == "conditional":
            return self._choice(node, scope)
        if node.kind == "operator" and node.name in ("+", "-", "*", "/", "%"):
            return self._arithmetic(node.name, [self._number(child, scope) for child in node.children])
        if cell := self._quantity_cell(node, scope):
            if cell.low == cell.high:
                return Number(z3.IntVal(cell.low))
            raise Unsupported("a quantity beside the state")
        path = self.reader.path(node, frozenset(scope))
        if path is None or node.kind == "call" or self.reader.type_of(path).name != "int":
            raise Unsupported(f"the number {node.name or node.kind}")
        return Number(self.integer(path), self.absent(path))

    def _choice(self, node: Node, scope: Scope) -> Number:
        condition = self.truth(node.children[0], scope)
        if condition.varies:
            raise Unsupported("a number that lines of one kind may differ in")
        then, otherwise = (self._number(child, scope) for child in node.children[1:])
        errors = [condition.error, all_of([condition.true, then.error]), all_of([condition.false, otherwise.error])]
        return Number(z3.If(condition.true, then.term, otherwise.term), any_of(errors))

    def _arithmetic(self, operator: str, numbers: Sequence[Number]) -> Number:
        error, first = any_of([number.error for number in numbers]), numbers[0].term
        if len(numbers) == 1:
            result = -first
        else:
            second = numbers[1].term
            known = [term for term in (first, second) if z3.is_int_value(z3.simplify(term))]
            if operator == "*" and not known:
                raise Unsupported("a product of two values")
            if operator in ("/", "%"):
                divisor = z3.simplify(second)
                if not z3.is_int_value(divisor):
                    raise Unsupported("a division by a value")
                if divisor.as_long() == 0:
                    return Number(z3.IntVal(0), TRUE)
                size, sign = abs(divisor.as_long()), 1 if divisor.as_long() > 0 else -1
                quotient = z3.If(first >= 0, first / size, -((-first) / size)) * sign  # CEL rounds to zero
                result = quotient if operator == "/" else first - quotient * divisor.as_long()
            else:
                result = first + second if operator == "+" else first - second if operator == "-" else first * second
        return Number(result, any_of([error, result > GREATEST, result < LEAST]))

    @staticmethod
    def _is_key(node: Node) -> bool:
        return node.kind == "operator" and node.name == "in" and isinstance(node.children[0].value, str)

    def absent(self, path: Path) -> z3.BoolRef:
        """When the client does not send an integer."""
        self.integer(path)
        return z3.Bool("absent " + ".".join(path)) if self.reader.can_be_absent(path) else FALSE

    def integer(self, path: Path) -> z3.ArithRef:
        """The variable of an integer of the state."""
        if path not in self.integers:
            is_counted = path in COUNTED and self.reader.is_kept(path)
            name = COUNTED[path] if is_counted else "integer " + ".".join(path)
            self.integers[path] = number = z3.Int(name)
            if not is_counted:
                self.facts += [number >= LEAST, number <= GREATEST]
        return self.integers[path]


def _quoted(text: str) -> str:
    """A text as a literal of CEL."""
    plain = (
        each if each.isascii() and each.isprintable() and each not in "'\\" else f"\\U{ord(each):08x}" for each in text
    )
    return f"'{''.join(plain)}'"
