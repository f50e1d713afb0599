"""Column whose type does not fit its use.

An entity id column is text or an integer: rows are looked up by it. An embedding column is a list of floats whose
length, where it is fixed, is the embeddingDimension: no index can be built otherwise. The timestamp column of a feature
group or a Source, and the column feature_timestamp of a table whose Source names no other, is a TIMESTAMP, which
determines the latest row. A filter or crowding column is a served column: not of a type that features cannot have, such
as DATE, and not the timestamp. A table has a column to serve besides the entity id, and the groups of one view have
entity ids of the same types. An unknown declared type is a warning, since it cannot be checked. Columns that a sync
leaves out, since no feature can have their type, are a note.

The types are those of the `columns` of the Source, or of the table itself; `unknown-column` reports where neither is
available. A list of integers is accepted as a list of floats only in JSON files, whose types are inferred from their
rows, unless the Source declares it. See "Engines that read tables" in docs/other-programs.md.

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
      warehouseSource: {uri: bq://p.d.menu, entityIdColumns: [item_id]}  # <- 1 of the features has a type
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
      uri: bq://p.d.guests
      files: guests.csv
      columns: [{name: id, type: STRING}, {name: feature_timestamp, type: DATE}]
    - kind: FeatureView
      warehouseSource: {uri: bq://p.d.guests, entityIdColumns: [id]}  # <- column "feature_timestamp" is DATE
    - kind: Source
      uri: bq://p.d.days
      files: days.parquet
      columns: [{name: id, type: STRING}, {name: day, type: DATE}, {name: feature_timestamp, type: TIMESTAMP}]
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
        featureGroups:  # <- 1 of the features has a type that cannot be served, and is left out: "day"
          - {featureGroupId: days, featureIds: [day]}
          - featureGroupId: visits  # <- its entity id, "number" INT64, is not that of "days", "id" STRING
            featureIds: [visits, vector]
      indexConfig:
        embeddingColumn: vector  # <- the embedding column "vector" is INT64 REPEATED; it must be a list of floats
        filterColumns:
          - visits
          - feature_timestamp  # <- the column "feature_timestamp" holds the timestamp, which is not served
"""

from typing import Any

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.rule_support import column_types
from trialrun.lint.workspace_rules import Facts, WorkspaceFindings


@gather(*column_types.SUBJECTS, facts=column_types.FACTS, keys=("uri",))
def uses(document: Any) -> Gathered[Any]:
    """The columns that a document names, and the types that it declares."""
    from trialrun.runtime.feature_view.source import columns

    return column_types.gather_facts(document, columns)


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each column of the wrong type, and each declared type that there is not."""
    from trialrun.runtime.feature_view.source import columns

    return column_types.wrong_types(facts, columns)
