"""Changes one meaning at a time in the configurations that scenarios use, and plays the scenarios on each change."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

from trialrun.blake2 import blake2b
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
    """A change, and whether a scenario noticed it; `fault` describes an internal error while one was played."""

    mutant: Mutant
    is_noticed: bool
    fault: str | None = None


@dataclass(frozen=True)
class ScenarioSuite:
    """The scenarios of a workspace that pass, and the documents that they are played on."""

    request: CheckRequest
    scenarios: Sequence[DeclaredResource[Scenario]]
    documents: Catalog
    brands: BrandCatalog


@dataclass(frozen=True)
class MutationPlan:
    """The changes of some workspaces that are tried, `sample` of `total` possible ones."""

    suites: Sequence[ScenarioSuite]
    total: int
    sample: int
    seed: int

    def run(self) -> Iterator[TestedMutant]:
        """Try the changes in the order of the files; those that the model refuses are left out."""
        chosen = _sample(self.total, self.sample, self.seed)
        for index, (suite, users, resource, mutation) in enumerate(_candidates(self.suites)):
            if chosen is not None and index not in chosen:
                continue
            mutant = mutant_of(resource, canonical_value(resource), mutation)
            if mutant is not None:
                yield _test(suite, users, mutant)


Candidate = tuple[ScenarioSuite, Sequence["DeclaredResource[Scenario]"], "DeclaredResource[Any]", Mutation]


def plan_mutants(suites: Sequence[ScenarioSuite], *, sample: int | None, seed: int) -> MutationPlan:
    """The changes to try: all, or a seeded sample of the given size, of which a smaller one is a part."""
    total = sum(1 for _ in _candidates(suites))
    return MutationPlan(suites, total, total if sample is None else min(sample, total), seed)


def _sample(total: int, sample: int, seed: int) -> Collection[int] | None:
    """The numbers of the changes in a sample: those of the smallest digests; None for all."""
    if sample >= total:
        return None
    return frozenset(nsmallest(sample, range(total), key=lambda number: digest(f"{seed} {number}")))


def digest(text: str) -> bytes:
    """A number for a text that is the same on every machine."""
    return blake2b(text.encode(), digest_size=8).digest()


def _candidates(suites: Sequence[ScenarioSuite]) -> Iterator[Candidate]:
    """The possible changes, one after the other: a large workspace has more than fit into memory."""
    for suite in suites:
        for resource, users in _used_documents(suite):
            for mutation in mutations(resource, canonical_value(resource)):
                yield suite, users, resource, mutation


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


def _test(suite: ScenarioSuite, users: Sequence[DeclaredResource[Scenario]], mutant: Mutant) -> TestedMutant:
    """Whether one of the scenarios that use a document fails on the changed one."""
    documents, brands = _with_change(suite, mutant)
    try:
        return TestedMutant(mutant, any(not _passes(user, suite, documents, brands) for user in users))
    except Exception as error:  # noqa: BLE001 - an internal error at one change does not hide the others
        return TestedMutant(mutant, False, f"{type(error).__name__}: {error}")


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
    """Whether a scenario passes on changed documents."""
    recorder = CoverageRecorder(is_enabled=False)
    options = scenario_options(suite.request)
    return not play(scenario, documents, brands, now=suite.request.now, options=options, recorder=recorder).failures
