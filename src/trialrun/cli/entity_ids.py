"""Entity ids as a command line has them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trialrun.errors import UsageError

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.column import Column
    from trialrun.runtime.feature_view.store.interface import EntityId


def parse_entity_id(text: str, keys: tuple[Column, ...]) -> EntityId:
    """The entity id that a text means: the value itself, `a,7` for two columns, or a JSON array. Raises UsageError."""
    from trialrun.runtime.feature_view.entity_id import InvalidEntityId
    from trialrun.runtime.feature_view.entity_id import entity_id_from_parts as read

    try:
        return read(parse_parts(text, keys), keys)
    except InvalidEntityId as error:
        raise UsageError(f'"{text}" is not an entity id: {error}') from error


def parse_parts(text: str, keys: Sequence[Column]) -> Sequence[object]:
    """The values that a text has for the entity id columns. Raises UsageError."""
    listed = _parse_array(text)
    if listed is not None and (len(keys) > 1 or len(listed) == 1):
        found: Sequence[object] = listed
    else:
        found = text.split(",") if len(keys) > 1 else [text]
    if len(found) != len(keys):
        columns = ", ".join(f"{key.name} ({key.type_text})" for key in keys)
        problem = f"it has {len(found)} value{'' if len(found) == 1 else 's'}, not {len(keys)}: {columns}"
        raise UsageError(f'"{text}" is not an entity id: {problem}; write {_example(keys)}')
    return found


def format_entity_id(id: Sequence[object]) -> str:
    """An entity id as a person may write it back: the value itself, or values with commas, or a JSON array."""
    texts = [str(part) for part in id]
    unclear = any(not text or text != text.strip() or ("," in text and len(texts) > 1) for text in texts)
    if unclear or _parse_array(",".join(texts)) is not None:
        return json.dumps(list(id), ensure_ascii=False)
    return ",".join(texts)


def _parse_array(text: str) -> list[Any] | None:
    """The items of a text that is a JSON array of texts and numbers."""
    if not text.lstrip().startswith("["):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if all(isinstance(one, str | int) and not isinstance(one, bool) for one in value) else None


def _example(keys: Sequence[Column]) -> str:
    values = [7 if key.type == "INT64" else key.name.upper() for key in keys]
    if len(keys) == 1:
        return str(values[0])
    return f"{','.join(map(str, values))} or '{json.dumps(values)}'"
