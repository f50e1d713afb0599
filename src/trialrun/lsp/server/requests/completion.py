"""textDocument/completion and completionItem/resolve; lists are sent as compactly as the client supports."""

from __future__ import annotations

import re

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp import results
from trialrun.lsp.server import feature_types, kinds, params, to_proto, types
from trialrun.lsp.server.capabilities import array, has, is_present
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.position_encoding import PositionMapper, ProtocolPosition
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.session import Session

ITEM_KINDS = {
    "field": kinds.CompletionItemKind.Field,
    "value": kinds.CompletionItemKind.EnumMember,
    "name": kinds.CompletionItemKind.Reference,
    "variable": kinds.CompletionItemKind.Variable,
    "function": kinds.CompletionItemKind.Function,
    "zone": kinds.CompletionItemKind.Constant,
    "language": kinds.CompletionItemKind.Constant,
    "rule": kinds.CompletionItemKind.Event,
    "file": kinds.CompletionItemKind.File,
    "snippet": kinds.CompletionItemKind.Snippet,
}
_WORD = re.compile(r"[\w./+-]+\Z")
_TAB_STOP = re.compile(r"(?<!\\)\$(?:\d+|\{\d+(?::([^}]*)|\|([^}]*)\|)?\})")


@dataclass(frozen=True, slots=True)
class CompletionCapabilities:
    """What a client supports: snippets, tags, a default range, insert and replace ranges, adjusted indentation."""

    snippets: bool
    tags: bool
    has_default_range: bool
    has_insert_replace: bool
    adjusts_indentation: bool


def completion_capabilities(capabilities: params.Fields) -> CompletionCapabilities:
    """The capabilities of a client."""
    names = ("textDocument", "completion")
    item = (*names, "completionItem")
    return CompletionCapabilities(
        snippets=has(capabilities, *item, "snippetSupport"),
        tags=is_present(capabilities, *item, "tagSupport"),
        has_default_range="editRange" in array(capabilities, *names, "completionList", "itemDefaults"),
        has_insert_replace=has(capabilities, *item, "insertReplaceSupport"),
        adjusts_indentation=kinds.ADJUST_INDENTATION in array(capabilities, *item, "insertTextModeSupport", "valueSet"),
    )


def register_completion(client: Connection, session: Session, capabilities: params.Fields) -> None:
    """Register both requests."""
    supported = completion_capabilities(capabilities)
    latest: list[str] = []

    async def completion(asked: params.PositionParams) -> feature_types.CompletionList | None:
        result = await request_analysis(session, "completion", asked.uri, offset_of(asked.position))
        latest[:] = [asked.uri]
        if result is None:
            return None
        cursor = (asked.position.line, asked.position.character)
        return completion_list_of(result.value, result.document.mapper, cursor, supported)

    client.on("textDocument/completion", params.position, completion)

    async def completion_resolve(item: params.Fields) -> params.Fields:
        data = item.get("data")
        if not latest or not isinstance(data, list) or not data:
            return item
        result = await request_analysis(session, "completion_resolve", latest[0], tuple(map(str, data)))
        return {**item, "documentation": to_proto.markdown(result.value)} if result else item

    client.on("completionItem/resolve", params.completion_item, completion_resolve)


def completion_list_of(
    completions: results.Completions,
    mapper: PositionMapper,
    cursor: ProtocolPosition,
    capabilities: CompletionCapabilities,
) -> feature_types.CompletionList:
    """A completion list; a range that all items share is its default."""
    ranges = {item.range: edit_range(item, mapper, cursor, capabilities) for item in completions.items}
    shared = next(iter(ranges.values())) if capabilities.has_default_range and len(ranges) == 1 else None
    items = [
        completion_item_of(item, None if shared else ranges[item.range], capabilities, _indentation(mapper, item))
        for item in completions.items
    ]
    defaults = feature_types.CompletionItemDefaults(edit_range=_default_range(shared)) if shared else None
    return feature_types.CompletionList(completions.is_incomplete, items, defaults)


EditRange = types.Range | feature_types.InsertReplaceEdit


def edit_range(
    item: results.Completion, mapper: PositionMapper, cursor: ProtocolPosition, capabilities: CompletionCapabilities
) -> EditRange:
    """The range that an item replaces; the client may keep the rest of the word behind the cursor."""
    whole = to_proto.range_of(mapper, item.range)
    if not capabilities.has_insert_replace or (whole.end.line, whole.end.character) == tuple(cursor):
        return whole
    line = mapper.source.line(item.range.end.line)
    suffix = line[mapper.position(cursor).column - 1 : item.range.end.column - 1]
    if not _WORD.match(suffix) or whole.start.line != cursor[0]:
        return whole
    return feature_types.InsertReplaceEdit("", types.Range(whole.start, types.Position(*cursor)), whole)


def without_tab_stops(text: str) -> str:
    """The text of a snippet with the placeholders of its tab stops, or the first choice."""
    plain = _TAB_STOP.sub(lambda stop: stop[1] or (stop[2] or "").partition(",")[0], text)
    return re.sub(r"\\([\\$}])", r"\1", plain)


def _indentation(mapper: PositionMapper, item: results.Completion) -> str:
    """The blanks at the start of the line of an item, which its further lines leave to the client or to us."""
    before = mapper.source.line(item.range.start.line)[: item.range.start.column - 1]
    return before[: len(before) - len(before.lstrip(" \t"))]


def _default_range(shared: EditRange) -> types.Range | feature_types.EditRangeWithInsertReplace:
    if isinstance(shared, feature_types.InsertReplaceEdit):
        return feature_types.EditRangeWithInsertReplace(shared.insert, shared.replace)
    return shared


def completion_item_of(
    item: results.Completion, edit_range_: EditRange | None, capabilities: CompletionCapabilities, indentation: str
) -> feature_types.CompletionItem:
    """A completion item, without what the client assumes by default; at the default range if `edit_range_` is None.

    Clients indent the further lines of a snippet, and those of other texts if they say that they can.
    """
    is_snippet = item.is_snippet and capabilities.snippets
    text = without_tab_stops(item.text) if item.is_snippet and not capabilities.snippets else item.text
    converted = feature_types.CompletionItem(item.label, kind=ITEM_KINDS[item.kind], sort_text=item.sort_text)
    converted.detail = item.detail or None
    converted.data = list(item.data) or None
    converted.insert_text_format = kinds.SNIPPET_FORMAT if is_snippet else None
    converted.tags = [kinds.DEPRECATED_ITEM] if item.is_deprecated and capabilities.tags else None
    if "\n" in text and capabilities.adjusts_indentation:
        converted.insert_text_mode = kinds.ADJUST_INDENTATION
    elif not is_snippet:
        text = text.replace("\n", f"\n{indentation}")
    if edit_range_ is None:
        converted.text_edit_text = text if text != item.label else None
    elif isinstance(edit_range_, feature_types.InsertReplaceEdit):
        converted.text_edit = feature_types.InsertReplaceEdit(text, edit_range_.insert, edit_range_.replace)
    else:
        converted.text_edit = types.TextEdit(edit_range_, text)
    return converted
