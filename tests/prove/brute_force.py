"""Random conditions over a small menu, and what they come to in every state of a small domain, by the engine alone."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from random import Random
from typing import Any

from trialrun.prove.verdict import Situation, Witness
from trialrun.runtime.channel_config.menu import BrandMenu, Item, Modifier, OrderLineItem
from trialrun.runtime.channel_config.session.cel_state import state_builder
from trialrun.values.cel import DEFAULT_SCHEMA, CelError
from trialrun.values.cel import compile as compile_cel

CHEESE, BACON = Modifier("Extra Cheese", "m1", "Extras", "g1"), Modifier("Bacon", "m2", "Extras", "g1")
BURGER, FRIES, COLA = Item("Burger", "b", 6.49, (CHEESE, BACON)), Item("Fries", "f", 2.99), Item("Cola", "c", 1.1)
MENU = BrandMenu((BURGER, FRIES, COLA), (CHEESE, BACON), is_declared=True, lists_items=True, lists_modifiers=True)
BEGIN = datetime(2026, 11, 28, tzinfo=UTC)
SITUATION = Situation(MENU, DEFAULT_SCHEMA, "s", BEGIN, ("en", "es"))
NAMES = ("'Burger'", "'Fries'", "'Cola'", "'Pie'")
RELATIONS = ("<", "<=", ">", ">=", "==", "!=")


class Grammar:
    """Conditions of few parts that combine all constructs, sensible or not."""

    def __init__(self, seed: int) -> None:
        self.dice = Random(seed)

    def one(self, *choices: Any) -> Any:
        return self.dice.choice(choices)

    def condition(self, depth: int = 0) -> str:
        kind = self.dice.random()
        if depth >= 2 or kind < 0.35:
            return self.comparison() if self.dice.random() < 0.25 else self.statement()
        if kind < 0.8:
            return f"({self.condition(depth + 1)} {self.one('&&', '||')} {self.condition(depth + 1)})"
        if kind < 0.9:
            return f"!({self.condition(depth + 1)})"
        return f"({self.condition(depth + 1)} ? {self.condition(depth + 1)} : {self.condition(depth + 1)})"

    def comparison(self) -> str:
        other = str(self.one(0, 1, 2, 3, 5)) if self.dice.random() < 0.7 else self.number()
        return f"{self.number()} {self.one(*RELATIONS)} {other}"

    def number(self) -> str:
        match self.dice.randrange(9):
            case 0:
                return f"order.items.filter(i, {self.line()}).size()"
            case 1:
                return f"(session.turn {self.one('+', '-', '*')} {self.one(1, 2, 3)})"
            case 2:
                return f"(session.turn {self.one('/', '%')} {self.one(0, 2, 3, -2)})"
            case 3:
                return "(order.items.size() - session.turn)"
            case 4:
                return f"({self.statement()} ? session.turn : order.items.size())"
        return str(
            self.one("order.items.size()", "size(order.items)", "session.turn", "session.upsellOffers",
                     "session.upsellDeclines")
        )  # fmt: skip

    def line(self, depth: int = 0) -> str:
        one, text = self.one, self.one("'B'", "'s'", "'r'", "''")
        choices = [
            f"i.displayName == {one(*NAMES)}",
            f"i.displayName in [{one(*NAMES)}, {one(*NAMES)}]",
            f"i.quantity {one(*RELATIONS)} {one(0, 1, 2, 3, 4)}",
            f"i.quantity {one(*RELATIONS)} {one(1, 2, 3)}",
            f"i.displayName.{one('startsWith', 'endsWith', 'contains')}({text})",
            f"i.basePrice {one(*RELATIONS)} {one('1.1', '2.99', '3.0', '6.5')}",
            f"i.modifierGroups.exists(g, g.modifiers.exists(m, m.displayName == {one(NAMES[3], repr('Bacon'))}))",
            "i.modifierGroups.all(g, g.modifiers.all(m, m.displayName != 'Bacon'))",
            f"i.displayName.matches('{one('^B', 's$', '^.o', '[a-f]r', '^Cola$')}')",
            "i.displayName == order.metadata['fav']",
            "i.displayName == session.daypartId",
            f"i.displayName < {one(*NAMES)}",
            f"i.quantity * 2 > {one(3, 4)}",
            f"i.quantity % {one(2, 3)} == {one(0, 1)}",
            f"order.items.exists(j, j.itemId != i.itemId && j.quantity >= {one(1, 2)})",
            f"i.quantity {one(*RELATIONS)} session.turn",
            "has(order.metadata.fav)",
            "i.modifierGroups.size() > 0",
            f"i.modifierGroups.exists(g, g.modifiers.size() {one('==', '>')} {one(0, 1)})",
        ]
        if depth < 2:
            choices += [f"!({self.line(depth + 1)})"] * 2
            choices += [f"({self.line(depth + 1)} {one('&&', '||')} {self.line(depth + 1)})"] * 3
        return str(one(*choices))

    def statement(self) -> str:
        one = self.one
        quantifier = f"order.items.{one('exists', 'all', 'exists_one')}(i, {self.line()})"
        filtered = f"order.items.filter(i, {self.line()}).{one('exists', 'all')}(i, {self.line()})"
        total = one("0.0", "1.1", "2.2", "3.3000000000000003", "3.3", "9.48", "20.0", "5.98")
        return str(
            one(
                quantifier,
                quantifier,
                quantifier,
                filtered,
                f"order.subtotal {one(*RELATIONS)} {total}",
                f"order.subtotal {one('*', '+', '-', '/')} {one('2.0', '0.1', '1.1', '-1.0')} "
                f"{one(*RELATIONS)} {one('1.21', '2.0', '6.58', '11.98')}",
                f"session.daypartId {one('==', '!=')} {one(repr('lunch'), repr('dinner'))}",
                f"session.daypartId.{one('startsWith', 'endsWith', 'contains')}({one(repr('l'), repr('unc'))})",
                "session.daypartId in ['lunch', 'Fries']",
                f"order.metadata['fav'] == {one(*NAMES)}",
                "'fav' in order.metadata",
                "has(order.metadata.fav)",
                f"session.startTime.getHours('America/Chicago') {one(*RELATIONS)} {one(0, 5, 23)}",
                f"session.startTime.getDayOfWeek() == {one(0, 6, 7)}",
                f"session.languageCode {one('==', '!=')} {one(repr('en'), repr('EN'), repr('es'))}",
                f"order.items[0].displayName == {one(*NAMES)}",
                f"order.items.map(i, i.quantity).exists(q, q > {one(1, 3)})",
                "session.daypartId == order.metadata['fav']",
                f"session.daypartId {one('<', '!=')} order.metadata['fav']",
                "order.subtotal > double(order.items.size())",
                "int(session.daypartId) > 3",
            )
        )


def conditions(seed: int, count: int) -> Iterator[str]:
    """Conditions that compile."""
    grammar = Grammar(seed)
    while count:
        text = grammar.condition()
        try:
            compile_cel(text, schema=DEFAULT_SCHEMA)
        except CelError:
            continue
        count -= 1
        yield text


_KINDS = ((BURGER, ()), (BURGER, (CHEESE,)), (BURGER, (BACON,)), (FRIES, ()), (COLA, ()))
_QUANTITIES = ((0, 1, 2, 3), (0, 1), (0, 2), (0, 1, 2, 3), (0, 1, 2, 3))
ORDERS = [
    tuple(OrderLineItem(item, amount, mods) for (item, mods), amount in zip(_KINDS, amounts, strict=True) if amount)
    for amounts in product(*_QUANTITIES)
]
_ABSENT = None
_DAYPARTS = ("", "lunch", "dinner", "l", "lunchx", "xunch", "Burger", "Fries", "7")
_FAVORITES = (_ABSENT, "", "Burger", "Fries", "Pie", "lunch")
_COUNTS = ((1, 0, 0), (2, 0, 0), (3, 1, 0), (3, 2, 2), (6, 2, 1))
_TIMES = tuple(BEGIN + timedelta(days=day, hours=hour) for day in (0, 1) for hour in (0, 5, 6, 11, 12))


def states(text: str, dice: Random, most: int) -> Iterator[Witness]:
    """The states of a small domain in which a condition can be told apart: all, or so many."""
    dayparts = _DAYPARTS if "daypartId" in text else ("",)
    favorites = _FAVORITES if "metadata" in text else (_ABSENT,)
    counts = _COUNTS if "session.turn" in text or "upsell" in text else _COUNTS[:1]
    times = _TIMES if "startTime" in text else _TIMES[:1]
    languages = ("en", "es") if "languageCode" in text else ("en",)
    beside = list(product(dayparts, favorites, counts, times, languages))
    orders = ORDERS
    if len(beside) * len(orders) > most:
        orders = [(), *dice.sample(ORDERS, max(8, most // len(beside)))]
    for daypart, favorite, (turn, offers, declines), time, language in beside:
        sent = {("session", "daypartId"): daypart} if daypart else {}
        if favorite is not _ABSENT:
            sent[("order", "metadata", "fav")] = favorite
        for lines in orders:
            yield Witness(lines, sent, turn, offers, declines, language, time)


def values_found(text: str, dice: Random, most: int = 4000) -> dict[bool | None, Witness]:
    """A state for each value that a condition has somewhere in the domain; None is an error."""
    program, builder = compile_cel(text, schema=DEFAULT_SCHEMA), state_builder(DEFAULT_SCHEMA)
    found: dict[bool | None, Witness] = {}
    for state in states(text, dice, most):
        try:
            value = program.value(state.activation(builder, "s"))
        except CelError:
            value = None
        found.setdefault(value, state)
        if len(found) == 3:
            break
    return found
