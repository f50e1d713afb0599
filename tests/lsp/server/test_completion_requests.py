"""Completions in the words of the protocol."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.client import Editor, able
from tests.lsp.completion.conftest import CURSOR as HERE
from tests.lsp.server.lsp_client import play, play_shared
from trialrun.diagnostic import Range
from trialrun.lsp.results import Completion, Completions
from trialrun.lsp.server import feature_types
from trialrun.lsp.server import types as sent
from trialrun.lsp.server.position_encoding import PositionMapper
from trialrun.lsp.server.requests.completion import CompletionCapabilities, completion_list_of, without_tab_stops
from trialrun.text import Position, Source

PLAIN = CompletionCapabilities(
    snippets=False, tags=False, has_default_range=False, has_insert_replace=False, adjusts_indentation=False
)
ABLE = CompletionCapabilities(
    snippets=True, tags=True, has_default_range=True, has_insert_replace=True, adjusts_indentation=True
)
CURSOR = (0, 8)
TEXT = PositionMapper(Source("a.yaml", "🍔: CONCISE"), "utf-16")
WHOLE = Range(Position(1, 4), Position(1, 11))
"""The word that the cursor stands in: before its fifth letter."""


def item(text: str, *, is_snippet: bool = False, is_deprecated: bool = False) -> Completion:
    return Completion("A", "value", text, WHOLE, "1", is_snippet=is_snippet, is_deprecated=is_deprecated)


def test_a_client_that_can_choose_is_told_both_ranges() -> None:
    (made,) = completion_list_of(
        Completions((item("A"),)),
        TEXT,
        CURSOR,
        CompletionCapabilities(*[False] * 3, has_insert_replace=True, adjusts_indentation=False),
    ).items
    assert isinstance(made.text_edit, feature_types.InsertReplaceEdit)
    assert (made.text_edit.insert.end.character, made.text_edit.replace.end.character) == (8, 11)


def test_another_replaces_the_whole_word() -> None:
    (made,) = completion_list_of(Completions((item("A"),)), TEXT, CURSOR, PLAIN).items
    assert made.text_edit == sent.TextEdit(sent.Range(sent.Position(0, 4), sent.Position(0, 11)), "A")


def test_a_range_of_all_items_is_reported_once() -> None:
    made = completion_list_of(Completions((item("A"), item("A: b"))), TEXT, CURSOR, ABLE)
    assert made.item_defaults is not None
    assert isinstance(made.item_defaults.edit_range, feature_types.EditRangeWithInsertReplace)
    assert [(one.text_edit, one.text_edit_text) for one in made.items] == [(None, None), (None, "A: b")]


def test_tab_stops_are_for_those_who_know_them() -> None:
    found = Completions((item("a: ${1:x}$0", is_snippet=True),))
    (able,) = completion_list_of(found, TEXT, CURSOR, ABLE).items
    (plain,) = completion_list_of(found, TEXT, CURSOR, PLAIN).items
    assert (able.text_edit_text, able.insert_text_format) == ("a: ${1:x}$0", types.InsertTextFormat.Snippet)
    assert plain.text_edit is not None
    assert plain.text_edit.new_text == "a: x"
    assert plain.insert_text_format is None


def test_a_dollar_that_is_meant_stays() -> None:
    assert without_tab_stops(r"a: \$1 ${2:b\\c}") == r"a: $1 b\c"


def test_lines_of_an_item_are_indented_by_a_client_that_can() -> None:
    found = Completions((item("A"), item("a:\n  b: 1")))
    able, plain = (completion_list_of(found, TEXT, CURSOR, client).items for client in (ABLE, PLAIN))
    assert [made.insert_text_mode for made in able] == [None, types.InsertTextMode.AdjustIndentation]
    assert [made.insert_text_mode for made in plain] == [None, None]


@pytest.mark.parametrize("snippets", [False, True])
@pytest.mark.parametrize("before", ["", "  ", "      - ", "  - - ", "  a: {"])
def test_lines_of_an_item_are_indented_for_a_client_that_cannot(before: str, snippets: bool) -> None:
    client = CompletionCapabilities(
        snippets, tags=False, has_default_range=False, has_insert_replace=False, adjusts_indentation=False
    )
    blanks = before[: len(before) - len(before.lstrip())]
    mapper = PositionMapper(Source("a.yaml", f"🍔:\n{before}a"), "utf-16")
    place = Range(Position(2, len(before) + 1), Position(2, len(before) + 2))
    (made,) = completion_list_of(
        Completions((Completion("a", "field", "a:\n  - b: 1\n    c:", place, "1"),)), mapper, (1, 0), client
    ).items
    assert made.text_edit is not None
    assert made.text_edit.new_text == f"a:\n{blanks}  - b: 1\n{blanks}    c:"


def test_a_snippet_is_indented_by_its_client() -> None:
    client = CompletionCapabilities(
        snippets=True, tags=False, has_default_range=False, has_insert_replace=False, adjusts_indentation=False
    )
    mapper = PositionMapper(Source("a.yaml", "🍔:\n    a"), "utf-16")
    place = Range(Position(2, 5), Position(2, 6))
    found = Completions((Completion("a", "field", "a:\n  b: $1", place, "1", is_snippet=True),))
    (made,) = completion_list_of(found, mapper, (1, 5), client).items
    assert made.text_edit is not None
    assert made.text_edit.new_text == "a:\n  b: $1"


CHANNELS = """\
kind: ChannelConfig
name: brands/b/channelConfigs/c
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - displayName: 🍔
        prio¦
