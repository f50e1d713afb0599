"""The key or value at an offset: its resource, its field and its text; comments, anchors and aliases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.describe.field import character_at, field_paragraphs, model_field_at, value_at
from trialrun.lsp.describe.markdown import code, shortened
from trialrun.parser.comments import comments
from trialrun.parser.decode import is_json_path
from trialrun.text import Span

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.lsp.describe.field import ModelField
    from trialrun.parser import Document
    from trialrun.parser.comments import Comment
    from trialrun.parser.nodes import Node
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
    node_at_offset = file.node_at(offset)
    if node_at_offset is None:
        return None
    value = value_at(node_at_offset.document, node_at_offset.path)
    if not node_at_offset.is_key and (
        isinstance(value, (dict, list)) or not node_at_offset.span.start <= offset <= node_at_offset.span.end
    ):
        return None
    parts = [resource for resource in file.resources if resource.document is node_at_offset.document]
    for way in _alias_paths(node_at_offset.document, node_at_offset.path):
        part = next((part for part in parts if way[: len(part.root)] == part.root), None)
        member = model_field_at(part, way) if part else None
        if part is not None and member is not None:
            return ValueLocation(workspace, file.path, part, member, node_at_offset, way, value, offset)
    return None


def _alias_paths(document: Document, path: Path) -> Iterator[Path]:
    """The paths of a node: its own, then those through aliases and merges that repeat it."""
    yield path
    depths, child = {}, document.root
    for depth, step in enumerate(path):
        inner = (child.node.keys or {}).get(step) if isinstance(step, str) else _item(child.node.items, step)
        if inner is None:
            return
        depths[id(inner.node)], child = depth + 1, inner
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


def _item(items: list[Any] | None, index: int) -> Any:
    return items[index] if items is not None and index < len(items) else None


def comment_on(file: WorkspaceFile, line: int) -> Comment | None:
    """The comment on a line, counted from 1; None if there is none."""
    text = file.source.line(line)
    if "#" not in text:
        return None
    comments_of_line = comments(
        file.parsed, re.compile(re.escape(text))
    )  # only this line is parsed, however many comments there are
    return next(
        (comment for comment in comments_of_line if file.source.position(comment.span.start).line == line), None
    )


def trailing_comment(file: WorkspaceFile, line: int) -> str:
    """The text of the comment after a value; empty if there is none, or it is a suppression."""
    comment = comment_on(file, line)
    if comment is None or comment.is_own_line:
        return ""
    text = file.source.text[comment.span.start : comment.span.end].lstrip("#").strip()
    return "" if text.startswith("trialrun:") else text


MAX_PREVIEW: Final = 100
MAX_KEYS: Final = 20
_alias_words = re.compile(r"<<(?=[ \t]*:)|[*&][^\s,\[\]{}]+").finditer


def alias_at(file: WorkspaceFile, offset: int) -> HoverText | None:
    """The node that the alias, merge key or anchor at an offset refers to; None elsewhere."""
    if is_json_path(file.path):
        return None
    line = file.source.position(offset).line
    start = file.source.line_starts[line - 1]
    matches = (match for match in _alias_words(file.source.line(line)))
    match = next((match for match in matches if match.start() <= offset - start <= match.end()), None)
    node_at_offset = file.node_at(offset) if match else None
    if (
        match is None
        or node_at_offset is None
        or (node_at_offset.is_key and node_at_offset.span.start <= offset < node_at_offset.span.end)
    ):
        return None
    span = Span(start + match.start(), start + match.end())
    if _in_scalar(file, span):
        return None
    paragraphs = list(_alias_paragraphs(file, node_at_offset.document, match[0], span, node_at_offset.path))
    return HoverText(span, tuple(paragraphs)) if paragraphs else None


def _in_scalar(file: WorkspaceFile, span: Span) -> bool:
    """Whether characters are in a scalar or a comment."""
    node_at_offset = file.node_at(span.start)
    if node_at_offset is None:
        return True
    node = _node(node_at_offset.document, node_at_offset.path)
    if node is None or (node.text is not None and node_at_offset.span.start <= span.start < node_at_offset.span.end):
        return True
    comment = comment_on(file, file.source.position(span.start).line)
    return comment is not None and comment.span.start <= span.start


def _alias_paragraphs(file: WorkspaceFile, document: Document, word: str, span: Span, path: Path) -> Iterator[str]:
    text = file.source.text
    if word == "<<":
        end = text.find("\n", span.end)
        names = re.findall(r"\*([^\s,\[\]{}]+)", text[span.end : end if end >= 0 else len(text)])
        yield from _merge_paragraphs(file, document, names, span.start, path)
    elif word.startswith("*"):
        at = _anchor(file, document, word[1:], span.start)
        key = _key_before(file, document, path, span.start)
        if at is not None and key is None:
            yield f"{code(word)} refers to the value at {_shown_anchor(file, word[1:], at)}."
        elif at is not None:
            yield f"{code(word)} refers to the value at {_shown_anchor(file, word[1:], at)}:"
            yield _preview(document, (*path, key or ""))
            yield from _field_of_alias(file, document, (*path, key or ""))
    else:
        lines = [str(file.source.position(use).line) for use in _uses(file, document, word[1:], span.end)]
        repeated = f"repeated on line {', '.join(lines)}" if lines else "not repeated"
        yield f"{code(word)} names this value; it is {repeated}."


def _uses(file: WorkspaceFile, document: Document, name: str, after: int) -> list[int]:
    """The offsets of the aliases of an anchor after an offset; long lists are cut."""
    text, end = file.source.text, document.full_span.end
    aliases = re.compile(rf"(?<![^\s,\[\]{{}}:])\*{re.escape(name)}(?![^\s,\[\]{{}}])").finditer(text, after, end)
    starts = (match.start() for match in islice(aliases, MAX_KEYS))
    return [start for start in starts if not _in_scalar(file, Span(start, start))]


def _merge_paragraphs(
    file: WorkspaceFile, document: Document, names: list[str], before: int, path: Path
) -> Iterator[str]:
    """The keys that a merge adds, and those that the mapping overrides."""
    places = [(name, _anchor(file, document, name, before)) for name in names]
    locations = [_shown_anchor(file, name, at) for name, at in places if at is not None]
    if not locations:
        return
    yield f"Merges the keys of {', '.join(locations)}; keys that are set here take precedence."
    node = _node(document, path)
    merged = [key for key, child in (node.keys or {}).items() if child.is_merged] if node else []
    if merged:
        yield f"Merged keys: {shortened([code(key) for key in merged], most=MAX_KEYS)}"


def _anchor(file: WorkspaceFile, document: Document, name: str, before: int) -> int | None:
    """The offset of the last anchor of a name before an offset in the same document; None if there is none."""
    start = document.full_span.start
    anchors = re.finditer(rf"(?<![^\s,\[\]{{}}:])&{re.escape(name)}(?![^\s,\[\]{{}}])", file.source.text[start:before])
    places = [start + match.start() for match in anchors]
    return places[-1] if places else None


def _shown_anchor(file: WorkspaceFile, name: str, at: int) -> str:
    return f"{code('&' + name)} (line {file.source.position(at).line})"


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
    """The field whose value is the alias."""
    for part in file.resources:
        if part.document is document and path[: len(part.root)] == part.root:
            member = model_field_at(part, path)
            yield from field_paragraphs(member) if member else ()


def _node(document: Document, path: Path) -> Node | None:
    child = document.root
    for step in path:
        items = child.node.items or []
        inner = (child.node.keys or {}).get(step) if isinstance(step, str) else items[step]
        if inner is None:
            return None
        child = inner
    return child.node


def _preview(document: Document, path: Path) -> str:
    """The value of an alias, shortened to one line."""
    shown = json.dumps(_plain(value_at(document, path)), ensure_ascii=False, default=str)
    return code(shown if len(shown) <= MAX_PREVIEW else f"{shown[:MAX_PREVIEW]}…")


def _plain(value: Any) -> Any:
    """A value for display; of a large one only the outermost level."""
    if isinstance(value, dict):
        return {key: "…" if isinstance(one, (dict, list)) else one for key, one in list(value.items())[:MAX_KEYS]}
    if isinstance(value, list):
        return ["…" if isinstance(item, (dict, list)) else item for item in value[:MAX_KEYS]]
    return value
