"""What columns are used for, and the types that fit each use.

The types of a table are those that the runtime reads: `ColumnTypes` are the functions that this module needs of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule_support.feature_groups import (
    TAKEN_GROUPS,
    DeclaredGroup,
    GroupIndex,
    GroupsOfView,
    GroupTable,
    RequestedGroups,
    declared_group,
    groups_of_view,
    requested_groups,
)
from trialrun.lint.rule_support.references import split_names
from trialrun.lint.rule_support.source_tables import (
    IMPLIED_TIMESTAMP_COLUMN,
    INDEX_COLUMNS,
    UNSET_TIMESTAMP_COLUMN,
    ColumnUse,
    DeclaredSource,
    KnownTable,
    TableIndex,
    TypedColumn,
    first_of,
    format_names,
    index_configs,
    source_facts,
    uses_of_group,
    uses_of_source,
    uses_of_view,
)
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings
from trialrun.values.suggest import NameIndex

if TYPE_CHECKING:
    from trialrun.lint.rule import Gathered
    from trialrun.model.companion import Source
    from trialrun.model.feature_view import FeatureView

FIXED_LENGTH: Final = re.compile(r"\[(\d+)\]\Z")
SERVED_FIELDS: Final = ("filterColumns", "crowdingColumn")
"""The fields that name columns which are served."""


class ColumnTypes(Protocol):
    """How the columns of a table and their types are read."""

    @property
    def KNOWN_TYPES(self) -> Set[str]:
        """The words for types."""

    def columns_of(self, source: Mapping[str, Any], folder: str) -> Sequence[TypedColumn] | str:
        """The columns of a Source, or why they are unknown."""

    def is_type(self, written: str) -> bool:
        """Whether a text is a type."""

    def has_own_types(self, source: Mapping[str, Any], folder: str) -> bool:
        """Whether the files of a Source have types, which are otherwise inferred from their rows."""


class UnknownType(NamedTuple):
    """A word for a type that there is not."""

    uri: str | None
    type: str


class ServedTable(NamedTuple):
    """The table of a view, the columns of the entity id, and those that the index names."""

    uri: str
    entity_id: list[str]
    indexed: list[str]


FACTS = (
    DeclaredSource,
    ColumnUse,
    UnknownType,
    DeclaredGroup,
    ServedTable,
    GroupsOfView,
)


SUBJECTS = ("Source", "FeatureGroupTable", "FeatureView")
"""The messages that facts are gathered of."""


def gather_facts(document: Any, types: ColumnTypes) -> Gathered[Any]:
    """The columns that a document names, and the types that it declares."""
    match type(document).__name__:
        case "Source":
            return _source_facts(document, types)
        case "FeatureGroupTable":
            return chain(uses_of_group(document), declared_group(document))
    return _view_facts(document)


def _source_facts(source: Source, types: ColumnTypes) -> Gathered[DeclaredSource | ColumnUse | UnknownType]:
    """What a Source says of its table, the column that it names, and each word for a type that there is not."""
    yield from source_facts(source)
    yield from uses_of_source(source)
    for column in source.columns or ():
        if column.type and not types.is_type(column.type):
            yield column.location("type"), UnknownType(source.uri, column.type)


def _view_facts(view: FeatureView) -> Gathered[Any]:
    """The columns that a view names, its table with the entity id, and what it takes from feature groups."""
    yield from uses_of_view(view)
    yield from groups_of_view(view)
    source = view.warehouseSource
    if source and source.uri and type(source.entityIdColumns) is list and len(view.members("source")) == 1:
        values = (getattr(config, field) or [] for config in index_configs(view) for field in INDEX_COLUMNS)
        indexed = [name for value in values for name in ([value] if isinstance(value, str) else value)]
        yield source.location("uri"), ServedTable(source.uri, source.entityIdColumns, indexed)


def wrong_types(facts: Facts, types: ColumnTypes) -> WorkspaceFindings:
    """Each column of the wrong type, and each declared type that there is not."""
    yield from _unknown_types(facts, types)
    tables = TableIndex(facts.of(DeclaredSource), types.columns_of)
    groups = GroupIndex(fact for fact in facts.of(DeclaredGroup) if not fact.value.unread)
    for use in facts.of(ColumnUse):
        yield from _of_use(use, tables, types)
    for table in facts.of(ServedTable):
        yield from _nothing_in_table(table, tables, types)
    for view in (view for view in facts.of(GroupsOfView) if view.value.is_clear):
        requested = requested_groups(view, groups, tables)
        yield from _of_index(view, requested, types)
        yield from _nothing_in_groups(view, requested, types)
        yield from _different_entity_ids(view, requested)


def _unknown_types(facts: Facts, types: ColumnTypes) -> WorkspaceFindings:
    suggester = NameIndex(types.KNOWN_TYPES)
    for fact in facts.of(UnknownType):
        what_to_do = suggester.did_you_mean(fact.value.type, otherwise="write a type such as STRING, INT64 or FLOAT")
        yield WorkspaceFinding(fact, f'unknown type "{fact.value.type}"{what_to_do}', severity=Severity.WARNING)


def _of_use(use: Fact[ColumnUse], tables: TableIndex, types: ColumnTypes) -> WorkspaceFindings:
    """The columns of a use whose type is not what they are used for; silent where nothing is known of a column."""
    _, field, names, dimension = use.value
    table = tables.resolve(use.value.uri) if field in WRONG_TYPE else None
    if table is None:
        return
    if field == IMPLIED_TIMESTAMP_COLUMN:
        column = table.timestamp_column
        if column and "timestampColumn" not in table.source.value.fields:
            yield from _of_column(use, ColumnInUse(column.name, column, field, None), table, types)
        return
    for fact, name in split_names(use, names):
        column = table.columns.get(name)
        if column and field in SERVED_FIELDS and name == table.timestamp and _is_timestamp(column):
            yield WorkspaceFinding(fact, _not_served(name), related=(("the source", table.source),))
        elif column:
            yield from _of_column(fact, ColumnInUse(name, column, field, dimension), table, types)


def _of_index(fact: Fact[GroupsOfView], requested: RequestedGroups, types: ColumnTypes) -> WorkspaceFindings:
    """The index columns of a view of groups: features, or columns of the entity id, of wrong types."""
    known = [(group, features) for _, group, features in requested if group]
    for steps, field, name, dimension in fact.value.indexed:
        use = fact.item(*steps)
        for group, features in known:
            column = group.features.get(name) if name in features else group.table.columns.get(name)
            if column and (name in features or name in group.fact.value.entity_id):
                yield from _of_column(use, ColumnInUse(name, column, field, dimension), group.table, types)
                break
            if column and field in SERVED_FIELDS and name == group.fact.value.timestamp:
                yield WorkspaceFinding(use, _not_served(name), related=(("the group", _place(group)),))
                break


def _place(group: GroupTable) -> Fact:
    return group.fact.item("featureGroupId")


class ColumnInUse(NamedTuple):
    """A column that a field names, and the name by which it does: a feature may have another than its column.

    `may_be_floats` says that its integers were inferred from rows, and may be meant as floats.
    """

    name: str
    column: TypedColumn
    field: str
    dimension: int | None
    may_be_floats: bool = False


def _of_column(fact: Fact, use: ColumnInUse, table: KnownTable, types: ColumnTypes) -> WorkspaceFindings:
    """What is wrong with one column of a use; silent where its declared type is none."""
    if not _has_type(use.column, table, types):
        return
    if use.field == "embeddingColumn" and use.column.type == "INT64" and not table.is_declared:
        use = use._replace(may_be_floats=not types.has_own_types(table.source.value.fields, table.folder))
    if message := WRONG_TYPE[use.field](use):
        yield WorkspaceFinding(fact, message, related=(("the source", table.source),))


def _not_served(name: str) -> str:
    return f'the column "{name}" holds the timestamp, which is not served; take another'


def _nothing_in_table(fact: Fact[ServedTable], tables: TableIndex, types: ColumnTypes) -> WorkspaceFindings:
    """A view whose table has no column to serve beside the entity id, or some that are left out.

    An index column, and a timestamp column, is reported by itself.
    """
    uri, entity_id, indexed = fact.value
    table = tables.resolve(uri)
    if table is None or any(key not in table.columns for key in entity_id):
        return
    timestamp = table.timestamp_column
    if timestamp and not _is_timestamp(timestamp):
        return
    columns = [column for column in table.columns.values() if column.name not in entity_id and column is not timestamp]
    left_out = [column for column in columns if _is_never_served(column, table, types) and column.name not in indexed]
    if len(left_out) < len(columns):
        yield from _left_out(fact, {column.name: column for column in left_out})
    else:
        why = f"{_format_types(columns)}, which is not a feature type" if columns else "it has no other columns"
        message = f'"{uri}" has nothing to serve besides {format_names(entity_id)}; {why}'
        yield WorkspaceFinding(fact, message, related=(("the source", table.source),))


def _nothing_in_groups(fact: Fact[GroupsOfView], requested: RequestedGroups, types: ColumnTypes) -> WorkspaceFindings:
    """A view whose features, or some of them, have types that cannot be served; silent where one is not known."""
    columns = {
        feature: (column, group.table)
        for _, group, features in requested
        for feature in features
        if group and (column := group.features.get(feature))
    }
    left_out = {name: column for name, (column, table) in columns.items() if _is_never_served(column, table, types)}
    if not columns or len(columns) < sum(len(features) for *_, features in requested):
        return
    place = fact.item(*TAKEN_GROUPS)
    if len(left_out) < len(columns):
        yield from _left_out(place, left_out)
    else:
        what = f"the features of the view have types that cannot be served: {_format_types(list(left_out.values()))}"
        yield WorkspaceFinding(place, f"{what}; take one of another type")


def _left_out(fact: Fact, columns: Mapping[str, TypedColumn]) -> WorkspaceFindings:
    """A note on features that a sync leaves out, in its words."""
    if columns:
        what = "has a type" if len(columns) == 1 else "have types"
        names = format_names(list(columns))
        message = (
            f"{len(columns)} of the features {what} that cannot be served, and {'is' if len(columns) == 1 else 'are'} "
            f"left out: {names}; convert the column in the table"
        )
        yield WorkspaceFinding(fact, message, severity=Severity.NOTE, help=_format_types(list(columns.values())))


def _different_entity_ids(fact: Fact[GroupsOfView], requested: RequestedGroups) -> WorkspaceFindings:
    """Each group of a view whose entity id has other types than that of the first one."""
    first_id, first, _ = requested[0]
    for index, (_, group, _) in enumerate(requested):
        if group is None or first is None or group.keys is None or first.keys is None:
            continue
        if [key.type for key in group.keys] != [key.type for key in first.keys]:
            message = f'its entity id, {_format_keys(group)}, is not that of "{first_id}", {_format_keys(first)}'
            related = (("the group", _place(group)), ("the first group", _place(first)))
            place = fact.item(*TAKEN_GROUPS, index, "featureGroupId")
            yield WorkspaceFinding(place, f"{message}; take groups of the same entity", related=related)


def _is_timestamp(column: TypedColumn) -> bool:
    return column.type == "TIMESTAMP" and not column.repeated


def _has_type(column: TypedColumn, table: KnownTable, types: ColumnTypes) -> bool:
    """Whether the type of a column is one: what a Source declares may be a mistake, what a table has is a type."""
    return not table.is_declared or types.is_type(column.source_type)


def _is_never_served(column: TypedColumn, table: KnownTable, types: ColumnTypes) -> bool:
    """Whether a column has a type that no feature can be."""
    return column.type == "UNSUPPORTED" and _has_type(column, table, types)


def _format_types(columns: Sequence[TypedColumn]) -> str:
    return first_of([f'"{column.name}" is {column.written_type}' for column in columns])


def _format_keys(group: GroupTable) -> str:
    return ", ".join(f'"{key.name}" {key.written_type}' for key in group.keys or ())


def _wrong_entity_id(use: ColumnInUse) -> str | None:
    if use.column.type in ("STRING", "INT64") and not use.column.repeated:
        return None
    return f'the entity id column "{use.name}" is {use.column.written_type}; it must be text or an integer'


def _wrong_embedding(use: ColumnInUse) -> str | None:
    if not use.column.repeated or (use.column.type != "DOUBLE" and not use.may_be_floats):
        return f'the embedding column "{use.name}" is {use.column.written_type}; it must be a list of floats'
    length = FIXED_LENGTH.search(use.column.source_type)
    if length and use.dimension is not None and int(length[1]) != use.dimension:
        return (
            f'the embedding column "{use.name}" has {length[1]} dimensions, and embeddingDimension is {use.dimension}; '
            "correct one of them"
        )
    return None


def _wrong_timestamp(use: ColumnInUse) -> str | None:
    if _is_timestamp(use.column):
        return None
    return f'the timestamp column "{use.name}" is {use.column.written_type}; it must be TIMESTAMP'


def _wrong_feature(use: ColumnInUse) -> str | None:
    if use.column.type != "UNSUPPORTED":
        return None
    return f'the column "{use.name}" is {use.column.written_type}, which is not a feature type; convert it in the table'


WRONG_TYPE = {
    "entityIdColumns": _wrong_entity_id,
    "embeddingColumn": _wrong_embedding,
    "timestampColumn": _wrong_timestamp,
    UNSET_TIMESTAMP_COLUMN: _wrong_timestamp,
    IMPLIED_TIMESTAMP_COLUMN: _wrong_timestamp,
    "filterColumns": _wrong_feature,
    "crowdingColumn": _wrong_feature,
}
"""What is wrong with the column of a field, by the field."""
