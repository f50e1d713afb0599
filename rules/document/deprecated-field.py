"""Field that is deprecated and has a successor.

A deprecated field works until the service drops it. The fix of vectorSearchConfig is safe. The fix of
confirmOrderInfoAtStart is unsafe: its successor confirms at another time, so the agent receives different instructions,
and a config of another level may set either field.

Specification: feature-view, FeatureView: vectorSearchConfig, "Use indexConfig instead."; channel-config,
FeaturesConfig: confirmOrderInfoAtStart, "replaced by confirmOrderInfoOnFinalize."

Good:

    kind: FeatureView
    indexConfig: {embeddingColumn: vector}

Bad:

    kind: FeatureView
    vectorSearchConfig:  # <- vectorSearchConfig is deprecated; use indexConfig
      embeddingColumn: vector

Fixed:

    kind: FeatureView
    indexConfig:
      embeddingColumn: vector

Bad, as FeaturesConfig:

    confirmOrderInfoAtStart: true  # <- confirmOrderInfoAtStart is deprecated; use confirmOrderInfoOnFinalize

Fixed, as FeaturesConfig:

    confirmOrderInfoOnFinalize: true

Bad, as FeaturesConfig:

    confirmOrderInfoAtStart: true  # <- confirmOrderInfoAtStart is deprecated; keep only confirmOrderInfoOnFinalize
    confirmOrderInfoOnFinalize: true
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Fix, Rename, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.node import field_spec, unions

if TYPE_CHECKING:
    from trialrun.model.channel_config import FeaturesConfig
    from trialrun.model.feature_view import FeatureView

DEPRECATED = frozenset({"vectorSearchConfig", "confirmOrderInfoAtStart"})
SAME_MEANING = frozenset({"vectorSearchConfig"})
"""Deprecated fields whose successor is the same setting under another name."""


@rule("FeatureView", "FeaturesConfig", severity=Severity.WARNING)
def check(node: FeatureView | FeaturesConfig) -> Findings:
    """Flag the key of each deprecated field; it can be renamed unless its successor is set as well."""
    for name in DEPRECATED.intersection(node.model_fields_set):
        successor = field_spec(type(node), name).replaced_by
        if successor is None or (node.has(successor) and _are_of_one_union(node, name, successor)):
            continue  # of two members of a union, `union-conflict` says which to keep
        if node.has(successor):
            yield node.finding(name, f"{name} is deprecated; keep only {successor}", at="key")
            continue
        fix = Fix(f"rename to {successor}", (Rename(node.location(name), successor),), safe=name in SAME_MEANING)
        yield node.finding(name, f"{name} is deprecated; use {successor}", at="key", fix=fix)


def _are_of_one_union(node: FeatureView | FeaturesConfig, name: str, successor: str) -> bool:
    return any({name, successor} <= {*members} for members in unions(type(node)).values())
