"""Several folders in one editor: each is a workspace of its own, a file belongs to the innermost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lsprotocol import types

from tests.cases import first_of
from tests.lsp.client import Editor
from tests.lsp.server.lsp_client import able_to, play_shared
from tests.program import view

WRONG = view(cron="0 3 * *")
OFF = '[severity]\ncron-syntax = "off"\n'


def folder(path: Path) -> types.WorkspaceFolder:
    return types.WorkspaceFolder(path.as_uri(), path.name)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A folder with two workspaces, of which the second does not look at schedules."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "trialrun.toml").write_text(OFF if name == "two" else "")
    return tmp_path


def test_each_folder_has_its_settings(two: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("one/view.yaml", WRONG)
        editor.open("two/view.yaml", WRONG)
        await editor.findings("one/view.yaml", "cron-syntax")
        await editor.findings("two/view.yaml")

    play_shared(session, two, workspace_folders=[two / "one", two / "two"])


def test_names_of_one_folder_do_not_clash_with_those_of_another(two: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("one/view.yaml", view())
        editor.open("two/view.yaml", view())
        await editor.findings("one/view.yaml")
        await editor.findings("two/view.yaml")

    play_shared(session, two, workspace_folders=[two / "one", two / "two"])


def test_a_file_belongs_to_the_innermost_folder(two: Path) -> None:
    (two / "trialrun.toml").write_text("")

    async def session(editor: Editor) -> None:
        editor.open("two/view.yaml", WRONG)
        await editor.findings("two/view.yaml")

    play_shared(session, two, workspace_folders=[two, two / "two"])


def test_a_folder_that_is_opened_later_takes_its_files(two: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("two/view.yaml", WRONG)
        await editor.findings("two/view.yaml", "cron-syntax")
        event = types.WorkspaceFoldersChangeEvent(added=[folder(two / "two")], removed=[])
        editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
        editor.workspace_folders = [two / "one", two / "two"]
        await editor.findings("two/view.yaml")

    play_shared(session, two, workspace_folders=[two / "one"])


def test_a_folder_that_is_closed_leaves_its_files_to_another(two: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("two/view.yaml", WRONG)
        await editor.findings("two/view.yaml")
        event = types.WorkspaceFoldersChangeEvent(added=[], removed=[folder(two / "two")])
        editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
        editor.workspace_folders = [two / "one"]
        await editor.findings("two/view.yaml", "cron-syntax")

    play_shared(session, two, workspace_folders=[two / "one", two / "two"])


def test_without_a_folder_each_file_goes_by_the_settings_around_it(two: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("one/view.yaml", WRONG)
        editor.open("two/view.yaml", WRONG)
        await editor.findings("one/view.yaml", "cron-syntax")
        await editor.findings("two/view.yaml")

    play_shared(session, two, workspace_folders=[])


def test_without_a_folder_a_text_that_was_never_saved_is_linted(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        item = types.TextDocumentItem("untitled:Untitled-1", types.LanguageKind.Yaml, 1, WRONG)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        said = editor.published
        await editor.until(lambda: "untitled:Untitled-1" in said, lambda: str(list(said)))
        assert [diagnostic.code for diagnostic in said["untitled:Untitled-1"][-1].diagnostics] == ["cron-syntax"]

    play_shared(session, tmp_path, workspace_folders=[])


@pytest.mark.parametrize("is_watched", first_of([False, True]))
def test_folders_of_one_workspace_hear_of_each_other(two: Path, is_watched: bool) -> None:
    for name in ("one", "two"):
        (two / name / "trialrun.toml").unlink()
    (two / "trialrun.toml").write_text("")

    async def session(editor: Editor) -> None:
        editor.open("one/view.yaml", view())
        editor.open("two/view.yaml", view("other"))
        await editor.findings("one/view.yaml")
        await editor.findings("two/view.yaml")
        (two / "two" / "view.yaml").write_text(view())
        if is_watched:
            change = types.FileEvent(editor.uri("two/view.yaml"), types.FileChangeType.Created)
            editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        else:
            editor.client.text_document_did_save(types.DidSaveTextDocumentParams(editor.document("two/view.yaml")))
        await editor.findings("one/view.yaml", "duplicate-resource-name")

    play_shared(session, two, workspace_folders=[two / "one", two / "two"])


def test_symbols_of_all_folders_are_found(two: Path) -> None:
    (two / "one" / "view.yaml").write_text(view("prices"))
    (two / "two" / "view.yaml").write_text(view("sprice"))

    async def session(editor: Editor) -> None:
        found = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("pri"))
        assert [one.name for one in found or ()] == ["prices", "sprice"]

    play_shared(session, two, workspace_folders=[two / "one", two / "two"])


def test_a_folder_that_is_a_link_is_the_folder_it_leads_to(two: Path) -> None:
    link = two / "link"
    os.symlink(two / "two", link)
    (two / "two" / "other.yaml").write_text(view())

    async def session(editor: Editor) -> None:
        editor.open("link/view.yaml", view(cron="0 3 * *"))
        (found,) = await editor.findings("link/view.yaml", "duplicate-resource-name")
        assert found.related_information is not None
        assert found.related_information[0].location.uri == editor.uri("link/other.yaml")

    play_shared(session, two, able_to(), [link])


@pytest.mark.parametrize("name", first_of(["a#b?c;d", "ä漢🍔", "a b", "a%20b", "c:"]))
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    own = tmp_path / name
    own.mkdir()
    (own / "other.yaml").write_text(view())

    async def session(editor: Editor) -> None:
        editor.open("view.yaml", view())
        (found,) = await editor.findings("view.yaml", "duplicate-resource-name")
        assert found.related_information is not None
        assert found.related_information[0].location.uri == editor.uri("other.yaml")

    play_shared(session, own)


@pytest.mark.exhaustive
def test_a_workspace_inside_of_a_folder_has_its_settings(two: Path) -> None:
    (two / "trialrun.toml").write_text("")

    async def session(editor: Editor) -> None:
        editor.open("one/view.yaml", WRONG)
        editor.open("two/view.yaml", WRONG)
        await editor.findings("one/view.yaml", "cron-syntax")
        await editor.findings("two/view.yaml")

    play_shared(session, two, workspace_folders=[two])
