"""Column whose type does not fit its use.

An entity id column is text or an integer: rows are looked up by it. An embedding column is a list of floats whose
length, where it is fixed, is the embeddingDimension: no index can be built otherwise. The timestamp column of a feature
group or a Source is a TIMESTAMP, which determines the latest row. A filter or crowding column is a served column: not
of a type that features cannot have, such as DATE, and not the timestamp. A table has a column to serve besides the
entity id, and the groups of one view have entity ids of the same types. An unknown declared type is a warning, since it
cannot be checked.

The types are those of the `columns` of the Source, or of the table itself; `unknown-column` reports where neither is
available. Any other column may have any type. A list of integers is accepted as a list of floats only in JSON files,
whose types are inferred from their rows, unless the Source declares it.

Specification: feature-view, IndexConfig, embeddingColumn: "Column holding the source embedding data.";
embeddingDimension: "Number of dimensions of the input embedding."; WarehouseSource, entityIdColumns: "Columns used to
construct the entity id / row keys."

Good:

    - kind: Source
      uri: bq://p.d.menu
      files: menu.parquet
      columns:
        - {name: item_id, type: STRING, mode: REQUIRED}
        - {name: store, type: INT64}
        - {name: price, type: FLOAT}
        - {name: embedding, type: FLOAT, mode: REPEATED}
        - {name: small, type: "FLOAT[64]"}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/search
      warehouseSource: {uri: bq://p.d.menu, entityIdColumns: [item_id, store]}
      indexConfig: {embeddingColumn: embedding, embeddingDimension: 768, filterColumns: [price]}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/small
      warehouseSource: {uri: bq://p.d.menu, entityIdColumns: [item_id]}
      indexConfig: {embeddingColumn: small, embeddingDimension: 64}

Bad:

    - kind: Source
      uri: bq://p.d.menu
      files: menu.parquet
      columns:
        - {name: item_id, type: STRNG}  # <- unknown type "STRNG"; did you mean "STRING"?
        - {name: day, type: DATE}
        - {name: tags, type: STRING, mode: REPEATED}
        - {name: embedding, type: STRING}
        - {name: small, type: "FLOAT[64]"}
        - {name: changed, type: INT64}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/search
      warehouseSource:
        uri: bq://p.d.menu
        entityIdColumns:
          - item_id
          - day  # <- the entity id column "day" is DATE; it must be text or an integer
          - tags  # <- the entity id column "tags" is STRING REPEATED; it must be text or an integer
      indexConfig:
        embeddingColumn: embedding  # <- the embedding column "embedding" is STRING; it must be a list of floats
        filterColumns: [tags, day]  # <- the column "day" is DATE, which is not a feature type
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/small
      warehouseSource: {uri: bq://p.d.menu, entityIdColumns: [item_id]}
      indexConfig:
        embeddingColumn: small  # <- the embedding column "small" has 64 dimensions, and embeddingDimension is 768
        embeddingDimension: 768
    - kind: FeatureGroupTable
      featureGroupId: menu
      uri: bq://p.d.menu
      entityIdColumns: [day]  # <- the entity id column "day" is DATE; it must be text or an integer
      timestampColumn: changed  # <- the timestamp column "changed" is INT64; it must be TIMESTAMP
      features: [{id: tags}]

Bad:

    - kind: Source
      uri: bq://p.d.days
      files: days.parquet
      columns:
        - {name: id, type: STRING}
        - {name: day, type: DATE}
        - {name: feature_timestamp, type: TIMESTAMP}
    - kind: Source
      uri: bq://p.d.visits
      files: visits.parquet
      columns:
        - {name: number, type: INT64}
        - {name: visits, type: INT64}
        - {name: vector, type: INT64, mode: REPEATED}
        - {name: feature_timestamp, type: TIMESTAMP}
    - kind: FeatureGroupTable
      featureGroupId: days
      uri: bq://p.d.days
      entityIdColumns: [id]
      features: [{id: day}]
    - kind: FeatureGroupTable
      featureGroupId: visits
      uri: bq://p.d.visits
      entityIdColumns: [number]
      features: [{id: visits}, {id: vector}]
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/table
      warehouseSource:
        uri: bq://p.d.days  # <- "bq://p.d.days" has nothing to serve besides "id"; "day" is DATE
        entityIdColumns: [id]
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/days
      featureRegistrySource:
        featureGroups:  # <- the features of the view have types that cannot be served: "day" is DATE
          - {featureGroupId: days, featureIds: [day]}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/both
      featureRegistrySource:
        featureGroups:
          - {featureGroupId: days, featureIds: [day]}
          - featureGroupId: visits  # <- its entity id, "number" INT64, is not that of "days", "id" STRING
            featureIds: [visits, vector]
      indexConfig:
        embeddingColumn: vector  # <- the embedding column "vector" is INT64 REPEATED; it must be a list of floats
        filterColumns:
          - visits
          - feature_timestamp  # <- the column "feature_timestamp" holds the timestamp, which is not served
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity, SymbolicLocation
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import gather, rule
from trialrun.lint.rule_support.feature_groups import (
    ASKED,
    INDEXED,
    SERVED,
    GroupTable,
    GroupTables,
    group_tables,
    requested_groups,
)
from trialrun.lint.rule_support.source_tables import (
    INDEX_COLUMNS,
    MAX_SHOWN,
    UNSET_TIMESTAMP_COLUMN,
    USE,
    KnownTable,
    TableIndex,
    format_names,
    index_configs,
    source_facts,
    uses_of_group,
    uses_of_source,
    uses_of_view,
)
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable, Source
    from trialrun.model.feature_view import FeatureView, IndexConfig
    from trialrun.runtime.feature_view.column import Column

TYPE, WAREHOUSE = "type", "warehouse"
OF_ONE_LENGTH = re.compile(r"\[(\d+)\]\Z")


@gather("Source", keys=(1,))
def sources(source: Source) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """What a Source says of its table, the column that it names, and each word for a type that there is not."""
    from trialrun.runtime.feature_view.source.columns import is_type

    yield from source_facts(source)
    yield from uses_of_source(source)
    for column in source.columns or ():
        if column.type and not is_type(column.type):
            yield column.location("type"), [TYPE, source.uri, column.type]


@gather("FeatureGroupTable", keys=(1,))
def groups(group: FeatureGroupTable) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The columns that a feature group names, and those of its features."""
    yield from uses_of_group(group)
    yield from group_tables(group)


