"""Columns that rows are found by have types that can be looked up and compared.

An entity id column is text or an integer: rows are served by it. An embedding column is a list of floats, and where its
table has lists of a fixed length, that is the embeddingDimension: no index can be built of anything else. The timestamp
column that a feature group or a Source names is a TIMESTAMP, or there is no latest row. Two things are warnings: a
filter or crowding column of a type that no feature can be, such as DATE, since a sync leaves it out; and a declared
type that no table has, since nothing can be checked of it.

The types are those of the `columns` of the Source, or of the table itself; `unknown-column` says where neither can be
had. Any other column may have any type. A list of integers passes for one of floats where it is not declared: files of
JSON have no types but those that their rows show.

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
        - {name: item_id, type: STRNG}  # <- no type is called "STRNG"; did you mean "STRING"?
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
        filterColumns: [tags, day]  # <- the column "day" is DATE, which no feature can be
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
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Place, Severity
from trialrun.lint.across import Clash, Clashes, Facts
from trialrun.lint.report import Fact
from trialrun.lint.rule import gather, rule
from trialrun.lint.tables import (
    UNSET_TIMESTAMP_COLUMN,
    USE,
    Known,
    Tables,
    said,
    uses_of_group,
    uses_of_source,
    uses_of_view,
)

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable, Source
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.feature_view.column import Column

TYPE = "type"
OF_ONE_LENGTH = re.compile(r"\[(\d+)\]\Z")


@gather("Source", keys=(1,))
def sources(source: Source) -> Iterator[tuple[Place, list[Any]]]:
    """What a Source says of its table, the column that it names, and each word for a type that there is not."""
    from trialrun.runtime.feature_view.source.known import is_type

    yield from said(source)
    yield from uses_of_source(source)
    for column in source.columns or ():
        if column.type and not is_type(column.type):
            yield column.at("type"), [TYPE, source.uri, column.type]


@gather("FeatureGroupTable", keys=(1,))
def groups(group: FeatureGroupTable) -> Iterator[tuple[Place, list[Any]]]:
    """The columns that a feature group names."""
    yield from uses_of_group(group)


@gather("FeatureView", keys=(1,))
def views(view: FeatureView) -> Iterator[tuple[Place, list[Any]]]:
    """The columns that a view names."""
    yield from uses_of_view(view)


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> Clashes:
    """Flag each column of the wrong type, and each declared type that there is not."""
    from trialrun.lint.names import Names
    from trialrun.runtime.feature_view.source.known import TYPES, columns_of

    tables = Tables(facts, columns_of)
    types = Names(TYPES)
    for fact in facts:
        if fact.value[0] == TYPE:
            what_to_do = types.did_you_mean(fact.value[2], otherwise="write one such as STRING, INT64 or FLOAT")
            yield Clash(fact, f'no type is called "{fact.value[2]}"{what_to_do}', severity=Severity.WARNING)
        elif fact.value[0] == USE and fact.value[2] in WRONG:
            yield from of_wrong_type(fact, tables)


def of_wrong_type(use: Fact, tables: Tables[Column]) -> Clashes:
    """The columns of a use whose type is not what they are used for; silent where nothing is known of a column."""
    from trialrun.lint.names import one_by_one
    from trialrun.runtime.feature_view.source.known import is_type

    table = tables.of(use.value[1])
    if not isinstance(table, Known):
        return
    _, _, field, names, dimension = use.value
    for one, name in one_by_one(use, names):
        column = table.columns.get(name)
        if column is None or not is_type(column.written):
            continue
        if field == "embeddingColumn" and not table.is_declared:
            column = as_floats(column)
        if wrong := WRONG[field](column, dimension):
            severity = Severity.WARNING if field in WARNINGS else None
            yield Clash(one, wrong, related=(("the source", table.source),), severity=severity)


def as_floats(column: Column) -> Column:
    """A list of integers as the list of floats that it may be in a file of JSON."""
    return replace(column, type="DOUBLE") if column.type == "INT64" and column.repeated else column


def wrong_entity_id(column: Column, dimension: int | None) -> str | None:
    """What is wrong with an entity id column."""
    if column.type in ("STRING", "INT64") and not column.repeated:
        return None
    return f'the entity id column "{column.name}" is {column.shown}; it must be text or an integer'


def wrong_embedding(column: Column, dimension: int | None) -> str | None:
    """What is wrong with an embedding column."""
    if column.type != "DOUBLE" or not column.repeated:
        return f'the embedding column "{column.name}" is {column.shown}; it must be a list of floats'
    length = OF_ONE_LENGTH.search(column.written)
    if length and dimension is not None and int(length[1]) != dimension:
        return (
            f'the embedding column "{column.name}" has {length[1]} dimensions, and embeddingDimension is {dimension}; '
            "correct one of the two"
        )
    return None


def wrong_timestamp(column: Column, dimension: int | None) -> str | None:
    """What is wrong with a timestamp column."""
    if column.type == "TIMESTAMP" and not column.repeated:
        return None
    return f'the timestamp column "{column.name}" is {column.shown}; it must be TIMESTAMP'


def wrong_feature(column: Column, dimension: int | None) -> str | None:
    """What is wrong with a column that searches are filtered by, or whose values crowd."""
    if column.type != "UNSUPPORTED":
        return None
    return f'the column "{column.name}" is {column.shown}, which no feature can be; convert it in the table'


WRONG = {
    "entityIdColumns": wrong_entity_id,
    "embeddingColumn": wrong_embedding,
    "timestampColumn": wrong_timestamp,
    UNSET_TIMESTAMP_COLUMN: wrong_timestamp,
    "filterColumns": wrong_feature,
    "crowdingColumn": wrong_feature,
}
"""What is wrong with the column of a field, by the field."""
WARNINGS = ("filterColumns", "crowdingColumn")
"""The fields of which a wrong column is a warning."""
