"""What is served of an entity: the row of its highest layer, and direct writes that are not older than its values."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property, lru_cache

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store import value_codec
from trialrun.runtime.feature_view.store.interface import EntityId, RowLayout, ServedEntity, Value
from trialrun.runtime.feature_view.store.redis.keys import entity_id
from trialrun.runtime.feature_view.store.redis.manifest import Layer, Manifest, moment_sources, parse
from trialrun.runtime.feature_view.store.redis.row_codec import MOMENT_OFFSET, decode_value, row_codec
from trialrun.runtime.feature_view.store.value_codec import Stored

_LENGTH = struct.Struct(">I")
_MOMENTS = struct.Struct(">QQ")


@dataclass(frozen=True, slots=True)
class StoredWrite:
    """A direct write as it stands beside the rows; moments as they stand in rows."""

    feature: str
    type: str
    at: int
    sequence: int
    value: bytes


def parse_writes(text: bytes | None) -> Iterator[StoredWrite]:
    """The direct writes to an entity."""
    at = 0
    while text and at < len(text):
        feature, at = _text(text, at)
        type, at = _text(text, at)
        moment, sequence = _MOMENTS.unpack_from(text, at)
        value, at = _text(text, at + _MOMENTS.size)
        yield StoredWrite(feature.decode(), type.decode(), moment, sequence, value)


class LayerReader:
    """Reads rows of a layer as those of the layout that is served."""

    def __init__(self, layer: Layer, layout: RowLayout) -> None:
        self.codec = row_codec(layer.layout)
        self.sources = moment_sources(layer, layout)
        self.is_same = layer.layout == layout and len(layer.features) == len(layout.features)
        here = {column.name: at for at, column in enumerate(layer.layout.features) if column.name in layer.features}
        self._places = [here.get(column.name) for column in layout.features]
        self._moments = sorted({moment for sources in self.sources for moment in sources})

    def values(self, row: bytes) -> tuple[int, Sequence[int], list[Stored]]:
        """The moment of the sync, those of the row, and its values."""
        read_at, moments, values = self.codec.decode(row)
        if self.is_same:
            return read_at, moments, values
        return read_at, moments, [None if place is None else values[place] for place in self._places]

    def newest(self, moments: Sequence[int]) -> int:
        """The newest of the moments of a row that are of features that are served."""
        return max(moments if self.is_same else [moments[at] for at in self._moments], default=0)


class ServedRows:
    """Makes entities of what nodes answer, by a manifest."""

    def __init__(self, manifest: Manifest) -> None:
        assert manifest.layout
        self.manifest, self.layout = manifest, manifest.layout
        self.layers = [LayerReader(layer, self.layout) for layer in manifest.layers]
        self._names = [column.name for column in self.layout.features]
        self._decoders = [
            (at, decoder)
            for at, column in enumerate(self.layout.features)
            if (decoder := value_codec.decoder(column)) and not (column.type == "DOUBLE" and not column.repeated)
        ]
        self._columns = {column.name: (at, column) for at, column in enumerate(self.layout.features)}

    @cached_property
    def script_columns(self) -> str:
        """What scripts know of the features: their types, and which moments are their own in each layer."""
        columns = {
            column.name: {"type": column.type_text, "sources": [list(layer.sources[at]) for layer in self.layers]}
            for at, column in enumerate(self.layout.features)
        }
        return json.dumps(columns)

    def stored(self, layer: int, row: bytes | None, writes: bytes | None) -> tuple[list[Stored], int] | None:
        """The values as value_codec has them, and the newest moment, 0 for none; None for what is not served.

        `layer` counts from 1; it is 0 where there is no row.
        """
        if row is None:
            return self._written(0, (), [None] * len(self._names), None, writes, 0)
        reader = self.layers[layer - 1]
        read_at, moments, values = reader.values(row)
        newest = reader.newest(moments)
        if not writes:
            return values, newest
        return self._written(read_at, moments, values, reader, writes, newest) or (values, newest)

    def entity(self, id: EntityId, layer: int, row: bytes | None, writes: bytes | None) -> ServedEntity | None:
        """An entity as it is served; None for one that is not."""
        stored = self.stored(layer, row, writes)
        if stored is None:
            return None
        values, newest = stored
        self.decode(values)
        moment = value_codec.from_microseconds(newest - MOMENT_OFFSET) if newest else None
        return ServedEntity(id, dict(zip(self._names, values, strict=True)), moment)

    def decode(self, values: list[Stored]) -> list[Value]:
        """The values as they are served, in place."""
        for at, decoder in self._decoders:
            if (value := values[at]) is not None:
                values[at] = decoder(value)  # type: ignore[assignment]
        return values  # type: ignore[return-value]

    def id_of(self, field: bytes) -> EntityId:
        """The entity id of a field."""
        return entity_id(field, self.layout.keys)

    def kept_writes(self, writes: bytes | None) -> Iterator[StoredWrite]:
        """The direct writes that are kept, of features that are served."""
        for write in parse_writes(writes):
            known = self._columns.get(write.feature)
            if known and known[1].type_text == write.type:
                yield write

    def value_of(self, write: StoredWrite) -> Value:
        """The value of a direct write."""
        _, column = self._columns[write.feature]
        decoder = value_codec.decoder(column)
        stored = decode_value(column, write.value)
        return decoder(stored) if decoder else stored

    def moment_of(self, write: StoredWrite) -> datetime:
        """The moment of a direct write."""
        return value_codec.from_microseconds(write.at - MOMENT_OFFSET)

    def _written(
        self,
        read_at: int,
        moments: Sequence[int],
        values: list[Stored],
        reader: LayerReader | None,
        writes: bytes | None,
        newest: int,
    ) -> tuple[list[Stored], int] | None:
        """Values with the direct writes laid over them; None where none is."""
        is_written = False
        for write in self.kept_writes(writes):
            place, column = self._columns[write.feature]
            if reader and write.at < (max((moments[at] for at in reader.sources[place]), default=0) or read_at):
                continue
            values[place] = decode_value(column, write.value)
            newest, is_written = max(newest, write.at), True
        return (values, newest) if is_written else None


@lru_cache(maxsize=64)
def served_rows(manifest: bytes) -> ServedRows | None:
    """The reader of a manifest, by its text; None for a view that was removed."""
    content = parse(manifest)
    return ServedRows(content) if content.layout else None


def _text(text: bytes, at: int) -> tuple[bytes, int]:
    (length,) = _LENGTH.unpack_from(text, at)
    end = at + 4 + length
    if end > len(text):
        raise ValueError("a direct write has another length than it says")
    return text[at + 4 : end], end
