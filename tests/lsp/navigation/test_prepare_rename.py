"""Whether a name can be changed, before a new one is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import at, opened, words
from tests.lsp.navigation.workspace_fixture import TOWN
from trialrun.lsp.features.rename import prepare_rename
from trialrun.lsp.results import CannotRename
from trialrun.workspace.open_workspace import OpenWorkspace


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(tmp_path)
    return opened(tmp_path, **TOWN)


@pytest.mark.parametrize(
    ("path", "where", "name", "written"),
    [
        ("brand.yaml", "[projects/p|/locations", "lunch", "lunch"),
        ("brand.yaml", 'channelConfig: "lu|nch"', "lunch", "lunch"),
        ("lunch.yaml", "'Kid''s Fr|ies'", "Kid's Fries", "Kid''s Fries"),
        ("tables.yaml", "uri: bq|://p.d.orders", "bq://p.d.orders", "bq://p.d.orders"),
    ],
)
def test_the_part_of_a_name_that_changes(town: OpenWorkspace, path: str, where: str, name: str, written: str) -> None:
    found = prepare_rename(town, path, at(town, path, where))
    assert found is not None
    assert (found.name, words(town, path, found.range)) == (name, written)


def test_a_key_and_a_text_are_no_names(town: OpenWorkspace) -> None:
    assert prepare_rename(town, "lunch.yaml", at(town, "lunch.yaml", "prio|rity: 1")) is None
    assert prepare_rename(town, "lunch.yaml", at(town, "lunch.yaml", "messageText: Fr|ies?")) is None


@pytest.mark.parametrize(
    ("path", "where", "reason"),
    [
        ("view.yaml", "featureViews/gue|sts", "names of views are also used"),
        ("menu.yaml", "[Sauces, G|-2]", "nothing in the workspace declares"),
    ],
)
def test_a_name_that_cannot_change_says_why(town: OpenWorkspace, path: str, where: str, reason: str) -> None:
    town.set_overlay(str(Path("menu.yaml").resolve()), TOWN["menu"].replace("id: G-2, ", "").encode())
    with pytest.raises(CannotRename, match=reason):
        prepare_rename(town, path, at(town, path, where))
