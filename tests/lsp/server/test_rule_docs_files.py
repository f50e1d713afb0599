"""Findings link to the pages of their rules, which an editor can open."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lsprotocol import types

from tests.lsp.client import LIMIT, Editor, able
from tests.lsp.server.lsp_client import able_to, play, play_shared
from tests.program import view

WRONG = view(cron="0 3 * *")
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


def test_a_finding_links_to_the_page_of_its_rule(tmp_path: Path) -> None:
    async def session(editor: Editor) -> None:
        editor.open("view.yaml", WRONG)
        (found,) = await editor.findings("view.yaml", "cron-syntax")
        page = page_of(found)
        assert page.name == "cron-syntax.md"
        assert (await until_it_is_there(page)).startswith("# cron-syntax\n")

    play_shared(session, tmp_path, able_to())


def test_a_page_outlives_the_server(tmp_path: Path) -> None:
    pages: list[Path] = []

    async def session(editor: Editor) -> None:
        editor.open("view.yaml", WRONG)
        (found,) = await editor.findings("view.yaml", "cron-syntax")
        pages.append(page_of(found))
        await until_it_is_there(pages[0])

    play(session, tmp_path, able_to())
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
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "owners.yaml").write_text(OWNERS)
    (tmp_path / "trialrun.toml").write_text('policies = ["policies"]\n')

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