@gather("FeatureView", keys=(1,))
def views(view: FeatureView) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The columns that a view names, its table with the entity id, and what it takes from feature groups."""
    yield from uses_of_view(view)
    yield from requested_groups(view)
    source = view.warehouseSource
    if source and source.uri and type(source.entityIdColumns) is list and len(view.members("source")) == 1:
        indexed = [name for config in index_configs(view) for field in INDEX_COLUMNS for name in names(config, field)]
        yield source.location("uri"), [WAREHOUSE, source.uri, source.entityIdColumns, indexed]


def names(config: IndexConfig, field: str) -> Iterable[str]:
    """The columns of a field of an index."""
    value: list[str] | str = getattr(config, field) or []
    return [value] if isinstance(value, str) else value


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each column of the wrong type, and each declared type that there is not."""
    from trialrun.lint.rule_support.references import NameSuggester
    from trialrun.runtime.feature_view.source.columns import KNOWN_TYPES, columns_of

    tables = TableIndex(facts, columns_of)
    groups = GroupTables(facts, tables)
    types = NameSuggester(KNOWN_TYPES)
    for fact in facts:
        if fact.value[0] == TYPE:
            what_to_do = types.did_you_mean(fact.value[2], otherwise="write a type such as STRING, INT64 or FLOAT")
            yield WorkspaceFinding(fact, f'unknown type "{fact.value[2]}"{what_to_do}', severity=Severity.WARNING)
        elif fact.value[0] == USE and fact.value[2] in WRONG:
            yield from of_wrong_type(fact, tables)
        elif fact.value[0] in OF_VIEWS:
            yield from OF_VIEWS[fact.value[0]](fact, tables, groups)


