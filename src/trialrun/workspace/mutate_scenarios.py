"""Changes one meaning at a time in the configurations that scenarios use, and plays the scenarios on each change."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.scenario.coverage_recorder import CoverageRecorder
from trialrun.runtime.scenario.mutation.field_mutations import mutations
from trialrun.runtime.scenario.mutation.mutant import Mutant, Mutation, canonical_value, mutant_of
from trialrun.runtime.scenario.runner import play
from trialrun.workspace.run_scenarios import documents_of_scenario, scenario_options

if TYPE_CHECKING:
    from trialrun.model.scenario import Scenario
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.workspace.check_request import CheckRequest

MUTATED_KINDS = ("FeatureView", "ChannelConfig", "Brand")
"""The kinds of documents that are changed: those that say what is done, not what there is."""


@dataclass(frozen=True)
class TestedMutant:
    """A change, and the scenario that noticed it; None if no scenario did."""

    mutant: Mutant
    noticed_by: DeclaredResource[Scenario] | None


@dataclass(frozen=True)
class MutationPlan:
    """The changes of a workspace that are tried, of `total` possible ones, in the order of the files."""

    total: int
    mutants: Sequence[Callable[[], TestedMutant | None]]


@dataclass(frozen=True)
class ScenarioSuite:
    """The scenarios of a workspace that pass, and the documents that they are played on."""

    request: CheckRequest
    scenarios: Sequence[DeclaredResource[Scenario]]
    documents: Catalog
    brands: BrandCatalog


def plan_mutants(suites: Sequence[ScenarioSuite], *, sample: int | None, seed: int) -> MutationPlan:
    """The changes to try: all, or a seeded sample of the given size, which a smaller one begins."""
    candidates = [
        partial(_test, suite, resource, value, mutation, users)
        for suite in suites
        for resource, users in _used_documents(suite)
        for value in [canonical_value(resource)]
        for mutation in mutations(resource, value)
    ]
    order = list(range(len(candidates)))
    random.Random(seed).shuffle(order)
    chosen = sorted(order if sample is None else order[:sample])
    return MutationPlan(len(candidates), [candidates[index] for index in chosen])


def _used_documents(
    suite: ScenarioSuite,
) -> Iterator[tuple[DeclaredResource[Any], Sequence[DeclaredResource[Scenario]]]]:
    """The documents that are changed, by path, each with the scenarios that use it."""
    users: dict[tuple[str, int, str], tuple[DeclaredResource[Any], list[DeclaredResource[Scenario]]]] = {}
    for scenario in suite.scenarios:
        for resource in documents_of_scenario(scenario, suite.documents, suite.brands, suite.request):
            if type(resource.node).__name__ in MUTATED_KINDS:
                scenarios = users.setdefault(_key(resource), (resource, []))[1]
                if scenario not in scenarios:
                    scenarios.append(scenario)
    return (users[key] for key in sorted(users))


def _key(resource: DeclaredResource[Any]) -> tuple[str, int, str]:
    return resource.path, resource.document, resource.pointer


def _test(
    suite: ScenarioSuite,
    resource: DeclaredResource[Any],
    value: dict[str, Any],
    mutation: Mutation,
    users: Sequence[DeclaredResource[Scenario]],
) -> TestedMutant | None:
    """A change and the first scenario that it makes fail; None if the model refuses the change."""
    mutant = mutant_of(resource, value, mutation)
    if mutant is None:
        return None
    documents, brands = _with_change(suite, mutant)
    return TestedMutant(mutant, next((user for user in users if not _passes(user, suite, documents, brands)), None))


def _with_change(suite: ScenarioSuite, mutant: Mutant) -> tuple[Catalog, BrandCatalog]:
    """The documents of a workspace with the changed one in place of the original."""

    def changed(resources: Sequence[DeclaredResource[Any]]) -> list[DeclaredResource[Any]]:
        return [mutant.changed if resource is mutant.original else resource for resource in resources]

    brands = suite.brands
    return replace(suite.documents, views=changed(suite.documents.views)), BrandCatalog(
        brands=changed(brands.brands),
        configs=changed(brands.configs),
        menus=brands.menus,
        schemas=brands.schemas,
        schema_for=brands.schema_for,
        unreadable_paths=brands.unreadable_paths,
    )


def _passes(
    scenario: DeclaredResource[Scenario], suite: ScenarioSuite, documents: Catalog, brands: BrandCatalog
) -> bool:
    """Whether a scenario passes on changed documents; one that cannot be played on them does not."""
    recorder = CoverageRecorder(is_enabled=False)
    options = scenario_options(suite.request)
    try:
        result = play(scenario, documents, brands, now=suite.request.now, options=options, recorder=recorder)
    except Exception:  # noqa: BLE001 - the change broke what the scenario needs, which is noticed
        return False
    return not result.failures
