"""The anchors of a YAML document, and the aliases that name each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.document import Document
from trialrun.parser.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    make_parser,
)
from trialrun.text import Span

_tag = re.compile(r"![^ \t\r\n,\[\]{}]*(?:[ \t\r\n]|#[^\r\n]*)*")


@dataclass(frozen=True, slots=True)
class Anchor:
    """A name of a value in its document: where it is defined, and where aliases use it, all without their signs."""

    name: str
    span: Span
    aliases: tuple[Span, ...]


def anchors(document: Document) -> list[Anchor]:
    """The anchors of a document in its order; a name that is given again is another anchor from there on."""
    part = document.source_slice
    if part.is_json or "&" not in part.text:
        return []
    entries: list[tuple[str, Span, list[Span]]] = []
    latest: dict[str, list[Span]] = {}
    for event in _events(part.text):
        if event.anchor is None:
            continue
        kind = event.__class__
        if kind is AliasEvent:
            latest[event.anchor].append(part.to_span(event.start_mark.index + 1, event.end_mark.index))
            continue
        start = _name_start(part.text, event.start_mark.index)
        latest[event.anchor] = []
        entries.append((event.anchor, part.to_span(start, start + len(event.anchor)), latest[event.anchor]))
    return [Anchor(name, span, tuple(aliases)) for name, span, aliases in entries]


def _events(text: str) -> Iterator[Any]:
    """Every value of the first document that is in a text."""
    parser = make_parser(text)
    depth = 0
    try:
        while (kind := (event := parser.get_event()).__class__) is not StreamEndEvent:
            depth += kind in (MappingStartEvent, SequenceStartEvent)
            depth -= kind in (MappingEndEvent, SequenceEndEvent)
            if kind in (AliasEvent, ScalarEvent, MappingStartEvent, SequenceStartEvent):
                yield event
            if depth == 0 and kind in (ScalarEvent, MappingEndEvent, SequenceEndEvent):
                return
    finally:
        parser.dispose()


def _name_start(text: str, at: int) -> int:
    """Where the name of an anchor begins, past a tag before it."""
    tag = _tag.match(text, at)
    return (tag.end() if tag else at) + 1
