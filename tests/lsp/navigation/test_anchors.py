"""Anchors and their aliases are names of their document."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import at, edited, opened, words
from trialrun.lsp.features.navigation import goto_definition, references
from trialrun.lsp.features.rename import prepare_rename, rename
from trialrun.lsp.results import CannotRename
from trialrun.workspace.open_workspace import OpenWorkspace

TEXT = """\
kind: Menu
items:
  - &fries {name: Fries, modifierGroups: !!seq &sizes [Sizes]}
  - {<<: *fries, name: "*fries &fries"}  # *fries
  - {name: Rings, modifierGroups: *sizes}
modifierGroups: &fries
  - &one {name: Sizes}
---
kind: Menu
items: [&fries {name: Other}]
"""


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(tmp_path)
    return opened(tmp_path, menu=TEXT)


def _lines(live: OpenWorkspace, where: str, ask: object = goto_definition) -> list[str]:
    assert callable(ask)
    found = ask(live, "menu.yaml", at(live, "menu.yaml", where))
    return [f"{location.range.start.line}:{words(live, 'menu.yaml', location.range)}" for location in found]


@pytest.mark.parametrize("where", ["*fr|ies", "|*fries, name", "<<: *fries|", "&fr|ies {name: Fries"])
def test_an_alias_leads_to_its_anchor(live: OpenWorkspace, where: str) -> None:
    assert _lines(live, where) == ["3:fries"]


def test_an_anchor_behind_a_tag(live: OpenWorkspace) -> None:
    assert _lines(live, "modifierGroups: *si|zes") == ["3:sizes"]


def test_an_anchor_is_referred_to_by_its_aliases(live: OpenWorkspace) -> None:
    assert _lines(live, "&fr|ies {name: Fries", references) == ["3:fries", "4:fries"]


def test_a_name_given_again_is_another_anchor(live: OpenWorkspace) -> None:
    assert _lines(live, "modifierGroups: &fr|ies", references) == ["6:fries"]


def test_a_sign_in_a_text_is_none(live: OpenWorkspace) -> None:
    assert _lines(live, '"*fr|ies &fries"') == ["4:*fries &fries"]


def test_another_name_for_an_anchor_and_its_aliases(live: OpenWorkspace) -> None:
    (file,) = rename(live, "menu.yaml", at(live, "menu.yaml", "*si|zes"), "all-sizes")
    assert edited(live, "menu.yaml", file.edits) == live.files.bytes_of("menu.yaml").decode().replace(
        "&sizes", "&all-sizes"
    ).replace("*sizes", "*all-sizes")
    found = prepare_rename(live, "menu.yaml", at(live, "menu.yaml", "*si|zes"))
    assert found is not None
    assert (found.name, words(live, "menu.yaml", found.range)) == ("sizes", "sizes")


@pytest.mark.parametrize(
    ("name", "reason"), [("a b", "is not a valid anchor name"), ("fries", "this document already has")]
)
def test_a_name_that_an_anchor_cannot_have(live: OpenWorkspace, name: str, reason: str) -> None:
    with pytest.raises(CannotRename, match=reason):
        rename(live, "menu.yaml", at(live, "menu.yaml", "*si|zes"), name)
