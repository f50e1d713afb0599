"""What may be written, in the words of the protocol: as little of it on the wire as the client can do with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp import results
from trialrun.lsp.features.completion.snippets import without_tab_stops
from trialrun.lsp.server import to_proto
from trialrun.lsp.server.position_encoding import Counted, Place
from trialrun.lsp.server.request_analysis import asked, offset_of

if TYPE_CHECKING:
    from trialrun.lsp.server.language_server import Server

TRIGGERS = (" ", ":", ".", "/", '"', "'", "[", "{", ",", "=", "*", "-", "&", "|")
KINDS = {
    "field": types.CompletionItemKind.Field,
    "value": types.CompletionItemKind.EnumMember,
    "name": types.CompletionItemKind.Reference,
    "variable": types.CompletionItemKind.Variable,
    "function": types.CompletionItemKind.Function,
    "zone": types.CompletionItemKind.Constant,
    "language": types.CompletionItemKind.Constant,
    "rule": types.CompletionItemKind.Event,
    "file": types.CompletionItemKind.File,
    "snippet": types.CompletionItemKind.Snippet,
}
_WORD = re.compile(r"[\w./+-]+\Z")


@dataclass(frozen=True, slots=True)
class Able:
    """What a client can take: tab stops, tags, one range for all, two ranges to choose from, a mode of indentation."""

    snippets: bool
    tags: bool
    one_range: bool
    two_ranges: bool
    adjusts: bool


def able_to(able: types.ClientCapabilities) -> Able:
    """What a client says that it can take."""
    completion = able.text_document and able.text_document.completion
    item = completion and completion.completion_item
    listed = completion and completion.completion_list
    modes = item and item.insert_text_mode_support
    return Able(
        snippets=bool(item and item.snippet_support),
        tags=bool(item and item.tag_support),
        one_range="editRange" in ((listed and listed.item_defaults) or ()),
        two_ranges=bool(item and item.insert_replace_support),
        adjusts=bool(modes and types.InsertTextMode.AdjustIndentation in modes.value_set),
    )


def offer_completion(server: Server, able: types.ClientCapabilities) -> None:
    """Offer what may be written, and what is to be said of one of it when the client asks."""
    options = types.CompletionOptions(trigger_characters=list(TRIGGERS), resolve_provider=True)
    client = able_to(able)
    latest: list[types.TextDocumentIdentifier] = []

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    async def completion(params: types.CompletionParams) -> types.CompletionList | None:
        found = await asked(server, "completion", params.text_document, offset_of(params.position))
        latest[:] = [params.text_document]
        if found is None:
            return None
        cursor = (params.position.line, params.position.character)
        return list_of(found.value, found.opened.counted, cursor, client)

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    async def resolve(item: types.CompletionItem) -> types.CompletionItem:
        if latest and isinstance(item.data, (list, tuple)) and item.data:
            told = await asked(server, "documentation", latest[0], tuple(map(str, item.data)))
            item.documentation = to_proto.markdown(told.value) if told else None
        return item


def list_of(found: results.Completions, counted: Counted, cursor: Place, able: Able) -> types.CompletionList:
    """What may be written at a cursor; a range that all items have is told once."""
    ranges = {one.range: edit_range(one, counted, cursor, able) for one in found.items}
    shared = next(iter(ranges.values())) if able.one_range and len(ranges) == 1 else None
    items = [item_of(one, None if shared else ranges[one.range], able) for one in found.items]
    defaults = types.CompletionItemDefaults(edit_range=_default(shared)) if shared else None
    return types.CompletionList(found.is_incomplete, items, defaults)


Edited = types.Range | types.InsertReplaceEdit


def edit_range(item: results.Completion, counted: Counted, cursor: Place, able: Able) -> Edited:
    """What an item takes the place of; where a word goes on behind the cursor the client may choose to keep that."""
    whole = to_proto.range_of(counted, item.range)
    if not able.two_ranges or (whole.end.line, whole.end.character) == tuple(cursor):
        return whole
    line = counted.source.line(item.range.end.line)
    behind = line[counted.position(cursor).column - 1 : item.range.end.column - 1]
    if not _WORD.match(behind) or whole.start.line != cursor[0]:
        return whole
    return types.InsertReplaceEdit("", types.Range(whole.start, types.Position(*cursor)), whole)


def _default(shared: Edited) -> types.Range | types.EditRangeWithInsertReplace:
    if isinstance(shared, types.InsertReplaceEdit):
        return types.EditRangeWithInsertReplace(shared.insert, shared.replace)
    return shared


def item_of(item: results.Completion, place: Edited | None, able: Able) -> types.CompletionItem:
    """One text that may stand somewhere, by default where `place` is None; what the client would assume is left out."""
    is_snippet = item.is_snippet and able.snippets
    text = without_tab_stops(item.text) if item.is_snippet and not able.snippets else item.text
    made = types.CompletionItem(item.label, kind=KINDS[item.kind], sort_text=item.sort)
    made.detail = item.detail or None
    made.data = list(item.about) or None
    made.insert_text_format = types.InsertTextFormat.Snippet if is_snippet else None
    made.tags = [types.CompletionItemTag.Deprecated] if item.is_deprecated and able.tags else None
    if "\n" in text and able.adjusts:
        made.insert_text_mode = types.InsertTextMode.AdjustIndentation
    if place is None:
        made.text_edit_text = text if text != item.label else None
    elif isinstance(place, types.InsertReplaceEdit):
        made.text_edit = types.InsertReplaceEdit(text, place.insert, place.replace)
    else:
        made.text_edit = types.TextEdit(place, text)
    return made
