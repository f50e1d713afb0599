"""What the sections of the page are made from: one workspace, read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.changes.change import Plan
    from trialrun.model.scenario import Scenario
    from trialrun.page.trial_syncs import TrialSync
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.catalog import BrandCatalog, DeclaredStore
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.options import Options
    from trialrun.runtime.scenario.coverage import CoverageRecorder
    from trialrun.workspace import CheckRequest, CheckResult
    from trialrun.workspace.dry_run import DryRun
    from trialrun.workspace.run_scenarios import ScenarioRun


@dataclass(frozen=True)
class PageChoices:
    """What a page shows: random sessions for each configuration, and whether rows are on it.

    `stores` are the names of the stores that are shown, all of them if it is empty. `access` are the options of a
    command that read the same files, for the commands that the page prints.
    """

    sessions: int = 200
    with_data: bool = False
    stores: tuple[str, ...] = ()
    access: tuple[str, ...] = ()


@dataclass
class PageSources:
    """A workspace at a time, with what several sections are made from.

    `plan` are the changes since a revision, if the page shows them. `trial` is what a server serves values from, whose
    rows are then shown; without one, views are synced on trial.
    """

    request: CheckRequest
    choices: PageChoices
    plan: Plan | None = None
    trial: DryRun | None = None

    @property
    def now(self) -> datetime:
        """The time of the page."""
        return self.request.now

    @cached_property
    def options(self) -> Options:
        """What the settings choose for trial runs."""
        from trialrun.runtime.options import runtime_options

        return runtime_options(self.request.profiles.settings.runtime)

    @cached_property
    def checked(self) -> CheckResult:
        """The result of a check of the workspace, without what its baseline has."""
        from trialrun.workspace.check import check

        return check(self.request)

    @cached_property
    def _catalogs(self) -> tuple[Catalog, BrandCatalog]:
        from trialrun.workspace.catalog import both_catalogs

        return both_catalogs(self.request)

    @property
    def documents(self) -> Catalog:
        """The feature views with what belongs to them."""
        return self._catalogs[0]

    @property
    def brands(self) -> BrandCatalog:
        """The brands with their configs and menus."""
        return self._catalogs[1]

    @cached_property
    def stores(self) -> Sequence[DeclaredStore]:
        """The stores that are shown."""
        chosen = set(self.choices.stores)
        return [store for store in self.brands.stores if not chosen or store.name in chosen]

    @cached_property
    def active_configs(self) -> Sequence[ActiveConfig]:
        """What is effective at each store that is shown."""
        from trialrun.runtime.channel_config.active_config import resolve_active_config

        return [resolve_active_config(store, self.brands, self.options) for store in self.stores]

    @cached_property
    def scenarios(self) -> Sequence[DeclaredResource[Scenario]]:
        """The scenarios of the workspace."""
        from trialrun.workspace.catalog import scenarios

        return scenarios(self.request)

    @cached_property
    def recorder(self) -> CoverageRecorder:
        """What the scenarios exercised that were played."""
        from trialrun.runtime.scenario.coverage import CoverageRecorder

        return CoverageRecorder(is_enabled=True)

    @cached_property
    def played(self) -> Sequence[ScenarioRun]:
        """The scenarios that were played, in order; those with rows are not where the runtime is not installed."""
        from trialrun.workspace.run_scenarios import needs_runtime, run_scenarios

        has_runtime = find_spec("duckdb") is not None and find_spec("numpy") is not None
        chosen = [scenario for scenario in self.scenarios if has_runtime or not needs_runtime(scenario.node)]
        return list(run_scenarios(self.request, chosen, self.documents, self.brands, self.recorder))

    @cached_property
    def synced(self) -> Mapping[str, TrialSync]:
        """Trial syncs of the views, by resource name; with a server, what it serves."""
        from trialrun.page.trial_syncs import served_views, trial_syncs

        if self.trial is not None:
            return served_views(self.trial)
        wrong, with_data = self.files_with_errors, self.choices.with_data
        return trial_syncs(self.request, self.documents, files_with_errors=wrong, with_data=with_data)

    @cached_property
    def files_with_errors(self) -> frozenset[str]:
        """The paths of files in which the check has errors."""
        from trialrun.diagnostic import Severity

        found = self.checked.diagnostics
        return frozenset(diagnostic.path for diagnostic in found if diagnostic.severity is Severity.ERROR)
