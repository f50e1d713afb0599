"""The places of a YAML document: its events once more, with the exact ends that libyaml does not give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Final

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.document import Slice, Trouble
from trialrun.parser.events import (
    AliasEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NextEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    parser_of,
)
from trialrun.parser.nodes import Child, Frame, Node, Path
from trialrun.parser.scalars import AMBIGUOUS_WORDS, FIRST_OF_NUMBER, read_plain
from trialrun.parser.tags import tagged_scalar, tags_collection_plainly
from trialrun.parser.warnings import ambiguous, duplicate, not_mergeable, tagged_collection, tagged_value
from trialrun.text import Span

_STYLES: Final = {"'": "single", '"': "double", "|": "literal", ">": "folded"}
_PROPERTY_SIGNS: Final = ("&", "!")
_FIRST_OF_NOTEWORTHY: Final = frozenset((*FIRST_OF_NUMBER, "<", ""))
"""How plain texts begin of which something may be to remark: numbers, the merge key and empty texts."""
_blank = re.compile(r"(?:[ \t\r\n\ufeff]|(?:(?<=[ \t\r\n])|\A)#[^\r\n]*)*").match
_property = re.compile(r"!<[^>]*>|[&!][^ \t\r\n,\[\]{}]*").match


@dataclass(slots=True)
class Places:
    """The root of a document's nodes, and what was seen wrong on the way; offsets count in the slice."""

    root: Child
    troubles: list[Trouble] = field(default_factory=list)


def places_of_yaml(part: Slice, document: int = 0) -> Places:
    """Read the first document of the slice again and keep where everything stands."""
    builder = _Builder(part, document)
    parser = parser_of(part.text)
    try:
        builder.take_all(overriding(parser.get_event, part.overrides))
    finally:
        parser.dispose()
    return Places(builder.root, builder.troubles)


def scalars_of_yaml(part: Slice) -> Iterator[Node]:
    """Every scalar of the first document of the slice as it is written, keys and repeated ones too."""
    builder = _Builder(part, 0)
    parser = parser_of(part.text)
    try:
        for event in _document_events(overriding(parser.get_event, part.overrides)):
            if event.__class__ is ScalarEvent:
                yield builder.scalar_node(event)
    finally:
        parser.dispose()


def overriding(next_event: NextEvent, overrides: dict[int, str]) -> NextEvent:
    """The same events, with the text that was meant in the scalars that a repair made readable."""
    return (lambda: overridden(next_event(), overrides)) if overrides else next_event


def overridden(event: Event, overrides: dict[int, str]) -> Event:
    """The event with the text that was meant, where a repair made it readable."""
    meant = overrides.get(event.start_mark.index)
    if meant is None:
        return event
    length = event.end_mark.index - event.start_mark.index
    if event.__class__ is ScalarEvent:
        event.value = meant
        event.implicit = (False, True)
        event.style = "raw" if len(meant) == length else event.style
    return event


def _document_events(next_event: NextEvent) -> Iterator[Event]:
    """The events of the first document, without those that begin and end it."""
    depth = 0
    while (kind := (event := next_event()).__class__) is not StreamEndEvent:
        if kind is MappingStartEvent or kind is SequenceStartEvent:
            depth += 1
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            depth -= 1
        elif kind is not ScalarEvent and kind is not AliasEvent:
            continue
        yield event
        if depth == 0:
            return


