"""A column that a view or a feature group names is a column of its table.

A sync reads the columns that it was told of: one that the table does not have stops it, or an index stays empty. Names
are compared as they are written, capitals included, though many engines ignore them: a trial run and every other one
then agree. A view of feature groups has the features that it takes for columns, by their ids, and the entity id. A
feature group without a timestampColumn needs the column feature_timestamp, which is told at its uri.

The columns of a table are the `columns` of its Source; without them the schema of its files or its database is read,
never a row. Where that cannot be done, and where no Source declares the uri, a note says once that the check is not
made. A workspace without any Source is told nothing. Of two Sources of one uri the first counts.

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
      uri: bq://p.d.menu  # <- another Source of "bq://p.d.menu" comes first, so this one is not looked at
      database: serving.duckdb
      table: menu
"""

from __future__ import annotations

from trialrun.diagnostic import Severity
from trialrun.lint.rule import rule
from trialrun.lint.rule_support.unknown_columns import groups, sources, unknown_columns, views
from trialrun.lint.workspace_rules import Clashes, Facts

__all__ = ["check", "groups", "sources", "views"]


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> Clashes:
    """Flag each column that its table lacks; note each table that no column was compared with."""
    from trialrun.runtime.feature_view.source.columns import columns_of

    return unknown_columns(facts, columns_of)
