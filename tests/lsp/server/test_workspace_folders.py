"""Several folders in one editor, and workspaces inside of a folder: a file belongs to the innermost."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.cases import first_of
from tests.lsp.client import Editor, able_to, play_shared
from tests.program import Run, view

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


@pytest.mark.parametrize("is_watched", first_of([False, True]))
def test_folders_of_one_workspace_hear_of_each_other(two: Path, is_watched: bool) -> None:
    for name in ("one", "two"):
        (two / name / "trialrun.toml").unlink()
    (two / "trialrun.toml").write_text("")

    async def session(editor: Editor) -> None:
        editor.open("one/view.yaml", view("other"))
        editor.open("two/view.yaml", view())
        await editor.findings("one/view.yaml")
        await editor.findings("two/view.yaml")
        (two / "one" / "view.yaml").write_text(view())
        if is_watched:
            change = types.FileEvent(editor.uri("one/view.yaml"), types.FileChangeType.Created)
            editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        else:
            editor.client.text_document_did_save(types.DidSaveTextDocumentParams(editor.document("one/view.yaml")))
        await editor.findings("two/view.yaml", "duplicate-resource-name")

    play_shared(session, two, workspace_folders=[two / "one", two / "two"])


def test_symbols_of_all_folders_are_found(two: Path) -> None:
    (two / "one" / "view.yaml").write_text(view("prices"))
    (two / "two" / "view.yaml").write_text(view("sprice"))

    async def session(editor: Editor) -> None:
        found = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("pri"))
        assert [one.name for one in found or ()] == ["prices", "sprice"]

    play_shared(session, two, workspace_folders=[two / "one", two / "two"])


def test_symbols_of_folders_of_one_workspace_are_found_once(two: Path) -> None:
    for name in ("one", "two"):
        (two / name / "trialrun.toml").unlink()
        (two / name / "view.yaml").write_text(view(f"prices_{name}"))
    (two / "trialrun.toml").write_text("")

    async def session(editor: Editor) -> None:
        found = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("pri"))
        assert sorted(one.name for one in found or ()) == ["prices_one", "prices_two"]

    play_shared(session, two, workspace_folders=[two, two / "two"])


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


MISSED = view(cron="0 25 * * *")
WITHOUT_KIND = MISSED.replace("kind: FeatureView\n", "").replace("/v\n", "/plain\n")
POLICY = "id: {team}-etag\non: FeatureView\ncheck: has(self.etag)\nmessage: {team} wants an etag\n"
TEAM_SETTINGS = {
    "": 'severity.cron-syntax = "warning"\n',
    "team-a/": 'ignore = ["cron-syntax"]\npolicies = ["rules"]\n',
    "team-b/": 'policies = ["rules"]\nkinds."plain.yaml" = "FeatureView"\n',
}
TEAM_FILES = ("view.yaml", "team-a/view.yaml", "team-a/plain.yaml", "team-b/view.yaml", "team-b/plain.yaml")
Places = list[tuple[str, str, int, int]]


@pytest.fixture
def teams(tmp_path: Path) -> Path:
    """A workspace around two others, which differ in what they ignore, in kinds and in policies."""
    for folder, text in TEAM_SETTINGS.items():
        (tmp_path / folder / "rules").mkdir(parents=True)
        (tmp_path / folder / "rules" / "etag.yaml").write_text(POLICY.format(team=folder.rstrip("/") or "top"))
        (tmp_path / folder / "trialrun.toml").write_text(text)
    for name in TEAM_FILES:
        (tmp_path / name).write_text(WITHOUT_KIND if "plain" in name else MISSED)
    return tmp_path


def checked(run: Run) -> dict[str, Places]:
    """What a check at the top finds in each file."""
    report: dict[str, Any] = json.loads(run("check", "--output-format=json").out)
    found: dict[str, Places] = {name: [] for name in TEAM_FILES}
    for diagnostic in report["diagnostics"]:
        start = diagnostic["range"]["start"]
        found[diagnostic["path"]].append((diagnostic["rule"], diagnostic["severity"], start["line"], start["column"]))
    return found


def shown(diagnostics: Sequence[types.Diagnostic]) -> Places:
    """The same of what an editor is told."""
    words = {types.DiagnosticSeverity.Error: "error", types.DiagnosticSeverity.Warning: "warning"}
    starts = [(diagnostic, diagnostic.range.start) for diagnostic in diagnostics]
    return [
        (str(one.code), words.get(one.severity or types.DiagnosticSeverity.Hint, "note"), at.line + 1, at.character + 1)
        for one, at in starts
    ]


@pytest.mark.parametrize("order", [TEAM_FILES, pytest.param(TEAM_FILES[::-1], marks=pytest.mark.exhaustive)])
def test_findings_are_those_of_a_check(run: Run, teams: Path, order: Sequence[str]) -> None:
    expected = checked(run)
    assert len({str(expected[name]) for name in TEAM_FILES}) >= 4

    async def session(editor: Editor) -> None:
        for name in order:
            editor.open(name)
        for name in order:
            found = await editor.findings(name, *(rule for rule, *_ in expected[name]))
            assert shown(found) == expected[name], name

    play_shared(session, teams)
