"""Runs the scenarios of a workspace one after another, without those with linter errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity
from trialrun.runtime.declaration import UndeclaredError
from trialrun.runtime.options import cap_options, runtime_options, user_limits
from trialrun.workspace.relevant_diagnostics import diagnostics_of, documents_of_store, documents_of_view, is_about

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.model.scenario import Scenario
    from trialrun.runtime.declaration import BrandCatalog, Catalog, DeclaredResource
    from trialrun.runtime.options import Options
    from trialrun.runtime.scenario.coverage import CoverageRecorder
    from trialrun.runtime.scenario.runner import ScenarioResult
    from trialrun.workspace.check_request import CheckRequest

BASE_STEPS = {"schedule", "resolve", "session"}
"""Steps that need nothing of the extra."""


@dataclass(frozen=True)
class ScenarioRun:
    """A scenario and its outcome, which is None if `errors` of the linter prevented the run.

    `fault` describes an internal error.
    """

    scenario: DeclaredResource[Scenario]
    outcome: ScenarioResult | None
    errors: Sequence[Diagnostic] = ()
    fault: str | None = None


def run_scenarios(
    request: CheckRequest,
    chosen: Sequence[DeclaredResource[Scenario]],
    documents: Catalog,
    brands: BrandCatalog,
    seen: CoverageRecorder,
) -> Iterator[ScenarioRun]:
    """Run scenarios over the documents of a workspace; yields each when it has ended."""
    from trialrun.runtime.scenario.runner import play  # heavy, and most plans have no scenario to run

    behind = [documents_of_scenario(scenario, documents, brands, request) for scenario in chosen]
    everything = {
        (document.path, document.document, document.pointer): document for group in behind for document in group
    }
    errors = [
        diagnostic
        for diagnostic in diagnostics_of(request, list(everything.values()))
        if diagnostic.severity is Severity.ERROR
    ]
    choices = scenario_options(request)
    for scenario, group in zip(chosen, behind, strict=True):
        found = [error for error in errors if any(is_about(error, document) for document in group)]
        if found:
            yield ScenarioRun(scenario, None, found)
            continue
        try:
            yield ScenarioRun(
                scenario, play(scenario, documents, brands, now=request.now, options=choices, recorder=seen)
            )
        except Exception as error:  # noqa: BLE001 - an internal error in one scenario does not hide the others
            yield ScenarioRun(scenario, None, fault=f"{type(error).__name__}: {error}")


def scenario_options(request: CheckRequest) -> Options:
    """The options of the workspace within the limits of the user; sources are read in a process of their own."""
    return replace(cap_options(runtime_options(request.profiles.settings.runtime), user_limits()), confined=True)


def needs_runtime(scenario: Scenario) -> bool:
    """Whether a scenario syncs or serves, and does not only ask when syncs are, or what an agent does."""
    return bool(scenario.given) or any({*step.members("deed")} - BASE_STEPS for step in scenario.steps or ())


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
