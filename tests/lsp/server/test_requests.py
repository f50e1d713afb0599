"""Requests of clients of different abilities: completions, code actions, renames, symbols."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.cases import each_of, first_of
from tests.lsp.client import Editor, able, play, play_shared
from tests.lsp.completion.conftest import CURSOR as HERE
from tests.lsp.navigation.open_workspace import TOWN
from trialrun.diagnostic import Range
from trialrun.lsp.features.navigation import SYMBOL_KINDS
from trialrun.lsp.results import Completion, Object, markdown, plain_text
from trialrun.lsp.server.client import Ability
from trialrun.lsp.server.requests import completion_list_of, without_tab_stops
from trialrun.lsp.server.text_documents import TextDocument
from trialrun.lsp.symbols.occurrence import KINDS
from trialrun.text import Position, Source

PLAIN = frozenset[Ability]()
ABLE = frozenset[Ability](
    ["snippets", "completion_tags", "has_default_range", "has_insert_replace", "adjusts_indentation"]
)
CURSOR = {"line": 0, "character": 8}
TEXT = TextDocument(Source("a.yaml", "🍔: CONCISE"), "utf-16")
WHOLE = Range(Position(1, 4), Position(1, 11))
"""The word that the cursor stands in: before its fifth letter."""


def item(text: str, *, is_snippet: bool = False, is_deprecated: bool = False) -> Completion:
    return Completion("A", "value", text, WHOLE, "1", is_snippet=is_snippet, is_deprecated=is_deprecated)


def listed(*items: Completion) -> Object:
    return {"isIncomplete": False, "items": items}


def items_of(found: Object, client: frozenset[Ability]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = completion_list_of(found, TEXT, CURSOR, client)["items"]
    return items


def test_a_client_that_can_choose_is_told_both_ranges() -> None:
    (made,) = items_of(listed(item("A")), frozenset(["has_insert_replace"]))
    edit = made["textEdit"]
    assert (edit["insert"]["end"]["character"], edit["replace"]["end"]["character"]) == (8, 11)


def test_another_replaces_the_whole_word() -> None:
    (made,) = items_of(listed(item("A")), PLAIN)
    assert made["textEdit"] == {"range": TEXT.range_to_protocol(WHOLE), "newText": "A"}


@each_of(
    [
        ("**`name`**: text, `a` and `` b`c ``", "name: text, a and b`c"),
        ("a ``` b `c`", "a ``` b c"),
        (r"\*not bold\* \<b\> \[x\] `\d`", r"*not bold* <b> [x] \d"),
        ("**Bad**\n\n```yaml\na: `**`\n```\n\nend", "Bad\n\na: `**`\n\nend"),
    ]
)
def test_plain_text_has_no_marks(text: str, plain: str) -> None:
    assert plain_text(markdown(text)) == {"kind": "plaintext", "value": plain}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("shown", "kind"),
    [
        ([types.MarkupKind.PlainText], types.MarkupKind.PlainText),
        ([types.MarkupKind.PlainText, types.MarkupKind.Markdown], types.MarkupKind.Markdown),
    ],
)
def test_texts_are_plain_for_a_client_that_shows_no_markdown(
    tmp_path: Path, shown: list[types.MarkupKind], kind: types.MarkupKind
) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", 'kind: FeatureView\nsyncConfig:\n  cron: "0 3 * * *"\n')
        document, at = editor.document("view.yaml"), types.Position(2, 10)
        hover = await editor.client.text_document_hover_async(types.HoverParams(document, at))
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        asked = types.InlayHintParams(document, types.Range(types.Position(0, 0), types.Position(3, 0)))
        (hint,) = await editor.client.text_document_inlay_hint_async(asked) or ()
        assert isinstance(hint.tooltip, types.MarkupContent)
        completion = types.CompletionParams(document, types.Position(3, 0))
        found = await editor.client.text_document_completion_async(completion)
        assert isinstance(found, types.CompletionList)
        item = await editor.client.completion_item_resolve_async(found.items[0])
        assert isinstance(item.documentation, types.MarkupContent)
        texts = [hover.contents, hint.tooltip, item.documentation]
        assert {text.kind for text in texts} == {kind}
        assert {bool(set("`*") & set(text.value)) for text in texts} == {kind == types.MarkupKind.Markdown}

    hover = types.HoverClientCapabilities(content_format=shown)
    documented = types.ClientCompletionItemOptions(documentation_format=shown)
    completion = types.CompletionClientCapabilities(completion_item=documented)
    play_shared(session, tmp_path, able(hover=hover, completion=completion))


def test_a_range_of_all_items_is_reported_once() -> None:
    made = completion_list_of(listed(item("A"), item("A: b")), TEXT, CURSOR, ABLE)
    assert made["itemDefaults"]["editRange"].keys() == {"insert", "replace"}
    assert [(one.get("textEdit"), one.get("textEditText")) for one in made["items"]] == [(None, None), (None, "A: b")]


def test_tab_stops_are_for_those_who_know_them() -> None:
    found = listed(item("a: ${1:x}$0", is_snippet=True))
    (able,), (plain,) = items_of(found, ABLE), items_of(found, PLAIN)
    assert (able["textEditText"], able["insertTextFormat"]) == ("a: ${1:x}$0", types.InsertTextFormat.Snippet)
    assert plain["textEdit"]["newText"] == "a: x"
    assert "insertTextFormat" not in plain


def test_a_dollar_that_is_meant_stays() -> None:
    assert without_tab_stops(r"a: \$1 ${2:b\\c}") == r"a: $1 b\c"


def test_lines_of_an_item_are_indented_by_a_client_that_can() -> None:
    found = listed(item("A"), item("a:\n  b: 1"))
    able, plain = items_of(found, ABLE), items_of(found, PLAIN)
    assert [made.get("insertTextMode") for made in able] == [None, types.InsertTextMode.AdjustIndentation]
    assert [made.get("insertTextMode") for made in plain] == [None, None]


@pytest.mark.parametrize("snippets", [False, True])
@pytest.mark.parametrize("before", ["", "  ", "      - ", "  - - ", "  a: {"])
def test_lines_of_an_item_are_indented_for_a_client_that_cannot(before: str, snippets: bool) -> None:
    client = frozenset[Ability](["snippets"] if snippets else [])
    blanks = before[: len(before) - len(before.lstrip())]
    mapper = TextDocument(Source("a.yaml", f"🍔:\n{before}a"), "utf-16")
    place = Range(Position(2, len(before) + 1), Position(2, len(before) + 2))
    (made,) = completion_list_of(
        listed(Completion("a", "field", "a:\n  - b: 1\n    c:", place, "1")), mapper, CURSOR, client
    )["items"]
    assert made["textEdit"]["newText"] == f"a:\n{blanks}  - b: 1\n{blanks}    c:"


def test_a_snippet_is_indented_by_its_client() -> None:
    client = frozenset[Ability](["snippets"])
    mapper = TextDocument(Source("a.yaml", "🍔:\n    a"), "utf-16")
    place = Range(Position(2, 5), Position(2, 6))
    found = listed(Completion("a", "field", "a:\n  b: $1", place, "1", is_snippet=True))
    (made,) = completion_list_of(found, mapper, {"line": 1, "character": 5}, client)["items"]
    assert made["textEdit"]["newText"] == "a:\n  b: $1"


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
    "in a mapping": ("kind: FeatureView\nname: n\n¦\n", "syncConfig", "kind: FeatureView\nname: n\nsyncConfig:\n  \n"),
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
    (able,) = items_of(listed(item("A", is_deprecated=True)), ABLE)
    assert able["tags"] == [types.CompletionItemTag.Deprecated]


def test_a_list_of_which_more_is_left_says_so() -> None:
    assert completion_list_of({"isIncomplete": True, "items": ()}, TEXT, CURSOR, PLAIN)["isIncomplete"]


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


MENU = "kind: Menu\nname: m\nitems: [&a {nam: Fries, price: 1}, {<<: *a, name: Rings}]\n"
VIEW = '{"kind": "FeatureView", "syncConfig": {"cron": "often"}}\n'


def actions(folder: Path, name: str, text: str, client: types.ClientCapabilities) -> Sequence[types.CodeAction]:
    """What a client is offered for the whole of a text."""
    (folder / name).write_text(text, encoding="utf-8")
    whole = types.Range(types.Position(0, 0), types.Position(9, 0))

    actions: list[types.CodeAction] = []

    async def session(editor: Editor) -> None:
        editor.open(name)
        params = types.CodeActionParams(editor.document(name), whole, types.CodeActionContext([]))
        found = await editor.client.text_document_code_action_async(params)
        actions.extend(one for one in found or () if isinstance(one, types.CodeAction))

    play_shared(session, folder, client)
    return actions


def able_to_edit(**edit: object) -> types.ClientCapabilities:
    client = able(code_action=types.CodeActionClientCapabilities(disabled_support=True))
    client.workspace = types.WorkspaceClientCapabilities(workspace_edit=types.WorkspaceEditClientCapabilities(**edit))  # type: ignore[arg-type]
    return client


CREATE = [types.ResourceOperationKind.Create]
EVERYTHING = {"document_changes": True, "snippet_edit_support": True, "resource_operations": CREATE}
"""What one client can do, so that tests share its server."""


@pytest.mark.parametrize("edit", first_of([EVERYTHING, {}]))
def test_a_fix_that_cannot_be_made_is_shown_with_the_reason_where_the_client_can(
    tmp_path: Path, edit: dict[str, Any]
) -> None:
    found = actions(tmp_path, "m.yaml", MENU, able_to_edit(**edit))
    assert [action.disabled.reason for action in found if action.disabled] == [
        "other places would change with it, through an alias"
    ]
    assert not [
        action for action in actions(tmp_path, "m.yaml", MENU, able()) if action.disabled or "fix unk" in action.title
    ]


@pytest.mark.parametrize(
    ("edit", "text"),
    first_of(
        [
            (EVERYTHING, "ignore[unknown-field] ${1:<reason>}"),
            ({"document_changes": True, "snippet_edit_support": True}, "ignore[unknown-field] ${1:<reason>}"),
            ({"document_changes": True}, "ignore[unknown-field] <reason>"),
        ]
    ),
)
def test_the_reason_is_a_tab_stop_where_the_client_knows_them(tmp_path: Path, edit: dict[str, Any], text: str) -> None:
    found = actions(tmp_path, "m.yaml", MENU, able_to_edit(**edit))
    ignore = next(action for action in found if action.title.startswith("suppress unknown-field"))
    assert ignore.edit is not None
    (change,) = ignore.edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    (written,) = change.edits
    assert (written.snippet.value if isinstance(written, types.SnippetTextEdit) else written.new_text).endswith(text)


@pytest.mark.parametrize("edit", first_of([EVERYTHING, {"document_changes": True, "resource_operations": CREATE}]))
def test_settings_are_made_where_the_client_can_make_files(tmp_path: Path, edit: dict[str, Any]) -> None:
    found = actions(tmp_path, "v.json", VIEW, able_to_edit(**edit))
    ignore = next(action for action in found if action.title == "suppress cron-syntax in trialrun.toml")
    assert ignore.edit is not None
    first, second = ignore.edit.document_changes or ()
    assert isinstance(first, types.CreateFile)
    assert isinstance(second, types.TextDocumentEdit)
    assert first.uri == second.text_document.uri == (tmp_path / "trialrun.toml").as_uri()
    assert not [action for action in actions(tmp_path, "v.json", VIEW, able()) if action.title.startswith("suppress")]


LUNCH = TOWN["lunch"].replace('"true"\n', '"true"\n          triggerReason: Kid\'s Fries go with it.\n')


def renamed(folder: Path, takes_versions: bool | None) -> tuple[Any, Any]:
    """What the client is told before and after it gives the fries another name."""
    for name, text in {**TOWN, "lunch": LUNCH}.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    client = able(rename=types.RenameClientCapabilities(prepare_support=True))
    edit = types.WorkspaceEditClientCapabilities(document_changes=takes_versions)
    client.workspace = types.WorkspaceClientCapabilities(workspace_edit=edit)
    place = types.Position(3, 14)

    results: list[tuple[Any, Any]] = []

    async def session(editor: Editor) -> None:
        editor.open("menu.yaml")
        before = await prepared(editor, place)
        params = types.RenameParams(editor.document("menu.yaml"), place, "Chips")
        after = await editor.client.text_document_rename_async(params)
        results.append((before, after))

    play_shared(session, folder, client)
    return results[0]


async def prepared(editor: Editor, place: types.Position) -> Any:
    params = types.PrepareRenameParams(editor.document("menu.yaml"), place)
    return await editor.client.text_document_prepare_rename_async(params)


@pytest.mark.exhaustive
def test_a_name_is_asked_for_with_its_characters(tmp_path: Path) -> None:
    before, _ = renamed(tmp_path, None)
    place = types.Range(types.Position(3, 11), types.Position(3, 22))
    assert before == types.PrepareRenamePlaceholder(place, "Kid's Fries")


def test_a_client_that_takes_versions_gets_edits_of_documents(tmp_path: Path) -> None:
    _, after = renamed(tmp_path, takes_versions=True)
    assert sorted(len(document.edits) for document in after.document_changes) == [1, 2]


@pytest.mark.parametrize("takes_versions", first_of([None, False]))
def test_other_clients_get_edits_by_uri(tmp_path: Path, takes_versions: bool | None) -> None:
    _, after = renamed(tmp_path, takes_versions)
    assert sorted(len(edits) for edits in after.changes.values()) == [1, 2]


def test_every_kind_of_name_has_one() -> None:
    assert {*SYMBOL_KINDS, "bound variable"} == KINDS  # variables of macros are no symbols
