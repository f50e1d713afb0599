"""A store under trial: what is in force there, and what the linter says of the documents that this goes by."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.active_config import InForce, in_force
from trialrun.runtime.channel_config.menu import MenuOfBrand, menu_of
from trialrun.runtime.options import Options

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.channel_config.catalog import BrandCatalog, StoreOfBrand
    from trialrun.workspace.check import Request


@dataclass
class StoreTrial:
    """A store, the workspace that declares it, and what the workspace chose."""

    request: Request
    catalog: BrandCatalog
    options: Options
    store: StoreOfBrand

    @property
    def now(self) -> datetime:
        """The time of `--at`, or now."""
        return self.request.now

    @cached_property
    def in_force(self) -> InForce:
        """What is in force at the store."""
        return in_force(self.store, self.catalog, self.options)

    @cached_property
    def menu(self) -> MenuOfBrand:
        """The menu of the store's brand."""
        return menu_of(self.store.brand, self.catalog)

    def verdict(self) -> list[Diagnostic]:
        """The errors that `trialrun check` finds in the documents that a session at the store goes by."""
        from trialrun.diagnostic import Severity
        from trialrun.workspace.relevant_diagnostics import about, at_store

        involved = at_store(self.store, self.catalog, self.request)
        return [one for one in about(self.request, involved) if one.severity is Severity.ERROR]


def store_trial(request: Request, name: str) -> StoreTrial:
    """A store of the workspace of a request under trial. Raises NotDeclared."""
    from trialrun.workspace.catalog import brands
    from trialrun.workspace.dry_run import options

    catalog = brands(request)
    return StoreTrial(request, catalog, options(request.profiles.settings.runtime), catalog.store(name))
