"""What the client is told without asking: that it should ask again, how far the work is, and what it can set."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from lsprotocol import types

from tests.lsp.client import LIMIT, Editor
from tests.lsp.server.lsp_client import able_to, play, play_shared
from tests.program import view

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


def test_a_client_that_shows_no_progress_gets_none(tmp_path: Path) -> None:
    many(tmp_path)

    async def session(editor: Editor) -> None:
        editor.open("view0.yaml")
        await editor.findings("view0.yaml")
        assert editor.client.progress_reports == {}

    play_shared(session, tmp_path)


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
