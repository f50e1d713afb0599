"""The findings in the documents that a trial run goes by, and when their addresses are resolved."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from tests.cases import each_of
from tests.program import Run, view
from trialrun.lint.settings import Profiles, Settings
from trialrun.lint.settings.model import TABLES
from trialrun.runtime.options import ALIASES, Options, runtime_options
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


CHOSEN = """\
[runtime]
vanished-entities = "keep"
threads = 1
"""


KEYS = {key: known for key, known in TABLES["runtime"].fields_by_key().items() if key not in ALIASES}
OF_THE_PROGRAM = ("confined", "bounded", "engine")
"""Options that no setting has: the command chooses them."""


def test_the_settings_are_the_options_of_the_runtime() -> None:
    assert [key.replace("-", "_") for key in KEYS] == [
        name for name in Options.__annotations__ if name not in OF_THE_PROGRAM
    ]
    assert runtime_options({"vanished-entities": "drop", "memory-limit": "4GB"}) == Options("drop", memory_limit="4GB")


def test_the_defaults_of_the_settings_are_those_of_the_runtime() -> None:
    assert {key: known.default for key, known in KEYS.items()} == {
        key: getattr(Options(), key.replace("-", "_")) for key in KEYS
    }


@each_of([key for key, known in KEYS.items() if get_origin(known.annotation) is Literal])
def test_a_choice_has_the_words_of_the_runtime(key: str) -> None:
    allowed = get_type_hints(Options)[key.replace("-", "_")]
    words = [word for arg in get_args(allowed) for word in (get_args(arg) or (arg,))]
    assert {*get_args(KEYS[key].annotation)} == set(words) - {type(None)}


def test_the_settings_command_shows_every_choice_and_where_it_came_from(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text(CHOSEN)
    shown = json.loads(run("settings", "--output-format", "json").out)["settings"]
    assert shown["runtime.vanished-entities"] == {"value": "keep", "from": "trialrun.toml", "default": None}
    assert shown["runtime.threads"] == {"value": 1, "from": "trialrun.toml", "default": 0}
    assert shown["runtime.memory-limit"] == {"value": "2GB", "from": "default", "default": "2GB"}
