"""Environment of a scenario: its documents, clock and temporary store; what happens in it, and its mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from trialrun.diagnostic import SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node
from trialrun.runtime.declaration import Catalog, DeclaredResource, UndeclaredError
from trialrun.values.suggest import did_you_mean
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.channel_config.catalog import BrandCatalog, DeclaredStore
    from trialrun.runtime.clock import FixedClock
    from trialrun.runtime.feature_view.trial_run import TrialRun
    from trialrun.runtime.options import Options
    from trialrun.runtime.scenario.coverage import CoverageRecorder

Declared = TypeVar("Declared")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An expectation, at its place in the scenario, and what was got; nothing is `expected` of a mistake there."""

    place: SymbolicLocation
    expected: str | None
    got: str


Event = str | Mismatch
"""What happens in a step: something was done, in words for the trace, or is not as expected."""
Events = Iterator[Event]


class ScenarioError(Exception):
    """A step, or the whole scenario, cannot be played for mistakes in it."""

    def __init__(self, place: SymbolicLocation, message: str, *others: Mismatch) -> None:
        super().__init__(message)
        self.mistakes = [Mismatch(place, None, message), *others]

    @classmethod
    def of(cls, mistakes: Sequence[Mismatch]) -> ScenarioError:
        """The error of some mistakes, in order."""
        first, *others = mistakes
        return cls(first.place, first.got, *others)


def until_mistake(events: Iterable[Event]) -> Events:
    """The events of a part of a step; mistakes that end it are the last ones."""
    try:
        yield from events
    except ScenarioError as error:
        yield from error.mistakes


def compare_refusal(
    expect: Any, at: Callable[..., SymbolicLocation], place: SymbolicLocation, error: Exception | None, got: str = ""
) -> Events:
    """Compare an error, or what was `got` without one, with the words that a message expects of a refusal.

    `at` tells where fields of the message are, `place` is where an error is reported that is not expected.
    """
    expected = expect.refused if expect else None
    if error is not None and expected is None:
        yield Mismatch(place, "no refusal", f"a refusal: {error}")
    elif expected is not None and (error is None or expected not in str(error)):
        instead = got if error is None else f"a refusal: {error}"
        yield Mismatch(at(expect, "refused"), f'a refusal with "{expected}"', instead)


@dataclass(frozen=True)
class Environment:
    """Where a scenario is played: it begins at a time; `folder` is a temporary one, gone with the scenario."""

    catalog: Catalog
    brands: BrandCatalog
    begin: datetime
    clock: FixedClock
    options: Options
    folder: str
    recorder: CoverageRecorder

    def view(self, step: Node, name: str | None, *path: str | int) -> DeclaredResource[FeatureView]:
        """The view that a step names, in its field `view` or where the steps lead. Raises ScenarioError."""
        return _declared(self.catalog.view, name, step.location(*path or ("view",)))

    def store_named(self, step: Node, name: str | None) -> DeclaredStore:
        """The store that a step names in its field `store`. Raises ScenarioError."""
        return _declared(self.brands.store, name, step.location("store"))

    def now(self) -> str:
        """The time on the clock, as the trace has it."""
        return format_timestamp(self.clock.now())

    @cached_property
    def trial(self) -> TrialRun:
        """What syncs, reads and searches the views; their indexes are in memory."""
        from trialrun.runtime.feature_view.store.store_folder import StoreFolder
        from trialrun.runtime.feature_view.trial_run import TrialRun, ViewStores

        stores = ViewStores(StoreFolder(self.folder, temporary=True), keeps_indexes=False)
        return TrialRun(self.catalog, stores, self.clock, self.options)


def _declared(find: Callable[[str], Declared], name: str | None, place: SymbolicLocation) -> Declared:
    try:
        return find(name or "")
    except UndeclaredError as error:
        raise ScenarioError(place, f"{error}{did_you_mean(name or '', error.candidates)}") from error
