"""Completions as the protocol has them, as compactly as the client supports."""

from __future__ import annotations

import re
from typing import Final

from trialrun.lsp.results import Completion, Object
from trialrun.lsp.server.client import ADJUST_INDENTATION, Ability
from trialrun.lsp.server.text_documents import PositionMapper, ProtocolPosition

COMPLETION_KINDS: Final = {
    "function": 3,  # Function
    "field": 5,  # Field
    "variable": 6,  # Variable
    "snippet": 15,  # Snippet
    "file": 17,  # File
    "name": 18,  # Reference
    "value": 20,  # EnumMember
    "zone": 21,  # Constant
    "language": 21,  # Constant
    "rule": 23,  # Event
}
SNIPPET_FORMAT: Final = 2
"""The format of a text with tab stops."""
DEPRECATED_ITEM: Final = 1
"""The tag of a deprecated completion."""
_NUMBERED = re.compile(r"(?<!\\)\$(?:\d+|\{\d+(?::([^}]*)|\|([^}]*)\|)?\})")
_WORD = re.compile(r"[\w./+-]+\Z")


def completion_list_of(
    found: Object, mapper: PositionMapper, cursor: ProtocolPosition, client: frozenset[Ability]
) -> Object:
    """A list of completions as the client can read it; a range that all items share is its default.

    A range is either one, or two of which the client chooses: `insert` and `replace`.
    """
    ranges = {item.range: _edit_range(item, mapper, cursor, client) for item in found["items"]}
    shared = next(iter(ranges.values())) if "has_default_range" in client and len(ranges) == 1 else None
    items = [_completion_item(item, None if shared else ranges[item.range], mapper, client) for item in found["items"]]
    return {**found, "items": items, **({"itemDefaults": {"editRange": shared}} if shared else {})}


def _edit_range(
    item: Completion, mapper: PositionMapper, cursor: ProtocolPosition, client: frozenset[Ability]
) -> Object:
    """The range that an item replaces; the client may keep the rest of the word behind the cursor."""
    whole = mapper.range_to_protocol(item.range)
    if "has_insert_replace" not in client or whole["end"] == cursor:
        return whole
    line = mapper.source.line(item.range.end.line)
    suffix = line[mapper.position(cursor).column - 1 : item.range.end.column - 1]
    if not _WORD.match(suffix) or whole["start"]["line"] != cursor["line"]:
        return whole
    return {"insert": {"start": whole["start"], "end": cursor}, "replace": whole}


def _completion_item(
    item: Completion, edit_range: Object | None, mapper: PositionMapper, client: frozenset[Ability]
) -> Object:
    """A completion item, without what the client assumes by default; at the default range if `edit_range` is None.

    Clients indent the further lines of a snippet, and those of other texts if they say that they can.
    """
    answer: Object = {"label": item.label, "kind": COMPLETION_KINDS[item.kind], "sortText": item.sort_text}
    if item.detail:
        answer["detail"] = item.detail
    if item.data:
        answer["data"] = list(item.data)
    if item.is_deprecated and "completion_tags" in client:
        answer["tags"] = [DEPRECATED_ITEM]
    is_snippet = item.is_snippet and "snippets" in client
    if is_snippet:
        answer["insertTextFormat"] = SNIPPET_FORMAT
    text = without_tab_stops(item.text) if item.is_snippet and "snippets" not in client else item.text
    if "\n" in text and "adjusts_indentation" in client:
        answer["insertTextMode"] = ADJUST_INDENTATION
    elif not is_snippet:
        before = mapper.source.line(item.range.start.line)[: item.range.start.column - 1]
        indentation = before[: len(before) - len(before.lstrip(" \t"))]
        text = text.replace("\n", f"\n{indentation}")
    if edit_range is None:
        return {**answer, "textEditText": text} if text != item.label else answer
    place = edit_range if "insert" in edit_range else {"range": edit_range}
    return {**answer, "textEdit": {"newText": text, **place}}


def without_tab_stops(text: str) -> str:
    """The text of a snippet with the placeholders of its tab stops, or the first choice."""
    plain = _NUMBERED.sub(lambda stop: stop[1] or (stop[2] or "").partition(",")[0], text)
    return re.sub(r"\\([\\$}])", r"\1", plain)
