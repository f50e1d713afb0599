"""The server as an editor has it: findings while a text changes, answers, and what it tells without being asked."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.lsp.client import LIMIT, Editor, able, able_to, play, play_shared, pulling, rules_of
from tests.program import own_environment, view

UTF8, UTF16, UTF32 = (
    types.PositionEncodingKind.Utf8,
    types.PositionEncodingKind.Utf16,
    types.PositionEncodingKind.Utf32,
)
LABELED = view().replace("syncConfig:", 'labels: {team: "🍔", Team: x}\nsyncConfig:')
WRONG = view(cron="0 3 * *")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("encoding", "start"), [(UTF16, 21), (UTF8, 23), (UTF32, 20)])
def test_a_finding_is_where_the_client_counts_it(
    tmp_path: Path, encoding: types.PositionEncodingKind, start: int
) -> None:
    async def session(editor: Editor) -> None:
        place = types.Range(types.Position(2, start), types.Position(2, start + 4))
        editor.open("view.yaml", LABELED)
        _, second = await editor.findings("view.yaml", "invalid-label", "invalid-label")
        assert second.range == place
        editor.change("view.yaml", types.TextDocumentContentChangePartial(place, "size"))
        await editor.findings("view.yaml", "invalid-label")

    play(session, tmp_path, able(encoding))


def test_another_file_changes_the_findings_of_an_open_one(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("one.yaml", view())
        await editor.findings("one.yaml")
        editor.open("two.yaml", view())
        (first,) = await editor.findings("two.yaml", "duplicate-resource-name")
        assert first.related_information is not None
        assert first.related_information[0].location.uri == editor.uri("one.yaml")
        editor.write("two.yaml", view("w"))
        await editor.findings("two.yaml")

    play_shared(session, tmp_path)


def test_settings_change_without_a_restart(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", WRONG)
        await editor.findings("view.yaml", "cron-syntax")
        (tmp_path / "trialrun.toml").write_text('[severity]\ncron-syntax = "off"\n', encoding="utf-8")
        change = types.FileEvent(editor.uri("trialrun.toml"), types.FileChangeType.Created)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        await editor.findings("view.yaml")

    play_shared(session, tmp_path)


def test_wrong_settings_are_told_and_the_server_goes_on(tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text("rulez = 1\n", encoding="utf-8")

    async def session(editor: Editor) -> None:
        editor.open("view.yaml", WRONG)
        await editor.findings("view.yaml", "cron-syntax")
        assert ["rulez" in message.message for message in editor.client.messages] == [True]

    play_shared(session, tmp_path)


def test_a_closed_file_has_no_findings(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", WRONG)
        await editor.findings("view.yaml", "cron-syntax")
        editor.close("view.yaml")
        said = editor.published[editor.uri("view.yaml")]
        await editor.until(lambda: not said[-1].diagnostics, lambda: str(said))

    play_shared(session, tmp_path)


def test_a_client_that_asks_is_answered_and_no_longer_pushed_to(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", WRONG)
        question = types.DocumentDiagnosticParams(editor.document("view.yaml"))
        report = await editor.client.text_document_diagnostic_async(question)
        assert rules_of(report.items) == ("cron-syntax",)
        editor.write("view.yaml", view())
        report = await editor.client.text_document_diagnostic_async(question)
        assert rules_of(report.items) == ()
        assert all(not diagnostic.diagnostics for diagnostic in editor.published.get(editor.uri("view.yaml"), [])[-1:])

    play_shared(session, tmp_path, pulling())


def test_a_file_outside_of_the_folder_is_linted(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()

    async def session(editor: Editor) -> None:
        editor.open("../view.yaml", WRONG)
        await editor.findings("../view.yaml", "cron-syntax")

    play_shared(session, folder)


def test_a_file_that_the_settings_exclude_has_no_findings(tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('exclude = ["drafts"]\n', encoding="utf-8")

    async def session(editor: Editor) -> None:
        editor.open("drafts/view.yaml", WRONG)
        await editor.findings("drafts/view.yaml")

    play_shared(session, tmp_path)


@pytest.mark.parametrize("workspace_folders", [None, []])
def test_a_text_that_was_never_saved_is_linted_by_itself(tmp_path: Path, workspace_folders: list[Path] | None) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", WRONG)
        await editor.findings("view.yaml", "cron-syntax")
        item = types.TextDocumentItem("untitled:Untitled-1", types.LanguageKind.Yaml, 1, WRONG)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        said = editor.published
        await editor.until(lambda: "untitled:Untitled-1" in said, lambda: str(list(said)))
        assert rules_of(said["untitled:Untitled-1"][-1].diagnostics) == ("cron-syntax",)

    play_shared(session, tmp_path, workspace_folders=workspace_folders)


def test_a_fix_is_offered_and_mends(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", LABELED.replace('team: "🍔", ', "🍔: x, "))
        found = await editor.findings("view.yaml", "invalid-label", "invalid-label")
        everything = types.Range(types.Position(0, 0), types.Position(99, 0))
        context = types.CodeActionContext(list(found), only=[types.CodeActionKind.QuickFix])
        question = types.CodeActionParams(editor.document("view.yaml"), everything, context)
        actions = await editor.client.text_document_code_action_async(question)
        fixes = [action for action in actions or () if isinstance(action, types.CodeAction) and action.edit is not None]
        assert fixes[0].diagnostics == (found[1],)
        assert fixes[0].edit is not None
        assert fixes[0].edit.changes is not None
        (edit,) = fixes[0].edit.changes[editor.uri("view.yaml")]
        editor.change("view.yaml", types.TextDocumentContentChangePartial(edit.range, edit.new_text))
        await editor.findings("view.yaml", "invalid-label")

    play_shared(session, tmp_path)


def test_a_lens_has_the_command_of_the_client_for_its_line_and_file(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", view())
        question = types.CodeLensParams(editor.document("view.yaml"))
        (lens,) = await editor.client.text_document_code_lens_async(question) or ()
        assert lens.command is not None
        assert lens.command.command == "client.run"
        line, uri = lens.command.arguments or ()
        assert line[:2] == ["trialrun", "schedule"]
        assert uri == editor.uri("view.yaml")

    play(session, tmp_path, initialization_options={"terminalCommand": "client.run"})


def test_a_name_that_cannot_be_is_refused_with_the_reason(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", view())
        question = types.RenameParams(editor.document("view.yaml"), types.Position(0, 0), "other")
        with pytest.raises(Exception, match=r"\w") as refused:
            await editor.client.text_document_rename_async(question)
        assert getattr(refused.value, "code", None) == -32803

    play_shared(session, tmp_path)


def spoken(folder: Path, *messages: dict[str, Any]) -> subprocess.CompletedProcess[bytes]:
    """The server as it hears these messages and then nothing more."""
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    stdin = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    command = [sys.executable, "-m", "trialrun", "lsp", "--stdio"]
    return subprocess.run(
        command, cwd=folder, env=own_environment(folder), input=stdin, capture_output=True, check=False, timeout=LIMIT
    )


def test_nothing_but_messages_is_written(tmp_path: Path) -> None:
    params = {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}}
    begin, end = {"id": 1, "method": "initialize", "params": params}, {"id": 2, "method": "shutdown"}
    done = spoken(tmp_path, begin, end, {"method": "exit"})
    assert done.returncode == 0
    assert done.stdout.startswith(b"Content-Length: ")


def test_a_refusal_is_told_to_the_client_and_not_in_the_log(tmp_path: Path) -> None:
    params = {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}}
    begin, end = {"id": 1, "method": "initialize", "params": params}, {"id": 3, "method": "shutdown"}
    asked = {"id": 2, "method": "trialrun/nothing", "params": {}}
    cancelled = {"method": "$/cancelRequest", "params": {"id": 99}}
    done = spoken(tmp_path, begin, asked, cancelled, end, {"method": "exit"})
    assert b'"code": -32601' in done.stdout
    assert done.stderr == b""


CONFIG = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/north/channelConfigs/lunch
type: UPSELL_STRATEGY
"""
BRAND = """\
kind: Brand
name: projects/p/locations/l/brands/north
defaults: [projects/p/locations/l/brands/north/channelConfigs/lunch]
stores:
  - name: projects/p/locations/l/brands/north/stores/pier
"""
SECOND = "  - name: projects/p/locations/l/brands/north/stores/hill\n"
LENSES, HINTS = types.WORKSPACE_CODE_LENS_REFRESH, types.WORKSPACE_INLAY_HINT_REFRESH


