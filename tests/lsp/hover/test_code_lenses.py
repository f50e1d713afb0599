"""Lines above resources."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import live as opened_in
from tests.lsp.navigation.open_workspace import opened
from tests.program import Run
from trialrun.lsp.features.code_lens import code_lens
from trialrun.workspace.open_workspace import OpenWorkspace

WORKSPACES = Path(__file__).parents[3] / "fixtures" / "workspaces"
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


def told(live: OpenWorkspace, path: str) -> list[tuple[int, str, str]]:
    """The line of each lens, its title, and its command."""
    return [
        (code_len.range.start.line, code_len.title, " ".join(code_len.command or ()))
        for code_len in code_lens(live, path)
    ]


def test_a_view_tells_its_next_sync(tmp_path: Path) -> None:
    assert told(opened(tmp_path, views=VIEWS), "views.yaml") == [
        (1, "next sync: Sat 21 Nov 06:00 +01:00", "trialrun schedule prices"),
        (5, "synced continuously", "trialrun schedule basket"),
        (9, "synced on demand only", "trialrun schedule allergens"),
    ]


def test_a_view_that_is_never_synced_says_so(tmp_path: Path) -> None:
    never = "kind: FeatureView\nname: prices\nsyncConfig: {cron: 0 0 31 2 *}\n"
    assert told(opened(tmp_path, views=never), "views.yaml") == [
        (1, "never: no date matches", "trialrun schedule prices")
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
    (lens,) = code_lens(live, "fries.yaml")
    assert lens.title == "run scenario"
    assert lens.command == ("trialrun", "test", "-k", "Fries come first", "fries.yaml")


POLICY = """\
id: views-have-an-owner
on: FeatureView
check: has(self.labels)
message: nobody owns this view; name its owner in labels
"""


def test_a_policy_can_be_tried(tmp_path: Path) -> None:
    live = opened(tmp_path, owner=f"{POLICY}---\n{POLICY.replace('views-', 'all-')}")
    assert told(live, "owner.yaml") == [
        (1, "test the examples", "trialrun rules test owner.yaml"),
        (6, "test the examples", "trialrun rules test owner.yaml"),
    ]


VIEW = "kind: FeatureView\nname: {name}\nwarehouseSource: {{uri: a, entityIdColumns: [id]}}\n"
SOURCE = "kind: Source\nuri: a\nfiles: rows.csv\n"


def test_a_view_whose_rows_are_there_can_be_synced(tmp_path: Path) -> None:
    live = opened(tmp_path, view=VIEW.format(name="prices"), source=SOURCE)
    assert told(live, "view.yaml")[1:] == [(1, "trial sync", "trialrun sync prices")]
    assert len(code_lens(opened(tmp_path, source=SOURCE.replace("uri: a", "uri: b")), "view.yaml")) == 1


def test_a_name_is_one_word_of_the_command_and_never_an_option(tmp_path: Path) -> None:
    brand = 'kind: Brand\nname: north\nstores:\n  - name: --pier\n  - name: Łódź "2"; $HOME\n'
    commands = [lens.command for lens in code_lens(opened(tmp_path, brand=brand), "brand.yaml")]
    assert commands == [("trialrun", "resolve", "--", "--pier"), ("trialrun", "resolve", 'Łódź "2"; $HOME')]


def test_every_sort_of_command_runs_in_an_example_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    shutil.copytree(WORKSPACES / "burger-brand", tmp_path, dirs_exist_ok=True)
    live = opened_in(tmp_path)
    files = [str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.yaml") if file.parent.name != "broken"]
    commands = sorted({lens.command for file in files for lens in code_lens(live, file) if lens.command})
    first = {command[1]: command for command in reversed(commands)}
    assert sorted(first) == ["resolve", "schedule", "sync", "test"]
    assert {verb: run(*command[1:]).code for verb, command in first.items()} == dict.fromkeys(first, 0)


def test_commands_with_odd_names_run(tmp_path: Path, run: Run) -> None:
    scenario = 'kind: Scenario\nname: --ür "Łódź"\nclock: 2026-11-20T12:00:00Z\nsteps:\n'
    scenario += "  - schedule: {view: -früh, expect: {runs: []}}\n"
    live = opened(tmp_path, **{"- 'a b'": scenario, "view": VIEW.format(name="-früh"), "owner": POLICY})
    (scenario_lens,) = code_lens(live, "- 'a b'.yaml")
    (view_lens,) = code_lens(live, "view.yaml")
    assert scenario_lens.command and view_lens.command
    assert "1 scenario: 1 in error" in run(*scenario_lens.command[1:]).out, "nothing is a whole resource name"
    assert "-früh" in run(*view_lens.command[1:]).out


def test_a_file_that_is_not_there_has_no_lenses(tmp_path: Path) -> None:
    assert code_lens(opened(tmp_path), "nowhere.yaml") == ()
