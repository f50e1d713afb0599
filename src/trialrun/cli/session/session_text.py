"""A session for people: turn by turn what the customer does, what the agent says and offers, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.cli.session.condition_tree import shown, tree
from trialrun.cli.session.writer import INDENT, LABEL, Sheet
from trialrun.lazy_dataclass import dataclass
from trialrun.report.format_value import shown_moment
from trialrun.report.summary import counted
from trialrun.report.table import joined, listed
from trialrun.report.terminal_width import width as width_of
from trialrun.runtime.channel_config.session.turn import called

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import Ordered
    from trialrun.runtime.channel_config.origin import Origin
    from trialrun.runtime.channel_config.session.actions import SetState
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Condition, Mapped, Offered, PassedOver, Said, Turn
    from trialrun.values.cel import Part

DEEP = INDENT + LABEL
MOST_NAMES = 4
"""The upsells of one reason that are named, in short."""
HEARD = {"SINGLE_TARGET": "means", "INVALID_ITEM": "is not to be had; there is", "DISAMBIGUATION": "may mean"}


@dataclass
class Report:
    """What is shown of a session; with `reasons`, also the conditions part by part and where everything comes from.

    `language` is the one of the turn before.
    """

    sheet: Sheet
    reasons: bool = True
    language: str = ""
    _trees: dict[str, tuple[int, Sequence[Part]]] = field(default_factory=dict)

    def turn(self, turn: Turn) -> Iterator[str]:
        """The lines of a turn."""
        word = f"turn {turn.number}" if turn.number else "welcome"
        yield from self.sheet.title(word, turn.customer if turn.number else turn.language)
        if turn.number and turn.language != self.language:
            yield from self.sheet.told("speaks", turn.language)
        self.language = turn.language
        for mapped in turn.mapped:
            yield from self._heard(mapped)
        if turn.silence is not None:
            yield from self.sheet.told("says", f"nothing: {turn.silence}", "gutter")
        for said in turn.said:
            yield from self._said(said, turn.language)
        yield from self.upsells(turn)
        if turn.number:
            yield from ordered_lines(turn.order, self.sheet)
        yield "\n"

    def upsells(self, turn: Turn, name: str | None = None) -> Iterator[str]:
        """What is offered in a turn and what is not: all upsells, or those that are called so."""
        conditions = {id(one.upsell): one for one in turn.conditions}
        offered = [one for one in turn.offered if name in (None, called(one.upsell))]
        passed = [one for one in turn.passed_over if name in (None, called(one.upsell))]
        for offer in offered:
            yield from self._offered(offer)
            yield from self._condition(conditions.get(id(offer.upsell)), turn.number)
        if name is None and not any(one.kind != "suggestion" for one in turn.offered):
            yield from self.sheet.told("offers", "nothing", "gutter")
        if not self.reasons:
            yield from self._in_short(passed)
            return
        for one in passed:
            yield from self._passed_over(one)
            yield from self._condition(conditions.get(id(one.upsell)), turn.number)

    def _in_short(self, passed: Sequence[PassedOver]) -> Iterator[str]:
        """What is passed over, those of one reason together."""
        alike: dict[str, list[str]] = {}
        for one in passed:
            alike.setdefault(one.reason.text, []).append(called(one.upsell))
        for reason, names in alike.items():
            named = [f'"{name}"' for name in names[:MOST_NAMES]]
            named += [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
            yield from self.sheet.told(
                "skips", f"{' and '.join(filter(None, [', '.join(named[:-1]), named[-1]]))}: {reason}"
            )

    def _heard(self, mapped: Mapped) -> Iterator[str]:
        targets = (" and " if mapped.kind == "SINGLE_TARGET" else " or ").join(map(_target, mapped.targets))
        meaning = f"{HEARD[mapped.kind]} {targets}" if targets else HEARD[mapped.kind].partition(";")[0]
        yield from self.sheet.told("hears", f'"{mapped.heard}" {meaning}')
        yield from self._from(mapped.origin)

    def _said(self, said: Said, spoken: str) -> Iterator[str]:
        label = "is told" if said.kind == "instruction" else "says"
        yield from self.sheet.told(label, said.text, "rule")
        if self.reasons or said.language not in (None, spoken):
            kind = said.kind.replace("-", " ")
            yield from self.sheet.told("", f"{kind} in {said.language}" if said.language else kind, "gutter")
        yield from self._from(said.origin)

    def _offered(self, offer: Offered) -> Iterator[str]:
        label = "shows" if offer.kind == "suggestion" else "offers"
        items = " or ".join(offer.items)
        with_ = f" with {', '.join(offer.modifiers)}" if offer.modifiers else ""
        made = f"{items}{with_} ({called(offer.upsell)})" if items else called(offer.upsell)
        yield from self.sheet.told(label, made, "clean")
        yield from self.sheet.told("", offer.reason)
        yield from self._from(offer.origin)

    def _passed_over(self, one: PassedOver) -> Iterator[str]:
        reasons = "; ".join(reason.text for reason in one.reasons)
        yield from self.sheet.told("skips", f"{called(one.upsell)}: {reasons}")
        yield from self._from(one.origin)

    def _from(self, origin: Origin) -> Iterator[str]:
        if self.reasons:
            yield from self.sheet.told("", place(origin), "place")

    def _condition(self, condition: Condition | None, turn: int) -> Iterator[str]:
        """The parts of a condition; of one that has the values that it had before, when that was."""
        if not self.reasons or condition is None or not condition.parts:
            return
        before = self._trees.get(called(condition.upsell))
        if before and before[1] == condition.parts and before[0] != turn:
            yield from self.sheet.told("", f"every part of it is as in turn {before[0]}", "gutter")
            return
        self._trees[called(condition.upsell)] = turn, condition.parts
        yield from tree(condition.parts, self.sheet, begin=DEEP)


def beginning(
    title: str, session: Session, begin: datetime, settings: Sequence[SetState], sheet: Sheet, *, told: bool
) -> Iterator[str]:
    """What holds from the beginning: the seed, the time, the state that was sent, what the agent is told and can do.

    Customer terms that it never hears are shown as well, with the reason.
    """
    yield from sheet.title(title, f"seed {session.seed}, {shown_moment(begin)}")
    for one in settings:
        yield from sheet.told("is sent", f"{'.'.join(one.path)} = {shown(one.value)}")
    if told:
        yield from told_to_agent(session, sheet)
    else:
        words = f"{counted(len(session.instructions), 'instruction')}, {counted(len(session.tools), 'tool')}"
        yield from sheet.told("is told", f"{words}; --instructions shows them", "gutter")
    for term in session.unheard:
        yield from sheet.told("unheard", f'"{term.term}": {term.reason}')
        yield from sheet.told("", place(term.origin), "place")
    yield "\n"


def told_to_agent(session: Session, sheet: Sheet) -> Iterator[str]:
    """The instructions and the tools of the agent, each with its origin."""
    for instruction in session.instructions:
        yield from sheet.told("is told", instruction.text)
        yield from sheet.told("", place(instruction.origin), "place")
    for tool in session.tools:
        yield from sheet.told("can", f"{tool.name}: {tool.description}")
        yield from sheet.told("", place(tool.origin), "place")


def ordered_lines(order: Sequence[Ordered], sheet: Sheet) -> Iterator[str]:
    """What is ordered, and what it costs."""
    if not order:
        yield from sheet.told("order", "nothing", "gutter")
        return
    rows = [[ordered_text(one), _price(one.item.price * one.quantity)] for one in order]
    rows += [["in all", _price(total(order))]] if len(order) > 1 and total(order) else []
    room = sheet.width - DEEP
    if max(width_of(text) for text, _ in rows) + 2 + max(width_of(price) for _, price in rows) > room:
        lines = [f"{text}  {price}".rstrip() for text, price in rows]
    else:
        lines = [joined(cells) for cells in listed(rows, width=room, right=[1])]
    for number, line in enumerate(lines):
        yield from sheet.told("" if number else "order", line)


def total(order: Sequence[Ordered]) -> float:
    """The price of an order."""
    return sum(one.item.price * one.quantity for one in order)


def _price(price: float) -> str:
    return f"{price:.2f}" if price else ""


def ordered_text(one: Ordered) -> str:
    """An order line: `2 Classic Smash with No Onions`."""
    modifiers = f" with {', '.join(modifier.name for modifier in one.modifiers)}" if one.modifiers else ""
    return f"{one.quantity} {one.item.name}{modifiers}"


def _target(one: Ordered) -> str:
    """What a customer means: its quantity is said where it is not one."""
    return ordered_text(one).removeprefix("1 ")


def place(origin: Origin) -> str:
    """Where a value stands."""
    return f"{origin.path}:{origin.line}"
