"""Anchors, aliases and merge keys of the fast path.

A merge key is only accepted with one alias, to a mapping. As in `compose`, its keys are added when the mapping is
complete, here at the end of the document: a mapping is merged before the next one that may name it.
"""

from __future__ import annotations

import re
from typing import Any, Final

from trialrun.parser.compose import expanded_size, merge
from trialrun.parser.fast_path_values import MERGE_KEY, NotSimple
from trialrun.parser.limits import MAX_NODES

Around = list[tuple[Any, int]]
_anchor = re.compile(r"&([A-Za-z0-9_-]+)(?: ++|\Z)").match
_alias = re.compile(r"\*([A-Za-z0-9_-]+)(?: *| +#.*)\Z").match
_NO_VALUE: Final = frozenset("|>&*")
"""A value behind an anchor that begins so is a block scalar, whose lines were not read with it, or an error."""


class Aliases:
    """The anchors of a document, and the values that aliases and merge keys take from them."""

    def __init__(self) -> None:
        self.anchors: dict[str, Any] = {}
        self._uses: list[Any] = []
        self._merges: list[tuple[Any, int | None]] = []

    def anchor(self, text: str) -> tuple[str, str]:
        """The name of an anchor, and the value behind it on the line. Raises `NotSimple`."""
        match = _anchor(text)
        if match is None:
            raise NotSimple
        name, rest = match[1], text[match.end() :]
        if rest and rest[0] in _NO_VALUE:
            raise NotSimple
        self.anchors[name] = None
        return name, "" if rest[:1] == "#" else rest

    def alias(self, text: str, current: Any, around: Around) -> Any:
        """The value that an alias names, which must be complete. Raises `NotSimple`."""
        match = _alias(text)
        if match is None or match[1] not in self.anchors:
            raise NotSimple
        value = self.anchors[match[1]]
        if value is not None and (value is current or any(value is outer for outer, _ in around)):
            raise NotSimple
        self._uses.append(value)
        return value

    def merge_later(self, value: Any, current: Any, *, is_item: bool) -> None:
        """Note that a mapping merges another: the current one, or that of the list item to come."""
        if type(value) is not dict:
            raise NotSimple
        self._merges.append((current, len(current) if is_item else None))

    def finish(self, size: int) -> None:
        """Merge what is to be merged, and refuse a document that may be too large with every alias written out.

        `size` is the number of characters: at most half as many are nodes.
        """
        nodes = size // 2
        for holder, index in self._merges:
            mapping = holder if index is None else holder[index]
            nodes += merge(mapping, [mapping.pop(MERGE_KEY)], MAX_NODES - nodes)
            if nodes > MAX_NODES:
                raise NotSimple
        weights: dict[int, int] = {}
        for value in self._uses:
            nodes += expanded_size(value, weights)
            if nodes > MAX_NODES:
                raise NotSimple
