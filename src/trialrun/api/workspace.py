"""Library API for workspaces: documents, and dry runs of views and stores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from trialrun.api.checks import Path, Report, check, utc_time
from trialrun.diagnostic import Diagnostic, Severity, SymbolicLocation
from trialrun.errors import StoreError, UsageError
from trialrun.outputs.origin import errors_object
from trialrun.outputs.resolve import store_object
from trialrun.outputs.schedule import schedule_object, upcoming_schedule
from trialrun.outputs.session import session_object
from trialrun.outputs.views import fetch_object, search_object, sync_object
from trialrun.runtime.channel_config.script import ScriptError, parse, split_settings
from trialrun.runtime.channel_config.session.actions import ActionError, build_client_state
from trialrun.runtime.clock import FixedClock, SystemClock
from trialrun.runtime.declaration import BrandCatalog, DeclaredResource, UndeclaredError
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.direct_write import explain_no_values
from trialrun.runtime.feature_view.index.interface import NotSearchable, SearchRequest
from trialrun.runtime.feature_view.store.interface import EntityId, InvalidEntityId, SyncRunning, entity_id_from_parts
from trialrun.values.suggest import did_you_mean
from trialrun.workspace import CheckRequest
from trialrun.workspace.catalog import brands
from trialrun.workspace.check_request import CheckOptions, open_request
from trialrun.workspace.dry_run import DryRun, dry_run
from trialrun.workspace.store_dry_run import StoreDryRun

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.feature_view import FeatureView
    from trialrun.outputs.resolve import ResolvedStore
    from trialrun.outputs.schedule import Schedule
    from trialrun.outputs.views import Fetched, Searched, SyncedView

Found = TypeVar("Found")


class DocumentErrors(Exception):
    """What a trial run uses has errors; `diagnostics` has them, with their places."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        messages = (
            f"{diagnostic.path}:{diagnostic.range.start.line}:{diagnostic.range.start.column}: {diagnostic.message}"
            for diagnostic in diagnostics
        )
        super().__init__("; ".join(messages))
        self.diagnostics = tuple(diagnostics)


def open_workspace(
    root: Path = ".", *, at: datetime | None = None, isolated: bool = False, store: str | None = None
) -> Workspace:
    """Open the workspace that a folder is in: that of the nearest settings file, or of the git repository.

    `at` is the clock of all that is asked of it, with an offset; that of the machine when None. `isolated` reads no
    settings. `store` is the online store as `--store` names it: an address, or an alias of the user's settings. Raises
    UsageError for a folder that does not exist, for wrong settings, and for a store that cannot be used.
    """
    folder = os.fspath(root)
    if not os.path.isdir(folder):
        raise UsageError(f"there is no folder {folder}")
    choices = CheckOptions(utc_time(at), is_isolated=isolated, jobs=1)
    return Workspace(open_request([folder], choices), at=at, isolated=isolated, store=store)


