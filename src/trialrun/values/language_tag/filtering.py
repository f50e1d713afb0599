"""Language ranges, as RFC 4647 has them: which tags `de-*-DE` stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_RANGE = re.compile(r"(?:[a-z]{1,8}|\*)(?:-(?:[a-z0-9]{1,8}|\*))*", re.IGNORECASE | re.ASCII)
ANY = "*"


def is_range(text: str) -> bool:
    """Whether a text is an extended language range (RFC 4647 section 2.2)."""
    return _RANGE.fullmatch(text) is not None


def is_in_range(tag: Sequence[str], language_range: Sequence[str]) -> bool:
    """Whether the subtags of a tag match those of a range, all in lower case (RFC 4647 section 3.3.2)."""
    if language_range[0] not in (ANY, tag[0]):
        return False
    rest = iter(tag[1:])
    return all(_skip_to(wanted, rest) for wanted in language_range[1:] if wanted != ANY)


def _skip_to(wanted: str, rest: Iterator[str]) -> bool:
    """Whether a subtag follows before the next singleton."""
    for subtag in rest:
        if subtag == wanted:
            return True
        if len(subtag) == 1:
            return False
    return False
