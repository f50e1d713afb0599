"""The step `session`: an order at a store, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.scenario.event import CannotPlay, Event

if TYPE_CHECKING:
    from trialrun.model.store_steps import SessionStep
    from trialrun.runtime.scenario.stage import Stage


def play(step: SessionStep, stage: Stage) -> Iterator[Event]:
    """Play the turns of a session."""
    stage.store_called(step, step.store)
    raise CannotPlay(step.at(), "a session cannot be played yet; leave this step out")
