"""Another name on the wire: asked about first, and what a person has to confirm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.cases import first_of
from tests.lsp.client import Editor, able
from tests.lsp.navigation.workspace_fixture import TOWN
from tests.lsp.server.lsp_client import play_shared

LUNCH = TOWN["lunch"].replace('"true"\n', '"true"\n          triggerReason: Kid\'s Fries go with it.\n')


def _played(folder: Path, confirms: bool | None) -> tuple[Any, Any, list[str]]:
    """What the client is told before and after it gives the fries another name, and what it is shown."""
    for name, text in {**TOWN, "lunch": LUNCH}.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    client = able(rename=types.RenameClientCapabilities(prepare_support=True))
    support = types.ChangeAnnotationsSupportOptions() if confirms else None
    edit = types.WorkspaceEditClientCapabilities(document_changes=confirms, change_annotation_support=support)
    client.workspace = types.WorkspaceClientCapabilities(workspace_edit=edit)
    place = types.Position(3, 14)

    results: list[tuple[Any, Any, list[str]]] = []

    async def session(editor: Editor) -> None:
        editor.open("menu.yaml")
        before = await _asked(editor, place)
        params = types.RenameParams(editor.document("menu.yaml"), place, "Chips")
        after = await editor.client.text_document_rename_async(params)
        results.append((before, after, [message.message for message in editor.client.messages]))

    play_shared(session, folder, client)
    return results[0]


async def _asked(editor: Editor, place: types.Position) -> Any:
    params = types.PrepareRenameParams(editor.document("menu.yaml"), place)
    return await editor.client.text_document_prepare_rename_async(params)


@pytest.mark.exhaustive
def test_a_name_is_asked_for_with_its_characters(tmp_path: Path) -> None:
    before, _, _ = _played(tmp_path, None)
    place = types.Range(types.Position(3, 11), types.Position(3, 22))
    assert before == types.PrepareRenamePlaceholder(place, "Kid's Fries")


def test_texts_that_may_mean_it_are_for_a_person_to_confirm(tmp_path: Path) -> None:
    _, after, told = _played(tmp_path, confirms=True)
    (label,) = (
        change_annotation
        for change_annotation in after.change_annotations.values()
        if change_annotation.needs_confirmation
    )
    assert label.label == "possible references in text"
    edits = [edit for document in after.document_changes for edit in document.edits]
    asks = [edit for edit in edits if isinstance(edit, types.AnnotatedTextEdit)]
    assert ([edit.new_text for edit in asks], len(edits), told) == (["Chips"], 4, [])


@pytest.mark.parametrize("confirms", first_of([None, False]))
def test_a_client_that_cannot_ask_is_told_what_was_left(tmp_path: Path, confirms: bool | None) -> None:
    _, after, told = _played(tmp_path, confirms)
    assert sorted(len(edits) for edits in after.changes.values()) == [1, 2]
    assert told == ["1 possible reference was not renamed: lunch.yaml:18"]