async def lenses(editor: Editor, name: str) -> list[str]:
    found = await editor.client.text_document_code_lens_async(types.CodeLensParams(editor.document(name)))
    return [one.command.title for one in found or () if one.command]


async def hints(editor: Editor, name: str) -> int:
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    found = await editor.client.text_document_inlay_hint_async(types.InlayHintParams(editor.document(name), whole))
    return len(found or ())


def test_a_client_is_told_to_ask_for_lenses_again_when_another_file_changed_them(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("brand.yaml", BRAND)
        editor.open("config.yaml", CONFIG)
        before = await lenses(editor, "config.yaml")
        editor.write("brand.yaml", BRAND + SECOND)
        await editor.heard_of(LENSES)
        assert await lenses(editor, "config.yaml") != before

    play_shared(session, tmp_path, able_to())


NEVER_TRUE = """\
operationsConfig:
  upsellStrategy:
    maxUpsellOffers: 1
    upsells:
      - priority: 1
        celUpsell:
          conditionExpression: order.subtotal > 5.0 && order.subtotal < 4.0
          suggestedMenuItems: [Fries]
"""


def test_a_client_is_told_to_ask_for_lenses_again_when_something_was_proved(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("brand.yaml", BRAND)
        editor.open("config.yaml", CONFIG + NEVER_TRUE)
        assert await lenses(editor, "config.yaml") == ["effective at 1 store"]
        await editor.heard_of(LENSES)
        proved = "proved never offered at pier: its condition is never true"
        assert await lenses(editor, "config.yaml") == ["effective at 1 store", proved]

    play_shared(session, tmp_path, able_to())


def test_a_client_that_shows_no_progress_gets_none(tmp_path: Path) -> None:
    many(tmp_path)

    async def session(editor: Editor) -> None:
        editor.open("view0.yaml")
        await editor.findings("view0.yaml")
        assert editor.client.progress_reports == {}

    play_shared(session, tmp_path)


@pytest.mark.exhaustive
def test_how_far_the_linting_of_many_files_is_can_be_seen(tmp_path: Path) -> None:
    many(tmp_path)

    async def session(editor: Editor) -> None:
        reports = editor.client.progress_reports

        def is_over() -> bool:
            return any(one.kind == "end" for report in reports.values() for one in report)

        editor.open("view0.yaml")
        async with asyncio.timeout(LIMIT):
            while not is_over():
                editor.write("view0.yaml", view("v0") + "#" * editor.versions["view0.yaml"])
                await editor.findings("view0.yaml")
                # Nobody types without a pause in which other files are linted, which takes longer on a busy machine.
                await asyncio.sleep(0.05 * editor.versions["view0.yaml"])
        (told,) = reports.values()
        assert told[0].kind == "begin"

    play_shared(session, tmp_path, able_to())


def many(folder: Path) -> None:
    for number in range(600):
        (folder / f"view{number}.yaml").write_text(view(f"v{number}"))


@pytest.mark.exhaustive
def test_hints_can_be_turned_off_and_on_without_a_restart(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", view())
        assert await hints(editor, "view.yaml") == 1
        editor.client.set_configuration({"trialrun": {"inlayHints": False}})
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        await editor.heard_of(HINTS)
        assert await hints(editor, "view.yaml") == 0

    play(session, tmp_path, able_to(configuration=True))


def test_settings_are_taken_from_a_client_that_cannot_be_asked(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", view())
        assert await hints(editor, "view.yaml") == 1
        for wanted in (False, True):
            told: Any = {"trialrun": {"inlayHints": wanted}}
            editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(told))
            assert await hints(editor, "view.yaml") == wanted

    play_shared(session, tmp_path, able_to())


def test_settings_are_taken_from_a_client_when_it_begins(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        await editor.until(lambda: bool(editor.client.messages), lambda: "nothing is told")
        editor.open("view.yaml", view())
        assert await hints(editor, "view.yaml") == 0
        (told,) = editor.client.messages
        assert told.message == "the setting trialrun.pause is 'long'; write milliseconds, from 0 to 10000"

    play(session, tmp_path, able_to(), initialization_options={"inlayHints": False, "pause": "long", "horoscope": True})


def test_wrong_settings_of_the_workspace_are_told_again_when_they_were_right(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", view())
        messages = editor.client.messages
        for text in ("[severity\n", "", "[severity\n"):
            (editor.folder / "trialrun.toml").write_text(text)
            changed = types.FileEvent(editor.uri("trialrun.toml"), types.FileChangeType.Changed)
            editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
            await hints(editor, "view.yaml")  # by its answer the settings were read
        await editor.until(lambda: len(messages) == 2, lambda: f"{messages}")

    play_shared(session, tmp_path, able_to())


def test_a_wrong_setting_of_the_editor_is_told_again_when_it_was_right(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        for pause in ("long", "long", 50, "long"):
            told: Any = {"trialrun": {"pause": pause}}
            editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(told))
        editor.open("view.yaml", view())
        await hints(editor, "view.yaml")
        assert len(editor.client.messages) == 2

    play_shared(session, tmp_path, able_to())
