"""Which node of a cluster serves which keys."""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import Sequence
from typing import Any

from trialrun.lazy_dataclass import dataclass

SLOTS = 16384
Node = tuple[str, int]
"""The host and the port of a node."""


@dataclass(frozen=True)
class Topology:
    """Which node serves each slot, and which of them have a replica."""

    nodes: tuple[Node, ...]
    by_slot: tuple[int, ...]
    replicated: frozenset[Node]
    is_cluster: bool

    def node_of(self, key: bytes) -> Node:
        """The node of a key."""
        return self.nodes[self.by_slot[slot_of(key)] if self.is_cluster else 0]


def slot_of(key: bytes) -> int:
    """The slot of a key, by its hash tag."""
    start = key.find(b"{")
    end = key.find(b"}", start + 1)
    return crc_hqx(key[start + 1 : end] if start >= 0 and end > start + 1 else key, 0) % SLOTS


def parse_slots(slots: Sequence[Sequence[Any]], asked: Node) -> Topology | None:
    """The topology that CLUSTER SLOTS of a node tells; None while there are slots that no node serves."""
    nodes: list[Node] = []
    replicated: set[Node] = set()
    by_slot = [-1] * SLOTS
    for first, last, master, *replicas in slots:
        node = (master[0].decode() or asked[0], int(master[1]))
        if node not in nodes:
            nodes.append(node)
        if replicas:
            replicated.add(node)
        by_slot[int(first) : int(last) + 1] = [nodes.index(node)] * (int(last) + 1 - int(first))
    if -1 in by_slot:
        return None
    return Topology(tuple(nodes), tuple(by_slot), frozenset(replicated), is_cluster=True)
