"""The skeleton of a text before an offset: what opens the collections around it, and spaces in place of all else.

Spaces cost next to nothing to parse and move no offset, so a parser reaches the offset in the state in which it was
there before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.events import (
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NextEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    YAMLError,
)
from trialrun.parser.spans import apply_override

_only_key = re.compile(r" *").fullmatch
_only_item = re.compile(r" *- *").fullmatch
_lead = re.compile(r"[ -]*").fullmatch
_colon = re.compile(r"[ \t]*:").match


@dataclass(slots=True)
class Checkpoint:
    """A position to resume from: the event with which an entry begins that is not the first of its collection.

    `openings` are the numbers of the first events of the collections around it; `skeleton` replaces the text before
    `line`, on which it is, once that is known.
    """

    event_index: int
    offset: int
    openings: tuple[int, ...]
    line: int = 0
    skeleton: str | None = None


def event_at(checkpoint: Checkpoint, next_event: NextEvent, overrides: dict[int, str]) -> Event | None:
    """The event at a checkpoint of a skeleton; None if the parser gets there in another state."""
    depth = 0
    try:
        while (event := next_event()).start_mark.index < checkpoint.offset:
            depth += event.__class__ in (MappingStartEvent, SequenceStartEvent)
            if event.__class__ in (MappingEndEvent, SequenceEndEvent):
                return None
    except YAMLError:
        return None
    return apply_override(event, overrides) if depth == len(checkpoint.openings) else None


def build_skeleton(text: str, events: Sequence[Event], checkpoint: Checkpoint) -> bool:
    """Replace all that is before a line by spaces, except for what opens the collections around it."""
    checkpoint.line = line_start(text, checkpoint.offset)
    is_alone = _only_key if events[checkpoint.openings[-1]].__class__ is MappingStartEvent else _only_item
    ranges = [_entry_range(text, event, is_key=is_key) for event, is_key in _entries(events, checkpoint.openings)]
    if not is_alone(text, checkpoint.line, checkpoint.offset) or None in ranges:
        return False
    at = events[1].end_mark.index if events[1].explicit else 0
    pieces = [text[:at]]
    for line, end in [*sorted(pair for pair in ranges if pair), (checkpoint.line, checkpoint.line)]:
        if line > at:
            pieces.append(" " * (line - at - 1) + "\n")
        pieces.append(text[max(line, at) : end])
        at = max(at, end)
    checkpoint.skeleton = "".join(pieces)
    return len(checkpoint.skeleton) == checkpoint.line


def _entries(events: Sequence[Event], openings: Sequence[int]) -> Iterator[tuple[Event, bool]]:
    """The first entry of each collection and the one that is being read, by their keys or how their items begin."""
    for opening, inner in zip_longest(openings, openings[1:]):
        is_mapping = events[opening].__class__ is MappingStartEvent
        yield events[opening + 1], is_mapping
        if inner is not None:
            yield events[inner - is_mapping], is_mapping


def _entry_range(text: str, event: Event, *, is_key: bool) -> tuple[int, int] | None:
    """The line of an entry from its start to behind the colon or the dash; None if something else is there."""
    at, end = event.start_mark.index, event.end_mark.index
    if is_key:
        colon = _colon(text, end)
        end = colon.end() if colon else 0
    else:
        end = len(text[:at].rstrip(" \r\n"))
        at = end - 1
    line = line_start(text, at)
    return (line, end) if end > 0 and (is_key or text[at] == "-") and _lead(text, line, at) else None


def line_start(text: str, offset: int) -> int:
    """The offset at which the line of an offset begins."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
