"""Brute-force index, intended for benchmarks only.

It compares a query with every row, so the search time grows with the table. It finds the exact neighbors, against which
the quality of the production index can be measured.

Specification: feature-view, section 2, IndexConfig, bruteForceConfig: "Linear search per query, meant for benchmarking
and ground truth."

Good, as IndexConfig:

    embeddingColumn: embedding
    treeAhConfig: {}

Good, as IndexConfig:

    embeddingColumn: embedding
    bruteForceConfig: true

Bad, as IndexConfig:

    embeddingColumn: embedding
    bruteForceConfig: {}  # <- a brute force index compares every row at each search
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.feature_view import IndexConfig


@rule(IndexConfig, severity=Severity.NOTE)
def check(config: IndexConfig) -> Findings:
    """Flag the key."""
    if config.bruteForceConfig is not None:
        yield config.finding(
            "bruteForceConfig",
            "a brute force index compares every row at each search; use treeAhConfig, except for benchmarks",
        )
