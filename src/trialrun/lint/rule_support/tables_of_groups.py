"""The tables of feature groups that a view takes together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Place
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import gather
from trialrun.lint.workspace_rules import Clash, Clashes, Facts

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureRegistrySource

URI = "uri"
TAKEN = "taken"
ANY_PROJECT = 0


def table_of(id_: str | None, project: int, tables: Mapping[str, list[Fact]]) -> Fact | None:
    """The group of an id, of the project where both name one."""
    for table in tables.get(id_ or "", ()):
        if ANY_PROJECT in (project, table.value[3]) or project == table.value[3]:
            return table
    return None


def unlike_uris(facts: Facts) -> Clashes:
    """Each group of a view whose table is called like that of an earlier one but for capitals."""
    tables: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact.value[0] == URI:
            tables.setdefault(fact.value[2], []).append(fact)
    for fact in facts:
        first: dict[str, str] = {}
        for index, id_ in enumerate(fact.value[3] if fact.value[0] == TAKEN else ()):
            if (table := table_of(id_, fact.value[2], tables)) is None:
                continue
            uri = table.value[1]
            earlier = first.setdefault(uri.casefold(), uri)
            if earlier != uri:
                message = f'its table "{uri}" differs from "{earlier}" in capitals only; give one of them another uri'
                yield Clash(fact.item(index, "featureGroupId"), message, related=(("the group", table),))


@gather("FeatureGroupTable", keys=(1,))
def groups(group: FeatureGroupTable) -> Iterator[tuple[Place, list[Any]]]:
    """The feature group that a table declares, with its project where it names one, and its table."""
    if group.featureGroupId:
        yield group.at("featureGroupId"), ["feature group", group.featureGroupId, str(group.projectNumber or "")]
        if group.uri:
            yield group.at("uri"), [URI, group.uri, group.featureGroupId, group.projectNumber or ANY_PROJECT]


@gather("FeatureRegistrySource")
def taken(source: FeatureRegistrySource) -> Iterator[tuple[Place, list[Any]]]:
    """The groups that a view takes, where there are several."""
    groups = source.featureGroups or ()
    if len(groups) > 1:
        ids = [group.featureGroupId for group in groups]
        yield source.at("featureGroups"), [TAKEN, None, source.projectNumber or ANY_PROJECT, ids]
