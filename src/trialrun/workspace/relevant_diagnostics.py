"""The documents that a trial run uses, with the findings of `trialrun check` in them, and those in a schedule."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.lint.file_result import MASKING_RULES
from trialrun.lint.settings import Profiles
from trialrun.runtime.channel_config.layers import layers
from trialrun.runtime.declaration import UndeclaredError, source_documents
from trialrun.runtime.options import cap_options, runtime_options, user_limits
from trialrun.working_folder import absolute_path
from trialrun.workspace.check import check

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.scenario import Scenario
    from trialrun.runtime.declaration import BrandCatalog, Catalog, DeclaredResource, DeclaredStore
    from trialrun.runtime.options import Options
    from trialrun.workspace.check_request import CheckRequest


def diagnostics_of(request: CheckRequest, asked: Sequence[DeclaredResource[Any]]) -> list[Diagnostic]:
    """The sorted findings in some documents of a workspace, and about their files as a whole."""
    paths = sorted({file.path for file in asked})
    found = check(replace(request, paths=paths)).diagnostics if paths else []
    return [diagnostic for diagnostic in found if any(is_about(diagnostic, file) for file in asked)]


def errors_of(request: CheckRequest, asked: Sequence[DeclaredResource[Any]]) -> list[Diagnostic]:
    """The errors among these findings."""
    return [diagnostic for diagnostic in diagnostics_of(request, asked) if diagnostic.severity is Severity.ERROR]


def documents_of_view(view: DeclaredResource[FeatureView], catalog: Catalog) -> list[DeclaredResource[Any]]:
    """The documents that a sync of a view uses: the view, its store, groups and sources."""
    store = catalog.store_of(view.node.name or "")
    return [view, *([store] if store else []), *source_documents(view.node, catalog)]


def documents_of_store(
    store: DeclaredStore, brands: BrandCatalog, request: CheckRequest
) -> list[DeclaredResource[Any]]:
    """The documents that a session at a store uses: its brand, configs, menu and session types.

    An error in any of them prevents the session.
    """
    applied = {id(layer.config): layer.config for layer in layers(store, brands)}
    named = {request.profiles.of(declared_resource.path).session_schema for declared_resource in applied.values()}
    schemas = [schema for schema in brands.schemas if None in named or absolute_path(schema.path) in named]
    return [store.brand, *applied.values(), *brands.menus_of(store.brand.node.name), *schemas]


def documents_of_scenario(
    scenario: DeclaredResource[Scenario], documents: Catalog, brands: BrandCatalog, request: CheckRequest
) -> list[DeclaredResource[Any]]:
    """The documents that a scenario uses: itself, and those of the views and stores in its steps."""
    declared_resources: list[DeclaredResource[Any]] = [scenario]
    for step in scenario.node.steps or ():
        for deed in step.members("deed"):
            message = getattr(step, deed)
            for name in filter(None, (getattr(message, "view", None), *(getattr(message, "views", None) or ()))):
                with suppress(UndeclaredError):  # reported by the step when it runs
                    declared_resources += [*documents_of_view(documents.view(name), documents)]
            if store := getattr(message, "store", None):
                with suppress(UndeclaredError):
                    declared_resources += documents_of_store(brands.store(store), brands, request)
    return declared_resources


def is_about(diagnostic: Diagnostic, document: DeclaredResource[Any]) -> bool:
    """Whether a finding is in a document, or about its whole YAML document."""
    if (diagnostic.path, diagnostic.document) != (document.path, document.document):
        return False
    return not diagnostic.pointer or f"{diagnostic.pointer}/".startswith(f"{document.pointer}/")


SCHEDULE_RULES = ("cron-never-fires", "cron-syntax", "union-conflict", "unknown-time-zone", "wrong-type")
SCHEDULE_POINTER = "/syncconfig"


def schedule_errors(
    request: CheckRequest, views: Sequence[DeclaredResource[FeatureView]], troubled: Sequence[str]
) -> list[Diagnostic]:
    """The findings in the syncConfig of some views, and about unreadable parts of some files.

    Includes suppressed ones: a suppression does not make the schedule valid.
    """
    paths = {*(view.path for view in views), *troubled}
    if not paths:
        return []
    profiles = Profiles(request.profiles.settings, select=(*SCHEDULE_RULES, *MASKING_RULES))
    result = check(replace(request, paths=sorted(paths), profiles=profiles, as_discovered=True, baseline=None))
    found = [*result.diagnostics, *(suppressed.diagnostic for suppressed in result.suppressed)]
    diagnostics = [
        file for file in found if file.rule in MASKING_RULES or any(_is_in_schedule(file, view) for view in views)
    ]
    return sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key)


def _is_in_schedule(diagnostic: Diagnostic, view: DeclaredResource[FeatureView]) -> bool:
    """Whether a finding is at or below the syncConfig of a view, in any spelling."""
    if (diagnostic.path, diagnostic.document) != (view.path, view.document) or not diagnostic.pointer.startswith(
        view.pointer
    ):
        return False
    return diagnostic.pointer.removeprefix(view.pointer).replace("_", "").lower().startswith(SCHEDULE_POINTER)


BASE_STEPS = {"schedule", "resolve", "session"}
"""Steps that need nothing of the extra."""


def scenario_options(request: CheckRequest) -> Options:
    """The options of the workspace within the limits of the user; sources are read in a process of their own."""
    return replace(cap_options(runtime_options(request.profiles.settings.runtime), user_limits()), confined=True)


def needs_runtime(scenario: Scenario) -> bool:
    """Whether a scenario syncs or serves, and does not only ask when syncs are, or what an agent does."""
    return bool(scenario.given) or any({*step.members("deed")} - BASE_STEPS for step in scenario.steps or ())
