"""One text unchanged in the editor: its tree, its resources as models, and what is at an offset."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.diagnostic import Path, Range, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import positions
from trialrun.model.kinds import model_of
from trialrun.model.validate import ValidatedModel, validate
from trialrun.model.wrapper import resources
from trialrun.parser import Document, ParsedFile, parse

if TYPE_CHECKING:
    from trialrun.parser.nodes import NodeRef
    from trialrun.text import Source, Span


@dataclass(frozen=True, eq=False)
class ResourceInFile:
    """A resource in a text: its kind, its document, the way to it from the document's root, and its model."""

    kind: str
    document: Document
    root: Path
    model: ValidatedModel

    def span(self, place: SymbolicLocation) -> Span:
        """The characters of a place of the model."""
        return positions.span_of(self.document, self.model.path(place))


@dataclass(frozen=True, slots=True)
class NodeAtOffset:
    """What is at an offset: the way to it, and whether it is a key or a value; `span` are its characters.

    Where nothing is, `path` leads to the innermost collection around, and `is_key` is False.
    """

    document: Document
    path: Path
    is_key: bool
    span: Span


class WorkspaceFile:
    """A text, read when it is first asked about; `kind_by_path` is the kind that the settings give to its path."""

    def __init__(self, data: bytes, path: str, kind_by_path: Callable[[str], str | None]) -> None:
        self.data = data
        self.path = path
        self._kind_by_path = kind_by_path

    @cached_property
    def parsed(self) -> ParsedFile:
        """The documents of the text with their places; of a broken one what can be read."""
        return parse(self.data, self.path)

    @property
    def is_parsed(self) -> bool:
        """Whether the text has been read."""
        return "parsed" in self.__dict__

    def release(self) -> None:
        """Keep the text alone; it is read again when it is asked about."""
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
        """The resources in the text, in its order."""
        by_path = self.kind_by_path
        found: list[ResourceInFile] = []
        for document in self.parsed.documents:
            for kind, root, value in resources(document.value, by_path=by_path):
                found.append(ResourceInFile(kind, document, root, validate(value, model_of(kind), root=root)))
        return tuple(found)

    def range(self, span: Span) -> Range:
        """The lines and columns of characters."""
        return positions.range_of(self.source, span)

    def resource_at(self, spot: NodeAtOffset) -> ResourceInFile | None:
        """The resource in which a spot is."""
        ours = [resource for resource in self.resources if resource.document is spot.document]
        return next((our for our in ours if spot.path[: len(our.root)] == our.root), None)

    def node_at(self, offset: int) -> NodeAtOffset | None:
        """What is at an offset, or ends there; None outside of all documents."""
        for document in reversed(self.parsed.documents):
            if document.full_span.start <= offset <= document.full_span.end:
                return _node_at(document, offset)
        return None


def _node_at(document: Document, offset: int) -> NodeAtOffset:
    """Go down as long as a child is around the offset."""
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
    """The child around an offset, with the step to it, and whether the offset is in its key."""
    for key, inner in (child.node.keys or {}).items():
        if inner.key is not None and not inner.is_merged and inner.key.start <= at <= inner.key.end:
            return key, inner, True
        if not inner.is_aliased and inner.node.start <= at <= inner.node.end:
            return key, inner, False
    for index, inner in enumerate(child.node.items or ()):
        if not inner.is_aliased and inner.node.start <= at <= inner.node.end:
            return index, inner, False
    return None
