"""What a scenario is played on: the documents, a clock that the scenario moves, and a store that nobody else sees."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.diagnostic import Place
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.declaration import Catalog, Declared, NotDeclared
from trialrun.runtime.scenario.coverage_recorder import Seen
from trialrun.runtime.scenario.events import CannotPlay
from trialrun.runtime.scenario.format import did_you_mean, moment_text
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.catalog import BrandCatalog, StoreOfBrand
    from trialrun.runtime.clock import SetClock
    from trialrun.runtime.feature_view.indexes import Indexes
    from trialrun.runtime.feature_view.store.sqlite import SqliteStore
    from trialrun.runtime.feature_view.store.store_folder import Folder
    from trialrun.runtime.options import Options


@dataclass(frozen=True)
class Stage:
    """Where a scenario is played: it begins at a moment; `folder` is a temporary one, gone with the scenario."""

    catalog: Catalog
    brands: BrandCatalog
    begin: datetime
    clock: SetClock
    options: Options
    folder: str
    seen: Seen

    def view(self, step: Node, name: str | None, *steps: str | int) -> Declared[FeatureView]:
        """The view that a step names, in its field `view` or where the steps lead. Raises CannotPlay."""
        try:
            return self.catalog.view(name or "")
        except NotDeclared as error:
            near = did_you_mean(name or "", error.known)
            raise CannotPlay(Place(step, steps or ("view",)), f"{error}{near}") from error

    def store_called(self, step: Node, name: str | None) -> StoreOfBrand:
        """The store that a step names in its field `store`. Raises CannotPlay."""
        try:
            return self.brands.store(name or "")
        except NotDeclared as error:
            near = did_you_mean(name or "", error.known)
            raise CannotPlay(Place(step, ("store",)), f"{error}{near}") from error

    def now(self) -> str:
        """The time on the clock, as the trace has it."""
        return moment_text(self.clock.now())

    def store(self, view: Declared[FeatureView]) -> SqliteStore:
        """The online store that a view is served from."""
        name = view.node.name or ""
        parent = name.rpartition("/featureViews/")[0]
        if parent not in self._stores:
            self._stores[parent] = self._folder.store_of(name)
        return self._stores[parent]

    @cached_property
    def _stores(self) -> dict[str, SqliteStore]:
        return {}

    @cached_property
    def _folder(self) -> Folder:
        from trialrun.runtime.feature_view.store.store_folder import Folder

        return Folder(self.folder, temporary=True)

    @cached_property
    def indexes(self) -> Indexes:
        """The vector indexes of what is served."""
        from trialrun.runtime.feature_view.indexes import Indexes

        return Indexes()


def short(view: Declared[FeatureView]) -> str:
    """The name of a view in the trace: the id at its end."""
    return last_id(view.node.name or "")


def subject(view: Declared[FeatureView], part: str | None = None) -> str:
    """What a view, or a part of one, is called in coverage: the ids of its store and its own."""
    name = "/".join((view.node.name or "").split("/")[-3::2])
    return name if part is None else f"{name}.{part}"


def store_subject(store: StoreOfBrand) -> str:
    """What a store is called in coverage: the ids of its brand and its own."""
    return f"{last_id(store.brand.node.name or '')}/{last_id(store.name)}"
