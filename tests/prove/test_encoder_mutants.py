"""Changes of the encoder that the traps must notice: each row is a function, a part of it, and what it becomes."""

import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.prove.brute_force import SITUATION
from tests.prove.questions import can_be_error, can_be_true, differ
from tests.prove.test_traps import EQUAL, FAILS, NEVER, POSSIBLE, REACHABLE, THRESHOLDS, UNKNOWN, WITH_GUESTS
from trialrun.prove import cells, encode, instants, money, parts, reads, texts, translate, truth, values
from trialrun.prove.verdict import Never, Possible

T, C, E, V = translate.Translator, cells.Cells, encode.Encoding, values.Values
MUTANTS: list[tuple[Callable[..., Any], str, str]] = [
    (truth.conjunction, "any_of([part.false", "all_of([part.false"),
    (truth.conjunction, "all_of([part.true", "any_of([part.true"),
    (truth.disjunction, "any_of([part.true", "all_of([part.true"),
    (truth.disjunction, "all_of([part.false", "any_of([part.false"),
    (truth.negation, "part.false, part.true", "part.true, part.false"),
    (truth.negation, "part.false, part.true", "z3.Not(part.true), part.true"),
    (truth.choice, "condition.false, otherwise.true", "z3.Not(condition.true), otherwise.true"),
    (truth.choice, "[condition.true, then.true]", "[condition.true, then.false]"),
    (truth.constant, "value is False", "value is not True"),
    (truth.negated, "FALSE if", "TRUE if"),
    (C._add, "lines > 0", "lines >= 0"),
    (C._add, "lines > 0", "lines > 1"),
    (T._quantifier, "all_of([sound, some])", "all_of([sound, maybe])"),
    (T._quantifier, "negated(maybe)", "negated(some)"),
    (T._quantifier, "negation(inner) if", "inner if"),
    (T._quantifier, "negation(found) if", "found if"),
    (T._exactly_one, "count == 1", "count >= 1"),
    (T._exactly_one, "clean = all_of([sound, negated(any_of(errors))])", "clean = sound"),
    (T._count, "terms.append(cell.lines if", "terms.append(cell.quantity if"),
    (T._lines, "any_of(errors)", "inner.error"),
    (T._lines, "all_of([inside.true, chosen.true])", "chosen.true"),
    (T._lines, "all_of([inside.true, chosen.true])", "all_of([inside.true, chosen.false])"),
    (T._arithmetic, "first >= 0", "first <= 0"),
    (T._arithmetic, "first + second if", "first - second if"),
    (T._arithmetic, "TRUE)", "error)"),
    (T._arithmetic, "result > GREATEST, result < LEAST", "error"),
    (T._arithmetic, "first - quotient", "first + quotient"),
    (T._relation, "MIRRORED[relation]", "relation"),
    (T._quantity_relation, "line >= cell.low", "line > cell.low"),
    (T._quantity_relation, "cell.lines == 1", "cell.lines == -1"),
    (T._quantity_relation, "holds == related", "holds != related"),
    (T._threshold, "Truth(above, z3.Not(above)) if last else", "Truth(z3.Not(above), above) if last else"),
    (T._threshold, "self.total >= least", "self.total > least"),
    (T._money, '(">=", "<=")', '(">=", ">=")'),
    (T._money, "return both if", "return negation(both) if"),
    (T._total_relation, "self.total, number.term", "self.total + 1, number.term"),
    (T._membership, "negated(part.error)", "part.error"),
    (T._of_first_line, "cell.is_present", "cell.lines >= 0"),
    (T._of_first_line, "cell.lines == 0", "cell.lines >= 0"),
    (T._truth, "Truth(negated(absent), absent)", "Truth(absent, negated(absent))"),
    (parts._mapped, "field.name}", "field.name}x"),
    (money.least_units, "high % 2 == 0", "high % 2 == 1"),
    (money.least_units, "int(edge) + 1", "int(edge) + 2"),
    (money.least_units, "math.ceil(edge)", "math.ceil(edge) + 1"),
    (money.first_change, "return high", "return low"),
    (money.Prices.reachable, "least + prices[0] + 1", "least + 1"),
    (money.Prices.of, "self.units.get", "(lambda *_: 1) and self.units.__class__().get"),
    (C._add, "quantity >= low", "quantity > low"),
    (C._add, "quantity <= high", "quantity < high"),
    (C._add, "lines >= 0", "lines >= 1"),
    (C._add, "low * lines + step * steps", "low * lines + steps"),
    (C._add_cells, "<= len(items)", "<= len(items) + 1"),
    (C._add_cells, "if is_joined and not subset", "if not subset"),
    (C._cuts, "(0, 1)", "(0, 2)"),
    (C._cuts, "cuts.add(change)", "pass"),
    (C._split_quantities, "cuts, step = cuts | of_part", "cuts, step = cuts"),
    (C._results, "for part in self.parts", "for part in ()"),
    (C._joined_spans, "of_spans[number - 1]", "of_spans[number]"),
    (cells._makes_a_difference, "any(", "all("),
    (C.is_uncertain, 'field in ("*", "uid")', 'field in ("*",)'),
    (E._session, "self.declines <= self.offers", "self.declines <= self.turn"),
    (E._session, "self.offers <= self.turn", "self.offers <= self.turn + 1"),
    (E._session, "self.turn >= 1", "self.turn >= 0"),
    (E._order, "self._total == sum_of", "self._total >= sum_of"),
    (V._domain, "if value is True", "if value is not False"),
    (V._domain, "if value is False", "if value is not True"),
    (V._groups, "paths |= group[0]", "pass"),
    (values._Candidates._texts, '"", *texts', '""'),
    (values._is_equality, '("==", "!=", "in")', '("==", "!=", "in", "<", ">")'),
    (values._Texts._add, "canonicalize(texts[LANGUAGE]) != texts[LANGUAGE]", "False"),
    (texts._operator, "RELATIONS[node.name]", "RELATIONS[node.name.replace('<', '<=')]"),
    (texts._Pattern.sequence, "([] if starts else [_ALL])", "[]"),
    (texts._Pattern.sequence, "([] if ends else [_ALL])", "[]"),
    (texts._Pattern.repeated, "z3.Star(part)", "z3.Plus(part)"),
    (instants._cuts, "number * HOUR", "number * HOUR * 2"),
    (instants._cuts, "literal, literal + MICROSECOND", "literal + MICROSECOND,"),
    (instants._within, "past - residue", "past"),
    (instants._add_field, "(-1, 0, 1)", "(-1, 1)"),
    (reads.Reader.can_be_absent, '.name == "map"', '.name == "list"'),
    (reads.literal_integer, 'node.name == "int"', 'node.name == "uint"'),
    (parts._grows_or_falls, '("+", "-", "*", "/")', "()"),
]


