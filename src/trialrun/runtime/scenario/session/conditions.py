"""Expected conditions of CEL upsells, and expected parts of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.runtime.scenario.compare import matches_expected
from trialrun.runtime.scenario.events import Event, ScenarioMistake, UnmetExpectation
from trialrun.runtime.scenario.format import format_value
from trialrun.runtime.scenario.session.format import collapse_spaces, format_condition
from trialrun.runtime.scenario.session.offers import find_upsell, why_not_offered
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model.scenario_steps import ExpectedCondition, ExpectedTurn
    from trialrun.runtime.channel_config.session.turn import EvaluatedCondition, Turn
    from trialrun.runtime.scenario.session.context import SessionContext
    from trialrun.values.cel import Subexpression


def compare_conditions(expect: ExpectedTurn, turn: Turn, context: SessionContext) -> Iterator[Event]:
    """The conditions that are expected to have come to something else."""
    for expected in expect.conditions or ():
        upsell = find_upsell(expected, context)
        if isinstance(upsell, ScenarioMistake):
            yield upsell
            continue
        if upsell.celUpsell is None:
            yield ScenarioMistake(
                context.at(expected, "upsell"), f'"{expected.upsell}" is not a CEL upsell, so it has no condition'
            )
            continue
        got = next(
            (condition for condition in turn.conditions if upsell_name(condition.upsell) == expected.upsell), None
        )
        if got is None:
            yield UnmetExpectation(
                context.at(expected, "upsell"), "its condition to be evaluated", why_not_offered(upsell, turn)
            )
        else:
            yield from _compare_condition(expected, got, context)


def _compare_condition(
    expected: ExpectedCondition, got: EvaluatedCondition, context: SessionContext
) -> Iterator[Event]:
    if expected.value is not None and got.value is not expected.value:
        yield UnmetExpectation(context.at(expected, "value"), format_value(expected.value), format_condition(got))
    if expected.error is not None and expected.error not in (got.error or ""):
        yield UnmetExpectation(
            context.at(expected, "error"), f'a failure with "{expected.error}"', format_condition(got)
        )
    by_text: dict[str, Subexpression] = {}
    for part in got.parts if expected.parts else ():
        by_text.setdefault(collapse_spaces(part.text), part)
    for text, value in (expected.parts or {}).items():
        yield from _compare_part(expected, text, value, by_text, context)


def _compare_part(
    expected: ExpectedCondition, text: str, value: object, by_text: dict[str, Subexpression], context: SessionContext
) -> Iterator[Event]:
    place = context.at(expected, "parts", text)
    part = by_text.get(collapse_spaces(text))
    if part is None:
        near = did_you_mean(collapse_spaces(text), by_text) or f"; it has {', '.join(by_text)}"
        yield ScenarioMistake(place, f'the condition has no part "{collapse_spaces(text)}"{near}')
    elif part.error is not None:
        yield UnmetExpectation(place, format_value(value), f"it fails: {part.error}")
    elif not matches_expected(part.value, value):
        yield UnmetExpectation(place, format_value(value), format_value(part.value))
