"""Code actions as clients of different abilities get them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.cases import first_of
from tests.lsp.client import Editor, able
from tests.lsp.server.lsp_client import play_shared

MENU = "kind: Menu\nname: m\nitems: [&a {nam: Fries, price: 1}, {<<: *a, name: Rings}]\n"
VIEW = '{"kind": "FeatureView", "syncConfig": {"cron": "often"}}\n'


def _actions(folder: Path, name: str, text: str, client: types.ClientCapabilities) -> Sequence[types.CodeAction]:
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


def _able(**edit: object) -> types.ClientCapabilities:
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
    found = _actions(tmp_path, "m.yaml", MENU, _able(**edit))
    assert [action.disabled.reason for action in found if action.disabled] == [
        "other places would change with it, through an alias"
    ]
    assert not [
        action for action in _actions(tmp_path, "m.yaml", MENU, able()) if action.disabled or "fix unk" in action.title
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
    found = _actions(tmp_path, "m.yaml", MENU, _able(**edit))
    ignore = next(action for action in found if action.title.startswith("suppress unknown-field"))
    assert ignore.edit is not None
    (change,) = ignore.edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    (written,) = change.edits
    assert (written.snippet.value if isinstance(written, types.SnippetTextEdit) else written.new_text).endswith(text)


@pytest.mark.parametrize("edit", first_of([EVERYTHING, {"document_changes": True, "resource_operations": CREATE}]))
def test_settings_are_made_where_the_client_can_make_files(tmp_path: Path, edit: dict[str, Any]) -> None:
    found = _actions(tmp_path, "v.json", VIEW, _able(**edit))
    ignore = next(action for action in found if action.title == "suppress cron-syntax in trialrun.toml")
    assert ignore.edit is not None
    first, second = ignore.edit.document_changes or ()
    assert isinstance(first, types.CreateFile)
    assert isinstance(second, types.TextDocumentEdit)
    assert first.uri == second.text_document.uri == (tmp_path / "trialrun.toml").as_uri()
    assert not [action for action in _actions(tmp_path, "v.json", VIEW, able()) if action.title.startswith("suppress")]
