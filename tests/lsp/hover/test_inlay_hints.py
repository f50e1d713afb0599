"""Short texts in the lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import at, live, opened
from trialrun.lsp.features.inlay_hint import documented, inlay_hint
from trialrun.workspace.open_workspace import OpenWorkspace

VIEW = """\
kind: FeatureView
name: prices
syncConfig:
  cron: "CRON_TZ=Europe/Paris 0 6 * * *"  # early
indexConfig:
  treeAhConfig: {}
optimizedConfig:
  automaticResources:   # few
    minReplicaCount: 3
"""
CONFIG = "kind: ChannelConfig\nname: shakes\ntype: AGENT_CUSTOMIZATION\ntone: FRIENDLY\n"
BRAND = """\
kind: Brand
name: north
bindings:
  - rule: all
    channelConfig: shakes
  - rule: piers
    channelConfig: shakes
    stores: {tags: [pier]}
stores: [{name: long-pier, tags: [pier]}, {name: hill}]
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def hinted(workspace: OpenWorkspace, path: str) -> list[str]:
    """The lines that have hints, each with its hints in angle quotes."""
    reading = workspace.workspace_file(path)
    assert reading is not None
    lines = {}
    for hint in reversed(inlay_hint(workspace, path)):
        line = lines.get(hint.line, reading.source.line(hint.line))
        lines[hint.line] = f"{line[: hint.column - 1]}‹{hint.text}›{line[hint.column - 1 :]}"
    return [lines[number].strip() for number in sorted(lines)]


def test_the_next_run_and_the_defaults_stand_behind_what_they_are_about(tmp_path: Path) -> None:
    assert hinted(opened(tmp_path, view=VIEW), "view.yaml") == [
        'cron: "CRON_TZ=Europe/Paris 0 6 * * *"‹next: Sat 21 Nov 06:00 +01:00›  # early',
        "treeAhConfig: {}‹leafNodeEmbeddingCount 1000›",
        "automaticResources:   # few‹maxReplicaCount 6›",
    ]


def test_a_refused_value_is_no_default(tmp_path: Path) -> None:
    workspace = opened(tmp_path, view=VIEW.replace("minReplicaCount: 3", "minReplicaCount: many"))
    assert hinted(workspace, "view.yaml")[-1] == "automaticResources:   # few‹maxReplicaCount 6›"


def test_a_schedule_in_a_block_has_its_hint_on_the_line_of_the_key(tmp_path: Path) -> None:
    text = VIEW.replace('"CRON_TZ=Europe/Paris 0 6 * * *"  # early', ">-\n    0 6\n    * * *")
    assert hinted(opened(tmp_path, view=text), "view.yaml")[0] == "cron: >-‹next: Sat 21 Nov 06:00 +00:00›"


def test_a_schedule_without_a_run_says_why_and_names_none(tmp_path: Path) -> None:
    never = VIEW.replace("0 6 * * *", "0 0 31 2 *")
    assert hinted(opened(tmp_path, view=never), "view.yaml")[0] == (
        'cron: "CRON_TZ=Europe/Paris 0 0 31 2 *"‹never: no date matches›  # early'
    )


def test_a_schedule_that_cannot_be_read_has_no_hint(tmp_path: Path) -> None:
    text = VIEW.replace("0 6 * * *", "0 25 * * *")
    assert len(inlay_hint(opened(tmp_path, view=text), "view.yaml")) == 2


def test_a_config_and_the_bindings_of_a_brand_tell_their_stores(tmp_path: Path) -> None:
    workspace = opened(tmp_path, config=CONFIG, brand=BRAND)
    assert hinted(workspace, "config.yaml") == ["name: shakes‹2 stores›"]
    assert hinted(workspace, "brand.yaml") == ["channelConfig: shakes‹2 stores›", "channelConfig: shakes‹1 store›"]


def test_without_a_brand_nobody_knows_the_stores(tmp_path: Path) -> None:
    assert hinted(opened(tmp_path, config=CONFIG), "config.yaml") == []


def test_only_hints_between_two_offsets_are_told(tmp_path: Path) -> None:
    workspace = opened(tmp_path, view=VIEW)
    start, end = at(workspace, "view.yaml", "indexConfig"), at(workspace, "view.yaml", "optimizedConfig")
    assert [hint.text for hint in inlay_hint(workspace, "view.yaml", start, end)] == ["leafNodeEmbeddingCount 1000"]


def test_hints_stand_in_json_as_well(tmp_path: Path) -> None:
    text = '{"kind": "FeatureView", "optimizedConfig": {"automaticResources": {"maxReplicaCount": 4}}}'
    (tmp_path / "view.json").write_text(text)
    assert hinted(live(tmp_path), "view.json") == [text.replace("4}", "4}‹minReplicaCount 2›")]


def test_an_alias_has_the_hints_of_what_it_repeats(tmp_path: Path) -> None:
    text = "- kind: FeatureView\n  name: a\n  syncConfig: &daily {cron: 0 6 * * *}\n"
    text += "- kind: FeatureView\n  name: b\n  syncConfig: *daily  # too\n  ragSource: {uri: a}\n"
    workspace = opened(tmp_path, views=text)
    assert hinted(workspace, "views.yaml") == [
        "syncConfig: &daily {cron: 0 6 * * *‹next: Sat 21 Nov 06:00 +00:00›}",
        "syncConfig: *daily‹on demand only›  # too",
    ]


def test_what_a_merge_brings_has_its_hints_at_the_anchor_alone(tmp_path: Path) -> None:
    text = "- kind: FeatureView\n  name: a\n  syncConfig: &daily\n    cron: 0 6 * * *\n"
    text += "- kind: FeatureView\n  name: b\n  syncConfig:\n    <<: *daily\n"
    workspace = opened(tmp_path, views=text)
    assert hinted(workspace, "views.yaml") == ["cron: 0 6 * * *‹next: Sat 21 Nov 06:00 +00:00›"]


MESSAGES = """\
kind: ChannelConfig
operationsConfig:
  upsellStrategy:
    upsells:
      - greetingOffer:
          messages:
            - displayName: Warm
            - upsoldItems: [Shake]
      - closingOffer:
          closingMessages:
            - offerMessage:
                displayName: Sweet
                messageFrequency: 0.4
            - offerMessage:
                displayName: Sour
"""


def test_a_message_without_a_frequency_tells_how_often_it_is_used(tmp_path: Path) -> None:
    assert hinted(opened(tmp_path, config=MESSAGES), "config.yaml") == [
        "- displayName: Warm‹1/2 of sessions›",
        "- upsoldItems: [Shake]‹1/2 of sessions›",
        "- offerMessage:‹not used›",
    ]


def test_one_message_alone_needs_no_share(tmp_path: Path) -> None:
    text = MESSAGES.replace("            - upsoldItems: [Shake]\n", "").replace(
        "                messageFrequency: 0.4\n", ""
    )
    assert hinted(opened(tmp_path, config=text), "config.yaml") == [
        "- offerMessage:‹1/2 of sessions›",
        "- offerMessage:‹1/2 of sessions›",
    ]


def test_every_default_is_one_that_the_specification_names() -> None:
    told = {
        (model.__name__, name, value): model.model_fields[name].description or ""
        for model, names in documented().items()
        for name, value in names.items()
    }
    assert len(told) == 4
    assert all(value in words and ("unset" in words or "Defaults to" in words) for (*_, value), words in told.items())
