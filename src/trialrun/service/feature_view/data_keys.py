"""The keys of entities as requests have them: one text, or the parts of a composite key in the order of the columns."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic import model_validator

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.entity_id import InvalidEntityId, entity_id_from_parts
from trialrun.runtime.feature_view.store.interface import EntityId
from trialrun.service.error import invalid_argument
from trialrun.service.message import Message


class CompositeKey(Message):
    """The values of the entity id columns, in their order."""

    parts: list[str]


MAX_KEY = 64 * 1024
"""Characters of a key; those of the public service are 4 KB at most."""


class DataKey(Message):
    """The key of an entity: exactly one member is set; `key` is the same as a composite key of one part."""

    key: str | None = None
    compositeKey: CompositeKey | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> DataKey:
        if (self.key is None) == (self.compositeKey is None):
            raise ValueError("a data key has either key or compositeKey, not both")
        if len(self.key or "") > MAX_KEY:
            raise ValueError(f"the key has more than {MAX_KEY:,} characters; shorten it")
        return self

    @property
    def parts(self) -> tuple[str, ...]:
        """The values of the entity id columns, as texts."""
        return (self.key or "",) if self.compositeKey is None else tuple(self.compositeKey.parts)


def to_entity_id(key: DataKey, columns: tuple[Column, ...], *, field: str) -> EntityId:
    """The entity id that a key means for some columns. Raises INVALID_ARGUMENT."""
    try:
        return entity_id_from_parts(key.parts, columns)
    except InvalidEntityId as error:
        raise invalid_argument(field, "invalid-entity-id", str(error)) from error


def to_data_key(id_: EntityId) -> DataKey:
    """The key of an entity id."""
    parts = [str(part) for part in id_]
    return DataKey(key=parts[0]) if len(parts) == 1 else DataKey(compositeKey=CompositeKey(parts=parts))


def entity_id_text(id_: EntityId) -> str:
    """An entity id as one text: of several columns a JSON list."""
    return str(id_[0]) if len(id_) == 1 else json.dumps(list(id_), ensure_ascii=False)


def parse_data_key(text: str, columns: tuple[Column, ...]) -> DataKey:
    """The key that `text_of` wrote."""
    if len(columns) == 1:
        return DataKey(key=text)
    try:
        parts: Any = json.loads(text)
    except (ValueError, RecursionError):
        parts = None
    if not isinstance(parts, list) or any(type(part) not in (str, int) for part in parts):
        names = ", ".join(column.name for column in columns)
        message = f'"{text}" is not an entity id of the columns {names}; write a JSON list of their values'
        raise invalid_argument("query.entityId", "invalid-entity-id", message)
    return DataKey(compositeKey=CompositeKey(parts=[str(part) for part in parts]))


def format_keys(keys: Iterable[DataKey]) -> str:
    """Keys for a message: `"7"` or `["acme", "7"]`."""
    texts = [json.dumps(key.key if key.compositeKey is None else list(key.parts), ensure_ascii=False) for key in keys]
    return ", ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")
