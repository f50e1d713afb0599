"""Document symbols: resources with their fields and items, nested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from trialrun.lint.positions import find_value
from trialrun.lsp.labels import field_detail, item_label, resource_detail, short_name, short_text
from trialrun.lsp.results import Symbol
from trialrun.model.node import message_fields
from trialrun.model.unknown_field import spellings
from trialrun.text import Span

if TYPE_CHECKING:
    from trialrun.model.node import Node
    from trialrun.parser import Document
    from trialrun.parser.nodes import NodeRef
    from trialrun.workspace.open_workspace import OpenWorkspace, ResourceInFile, WorkspaceFile

MAX_SYMBOLS = 20_000
"""An outline of a text with more is cut: nobody scrolls through it, and the client would choke on it."""


def document_symbols(workspace: OpenWorkspace, path: str) -> tuple[Symbol, ...]:
    """The resources of a text with their parts; what is elsewhere, at an anchor, is told there alone."""
    file = workspace.workspace_file(path)
    if file is None:
        return ()
    outline = _Outline(file)
    return tuple(outline.resource(part) for part in file.resources if outline.left > 0)


def _part_model(model: type[Node] | None, key: str) -> type[Node] | None:
    """The class of the messages below a key, in either spelling; None if there are no messages."""
    if model is None:
        return None
    field = spellings(model).get(key)
    return next((part for name, _, part in message_fields(model) if name == field), None)


class _Outline:
    """The outline of one text; `left` is how many symbols it may still take."""

    def __init__(self, file: WorkspaceFile) -> None:
        self.file = file
        self.left = MAX_SYMBOLS

    def resource(self, part: ResourceInFile) -> Symbol:
        child, value = part.document.root, part.document.value
        for step in part.root:
            parts = child.node.items if isinstance(step, int) else child.node.keys
            assert parts is not None
            child, value = parts[step], value[step]  # type: ignore[index]
        name = value.get("name") or value.get("featureGroupId") or value.get("uri") or part.kind
        whole = self._placed(part.document, child.node.start, child.node.end)
        return self._symbol(
            (short_name(name), resource_detail(value, part.kind), "resource"),
            whole,
            part.document.first_key_span(part.root),
            tuple(self._parts(part.document, child, value, type(part.model.node))),
        )

    def _parts(self, document: Document, child: NodeRef, value: Any, model: type[Node] | None) -> Iterator[Symbol]:
        for key, inner in (child.node.keys or {}).items():
            if inner.key is not None and not inner.is_merged and self.left > 0:
                yield self._field(document, key, inner, find_value(value, (key,)), _part_model(model, key))
        for index, inner in enumerate(child.node.items or ()):
            if not inner.is_aliased and self.left > 0:
                yield self._item(document, index, inner, find_value(value, (index,)), model)

    def _field(self, document: Document, key: str, child: NodeRef, value: Any, model: type[Node] | None) -> Symbol:
        assert child.key is not None
        selection = self._placed(document, child.key.start, child.key.end)
        if child.is_aliased:
            return self._symbol((key, "", "field"), selection, selection)
        whole = self._placed(document, child.key.start, max(child.key.end, child.node.end))
        if isinstance(value, dict | list):
            parts = tuple(self._parts(document, child, value, model))
            return self._symbol((key, field_detail(key, value, model), "message"), whole, selection, parts)
        detail = short_name(value) if key == "name" else short_text(value)
        return self._symbol((key, detail, "field"), whole, selection)

    def _item(self, document: Document, index: int, child: NodeRef, value: Any, model: type[Node] | None) -> Symbol:
        whole = self._placed(document, child.node.start, child.node.end)
        if not isinstance(value, dict | list):
            name = short_name(value) if isinstance(value, str) else short_text(value)
            return self._symbol((name or f"{index + 1}", "", "item"), whole, whole)
        parts = tuple(self._parts(document, child, value, model))
        name, detail = item_label(value, model)
        return self._symbol((name or f"{index + 1}", detail, "item"), whole, whole, parts)

    def _placed(self, document: Document, start: int, end: int) -> Span:
        return document.source_slice.to_span(start, end)

    def _symbol(
        self,
        called: tuple[str, str, Literal["resource", "message", "item", "field"]],
        whole: Span,
        selection: Span,
        parts: tuple[Symbol, ...] = (),
    ) -> Symbol:
        self.left -= 1
        inside = selection if selection in whole else Span(whole.start, whole.start)
        return Symbol(*called, self.file.range(whole), self.file.range(inside), parts)
