"""`trialrun resolve`: what is effective at a store, for people and for programs."""

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cases import first_of
from tests.program import Run

BURGERS = Path(__file__).parent.parent.parent / "fixtures" / "workspaces" / "burger-brand"
PARENT = "projects/p/locations/l/brands/acme/channelConfigs/"
BRAND = """\
kind: Brand
name: acme
defaults: [house, base]
bindings:
  - {rule: quick stores, channelConfig: quick, stores: {tags: [city]}}
  - {rule: late stores, channelConfig: late}
  - {rule: ghost, channelConfig: gohst}
stores:
  - {name: austin, displayName: "Austin, Lamar", tags: [city]}
  - {name: boston}
  - name: casper
    bindings: [{rule: casper, channelConfig: quick}]
"""
CONFIGS = """\
kind: ChannelConfig
name: {PARENT}house
type: AGENT_CUSTOMIZATION
tone: FRIENDLY
operationsConfig: {displayName: House, defaultLanguageCode: en-US, featuresConfig: {orderPickup: {}}}
---
kind: ChannelConfig
name: {PARENT}base
type: UPSELL_STRATEGY
operationsConfig:
  defaultLanguageCode: en-GB
  upsellStrategy:
    maxUpsellOffers: 3
    upsells:
      - displayName: Fries
        priority: 1
        celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}
---
kind: ChannelConfig
name: {PARENT}quick
type: UPSELL_STRATEGY
operationsConfig: {upsellStrategy: {maxUpsellOffers: 1}}
---
kind: ChannelConfig
name: {PARENT}late
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    maxUpsellOffers: 2
    upsells:
      - displayName: Shake
        priority: 1
        celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Shake]}
""".replace("{PARENT}", PARENT)


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    (tmp_path / "brand.yaml").write_text(BRAND)
    (tmp_path / "configs.yaml").write_text(CONFIGS)
    return tmp_path


def told(run: Run, *arguments: str) -> Any:
    return json.loads(run("resolve", "--output-format", "json", *arguments).out)


@pytest.mark.parametrize("columns", ["60", "120"])
def test_the_page_of_a_store(run: Run, acme: Path, snapshot: SnapshotAssertion, columns: str) -> None:
    ran = run("resolve", "austin", COLUMNS=columns)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == snapshot


@pytest.mark.parametrize("columns", first_of(["60", "80", "160"]))
def test_no_line_is_wider_than_the_page(run: Run, columns: str) -> None:
    for words in (["austin-lamar"], ["montreal-plateau"], ["--all-stores"], ["--all-stores", "--field", "tone"]):
        lines = run("resolve", *words, cwd=BURGERS, COLUMNS=columns).out.splitlines()
        assert [line for line in lines if len(line) > int(columns)] == []


def test_a_long_rule_goes_on_below(run: Run, acme: Path) -> None:
    (acme / "brand.yaml").write_text(BRAND.replace("quick stores", " ".join(["stores of the quick format"] * 5)))
    lines = run("resolve", "austin", COLUMNS="60").out.splitlines()
    assert [line for line in lines if len(line) > 60] == []
    assert sum(line.count("format") for line in lines) == 5


def test_the_object_of_the_contract(run: Run, acme: Path) -> None:
    answer = told(run, "austin")
    types = ["UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"]
    assert (answer["version"], answer["store"], [*answer["types"]]) == (1, "austin", types)
    strategy = answer["types"]["UPSELL_STRATEGY"]
    assert strategy["value"]["operationsConfig"]["upsellStrategy"]["maxUpsellOffers"] == 2
    late = {"level": "brand-binding", "rule": "late stores", "config": f"{PARENT}late"}
    quick = {"level": "brand-binding", "rule": "quick stores", "config": f"{PARENT}quick"}
    base = {"level": "brand-default", "config": f"{PARENT}base"}
    overrode = [(quick, 22, 1), (base, 13, 3)]
    assert strategy["origins"]["/operationsConfig/upsellStrategy/maxUpsellOffers"] == {
        **late,
        "path": "configs.yaml",
        "line": 29,
        "overrode": [{**of, "path": "configs.yaml", "line": line, "value": value} for of, line, value in overrode],
    }
    assert [(clash["sort"], clash["pointer"]) for clash in strategy["clashes"]] == [
        ("level", "/operationsConfig/upsellStrategy/maxUpsellOffers"),
        ("priority", "/operationsConfig/upsellStrategy/upsells/1/priority"),
    ]
    assert [(binding["config"], binding["line"]) for binding in answer["unapplied"]] == [("gohst", 7)]


