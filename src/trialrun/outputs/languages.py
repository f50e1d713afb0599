"""JSON output of `languages`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trialrun.outputs.origin import origin_object
from trialrun.values.language_tag import english_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialrun.runtime.channel_config.dialogue.languages import LanguageRow, LanguageTable, SpokenText


def languages_object(groups: Sequence[tuple[Sequence[str], LanguageTable]]) -> dict[str, Any]:
    """The object of groups of stores, by name, that say the same in every language."""
    return {"version": 1, "groups": [{"stores": list(stores), **_table(table)} for stores, table in groups]}


def _table(table: LanguageTable) -> dict[str, Any]:
    silent = {} if table.why_silent is None else {"silent": table.why_silent}
    return {"default": table.default, **silent, "languages": [_row(row) for row in table.rows]}


def _row(row: LanguageRow) -> dict[str, Any]:
    return {
        "tag": row.tag,
        "name": english_name(row.tag),
        "gaps": row.count("none"),
        "fallbacks": row.count("fallback"),
        "texts": [_text(text) for text in row.texts],
    }


def _text(text: SpokenText) -> dict[str, Any]:
    return {
        "kind": text.kind,
        "title": text.title,
        "source": text.source,
        "texts": list(text.texts),
        "tag": text.tag,
        **({} if text.origin is None else {"from": origin_object(text.origin)}),
        **({} if text.why is None else {"why": text.why}),
    }
