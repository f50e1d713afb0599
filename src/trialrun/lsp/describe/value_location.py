"""The key or value at an offset: its resource, its field and its text; comments, anchors and aliases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final

from trialrun.diagnostic import Path
from trialrun.lint.positions import find_value
from trialrun.lsp.describe import code, shortened
from trialrun.lsp.describe.field import ModelField, character_at, field_paragraphs, model_field_at
from trialrun.lsp.symbols.edit import anchor_at
from trialrun.parser import Document
from trialrun.parser.comments import Comment, comments
from trialrun.parser.decode import is_json_path
from trialrun.parser.nodes import Node, nodes_on_path
from trialrun.parser.spans import Anchor, anchors
from trialrun.text import Span
from trialrun.workspace.open_workspace import NodeAtOffset, OpenWorkspace, ResourceInFile, WorkspaceFile

MAX_NODES = 20_000
"""Maximum number of nodes of a document that is searched for aliases."""


@dataclass(frozen=True)
class HoverText:
    """A range of the text and its description in Markdown; `is_all` if the field is not described, too."""

    span: Span
    paragraphs: tuple[str, ...]
    is_all: bool = False


@dataclass(frozen=True)
class ValueLocation:
    """A key or a value of a resource; `way` leads to it in the resource, and `spot.path` in the text unchanged."""

    workspace: OpenWorkspace
    path: str
    part: ResourceInFile
    member: ModelField
    spot: NodeAtOffset
    way: Path
    value: Any
    offset: int

    @property
    def text(self) -> str:
        """The text of the value; empty at a key, and if the value is not a text."""
        return self.value if isinstance(self.value, str) and not self.spot.is_key else ""

    @property
    def character(self) -> int:
        """The index in the text of the value of the character at the offset."""
        return character_at(self.spot.document, self.spot.path, self.text, self.offset)

    def inside(self, start: int, end: int) -> Span:
        """The range in the file of some characters of the text."""
        return self.spot.document.scalar_span(self.spot.path, start, end)

    def is_inside(self, start: int, end: int) -> bool:
        """Whether the offset is at these characters of the text, and not in indentation or folding between them."""
        span = self.inside(start, end)
        return span.start <= self.offset <= span.end


def value_location_at(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> ValueLocation | None:
    """The key or scalar at an offset in a field of a resource; None elsewhere."""
    spot = file.node_at(offset)
    if spot is None:
        return None
    value = find_value(spot.document.value, spot.path)
    if not spot.is_key and (isinstance(value, (dict, list)) or not spot.span.start <= offset <= spot.span.end):
        return None
    parts = [resource for resource in file.resources if resource.document is spot.document]
    for way in _alias_paths(spot.document, spot.path):
        part = next((part for part in parts if way[: len(part.root)] == part.root), None)
        member = model_field_at(part, way) if part else None
        if part is not None and member is not None:
            return ValueLocation(workspace, file.path, part, member, spot, way, value, offset)
    return None


def _alias_paths(document: Document, path: Path) -> Iterator[Path]:
    """The paths of a node: its own, then those through aliases and merges that repeat it."""
    yield path
    nodes = nodes_on_path(document.root, path)
    if len(nodes) <= len(path):
        return
    depths = {id(child.node): depth for depth, child in enumerate(nodes) if depth}
    waiting: list[tuple[Any, Path]] = [(document.root, ())]
    for _ in range(MAX_NODES):
        if not waiting:
            return
        child, way = waiting.pop()
        if id(child.node) in depths and child.is_aliased:
            yield (*way, *path[depths[id(child.node)] :])
        elif not child.is_aliased:
            inside = chain((child.node.keys or {}).items(), enumerate(child.node.items or ()))
            further = [(inner, (*way, step)) for step, inner in islice(inside, MAX_NODES)]
            waiting.extend(reversed(further))


def comment_on(file: WorkspaceFile, line: int) -> Comment | None:
    """The comment on a line, counted from 1; None if there is none."""
    text = file.source.line(line)
    if "#" not in text:
        return None
    of_line = comments(file.parsed, re.compile(re.escape(text)))  # parses only this line, however many there are
    return next((comment for comment in of_line if file.source.position(comment.span.start).line == line), None)


def trailing_comment(file: WorkspaceFile, line: int) -> str:
    """The text of the comment after a value; empty if there is none, or it is a suppression."""
    comment = comment_on(file, line)
    if comment is None or comment.is_own_line:
        return ""
    text = file.source.text[comment.span.start : comment.span.end].lstrip("#").strip()
    return "" if text.startswith("trialrun:") else text


MAX_PREVIEW: Final = 100
MAX_KEYS: Final = 20
_MERGE_KEY = re.compile(r"<<(?=[ \t]*:)")


def alias_at(file: WorkspaceFile, offset: int) -> HoverText | None:
    """The node that the alias, merge key or anchor at an offset refers to; None elsewhere."""
    if found := anchor_at(file, offset):
        document, anchor, name = found
        span = Span(name.start - 1, name.end)
        if name == anchor.span:
            lines = [str(file.source.position(alias.start).line) for alias in anchor.aliases[:MAX_KEYS]]
            repeated = f"repeated on line {', '.join(lines)}" if lines else "not repeated"
            return HoverText(span, (f"{code(f'&{anchor.name}')} names this value; it is {repeated}.",))
        spot = file.node_at(offset)
        key = _key_before(file, document, spot.path, span.start) if spot else None
        words = f"{code(f'*{anchor.name}')} refers to the value at {_shown_anchor(file, anchor)}"
        if spot is None or key is None:
            return HoverText(span, (f"{words}.",))
        path = (*spot.path, key)
        return HoverText(span, (f"{words}:", _preview(document, path), *_field_of_alias(file, document, path)))
    return _merge_at(file, offset)


def _merge_at(file: WorkspaceFile, offset: int) -> HoverText | None:
    """The keys that the merge key at an offset adds, and those that the mapping overrides."""
    line = file.source.position(offset).line
    start, text = file.source.line_starts[line - 1], file.source.line(line)
    merges = (match for match in _MERGE_KEY.finditer(text) if match.start() <= offset - start <= match.end())
    match, spot = next(merges, None), file.node_at(offset)
    if match is None or spot is None or is_json_path(file.path) or _is_in_scalar(file, start + match.start()):
        return None
    behind = range(start + match.end(), start + len(text))
    merged = [
        (alias.start, anchor)
        for anchor in anchors(spot.document.source_slice)
        for alias in anchor.aliases
        if alias.start in behind
    ]
    if not merged:
        return None
    locations = [_shown_anchor(file, anchor) for _, anchor in sorted(merged, key=lambda one: one[0])]
    paragraphs = [f"Merges the keys of {', '.join(locations)}; keys that are set here take precedence."]
    node = _node(spot.document, spot.path)
    keys = [code(key) for key, child in (node.keys or {}).items() if child.is_merged] if node else []
    if keys:
        paragraphs.append(f"Merged keys: {shortened(keys, most=MAX_KEYS)}")
    return HoverText(Span(start + match.start(), start + match.end()), tuple(paragraphs))


def _is_in_scalar(file: WorkspaceFile, start: int) -> bool:
    """Whether a character is in a key, a scalar or a comment."""
    spot = file.node_at(start)
    node = _node(spot.document, spot.path) if spot else None
    if spot is None or node is None:
        return True
    if (node.text is not None or spot.is_key) and spot.span.start <= start < spot.span.end:
        return True
    comment = comment_on(file, file.source.position(start).line)
    return comment is not None and comment.span.start <= start


def _shown_anchor(file: WorkspaceFile, anchor: Anchor) -> str:
    return f"{code(f'&{anchor.name}')} (line {file.source.position(anchor.span.start).line})"


def _key_before(file: WorkspaceFile, document: Document, path: Path, offset: int) -> str | None:
    """The key whose value is the alias at an offset; None for a merge key and for a list item."""
    node = _node(document, path)
    for key, child in (node.keys or {}).items() if node else ():
        if child.is_aliased and not child.is_merged and child.key is not None:
            end = document.source_slice.to_span(child.key.start, child.key.end).end
            if end <= offset and not file.source.text[end:offset].strip(" \t\r\n:\"'"):
                return key
    return None


def _field_of_alias(file: WorkspaceFile, document: Document, path: Path) -> Iterator[str]:
    for part in file.resources:
        if part.document is document and path[: len(part.root)] == part.root:
            member = model_field_at(part, path)
            yield from field_paragraphs(member) if member else ()


def _node(document: Document, path: Path) -> Node | None:
    nodes = nodes_on_path(document.root, path)
    return nodes[-1].node if len(nodes) > len(path) else None


def _preview(document: Document, path: Path) -> str:
    """The value of an alias, shortened to one line; of a large one only the outermost level."""
    value = find_value(document.value, path)
    if isinstance(value, dict):
        value = {key: "…" if isinstance(one, (dict, list)) else one for key, one in list(value.items())[:MAX_KEYS]}
    elif isinstance(value, list):
        value = ["…" if isinstance(item, (dict, list)) else item for item in value[:MAX_KEYS]]
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return code(shown if len(shown) <= MAX_PREVIEW else f"{shown[:MAX_PREVIEW]}…")
