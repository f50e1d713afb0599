"""The scenarios of a workspace played one after the other, those that the linter has errors in left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.declaration import NotDeclared
from trialrun.runtime.limits import lowered, user_limits
from trialrun.runtime.scenario.result import Outcome
from trialrun.runtime.scenario.runner import play
from trialrun.workspace.dry_run import options
from trialrun.workspace.relevant_diagnostics import about, at_store, concerns, involved

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.model.scenario import Scenario
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog, Declared
    from trialrun.runtime.scenario.coverage_recorder import Seen
    from trialrun.workspace.check import Request


@dataclass(frozen=True)
class Played:
    """A scenario and how it ended: `outcome` is None where it was not played for the `errors` of the linter.

    `fault` says how we failed, where the fault is ours.
    """

    scenario: Declared[Scenario]
    outcome: Outcome | None
    errors: Sequence[Diagnostic] = ()
    fault: str | None = None


def played(
    request: Request, chosen: Sequence[Declared[Scenario]], documents: Catalog, brands: BrandCatalog, seen: Seen
) -> Iterator[Played]:
    """Play scenarios over the documents of a workspace; each is told as soon as it has ended."""
    behind = [_behind(one, documents, brands, request) for one in chosen]
    everything = {(one.path, one.document, one.pointer): one for group in behind for one in group}
    errors = [one for one in about(request, list(everything.values())) if one.severity is Severity.ERROR]
    choices = replace(lowered(options(request.profiles.settings.runtime), user_limits()), confined=True)
    for scenario, group in zip(chosen, behind, strict=True):
        found = [error for error in errors if any(concerns(error, one) for one in group)]
        if found:
            yield Played(scenario, None, found)
            continue
        try:
            yield Played(
                scenario,
                play(scenario, documents, brands, now=request.now, options=choices, seen=seen),
            )
        except Exception as error:  # noqa: BLE001 - a fault of ours in one scenario does not hide the others
            yield Played(scenario, None, fault=f"{type(error).__name__}: {error}")


def _behind(
    scenario: Declared[Scenario], documents: Catalog, brands: BrandCatalog, request: Request
) -> list[Declared[Any]]:
    """The documents that a scenario goes by: itself, and those of each view and each store that its steps name."""
    found: list[Declared[Any]] = [scenario]
    for step in scenario.node.steps or ():
        for deed in step.members("deed"):
            message = getattr(step, deed)
            for name in (getattr(message, "view", None), *(getattr(message, "views", None) or ())):
                found += _of_view(name, documents)
            found += _of_store(getattr(message, "store", None), brands, request)
    return found


def _of_view(name: str | None, documents: Catalog) -> list[Declared[Any]]:
    try:
        return list(involved(documents.view(name), documents)) if name else []
    except NotDeclared:  # the step says so when it is played
        return []


def _of_store(name: str | None, brands: BrandCatalog, request: Request) -> list[Declared[Any]]:
    try:
        return at_store(brands.store(name), brands, request) if name else []
    except NotDeclared:
        return []
