"""One text of an open workspace: its tree, its resources as models, and the node at an offset; and a cache of texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.diagnostic import Path, Range, SymbolicLocation
from trialrun.lint import positions
from trialrun.model.kinds import model_of
from trialrun.model.validate import validate
from trialrun.model.validated import ValidatedModel
from trialrun.model.wrapper import resources
from trialrun.parser import Document, ParsedFile, parse

if TYPE_CHECKING:
    from trialrun.parser.nodes import NodeRef
    from trialrun.text import Source, Span


@dataclass(frozen=True, eq=False)
class ResourceInFile:
    """A resource in a text: its kind, document, path and model."""

    kind: str
    document: Document
    root: Path
    model: ValidatedModel

    def span(self, place: SymbolicLocation) -> Span:
        """The range of a location of the model."""
        return positions.span_of(self.document, self.model.path(place))


@dataclass(frozen=True, slots=True)
class NodeAtOffset:
    """The node at an offset: its path, and whether it is a key or a value; `span` is its range.

    Outside of all keys and scalars, `path` is that of the innermost collection, and `is_key` is False.
    """

    document: Document
    path: Path
    is_key: bool
    span: Span


class WorkspaceFile:
    """A text that is parsed on demand; `kind_by_path` is the kind that the settings give to its path."""

    def __init__(self, data: bytes, path: str, kind_by_path: Callable[[str], str | None]) -> None:
        self.data = data
        self.path = path
        self._kind_by_path = kind_by_path

    @cached_property
    def parsed(self) -> ParsedFile:
        """The parsed text; of an invalid one, the valid part."""
        return parse(self.data, self.path)

    @property
    def is_parsed(self) -> bool:
        """Whether the text has been parsed."""
        return "parsed" in self.__dict__

    def release(self) -> None:
        """Drop the tree; the text is parsed again when needed."""
        self.__dict__.pop("parsed", None)
        self.__dict__.pop("resources", None)

    @property
    def source(self) -> Source:
        """The text itself."""
        return self.parsed.source

    @property
    def kind_by_path(self) -> str | None:
        """The kind that the settings give to the path."""
        return self._kind_by_path(self.path)

    @cached_property
    def resources(self) -> tuple[ResourceInFile, ...]:
        """The resources in the text, in order."""
        by_path = self.kind_by_path
        resources_in_file: list[ResourceInFile] = []
        for document in self.parsed.documents:
            for kind, root, value in resources(document.value, by_path=by_path):
                resources_in_file.append(
                    ResourceInFile(kind, document, root, validate(value, model_of(kind), root=root))
                )
        return tuple(resources_in_file)

    def range(self, span: Span) -> Range:
        """The lines and columns of a span."""
        return positions.range_of(self.source, span)

    def resource_at(self, node_at_offset: NodeAtOffset) -> ResourceInFile | None:
        """The resource that contains a node."""
        ours = [resource for resource in self.resources if resource.document is node_at_offset.document]
        return next((our for our in ours if node_at_offset.path[: len(our.root)] == our.root), None)

    def node_at(self, offset: int) -> NodeAtOffset | None:
        """The node that contains an offset, or ends there; None outside of all documents."""
        for document in reversed(self.parsed.documents):
            if document.full_span.start <= offset <= document.full_span.end:
                return _node_at(document, offset)
        return None


def _node_at(document: Document, offset: int) -> NodeAtOffset:
    """Descend as long as a child contains the offset."""
    base = document.source_slice.offset
    at = offset - base
    child: NodeRef = document.root
    path: Path = ()
    while (inner := _child_at(child, at)) is not None:
        step, child, is_key = inner
        path = (*path, step)
        if is_key:
            span = document.key_span(path)
            assert span is not None
            return NodeAtOffset(document, path, True, span)
    return NodeAtOffset(document, path, False, document.span(path))


def _child_at(child: NodeRef, at: int) -> tuple[str | int, NodeRef, bool] | None:
    """The child that contains an offset, its step, and whether the offset is in its key."""
    for key, inner in (child.node.keys or {}).items():
        if inner.key is not None and not inner.is_merged and inner.key.start <= at <= inner.key.end:
            return key, inner, True
        if not inner.is_aliased and inner.node.start <= at <= inner.node.end:
            return key, inner, False
    for index, inner in enumerate(child.node.items or ()):
        if not inner.is_aliased and inner.node.start <= at <= inner.node.end:
            return index, inner, False
    return None


MAX_BYTES = 64 << 20
"""Bytes of texts, which are kept so that requests do not read from the disk."""
MAX_PARSED_BYTES = 4 << 20
"""Bytes of texts whose trees are kept; a tree takes ten times the memory of its text."""


class FileCache:
    """Files by path; the least recently used ones lose their trees, and are removed, when there are too many."""

    def __init__(self) -> None:
        self._known: dict[str, WorkspaceFile] = {}
        self._bytes = 0
        self._in_trees: dict[str, int] = {}
        self._last: WorkspaceFile | None = None

    def get(self, path: str) -> WorkspaceFile | None:
        """The file of a path, if it is cached."""
        known = self._known.pop(path, None)
        if known is not None:
            self._known[path] = known
            self._mark_used(known)
        return known

    def add(self, reading: WorkspaceFile) -> WorkspaceFile:
        """Add a file, and evict others if there are too many."""
        self.remove(reading.path)
        self._known[reading.path] = reading
        self._bytes += len(reading.data)
        self._mark_used(reading)
        while self._bytes > MAX_BYTES and len(self._known) > 1:
            self.remove(next(iter(self._known)))
        return reading

    def remove(self, path: str) -> None:
        """Remove a path, whose text has changed."""
        known = self._known.pop(path, None)
        if known is not None:
            self._bytes -= len(known.data)
            self._in_trees.pop(path, None)

    def _mark_used(self, reading: WorkspaceFile) -> None:
        """Account for the tree of the previously used file, and evict others if necessary."""
        before, self._last = self._last, reading
        if before is None or before is reading or not before.is_parsed or self._known.get(before.path) is not before:
            return
        self._in_trees.pop(before.path, None)
        self._in_trees[before.path] = len(before.data)
        while len(self._in_trees) > 1 and sum(self._in_trees.values()) > MAX_PARSED_BYTES:
            path = next(iter(self._in_trees))
            del self._in_trees[path]
            self._known[path].release()
