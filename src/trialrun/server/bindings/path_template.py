"""Paths of operations, as google.api.http writes them: `v1/{name=projects/*/locations/*}:sync`, without the version."""

from __future__ import annotations

import re
from collections.abc import Mapping

FIELD = re.compile(r"\{([\w.]+)=([^}]*)\}")


class PathTemplate:
    """A template with one field, whose value is a resource name of a fixed pattern."""

    def __init__(self, text: str) -> None:
        field = FIELD.search(text)
        if field is None:
            raise ValueError(f"{text}: a path needs one field in braces")
        self.text = text
        self.field = field[1]
        self.pattern = field[2]
        self.after_field = text[field.end() :]
        plain = text[: field.start()] + field[2] + self.after_field
        path, _, self.custom_verb = plain.partition(":")
        self._segments = tuple(path.split("/"))

    @property
    def shape(self) -> tuple[str, ...]:
        """What paths of this template have in common: their fixed segments, `*` for the others, and the custom verb."""
        return (*self._segments, f":{self.custom_verb}")

    def values(self, segments: tuple[str, ...]) -> Mapping[str, str]:
        """The field of a path that has this shape."""
        count = len(self.pattern.split("/"))
        return {self.field: "/".join(segments[:count])}


def split_path(path: str) -> tuple[tuple[str, ...], str]:
    """The segments of a path and its custom verb, empty without one."""
    whole, _, last = path.rpartition("/")
    last, _, verb = last.rpartition(":") if ":" in last else (last, "", "")
    return (*whole.split("/"), last) if whole else (last,), verb


def shape_of(segments: tuple[str, ...], verb: str) -> tuple[str, ...]:
    """The shape that a path would have: every second segment, which is an id, as `*`."""
    return (*(segment if number % 2 == 0 else "*" for number, segment in enumerate(segments)), f":{verb}")
