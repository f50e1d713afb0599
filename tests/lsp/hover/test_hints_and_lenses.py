"""Short texts in the lines, and lines above resources."""

import shutil
import time
from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import at, live, opened
from tests.lsp.navigation.open_workspace import live as opened_in
from tests.program import Run
from trialrun.lsp.describe.proofs import is_proving
from trialrun.lsp.features.code_lens import code_lens
from trialrun.lsp.features.inlay_hint import documented, inlay_hint
from trialrun.lsp.results import Object
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
        number, before = hint["position"].line, hint["position"].column - 1
        line = lines.get(number, reading.source.line(number))
        lines[number] = f"{line[:before]}‹{hint['label']}›{line[before:]}"
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
    assert hinted(opened(tmp_path, view=VIEW.replace("0 6 * * *", "0 0 31 2 *")), "view.yaml")[0] == (
        'cron: "CRON_TZ=Europe/Paris 0 0 31 2 *"‹never: no date matches›  # early'
    )


def test_a_schedule_that_cannot_be_read_has_no_hint(tmp_path: Path) -> None:
    assert len(inlay_hint(opened(tmp_path, view=VIEW.replace("0 6 * * *", "0 25 * * *")), "view.yaml")) == 2


def test_a_config_and_the_bindings_of_a_brand_tell_their_stores(tmp_path: Path) -> None:
    workspace = opened(tmp_path, config=CONFIG, brand=BRAND)
    assert hinted(workspace, "config.yaml") == ["name: shakes‹2 stores›"]
    assert hinted(workspace, "brand.yaml") == ["channelConfig: shakes‹2 stores›", "channelConfig: shakes‹1 store›"]


def test_without_a_brand_nobody_knows_the_stores(tmp_path: Path) -> None:
    assert hinted(opened(tmp_path, config=CONFIG), "config.yaml") == []


def test_only_hints_between_two_offsets_are_told(tmp_path: Path) -> None:
    workspace = opened(tmp_path, view=VIEW)
    start, end = at(workspace, "view.yaml", "indexConfig"), at(workspace, "view.yaml", "optimizedConfig")
    assert [hint["label"] for hint in inlay_hint(workspace, "view.yaml", start, end)] == ["leafNodeEmbeddingCount 1000"]


def test_hints_stand_in_json_as_well(tmp_path: Path) -> None:
    text = '{"kind": "FeatureView", "optimizedConfig": {"automaticResources": {"maxReplicaCount": 4}}}'
    (tmp_path / "view.json").write_text(text)
    assert hinted(live(tmp_path), "view.json") == [text.replace("4}", "4}‹minReplicaCount 2›")]


