"""Source spans and anchors of a YAML document: its events once more, with the exact ends that libyaml does not give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

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
    make_parser,
    with_overrides,
)
from trialrun.parser.nodes import Node, NodeRef, OpenNode, Path
from trialrun.parser.parse_error import (
    LINE_BREAKS_1_1,
    ParseError,
    SourceSlice,
    ambiguous_scalar,
    duplicate_key,
    invalid_merge,
    line_break_in_scalar,
    repeated_merge_key,
    tagged_collection,
    tagged_value,
)
from trialrun.parser.scalars import (
    AMBIGUOUS_WORDS,
    NUMBER_STARTS,
    is_default_collection_tag,
    parse_plain_scalar,
    quote,
    tagged_scalar,
)
from trialrun.text import Span

_STYLES: Final = {"'": "single", '"': "double", "|": "literal", ">": "folded"}
_PROPERTY_SIGNS: Final = ("&", "!")
_NOTEWORTHY_STARTS: Final = frozenset((*NUMBER_STARTS, "<", ""))
"""First characters of plain scalars that may need a warning: numbers, the merge key and empty texts."""
_blank = re.compile(r"(?:[ \t\r\n\ufeff]|(?:(?<=[ \t\r\n])|\A)#[^\r\n]*)*").match
_value_separator = re.compile(r"[ \t]*:[ \t]*").match
_property = re.compile(r"!<[^>]*>|[&!][^ \t\r\n,\[\]{}]*").match


def index_yaml(part: SourceSlice, document: int = 0) -> tuple[NodeRef, list[ParseError]]:
    """The root of the first document of a slice, parsed again, and what is wrong in it; offsets count in the slice."""
    builder = _SpanBuilder(part, document)
    parser = make_parser(part.text)
    try:
        builder.take_all(with_overrides(parser.get_event, part.overrides))
    finally:
        parser.dispose()
    return builder.root, builder.errors


def yaml_scalars(part: SourceSlice) -> Iterator[Node]:
    """Every scalar of the first document of the slice as it is written, keys and repeated ones too."""
    builder = _SpanBuilder(part, 0)
    parser = make_parser(part.text)
    try:
        for event in _document_events(with_overrides(parser.get_event, part.overrides)):
            if event.__class__ is ScalarEvent:
                yield builder.scalar_node(event)
    finally:
        parser.dispose()


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


class _SpanBuilder:
    """Takes the events of one document in order; no recursion, so depth costs no stack."""

    def __init__(self, part: SourceSlice, document: int) -> None:
        self.text = part.text
        self.part = part
        self.document = document
        self.has_line_breaks = not part.text.isascii() and LINE_BREAKS_1_1.search(part.text) is not None
        self.errors: list[ParseError] = []
        self.root = NodeRef(Node(0, 0, "plain", ""))
        self.frames: list[OpenNode] = []
        self.anchors: dict[str, Node] = {}

    def take_all(self, next_event: NextEvent) -> None:
        """Take the events of the first document; the loop is flat, since it runs for every scalar of a file."""
        handlers = {
            ScalarEvent: self.add_scalar,
            MappingStartEvent: self.open_collection,
            SequenceStartEvent: self.open_collection,
            MappingEndEvent: self.close_collection,
            SequenceEndEvent: self.close_collection,
            AliasEvent: self.add_alias,
        }
        frames = self.frames
        while (kind := (event := next_event()).__class__) is not StreamEndEvent:
            if (handler := handlers.get(kind)) is not None:
                handler(event)
                if not frames:
                    return

    # ---- one event each

    def add_alias(self, event: Event) -> None:
        self.add_value(self.anchors[event.anchor], event.end_mark.index, shared=True)

    def add_scalar(self, event: Event) -> None:
        """Add a scalar; most are plain ones without a warning, and are added without further calls."""
        text, frame = event.value, self.frames[-1] if self.frames else None
        if (
            frame is None
            or self.has_line_breaks
            or event.style
            or event.tag is not None
            or event.anchor is not None
            or text[:1] in _NOTEWORTHY_STARTS
            or text in AMBIGUOUS_WORDS
        ):
            self.add_special_scalar(event)
            return
        start, end, holder = event.start_mark.index, event.end_mark.index, frame.node
        if holder.items is not None:
            holder.items.append(NodeRef(Node(start, end, "plain", text)))
        elif holder.keys is None or frame.key_is_merge or (frame.key is None and text in holder.keys):
            self.add_special_scalar(event)
            return
        elif frame.key is None:
            frame.key = Node(start, end, "plain", text)
            frame.key_text = text
            holder.first_key = holder.first_key or frame.key
        else:
            holder.keys[frame.key_text or ""] = NodeRef(Node(start, end, "plain", text), frame.key)
            frame.key = None
        if end > frame.end:
            frame.end = end

    def add_special_scalar(self, event: Event) -> None:
        """Add a scalar of any kind, with its warnings."""
        node = self.scalar_node(event)
        if event.anchor is not None:
            self.add_anchor(event.anchor, node)
        frame = self.frames[-1] if self.frames else None
        at_key = frame is not None and frame.node.keys is not None and frame.key is None
        is_merge = at_key and node.text == "<<" and event.implicit[0]
        if not is_merge:
            self.add_warnings(event, node, at_key=at_key)
        if at_key and frame is not None:
            self.take_key(frame, node, is_merge)
        else:
            self.add_value(node, node.end)

    def add_anchor(self, name: str, node: Node) -> None:
        self.anchors[name] = node
        node.is_anchored = True

    def add_warnings(self, event: Event, node: Node, *, at_key: bool) -> None:
        text = node.text or ""
        source = self.text[node.start : node.end] if self.has_line_breaks else ""
        if LINE_BREAKS_1_1.search(source):
            self.report(line_break_in_scalar(node, source, self.path_of(text if at_key else None), at_key))
        if event.tag is not None:
            scalar = tagged_scalar(event, self.text)
            if scalar.is_misplaced:
                span = Span(event.start_mark.index, node.end)
                path = self.path_of(text if at_key else None)
                replacement = quote(scalar.text) if scalar.includes_tag else None
                self.report(tagged_value(self.text, span, replacement, path, at_key))
        elif event.implicit[0] and text and (text in AMBIGUOUS_WORDS or text[0] in NUMBER_STARTS):
            reading = parse_plain_scalar(text)
            if reading.yaml_1_1 is not None:
                self.report(ambiguous_scalar(node, reading, self.path_of(text if at_key else None), at_key))

    def open_collection(self, event: Event) -> None:
        is_mapping = event.__class__ is MappingStartEvent
        style = "flow" if event.flow_style else "block"
        start = self.after_properties(event.start_mark.index, len(self.text))
        node = Node(start, event.end_mark.index, style)
        if is_mapping:
            node.keys = {}
        else:
            node.items = []
        if event.anchor is not None:
            self.add_anchor(event.anchor, node)
        if event.tag is not None and not is_default_collection_tag(event):
            self.report(tagged_collection(self.text, event.start_mark.index, self.path_of(None)))
        self.frames.append(OpenNode(node, end=node.start))

    def close_collection(self, event: Event) -> None:
        frame = self.frames.pop()
        node = frame.node
        node.end = event.end_mark.index if node.style == "flow" else frame.end
        for source in frame.merge_sources:
            for text, child in (source.keys or {}).items():
                if node.keys is not None:
                    node.keys.setdefault(text, NodeRef(child.node, child.key, is_aliased=True, is_merged=True))
        self.add_value(node, node.end)

    # ---- keys and values

    def take_key(self, frame: OpenNode, node: Node, is_merge: bool) -> None:
        frame.key, frame.key_text, frame.key_is_merge = node, node.text, is_merge
        if is_merge:
            frame.node.has_merge_key = True
        frame.end = max(frame.end, node.end)
        frame.node.first_key = frame.node.first_key or node
        earlier = None if is_merge or frame.node.keys is None else frame.node.keys.get(node.text or "")
        if earlier is not None and earlier.key is not None:
            frame.node.repeated_keys = {node.text or ""} | (frame.node.repeated_keys or set())
            for error in duplicate_key(frame.node, node, earlier.key, self.path_of(node.text or "")):
                self.report(error)

    def add_value(self, node: Node, site_end: int, *, shared: bool = False) -> None:
        """Add a value to its collection; `site_end` is where it or its alias ends in the file."""
        if not self.frames:
            self.root = NodeRef(node, None, shared)
            return
        frame = self.frames[-1]
        if frame.node.items is not None:
            frame.node.items.append(NodeRef(node, None, shared))
            frame.end = max(frame.end, site_end)
        elif frame.key is None:
            self.take_key(frame, node, is_merge=False)
            frame.end = max(frame.end, site_end)
        else:
            self.add_pair(frame, frame.key, NodeRef(node, frame.key, shared), site_end)

    def add_pair(self, frame: OpenNode, key: Node, child: NodeRef, site_end: int) -> None:
        node = child.node
        if not child.is_aliased and node.start == node.end and ":" not in self.text[key.end : node.start]:
            node.start = node.end = site_end = key.end
        frame.end = max(frame.end, site_end)
        if frame.key_is_merge:
            value = _value_separator(self.text, key.end)
            self.merge(frame, key, node, Span(value.end() if value else key.end, site_end))
        elif frame.node.keys is not None:
            frame.node.keys[frame.key_text or ""] = child
        frame.key = None

    def merge(self, frame: OpenNode, key: Node, node: Node, value: Span) -> None:
        frame.merges.append((key, value))
        if len(frame.merges) > 1:
            path, is_flow = self.path_of("<<"), frame.node.style == "flow"
            self.report(repeated_merge_key(self.text, frame.merges[-2], frame.merges[-1], path, is_flow=is_flow))
        sources = [child.node for child in node.items] if node.items is not None else [node]
        for source in sources:
            if source.keys is None:
                self.report(invalid_merge(source, self.path_of("<<")))
        frame.merge_sources.extend(sources)

    # ---- paths and spans

    def path_of(self, key: str | None) -> Path:
        """The path of what comes next, or of a key of the innermost mapping."""
        nodes = [(frame.node.items, frame.key_text or "") for frame in self.frames]
        steps = [key_text if items is None else len(items) for items, key_text in nodes]
        return tuple(steps) if key is None else (*steps[:-1], key)

    def scalar_node(self, event: Event) -> Node:
        start, end = event.start_mark.index, event.end_mark.index
        if not event.style and event.tag is None and event.anchor is None:
            return Node(start, end, "plain", event.value)
        if event.style == "raw" or (event.tag is not None and tagged_scalar(event, self.text).includes_tag):
            text = event.value if event.style == "raw" else tagged_scalar(event, self.text).text
            return Node(start, end, "plain", text, is_raw=True)
        if self.text[start : start + 1] in _PROPERTY_SIGNS:
            start = self.after_properties(start, end)
        style = _STYLES.get(event.style, "plain")
        if style in ("literal", "folded"):
            end = _block_end(self.text, start, end)
        return Node(start, end, style, event.value)

    def after_properties(self, start: int, end: int) -> int:
        """Where the value itself starts, after its anchor and tag."""
        while start < end and self.text[start] in _PROPERTY_SIGNS and (match := _property(self.text, start)):
            after = _blank(self.text, match.end())
            start = min(after.end() if after else match.end(), end)
        return start

    def report(self, error: ParseError) -> None:
        self.errors.append(error.in_file(self.part, self.document))


def _block_end(text: str, start: int, end: int) -> int:
    """Where the last line of a block scalar ends that is not empty; trailing spaces of that line belong to it."""
    visible = start + len(text[start:end].rstrip(" \t\r\n"))
    breaks = [at for at in (text.find("\n", visible, end), text.find("\r", visible, end)) if at >= 0]
    return min(breaks, default=end)


_tag = re.compile(r"![^ \t\r\n,\[\]{}]*(?:[ \t\r\n]|#[^\r\n]*)*")


@dataclass(frozen=True, slots=True)
class Anchor:
    """A name of a value in its document: where it is defined, and where aliases use it, all without their signs."""

    name: str
    span: Span
    aliases: tuple[Span, ...]


def anchors(part: SourceSlice) -> list[Anchor]:
    """The anchors of a document in its order; a name that is given again is another anchor from there on."""
    if part.is_json or "&" not in part.text:
        return []
    entries: list[tuple[str, Span, list[Span]]] = []
    latest: dict[str, list[Span]] = {}
    parser = make_parser(part.text)
    try:
        events = [event for event in _document_events(parser.get_event) if getattr(event, "anchor", None) is not None]
    finally:
        parser.dispose()
    for event in events:
        kind = event.__class__
        if kind is AliasEvent:
            latest[event.anchor].append(part.to_span(event.start_mark.index + 1, event.end_mark.index))
            continue
        tag = _tag.match(part.text, event.start_mark.index)
        start = (tag.end() if tag else event.start_mark.index) + 1
        latest[event.anchor] = []
        entries.append((event.anchor, part.to_span(start, start + len(event.anchor)), latest[event.anchor]))
    return [Anchor(name, span, tuple(aliases)) for name, span, aliases in entries]