def test_what_nothing_sets(run: Run, acme: Path) -> None:
    ran = run("resolve", "austin", "--field", "supplementalInstructions")
    assert (ran.code, "not set at this store" in ran.out) == (0, True)
    assert told(run, "austin", "--field", "supplementalInstructions")["types"] == {}
    (acme / "brand.yaml").write_text("kind: Brand\nname: acme\nstores: [{name: austin}]\n")
    assert told(run, "austin")["types"]["UPSELL_STRATEGY"]["value"] == {}
    assert "no config of this type applies" in run("resolve", "austin").out


def test_neither_errors_elsewhere_nor_signs_in_names_matter(run: Run, acme: Path) -> None:
    (acme / "other.yaml").write_text(f"kind: ChannelConfig\nname: {PARENT}other\ntype: NONE\n")
    (acme / "brand.yaml").write_text(BRAND.replace('"Austin, Lamar"', '"Austin\\e[31m"'))
    ran = run("resolve", "austin")
    assert (ran.code, "\x1b" in ran.out) == (0, False)


@pytest.mark.parametrize(
    "field",
    ["operationsConfig.upsellStrategy.upsells[Fries].priority", "/operationsConfig/upsellStrategy/upsells/0/priority"],
)
def test_one_field_by_name_or_pointer(run: Run, acme: Path, field: str) -> None:
    found = told(run, "austin", "--field", field)["types"]["UPSELL_STRATEGY"]
    assert (found["value"], [file["line"] for file in found["origins"].values()]) == (1, [16])


def test_a_part_of_a_list_that_is_one_value_is_where_it_stands(run: Run) -> None:
    field = "operationsConfig.disambiguationStrategy.mappings[number one].targets[Smash Combo].itemId"
    out = run("resolve", "austin-lamar", "--field", field, cwd=BURGERS, COLUMNS="120").out
    assert out.splitlines()[-1] == "  itemId: SW-201  brand default  channels/house-voice.yaml:41"


def test_a_field_of_both_types_says_which_one_a_session_takes(run: Run, acme: Path) -> None:
    out = run("resolve", "austin", "--field", "operationsConfig.defaultLanguageCode", COLUMNS="120").out
    lines = out.splitlines()
    assert [line.strip() for line in lines if line.startswith("  ")] == [
        "defaultLanguageCode: en-GB                       brand default  configs.yaml:11",
        "a session uses the one of AGENT_CUSTOMIZATION",
        "defaultLanguageCode: en-US  brand default  configs.yaml:5",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["austn"], 'there is no store "austn"; did you mean "austin"?'),
        (["austin", "--field", "ton"], '--field: ChannelConfig has no field "ton"; did you mean "tone"?'),
        (
            ["austin", "--field", "operationsConfig.upsellStrategy.upsells[Frise]"],
            '--field: there is no "Frise"; did you mean "Fries"?',
        ),
        ([], "give either a STORE or --all-stores"),
        (["austin", "--all-stores"], "give either a STORE or --all-stores"),
    ],
)
def test_a_wrong_question_is_answered_with_what_was_meant(run: Run, acme: Path, words: list[str], message: str) -> None:
    ran = run("resolve", *words)
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {message}\n")


def test_an_error_in_a_config_is_reported_and_the_rest_is_shown(run: Run, acme: Path) -> None:
    (acme / "configs.yaml").write_text(CONFIGS.replace("maxUpsellOffers: 1", "maxUpsellOffers: many"))
    ran = run("resolve", "austin")
    assert (ran.code, "maxUpsellOffers: 2" in ran.out, "wrong-type" in ran.err) == (1, True, True)
    assert [diagnostic["rule"] for diagnostic in told(run, "austin")["errors"]] == ["wrong-type"]


