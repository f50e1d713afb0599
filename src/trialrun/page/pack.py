"""JSON with every repeated part written once: what a page embeds is a third of its size.

A packed section is `{"table": [...], "root": ...}`. In both, the text `$12` stands for entry 12 of the table, whose
entries name only earlier ones. A text that begins with `$` has one more. The script of the page puts the parts back, as
one object for equal parts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

MIN_SIZE = 12
"""Characters of a text, a message or a list, as JSON, that is worth an entry."""
REFERENCE = "$"


def pack(section: Any) -> dict[str, Any]:
    """The section with its repeated texts, messages and lists in a table."""
    return _Packer().pack(section)


class _Packer:
    """Gives equal parts one number, counts them, then writes those that occur twice as entries."""

    def __init__(self) -> None:
        self._ids: dict[Any, int] = {}
        self._parts: list[Any] = []
        self._sizes: list[int] = []
        self._uses: list[int] = []

    def pack(self, section: Any) -> dict[str, Any]:
        root = self._number(section)
        table: list[Any] = []
        places: dict[int, int] = {}
        for part in range(len(self._parts)):
            if self._uses[part] > 1 and self._sizes[part] >= MIN_SIZE:
                entry = self._write(part, places)
                places[part] = len(table)
                table.append(entry)
        return {"table": table, "root": self._write(root, places)}

    def _number(self, value: Any) -> int:
        """The number of a part; those inside of it have lower ones."""
        if isinstance(value, dict):
            fields = [(key, self._number(inner)) for key, inner in value.items()]
            return self._intern(("{", *fields), [number for _, number in fields])
        if isinstance(value, (list, tuple)):
            items = [self._number(item) for item in value]
            return self._intern(("[", *items), items)
        return self._intern((type(value), repr(value) if isinstance(value, float) else value, value), ())

    def _intern(self, key: Any, parts: Sequence[int]) -> int:
        known = self._ids.get(key)
        if known is not None:
            return known
        self._ids[key] = number = len(self._parts)
        self._parts.append(key)
        self._sizes.append(self._size(key))
        self._uses.append(0)
        for part in parts:
            self._uses[part] += 1
        return number

    def _size(self, key: Any) -> int:
        size = 4
        if key[0] == "{":
            size = 2 + sum(len(name) + 4 + self._sizes[inner] for name, inner in key[1:])
        elif key[0] == "[":
            size = 2 + sum(1 + self._sizes[inner] for inner in key[1:])
        elif key[0] is str:
            size = 2 + len(key[2])
        return size

    def _write(self, part: int, places: dict[int, int]) -> Any:
        if part in places:
            return f"{REFERENCE}{places[part]}"
        key = self._parts[part]
        if key[0] == "{":
            return {name: self._write(inner, places) for name, inner in key[1:]}
        if key[0] == "[":
            return [self._write(inner, places) for inner in key[1:]]
        value = key[2]
        return f"{REFERENCE}{value}" if isinstance(value, str) and value.startswith(REFERENCE) else value


def embedded_json(value: Any) -> str:
    """A value as the text of a script element: nothing in it ends the element, or starts another."""
    from trialrun.report.json_encoding import escape_for_programs

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return escape_for_programs(text).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
