"""Column that the table does not have.

A sync reads the columns that the view names: one that the table does not have makes it fail, or leaves an index empty.
Names are case-sensitive, although many engines ignore case, so that a trial run agrees with every other engine. The
columns of a view of feature groups are the ids of its features, and the entity id. A feature group without a
timestampColumn needs the column feature_timestamp, which is reported at its uri.

The columns of a table are the `columns` of its Source; without them the schema of its files or its database is read,
never a row. Where that is not possible, and where no Source declares the uri, one note says that the columns were not
checked. A workspace without any Source gets no notes. If two Sources have one uri, the first counts.

Specification: feature-view, WarehouseSource, entityIdColumns: "Columns used to construct the entity id / row keys.";
IndexConfig, embeddingColumn: "Column holding the source embedding data."

Good:

    - kind: Source
      uri: bq://p.d.guests
      files: guests/*.parquet
      columns:
        - {name: guest_id, type: STRING}
        - {name: visits, type: INT64}
        - {name: feature_timestamp, type: TIMESTAMP}
    - kind: FeatureGroupTable
      featureGroupId: guests
      uri: bq://p.d.guests
      entityIdColumns: [guest_id]
      features: [{id: visits}, {id: visit_count, column: visits}]
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/guests
      warehouseSource: {uri: bq://p.d.guests, entityIdColumns: [guest_id]}

Good:

    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/guests
      warehouseSource: {uri: bq://p.d.guests, entityIdColumns: [guest_id]}

Bad:

    - kind: Source
      uri: bq://p.d.menu
      files: menu.parquet
      columns:
        - {name: item_id, type: STRING}
        - {name: category, type: STRING}
        - {name: embedding, type: FLOAT, mode: REPEATED}
        - {name: changed, type: TIMESTAMP}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/search
      warehouseSource:
        uri: bq://p.d.menu
        entityIdColumns: [itemId]  # <- there is no column "itemId" in "bq://p.d.menu"; did you mean "item_id"?
      indexConfig:
        embeddingColumn: embeding  # <- did you mean "embedding"?
        filterColumns: [category, daypart]  # <- no column "daypart" in "bq://p.d.menu"; it has "item_id"
        crowdingColumn: Category  # <- did you mean "category"?
    - kind: FeatureGroupTable
      featureGroupId: menu
      uri: bq://p.d.menu
      entityIdColumns: [item_id]
      timestampColumn: changed_at  # <- there is no column "changed_at" in "bq://p.d.menu"
      features:
        - {id: category}
        - {id: price}  # <- there is no column "price" in "bq://p.d.menu"
        - {id: vector, column: embeddings}  # <- did you mean "embedding"?
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/groups
      featureRegistrySource: {featureGroups: [{featureGroupId: menu, featureIds: [category, vector]}]}
      indexConfig: {embeddingColumn: embedding}  # <- the view takes no feature "embedding"; it takes "category"
    - kind: FeatureGroupTable
      featureGroupId: search
      uri: bq://p.d.menu  # <- no column "feature_timestamp" in "bq://p.d.menu", which holds the timestamp
      entityIdColumns: [item_id]
      features: [{id: category}]
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/stores
      warehouseSource:
        uri: bq://p.d.stores  # <- no Source declares "bq://p.d.stores", so its columns are not checked
        entityIdColumns: [store]
    - kind: Source
      uri: bq://p.d.menu  # <- another Source of "bq://p.d.menu" comes first, so this one is ignored
      database: serving.duckdb
      table: menu
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity, SymbolicLocation
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import gather, rule
from trialrun.lint.rule_support.source_tables import (
    INDEX_COLUMNS,
    UNSET_TIMESTAMP_COLUMN,
    URI,
    USE,
    KnownTable,
    TableIndex,
    UnreadableTable,
    format_names,
    index_configs,
    source_facts,
    uri_facts,
    uses_of_group,
    uses_of_source,
    uses_of_view,
)
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable, Source
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.feature_view.column import Column

TAKEN, KEYS = "taken", "keys"
NOT_MADE = "unknown-column, column-type and rag-columns"


@gather("Source", keys=(1,))
def sources(source: Source) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """What a Source says of its table, and the column that it names."""
    yield from source_facts(source)
    yield from uses_of_source(source)


@gather("FeatureGroupTable", keys=(1,))
def groups(group: FeatureGroupTable) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The uri of a feature group, the columns that it names, and its entity id, which views of it have for columns."""
    yield from uri_facts(group)
    yield from uses_of_group(group)
    if type(group.entityIdColumns) is list:
        yield group.location("featureGroupId"), [KEYS, None, group.featureGroupId, group.entityIdColumns]


