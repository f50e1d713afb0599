"""A store for trial runs: its effective configuration, and the linter errors of its documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.channel_config.menu import BrandMenu, brand_menu
from trialrun.runtime.options import Options

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.declaration import BrandCatalog, DeclaredStore
    from trialrun.workspace.check_request import CheckRequest


@dataclass
class StoreDryRun:
    """A store, its workspace, and the runtime options."""

    request: CheckRequest
    catalog: BrandCatalog
    options: Options
    store: DeclaredStore

    @property
    def now(self) -> datetime:
        """The time of `--at`, or now."""
        return self.request.now

    @cached_property
    def active_config(self) -> ActiveConfig:
        """The effective configuration of the store."""
        return resolve_active_config(self.store, self.catalog, self.options)

    @cached_property
    def menu(self) -> BrandMenu:
        """The menu of the store's brand."""
        return brand_menu(self.store.brand, self.catalog, self.store.store)

    def begin_session(
        self,
        *,
        seed: int,
        begin: datetime | None = None,
        language: str | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> Session:
        """A session at the store, from `begin` or now on. Raises ActionError for an invalid language or state."""
        from trialrun.runtime.channel_config.session.session import Session

        return Session(
            self.active_config,
            self.menu,
            types=self.catalog.schema_for,
            seed=seed,
            begin=begin or self.now,
            language=language,
            state=state,
        )

    def errors(self) -> list[Diagnostic]:
        """The errors that `trialrun check` finds in the documents that a session at the store uses."""
        from trialrun.workspace.relevant_diagnostics import documents_of_store, errors_of

        return errors_of(self.request, documents_of_store(self.store, self.catalog, self.request))


def store_dry_run(request: CheckRequest, name: str) -> StoreDryRun:
    """A store of the workspace of a request. Raises UndeclaredError."""
    from trialrun.runtime.options import runtime_options
    from trialrun.workspace.catalog import brands

    catalog = brands(request)
    return StoreDryRun(request, catalog, runtime_options(request.profiles.settings.runtime), catalog.store(name))
