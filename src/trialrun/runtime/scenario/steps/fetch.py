"""The step `fetch`: what is served for entities is compared with what is expected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.scenario.environment import short, subject
from trialrun.runtime.scenario.events import Done, Event
from trialrun.runtime.scenario.expected_values import REFUSALS, compared, layout_of, not_refused, refused, served
from trialrun.runtime.scenario.format import id_text, values_text

if TYPE_CHECKING:
    from trialrun.model.scenario import FetchStep
    from trialrun.runtime.feature_view.store.interface import EntityId, Served
    from trialrun.runtime.scenario.environment import Stage


def play(step: FetchStep, stage: Stage) -> Iterator[Event]:
    """Fetch the entities that are expected."""
    view = stage.view(step, step.view)
    stage.seen.touch("views", subject(view))
    expected = (step.expect.served if step.expect else None) or []
    try:
        layout_of(view, stage)
        found, _ = served(expected, view, stage)
    except REFUSALS as error:
        yield Done(f"{stage.now()} fetch {short(view)}: refused: {error}")
        yield from refused(step, step.expect, error)
        return
    told = "; ".join(_told(id, got) for _, id, got in found)
    yield Done(f"{stage.now()} fetch {short(view)}: {told or 'nothing asked for'}")
    yield from not_refused(step.expect, told or "it is served")
    yield from compared(expected, view, stage)


def _told(id: EntityId, got: Served | None) -> str:
    return f"{id_text(id)} {values_text(got.values) if got else 'is not served'}"
