"""The key or value at an offset: its resource, its field, and its text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.lsp.describe.model_field import ModelField
    from trialrun.parser import Document
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
        from trialrun.lsp.describe.model_field import character_at

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
    from trialrun.lsp.describe.model_field import model_field_at, value_at

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
