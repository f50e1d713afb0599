"""Where something is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import at, opened
from tests.lsp.navigation.workspace_fixture import TOWN
from trialrun.lsp.features.navigation import references
from trialrun.workspace.open_workspace import OpenWorkspace


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(tmp_path)
    return opened(tmp_path, **TOWN)


def _named(live: OpenWorkspace, path: str, where: str) -> list[str]:
    found = references(live, path, at(live, path, where))
    return [f"{location.path}:{location.range.start.line}:{location.range.start.column}" for location in found]


def test_a_config_is_named_in_defaults_bindings_and_scenarios(town: OpenWorkspace) -> None:
    found = ["brand.yaml:3:12", "brand.yaml:6:20", "brand.yaml:11:39", "lunch.yaml:2:58", "scenario.yaml:8:40"]
    assert _named(town, "lunch.yaml", "channelConfigs/lu|nch") == found


def test_an_item_by_its_name_and_by_its_id(town: OpenWorkspace) -> None:
    found = ["lunch.yaml:12:31", "lunch.yaml:18:33", "lunch.yaml:18:48", "menu.yaml:4:12", "menu.yaml:4:29"]
    assert _named(town, "menu.yaml", "id: F|-1") == found


def test_the_same_from_a_use_and_from_a_declaration(town: OpenWorkspace) -> None:
    assert _named(town, "scenario.yaml", "store: pi|er") == _named(town, "brand.yaml", "stores/pi|er")


def test_a_modifier_of_another_group_is_another(town: OpenWorkspace) -> None:
    assert _named(town, "lunch.yaml", "[Ho|t]") == ["lunch.yaml:20:51", "menu.yaml:6:48"]


def test_a_feature_group_of_another_project_is_another(town: OpenWorkspace) -> None:
    assert _named(town, "view.yaml", "featureGroupId: or|ders") == ["tables.yaml:2:17", "view.yaml:6:24"]


def test_a_source_by_its_uri(town: OpenWorkspace) -> None:
    assert _named(town, "tables.yaml", "uri: bq|://p.d.orders") == ["tables.yaml:4:6", "tables.yaml:16:6"]


def test_uses_alone_where_they_are_asked_for(town: OpenWorkspace) -> None:
    found = references(town, "menu.yaml", at(town, "menu.yaml", "id: F|-1"), with_declarations=False)
    assert {location.path for location in found} == {"lunch.yaml"}


def test_a_name_that_nothing_declares_wherever_it_is_written(town: OpenWorkspace) -> None:
    town.set_overlay(str(Path("menu.yaml").resolve()), b"kind: Menu\n")
    assert _named(town, "lunch.yaml", "['Kid''s Fr|ies']".strip("[]")) == ["lunch.yaml:18:33", "lunch.yaml:18:48"]
