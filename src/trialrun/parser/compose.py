"""Compose events to plain values: the loop that every file goes through, so it keeps no spans."""

from __future__ import annotations

from typing import Any, Final

from trialrun.parser.composed import ComposedDocument
from trialrun.parser.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NextEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from trialrun.parser.limits import MAX_DEPTH, MAX_DOCUMENTS, MAX_NODES
from trialrun.parser.scalars import AMBIGUOUS, AMBIGUOUS_WORDS, NUMBER_STARTS, WORDS, decimal, parse_number
from trialrun.parser.tags import is_default_collection_tag, tagged_scalar

_NOTEWORTHY_KEYS: Final = AMBIGUOUS_WORDS | {"", "<<"}


class Unsupported(Exception):
    """What libyaml accepts and we do not: `kind` says which of the cases, `event` where."""

    def __init__(self, kind: str, event: Event) -> None:
        super().__init__(kind)
        self.kind = kind
        self.event = event


def compose(next_event: NextEvent, composed: list[ComposedDocument], text: str) -> None:
    """Append every document of the stream to `composed`; one that fails raises, and the earlier ones are kept.

    Raises what the parser raises, or `Unsupported`. One flat loop without calls for the usual scalar: with a function
    for each event it takes half as long again.
    """
    words, first_of_number = WORDS, NUMBER_STARTS
    stack: list[tuple[Any, bool, Any, Any]] = []
    anchors: dict[str, tuple[Any, str | None]] = {}
    current: Any = []
    is_mapping = wants_key = aliased = needs_second_look = False
    key: Any = None
    merges: list[Any] | None = None
    nodes = start = 0
    while True:
        event = next_event()
        kind = event.__class__
        if kind is ScalarEvent:
            value = event.value
            if wants_key:
                if value in current or value in _NOTEWORTHY_KEYS or value[0] in first_of_number:
                    if value == "<<" and event.implicit[0]:
                        value = AMBIGUOUS
                    else:
                        needs_second_look = True
                if event.anchor is not None:
                    anchors[event.anchor] = (_tagged_value(event, text)[0], event.value)
                if event.tag is not None:
                    needs_second_look = True
                    value = tagged_scalar(event, text).text
                key = value
                wants_key = False
                continue
            if event.implicit[0]:
                if value in words:
                    value = words[value]
                    if value is AMBIGUOUS:
                        value = event.value
                        needs_second_look = True
                elif value[0] in first_of_number:
                    if decimal(value):
                        value = int(value)
                    else:
                        reading = parse_number(value)
                        value = reading.value
                        needs_second_look = needs_second_look or reading.yaml_1_1 is not None
            elif event.tag is not None:
                value = tagged_scalar(event, text).value
                needs_second_look = True
            if event.anchor is not None:
                anchors[event.anchor] = (value, event.value)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            if wants_key:
                raise Unsupported("collection as key", event)
            stack.append((current, is_mapping, key, merges))
            if len(stack) > MAX_DEPTH:
                raise Unsupported("depth", event)
            is_mapping = wants_key = kind is MappingStartEvent
            current = {} if is_mapping else []
            merges = None
            if event.anchor is not None:
                anchors[event.anchor] = (current, None)
            if event.tag is not None and not is_default_collection_tag(event):
                needs_second_look = True
            continue
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            value = current
            nodes += len(value)
            if merges is not None:
                nodes += _merge(value, merges, MAX_NODES - nodes)
            if nodes > MAX_NODES:
                raise Unsupported("nodes", event)
            current, is_mapping, key, merges = stack.pop()
            wants_key = False
        elif kind is AliasEvent:
            aliased = True
            if event.anchor not in anchors:
                raise Unsupported("undefined alias", event)
            value, key_text = anchors[event.anchor]
            if wants_key:
                if key_text is None:
                    raise Unsupported("collection as key", event)
                needs_second_look = needs_second_look or key_text in current
                key = key_text
                wants_key = False
                continue
            if key_text is None and (value is current or any(value is outer[0] for outer in stack)):
                raise Unsupported("cycle", event)
        elif kind is DocumentStartEvent:
            start = event.start_mark.index
            current, is_mapping, wants_key, merges, nodes = [], False, False, None, 0
            aliased = needs_second_look = False
            anchors.clear()
            continue
        elif kind is DocumentEndEvent:
            value = current[0]
            if aliased and _expanded_size(value) > MAX_NODES:
                raise Unsupported("alias bomb", event)
            if len(composed) == MAX_DOCUMENTS:
                raise Unsupported("documents", event)
            composed.append(ComposedDocument(value, start, event.end_mark.index, needs_second_look))
            continue
        elif kind is StreamEndEvent:
            return
        else:
            continue
        if not is_mapping:
            current.append(value)
        else:
            wants_key = True
            if key is AMBIGUOUS:
                merges = _merge_sources(value, merges)
                needs_second_look = needs_second_look or not _holds_keys(value)
            else:
                current[key] = value


def limit_events(next_event: NextEvent, text: str) -> NextEvent:
    """The same events, rejected when there are too many; a text that is too short for that is not counted."""
    most = 2 * MAX_NODES
    if len(text) < most:
        return next_event
    numbers = iter(range(most))

    def next_counted() -> Event:
        event = next_event()
        if next(numbers, None) is None:
            raise Unsupported("nodes", event)
        return event

    return next_counted


def _tagged_value(event: Event, text: str) -> tuple[Any, str]:
    """The value of a scalar and its text."""
    reading = tagged_scalar(event, text)
    return reading.value, reading.text


def _holds_keys(value: Any) -> bool:
    """Whether a merge key may name the value: a mapping, or a list of mappings."""
    return isinstance(value, dict) or (isinstance(value, list) and all(isinstance(source, dict) for source in value))


def _merge_sources(value: Any, before: list[Any] | None) -> list[Any]:
    """The mappings that a merge key names, after those of an earlier merge key of the same mapping."""
    sources = value if isinstance(value, list) else [value]
    return [*(before or ()), *(source for source in sources if isinstance(source, dict))]


def _merge(mapping: dict[str, Any], sources: list[dict[str, Any]], most: int) -> int:
    """Add the keys that are not there yet: an explicit key wins, then the earlier source. Returns the work done.

    They come before the mapping's own, as what they are merged from is mostly written before it.
    """
    work = 0
    own = mapping.copy()
    mapping.clear()
    for source in sources:
        work += len(source)
        if work > most:
            break
        for key, value in source.items():
            if key not in own:
                mapping.setdefault(key, value)
    mapping.update(own)
    return work


def _expanded_size(value: Any) -> int:
    """How many nodes the value has with every alias written out; each shared node is looked at once."""
    weights: dict[int, int] = {}
    waiting = [(value, False)]
    while waiting:
        node, children_known = waiting.pop()
        if not isinstance(node, dict | list) or (id(node) in weights and not children_known):
            continue
        children = node.values() if isinstance(node, dict) else node
        if children_known:
            weights[id(node)] = 1 + sum(weights.get(id(child), 1) for child in children)
        else:
            waiting.append((node, True))
            waiting.extend((child, False) for child in children)
    return weights.get(id(value), 1)