def test_an_alias_has_the_hints_of_what_it_repeats(tmp_path: Path) -> None:
    text = "- kind: FeatureView\n  name: a\n  syncConfig: &daily {cron: 0 6 * * *}\n"
    text += "- kind: FeatureView\n  name: b\n  syncConfig: *daily  # too\n  ragSource: {uri: a}\n"
    assert hinted(opened(tmp_path, views=text), "views.yaml") == [
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


WORKSPACES = Path(__file__).parents[3] / "fixtures" / "workspaces"
SCHEDULES = """\
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
TWO_STORES = "kind: Brand\nname: north\ndefaults: [shakes]\nstores:\n  - name: pier\n  - name: hill\n"


def words_of(lens: Object) -> tuple[str, ...]:
    """The command line of a lens."""
    return tuple(lens["command"].get("arguments", ()))


def told(live: OpenWorkspace, path: str) -> list[tuple[int, str, str]]:
    """The line of each lens, its title, and its command."""
    return [
        (lens["range"].start.line, lens["command"]["title"], " ".join(words_of(lens))) for lens in code_lens(live, path)
    ]


def test_a_view_tells_its_next_sync(tmp_path: Path) -> None:
    assert told(opened(tmp_path, views=SCHEDULES), "views.yaml") == [
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
    assert told(opened(tmp_path, configs=CONFIGS, brand=TWO_STORES), "configs.yaml") == [
        (1, "effective at 2 stores", "trialrun resolve --all-stores"),
        (5, "effective at no store", "trialrun resolve --all-stores"),
    ]


UPSELLS = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/north/channelConfigs/shakes
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    maxUpsellOffers: 2
    upsells:
      - priority: 1
        celUpsell:
          conditionExpression: order.subtotal > 5.0
          suggestedMenuItems: [Shake]
      - priority: 2
        celUpsell:
          conditionExpression: order.subtotal > 5.0 && order.subtotal < 4.0
          suggestedMenuItems: [Fries]
"""
MENU = "kind: Menu\nbrand: north\nitems: [{name: Shake, price: 3.0}, {name: Fries, price: 2.0}]\n"


def lenses_after_proofs(live: OpenWorkspace, path: str) -> list[tuple[int, str, str]]:
    """The lenses of a text, asked for once more when everything is proved."""
    assert not any("proved" in title for _, title, _ in told(live, path))
    end = time.monotonic() + 60
    while is_proving():
        assert time.monotonic() < end
        time.sleep(0.05)
    return told(live, path)


def test_an_upsell_that_is_never_offered_is_proved_at_its_condition(tmp_path: Path) -> None:
    live = opened(tmp_path, configs=UPSELLS, brand=TWO_STORES, menu=MENU)
    assert lenses_after_proofs(live, "configs.yaml")[1:] == [
        (14, "proved never offered at pier: its condition is never true", "trialrun prove pier")
    ]
    live = opened(tmp_path, configs=UPSELLS.replace("< 4.0", "< 9.0"), brand=TWO_STORES, menu=MENU)
    assert len(lenses_after_proofs(live, "configs.yaml")) == 1
    wrong = UPSELLS.replace("maxUpsellOffers: 2", "maxUpsellOffers: two")
    live = opened(tmp_path, configs=wrong, brand=TWO_STORES, menu=MENU)
    assert len(lenses_after_proofs(live, "configs.yaml")) == 1  # the errors come first


def test_a_store_tells_how_many_configs_are_applied(tmp_path: Path) -> None:
    assert told(opened(tmp_path, configs=CONFIGS, brand=TWO_STORES), "brand.yaml") == [
        (5, "1 config applied", "trialrun resolve pier"),
        (6, "1 config applied", "trialrun resolve hill"),
    ]


def test_a_scenario_can_be_run(tmp_path: Path) -> None:
    live = opened(tmp_path, fries="kind: Scenario\nname: Fries come first\nsteps: []\n")
    (lens,) = code_lens(live, "fries.yaml")
    assert lens["command"]["title"] == "run scenario"
    assert words_of(lens) == ("trialrun", "test", "-k", "Fries come first", "fries.yaml")


POLICY = """\
id: views-have-an-owner
on: FeatureView
check: has(self.labels)
message: nobody owns this view; name its owner in labels
"""


def test_a_policy_can_be_tried(tmp_path: Path) -> None:
    assert told(opened(tmp_path, owner=f"{POLICY}---\n{POLICY.replace('views-', 'all-')}"), "owner.yaml") == [
        (1, "test the examples", "trialrun rules test owner.yaml"),
        (6, "test the examples", "trialrun rules test owner.yaml"),
    ]


VIEW_WITH_SOURCE = "kind: FeatureView\nname: {name}\nwarehouseSource: {{uri: a, entityIdColumns: [id]}}\n"
SOURCE = "kind: Source\nuri: a\nfiles: rows.csv\n"


def test_a_view_whose_rows_are_there_can_be_synced(tmp_path: Path) -> None:
    live = opened(tmp_path, view=VIEW_WITH_SOURCE.format(name="prices"), source=SOURCE)
    assert told(live, "view.yaml")[1:] == [(1, "trial sync", "trialrun sync prices")]
    assert len(code_lens(opened(tmp_path, source=SOURCE.replace("uri: a", "uri: b")), "view.yaml")) == 1


def test_a_table_of_terraform_is_no_place_of_rows(tmp_path: Path) -> None:
    table = 'resource "google_bigquery_table" "a" {\n  project = "p"\n  dataset_id = "d"\n  table_id = "t"\n'
    (tmp_path / "main.tf").write_text(table + '  schema = "[]"\n}\n', encoding="utf-8")
    live = opened(tmp_path, view=VIEW_WITH_SOURCE.format(name="prices").replace("uri: a", "uri: 'bq://p.d.t'"))
    assert [title for _, title, _ in told(live, "view.yaml")] == ["synced on demand only"]


def test_a_name_is_one_word_of_the_command_and_never_an_option(tmp_path: Path) -> None:
    brand = 'kind: Brand\nname: north\nstores:\n  - name: --pier\n  - name: Łódź "2"; $HOME\n'
    commands = [words_of(lens) for lens in code_lens(opened(tmp_path, brand=brand), "brand.yaml")]
    assert commands == [("trialrun", "resolve", "--", "--pier"), ("trialrun", "resolve", 'Łódź "2"; $HOME')]


@pytest.mark.exhaustive
def test_every_sort_of_command_runs_in_an_example_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    shutil.copytree(WORKSPACES / "burger-brand", tmp_path, dirs_exist_ok=True)
    live = opened_in(tmp_path)
    files = [str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.yaml") if file.parent.name != "broken"]
    commands = sorted({words_of(lens) for file in files for lens in code_lens(live, file) if words_of(lens)})
    first = {command[1]: command for command in reversed(commands)}
    assert sorted(first) == ["resolve", "schedule", "sync", "test"]
    assert {verb: run(*command[1:]).code for verb, command in first.items()} == dict.fromkeys(first, 0)


def test_commands_with_odd_names_run(tmp_path: Path, run: Run) -> None:
    scenario = 'kind: Scenario\nname: --ür "Łódź"\nclock: 2026-11-20T12:00:00Z\nsteps:\n'
    scenario += "  - schedule: {view: -früh, expect: {runs: []}}\n"
    live = opened(tmp_path, **{"- 'a b'": scenario, "view": VIEW_WITH_SOURCE.format(name="-früh"), "owner": POLICY})
    (scenario_lens,) = code_lens(live, "- 'a b'.yaml")
    (view_lens,) = code_lens(live, "view.yaml")
    assert "1 scenario: 1 in error" in run(*words_of(scenario_lens)[1:]).out, "nothing is a whole resource name"
    assert "-früh" in run(*words_of(view_lens)[1:]).out


def test_a_file_that_is_not_there_has_no_lenses(tmp_path: Path) -> None:
    assert code_lens(opened(tmp_path), "nowhere.yaml") == []
