"""The one import of the YAML parser: libyaml's events, or those of PyYAML's own parser where libyaml is missing."""

from __future__ import annotations

from collections.abc import Callable
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

_parser: Any
try:
    from yaml._yaml import CParser as _parser
except ImportError:
    from yaml import SafeLoader as _parser

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
    "parser_of",
]


def parser_of(text: str) -> Any:
    """A parser whose `get_event` gives the next event, with marks that count code points; `dispose` it at the end."""
    return _parser(text)
