"""The tables of the feature groups that one view takes: a sync does not tell two apart that differ only in case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support.projects import ANY_PROJECT, may_be_same
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.lint.rule import Gathered
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureRegistrySource


class TableOfGroup(NamedTuple):
    """The table of a feature group."""

    name: str
    group_id: str
    project: int


class GroupsOfView(NamedTuple):
    """The ids of the groups that a view takes, where there are several."""

    project: int
    group_ids: list[str | None]


def table_of_group(group: FeatureGroupTable) -> Gathered[TableOfGroup]:
    """The table of a feature group, where the group says it."""
    if group.featureGroupId and group.uri:
        value = TableOfGroup(group.uri, group.featureGroupId, group.projectNumber or ANY_PROJECT)
        yield group.location("uri"), value


def groups_of_view(source: FeatureRegistrySource) -> Gathered[GroupsOfView]:
    """The groups that a view takes, where there are several."""
    groups = source.featureGroups or ()
    if len(groups) > 1:
        ids = [group.featureGroupId for group in groups]
        yield source.location("featureGroups"), GroupsOfView(source.projectNumber or ANY_PROJECT, ids)


def tables_differing_in_case(facts: Facts) -> WorkspaceFindings:
    """Each group of a view whose table has the name of that of an earlier one, in other capitals."""
    tables: dict[str, list[Fact[TableOfGroup]]] = {}
    for fact in facts.of(TableOfGroup):
        tables.setdefault(fact.value.group_id, []).append(fact)
    for view in facts.of(GroupsOfView):
        first: dict[str, str] = {}
        for index, id_ in enumerate(view.value.group_ids):
            if (table := _table(id_, view.value.project, tables)) is None:
                continue
            uri = table.value.name
            earlier = first.setdefault(uri.casefold(), uri)
            if earlier != uri:
                message = f'its table "{uri}" differs from "{earlier}" only in case; change one of them'
                yield WorkspaceFinding(view.item(index, "featureGroupId"), message, related=(("the group", table),))


def _table(id_: str | None, project: int, tables: Mapping[str, list[Fact[TableOfGroup]]]) -> Fact[TableOfGroup] | None:
    """The table of the group of an id, of the project where both name one."""
    for table in tables.get(id_ or "", ()):
        if may_be_same(project, table.value.project):
            return table
    return None
