"""The one import of the YAML parser: libyaml's events, or those of PyYAML's own parser where libyaml is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from yaml import MarkedYAMLError, YAMLError
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

try:
    from yaml import CSafeLoader as _Parser
except ImportError:
    from yaml import SafeLoader as _Parser  # type: ignore[assignment]

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
    "events_of",
]


@contextmanager
def events_of(text: str) -> Iterator[NextEvent]:
    """A function that gives the next event of the text; its marks count code points from 0."""
    parser: Any = _Parser(text)
    try:
        yield parser.get_event
    finally:
        parser.dispose()
