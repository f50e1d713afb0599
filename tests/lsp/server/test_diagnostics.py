"""Findings as a client is told or asks for them, with their tags and the pages of their rules."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from lsprotocol import types

from tests.cases import first_of
from tests.lsp.client import HASTY, LIMIT, Editor, able, able_to, play, play_shared, pulling, rules_of
from tests.program import view, write_files
from trialrun.lint import registry
from trialrun.lsp.server.diagnostics import DEPRECATED, UNNECESSARY

WRONG = view(cron="0 3 * *")
REFRESH = types.WORKSPACE_DIAGNOSTIC_REFRESH
Unchanged = types.RelatedUnchangedDocumentDiagnosticReport


async def asked(editor: Editor, name: str, previous: str | None = None) -> types.DocumentDiagnosticReport:
    question = types.DocumentDiagnosticParams(editor.document(name), previous_result_id=previous)
    return await editor.client.text_document_diagnostic_async(question)


async def reports(
    editor: Editor, *previous: types.PreviousResultId
) -> Sequence[types.WorkspaceDocumentDiagnosticReport]:
    """The reports of the whole workspace, once there are some: there may be none while files are read."""
    question = types.WorkspaceDiagnosticParams(list(previous))
    async with asyncio.timeout(LIMIT):
        while not (found := (await editor.client.workspace_diagnostic_async(question)).items):
            continue
    return found


async def whole(editor: Editor, *previous: types.PreviousResultId) -> dict[str, tuple[str, ...]]:
    """The rules by file, as the whole workspace is asked for."""
    return {item.uri: rules_of(getattr(item, "items", ())) for item in await reports(editor, *previous)}


def test_findings_that_are_known_are_not_told_again(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", WRONG)
        first = await asked(editor, "view.yaml")
        editor.write("view.yaml", WRONG + "# a comment\n")
        again = await asked(editor, "view.yaml", first.result_id)
        assert isinstance(again, Unchanged)
        editor.write("view.yaml", view())
        assert rules_of((await asked(editor, "view.yaml", first.result_id)).items) == ()

    play_shared(session, tmp_path, pulling())


def test_a_client_is_told_to_ask_again_when_another_file_changed_what_it_has(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("two.yaml", view())
        assert rules_of((await asked(editor, "two.yaml")).items) == ()
        editor.open("one.yaml", view())
        await editor.heard_of(REFRESH)
        assert rules_of((await asked(editor, "two.yaml")).items) == ("duplicate-resource-name",)

    play_shared(session, tmp_path, pulling())


def test_a_file_that_is_not_open_has_findings(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(WRONG)

    async def session(editor: Editor) -> None:
        assert rules_of((await asked(editor, "view.yaml")).items) == ("cron-syntax",)

    play_shared(session, tmp_path, pulling())


def test_the_whole_workspace_has_findings(tmp_path: Path) -> None:
    write_files(tmp_path, {"view.yaml": WRONG, "sound.yaml": view("w")})

    async def session(editor: Editor) -> None:
        assert await whole(editor) == {editor.uri("view.yaml"): ("cron-syntax",)}

    play(session, tmp_path, pulling(), change=HASTY)


@pytest.mark.exhaustive
def test_the_whole_workspace_is_answered_again_when_there_are_news(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(WRONG)

    async def session(editor: Editor) -> None:
        known = [types.PreviousResultId(item.uri, str(item.result_id)) for item in await reports(editor)]
        waiting = asyncio.ensure_future(whole(editor, *known))
        (tmp_path / "view.yaml").write_text(view())
        change = types.FileEvent(editor.uri("view.yaml"), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        assert await waiting == {editor.uri("view.yaml"): ()}

    play(session, tmp_path, pulling(), change=HASTY)


@pytest.mark.exhaustive
def test_open_files_are_no_part_of_what_is_told_of_the_workspace(tmp_path: Path) -> None:
    write_files(tmp_path, {"view.yaml": WRONG, "other.yaml": view("w", cron="0 3 * *")})

    async def session(editor: Editor) -> None:
        editor.open("view.yaml")
        await asked(editor, "view.yaml")
        assert list(await whole(editor)) == [editor.uri("other.yaml")]

    play(session, tmp_path, pulling(), change=HASTY)


def test_what_the_user_does_not_want_is_taken_back(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(WRONG)

    async def session(editor: Editor) -> None:
        known = [types.PreviousResultId(item.uri, str(item.result_id)) for item in await reports(editor)]
        told: Any = {"trialrun": {"workspaceFindings": False}}
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(told))
        assert await whole(editor, *known) == {editor.uri("view.yaml"): ()}

    play(session, tmp_path, pulling(), change=HASTY)


def test_all_findings_are_pushed_where_the_user_wants_it(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(WRONG)

    async def session(editor: Editor) -> None:
        uri = editor.uri("view.yaml")
        await editor.until(lambda: uri in editor.published, lambda: "nothing is pushed")
        assert rules_of(editor.published[uri][-1].diagnostics) == ("cron-syntax",)
        (tmp_path / "view.yaml").unlink()
        change = types.FileEvent(uri, types.FileChangeType.Deleted)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        await editor.until(lambda: not editor.published[uri][-1].diagnostics, lambda: "nothing is taken back")

    play_shared(session, tmp_path, initialization_options={"workspaceFindings": True})


def test_a_file_that_is_closed_keeps_its_findings_where_all_are_wanted(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(WRONG)

    async def session(editor: Editor) -> None:
        said = editor.published
        uri = editor.uri("view.yaml")
        editor.open("view.yaml")
        await editor.findings("view.yaml", "cron-syntax")
        before = len(said[uri])
        editor.close("view.yaml")
        await editor.until(lambda: len(said[uri]) >= before + 2, lambda: str(said[uri][before:]))
        assert [bool(one.diagnostics) for one in said[uri][before:]] == [False, True]

    play_shared(session, tmp_path, initialization_options={"workspaceFindings": True})


def test_only_rules_that_there_are_have_tags() -> None:
    assert registry.files().keys() >= DEPRECATED | UNNECESSARY


@pytest.mark.parametrize(
    ("text", "rule", "tag"),
    first_of(
        [
            (view() + "vectorSearchConfig: {}\n", "deprecated-field", types.DiagnosticTag.Deprecated),
            (view(cron="TZ=US/Eastern 0 9 * * *"), "deprecated-time-zone", types.DiagnosticTag.Deprecated),
            (view() + "createTime: 2026-01-01T00:00:00Z\n", "output-only-field", types.DiagnosticTag.Unnecessary),
            (
                view().replace("cron: 0 3 * * *", "continuous: false"),
                "empty-sync-config",
                types.DiagnosticTag.Unnecessary,
            ),
        ],
        number=3,
    ),
)
def test_a_finding_has_its_tag(tmp_path: Path, text: str, rule: str, tag: types.DiagnosticTag) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", text)
        said = editor.published
        await editor.until(lambda: editor.uri("view.yaml") in said, lambda: "nothing is told")
        (found,) = [
            diagnostic for diagnostic in said[editor.uri("view.yaml")][-1].diagnostics if diagnostic.code == rule
        ]
        assert found.tags == (tag,)

    play_shared(session, tmp_path)


OWNERS = (
    "id: views-have-owners\non: FeatureView\nat: labels\ncheck: \"'owner' in self.labels\"\nmessage: nobody owns it\n"
)


def page_of(found: types.Diagnostic) -> Path:
    assert found.code_description is not None
    return Path(unquote(urlsplit(found.code_description.href).path))


async def until_it_is_there(page: Path) -> str:
    """What a page says, once it has been written."""
    async with asyncio.timeout(LIMIT):
        while not page.exists():
            await asyncio.sleep(0.02)
    return page.read_text(encoding="utf-8")


def test_a_finding_links_to_the_page_of_its_rule_which_outlives_the_server(tmp_path: Path) -> None:
    pages: list[Path] = []

    async def session(editor: Editor) -> None:
        editor.open("view.yaml", WRONG)
        (found,) = await editor.findings("view.yaml", "cron-syntax")
        pages.append(page_of(found))
        assert (await until_it_is_there(pages[0])).startswith("# cron-syntax\n")

    play(session, tmp_path, able_to())
    assert pages[0].name == "cron-syntax.md"
    assert pages[0].exists()


@pytest.mark.exhaustive
def test_where_no_cache_can_be_written_pages_go_with_the_server(tmp_path: Path) -> None:
    (tmp_path.parent / f"{tmp_path.name}-cache").write_text("no folder")
    pages: list[Path] = []

    async def session(editor: Editor) -> None:
        editor.open("view.yaml", WRONG)
        (found,) = await editor.findings("view.yaml", "cron-syntax")
        pages.append(page_of(found))
        await until_it_is_there(pages[0])

    play(session, tmp_path, able_to())
    assert not pages[0].exists()


def test_a_client_that_shows_no_links_gets_none(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", WRONG)
        (found,) = await editor.findings("view.yaml", "cron-syntax")
        assert found.code_description is None

    play_shared(session, tmp_path, able())


def test_a_policy_of_the_workspace_has_a_page(tmp_path: Path) -> None:
    write_files(tmp_path, {"policies/owners.yaml": OWNERS, "trialrun.toml": 'policies = ["policies"]\n'})

    async def session(editor: Editor) -> None:
        editor.open("view.yaml", view())
        (found,) = await editor.findings("view.yaml", "views-have-owners")
        assert "# views-have-owners" in await until_it_is_there(page_of(found))

    play_shared(session, tmp_path, able_to())


def test_the_page_of_a_rule_is_shown_when_it_is_asked_for(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", WRONG)
        (found,) = await editor.findings("view.yaml", "cron-syntax")
        asked = types.ExecuteCommandParams("trialrun.explain", [editor.uri("view.yaml"), str(found.code)])
        await editor.client.workspace_execute_command_async(asked)
        await editor.until(lambda: bool(editor.client.shown_documents), lambda: "nothing is shown")
        (shown,) = editor.client.shown_documents
        assert Path(unquote(urlsplit(shown.uri).path)).read_text(encoding="utf-8").startswith("# cron-syntax")

    play_shared(session, tmp_path, able_to())
