"""Descriptions of YAML aliases, merge keys and anchors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from trialrun.lsp.describe.markdown import code, join_code
from trialrun.lsp.describe.value_location import HoverText
from trialrun.parser.decode import is_json_path
from trialrun.text import Span

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.parser import Document
    from trialrun.parser.nodes import Node
    from trialrun.workspace.open_workspace import WorkspaceFile

LONGEST: Final = 100
MAX_KEYS: Final = 20
_word = re.compile(r"<<(?=[ \t]*:)|[*&][^\s,\[\]{}]+").finditer


def alias_at(file: WorkspaceFile, offset: int) -> HoverText | None:
    """The node that the alias, merge key or anchor at an offset refers to; None elsewhere."""
    if is_json_path(file.path):
        return None
    line = file.source.position(offset).line
    start = file.source.line_starts[line - 1]
    matches = (match for match in _word(file.source.line(line)))
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
    paragraphs = list(_paragraphs(file, node_at_offset.document, match[0], span, node_at_offset.path))
    return HoverText(span, tuple(paragraphs)) if paragraphs else None


def _in_scalar(file: WorkspaceFile, span: Span) -> bool:
    """Whether characters are in a scalar or a comment."""
    from trialrun.lsp.describe.comment import comment_on

    node_at_offset = file.node_at(span.start)
    if node_at_offset is None:
        return True
    node = _node(node_at_offset.document, node_at_offset.path)
    if node is None or (node.text is not None and node_at_offset.span.start <= span.start < node_at_offset.span.end):
        return True
    comment = comment_on(file, file.source.position(span.start).line)
    return comment is not None and comment.span.start <= span.start


def _paragraphs(file: WorkspaceFile, document: Document, word: str, span: Span, path: Path) -> Iterator[str]:
    text = file.source.text
    if word == "<<":
        end = text.find("\n", span.end)
        names = re.findall(r"\*([^\s,\[\]{}]+)", text[span.end : end if end >= 0 else len(text)])
        yield from _merged(file, document, names, span.start, path)
    elif word.startswith("*"):
        at = _anchor(file, document, word[1:], span.start)
        key = _key_before(file, document, path, span.start)
        if at is not None and key is None:
            yield f"{code(word)} refers to the value at {_place(file, word[1:], at)}."
        elif at is not None:
            yield f"{code(word)} refers to the value at {_place(file, word[1:], at)}:"
            yield _preview(document, (*path, key or ""))
            yield from _field(file, document, (*path, key or ""))
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


def _merged(file: WorkspaceFile, document: Document, names: list[str], before: int, path: Path) -> Iterator[str]:
    """The keys that a merge adds, and those that the mapping overrides."""
    places = [(name, _anchor(file, document, name, before)) for name in names]
    locations = [_place(file, name, at) for name, at in places if at is not None]
    if not locations:
        return
    yield f"Merges the keys of {', '.join(locations)}; keys that are set here take precedence."
    node = _node(document, path)
    merged = [key for key, child in (node.keys or {}).items() if child.is_merged] if node else []
    if merged:
        more = f" and {len(merged) - MAX_KEYS} more" if len(merged) > MAX_KEYS else ""
        yield f"Merged keys: {join_code(merged[:MAX_KEYS])}{more}"


def _anchor(file: WorkspaceFile, document: Document, name: str, before: int) -> int | None:
    """The offset of the last anchor of a name before an offset in the same document; None if there is none."""
    start = document.full_span.start
    anchors = re.finditer(rf"(?<![^\s,\[\]{{}}:])&{re.escape(name)}(?![^\s,\[\]{{}}])", file.source.text[start:before])
    places = [start + match.start() for match in anchors]
    return places[-1] if places else None


def _place(file: WorkspaceFile, name: str, at: int) -> str:
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


def _field(file: WorkspaceFile, document: Document, path: Path) -> Iterator[str]:
    """The field whose value is the alias."""
    from trialrun.lsp.describe.field import field_paragraphs
    from trialrun.lsp.describe.model_field import model_field_at

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
    from trialrun.lsp.describe.model_field import value_at

    shown = json.dumps(_plain(value_at(document, path)), ensure_ascii=False, default=str)
    return code(shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…")


def _plain(value: Any) -> Any:
    """A value for display; of a large one only the outermost level."""
    if isinstance(value, dict):
        return {key: "…" if isinstance(one, (dict, list)) else one for key, one in list(value.items())[:MAX_KEYS]}
    if isinstance(value, list):
        return ["…" if isinstance(item, (dict, list)) else item for item in value[:MAX_KEYS]]
    return value