def of_wrong_type(use: Fact, tables: TableIndex[Column]) -> WorkspaceFindings:
    """The columns of a use whose type is not what they are used for; silent where nothing is known of a column."""
    from trialrun.lint.rule_support.references import split_names

    table = tables.resolve(use.value[1])
    if not isinstance(table, KnownTable):
        return
    _, _, field, names, dimension = use.value
    for one, name in split_names(use, names):
        column = table.columns.get(name)
        if column and field in OF_SERVED and name == table.timestamp and is_timestamp(column):
            yield WorkspaceFinding(one, not_served(name), related=(("the source", table.source),))
        elif column:
            yield from of_column(one, field, column, dimension, table)


def of_column(
    use: Fact, field: str, column: Column, dimension: int | None, table: KnownTable[Column]
) -> WorkspaceFindings:
    """What is wrong with one column of a use; silent where its declared type is none."""
    from trialrun.runtime.feature_view.source.columns import is_type

    if not is_type(column.source_type):
        return
    if field == "embeddingColumn":
        column = as_floats(column, table)
    if wrong := WRONG[field](column, dimension):
        yield WorkspaceFinding(use, wrong, related=(("the source", table.source),))


def as_floats(column: Column, table: KnownTable[Column]) -> Column:
    """A list of integers as the list of floats that it may be in a file of JSON."""
    from trialrun.runtime.feature_view.source.columns import has_own_types

    if column.type != "INT64" or not column.repeated or table.is_declared:
        return column
    return column if has_own_types(table.source.value[3], table.folder) else replace(column, type="DOUBLE")


def nothing_in_table(fact: Fact, tables: TableIndex[Column], groups: GroupTables[Column]) -> WorkspaceFindings:
    """A view whose table has no column to serve beside the entity id; an index column is told by itself."""
    _, uri, keys, indexed = fact.value
    table = tables.resolve(uri)
    if not isinstance(table, KnownTable) or any(key not in table.columns for key in keys):
        return
    columns = [
        column
        for column in table.columns.values()
        if column.name not in keys and not (column.name == table.timestamp and is_timestamp(column))
    ]
    if all(is_never_served(column) and column.name not in indexed for column in columns):
        why = f"{types_of(columns)}, which is not a feature type" if columns else "it has no other columns"
        message = f'"{uri}" has nothing to serve besides {format_names(keys)}; {why}'
        yield WorkspaceFinding(fact, message, related=(("the source", table.source),))


def nothing_in_groups(fact: Fact, tables: TableIndex[Column], groups: GroupTables[Column]) -> WorkspaceFindings:
    """A view of which is not a feature type served; silent where a feature is not known."""
    _, _, project, asked = fact.value
    found = [(groups.resolve(id_, project), features) for id_, features in asked]
    columns = [table.feature(feature) if table else None for table, features in found for feature in features]
    known = [column for column in columns if column is not None]
    if known and len(known) == len(columns) and all(is_never_served(one) for one in known):
        what = f"the features of the view have types that cannot be served: {types_of(known)}"
        yield WorkspaceFinding(fact, f"{what}; take one of another type")


def unlike_entity_ids(fact: Fact, tables: TableIndex[Column], groups: GroupTables[Column]) -> WorkspaceFindings:
    """A group whose entity id is not like that of the first one, or whose table is written like that of it."""
    _, _, project, id_, first_id = fact.value
    group, first = groups.resolve(id_, project), groups.resolve(first_id, project)
    if group is None or first is None or group.keys is None or first.keys is None:
        return
    if [key.type for key in group.keys] != [key.type for key in first.keys]:
        message = f'its entity id, {shown_keys(group)}, is not that of "{first_id}", {shown_keys(first)}'
        related = (("the group", group.fact), ("the first group", first.fact))
        yield WorkspaceFinding(fact, f"{message}; take groups of the same entity", related=related)