class Workspace:
    """The documents of a workspace, read once: open it again to see what has changed since.

    The answers are the objects that commands print with `--output-format json`; `trialrun docs json` describes them.
    A view or a store is named by its resource name, or by the end of one, such as its id. Every method raises
    UsageError for a name that the workspace does not declare.
    """

    def __init__(self, request: CheckRequest, *, at: datetime | None, isolated: bool, store: str | None = None) -> None:

        self._request = replace(request, paths=[], workspace_at=None)
        self._at = at
        self._isolated = isolated
        self._store_address = store

    @property
    def root(self) -> str:
        """The folder of the workspace."""
        return self._request.root

    @property
    def views(self) -> Sequence[FeatureView]:
        """The feature views, in the order of path and document."""
        return [view.node for view in self._trial.catalog.views]

    @property
    def configs(self) -> Sequence[ChannelConfig]:
        """The channel configs, in the order of path and document."""
        return [config.node for config in self._brands.configs]

    @property
    def stores(self) -> Sequence[str]:
        """The resource names of the stores that the brands declare."""
        return [store.name for store in self._brands.stores]

    def check(self) -> Report:
        """Check the whole workspace, and those inside of it."""
        return check(self.root, at=self._at, isolated=self._isolated)

    def resolve(self, store: str) -> ResolvedStore:
        """What is effective at a store, every value with its origin; errors in its documents are in `errors`."""
        trial = self._store(store)
        answer = {**store_object(trial.active_config), "errors": errors_object(trial.errors())}
        return cast("ResolvedStore", answer)

    def session(
        self,
        store: str,
        script: str | Sequence[str] = (),
        *,
        seed: int = 0,
        language: str | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Play a session at a store: the welcome, then a turn for each line of the script (`trialrun docs session`).

        `state` are values that the client sends at once, by variable and field: {"session": {"partySize": 4}}.
        Raises DocumentErrors where the documents of the store have errors, and UsageError for a script that cannot be
        played, with line and column.
        """
        trial = self._store(store)
        if errors := trial.errors():
            raise DocumentErrors(errors)
        text = script if isinstance(script, str) else "\n".join(script)
        try:
            settings, lines = split_settings(parse(text, trial.menu))
            merged = _merge_states(state or {}, build_client_state(settings))
            session = trial.begin_session(seed=seed, language=language, state=merged)
            turns = [session.welcome(), *(session.turn(line.actions, line.text) for line in lines)]
        except ScriptError as error:
            locations = "; ".join(
                f"line {mistake.line}, column {mistake.column}: {mistake.message}" for mistake in error.mistakes
            )
            raise UsageError(f"the script cannot be run: {locations}") from error
        except ActionError as error:
            raise UsageError(f"the script cannot be run: {error}") from error
        return session_object(trial.store.name, session, turns)

    def schedule(self, *views: str, count: int = 5) -> Schedule:
        """The next runs of views, of all without a name, strictly after the clock of the workspace."""
        chosen = [self._view(name) for name in views] or list(self._trial.catalog.views)
        ahead = upcoming_schedule(self._request, self._trial.catalog, chosen, count=count, span=timedelta(days=1))
        return schedule_object(ahead)

    def sync(self, view: str) -> SyncedView:
        """Read the sources of a view and serve what they have, as `trialrun sync` does: in the workspace's store.

        Needs the extra `trialrun[runtime]`. Raises DocumentErrors where documents or data do not allow it.
        """
        declared = self._view(view)
        if errors := self._trial.errors_of(declared):
            raise DocumentErrors(errors)
        with _errors_of_caller(declared):
            report = self._trial.sync(declared)
        return cast("SyncedView", {"version": 1, **sync_object(declared, report)})

    def fetch(self, view: str, *ids: object) -> Fetched:
        """The values that a view serves for entities: an id, or a tuple of one for each entity id column.

        Raises UsageError for a view that was never synced.
        """
        declared = self._view(view)
        keys = self._key_columns(declared)
        entity_ids = list(dict.fromkeys(_entity_id(id, keys) for id in ids))
        with _errors_of_caller(declared):
            served = self._trial.fetch(declared, entity_ids)
        missing = [id for id, entity in zip(entity_ids, served, strict=True) if entity is None]
        served_entities = [entity for entity in served if entity is not None]
        return fetch_object(declared.node.name or "", served_entities, missing)

    def search(
        self,
        view: str,
        *,
        entity: object = None,
        vector: Sequence[float] | None = None,
        count: int = 10,
        values: bool = False,
        recall: bool = False,
    ) -> Searched:
        """The entities of a view that are nearest to one of them, or to a vector; smaller distances are nearer.

        `values` asks for the values of each, `recall` for the share of the true neighbors that the answer has. Raises
        UsageError for a view that was never synced, and DocumentErrors where its index does not go with the question.
        """
        if (entity is None) == (vector is None):
            raise UsageError("a search needs either an entity or a vector; give one of the two")
        declared = self._view(view)
        keys = self._key_columns(declared)
        question = SearchRequest(
            entity=None if entity is None else _entity_id(entity, keys),
            vector=vector,
            count=count,
            returns_values=values,
            measures_recall=recall,
        )
        with _errors_of_caller(declared):
            answer = self._trial.search(declared, question)
        return search_object(declared.node.name or "", answer)

    @cached_property
    def _trial(self) -> DryRun:

        clock = SystemClock() if self._at is None else FixedClock(self._at)
        return dry_run(self._request, clock, store=self._store_address, is_isolated=self._isolated)

    @cached_property
    def _brands(self) -> BrandCatalog:

        return brands(self._request)

    def _store(self, name: str) -> StoreDryRun:
        store = _find(self._brands.store, name)
        return StoreDryRun(self._request, self._brands, self._trial.options, store)

    def _view(self, name: str) -> DeclaredResource[FeatureView]:
        return _find(self._trial.catalog.view, name)

    def _key_columns(self, view: DeclaredResource[FeatureView]) -> tuple[Column, ...]:
        """The entity id columns of what a view serves."""
        with _errors_of_caller(view):
            snapshot = self._trial.snapshot(view)
        if snapshot is None:
            raise UsageError(explain_no_values(view.node, f'"{view.node.name}"', "sync it first"))
        return snapshot.layout.keys


def _find(lookup: Callable[[str], Found], name: str) -> Found:
    try:
        return lookup(name)
    except UndeclaredError as error:
        raise UsageError(f"{error}{did_you_mean(name, error.candidates)}") from error


@contextmanager
def _errors_of_caller(view: DeclaredResource[FeatureView]) -> Iterator[None]:
    """Report what the runtime refuses as DocumentErrors, and what is wrong with the store as UsageError."""
    try:
        yield
    except (CannotSync, NotSearchable, SyncRunning) as error:
        steps = getattr(error, "steps", ()) or ("name",)
        place = view.locate(SymbolicLocation(view.node, steps))
        diagnostic = Diagnostic("cannot-sync", Severity.ERROR, str(error), view.path, place, document=view.document)
        raise DocumentErrors([diagnostic]) from error
    except StoreError as error:
        raise UsageError(str(error)) from error


def _merge_states(state: Mapping[str, Any], update: Mapping[str, Any]) -> dict[str, Any]:
    """Two states of the client: of one field the further one counts."""
    merged = dict(state)
    for name, value in update.items():
        current = merged.get(name)
        both = isinstance(current, Mapping) and isinstance(value, Mapping)
        merged[name] = _merge_states(current, value) if both and current is not None else value
    return merged


def _entity_id(id: object, keys: tuple[Column, ...]) -> EntityId:

    parts = id if isinstance(id, tuple | list) else (id,)
    try:
        return entity_id_from_parts(parts, keys)
    except InvalidEntityId as error:
        raise UsageError(f"{id!r} is not an entity id: {error}") from error