class _Builder:
    """Takes the events of one document in order; no recursion, so depth costs no stack."""

    def __init__(self, part: Slice, document: int) -> None:
        self.text = part.text
        self.part = part
        self.document = document
        self.troubles: list[Trouble] = []
        self.root = Child(Node(0, 0, "plain", ""))
        self.frames: list[Frame] = []
        self.anchors: dict[str, Node] = {}

    def take_all(self, next_event: NextEvent) -> None:
        """Take the events of the first document; the loop is plain, since it runs for every scalar of a file."""
        deeds = {
            ScalarEvent: self.scalar,
            MappingStartEvent: self.open,
            SequenceStartEvent: self.open,
            MappingEndEvent: self.close,
            SequenceEndEvent: self.close,
            AliasEvent: self.alias,
        }
        frames = self.frames
        while (kind := (event := next_event()).__class__) is not StreamEndEvent:
            if (deed := deeds.get(kind)) is not None:
                deed(event)
                if not frames:
                    return

    # ---- one event each

    def alias(self, event: Event) -> None:
        self.place(self.anchors[event.anchor], event.end_mark.index, shared=True)

    def scalar(self, event: Event) -> None:
        """Take a scalar; most are plain ones of which nothing is to remark, and are taken without further calls."""
        text, frame = event.value, self.frames[-1] if self.frames else None
        if (
            frame is None
            or event.style
            or event.tag is not None
            or event.anchor is not None
            or text[:1] in _FIRST_OF_NOTEWORTHY
            or text in AMBIGUOUS_WORDS
        ):
            self.any_scalar(event)
            return
        start, end, holder = event.start_mark.index, event.end_mark.index, frame.node
        if holder.items is not None:
            holder.items.append(Child(Node(start, end, "plain", text)))
        elif holder.keys is None or frame.key_is_merge or (frame.key is None and text in holder.keys):
            self.any_scalar(event)
            return
        elif frame.key is None:
            frame.key = Node(start, end, "plain", text)
            frame.key_text = text
            holder.first_key = holder.first_key or frame.key
        else:
            holder.keys[frame.key_text or ""] = Child(Node(start, end, "plain", text), frame.key)
            frame.key = None
        if end > frame.end:
            frame.end = end

    def any_scalar(self, event: Event) -> None:
        """Take a scalar of any kind, with all there is to remark of it."""
        node = self.scalar_node(event)
        if event.anchor is not None:
            self.anchor(event.anchor, node)
        frame = self.frames[-1] if self.frames else None
        at_key = frame is not None and frame.node.keys is not None and frame.key is None
        is_merge = at_key and node.text == "<<" and event.implicit[0]
        if not is_merge:
            self.remark(event, node, at_key=at_key)
        if at_key and frame is not None:
            self.take_key(frame, node, is_merge)
        else:
            self.place(node, node.end)

    def anchor(self, name: str, node: Node) -> None:
        self.anchors[name] = node
        node.is_anchored = True

    def remark(self, event: Event, node: Node, *, at_key: bool) -> None:
        text = node.text or ""
        if event.tag is not None:
            replacement = tagged_scalar(event, self.text).replacement
            if replacement is not None:
                span = Span(event.start_mark.index, node.end)
                path = self.path_of(text if at_key else None)
                self.note(tagged_value(self.text, span, replacement, path, at_key))
        elif event.implicit[0] and text and (text in AMBIGUOUS_WORDS or text[0] in FIRST_OF_NUMBER):
            reading = read_plain(text)
            if reading.elsewhere is not None:
                self.note(ambiguous(node, reading, self.path_of(text if at_key else None), at_key))

    def open(self, event: Event) -> None:
        is_mapping = event.__class__ is MappingStartEvent
        style = "flow" if event.flow_style else "block"
        start = self.after_properties(event.start_mark.index, len(self.text))
        node = Node(start, event.end_mark.index, style)
        if is_mapping:
            node.keys = {}
        else:
            node.items = []
        if event.anchor is not None:
            self.anchor(event.anchor, node)
        if event.tag is not None and not tags_collection_plainly(event):
            self.note(tagged_collection(self.text, event.start_mark.index, self.path_of(None)))
        self.frames.append(Frame(node, end=node.start))

    def close(self, event: Event) -> None:
        frame = self.frames.pop()
        node = frame.node
        node.end = event.end_mark.index if node.style == "flow" else frame.end
        for source in frame.merges:
            for text, child in (source.keys or {}).items():
                if node.keys is not None:
                    node.keys.setdefault(text, Child(child.node, child.key, shared=True, merged=True))
        self.place(node, node.end)

    # ---- keys and values

    def take_key(self, frame: Frame, node: Node, is_merge: bool) -> None:
        frame.key, frame.key_text, frame.key_is_merge = node, node.text, is_merge
        if is_merge:
            frame.node.merges = True
        frame.end = max(frame.end, node.end)
        frame.node.first_key = frame.node.first_key or node
        earlier = None if is_merge or frame.node.keys is None else frame.node.keys.get(node.text or "")
        if earlier is not None and earlier.key is not None:
            frame.node.repeated = {node.text or ""} | (frame.node.repeated or set())
            self.note(duplicate(node, earlier.key, self.path_of(node.text or "")))

    def place(self, node: Node, site_end: int, *, shared: bool = False) -> None:
        """Put a value where it belongs; `site_end` is where it or its alias ends in the file."""
        if not self.frames:
            self.root = Child(node, None, shared)
            return
        frame = self.frames[-1]
        if frame.node.items is not None:
            frame.node.items.append(Child(node, None, shared))
            frame.end = max(frame.end, site_end)
        elif frame.key is None:
            self.take_key(frame, node, is_merge=False)
            frame.end = max(frame.end, site_end)
        else:
            self.pair(frame, frame.key, Child(node, frame.key, shared), site_end)

    def pair(self, frame: Frame, key: Node, child: Child, site_end: int) -> None:
        node = child.node
        if not child.shared and node.start == node.end and ":" not in self.text[key.end : node.start]:
            node.start = node.end = site_end = key.end
        frame.end = max(frame.end, site_end)
        if frame.key_is_merge:
            self.merge(frame, node)
        elif frame.node.keys is not None:
            frame.node.keys[frame.key_text or ""] = child
        frame.key = None

    def merge(self, frame: Frame, node: Node) -> None:
        sources = [child.node for child in node.items] if node.items is not None else [node]
        for source in sources:
            if source.keys is None:
                self.note(not_mergeable(source, self.path_of("<<")))
        frame.merges.extend(sources)

    # ---- places

    def path_of(self, key: str | None) -> Path:
        """The path of what comes next, or of a key of the innermost mapping."""
        nodes = [(frame.node.items, frame.key_text or "") for frame in self.frames]
        steps = [key_text if items is None else len(items) for items, key_text in nodes]
        return tuple(steps) if key is None else (*steps[:-1], key)

    def scalar_node(self, event: Event) -> Node:
        start, end = event.start_mark.index, event.end_mark.index
        if not event.style and event.tag is None and event.anchor is None:
            return Node(start, end, "plain", event.value)
        if event.style == "raw" or (event.tag is not None and tagged_scalar(event, self.text).whole):
            text = event.value if event.style == "raw" else tagged_scalar(event, self.text).text
            return Node(start, end, "plain", text, raw=True)
        if self.text[start : start + 1] in _PROPERTY_SIGNS:
            start = self.after_properties(start, end)
        style = _STYLES.get(event.style, "plain")
        if style in ("literal", "folded"):
            end = _end_of_block(self.text, start, end)
        return Node(start, end, style, event.value)

    def after_properties(self, start: int, end: int) -> int:
        """Where the value itself starts, after its anchor and tag."""
        while start < end and self.text[start] in _PROPERTY_SIGNS and (match := _property(self.text, start)):
            after = _blank(self.text, match.end())
            start = min(after.end() if after else match.end(), end)
        return start

    def note(self, trouble: Trouble) -> None:
        self.troubles.append(trouble.placed(self.part, self.document))


def _end_of_block(text: str, start: int, end: int) -> int:
    """Where the last line of a block scalar ends that is not blank; trailing blanks of that line belong to it."""
    visible = start + len(text[start:end].rstrip(" \t\r\n"))
    breaks = [at for at in (text.find("\n", visible, end), text.find("\r", visible, end)) if at >= 0]
    return min(breaks, default=end)
