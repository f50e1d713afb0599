"""Another name on the wire: asked about first, then made by a client that takes versions of documents, or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.cases import first_of
from tests.lsp.client import Editor, able
from tests.lsp.navigation.open_workspace import TOWN
from tests.lsp.server.lsp_client import play_shared

LUNCH = TOWN["lunch"].replace('"true"\n', '"true"\n          triggerReason: Kid\'s Fries go with it.\n')


def _played(folder: Path, takes_versions: bool | None) -> tuple[Any, Any]:
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
        before = await _asked(editor, place)
        params = types.RenameParams(editor.document("menu.yaml"), place, "Chips")
        after = await editor.client.text_document_rename_async(params)
        results.append((before, after))

    play_shared(session, folder, client)
    return results[0]


async def _asked(editor: Editor, place: types.Position) -> Any:
    params = types.PrepareRenameParams(editor.document("menu.yaml"), place)
    return await editor.client.text_document_prepare_rename_async(params)


@pytest.mark.exhaustive
def test_a_name_is_asked_for_with_its_characters(tmp_path: Path) -> None:
    before, _ = _played(tmp_path, None)
    place = types.Range(types.Position(3, 11), types.Position(3, 22))
    assert before == types.PrepareRenamePlaceholder(place, "Kid's Fries")


def test_a_client_that_takes_versions_gets_edits_of_documents(tmp_path: Path) -> None:
    _, after = _played(tmp_path, takes_versions=True)
    assert sorted(len(document.edits) for document in after.document_changes) == [1, 2]


@pytest.mark.parametrize("takes_versions", first_of([None, False]))
def test_other_clients_get_edits_by_uri(tmp_path: Path, takes_versions: bool | None) -> None:
    _, after = _played(tmp_path, takes_versions)
    assert sorted(len(edits) for edits in after.changes.values()) == [1, 2]