def of_wrong_feature(fact: Fact, tables: TableIndex[Column], groups: GroupTables[Column]) -> WorkspaceFindings:
    """The index columns of a view of groups: features, or columns of the entity id, of wrong types."""
    from trialrun.lint.rule_support.references import split_names

    _, _, project, asked, field, names, dimension = fact.value
    known = [(group, features) for id_, features in asked if (group := groups.resolve(id_, project))]
    for one, name in split_names(fact, names):
        for group, features in known:
            column = group.feature(name) if name in features else group.table.columns.get(name)
            if column and (name in features or name in group.fact.value[4]):
                yield from of_column(one, field, replace(column, name=name), dimension, group.table)
                break
            if column and field in OF_SERVED and name == group.timestamp:
                yield WorkspaceFinding(one, not_served(name), related=(("the group", group.fact),))
                break


def not_served(name: str) -> str:
    """What is wrong with an index column that holds the timestamp."""
    return f'the column "{name}" holds the timestamp, which is not served; take another'


OF_VIEWS = {
    WAREHOUSE: nothing_in_table,
    SERVED: nothing_in_groups,
    ASKED: unlike_entity_ids,
    INDEXED: of_wrong_feature,
}
"""What there is to say of the tables of a view, by the fact that it is said of."""


def is_timestamp(column: Column) -> bool:
    """Whether a column holds timestamps."""
    return column.type == "TIMESTAMP" and not column.repeated


def is_never_served(column: Column) -> bool:
    """Whether a column has a type that no feature can be."""
    from trialrun.runtime.feature_view.source.columns import is_type

    return column.type == "UNSUPPORTED" and is_type(column.source_type)


def types_of(columns: Iterable[Column]) -> str:
    """Columns with their types, for a message."""
    return ", ".join(f'"{column.name}" is {column.type_text}' for column in list(columns)[:MAX_SHOWN])


def shown_keys(group: GroupTable[Column]) -> str:
    """The entity id of a group, for a message."""
    return ", ".join(f'"{key.name}" {key.type_text}' for key in group.keys or ())


def wrong_entity_id(column: Column, dimension: int | None) -> str | None:
    """What is wrong with an entity id column."""
    if column.type in ("STRING", "INT64") and not column.repeated:
        return None
    return f'the entity id column "{column.name}" is {column.type_text}; it must be text or an integer'


def wrong_embedding(column: Column, dimension: int | None) -> str | None:
    """What is wrong with an embedding column."""
    if column.type != "DOUBLE" or not column.repeated:
        return f'the embedding column "{column.name}" is {column.type_text}; it must be a list of floats'
    length = OF_ONE_LENGTH.search(column.source_type)
    if length and dimension is not None and int(length[1]) != dimension:
        return (
            f'the embedding column "{column.name}" has {length[1]} dimensions, and embeddingDimension is {dimension}; '
            "correct one of them"
        )
    return None


def wrong_timestamp(column: Column, dimension: int | None) -> str | None:
    """What is wrong with a timestamp column."""
    if is_timestamp(column):
        return None
    return f'the timestamp column "{column.name}" is {column.type_text}; it must be TIMESTAMP'


def wrong_feature(column: Column, dimension: int | None) -> str | None:
    """What is wrong with a column that searches are filtered by, or whose values crowd."""
    if column.type != "UNSUPPORTED":
        return None
    return f'the column "{column.name}" is {column.type_text}, which is not a feature type; convert it in the table'


WRONG = {
    "entityIdColumns": wrong_entity_id,
    "embeddingColumn": wrong_embedding,
    "timestampColumn": wrong_timestamp,
    UNSET_TIMESTAMP_COLUMN: wrong_timestamp,
    "filterColumns": wrong_feature,
    "crowdingColumn": wrong_feature,
}
"""What is wrong with the column of a field, by the field."""
OF_SERVED = ("filterColumns", "crowdingColumn")
"""The fields that name columns which are served."""
