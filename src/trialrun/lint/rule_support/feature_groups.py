"""What views take from feature groups as rules across files see it: the columns that a view of groups serves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support.references import (
    ANY_PROJECT,
    GroupIndex,
    NameOrNames,
    referenced_names,
    split_names,
)
from trialrun.lint.rule_support.source_tables import (
    DEFAULT_TIMESTAMP_COLUMN,
    INDEX_COLUMNS,
    EntityId,
    KnownTable,
    TableIndex,
    TypedColumn,
    format_names,
    index_configs,
)
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings
from trialrun.values.suggest import NameIndex

if TYPE_CHECKING:
    from trialrun.lint.rule import Gathered
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureView


class FeatureGroupColumns(NamedTuple):
    """A feature group: its table, and the columns of its entity id and of each feature."""

    uri: str
    group_id: str
    project: int
    entity_id: list[str]
    columns: dict[str, str]
    timestamp: str


class RequestedGroups(NamedTuple):
    """All groups of a view: the id and the features of each."""

    project: int
    groups: list[Any]


class IndexedFeatures(NamedTuple):
    """A field of the index of a view of groups, with the names in it."""

    project: int
    groups: list[Any]
    field: str
    names: NameOrNames
    dimension: int | None


def group_tables(group: FeatureGroupTable) -> Gathered[FeatureGroupColumns]:
    """A feature group whose columns are clear."""
    is_clear = type(group.entityIdColumns) is list and type(group.features) is list
    if not (group.uri and group.featureGroupId and is_clear):
        return
    features = {feature.id: feature.column or feature.id for feature in group.features or () if feature.id}
    timestamp = group.timestampColumn or DEFAULT_TIMESTAMP_COLUMN
    project, entity_id = group.projectNumber or ANY_PROJECT, group.entityIdColumns or []
    value = FeatureGroupColumns(group.uri, group.featureGroupId, project, entity_id, features, timestamp)
    yield group.location("featureGroupId"), value


def requested_groups(view: FeatureView) -> Gathered[RequestedGroups | IndexedFeatures]:
    """The groups of a view, where all of them are clear, and each field of its index."""
    from trialrun.model.node import TruncatedList

    source = view.featureRegistrySource
    groups = source.featureGroups if source and view.members("source") == ["featureRegistrySource"] else None
    if source is None or not groups or isinstance(groups, TruncatedList):
        return
    asked = [(group.featureGroupId or "", group.featureIds) for group in groups]
    if any(not id_ or type(features) is not list for id_, features in asked):
        return
    named = [list(group) for group in asked]
    project = source.projectNumber or ANY_PROJECT
    yield source.location("featureGroups"), RequestedGroups(project, named)
    for config in index_configs(view):
        for field in INDEX_COLUMNS:
            for place, names in referenced_names(config, field):
                yield place, IndexedFeatures(project, named, field, names, config.embeddingDimension)


def indexed_features(view: FeatureView) -> Gathered[IndexedFeatures]:
    """The fields of the index of a view of groups."""
    for location, value in requested_groups(view):
        if isinstance(value, IndexedFeatures):
            yield location, value


def unknown_features(facts: Facts) -> WorkspaceFindings:
    """The index columns of views of feature groups that are neither features of the view nor its entity id."""
    columns: dict[str | None, list[str]] = {}
    for fact in facts.of(EntityId):
        columns.setdefault(fact.value.group_id, []).extend(fact.value.columns)
    for use in facts.of(IndexedFeatures):
        yield from _not_taken(use, columns)


def _not_taken(use: Fact[IndexedFeatures], entity_ids: Mapping[str | None, list[str]]) -> WorkspaceFindings:
    if not all(group in entity_ids for group, _ in use.value.groups):
        return
    features = [feature for _, of_group in use.value.groups for feature in of_group]
    entity_id = entity_ids[use.value.groups[0][0]]  # the entity id of the view has the names of its first group
    for fact, name in split_names(use, use.value.names):
        if name and name not in features and name not in entity_id:
            what_to_do = NameIndex(features).did_you_mean(name, otherwise=f"it takes {format_names(features)}")
            yield WorkspaceFinding(fact, f'the view takes no feature "{name}"{what_to_do}')


@dataclass(frozen=True)
class GroupTable:
    """A feature group whose table is known."""

    fact: Fact[FeatureGroupColumns]
    table: KnownTable

    @property
    def keys(self) -> list[TypedColumn] | None:
        """The columns of its entity id; None if the table lacks one."""
        keys = [self.table.columns.get(name) for name in self.fact.value.entity_id]
        return [key for key in keys if key is not None] if None not in keys else None

    def feature(self, id_: str) -> TypedColumn | None:
        """The column of a feature; None if the group or the table lacks it."""
        return self.table.columns.get(self.fact.value.columns.get(id_, ""))

    @property
    def timestamp(self) -> str:
        """The name of its timestamp column."""
        return self.fact.value.timestamp


class GroupTables:
    """The feature groups of a workspace by id; of several the first counts."""

    def __init__(self, groups: Iterable[Fact[FeatureGroupColumns]], tables: TableIndex) -> None:
        self._tables = tables
        self._groups = GroupIndex(groups)

    def resolve(self, id_: str, project: int) -> GroupTable | None:
        """The group of an id with its table; None if one of the two is not known."""
        fact = next(iter(self._groups.find(id_, project)), None)
        table = self._tables.resolve(fact.value.uri) if fact else None
        return GroupTable(fact, table) if fact and table else None


class DeclaredGroup(NamedTuple):
    """The id and the project of a group, its features, and whether all of them could be read."""

    group_id: str | None
    project: int
    features: list[str]
    is_complete: bool


class TakenGroup(NamedTuple):
    """A group that a view takes features from, which is no other view's concern."""

    id: str
    project: int


