"""The one import of the YAML parser: libyaml's events, or those of PyYAML's own parser where libyaml is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Final

from yaml import MarkedYAMLError, SafeLoader, YAMLError
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

_FAST: Any
try:
    from yaml._yaml import CParser as _FAST
except ImportError:
    _FAST = None

_parser: Any = _FAST or SafeLoader

Event = Any
NextEvent = Callable[[], Event]

__all__ = [
    "AliasEvent",
    "DocumentEndEvent",
    "DocumentStartEvent",
    "Event",
    "MappingEndEvent",
    "MappingStartEvent",
    "MarkedYAMLError",
    "NextEvent",
    "ScalarEvent",
    "SequenceEndEvent",
    "SequenceStartEvent",
    "StreamEndEvent",
    "YAMLError",
    "make_parser",
    "with_overrides",
]


_NOT_LINE_BREAKS: Final = ("\x85", "\u2028", "\u2029")
"""Line breaks to libyaml and YAML 1.1, plain characters to YAML 1.2."""


def make_parser(text: str) -> Any:
    """A parser whose `get_event` gives the next event, with marks that count code points; `dispose` it at the end."""
    if not text.isascii() and any(character in text for character in _NOT_LINE_BREAKS):
        return _SubstitutingParser(text)
    if _parser is not _FAST and "\\u" in text:
        return _SubstitutingParser(text)
    return _parser(text)


class _SubstitutingParser:
    """The parser with stand-ins for the characters that are no line breaks in YAML 1.2."""

    def __init__(self, text: str) -> None:
        free = (chr(code) for code in range(0xF0000, 0xFFFFD))
        stand_ins = [character for character in islice(free, 1000) if character not in text][: len(_NOT_LINE_BREAKS)]
        self._parser = _parser(text.translate(str.maketrans("".join(_NOT_LINE_BREAKS), "".join(stand_ins))))
        self._originals = str.maketrans("".join(stand_ins), "".join(_NOT_LINE_BREAKS))

    def get_event(self) -> Event:
        event = self._parser.get_event()
        if event.__class__ is ScalarEvent:
            event.value = _join_surrogates(event.value.translate(self._originals))
        return event

    def get_token(self) -> Any:
        """The next token, for its place alone: the text of a scalar still has the stand-ins."""
        return self._parser.get_token()

    def dispose(self) -> None:
        self._parser.dispose()


def _join_surrogates(value: str) -> str:
    """The pure parser takes escapes of half a character, libyaml does not: pairs are joined, halves become U+FFFD."""
    if not any("\ud800" <= character <= "\udfff" for character in value):
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def with_overrides(next_event: NextEvent, overrides: Mapping[int, str]) -> NextEvent:
    """The same events, with the original text of the scalars that a repair made readable."""
    return (lambda: apply_override(next_event(), overrides)) if overrides else next_event


def apply_override(event: Event, overrides: Mapping[int, str]) -> Event:
    """The event with its original text, where a repair made it readable."""
    text = overrides.get(event.start_mark.index)
    if text is None:
        return event
    length = event.end_mark.index - event.start_mark.index
    if event.__class__ is ScalarEvent:
        event.value = text
        event.implicit = (False, True)
        event.style = "raw" if len(text) == length else event.style
    return event
