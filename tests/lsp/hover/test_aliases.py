"""What is shown at anchors, aliases and merges, and at what only an alias makes a field."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.hover.hover_fixture import marked, shown
from tests.lsp.navigation.open_workspace import opened
from trialrun.workspace.open_workspace import OpenWorkspace

TEXT = """\
- x-daily: &daily
    cron: 0 6 * * *
- kind: FeatureView
  name: a
  syncConfig: *daily
  labels: &ours {team: a, tier: b}
- kind: FeatureView
  name: b
  syncConfig:
    <<: *daily
    cron: 0 7 * * *
  labels:
    <<: *ours
    team: c  # not *ours, nor &daily
  etag: "*ours"
"""


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(tmp_path)
    return opened(tmp_path, views=TEXT)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("Config: *da|ily", '`*daily` refers to the value at `&daily` (line 1):\n\n`{"cron": "0 6 * * *"}`'),
        ("Config: *da|ily", "**`FeatureView.syncConfig`**: `SyncConfig`, optional"),
        ("&ou|rs", "`&ours` names this value; it is repeated on line 13."),
        (
            "<|<: *ours",
            "Merges the keys of `&ours` (line 6); keys that are set here take precedence.\n\nMerged keys: `tier`",
        ),
        ("<<: *ou|rs", "`*ours` refers to the value at `&ours` (line 6)."),
        ("cr|on: 0 6", "**`SyncConfig.cron`**: text, optional"),
        ("cron: 0 |6", "Runs at 06:00 every day"),
        ("cron: 0 |7", "Runs at 07:00 every day"),
    ],
)
def test_an_alias_is_told(live: OpenWorkspace, place: str, told: str) -> None:
    assert told in shown(live, "views.yaml", place)


def test_the_sign_and_the_name_are_marked(live: OpenWorkspace) -> None:
    assert marked(live, "views.yaml", "<<: *ou|rs") == "*ours"
    assert marked(live, "views.yaml", "<|<: *ours") == "<<"


@pytest.mark.parametrize("place", ["not *ou|rs", "nor &da|ily"])
def test_what_a_comment_says_is_no_alias(live: OpenWorkspace, place: str) -> None:
    assert "stand" not in shown(live, "views.yaml", place)


def test_what_a_text_says_is_no_alias(live: OpenWorkspace) -> None:
    assert "**`FeatureView.etag`**" in shown(live, "views.yaml", '"*ou|rs')
