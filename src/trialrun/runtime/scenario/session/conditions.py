"""Conditions of CEL upsells as they are expected, and parts of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.session.turn import called
from trialrun.runtime.scenario.compare import is_as_expected
from trialrun.runtime.scenario.events import Event, Mistake, Unmet
from trialrun.runtime.scenario.format import did_you_mean, value_text
from trialrun.runtime.scenario.session.format import condition_text, plain
from trialrun.runtime.scenario.session.offers import upsell_of, why_not

if TYPE_CHECKING:
    from trialrun.model.scenario_steps import ExpectedCondition, ExpectedTurn
    from trialrun.runtime.channel_config.session.turn import Condition, Turn
    from trialrun.runtime.scenario.session.context import Scene
    from trialrun.values.cel import Part


def conditions(expect: ExpectedTurn, turn: Turn, scene: Scene) -> Iterator[Event]:
    """The conditions that are expected to have come to something else."""
    for wanted in expect.conditions or ():
        upsell = upsell_of(wanted, scene)
        if isinstance(upsell, Mistake):
            yield upsell
            continue
        if upsell.celUpsell is None:
            yield Mistake(scene.at(wanted, "upsell"), f'"{wanted.upsell}" is no CEL upsell; it has no condition')
            continue
        got = next((one for one in turn.conditions if called(one.upsell) == wanted.upsell), None)
        if got is None:
            yield Unmet(scene.at(wanted, "upsell"), "its condition to be evaluated", why_not(upsell, turn))
        else:
            yield from _one(wanted, got, scene)


def _one(wanted: ExpectedCondition, got: Condition, scene: Scene) -> Iterator[Event]:
    if wanted.value is not None and got.value is not wanted.value:
        yield Unmet(scene.at(wanted, "value"), value_text(wanted.value), condition_text(got))
    if wanted.error is not None and wanted.error not in (got.error or ""):
        yield Unmet(scene.at(wanted, "error"), f'a failure with "{wanted.error}"', condition_text(got))
    by_text: dict[str, Part] = {}
    for part in got.parts if wanted.parts else ():
        by_text.setdefault(plain(part.text), part)
    for text, value in (wanted.parts or {}).items():
        yield from _part(wanted, text, value, by_text, scene)


def _part(
    wanted: ExpectedCondition, text: str, value: object, by_text: dict[str, Part], scene: Scene
) -> Iterator[Event]:
    place = scene.at(wanted, "parts", text)
    part = by_text.get(plain(text))
    if part is None:
        near = did_you_mean(plain(text), by_text) or f"; it has {', '.join(by_text)}"
        yield Mistake(place, f'the condition has no part "{plain(text)}"{near}')
    elif part.error is not None:
        yield Unmet(place, value_text(value), f"it fails: {part.error}")
    elif not is_as_expected(part.value, value):
        yield Unmet(place, value_text(value), value_text(part.value))
