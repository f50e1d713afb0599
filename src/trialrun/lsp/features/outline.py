"""The outline of a text and what folds in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from trialrun.lint.positions import find_value
from trialrun.lsp.results import Object
from trialrun.model.node import Node, field_spec, message_fields
from trialrun.model.unknown_field import spellings
from trialrun.parser import Document
from trialrun.parser.comments import comments
from trialrun.parser.nodes import NodeRef, nodes_on_path
from trialrun.text import Span
from trialrun.values import shorten
from trialrun.workspace.open_workspace import OpenWorkspace, ResourceInFile, WorkspaceFile

PART_KINDS: Final = {"resource": 2, "message": 19, "item": 23, "field": 8}  # Module, Object, Struct, Field
"""The symbol kind of each kind of part of a document."""
MAX_SYMBOLS = 20_000
"""An outline of a text with more is cut: nobody scrolls through it, and the client would choke on it."""


def document_symbols(workspace: OpenWorkspace, path: str) -> list[Object]:
    """The resources of a text with their parts; what is elsewhere, at an anchor, is told there alone."""
    file = workspace.workspace_file(path)
    if file is None:
        return []
    outline = _Outline(file)
    return [outline.resource(part) for part in file.resources if outline.left > 0]


class _Outline:
    """The outline of one text; `left` is how many symbols it may still take."""

    def __init__(self, file: WorkspaceFile) -> None:
        self.file = file
        self.left = MAX_SYMBOLS

    def resource(self, part: ResourceInFile) -> Object:
        child, value = nodes_on_path(part.document.root, part.root)[-1], find_value(part.document.value, part.root)
        name = value.get("name") or value.get("featureGroupId") or value.get("uri") or part.kind
        whole = part.document.source_slice.to_span(child.node.start, child.node.end)
        symbols = list(self._parts(part.document, child, value, type(part.model.node)))
        selection = part.document.first_key_span(part.root)
        return self._symbol(short_name(name), resource_detail(value, part.kind), "resource", whole, selection, symbols)

    def _parts(self, document: Document, child: NodeRef, value: Any, model: type[Node] | None) -> Iterator[Object]:
        for key, inner in (child.node.keys or {}).items():
            if inner.key is not None and not inner.is_merged and self.left > 0:
                field = spellings(model).get(key) if model else None
                fields = message_fields(model) if model else ()
                below = next((part for name, _, part in fields if name == field), None)
                yield self._field(document, key, inner, find_value(value, (key,)), below)
        for index, inner in enumerate(child.node.items or ()):
            if not inner.is_aliased and self.left > 0:
                yield self._item(document, index, inner, find_value(value, (index,)), model)

    def _field(self, document: Document, key: str, child: NodeRef, value: Any, model: type[Node] | None) -> Object:
        assert child.key is not None
        selection = document.source_slice.to_span(child.key.start, child.key.end)
        if child.is_aliased:
            return self._symbol(key, "", "field", selection, selection)
        whole = document.source_slice.to_span(child.key.start, max(child.key.end, child.node.end))
        if isinstance(value, dict | list):
            parts = list(self._parts(document, child, value, model))
            return self._symbol(key, field_detail(key, value, model), "message", whole, selection, parts)
        return self._symbol(key, short_name(value) if key == "name" else short_text(value), "field", whole, selection)

    def _item(self, document: Document, index: int, child: NodeRef, value: Any, model: type[Node] | None) -> Object:
        whole = document.source_slice.to_span(child.node.start, child.node.end)
        if isinstance(value, dict | list):
            parts = list(self._parts(document, child, value, model))
            name, detail = item_label(value, model)
            return self._symbol(name or f"{index + 1}", detail, "item", whole, whole, parts)
        name = short_name(value) if isinstance(value, str) else short_text(value)
        return self._symbol(name or f"{index + 1}", "", "item", whole, whole)

    def _symbol(
        self, name: str, detail: str, kind: str, whole: Span, selection: Span, parts: Sequence[Object] = ()
    ) -> Object:
        self.left -= 1
        inside = selection if whole.covers(selection) else Span(whole.start, whole.start)
        return {
            "name": name or "?",
            "kind": PART_KINDS[kind],
            "range": self.file.range(whole),
            "selectionRange": self.file.range(inside),
            **({"detail": detail} if detail else {}),
            "children": parts,
        }


MAX_DETAIL_LENGTH: Final = 60
NAMED_BY_RESOURCE_NAME: Final = frozenset({"brand", "config", "store", "view"})
"""What has a resource name, of which the end tells it from others."""
_OF_RESOURCE: Final = {
    "FeatureView": (("syncConfig", "cron"), ("syncConfig", "continuous")),
    "ChannelConfig": (("type",),),
    "FeatureOnlineStore": (("type",),),
    "FeatureGroupTable": (("uri",),),
    "Source": (("files",), ("database",)),
    "Menu": (("brand",),),
    "Scenario": (("clock",),),
}
_DETAIL_FIELDS: Final = ("disabled", "type", "channelConfig", "price", "column", "value", "because", "clock")


def short_text(value: Any) -> str:
    """A value in one short line; nothing for none."""
    if value is None:
        return ""
    words = ("true" if value else "false") if isinstance(value, bool) else " ".join(str(value).split())
    return shorten(words, MAX_DETAIL_LENGTH)


def resource_detail(value: Any, kind: str) -> str:
    """The kind of a resource, and its schedule, its type or where it is."""
    names: list[str] = []
    for way in _OF_RESOURCE.get(kind, ()):
        part = value
        for step in way:
            part = part.get(step) if isinstance(part, dict) else None
        if part is not None and not isinstance(part, dict | list):
            names.append("continuous" if way[-1] == "continuous" and part is True else short_text(part))
    return ", ".join([kind, *names[:1]])


def item_label(value: Any, model: type[Node] | None) -> tuple[str, str]:
    """What a message is called, empty where nothing names it, and what else tells it from others of its list."""
    if not isinstance(value, dict) or model is None:
        return "", ""
    if "deed" in model.unions:
        return _step_label(value, model)
    labels = (
        _label_from(value[field], model, field)
        for field in sorted(model.item_key or (), key=lambda field: field != "displayName")  # it names it to people
        if value.get(field)
    )
    return next((name for name in labels if name), ""), short_text(", ".join(_details(value, model)))


def _step_label(value: dict[str, Any], model: type[Node]) -> tuple[str, str]:
    deed = next((field for field in model.unions["deed"] if isinstance(value.get(field), dict)), None)
    if deed is None:
        return "", ""
    about = value[deed].get("view") or value[deed].get("store") or value[deed].get("until") or ""
    return short_text(f"{deed} {short_name(about)}".strip()), short_text(value.get("clock"))


def _label_from(value: Any, model: type[Node], field: str) -> str:
    if isinstance(value, list):
        return short_text(", ".join(str(part) for part in value[:3] if isinstance(part, str)))
    if isinstance(value, dict):
        part = next((part for name, _, part in message_fields(model) if name == field), None)
        return item_label(value, part)[0]
    if not isinstance(value, str):
        return ""
    spec = field_spec(model, field)
    return short_name(value) if NAMED_BY_RESOURCE_NAME & {spec.names, spec.declares} else short_text(value)


def short_name(name: Any) -> str:
    """The end of a resource name, which tells it from others; any other text as it is."""
    text = str(name)
    is_resource = "/" in text and "://" not in text and not any(character.isspace() for character in text)
    return short_text(text.rpartition("/")[2] or text) if is_resource else short_text(text)


def _details(value: dict[str, Any], model: type[Node]) -> Iterator[str]:
    if "priority" in value:
        yield f"priority {value['priority']}"
    yield from (offer for offer in model.unions.get("upsell_type_config", ()) if offer in value)
    for field in _DETAIL_FIELDS:
        child = value.get(field)
        if field == "disabled" and child is True:
            yield "disabled"
        elif field != "disabled" and child is not None and not isinstance(child, dict | list):
            yield short_name(child) if field == "channelConfig" else str(child)
    if value.get("displayName") and isinstance(value.get("name"), str):
        yield short_name(value["name"])


def field_detail(key: str, value: Any, model: type[Node] | None) -> str:
    """What a message or a list comes to: how many there are of what, its languages, or the text that names it."""
    if isinstance(value, list):
        languages = [item.get("languageCode") for item in value if isinstance(item, dict)]
        if languages and all(isinstance(language, str) for language in languages):
            return short_text(", ".join(map(str, languages)))
        plain = [short_name(item) for item in value if isinstance(item, str | int | float)]
        return short_text(", ".join(plain)) if plain and len(plain) == len(value) else str(len(value) or "")
    if key == "celUpsell" and isinstance(value, dict):
        return short_text(value.get("conditionExpression"))
    return item_label(value, model)[0]


_full_line = re.compile(r"^[ \t]*#", re.MULTILINE)


def folding_range(workspace: OpenWorkspace, path: str) -> list[Object]:
    """The folds of a text, in the order of their first lines; of those that begin on one line, the longest alone."""
    file = workspace.workspace_file(path)
    if file is None:
        return []
    last: dict[int, int] = {}
    for first, end in _regions(file):
        if first < end:
            last[first] = max(end, last.get(first, end))
    folds = sorted([*((first, end, "region") for first, end in last.items()), *_comments(file)])
    return [{"startLine": first - 1, "endLine": end - 1, "kind": kind} for first, end, kind in folds]


def _regions(file: WorkspaceFile) -> Iterator[tuple[int, int]]:
    """Documents of several, and every value, from the line of its key; what is elsewhere folds there."""
    for document in file.parsed.documents:
        if len(file.parsed.documents) > 1:
            yield _lines(file, document.span(()))
        waiting = [document.root]
        while waiting:
            node = waiting.pop().node
            for child in [*(node.keys or {}).values(), *(node.items or ())]:
                if not child.is_aliased and not child.is_merged:
                    start = child.key.start if child.key else child.node.start
                    yield _lines(file, document.source_slice.to_span(start, max(start, child.node.end)))
                    waiting.append(child)


def _lines(file: WorkspaceFile, span: Span) -> tuple[int, int]:
    """The first line of a span, and the last one that it has something on."""
    end = span.start + len(file.source.text[span.start : span.end].rstrip(" \t\r\n"))
    return file.source.position(span.start).line, file.source.position(end).line


def _comments(file: WorkspaceFile) -> Iterator[tuple[int, int, str]]:
    """Comments that fill two lines or more, one under the other."""
    own = (comment for comment in comments(file.parsed, _full_line) if comment.is_own_line)
    first = before = 0
    for line in [*(file.source.position(comment.span.start).line for comment in own), 0]:
        if line != before + 1 or not first:
            if first and first < before:
                yield first, before, "comment"
            first = line
        before = line
