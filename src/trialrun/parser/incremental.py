"""A broken document that is read again after each repair: from the last sound place before it, not from its start.

A parser is sent there through an outline of what stands before; what it would have told until then is known.
"""

from __future__ import annotations

from typing import Any, Final

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.compose import Refused, compose, counted
from trialrun.parser.composed import Composed
from trialrun.parser.document import Slice
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
    parser_of,
)
from trialrun.parser.limits import MAX_DEPTH, MAX_NODES
from trialrun.parser.skeleton import Stop, event_at, is_outlined, line_start
from trialrun.parser.spans import overriding

_LONGEST: Final = 2**18
"""Characters of a document that is read this way; a longer one is tried a few times only, and its events take room."""
_APART: Final = 100
"""The fewest characters between two places to read again from."""
Outcome = tuple[list[Composed], YAMLError | Refused | None]


class _Unsure(Exception):
    """Only composing the whole document tells whether it is within the limits."""


@dataclass(slots=True)
class _Open:
    """A collection around what is read; `opening` is the number of its first event."""

    opening: int
    is_mapping: bool
    is_flow: bool
    wants_key: bool


def composed_of(part: Slice) -> Outcome:
    """The documents of a slice, and what is wrong behind them."""
    found: list[Composed] = []
    parser = parser_of(part.text)
    try:
        next_event = counted(parser.get_event, part.text)
        compose(overriding(next_event, part.overrides), found, part.text)
    except (YAMLError, Refused) as fault:
        return found, fault.with_traceback(None)  # a kept traceback would be a cycle that only the collector frees
    finally:
        parser.dispose()
    return found, None


class Again:
    """The reading of one document that is composed again and again; `changed` tells where it has another text."""

    def __init__(self) -> None:
        self.read_from = 0
        """The offset from which the text was read the last time."""
        self._events: list[Event] = []
        self._stops: list[Stop] = []
        self._around: list[_Open] = []
        self._anchors: list[tuple[int, str]] = []
        self._aliases: list[int] = []
        self._is_sure = True

    def changed(self, text: str, start: int) -> None:
        """The text is another one from an offset on: only places on the lines before it are still sound."""
        line = line_start(text, start)
        while self._stops and self._stops[-1].at >= line:
            self._stops.pop()

    def composed(self, part: Slice) -> Outcome:
        """The documents of the slice, and what is wrong behind them, as `composed_of` tells."""
        if not self._is_sure or len(part.text) > _LONGEST:
            return composed_of(part)
        try:
            fault = self._read(part)
        except _Unsure:
            self._is_sure = False
            return composed_of(part)
        if fault is not None:
            return [], fault
        found: list[Composed] = []
        try:
            compose(iter(self._events).__next__, found, part.text)
        except Refused as refused:
            return found, refused.with_traceback(None)
        return found, None

    def _read(self, part: Slice) -> YAMLError | Refused | None:
        """Read the slice to its end, or to what is wrong in it."""
        parser, event = self._begun(part)
        next_event = overriding(parser.get_event, part.overrides)
        try:
            self._follow(event, next_event, part.text)
        except (YAMLError, Refused) as fault:
            return fault.with_traceback(None)
        finally:
            parser.dispose()
        return None

    def _begun(self, part: Slice) -> tuple[Any, Event | None]:
        """A parser that has come to the last sound place, with the event there; a fresh one where there is none."""
        while self._stops:
            stop = self._stops[-1]
            if stop.outline is not None or is_outlined(part.text, self._events, stop):
                parser = parser_of(f"{stop.outline}{part.text[stop.line :]}")
                event = event_at(stop, parser.get_event, part.overrides)
                if event.__class__ is self._events[stop.number].__class__:
                    self._go_back(stop)
                    return parser, event
                parser.dispose()
            self._stops.pop()
        self._go_back(Stop(0, 0, ()))
        return parser_of(part.text), None

    def _go_back(self, stop: Stop) -> None:
        """Forget what was read from a place on."""
        self.read_from = stop.at
        del self._events[stop.number :]
        self._anchors = [one for one in self._anchors if one[0] < stop.number]
        self._aliases = [one for one in self._aliases if one < stop.number]
        self._around = [_opened(number, self._events[number]) for number in stop.openings]

    def _follow(self, event: Event | None, next_event: NextEvent, text: str) -> None:
        """Take events in; what composing them would refuse is refused."""
        event = next_event() if event is None else event
        while (kind := event.__class__) is not StreamEndEvent:
            if kind is ScalarEvent:
                self._enter(event, is_collection=False)
                if event.anchor is not None:
                    self._anchors.append((len(self._events), event.anchor))
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._open(event)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self._around.pop()
            elif kind is AliasEvent:
                self._take_alias(event, text)
            elif kind is DocumentStartEvent and len(self._events) > 1:
                raise _Unsure
            self._events.append(event)
            event = next_event()
        self._events.append(event)

    def _enter(self, event: Event, *, is_collection: bool) -> None:
        """A key, a value or an item begins in the innermost collection."""
        if not self._around:
            return
        around = self._around[-1]
        if around.is_mapping:
            around.wants_key = not around.wants_key
            if around.wants_key:
                return
            if is_collection:
                raise Refused("collection as key", event)
        at = event.start_mark.index
        is_far = not self._stops or at - self._stops[-1].at >= _APART
        if is_far and not around.is_flow and len(self._events) > around.opening + 1:
            self._stops.append(Stop(len(self._events), at, tuple(one.opening for one in self._around)))

    def _open(self, event: Event) -> None:
        self._enter(event, is_collection=True)
        self._around.append(_opened(len(self._events), event))
        if len(self._around) > MAX_DEPTH:
            raise Refused("depth", event)
        if event.anchor is not None:
            self._anchors.append((len(self._events), event.anchor))

    def _take_alias(self, event: Event, text: str) -> None:
        """An alias counts as much as what it names; whether that is too much, composing tells."""
        named = next((number for number, name in reversed(self._anchors) if name == event.anchor), None)
        if named is None:
            raise Refused("undefined alias", event)
        self._enter(event, is_collection=self._events[named].__class__ is not ScalarEvent)
        if any(one.opening == named for one in self._around):
            raise Refused("cycle", event)
        self._aliases.append(len(self._events))
        if len(text) * (1 + len(self._aliases)) > MAX_NODES:
            raise _Unsure


def _opened(number: int, event: Event) -> _Open:
    """A collection where a key or an item comes next; wherever another one was opened inside, it comes after that."""
    return _Open(number, event.__class__ is MappingStartEvent, bool(event.flow_style), wants_key=True)
