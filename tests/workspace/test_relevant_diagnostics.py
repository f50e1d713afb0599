"""What is wrong with the documents that a trial run goes by."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.program import view
from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import CheckRequest
from trialrun.workspace.catalog import brands, catalog
from trialrun.workspace.relevant_diagnostics import diagnostics_of, documents_of_store, documents_of_view

SOURCES = """\
kind: Source
uri: bq://p.d.t
files: t.csv
columns: [{name: id, type: STRING}, {name: value, type: DOUBLE}]
---
kind: Source
uri: bq://p.d.u
file: u.csv
"""
GROUP = """\
kind: FeatureGroupTable
featureGroupId: g
uri: bq://p.d.u
entityIdColumns: [id]
features: [{id: f}]
---
kind: FeatureOnlineStore
name: projects/p/locations/l/featureOnlineStores/s
type: KEY_VALUE
---
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/registered
featureRegistrySource:
  featureGroups: [{featureGroupId: g, featureIds: [f]}]
"""


@pytest.fixture
def request_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CheckRequest:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sources.yaml").write_text(SOURCES)
    (tmp_path / "group.yaml").write_text(GROUP)
    return CheckRequest(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False)


def rules(request: CheckRequest, name: str) -> list[str]:
    declared = catalog(request)
    return [diagnostic.rule for diagnostic in diagnostics_of(request, documents_of_view(declared.view(name), declared))]


def test_another_source_of_the_file_is_not_involved(request_: CheckRequest, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    assert rules(request_, "v") == []


def test_the_source_of_a_group_is_involved(request_: CheckRequest) -> None:
    declared = catalog(request_)
    found = [
        (document.path, document.document) for document in documents_of_view(declared.view("registered"), declared)
    ]
    assert found == [("group.yaml", 2), ("group.yaml", 1), ("group.yaml", 0), ("sources.yaml", 1)]
    assert "unknown-field" in rules(request_, "registered")


def test_another_view_of_a_list_is_not_involved(request_: CheckRequest, tmp_path: Path) -> None:
    views = [view("good"), view("bad", cron="0 25 * * *")]
    (tmp_path / "views.yaml").write_text("".join(f"- {'  '.join(one.splitlines(True))}" for one in views))
    assert rules(request_, "good") == []
    assert rules(request_, "bad") == ["cron-syntax"]


CAFE = """\
kind: Brand
name: cafe
defaults: [voice]
stores: [{name: main-street}, {name: quiet-lane, defaults: [quiet]}]
---
kind: ChannelConfig
name: projects/p/locations/l/brands/cafe/channelConfigs/voice
type: AGENT_CUSTOMIZATION
---
kind: ChannelConfig
name: projects/p/locations/l/brands/cafe/channelConfigs/quiet
type: AGENT_CUSTOMIZATION
tone: QUIET
---
kind: Menu
brand: cafe
items: [{name: Tea, prize: 1.0}]
---
kind: Menu
brand: bar
items: [{name: Beer, cost: 1.0}]
---
kind: SessionSchema
name: session
variables: {order: Ordr}
"""


def at_a_store(request: CheckRequest, folder: Path, name: str) -> list[str]:
    (folder / "cafe.yaml").write_text(CAFE)
    found = brands(request)
    return [
        diagnostic.rule for diagnostic in diagnostics_of(request, documents_of_store(found.store(name), found, request))
    ]


def test_a_session_involves_the_menu_of_its_brand_and_the_types_of_its_state(
    request_: CheckRequest, tmp_path: Path
) -> None:
    assert at_a_store(request_, tmp_path, "main-street") == ["unknown-field", "invalid-session-type"]


def test_a_session_involves_the_configs_that_apply_at_its_store_alone(request_: CheckRequest, tmp_path: Path) -> None:
    told = at_a_store(request_, tmp_path, "quiet-lane")
    assert told == ["unknown-enum-value", "unknown-field", "invalid-session-type"]
