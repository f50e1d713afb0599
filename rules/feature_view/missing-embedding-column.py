"""Index without an embedding column.

Without the column there is nothing to index: every search in the view fails, or finds nothing.

Specification: feature-view, section 2, IndexConfig, embeddingColumn: "Column holding the source embedding data. Must be
set when vector search is used."

Good, as IndexConfig:

    embeddingColumn: embedding

Good, as IndexConfig:

    embeding_column: embedding

Good, as IndexConfig:

    embeddingColumn: [embedding]

Bad, as FeatureView:

    indexConfig:  # <- indexConfig has no embeddingColumn
      filterColumns: [country]

Bad, as FeatureView:

    vectorSearchConfig: {}  # <- vectorSearchConfig has no embeddingColumn

Bad, as FeatureView:

    indexConfig:
      embeddingColumn: ""  # <- embeddingColumn is empty
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.feature_view import FeatureView


@rule(FeatureView, severity=Severity.ERROR, absence=True)
def check(view: FeatureView) -> Findings:
    """Flag an index config without the field, or the text where it is empty."""
    for name, config in (("indexConfig", view.indexConfig), ("vectorSearchConfig", view.vectorSearchConfig)):
        if config is None:
            continue
        if not config.has("embeddingColumn"):
            yield config.finding(None, f"{name} has no embeddingColumn; name the column that holds the embeddings")
        elif config.embeddingColumn is not None and not config.embeddingColumn.strip():
            yield config.finding(
                "embeddingColumn", "embeddingColumn is empty; name the column that holds the embeddings"
            )