@gather("FeatureView", keys=(1,))
def views(view: FeatureView) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The uris of a view, the columns that it names, and what it takes from feature groups for columns."""

    for source in (view.warehouseSource, view.ragSource):
        if source is not None:
            yield from uri_facts(source)
    yield from uses_of_view(view)
    yield from taken(view)


def taken(view: FeatureView) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The index columns of a view of feature groups, the features that it takes, and the groups."""
    from trialrun.lint.rule_support.references import referenced_names
    from trialrun.model.node import TruncatedList

    source = view.featureRegistrySource
    groups = source.featureGroups if source and view.members("source") == ["featureRegistrySource"] else None
    if not groups or isinstance(groups, TruncatedList) or any(type(group.featureIds) is not list for group in groups):
        return
    features = [id_ for group in groups for id_ in group.featureIds or ()]
    ids = [group.featureGroupId for group in groups]
    for config in index_configs(view):
        for field in INDEX_COLUMNS:
            yield from (
                (place, [TAKEN, None, names, features, ids]) for place, names in referenced_names(config, field)
            )


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each column that its table lacks; note each table that no column was compared with."""
    from trialrun.runtime.feature_view.source.columns import columns_of

    tables = TableIndex(facts, columns_of)
    if not tables.sources:
        return
    keys = entity_ids(facts)
    untold: dict[str, UnreadableTable] = {}
    for fact in facts:
        table = tables.resolve(fact.value[1]) if fact.value[0] in (URI, USE) else None
        if isinstance(table, UnreadableTable):
            untold.setdefault(fact.value[1], table)
        elif isinstance(table, KnownTable) and fact.value[0] == USE:
            yield from unknown(fact, table)
        elif fact.value[0] == TAKEN:
            yield from not_taken(fact, keys)
    for uri, unread in untold.items():
        yield not_read(uri, unread)
    yield from undeclared(facts, tables)
    yield from repeated(tables)


def entity_ids(facts: Facts) -> dict[str, list[str]]:
    """The entity id columns of each feature group, of all projects together."""
    keys: dict[str, list[str]] = {}
    for fact in facts:
        if fact.value[0] == KEYS:
            keys.setdefault(fact.value[2], []).extend(fact.value[3])
    return keys


def unknown(use: Fact, table: KnownTable[Column]) -> WorkspaceFindings:
    """The columns of a use that the table does not have."""
    from trialrun.lint.rule_support.references import split_names

    for one, name in split_names(use, use.value[3]):
        if name and name not in table.columns:
            what_to_do = table.names.did_you_mean(name, otherwise=f"it has {table.formatted_columns}")
            if use.value[2] == UNSET_TIMESTAMP_COLUMN:
                what_to_do = ", which holds the timestamp where no timestampColumn is set; set it"
            message = f'there is no column "{name}" in "{use.value[1]}"{what_to_do}'
            yield WorkspaceFinding(one, message, related=(("the source", table.source),))


def not_taken(use: Fact, keys: Mapping[str, list[str]]) -> WorkspaceFindings:
    """The index columns of a view of feature groups that are no features which it takes, nor entity id columns."""
    from trialrun.lint.rule_support.references import NameSuggester, split_names

    _, _, names, features, groups = use.value
    is_clear = all(group in keys for group in groups)
    entity_id = keys.get(groups[0], [])  # the entity id of the view has the names of its first group
    for one, name in split_names(use, names) if is_clear else ():
        if name and name not in features and name not in entity_id:
            what_to_do = NameSuggester(features).did_you_mean(name, otherwise=f"it takes {format_names(features)}")
            yield WorkspaceFinding(one, f'the view takes no feature "{name}"{what_to_do}')


def not_read(uri: str, unread: UnreadableTable) -> WorkspaceFinding:
    """The note that a table could not be compared with."""
    message = f'the columns of "{uri}" are unknown, so {NOT_MADE} skip it: {unread.reason}'
    return WorkspaceFinding(
        unread.source,
        message,
        severity=Severity.NOTE,
        help="its declared `columns` are checked anywhere",
        not_checked=(f"columns of {uri}", unread.reason),
    )


def undeclared(facts: Facts, tables: TableIndex[Column]) -> WorkspaceFindings:
    """A note on each uri that no Source declares, where it is first named; silent where one could not be read."""

    first: dict[str, Fact] = {}
    for fact in facts:
        if tables.is_clear and fact.value[0] == URI and tables.source(fact.value[1]) is None:
            first.setdefault(fact.value[1], fact)
    for uri, fact in first.items():
        near = tables.similar_uri(uri)
        what_to_do = f'; did you mean "{near}"?' if near else "; declare it to have them checked"
        message = f'no Source declares "{uri}", so its columns are not checked{what_to_do}'
        not_checked = (f"columns of {uri}", "no Source declares it")
        yield WorkspaceFinding(fact, message, severity=Severity.NOTE, rests_on_absence=True, not_checked=not_checked)


def repeated(tables: TableIndex[Column]) -> WorkspaceFindings:
    """A note on each Source of a uri that another one declares before."""
    for fact in tables.sources:
        first = tables.source(fact.value[1])
        if fact.value[1] and first is not None and first is not fact:
            message = f'another Source of "{fact.value[1]}" comes first, so this one is ignored; remove one'
            yield WorkspaceFinding(fact, message, related=(("the first", first),), severity=Severity.NOTE)
