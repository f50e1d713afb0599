"""Compose events to plain values: the loop that every file goes through, so it keeps no spans."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from trialrun.parser.document import ComposedDocument
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
    YAMLError,
    make_parser,
    with_overrides,
)
from trialrun.parser.nodes import MAX_DEPTH, MAX_DOCUMENTS, MAX_NODES
from trialrun.parser.scalars import (
    AMBIGUOUS,
    AMBIGUOUS_WORDS,
    NUMBER_STARTS,
    WORDS,
    decimal,
    is_default_collection_tag,
    parse_number,
    tagged_scalar,
)

Anchors = dict[str, tuple[Any, str | None]]
"""By name, the value at an anchor, and its text if it is a scalar."""

_NOTEWORTHY_KEYS: Final = AMBIGUOUS_WORDS | {"", "<<"}


class Unsupported(Exception):
    """What libyaml accepts and we do not: `kind` says which of the cases, `event` where."""

    def __init__(self, kind: str, event: Event) -> None:
        super().__init__(kind)
        self.kind = kind
        self.event = event


def compose_text(
    text: str, overrides: Mapping[int, str] = MappingProxyType({})
) -> tuple[list[ComposedDocument], YAMLError | Unsupported | None]:
    """The documents of a text as far as they can be composed, and what is wrong behind them.

    `overrides` gives, by offset, the text of the scalars that only a repair made readable.
    """
    composed: list[ComposedDocument] = []
    parser = make_parser(text)
    try:
        compose(with_overrides(limit_events(parser.get_event, text), overrides), composed, text)
    except (YAMLError, Unsupported) as fault:
        return composed, fault.with_traceback(None)  # a kept traceback would be a cycle that only the collector frees
    finally:
        parser.dispose()
    return composed, None


def compose(next_event: NextEvent, composed: list[ComposedDocument], text: str) -> None:
    """Append every document of the stream to `composed`; one that fails raises, and the earlier ones are kept.

    Raises what the parser raises, or `Unsupported`. One flat loop without calls for the usual scalar: with a function
    for each event it takes half as long again. What is rare is in functions of its own.
    """
    words, first_of_number = WORDS, NUMBER_STARTS
    stack: list[tuple[Any, bool, Any, Any]] = []
    anchors: Anchors = {}
    current: Any = []
    is_mapping = wants_key = aliased = needs_second_look = is_doubtful = False
    key: Any = None
    merges: list[Any] | None = None
    nodes = start = 0
    while (kind := (event := next_event()).__class__) is not StreamEndEvent:
        if kind is ScalarEvent:
            value = event.value
            if wants_key:
                key, wants_key = value, False
                if value in current or value in _NOTEWORTHY_KEYS or value[0] in first_of_number or event.tag:
                    key, is_doubtful = _noteworthy_key(event, text)
                    needs_second_look = needs_second_look or is_doubtful
                if event.anchor is not None:
                    anchors[event.anchor] = (tagged_scalar(event, text).value, value)
                continue
            if not event.implicit[0]:
                if event.tag is not None:
                    value, needs_second_look = tagged_scalar(event, text).value, True
            elif value in words or value[0] in first_of_number:
                value, is_doubtful = _word_or_number(value)
                needs_second_look = needs_second_look or is_doubtful
            if event.anchor is not None:
                anchors[event.anchor] = (value, event.value)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            if wants_key:
                raise Unsupported("collection as key", event)
            stack.append((current, is_mapping, key, merges))
            if len(stack) > MAX_DEPTH:
                raise Unsupported("depth", event)
            is_mapping = wants_key = kind is MappingStartEvent
            current, merges = {} if is_mapping else [], None
            if event.anchor is not None:
                anchors[event.anchor] = (current, None)
            if event.tag is not None and not is_default_collection_tag(event):
                needs_second_look = True
            continue
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            value = current
            nodes += len(value)
            if merges is not None:
                nodes += merge(value, merges, MAX_NODES - nodes)
            if nodes > MAX_NODES:
                raise Unsupported("nodes", event)
            current, is_mapping, key, merges = stack.pop()
            wants_key = False
        elif kind is AliasEvent:
            aliased = True
            value, key_text = _alias_target(event, anchors, wants_key=wants_key)
            if wants_key:
                needs_second_look = needs_second_look or key_text in current
                key, wants_key = key_text, False
                continue
            if key_text is None and (value is current or any(value is outer[0] for outer in stack)):
                raise Unsupported("cycle", event)
        else:
            if kind is DocumentStartEvent:
                start = event.start_mark.index
                current, is_mapping, wants_key, merges, nodes = [], False, False, None, 0
                aliased = needs_second_look = False
                anchors.clear()
            elif kind is DocumentEndEvent:
                _require_limits(event, current[0], composed, aliased=aliased)
                composed.append(ComposedDocument(current[0], start, event.end_mark.index, needs_second_look))
            continue
        if not is_mapping:
            current.append(value)
        else:
            wants_key = True
            if key is AMBIGUOUS:
                needs_second_look = needs_second_look or merges is not None or not _holds_keys(value)
                sources = value if isinstance(value, list) else [value]
                merges = [*(merges or ()), *(source for source in sources if isinstance(source, dict))]
            else:
                current[key] = value


def _noteworthy_key(event: Event, text: str) -> tuple[Any, bool]:
    """A key that is repeated, tagged, ambiguous or a merge key, and whether it needs a second look."""
    if event.tag is not None:
        return tagged_scalar(event, text).text, True
    if event.value == "<<" and event.implicit[0]:
        return AMBIGUOUS, False
    return event.value, True


def _word_or_number(text: str) -> tuple[Any, bool]:
    """The value of a plain scalar that is a word of the schema or may be a number, and whether it is ambiguous."""
    if text in WORDS:
        value = WORDS[text]
        return (text, True) if value is AMBIGUOUS else (value, False)
    if decimal(text):
        return int(text), False
    reading = parse_number(text)
    return reading.value, reading.yaml_1_1 is not None


def _alias_target(event: Event, anchors: Anchors, *, wants_key: bool) -> tuple[Any, str | None]:
    """The value that an alias names, and its text if it is a scalar."""
    if event.anchor not in anchors:
        raise Unsupported("undefined alias", event)
    value, key_text = anchors[event.anchor]
    if wants_key and key_text is None:
        raise Unsupported("collection as key", event)
    return value, key_text


def _require_limits(event: Event, value: Any, composed: list[ComposedDocument], *, aliased: bool) -> None:
    """Refuse a document that is too large with every alias written out, and one too many."""
    if aliased and expanded_size(value, {}) > MAX_NODES:
        raise Unsupported("alias bomb", event)
    if len(composed) == MAX_DOCUMENTS:
        raise Unsupported("documents", event)


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


def _holds_keys(value: Any) -> bool:
    """Whether a merge key may name the value: a mapping, or a list of mappings."""
    return isinstance(value, dict) or (isinstance(value, list) and all(isinstance(source, dict) for source in value))


def merge(mapping: dict[str, Any], sources: list[dict[str, Any]], most: int) -> int:
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


def expanded_size(value: Any, weights: dict[int, int]) -> int:
    """How many nodes the value has with every alias written out; each shared node is looked at once.

    `weights` has the sizes of the nodes that were looked at before, by identity.
    """
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
