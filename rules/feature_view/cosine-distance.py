"""Cosine distance where the dot product of unit vectors is cheaper.

For vectors of length one, 1 minus the cosine and the negative dot product rank neighbors identically, and the dot
product is cheaper: it does not divide by lengths at serving time.

Specification: feature-view, section 2, DistanceMeasureType, COSINE_DISTANCE: "DOT_PRODUCT_DISTANCE with UNIT_L2_NORM is
suggested instead; it ranks identically."

Good, as IndexConfig:

    embeddingColumn: embedding
    distanceMeasureType: DOT_PRODUCT_DISTANCE

Good, as IndexConfig:

    embeddingColumn: embedding
    distanceMeasureType: COSINE

Bad, as IndexConfig:

    embeddingColumn: embedding
    distanceMeasureType: COSINE_DISTANCE  # <- DOT_PRODUCT_DISTANCE over embeddings of length one is suggested instead
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.feature_view import IndexConfig


@rule(IndexConfig, severity=Severity.NOTE)
def check(config: IndexConfig) -> Findings:
    """Flag the value."""
    if config.distanceMeasureType == "COSINE_DISTANCE":
        yield config.finding(
            "distanceMeasureType",
            "DOT_PRODUCT_DISTANCE over embeddings of length one is suggested instead; it ranks identically",
        )
