"""The names of keys, and the bucket of an entity."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha256

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import EntityId, StoreError

BUCKETS = 4096
_LENGTH = struct.Struct(">I")


@dataclass(frozen=True)
class KeyNames:
    """The keys of a view."""

    prefix: str
    view_digest: str

    def of_view(self, part: str) -> bytes:
        """A key of the view itself; all of them are in one slot."""
        return f"{self.prefix}:{{{self.view_digest}}}:{part}".encode()

    def rows(self, bucket: int, layer: str) -> bytes:
        """The rows of a bucket in a layer."""
        return f"{self.prefix}:{{{bucket}}}:{self.view_digest}:{layer}".encode()

    def writes(self, bucket: int, log: str) -> bytes:
        """The direct writes to entities of a bucket."""
        return f"{self.prefix}:{{{bucket}}}:{self.view_digest}:w{log}".encode()


def key_names(prefix: str, view: str) -> KeyNames:
    """The keys of a view of this name."""
    return KeyNames(prefix, sha256(view.encode("utf-8", "surrogatepass")).hexdigest()[:20])


def version_key(prefix: str) -> bytes:
    """The key of the version of the store."""
    return f"{prefix}:version".encode()


def bucket_of(field: bytes) -> int:
    """The bucket of an entity; `crc32(cast(id AS binary)) % 4096` in Spark SQL, where the id is one text."""
    return zlib.crc32(field) % BUCKETS


def buckets_of(fields: Iterable[bytes]) -> list[int]:
    """The buckets of many entities."""
    return [checksum % BUCKETS for checksum in map(zlib.crc32, fields)]


def entity_field(id: Sequence[object], keys: Sequence[Column]) -> bytes | None:
    """An entity id as the field of a hash; None where no entity has it, since a part is of another type.

    One part is its text, several are its texts with their lengths. Raises ValueError for what no id can be.
    """
    if len(id) != len(keys):
        raise ValueError("an entity id has one part for each column")
    parts = [_part_text(part, column) for part, column in zip(id, keys, strict=True)]
    if None in parts:
        return None
    texts = [part for part in parts if part is not None]
    return texts[0] if len(texts) == 1 else b"".join(_LENGTH.pack(len(text)) + text for text in texts)


def entity_id(field: bytes, keys: Sequence[Column]) -> EntityId:
    """The entity id of a field."""
    if len(keys) == 1:
        return (_part_value(field, keys[0]),)
    parts, at = [], 0
    for column in keys:
        (length,) = _LENGTH.unpack_from(field, at)
        parts.append(_part_value(field[at + 4 : at + 4 + length], column))
        at += 4 + length
    return tuple(parts)


def loaded_fields(rows: Sequence[Sequence[object]], keys: Sequence[Column]) -> list[bytes]:
    """The fields of the rows of a load. Raises StoreError for one without an id."""
    if len(keys) == 1 and keys[0].type == "STRING":
        try:
            return [row[0].encode() for row in rows]  # type: ignore[attr-defined]
        except (AttributeError, UnicodeError):
            pass
    return [_loaded_field(row[: len(keys)], keys) for row in rows]


def _loaded_field(id: Sequence[object], keys: Sequence[Column]) -> bytes:
    if None in id:
        raise StoreError("a loaded row has no entity id; remove such rows first")
    try:
        field = entity_field(id, keys)
    except ValueError as fault:
        raise StoreError(f"a loaded row has an entity id that cannot be stored: {fault}") from fault
    if field is None:
        types = ", ".join(column.type_text for column in keys)
        raise StoreError(f"a loaded row has the entity id {', '.join(map(repr, id))}, which is not {types}")
    return field


def _part_text(part: object, column: Column) -> bytes | None:
    if isinstance(part, int) and not isinstance(part, bool):
        if not -(2**63) <= part < 2**63:
            raise ValueError(f"{part} has more than 64 bits")
        return b"%d" % part if column.type == "INT64" else None
    if isinstance(part, str):
        text = part.encode()
        return text if column.type == "STRING" else None
    return None


def _part_value(text: bytes, column: Column) -> int | str:
    return int(text) if column.type == "INT64" else text.decode()
