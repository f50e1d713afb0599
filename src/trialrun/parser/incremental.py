"""Incremental re-parse of a broken document after each repair, from the last valid position before it.

A parser is sent there through an outline of the text before; its errors up to there are known.
"""

from __future__ import annotations

from typing import Any, Final

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.compose import Unsupported, compose, limit_events
from trialrun.parser.composed import ComposedDocument
from trialrun.parser.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NextEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    YAMLError,
    make_parser,
)
from trialrun.parser.limits import MAX_DEPTH, MAX_NODES
from trialrun.parser.parse_error import SourceSlice
from trialrun.parser.skeleton import Checkpoint, build_skeleton, event_at, line_start
from trialrun.parser.spans import with_overrides

_MAX_LENGTH: Final = 2**18
"""Characters of a document that is parsed this way; a longer one is tried only a few times, and takes memory."""
_CHECKPOINT_DISTANCE: Final = 100
"""The fewest characters between two checkpoints."""
ComposeResult = tuple[list[ComposedDocument], YAMLError | Unsupported | None]


class _Fallback(Exception):
    """Only composing the whole document shows whether it is within the limits."""


@dataclass(slots=True)
class _OpenCollection:
    """A collection around what is read; `opening` is the number of its first event."""

    opening: int
    is_mapping: bool
    is_flow: bool
    wants_key: bool


def compose_slice(part: SourceSlice) -> ComposeResult:
    """The documents of a slice, and what is wrong behind them."""
    documents: list[ComposedDocument] = []
    parser = make_parser(part.text)
    try:
        next_event = limit_events(parser.get_event, part.text)
        compose(with_overrides(next_event, part.overrides), documents, part.text)
    except (YAMLError, Unsupported) as fault:
        return documents, fault.with_traceback(None)  # a kept traceback would be a cycle that only the collector frees
    finally:
        parser.dispose()
    return documents, None


class IncrementalComposer:
    """Composes one document again and again; `invalidate` receives the offset from which its text has changed."""

    def __init__(self) -> None:
        self.resumed_at = 0
        """The offset from which the text was parsed the last time."""
        self._events: list[Event] = []
        self._checkpoints: list[Checkpoint] = []
        self._open_collections: list[_OpenCollection] = []
        self._anchors: list[tuple[int, str]] = []
        self._aliases: list[int] = []
        self._is_incremental = True

    def invalidate(self, text: str, start: int) -> None:
        """The text has changed from an offset on: only checkpoints on the lines before it are still valid."""
        line_offset = line_start(text, start)
        while self._checkpoints and self._checkpoints[-1].offset >= line_offset:
            self._checkpoints.pop()

    def compose(self, part: SourceSlice) -> ComposeResult:
        """The documents of the slice, and what is wrong behind them, as from `compose_slice`."""
        if not self._is_incremental or len(part.text) > _MAX_LENGTH:
            return compose_slice(part)
        try:
            fault = self._compose_events(part)
        except _Fallback:
            self._is_incremental = False
            return compose_slice(part)
        if fault is not None:
            return [], fault
        documents: list[ComposedDocument] = []
        try:
            compose(iter(self._events).__next__, documents, part.text)
        except Unsupported as refused:
            return documents, refused.with_traceback(None)
        return documents, None

    def _compose_events(self, part: SourceSlice) -> YAMLError | Unsupported | None:
        """Parse the slice to its end, or to its first error."""
        parser, event = self._resume(part)
        next_event = with_overrides(parser.get_event, part.overrides)
        try:
            self._take_events(event, next_event, part.text)
        except (YAMLError, Unsupported) as fault:
            return fault.with_traceback(None)
        finally:
            parser.dispose()
        return None

    def _resume(self, part: SourceSlice) -> tuple[Any, Event | None]:
        """A parser at the last valid checkpoint, with the event there; a fresh one if there is none."""
        while self._checkpoints:
            checkpoint = self._checkpoints[-1]
            if checkpoint.skeleton is not None or build_skeleton(part.text, self._events, checkpoint):
                parser = make_parser(f"{checkpoint.skeleton}{part.text[checkpoint.line :]}")
                event = event_at(checkpoint, parser.get_event, part.overrides)
                if event.__class__ is self._events[checkpoint.event_index].__class__:
                    self._rewind(checkpoint)
                    return parser, event
                parser.dispose()
            self._checkpoints.pop()
        self._rewind(Checkpoint(0, 0, ()))
        return make_parser(part.text), None

    def _rewind(self, checkpoint: Checkpoint) -> None:
        """Forget what was parsed from a checkpoint on."""
        self.resumed_at = checkpoint.offset
        del self._events[checkpoint.event_index :]
        self._anchors = [entry for entry in self._anchors if entry[0] < checkpoint.event_index]
        self._aliases = [entry for entry in self._aliases if entry < checkpoint.event_index]
        self._open_collections = [_open_collection(number, self._events[number]) for number in checkpoint.openings]

    def _take_events(self, event: Event | None, next_event: NextEvent, text: str) -> None:
        """Take events in; what composing them would refuse is refused."""
        event = next_event() if event is None else event
        while (kind := event.__class__) is not StreamEndEvent:
            if kind is ScalarEvent:
                self._begin_entry(event, is_collection=False)
                if event.anchor is not None:
                    self._anchors.append((len(self._events), event.anchor))
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._open(event)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self._open_collections.pop()
            elif kind is AliasEvent:
                self._take_alias(event, text)
            elif kind is DocumentStartEvent and len(self._events) > 1:
                raise _Fallback
            self._events.append(event)
            event = next_event()
        self._events.append(event)

    def _begin_entry(self, event: Event, *, is_collection: bool) -> None:
        """A key, a value or an item begins in the innermost collection."""
        if not self._open_collections:
            return
        innermost = self._open_collections[-1]
        if innermost.is_mapping:
            innermost.wants_key = not innermost.wants_key
            if innermost.wants_key:
                return
            if is_collection:
                raise Unsupported("collection as key", event)
        at = event.start_mark.index
        is_far = not self._checkpoints or at - self._checkpoints[-1].offset >= _CHECKPOINT_DISTANCE
        if is_far and not innermost.is_flow and len(self._events) > innermost.opening + 1:
            self._checkpoints.append(
                Checkpoint(len(self._events), at, tuple(collection.opening for collection in self._open_collections))
            )

    def _open(self, event: Event) -> None:
        self._begin_entry(event, is_collection=True)
        self._open_collections.append(_open_collection(len(self._events), event))
        if len(self._open_collections) > MAX_DEPTH:
            raise Unsupported("depth", event)
        if event.anchor is not None:
            self._anchors.append((len(self._events), event.anchor))

    def _take_alias(self, event: Event, text: str) -> None:
        """An alias counts as much as what it names; whether that is too much, only composing shows."""
        anchored = next((number for number, name in reversed(self._anchors) if name == event.anchor), None)
        if anchored is None:
            raise Unsupported("undefined alias", event)
        self._begin_entry(event, is_collection=self._events[anchored].__class__ is not ScalarEvent)
        if any(collection.opening == anchored for collection in self._open_collections):
            raise Unsupported("cycle", event)
        self._aliases.append(len(self._events))
        if len(text) * (1 + len(self._aliases)) > MAX_NODES:
            raise _Fallback


def _open_collection(number: int, event: Event) -> _OpenCollection:
    """A collection where a key or an item comes next; wherever another one was opened inside, it comes after that."""
    return _OpenCollection(number, event.__class__ is MappingStartEvent, bool(event.flow_style), wants_key=True)
