"""The step `resolve`: what is effective at a store, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.scenario.event import CannotPlay, Event

if TYPE_CHECKING:
    from trialrun.model.store_steps import ResolveStep
    from trialrun.runtime.scenario.stage import Stage


def play(step: ResolveStep, stage: Stage) -> Iterator[Event]:
    """Compare effective values of a store with those expected."""
    stage.store_called(step, step.store)
    raise CannotPlay(step.at(), "what is effective at a store cannot be asked yet; leave this step out")
