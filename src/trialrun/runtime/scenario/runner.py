"""A scenario played from its beginning to its end: every failure is told, and the steps after it are played too."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.diagnostic import Place
from trialrun.runtime.clock import SetClock
from trialrun.runtime.scenario.environment import Stage
from trialrun.runtime.scenario.events import CannotPlay, Done, Event, Mistake
from trialrun.runtime.scenario.format import NoTime, moment, moment_text
from trialrun.runtime.scenario.given import with_given
from trialrun.runtime.scenario.result import Failure, Outcome
from trialrun.runtime.scenario.steps import PLAYERS, player

if TYPE_CHECKING:
    from trialrun.model.scenario import Scenario, ScenarioStep
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog, Declared
    from trialrun.runtime.options import Options
    from trialrun.runtime.scenario.coverage_recorder import Seen


def play(
    scenario: Declared[Scenario],
    catalog: Catalog,
    brands: BrandCatalog,
    *,
    now: datetime,
    options: Options,
    seen: Seen,
) -> Outcome:
    """Play a scenario that the linter has no error in, over the documents of a workspace.

    `now` is the clock of a scenario that sets none; what it exercises is noted in `seen`. Everything that it writes is
    in a temporary folder that is gone afterwards.
    """
    node = scenario.node
    with tempfile.TemporaryDirectory(prefix="trialrun-scenario-", ignore_cleanup_errors=True) as folder:
        try:
            begin = _begin(node, now)
            given = with_given(scenario, catalog, folder)
        except CannotPlay as error:
            return _outcome(scenario, [error.mistake])
        except NoTime as error:  # the settings may have switched off the rule that tells it
            return _outcome(scenario, [Mistake(node.at("clock"), str(error))])
        stage = Stage(given, brands, begin, SetClock(begin), options, folder, seen)
        return _outcome(scenario, _events(node, stage))


def _begin(scenario: Scenario, now: datetime) -> datetime:
    """The moment at which a scenario begins: its clock, else that of its first step, else now."""
    first = scenario.steps[0].clock if scenario.steps else None
    return moment(scenario.clock or first or moment_text(now))


def _events(scenario: Scenario, stage: Stage) -> Iterator[Event]:
    for step in scenario.steps or ():
        try:
            _move(stage.clock, step)
            yield from _played(step, stage)
        except CannotPlay as error:
            yield error.mistake
        except NoTime as error:
            yield Mistake(step.at(), str(error))


def _move(clock: SetClock, step: ScenarioStep) -> None:
    if step.clock is None:
        return
    then = moment(step.clock)
    if then < clock.now():
        message = f"the clock goes back, from {moment_text(clock.now())}; order the steps by their time"
        raise CannotPlay(step.at("clock"), message)
    clock.set(then)


def _played(step: ScenarioStep, stage: Stage) -> Iterator[Event]:
    for deed in PLAYERS:
        message = getattr(step, deed)
        if message is not None:
            yield from player(deed)(message, stage)


def _outcome(scenario: Declared[Scenario], events: Iterable[Event]) -> Outcome:
    trace: list[str] = []
    failures: list[Failure] = []
    for event in events:
        if isinstance(event, Done):
            trace.append(event.text)
        elif isinstance(event, Mistake):
            failures.append(Failure(scenario.locate(event.place), None, event.message, tuple(trace)))
        else:
            failures.append(Failure(scenario.locate(event.place), event.expected, event.got, tuple(trace)))
    node = scenario.node
    line = scenario.locate(Place(node, ("name",))).start.line
    return Outcome(node.name or "", scenario.path, line, tuple(failures))
