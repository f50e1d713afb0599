"""Scenario of a view that does not exist.

The scenario is refused, and tests nothing. A view is named by its resource name, or the end of it. Not reported if the
workspace has no views.

Basis: best practice; a scenario is a test of the views of its workspace.

Good:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/guests
    ---
    kind: Scenario
    name: The next run
    steps: [{schedule: {view: guests, expect: {runs: []}}}]

Bad:

    kind: FeatureView
    name: projects/p/locations/l/featureOnlineStores/s/featureViews/guests
    ---
    kind: Scenario
    name: The next run
    steps: [{schedule: {view: guest, expect: {runs: []}}}]  # <- is named "guest"; did you mean "guests"?
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.lint.rule_support.references import NameOrNames
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.node import Node

ALL_VIEWS = ["FeatureView", "featureViews"]
"""One of them is in every file with a view."""


class DeclaredView(NamedTuple):
    """The name of a view; None for one that was refused."""

    name: str | None


class ViewUse(NamedTuple):
    """The names of views that a step has; `markers` are `ALL_VIEWS`."""

    names: NameOrNames
    markers: list[str]


@gather("FeatureView", facts=(DeclaredView,), keys=("name",), context=(DeclaredView,))
def views(view: FeatureView) -> Gathered[DeclaredView]:
    """The name of a view."""
    yield view.location("name"), DeclaredView(view.name)


@gather(
    "SyncStep", "FetchStep", "WriteStep", "SearchStep", "ScheduleStep", "WaitStep", facts=(ViewUse,), keys=("markers",)
)
def steps(step: Node) -> Gathered[ViewUse]:
    """The view of a step, or the views that a scheduler syncs."""
    from trialrun.lint.rule_support.references import referenced_names

    field = "views" if type(step).__name__ == "WaitStep" else "view"
    yield from ((place, ViewUse(names, ALL_VIEWS)) for place, names in referenced_names(step, field))


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each name that no view has, unless the name of one could not be read."""
    from trialrun.lint.rule_support.references import DeclarationIndex, split_names

    views = list(facts.of(DeclaredView))
    if not views or not all(fact.value.name and fact.is_complete for fact in views):
        return
    declared = DeclarationIndex((fact.value.name or "", fact) for fact in views)
    for fact in facts.of(ViewUse):
        for use, name in split_names(fact, fact.value.names):
            if not declared.resolve(name):
                advice = declared.did_you_mean(name, otherwise="add it, or name another")
                yield WorkspaceFinding(use, f'no view of the workspace is named "{name}"{advice}')
