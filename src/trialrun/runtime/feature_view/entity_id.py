"""Entity ids as people and requests write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import EntityId

INTEGER = re.compile(r"[-+]?[0-9]+", re.ASCII)
SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which no text in UTF-8 can have."""


class InvalidEntityId(ValueError):
    """An entity id does not fit the entity id columns; the message says what is wrong, then what to do."""


def entity_id_from_parts(parts: Sequence[object], keys: tuple[Column, ...]) -> EntityId:
    """The entity id of some parts, one for each entity id column: "7" is 7 where the column is INT64.

    Raises InvalidEntityId.
    """
    if len(parts) != len(keys):
        names = ", ".join(column.name for column in keys)
        count = "1 part" if len(parts) == 1 else f"{len(parts)} parts"
        raise InvalidEntityId(f"the entity id has {count}; write one for each of its columns: {names}")
    return tuple(_parse_part(part, column) for part, column in zip(parts, keys, strict=True))


def _parse_part(part: object, column: Column) -> int | str:
    is_integer = isinstance(part, int) and not isinstance(part, bool)
    if column.type == "INT64":
        if isinstance(part, str) and INTEGER.fullmatch(part) and len(part) <= 100:
            part, is_integer = int(part), True
        if isinstance(part, int) and is_integer and -(2**63) <= part < 2**63:
            return part
        type, advice = "an INT64", "write a 64-bit integer"
    else:
        if isinstance(part, str) and SURROGATE.search(part):
            raise InvalidEntityId(f"{part!r} has half of a surrogate pair; write both halves or the character itself")
        if isinstance(part, str) or is_integer:
            return str(part)
        type, advice = f"a {column.type_text}", "write text"
    raise InvalidEntityId(f"{part!r} is not {type}, the type of the entity id column {column.name}; {advice}")
