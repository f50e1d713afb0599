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

from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.rule_support import source_tables
from trialrun.lint.rule_support.feature_groups import (
    DeclaredGroup,
    GroupsOfView,
    declared_group,
    groups_of_view,
    unknown_features,
)
from trialrun.lint.rule_support.source_tables import ColumnUse, DeclaredSource, TableUri
from trialrun.lint.workspace_rules import Facts, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable, Source
    from trialrun.model.feature_view import FeatureView


@gather("Source", facts=(DeclaredSource, ColumnUse), keys=("uri",))
def sources(source: Source) -> Gathered[DeclaredSource | ColumnUse]:
    """What a Source says of its table, and the column that it names."""
    yield from source_tables.source_facts(source)
    yield from source_tables.uses_of_source(source)


@gather("FeatureGroupTable", facts=(TableUri, ColumnUse, DeclaredGroup), keys=("uri",))
def groups(group: FeatureGroupTable) -> Gathered[TableUri | ColumnUse | DeclaredGroup]:
    """The uri of a feature group, the columns that it names, and its entity id."""
    yield from source_tables.uri_facts(group)
    yield from source_tables.uses_of_group(group)
    yield from declared_group(group)


@gather("FeatureView", facts=(TableUri, ColumnUse, GroupsOfView), keys=("uri",))
def views(view: FeatureView) -> Gathered[Any]:
    """The uris of a view, the columns that it names, and what it takes from feature groups for columns."""
    for source in (view.warehouseSource, view.ragSource):
        if source is not None:
            yield from source_tables.uri_facts(source)
    yield from source_tables.uses_of_view(view)
    yield from groups_of_view(view)


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each column that its table lacks; note each table that no column was compared with."""
    from trialrun.runtime.feature_view.source.columns import columns_of

    tables = source_tables.TableIndex(facts.of(DeclaredSource), columns_of)
    if tables.sources:
        yield from source_tables.unknown_columns(facts, tables)
        yield from unknown_features(facts)
        yield from source_tables.unreadable_tables(facts, tables)
        yield from source_tables.undeclared_tables(facts, tables)
        yield from source_tables.repeated_sources(tables)
