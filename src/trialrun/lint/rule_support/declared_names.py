"""The names that documents declare, and the tables of feature groups that one view takes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support.references import ANY_PROJECT, may_be_same
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings, location_phrase
from trialrun.model.kinds import KINDS

if TYPE_CHECKING:
    from trialrun.lint.rule import Gathered
    from trialrun.model.companion import FeatureGroupTable, SessionSchema
    from trialrun.model.feature_view import FeatureRegistrySource
    from trialrun.model.node import Resource


SCHEMA_KINDS = ("SessionSchema", "type", "variable")
"""What a copy of a SessionSchema repeats: one mistake."""


class DeclaredName(NamedTuple):
    """A name that a document declares, and for what; feature groups of different projects may share one."""

    kind: str
    name: str
    project: str = ""


def name_of_resource(resource: Resource) -> Gathered[DeclaredName]:
    """The name of a document that has one."""
    name: str | None = getattr(resource, "name", None)
    if name:
        yield resource.location("name"), DeclaredName(type(resource).__name__, name)


def name_of_group(group: FeatureGroupTable) -> Gathered[DeclaredName]:
    """The id of a feature group, with its project where it names one."""
    if group.featureGroupId:
        value = DeclaredName("feature group", group.featureGroupId, str(group.projectNumber or ""))
        yield group.location("featureGroupId"), value


def names_of_schema(schema: SessionSchema) -> Gathered[DeclaredName]:
    """The types and variables that a schema declares."""
    for field, noun in (("types", "type"), ("variables", "variable")):
        for name in getattr(schema, field) or ():
            yield schema.location(field, name), DeclaredName(noun, name)


def repeated_names(facts: Facts) -> WorkspaceFindings:
    """Each name that an earlier document of the kind has; of names that a whole schema repeats, the first."""
    first: dict[DeclaredName, Fact[DeclaredName]] = {}
    repeated_schemas: set[tuple[str, int, Hashable]] = set()
    for fact in facts.of(DeclaredName):
        earlier = first.setdefault(fact.value, fact)
        if earlier is fact:
            continue
        kind, name, _ = fact.value
        if kind in SCHEMA_KINDS:
            schema = (fact.path, fact.document, fact.steps[: 1 if isinstance(fact.steps[0], int) else 0])
            if schema in repeated_schemas:
                continue
            repeated_schemas.add(schema)
        where = location_phrase(earlier, fact)
        message = f'the {kind} "{name}" is already declared in {where}; keep one'
        if kind in KINDS:
            message = f'the name "{name}" is already taken by the {kind} in {where}; give each its own'
        yield WorkspaceFinding(fact, message, related=(("taken here" if kind in KINDS else "declared here", earlier),))


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
