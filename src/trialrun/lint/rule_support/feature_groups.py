"""What views take from feature groups as rules across files see it: the columns that a view of groups serves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support.references import referenced_names
from trialrun.lint.rule_support.source_tables import (
    DEFAULT_TIMESTAMP_COLUMN,
    INDEX_COLUMNS,
    C,
    KnownTable,
    TableIndex,
    index_configs,
)

if TYPE_CHECKING:
    from trialrun.diagnostic import SymbolicLocation
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureView

    Gathered = Iterator[tuple[SymbolicLocation, list[Any]]]

GROUP, ASKED, SERVED, INDEXED = "group", "asked group", "served", "indexed"
ANY_PROJECT = 0


def group_tables(group: FeatureGroupTable) -> Gathered:
    """A feature group: `[GROUP, uri, id, project, entity id columns, columns by feature, timestamp column]`."""
    is_clear = type(group.entityIdColumns) is list and type(group.features) is list
    if not (group.uri and group.featureGroupId and is_clear):
        return
    features = {feature.id: feature.column or feature.id for feature in group.features or () if feature.id}
    timestamp = group.timestampColumn or DEFAULT_TIMESTAMP_COLUMN
    value = [GROUP, group.uri, group.featureGroupId, group.projectNumber or ANY_PROJECT]
    yield group.location("featureGroupId"), [*value, group.entityIdColumns, features, timestamp]


def requested_groups(view: FeatureView) -> Gathered:
    """The groups of a view, where all of them are clear.

    `[ASKED, None, project, id, id of the first group]` for each, `[SERVED, None, project, [[id, features], ...]]` once,
    and `[INDEXED, None, project, groups, field, names, embeddingDimension]` for each field of its index.
    """
    from trialrun.model.node import TruncatedList

    source = view.featureRegistrySource
    groups = source.featureGroups if source and view.members("source") == ["featureRegistrySource"] else None
    if source is None or not groups or isinstance(groups, TruncatedList):
        return
    asked = [[group.featureGroupId, group.featureIds] for group in groups]
    if any(not id_ or type(features) is not list for id_, features in asked):
        return
    project = source.projectNumber or ANY_PROJECT
    yield source.location("featureGroups"), [SERVED, None, project, asked]
    for index, (id_, _) in enumerate(asked):
        yield source.location("featureGroups", index, "featureGroupId"), [ASKED, None, project, id_, asked[0][0]]
    for config in index_configs(view):
        for field in INDEX_COLUMNS:
            for place, names in referenced_names(config, field):
                yield place, [INDEXED, None, project, asked, field, names, config.embeddingDimension]


@dataclass(frozen=True)
class GroupTable(Generic[C]):
    """A feature group whose table is known."""

    fact: Fact
    table: KnownTable[C]

    @property
    def keys(self) -> list[C] | None:
        """The columns of its entity id; None where the table lacks one."""
        keys = [self.table.columns.get(name) for name in self.fact.value[4]]
        return [key for key in keys if key is not None] if None not in keys else None

    def feature(self, id_: str) -> C | None:
        """The column of a feature; None where the group or the table lacks it."""
        return self.table.columns.get(self.fact.value[5].get(id_, ""))

    @property
    def timestamp(self) -> str:
        """The name of its timestamp column."""
        column: str = self.fact.value[6]
        return column


class GroupTables(Generic[C]):
    """The feature groups of a workspace by id; of several the first counts."""

    def __init__(self, facts: Iterable[Fact], tables: TableIndex[C]) -> None:
        self._tables = tables
        self._by_id: dict[str, list[Fact]] = {}
        for fact in facts:
            if fact.value[0] == GROUP:
                self._by_id.setdefault(fact.value[2], []).append(fact)

    def fact(self, id_: str, project: int) -> Fact | None:
        """The fact of the group of an id, of the project where both name one."""
        for fact in self._by_id.get(id_, ()):
            if ANY_PROJECT in (project, fact.value[3]) or project == fact.value[3]:
                return fact
        return None

    def resolve(self, id_: str, project: int) -> GroupTable[C] | None:
        """The group of an id with its table; None where one of the two is not known."""
        fact = self.fact(id_, project)
        table = self._tables.resolve(fact.value[1]) if fact else None
        return GroupTable(fact, table) if fact and isinstance(table, KnownTable) else None
