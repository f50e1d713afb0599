"""The kinds of steps: a field of `ScenarioStep` in the model, and the player of that name here.

A player takes the message of its step and the stage, and yields what happens. A new kind of step is one field there,
one module here, and one line below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialrun.runtime.scenario.environment import Environment, Event

STEP_MODULES = {
    "sync": "trialrun.runtime.scenario.steps.sync",
    "fetch": "trialrun.runtime.scenario.steps.fetch",
    "search": "trialrun.runtime.scenario.steps.search",
    "schedule": "trialrun.runtime.scenario.steps.schedule",
    "wait": "trialrun.runtime.scenario.steps.wait",
    "write": "trialrun.runtime.scenario.steps.write",
    "resolve": "trialrun.runtime.scenario.steps.resolve",
    "session": "trialrun.runtime.scenario.steps.session",
}
"""The module of each kind of step; its `play` is imported when a scenario has such a step."""


def step_player(deed: str) -> Callable[[Any, Environment], Iterator[Event]]:
    """The player of a kind of step."""
    play: Callable[[Any, Environment], Iterator[Event]] = import_module(STEP_MODULES[deed]).play
    return play
