"""The manifest of a view: what is served, in which layers. One key holds it, so that one SET switches all of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store import value_codec
from trialrun.runtime.feature_view.store.interface import RowLayout, Snapshot
from trialrun.runtime.feature_view.store.redis.keys import BUCKETS

FORMAT = 1


@dataclass(frozen=True)
class Layer:
    """Rows of one load: their layout, how many there are, and which buckets have some.

    `features` are those that are still served; one that was gone once does not come back by a later layout.
    """

    id: str
    layout: RowLayout
    features: tuple[str, ...]
    rows: int
    buckets: frozenset[int]


@dataclass(frozen=True)
class Manifest:
    """What is served of a view; `rows` counts the entities that syncs read, in whichever layer. `log` names the direct
    writes. A view that was removed has no layout."""

    view: str
    number: int = 0
    synced_at: int = 0
    watermark: int | None = None
    plan: str = ""
    layout: RowLayout | None = None
    entities: int = 0
    rows: int = 0
    log: str = ""
    layers: tuple[Layer, ...] = ()

    def snapshot(self) -> Snapshot | None:
        """The snapshot; None of a view that was removed."""
        if self.layout is None:
            return None
        newest = None if self.watermark is None else value_codec.from_microseconds(self.watermark)
        synced_at = value_codec.from_microseconds(self.synced_at)
        return Snapshot(self.view, self.number, synced_at, newest, self.layout, self.entities, self.plan)


def serialize(manifest: Manifest) -> bytes:
    """A manifest as JSON."""
    return json.dumps(
        {
            "trialrun": FORMAT,
            "view": manifest.view,
            "number": manifest.number,
            "synced_at": manifest.synced_at,
            "watermark": manifest.watermark,
            "plan": manifest.plan,
            "layout": manifest.layout and value_codec.serialize_layout(manifest.layout),
            "entities": manifest.entities,
            "rows": manifest.rows,
            "log": manifest.log,
            "layers": [_serialize_layer(layer) for layer in manifest.layers],
        }
    ).encode()


def parse(text: bytes) -> Manifest:
    """The manifest of its JSON. Raises ValueError, KeyError or TypeError for anything else."""
    content: dict[str, Any] = json.loads(text)
    if content["trialrun"] != FORMAT:
        raise ValueError("a manifest of another format")
    layout = content["layout"]
    return Manifest(
        str(content["view"]),
        int(content["number"]),
        int(content["synced_at"]),
        None if content["watermark"] is None else int(content["watermark"]),
        str(content["plan"]),
        None if layout is None else value_codec.parse_layout(layout),
        int(content["entities"]),
        int(content["rows"]),
        str(content["log"]),
        tuple(map(_parse_layer, content["layers"])),
    )


def buckets_as_text(buckets: Iterable[int]) -> str:
    """Some buckets as a number in base 16 that has a bit for each."""
    bits = bytearray(BUCKETS // 8)
    for bucket in buckets:
        bits[bucket >> 3] |= 1 << (bucket & 7)
    return bits.rstrip(b"\0").hex()


def parse_buckets(text: str) -> frozenset[int]:
    """The buckets of such a text."""
    bits = bytes.fromhex(text)
    return frozenset(at * 8 + bit for at, byte in enumerate(bits) for bit in range(8) if byte & 1 << bit)


def still_served(layers: Iterable[Layer], layout: RowLayout) -> tuple[Layer, ...]:
    """Layers under another layout: their features are those that it has, of the same types."""
    served: set[tuple[str, str, bool]] = {(column.name, column.type, column.repeated) for column in layout.features}
    return tuple(_narrowed(layer, served) for layer in layers)


def moment_sources(layer: Layer, layout: RowLayout) -> Sequence[tuple[int, ...]]:
    """For each feature of a layout, which moments of a row of a layer are its own.

    Where features share a moment, it is the newest of those that the row has for them; none: that of the sync.
    """
    if layer.layout == layout and len(layer.features) == len(layout.features):
        return [(_moment_index(layout, at),) for at, _ in enumerate(layout.features)]
    here = {column.name: at for at, column in enumerate(layer.layout.features) if column.name in layer.features}
    shared: dict[int, set[int]] = {}
    for at, column in enumerate(layout.features):
        if column.name in here:
            shared.setdefault(_moment_index(layout, at), set()).add(_moment_index(layer.layout, here[column.name]))
    return [tuple(sorted(shared.get(_moment_index(layout, at), ()))) for at, _ in enumerate(layout.features)]


def _moment_index(layout: RowLayout, feature: int) -> int:
    return layout.timestamp_indexes[feature] if layout.timestamp_indexes else 0


def _narrowed(layer: Layer, served: set[tuple[str, str, bool]]) -> Layer:
    kept = tuple(
        column.name
        for column in layer.layout.features
        if column.name in layer.features and (column.name, column.type, column.repeated) in served
    )
    return layer if kept == layer.features else Layer(layer.id, layer.layout, kept, layer.rows, layer.buckets)


def _serialize_layer(layer: Layer) -> list[object]:
    layout = value_codec.serialize_layout(layer.layout)
    return [layer.id, layout, list(layer.features), layer.rows, buckets_as_text(layer.buckets)]


def _parse_layer(content: Sequence[Any]) -> Layer:
    id, layout, features, rows, buckets = content
    return Layer(str(id), value_codec.parse_layout(layout), tuple(features), int(rows), parse_buckets(buckets))
