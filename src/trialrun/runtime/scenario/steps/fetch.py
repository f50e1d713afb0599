"""The step `fetch`: compares served values with expectations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.scenario.environment import Event, StepDone, view_id, view_target_name
from trialrun.runtime.scenario.expected_values import (
    REFUSALS,
    check_no_refusal,
    check_refusal,
    compare_served,
    fetch_expected,
    served_layout,
)
from trialrun.runtime.scenario.format import format_id, format_values

if TYPE_CHECKING:
    from trialrun.model.scenario import FetchStep
    from trialrun.runtime.feature_view.store.interface import EntityId, ServedEntity
    from trialrun.runtime.scenario.environment import Environment


def play(step: FetchStep, environment: Environment) -> Iterator[Event]:
    """Fetch the entities that are expected."""
    view = environment.view(step, step.view)
    environment.recorder.record("views", view_target_name(view))
    expected = (step.expect.served if step.expect else None) or []
    try:
        served_layout(view, environment)
        fetched, _ = fetch_expected(expected, view, environment)
    except REFUSALS as error:
        yield StepDone(f"{environment.now()} fetch {view_id(view)}: refused: {error}")
        yield from check_refusal(step, step.expect, error)
        return
    served_text = "; ".join(_format_served(id, served) for _, id, served in fetched)
    yield StepDone(f"{environment.now()} fetch {view_id(view)}: {served_text or 'nothing asked for'}")
    yield from check_no_refusal(step.expect, served_text or "it is served")
    yield from compare_served(expected, view, environment)


def _format_served(id: EntityId, got: ServedEntity | None) -> str:
    return f"{format_id(id)} {format_values(got.values) if got else 'is not served'}"
