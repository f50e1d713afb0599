"""Feature groups, and what views take from them, as rules across files see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support.references import indexed
from trialrun.lint.rule_support.source_tables import (
    DEFAULT_TIMESTAMP_COLUMN,
    INDEX_COLUMNS,
    INDEX_CONFIGS,
    KnownTable,
    TableIndex,
    TypedColumn,
    format_names,
)
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings
from trialrun.values.suggest import NameIndex

if TYPE_CHECKING:
    from trialrun.lint.rule import Gathered
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureView


ANY_PROJECT: Final = 0
"""The number where none is named."""
TAKEN_GROUPS: Final = ("featureRegistrySource", "featureGroups")
"""The steps from a view to the groups that it takes."""


class DeclaredGroup(NamedTuple):
    """A feature group: its table, the columns of its entity id, and its features.

    A feature is its index, its id, its column, and the field that says it: `column`, or `id` without one. `unread` are
    the lists that are not there, or of which some items were refused.
    """

    group_id: str | None
    project: int
    uri: str | None
    entity_id: list[str]
    features: list[Any]
    timestamp: str
    unread: list[str]


class GroupsOfView(NamedTuple):
    """The features that a view takes of groups, and the names in its index where nothing else is to serve.

    A group is its index, its id, and its features, each with its index. A name in the index is the steps that lead to
    it, its field, itself, and the dimension of embeddings. `is_clear` is whether the groups are the only source, and
    all of them could be read.
    """

    project: int
    groups: list[Any]
    indexed: list[Any]
    is_clear: bool


def declared_group(group: FeatureGroupTable) -> Gathered[DeclaredGroup]:
    """A feature group, with what of it could be read."""
    unread = [field for field in ("entityIdColumns", "features") if type(getattr(group, field)) is not list]
    features = [
        [index, feature.id, *((feature.column, "column") if feature.has("column") else (feature.id, "id"))]
        for index, feature in indexed(group.features)
    ]
    project, timestamp = group.projectNumber or ANY_PROJECT, group.timestampColumn or DEFAULT_TIMESTAMP_COLUMN
    entity_id = list(group.entityIdColumns or ())
    value = DeclaredGroup(group.featureGroupId or None, project, group.uri, entity_id, features, timestamp, unread)
    yield group.location(), value


def groups_of_view(view: FeatureView) -> Gathered[GroupsOfView]:
    """What a view takes of feature groups, if it takes any."""
    source = view.featureRegistrySource
    if source is None or not source.featureGroups:
        return
    taken = [[index, group.featureGroupId, indexed(group.featureIds)] for index, group in indexed(source.featureGroups)]
    is_clear = type(source.featureGroups) is list and view.members("source") == ["featureRegistrySource"]
    is_clear = is_clear and all(
        group.featureGroupId and type(group.featureIds) is list for group in source.featureGroups
    )
    named: list[Any] = []
    for name in INDEX_CONFIGS if is_clear else ():
        config = getattr(view, name)
        for field in INDEX_COLUMNS if config is not None else ():
            value = getattr(config, field)
            names = [[[], value]] if isinstance(value, str) else [[[index], one] for index, one in indexed(value)]
            named += ([[name, field, *at], field, one, config.embeddingDimension] for at, one in names)
    yield view.location(), GroupsOfView(source.projectNumber or ANY_PROJECT, taken, named, is_clear)


def taken_groups(view: Fact[GroupsOfView]) -> Iterator[tuple[Fact, str, list[tuple[Fact, str]]]]:
    """The groups that a view takes: where each is, its id, and its features with their places."""
    for index, id_, features in view.value.groups:
        place = view.item(*TAKEN_GROUPS, index)
        if id_:
            yield place, id_, [(place.item("featureIds", at), name) for at, name in features]


def may_be_same(one: int, other: int) -> bool:
    """Whether two are the same project, or one of them is not named."""
    return one == other or ANY_PROJECT in (one, other)


class GroupIndex:
    """Feature groups by their ids; an unread id is empty."""

    def __init__(self, facts: Iterable[Fact[DeclaredGroup]]) -> None:
        self.by_id: dict[str, list[Fact[DeclaredGroup]]] = {}
        for fact in facts:
            self.by_id.setdefault(fact.value.group_id or "", []).append(fact)

    def find(self, id_: str, project: int) -> list[Fact[DeclaredGroup]]:
        """The groups that an id may mean: those of the project, where both name one."""
        return [fact for fact in self.by_id.get(id_, ()) if may_be_same(project, fact.value.project)]


def unknown_features(facts: Facts) -> WorkspaceFindings:
    """The index columns of views of feature groups that are neither features of the view nor its entity id."""
    entity_ids: dict[str | None, list[str]] = {}
    for fact in facts.of(DeclaredGroup):
        if "entityIdColumns" not in fact.value.unread:
            entity_ids.setdefault(fact.value.group_id, []).extend(fact.value.entity_id)
    for view in facts.of(GroupsOfView):
        groups = view.value.groups if view.value.indexed else ()
        if not groups or any(group not in entity_ids for _, group, _ in groups):
            continue
        features = [name for *_, taken in groups for _, name in taken]
        entity_id = entity_ids[groups[0][1]]  # the entity id of the view has the names of its first group
        for steps, _, name, _ in view.value.indexed:
            if name and name not in features and name not in entity_id:
                what_to_do = NameIndex(features).did_you_mean(name, otherwise=f"it takes {format_names(features)}")
                yield WorkspaceFinding(view.item(*steps), f'the view takes no feature "{name}"{what_to_do}')


def tables_differing_in_case(facts: Facts) -> WorkspaceFindings:
    """Each group of a view whose table has the name of that of an earlier one, in other capitals."""
    tables = GroupIndex(fact for fact in facts.of(DeclaredGroup) if fact.value.group_id and fact.value.uri)
    for view in facts.of(GroupsOfView):
        first: dict[str, str] = {}
        for place, id_, _ in taken_groups(view):
            table = next(iter(tables.find(id_, view.value.project)), None)
            uri = table.value.uri if table else None
            if table is None or uri is None:
                continue
            earlier = first.setdefault(uri.casefold(), uri)
            if earlier != uri:
                message = f'its table "{uri}" differs from "{earlier}" only in case; change one of them'
                related = (("the group", table.item("uri")),)
                yield WorkspaceFinding(place.item("featureGroupId"), message, related=related)


@dataclass(frozen=True)
class GroupTable:
    """A feature group whose table is known."""

    fact: Fact[DeclaredGroup]
    table: KnownTable

    @property
    def keys(self) -> list[TypedColumn] | None:
        """The columns of its entity id; None if the table lacks one."""
        keys = [self.table.columns.get(name) for name in self.fact.value.entity_id]
        return [key for key in keys if key is not None] if None not in keys else None

    @cached_property
    def features(self) -> dict[str, TypedColumn]:
        """The columns of its features by their ids, without those that the table lacks."""
        columns = {id_: column or id_ for _, id_, column, _ in self.fact.value.features if id_}
        return {id_: self.table.columns[name] for id_, name in columns.items() if name in self.table.columns}


RequestedGroups = list[tuple[str, GroupTable | None, list[str]]]
"""The groups of a view: the id of each, itself where it is known, and the features that the view takes of it."""


def requested_groups(view: Fact[GroupsOfView], groups: GroupIndex, tables: TableIndex) -> RequestedGroups:
    """The groups of a view with their tables; of several groups of an id the first counts."""
    requested: RequestedGroups = []
    for _, id_, features in view.value.groups:
        fact = next((fact for fact in groups.find(id_, view.value.project) if fact.value.uri), None)
        table = tables.resolve(fact.value.uri) if fact and fact.value.uri else None
        group = GroupTable(fact, table) if fact and table else None
        requested.append((id_, group, [name for _, name in features]))
    return requested


class Registry:
    """The declared feature groups, by id."""

    def __init__(self, declared: list[Fact[DeclaredGroup]]) -> None:
        self.is_declared = bool(declared)
        self._groups = GroupIndex(declared)
        self._ids = NameIndex(self._groups.by_id)
        self._features: dict[tuple[str, int], NameIndex | None] = {}

    def unknown_group(self, place: Fact, name: str, project: int) -> WorkspaceFindings:
        """A group that is not declared, or for another project; silent where a declared id could not be read."""
        of_name = self._groups.by_id.get(name)
        if of_name is None and "" not in self._ids:
            what_to_do = self._ids.did_you_mean(name, otherwise="declare it, or use another")
            yield WorkspaceFinding(place, f'no feature group of the workspace has the id "{name}"{what_to_do}')
        elif of_name and not self._groups.find(name, project):
            message = (
                f'the feature group "{name}" is declared for project {of_name[0].value.project}, not for {project}'
            )
            related = (("declared here", of_name[0].item("featureGroupId")),)
            yield WorkspaceFinding(place, f"{message}; correct one of them", related=related)

    def unknown_features(self, group: str, project: int, taken: Iterable[tuple[Fact, str]]) -> WorkspaceFindings:
        """Features that no group of this id has; silent where some of its features could not be read."""
        known = self._known(group, project)
        if known is None:
            return
        for place, name in taken:
            if name not in known:
                what_to_do = known.did_you_mean(name, otherwise="register it, or use another")
                message = f'the feature group "{group}" has no feature "{name}"{what_to_do}'
                related = (("the group", self._groups.find(group, project)[0].item("featureGroupId")),)
                yield WorkspaceFinding(place, message, related=related)

    def _known(self, group: str, project: int) -> NameIndex | None:
        """The features of a group; None if there is no such group, or some could not be read."""
        key = (group, project)
        if key not in self._features:
            tables = self._groups.find(group, project)
            ids = [[id_ for _, id_, *_ in table.value.features] for table in tables]
            is_all = all(table.is_complete and "features" not in table.value.unread for table in tables)
            is_all = is_all and bool(ids) and all(own and None not in own for own in ids)
            self._features[key] = NameIndex(id_ for own in ids for id_ in own if id_) if is_all else None
        return self._features[key]