class TakenFeatures(NamedTuple):
    """The features that a view takes of a group."""

    id: str
    project: int
    names: NameOrNames


class Registry:
    """The declared feature groups, by id."""

    def __init__(self, declared: list[Fact[DeclaredGroup]]) -> None:
        self.is_declared = bool(declared)
        self._groups = GroupIndex(declared)
        self._ids = NameIndex(self._groups.by_id)
        self._features: dict[tuple[str, int], NameIndex | None] = {}

    def unknown_group(self, fact: Fact[TakenGroup]) -> WorkspaceFindings:
        """A group that is not declared, or for another project; silent where a declared id could not be read."""
        name, project = fact.value
        of_name = self._groups.by_id.get(name)
        if of_name is None and "" not in self._ids:
            what_to_do = self._ids.did_you_mean(name, otherwise="declare it, or use another")
            yield WorkspaceFinding(fact, f'no feature group of the workspace has the id "{name}"{what_to_do}')
        elif of_name and not self._groups.find(name, project):
            message = (
                f'the feature group "{name}" is declared for project {of_name[0].value.project}, not for {project}'
            )
            yield WorkspaceFinding(fact, f"{message}; correct one of them", related=(("declared here", of_name[0]),))

    def unknown_features(self, fact: Fact[TakenFeatures]) -> WorkspaceFindings:
        """Features that no group of this id has; silent where some of its features could not be read."""
        group, project, names = fact.value
        known = self._known(group, project)
        if known is None:
            return
        for part, name in split_names(fact, names):
            if name not in known:
                what_to_do = known.did_you_mean(name, otherwise="register it, or use another")
                message = f'the feature group "{group}" has no feature "{name}"{what_to_do}'
                yield WorkspaceFinding(part, message, related=(("the group", self._groups.find(group, project)[0]),))

    def _known(self, group: str, project: int) -> NameIndex | None:
        """The features of a group; None if there is no such group, or some could not be read."""
        key = (group, project)
        if key not in self._features:
            tables = self._groups.find(group, project)
            is_all = bool(tables) and all(table.value.is_complete and table.is_complete for table in tables)
            self._features[key] = (
                NameIndex(name for table in tables for name in table.value.features) if is_all else None
            )
        return self._features[key]
