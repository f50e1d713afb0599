"""What a turn came to, compared with what is expected of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.runtime.scenario.events import Event, Unmet
from trialrun.runtime.scenario.session.conditions import conditions
from trialrun.runtime.scenario.session.context import Misread, Scene
from trialrun.runtime.scenario.session.format import mapped_text, order_text, plain, said_text
from trialrun.runtime.scenario.session.offers import offers

if TYPE_CHECKING:
    from trialrun.model.scenario_steps import ExpectedMapping, ExpectedSaid, ExpectedTurn
    from trialrun.runtime.channel_config.menu import Ordered
    from trialrun.runtime.channel_config.session.turn import Mapped, Said, Turn

SILENCE = "nothing"


def compared(expect: ExpectedTurn, turn: Turn, scene: Scene) -> Iterator[Event]:
    """Everything that is expected of a turn and is not so."""
    yield from offers(expect, turn, scene)
    yield from _said(expect, turn, scene)
    if expect.language is not None and expect.language.casefold() != turn.language.casefold():
        yield Unmet(scene.at(expect, "language"), expect.language, turn.language or "no language")
    yield from _mapped(expect, turn, scene)
    if expect.order is not None:
        yield from _order(expect, expect.order, turn, scene)
    yield from conditions(expect, turn, scene)


def _said(expect: ExpectedTurn, turn: Turn, scene: Scene) -> Iterator[Event]:
    if expect.said == [] and turn.said:
        yield Unmet(scene.at(expect, "said"), "silence", _all_said(turn.said))
    for wanted in expect.said or ():
        yield from _one_said(wanted, turn, scene)
    for index, text in enumerate(expect.notSaid or ()):
        for one in turn.said:
            if plain(text) in plain(one.text):
                yield Unmet(scene.at(expect, "notSaid", index), f'nothing with "{text}"', said_text(one))


def _one_said(wanted: ExpectedSaid, turn: Turn, scene: Scene) -> Iterator[Event]:
    """The first thing by which no text is left says what is not so."""
    left = list(turn.said)
    for field, words, is_met in _tests(wanted):
        kept = [one for one in left if is_met(one)]
        if not kept:
            yield Unmet(scene.at(wanted, field), words, _all_said(left))
            return
        left = kept


def _tests(wanted: ExpectedSaid) -> Iterator[tuple[str, str, Callable[[Said], bool]]]:
    """What a text must be: the field that says so, in words, and how it is told."""
    if (text := wanted.text) is not None:
        yield "text", f'a text with "{text}"', lambda one: plain(text) in plain(one.text)
    if (kind := wanted.kind) is not None:
        yield "kind", f"it as {kind}", lambda one: one.kind == kind
    if (language := wanted.language) is not None:
        yield "language", f"it in {language}", lambda one: (one.language or "").casefold() == language.casefold()


def _all_said(said: Sequence[Said]) -> str:
    return ", ".join(map(said_text, said)) or SILENCE


def _mapped(expect: ExpectedTurn, turn: Turn, scene: Scene) -> Iterator[Event]:
    if expect.mapped is None:
        return
    left = list(turn.mapped)
    for wanted in expect.mapped:
        got = next((one for one in left if _same_term(one.term, wanted.term)), None)
        if got is None:
            told = ", ".join(map(mapped_text, turn.mapped)) or SILENCE
            yield Unmet(scene.at(wanted, "term"), f'"{wanted.term}" to be heard', told)
            continue
        left.remove(got)
        yield from _meaning(wanted, got, scene)
    if left:
        none = "no customer terms but those named" if expect.mapped else "no customer term"
        yield Unmet(scene.at(expect, "mapped"), none, ", ".join(map(mapped_text, left)))


def _meaning(wanted: ExpectedMapping, got: Mapped, scene: Scene) -> Iterator[Event]:
    if wanted.type is not None and wanted.type != got.kind:
        yield Unmet(scene.at(wanted, "type"), wanted.type, got.kind)
    if wanted.targets is None:
        return
    try:
        targets = scene.order(wanted, "targets", wanted.targets)
    except Misread as error:
        yield from error.mistakes
        return
    if _counted(targets) != _counted(got.targets):
        yield Unmet(scene.at(wanted, "targets"), order_text(targets), order_text(got.targets))


def _order(expect: ExpectedTurn, texts: Sequence[str], turn: Turn, scene: Scene) -> Iterator[Event]:
    """Every line that is expected must be there as often, and none else."""
    try:
        wanted = scene.order(expect, "order", texts)
    except Misread as error:
        yield from error.mistakes
        return
    left = _counted(turn.order)
    for index, one in enumerate(wanted):
        if left[_key(one)] < one.quantity:
            yield Unmet(scene.at(expect, "order", index), f"{order_text([one])} in the order", order_text(turn.order))
        left[_key(one)] -= one.quantity
    if any(count > 0 for count in left.values()) and all(count >= 0 for count in left.values()):
        none = "nothing in the order but what is named" if wanted else "an empty order"
        yield Unmet(scene.at(expect, "order"), none, order_text(turn.order))


def _counted(order: Sequence[Ordered]) -> Counter[tuple[object, ...]]:
    """How many there are of each item with the same modifiers, on however many lines."""
    counts: Counter[tuple[object, ...]] = Counter()
    for one in order:
        counts[_key(one)] += one.quantity
    return counts


def _key(one: Ordered) -> tuple[object, ...]:
    return (one.item.name, one.item.id, *sorted((modifier.name, modifier.group) for modifier in one.modifiers))


def _same_term(one: str, other: str | None) -> bool:
    return plain(one).casefold() == plain(other or "").casefold()
