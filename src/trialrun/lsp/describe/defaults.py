"""Documented defaults of fields that are omitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.model.node import Node


def defaults_in_force(node: Node) -> Iterator[tuple[str, str]]:
    """The fields that a message does not have and that count all the same, each with its value."""
    for name, value in documented().get(type(node), {}).items():
        if not node.has(name):
            yield name, value


@cache
def documented() -> Mapping[type[Node], Mapping[str, str]]:
    """The defaults that the specification names, by message and field."""
    from trialrun.model.channel_config import CelUpsell
    from trialrun.model.feature_view import DEFAULT_LEAF_NODE_EMBEDDING_COUNT, AutomaticResources, TreeAHConfig

    unset = AutomaticResources()
    return {
        AutomaticResources: {"minReplicaCount": str(unset.min_replicas), "maxReplicaCount": str(unset.max_replicas)},
        TreeAHConfig: {"leafNodeEmbeddingCount": str(DEFAULT_LEAF_NODE_EMBEDDING_COUNT)},
        CelUpsell: {"priority": "0"},
    }