@contextmanager
def changed(function: Callable[..., Any], old: str, new: str) -> Iterator[None]:
    """A function with a part of its source replaced, wherever it is called."""
    source = textwrap.dedent(inspect.getsource(function))
    assert old in source, f"{function.__qualname__} has no {old!r}"
    plain = inspect.unwrap(function)
    namespace: dict[str, Any] = {}
    exec(compile(source.replace(old, new, 1), "<mutant>", "exec"), plain.__globals__, namespace)
    made = namespace[function.__name__]
    kept = plain.__code__
    plain.__code__ = getattr(made, "__func__", made).__code__
    try:
        yield
    finally:
        plain.__code__ = kept


def surprise() -> str:
    """The first trap that has another verdict than it must, or how the encoder fails; empty if there is none."""
    try:
        for text, _ in NEVER:
            if not isinstance(can_be_true(text, SITUATION), Never):
                return text
        for text, _ in POSSIBLE:
            if not isinstance(can_be_true(text, SITUATION), Possible):
                return text
        for first, second, _, same in EQUAL:
            if not isinstance(differ(first, second, SITUATION), Never if same else Possible):
                return f"{first} beside {second}"
        for text, can in FAILS:
            if not isinstance(can_be_error(text, WITH_GUESTS), Possible if can else Never):
                return f"an error of {text}"
        sound = "order.items.size() > 0 && order.items[0].displayName == 'Cola'"
        if not isinstance(can_be_error(sound, SITUATION), Never):
            return f"an error of {sound}"
        for text, *_ in UNKNOWN:
            if isinstance(can_be_true(text, SITUATION), Never):
                return text
        for bound, least, why in THRESHOLDS:
            if money.least_units(lambda total, bound=bound: total >= bound, 1) != (least, True):  # type: ignore[misc]
                return why
        prices = money.Prices(SITUATION.menu.items)
        if [(least, prices.reachable(least)) for least, _ in REACHABLE] != REACHABLE:
            return "the least sum of prices"
    except Exception as error:  # noqa: BLE001 - a mutant may fail in any way
        return repr(error)
    return ""


@pytest.mark.exhaustive
def test_the_traps_notice_changes_of_the_encoder() -> None:
    assert surprise() == ""
    alive = []
    for function, old, new in MUTANTS:
        with changed(function, old, new):
            if not surprise():
                alive.append((function.__qualname__, old, new))
    assert len(MUTANTS) >= 60
    assert alive == []
