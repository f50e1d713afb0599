"""Environment of a scenario: its documents, clock and temporary store, its trace, and what it covers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.diagnostic import SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.declaration import Catalog, DeclaredResource, UndeclaredError
from trialrun.values.resource_name import last_id
from trialrun.values.suggest import did_you_mean
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.catalog import BrandCatalog, DeclaredStore
    from trialrun.runtime.clock import FixedClock
    from trialrun.runtime.feature_view.trial_run import TrialRun
    from trialrun.runtime.options import Options


@dataclass(frozen=True, slots=True)
class StepDone:
    """Something was done, in words for the trace."""

    text: str


@dataclass(frozen=True, slots=True)
class UnmetExpectation:
    """An expectation, at its place in the scenario, that what was got does not meet."""

    place: SymbolicLocation
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class ScenarioMistake:
    """A place of the scenario that is wrong in itself, such as a name that nothing has."""

    place: SymbolicLocation
    message: str


Event = StepDone | UnmetExpectation | ScenarioMistake


class ScenarioError(Exception):
    """A step, or the whole scenario, cannot be played for a mistake in it."""

    def __init__(self, place: SymbolicLocation, message: str) -> None:
        super().__init__(message)
        self.mistake = ScenarioMistake(place, message)


@dataclass(frozen=True, slots=True, order=True)
class CoverageTarget:
    """Something that a scenario can exercise: one `name` of an aspect, such as the feature `guests.tier`.

    `path` and `line` are where it is declared. `key` tells it from others of its name; the name does without one.
    """

    aspect: str
    name: str
    path: str = field(compare=False)
    line: int = field(compare=False)
    key: str = ""

    @property
    def id(self) -> tuple[str, str]:
        """What it is noted by."""
        return self.aspect, self.key or self.name


class CoverageRecorder:
    """Collects, over all scenarios that are played, what is exercised; `discovered` are subjects found while playing.

    `is_enabled` says whether anyone will ask; what takes long to find out is only noted then.
    """

    def __init__(self, *, is_enabled: bool = True) -> None:
        self.is_asked = is_enabled
        self._recorded: set[tuple[str, str]] = set()
        self.discovered: dict[tuple[str, str], CoverageTarget] = {}

    def record(self, aspect: str, *names: str) -> None:
        """Note that names of an aspect are exercised."""
        self._recorded.update((aspect, name) for name in names)

    def add_targets(self, targets: Iterable[CoverageTarget]) -> None:
        """Note subjects that only playing tells, such as the columns of a table."""
        for target in targets:
            self.discovered.setdefault(target.id, target)

    def covers(self, target: CoverageTarget) -> bool:
        """Whether a subject was exercised."""
        return target.id in self._recorded

    def is_recorded(self, aspect: str, name: str) -> bool:
        """Whether a name of an aspect was exercised."""
        return (aspect, name) in self._recorded


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
        try:
            return self.catalog.view(name or "")
        except UndeclaredError as error:
            near = did_you_mean(name or "", error.candidates)
            raise ScenarioError(SymbolicLocation(step, path or ("view",)), f"{error}{near}") from error

    def store_named(self, step: Node, name: str | None) -> DeclaredStore:
        """The store that a step names in its field `store`. Raises ScenarioError."""
        try:
            return self.brands.store(name or "")
        except UndeclaredError as error:
            near = did_you_mean(name or "", error.candidates)
            raise ScenarioError(SymbolicLocation(step, ("store",)), f"{error}{near}") from error

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


def view_id(view: DeclaredResource[FeatureView]) -> str:
    """The name of a view in the trace: the id at its end."""
    return last_id(view.node.name or "")


def view_target_name(view: DeclaredResource[FeatureView], part: str | None = None) -> str:
    """What a view, or a part of one, is called in coverage: the ids of its store and its own."""
    name = "/".join((view.node.name or "").split("/")[-3::2])
    return name if part is None else f"{name}.{part}"


def store_target_name(store: DeclaredStore) -> str:
    """What a store is called in coverage: the ids of its brand and its own."""
    return f"{last_id(store.brand.node.name or '')}/{last_id(store.name)}"