"""
IN_DOCUMENTS = {
    "in a mapping": (
        "kind: FeatureView\nname: n\n¦\n",
        "syncConfig",
        "kind: FeatureView\nname: n\nsyncConfig:\n  \n",
    ),
    "after a dash": (
        CHANNELS.replace("displayName: 🍔\n        prio¦", "¦"),
        "celUpsell",
        CHANNELS.replace(
            "displayName: 🍔\n        prio¦",
            "celUpsell:\n          conditionExpression: \n          suggestedMenuItems:\n            - ",
        ),
    ),
    "in a list": (
        CHANNELS.replace("prio¦", "¦"),
        "greetingOffer",
        CHANNELS.replace(
            "prio¦",
            "greetingOffer:\n          messages:\n            - messageConfigs:\n                - languageCode: \n"
            "                  messageText: ",
        ),
    ),
}


def eglot(text: str, edit: types.TextEdit) -> str:
    """A text as Emacs with Eglot has it after a completion, where no package for snippets is installed."""
    lines = text.split("\n")
    (first, last), line = (edit.range.start, edit.range.end), lines[edit.range.start.line]
    lines[first.line] = line[: first.character] + edit.new_text + line[last.character :]
    return "\n".join(lines)


def test_emacs_without_snippets_inserts_what_stands_at_its_column(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        for number, (text, label, expected) in enumerate(IN_DOCUMENTS.values()):
            name, before = f"edited{number}.yaml", text[: text.index(HERE)].split("\n")
            editor.open(name, text.replace(HERE, ""))
            question = types.CompletionParams(editor.document(name), types.Position(len(before) - 1, len(before[-1])))
            found = await editor.client.text_document_completion_async(question)
            assert isinstance(found, types.CompletionList)
            edit = next(one.text_edit for one in found.items if one.label == label)
            assert isinstance(edit, types.TextEdit)
            assert eglot(text.replace(HERE, ""), edit) == expected

    item = types.ClientCompletionItemOptions(snippet_support=False, deprecated_support=True)
    completion = types.CompletionClientCapabilities(completion_item=item)
    play(session, tmp_path, able(types.PositionEncodingKind.Utf32, completion=completion))


def test_what_is_deprecated_is_marked() -> None:
    (able,) = completion_list_of(Completions((item("A", is_deprecated=True),)), TEXT, CURSOR, ABLE).items
    assert able.tags == [types.CompletionItemTag.Deprecated]


def test_a_list_of_which_more_is_left_says_so() -> None:
    assert completion_list_of(Completions((), is_incomplete=True), TEXT, CURSOR, PLAIN).is_incomplete


def test_what_is_told_of_an_item_is_asked_for(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", "kind: FeatureView\nsyncConfig:\n  ")
        question = types.CompletionParams(editor.document("view.yaml"), types.Position(2, 2))
        found = await editor.client.text_document_completion_async(question)
        assert isinstance(found, types.CompletionList)
        cron = next(one for one in found.items if one.label == "cron")
        assert cron.documentation is None
        resolved = await editor.client.completion_item_resolve_async(cron)
        assert isinstance(resolved.documentation, types.MarkupContent)
        assert "CRON" in resolved.documentation.value

    play_shared(session, tmp_path)
