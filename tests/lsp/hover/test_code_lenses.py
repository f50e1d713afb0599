"""Lines above resources."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.navigation.opened import opened
from trialrun.lsp.features.code_lenses import code_lenses
from trialrun.workspace.live import Live

VIEWS = """\
kind: FeatureView
name: prices
syncConfig: {cron: CRON_TZ=Europe/Paris 0 6 * * *}
---
kind: FeatureView
name: basket
syncConfig: {continuous: true}
---
kind: FeatureView
name: allergens
---
kind: FeatureView
name: broken
syncConfig: {cron: every day}
"""
CONFIGS = """\
- kind: ChannelConfig
  name: shakes
  type: AGENT_CUSTOMIZATION
  tone: FRIENDLY
- kind: ChannelConfig
  name: fries
"""
BRAND = "kind: Brand\nname: north\ndefaults: [shakes]\nstores:\n  - name: pier\n  - name: hill\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def told(live: Live, path: str) -> list[tuple[int, str, str]]:
    """The line of each lens, its title, and its command."""
    return [(one.range.start.line, one.title, " ".join(one.command or ())) for one in code_lenses(live, path)]


def test_a_view_tells_its_next_sync(tmp_path: Path) -> None:
    assert told(opened(tmp_path, views=VIEWS), "views.yaml") == [
        (1, "next sync: Sat 21 Nov 06:00 +01:00", "trialrun schedule prices"),
        (5, "synced continuously", "trialrun schedule basket"),
        (9, "synced on demand only", "trialrun schedule allergens"),
    ]


def test_a_config_tells_at_how_many_stores_it_is_effective(tmp_path: Path) -> None:
    assert told(opened(tmp_path, configs=CONFIGS, brand=BRAND), "configs.yaml") == [
        (1, "effective at 2 stores", "trialrun resolve --all-stores"),
        (5, "effective at no store", "trialrun resolve --all-stores"),
    ]


def test_a_store_tells_how_many_configs_are_applied(tmp_path: Path) -> None:
    assert told(opened(tmp_path, configs=CONFIGS, brand=BRAND), "brand.yaml") == [
        (5, "1 config applied", "trialrun resolve pier"),
        (6, "1 config applied", "trialrun resolve hill"),
    ]


def test_a_scenario_can_be_run(tmp_path: Path) -> None:
    live = opened(tmp_path, fries="kind: Scenario\nname: Fries come first\nsteps: []\n")
    (lens,) = code_lenses(live, "fries.yaml")
    assert lens.title == "run scenario"
    assert lens.command == ("trialrun", "test", "fries.yaml", "-k", "Fries come first")


def test_a_file_that_is_not_there_has_no_lenses(tmp_path: Path) -> None:
    assert code_lenses(opened(tmp_path), "nowhere.yaml") == ()
