"""Embedding column that is also used for something else.

A filter compares texts and numbers and a crowding attribute groups by them; a list of floats is suitable for neither.
An entity id is the result of a search, not a vector. In each case the name was probably copied into the wrong line.

Basis: best practice; feature-view, section 2, IndexConfig: embeddingColumn, filterColumns and crowdingColumn have
different contents.

Good, as FeatureView:

    warehouseSource: {uri: bq://acme.serving.films, entityIdColumns: [film_id]}
    indexConfig: {embeddingColumn: embedding, filterColumns: [country], crowdingColumn: country}

Bad, as FeatureView:

    warehouseSource: {uri: bq://acme.serving.films, entityIdColumns: [film_id]}
    indexConfig:
      embeddingColumn: embedding
      filterColumns:
        - country
        - embedding  # <- "embedding" is the embedding column, which no search can filter by
      crowdingColumn: embedding  # <- "embedding" is the embedding column, which cannot be a crowding attribute

Bad, as FeatureView:

    warehouseSource: {uri: bq://acme.serving.films, entityIdColumns: [shop_id, film_id]}
    vectorSearchConfig:
      embeddingColumn: film_id  # <- "film_id" is an entity id column
"""

from trialrun.diagnostic import Related, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.feature_view import FeatureView, IndexConfig


@rule(IndexConfig, severity=Severity.WARNING)
def second_use(config: IndexConfig) -> Findings:
    """Flag the embedding column among the filter columns, and as the crowding column."""
    column, filters = config.embeddingColumn, config.filterColumns or []
    if not column:
        return
    related = (Related("the embedding column", config.location("embeddingColumn")),)
    if column in filters:
        message = f'"{column}" is the embedding column, which no search can filter by; name another column'
        yield config.finding(("filterColumns", filters.index(column)), message, related=related)
    if config.crowdingColumn == column:
        message = f'"{column}" is the embedding column, which cannot be a crowding attribute; name another column'
        yield config.finding("crowdingColumn", message, related=related)


@rule(FeatureView, severity=Severity.WARNING)
def entity_id(view: FeatureView) -> Findings:
    """Flag an embedding column that is one of the entity id columns."""
    source = view.warehouseSource
    ids = source.entityIdColumns if source else None
    if source is None or not ids:
        return
    for config in (view.indexConfig, view.vectorSearchConfig):
        column = config.embeddingColumn if config else None
        if config is not None and column and column in ids:
            yield config.finding(
                "embeddingColumn",
                f'"{column}" is an entity id column, which holds no embeddings; name another column',
                related=(Related("the entity id column", source.location("entityIdColumns", ids.index(column))),),
            )
