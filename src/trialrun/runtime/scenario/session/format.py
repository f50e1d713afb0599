"""What a turn came to, in words for the trace and for what was got instead of what was expected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.session.turn import called
from trialrun.runtime.scenario.format import value_text
from trialrun.runtime.scenario.session.deciding_operands import decisive

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import Ordered
    from trialrun.runtime.channel_config.session.turn import Condition, Mapped, Offered, PassedOver, Said, Turn
    from trialrun.values.cel import Part

LONGEST = 60
"""The characters of a text of the agent that are shown."""


def turn_text(turn: Turn, language: str | None = None) -> str:
    """What happened in a turn, in a line of the trace; the `language` of the turn before goes without saying."""
    head = f'turn {turn.number} "{_cut(turn.customer)}"' if turn.number else "welcome"
    tongue = f" in {turn.language}" if turn.language and turn.language != language else ""
    told = [*_heard(turn), *_done(turn), *([f"order: {order_text(turn.order)}"] if turn.number else [])]
    return f"{head}{tongue}: {'; '.join(told)}"


def _heard(turn: Turn) -> Iterator[str]:
    for one in turn.mapped:
        yield f"heard {mapped_text(one)}"
    if turn.said:
        yield f"said {', '.join(map(said_text, turn.said))}"
    elif not turn.number:
        yield "said nothing"


def _done(turn: Turn) -> Iterator[str]:
    made = [one for one in turn.offered if one.kind != "suggestion"]
    shown = [one for one in turn.offered if one.kind == "suggestion"]
    yield f"offered {', '.join(map(offered_text, made))}" if made else "offered nothing"
    if shown:
        yield f"showed {', '.join(map(offered_text, shown))}"
    if turn.passed_over:
        yield f"passed over {_by_reason(turn.passed_over)}"


def _by_reason(passed_over: Sequence[PassedOver]) -> str:
    by_code: dict[str, list[str]] = {}
    for one in passed_over:
        by_code.setdefault(one.reason.code, []).append(f'"{called(one.upsell)}"')
    return "; ".join(f"{', '.join(names)} ({code})" for code, names in by_code.items())


def offered_text(one: Offered) -> str:
    """An upsell that is made, with its items and modifiers."""
    modifiers = f" with {', '.join(one.modifiers)}" if one.modifiers else ""
    return f'"{called(one.upsell)}" ({", ".join(one.items)}{modifiers})'


def said_text(one: Said) -> str:
    """A text that is said, with its sort and its language."""
    return f'"{_cut(one.text)}" ({", ".join(part for part in (one.kind, one.language) if part)})'


def mapped_text(one: Mapped) -> str:
    """A customer term that was heard, and what it means."""
    return f'"{one.term}" as {one.kind} of {" / ".join(map(ordered_text, one.targets))}'


def order_text(order: Sequence[Ordered]) -> str:
    """The lines of an order."""
    return ", ".join(map(ordered_text, order)) or "nothing"


def ordered_text(one: Ordered) -> str:
    """A line of an order, as a script writes it."""
    modifiers = f" with {', '.join(modifier.name for modifier in one.modifiers)}" if one.modifiers else ""
    return f"{f'{one.quantity} ' if one.quantity != 1 else ''}{one.item.name}{modifiers}"


def condition_text(one: Condition) -> str:
    """What a condition came to, and the parts that this rests on."""
    if one.error is not None:
        return f"it fails: {one.error}"
    text = (one.upsell.celUpsell.conditionExpression if one.upsell.celUpsell else None) or ""
    return "; ".join(_resting(text, one.parts)) or value_text(one.value)


def _resting(text: str, parts: Sequence[Part]) -> Iterator[str]:
    """The parts that a condition's value rests on, each with the scalars that it compares."""
    for part in decisive(text, parts):
        within = [one for one in parts if _is_in(one, part) and isinstance(one.value, (str, int, float, datetime))]
        outer = [one for one in within if not any(_is_in(one, other) for other in within)]
        known = f" ({', '.join(f'{plain(one.text)} is {value_text(one.value)}' for one in outer)})" if outer else ""
        yield f"{_cut(part.text)} {'fails' if part.error is not None else f'is {value_text(part.value)}'}{known}"


def _is_in(inner: Part, outer: Part) -> bool:
    return inner is not outer and outer.start <= inner.start and inner.end <= outer.end


def plain(text: str) -> str:
    """A text with single blanks."""
    return " ".join(text.split())


def _cut(text: str) -> str:
    line = plain(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