def test_a_file_that_a_config_may_stand_in_and_that_cannot_be_read_is_told(run: Run, acme: Path) -> None:
    (acme / "ghost.yaml").write_text(f"kind: ChannelConfig\nname: {PARENT}gohst\n  type: [\n")
    ran = run("resolve", "austin")
    assert (ran.code, "has no effect" in ran.out, "ghost.yaml" in ran.err) == (1, True, True)
    (acme / "brand.yaml").write_text("kind: Brand\nstores: [{name: austin\n")
    assert "run trialrun check to see what cannot be read in brand.yaml" in run("resolve", "boston").err


def test_all_stores_in_groups_with_what_differs(run: Run, acme: Path, snapshot: SnapshotAssertion) -> None:
    assert run("resolve", "--all-stores", COLUMNS="60", PYTHONIOENCODING="utf-8").out == snapshot


def test_the_object_of_all_stores(run: Run, acme: Path) -> None:
    answer = told(run, "--all-stores")
    assert [group["stores"] for group in answer["groups"]] == [["austin", "boston"], ["casper"]]
    path = ["operationsConfig", "upsellStrategy", "maxUpsellOffers"]
    offers = {"type": "UPSELL_STRATEGY", "path": path, "pointer": f"/{'/'.join(path)}", "value": 1}
    assert [group["differs"] for group in answer["groups"]] == [[], [offers]]


def test_a_field_at_all_stores(run: Run, acme: Path) -> None:
    field = "operationsConfig.upsellStrategy.maxUpsellOffers"
    assert [(group["types"], group["stores"]) for group in told(run, "--all-stores", "--field", field)["groups"]] == [
        ({"UPSELL_STRATEGY": 2}, ["austin", "boston"]),
        ({"UPSELL_STRATEGY": 1}, ["casper"]),
    ]


def test_a_field_has_one_value_whatever_order_its_parts_are_written_in(run: Run, tmp_path: Path) -> None:
    stores = "[{name: austin, defaults: [both]}, {name: boston, defaults: [declines, offers]}]"
    (tmp_path / "brand.yaml").write_text(f"{{kind: Brand, name: acme, stores: {stores}}}")
    limits = {"maxUpsellOffers": 2, "maxUpsellDeclines": 4}
    for name, parts in (("both", limits), *((key[9:].lower(), {key: limits[key]}) for key in limits)):
        operations = json.dumps({"upsellStrategy": parts})
        head = f"kind: ChannelConfig\nname: {PARENT}{name}\ntype: UPSELL_STRATEGY\n"
        (tmp_path / f"{name}.yaml").write_text(f"{head}operationsConfig: {operations}\n")
    [group] = told(run, "--all-stores", "--field", "operationsConfig")["groups"]
    assert group["stores"] == ["austin", "boston"]


def test_of_two_upsells_of_one_priority_the_first_that_is_enabled_is_named(run: Run, acme: Path) -> None:
    text = (acme / "configs.yaml").read_text()
    off = "      - {displayName: Off, priority: 1, disabled: true, greetingOffer: {messages: []}}\n"
    (acme / "configs.yaml").write_text(text.replace("    upsells:\n", f"    upsells:\n{off}", 1))
    out = run("resolve", "boston", COLUMNS="160").out
    assert '"Fries" has it too, and comes first' in out and '"Off" has it too' not in out


def test_stores_of_one_name_are_told_with_what_to_do(run: Run, acme: Path) -> None:
    (acme / "brand.yaml").write_text(BRAND.replace("name: boston", "name: austin"))
    told = 'error: 2 stores are named "austin": brand.yaml:9, brand.yaml:10; give each its own name'
    assert (ran := run("resolve", "austin")).code == 2 and told in ran.err
    (acme / "brand.yaml").write_text(
        BRAND.replace("casper\n", "a/stores/casper\n").replace("boston", "b/stores/casper")
    )
    assert run("resolve", "casper").err.rstrip().endswith("; write the full name")


def test_a_name_that_an_escape_hides_is_found(run: Run, acme: Path) -> None:
    hidden = {"kind": "ChannelConfig", "name": f"{PARENT}gohst", "type": "AGENT_CUSTOMIZATION", "tone": "FRIENDLY"}
    (acme / "hidden.json").write_text(json.dumps(hidden).replace("gohst", "go\\u0068st"))
    layers = told(run, "austin")["types"]["AGENT_CUSTOMIZATION"]["layers"]
    assert [layer["config"] for layer in layers] == [f"{PARENT}house", f"{PARENT}gohst"]
