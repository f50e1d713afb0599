"""One text as it stands in the editor: its tree, its resources as models, and what stands at an offset."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.diagnostic import Path, Place, Range
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import positions
from trialrun.model.kinds import model_of
from trialrun.model.validate import Fitted, fit
from trialrun.model.wrapper import resources
from trialrun.parser import Document, Tree, read

if TYPE_CHECKING:
    from trialrun.parser.nodes import Child
    from trialrun.text import Source, Span


@dataclass(frozen=True, eq=False)
class Part:
    """A resource in a text: its kind, its document, the way to it from the document's root, and its model."""

    kind: str
    document: Document
    root: Path
    fitted: Fitted

    def span(self, place: Place) -> Span:
        """The characters of a place of the model."""
        return positions.span_at(self.document, self.fitted.path(place))


@dataclass(frozen=True, slots=True)
class Spot:
    """What stands at an offset: the way to it, and whether it is a key or a value; `span` are its characters.

    Where nothing stands, `path` leads to the innermost collection around, and `is_key` is False.
    """

    document: Document
    path: Path
    is_key: bool
    span: Span


class Reading:
    """A text, read when it is first asked about; `kind_by_path` is the kind that the settings give to its path."""

    def __init__(self, data: bytes, path: str, kind_by_path: Callable[[str], str | None]) -> None:
        self.data = data
        self.path = path
        self._kind_by_path = kind_by_path

    @cached_property
    def tree(self) -> Tree:
        """The documents of the text with their places; of a broken one what can be read."""
        return read(self.data, self.path)

    @property
    def has_tree(self) -> bool:
        """Whether the text has been read."""
        return "tree" in self.__dict__

    def let_go(self) -> None:
        """Keep the text alone; it is read again when it is asked about."""
        self.__dict__.pop("tree", None)
        self.__dict__.pop("parts", None)

    @property
    def source(self) -> Source:
        """The text itself."""
        return self.tree.source

    @property
    def kind_by_path(self) -> str | None:
        """The kind that the settings give to the path."""
        return self._kind_by_path(self.path)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The resources in the text, in its order."""
        by_path = self.kind_by_path
        found: list[Part] = []
        for document in self.tree.documents:
            for kind, root, value in resources(document.value, by_path=by_path):
                found.append(Part(kind, document, root, fit(value, model_of(kind), root=root)))
        return tuple(found)

    def range(self, span: Span) -> Range:
        """The lines and columns of characters."""
        return positions.range_of(self.source, span)

    def part_at(self, spot: Spot) -> Part | None:
        """The resource in which a spot is."""
        ours = [one for one in self.parts if one.document is spot.document]
        return next((one for one in ours if spot.path[: len(one.root)] == one.root), None)

    def spot(self, offset: int) -> Spot | None:
        """What stands at an offset, or ends there; None outside of all documents."""
        for document in reversed(self.tree.documents):
            if document.extent.start <= offset <= document.extent.end:
                return _spot(document, offset)
        return None


def _spot(document: Document, offset: int) -> Spot:
    """Go down as long as a child is around the offset."""
    base = document.part.offset
    at = offset - base
    child: Child = document.root
    path: Path = ()
    while (inner := _inner(child, at)) is not None:
        step, child, is_key = inner
        path = (*path, step)
        if is_key:
            span = document.key_span(path)
            assert span is not None
            return Spot(document, path, True, span)
    return Spot(document, path, False, document.span(path))


def _inner(child: Child, at: int) -> tuple[str | int, Child, bool] | None:
    """The child around an offset, with the step to it, and whether the offset is in its key."""
    for key, inner in (child.node.keys or {}).items():
        if inner.key is not None and not inner.merged and inner.key.start <= at <= inner.key.end:
            return key, inner, True
        if not inner.shared and inner.node.start <= at <= inner.node.end:
            return key, inner, False
    for index, inner in enumerate(child.node.items or ()):
        if not inner.shared and inner.node.start <= at <= inner.node.end:
            return index, inner, False
    return None
