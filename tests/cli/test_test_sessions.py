"""`trialrun test` of sessions: what is told of a failure, what they exercise, and what keeps one from being played."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.cli.example_workspace import without_extra
from tests.program import Run

CAFE = """\
kind: Brand
name: cafe
defaults: [everyday, voice]
stores: [{name: main-street}, {name: quiet-lane}]
---
kind: ChannelConfig
name: projects/p/locations/l/brands/cafe/channelConfigs/everyday
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - displayName: Cake
        priority: 1
        celUpsell:
          conditionExpression: >-
            order.items.size() > 0
            && (order.subtotal > 100.0 || session.daypartId == 'morning')
            && (session.channelType == 'KIOSK' ? order.orderType == 'DINE_IN' : true)
          suggestedMenuItems: [Cake]
      - displayName: Off
        priority: 2
        disabled: true
        celUpsell: {conditionExpression: "true", suggestedMenuItems: [Cake]}
---
kind: ChannelConfig
name: projects/p/locations/l/brands/cafe/channelConfigs/voice
type: AGENT_CUSTOMIZATION
operationsConfig:
  defaultLanguageCode: en-US
  greetings:
    - {languageCode: en-US, greetingPhrases: [Welcome!, Hello!]}
    - {languageCode: fr-CA, greetingPhrases: [Bienvenue!]}
  disambiguationStrategy:
    mappings:
      - {type: SINGLE_TARGET, customerTerms: [the usual, as always], targets: [{itemName: Coffee}]}
      - {type: SINGLE_TARGET, customerTerms: [sweet], targets: [{itemName: Cake}]}
---
"""
SCENARIO = """\
kind: Scenario
name: {name}
clock: 2026-03-02T10:00:00Z
steps:
  - session:
      store: main-street
      state: {{session.daypartId: {daypart}}}
      turns:
        - customer: say as always
          expect: {expect}
"""
OFFERED = "{offered: [{upsell: Cake}]}"
NOT_OFFERED = "{notOffered: [{upsell: Cake, because: condition-false}]}"


def written(folder: Path, *scenarios: str, cafe: str = CAFE) -> None:
    (folder / "cafe.yaml").write_text(cafe + "---\n".join(scenarios))


def scenario(name: str = "one", *, daypart: str = "morning", expect: str = OFFERED) -> str:
    return SCENARIO.format(name=name, daypart=daypart, expect=expect)


def coverage(run: Run) -> dict[str, Any]:
    ran = run("test", "--coverage", "--output-format", "json")
    assert (ran.code, ran.err) == (0, ""), ran.out
    told: dict[str, Any] = json.loads(ran.out)["coverage"]
    return told


def missing(told: dict[str, Any], aspect: str) -> list[str]:
    return [diagnostic["name"] for diagnostic in told[aspect]["missing"]]


def test_a_failure_shows_the_turns_so_far(run: Run, tmp_path: Path) -> None:
    written(tmp_path, scenario(expect=NOT_OFFERED))
    ran = run("test", "--output-format", "json")
    (failure,) = json.loads(ran.out)["scenarios"][0]["failures"]
    assert ran.code == 1
    assert failure == {
        "line": 47,
        "expected": '"Cake" not to be made',
        "got": "an offer: its condition is true",
        "trace": [
            "2026-03-02T10:00:00Z session main-street, seed 0",
            'welcome in en-US: said "Welcome!" (greeting, en-US); offered nothing',
            'turn 1 "say as always": heard "as always" as SINGLE_TARGET of Coffee; offered "Cake" (Cake); '
            'skipped "Off" (disabled); order: Coffee',
        ],
    }


def test_why_a_condition_is_false_is_told_by_the_parts_that_it_rests_on(run: Run, tmp_path: Path) -> None:
    written(tmp_path, scenario(daypart="noon"))
    (failure,) = json.loads(run("test", "--output-format", "json").out)["scenarios"][0]["failures"]
    assert failure["got"] == (
        "condition-false: order.subtotal > 100.0 is false (order.subtotal is 0.0); "
        "session.daypartId == 'morning' is false (session.daypartId is \"noon\")"
    )


def test_what_no_session_exercises(run: Run, tmp_path: Path) -> None:
    written(tmp_path, scenario())
    told = coverage(run)
    assert missing(told, "stores") == ["cafe/quiet-lane"]
    assert (told["upsells"]["total"], missing(told, "upsells")) == (1, [])
    assert missing(told, "conditionsTrue") == []
    assert missing(told, "conditionsFalse") == ["everyday: Cake"]
    assert missing(told, "mappings") == ["voice: sweet"]
    assert missing(told, "messages") == ["voice: greeting [fr-CA]"]


def test_a_part_of_a_condition_matters_where_the_whole_would_be_another_without_it(run: Run, tmp_path: Path) -> None:
    written(tmp_path, scenario(), scenario("other", daypart="noon", expect=NOT_OFFERED))
    told = coverage(run)["conditionParts"]
    assert told["total"] == 7
    assert [
        (diagnostic["name"].removeprefix("everyday: Cake: "), diagnostic["line"]) for diagnostic in told["missing"]
    ] == [
        ("(session.channelType == 'KIOSK' ? order.orderType == 'DINE_IN' : true)", 18),
        ("order.items.size() > 0", 16),
        ("order.orderType == 'DINE_IN'", 18),
        ("order.subtotal > 100.0", 17),
    ]


def test_a_condition_that_fails_is_neither_true_nor_false(run: Run, tmp_path: Path) -> None:
    fails = CAFE.replace("order.items.size() > 0", "order.metadata['tray'] == 'yes'")
    expect = "{notOffered: [{upsell: Cake, because: condition-error}], conditions: [{upsell: Cake, error: tray}]}"
    written(tmp_path, scenario(expect=expect), cafe=fails)
    told = coverage(run)
    assert missing(told, "conditionsTrue") == missing(told, "conditionsFalse") == ["everyday: Cake"]


def test_coverage_has_a_line_for_everything_within_the_width(run: Run, tmp_path: Path) -> None:
    written(tmp_path, scenario())
    lines = run("test", "--coverage", COLUMNS="60").out.splitlines()
    assert {"0 of 1 conditions are false in a turn", "  everyday: Cake  cafe.yaml:15"} < {*lines}
    assert max(map(len, lines)) <= 60
    name = f"{'w' * 40} {'x' * 40} {'y' * 15}"
    written(tmp_path, scenario(expect="{offered: []}"), cafe=CAFE.replace("displayName: Cake", f"displayName: {name}"))
    lines = run("test", "--coverage", COLUMNS="60").out.splitlines()
    assert f"    {'x' * 40} {'y' * 15}" in lines


@pytest.mark.parametrize("broken", [("priority: 1", "priority: 0"), ("order.subtotal >", "order.sum >")])
def test_an_error_in_a_config_is_one_of_the_scenarios_at_its_stores(
    run: Run, tmp_path: Path, broken: tuple[str, str]
) -> None:
    written(tmp_path, cafe=CAFE.replace(*broken))
    (tmp_path / "one.yaml").write_text(scenario())
    (tmp_path / "schema.yaml").write_text("kind: SessionSchema\nname: s\ntypes: {O: {x: int}}\nvariables: {o: O}\n")
    (one,) = json.loads(run("test", "--output-format", "json", "one.yaml").out)["scenarios"]
    assert (one["outcome"], one["failures"][0]["path"]) == ("error", "cafe.yaml")


def test_an_error_in_a_config_of_no_store_that_is_asked_hinders_nothing(run: Run, tmp_path: Path) -> None:
    written(tmp_path, scenario())
    (tmp_path / "other.yaml").write_text("kind: ChannelConfig\nname: other\ntype: NONE\n")
    assert run("test").code == 0


TURNS = """\
kind: Scenario
name: mistakes
steps:
  - session:
      store: main-street
      turns:
        - customer: "say a\\u2028b\\nacept"
  - session:
      store: main-street
      table: |
        | customer          | order           |
        | say "a\\|b"; acept | -               |
        | add Coffee        | Te\\|a with; Tea |
"""


def test_a_reason_in_a_cell_may_have_colons(run: Run, tmp_path: Path) -> None:
    table = "        | customer | notOffered |\n        | say hi | Cake: its condition: false |\n"
    written(tmp_path, SCENARIO.partition("      state")[0].format(name="colon") + f"      table: |\n{table}")
    assert "= expected: the reason its condition: false\n" in run("test", "--at", "2026-03-02T10:00:00Z").out


def test_a_mistake_in_a_script_is_reported_at_its_place_behind_escapes(run: Run, tmp_path: Path) -> None:
    written(tmp_path, TURNS)
    lines = run("test", "--at", "2026-03-02T10:00:00Z", COLUMNS="100").out.splitlines()
    arrows = {row[line.index("^") : line.rindex("^") + 1] for row, line in pairwise(lines) if "^" in line}
    assert arrows == {"acept", ";"}


@pytest.mark.exhaustive
def test_sessions_need_nothing_of_the_extra(tmp_path: Path) -> None:
    written(tmp_path, scenario())
    done = without_extra(tmp_path, "test", "--coverage")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_junit_report_names_the_line_of_the_expectation(run: Run, tmp_path: Path) -> None:
    written(tmp_path, scenario(expect=NOT_OFFERED))
    assert run("test", "--junit", "report.xml").code == 1
    assert 'message="cafe.yaml:47:' in (tmp_path / "report.xml").read_text()


@pytest.mark.exhaustive
@pytest.mark.parametrize("hashes", ["1", "2"])
def test_the_same_bytes_from_run_to_run(process: Run, run: Run, tmp_path: Path, hashes: str) -> None:
    written(tmp_path, scenario(expect=NOT_OFFERED), scenario("other"))
    assert process("test", "--coverage", PYTHONHASHSEED=hashes) == run("test", "--coverage")


BAKERY = """\
kind: Brand
name: bakery
defaults: [everyday]
stores: [{name: main-street}]
---
kind: ChannelConfig
name: projects/p/locations/l/brands/bakery/channelConfigs/everyday
type: UPSELL_STRATEGY
operationsConfig:
  featuresConfig: {orderPickup: {}, supportCashPayment: {}}
  upsellStrategy:
    maxUpsellOffers: 1
    maxItemsInCart: 50
    upsells:
      - displayName: Cake
        priority: 1
        skipOnPreviousTurnUpsell: true
        celUpsell: {conditionExpression: order.items.size() > 1, suggestedMenuItems: [Cake]}
      - displayName: Bun
        priority: 2
        celUpsell: {conditionExpression: order.items.size() > 0, suggestedMenuItems: [Bun]}
      - displayName: Later
        priority: 3
        closingOffer:
          closingMessages:
            - skipTerms: [Cake, Pie]
              offerMessage: {upsoldItems: [Pie], messageConfigs: [{languageCode: en, messageText: Pie?}]}
---
kind: Scenario
name: one
clock: 2026-03-02T10:00:00Z
steps:
  - session:
      store: main-street
      turns:
        - customer: add Coffee; add Tea
        - customer: add Milk
"""


def test_what_limits_skips_and_orders_decide(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bakery.yaml").write_text(BAKERY)
    told = coverage(run)
    assert missing(told, "limits") == ["everyday: maxItemsInCart"]
    assert missing(told, "skips") == ["everyday: Cake: skipOnPreviousTurnUpsell"]
    assert missing(told, "skipTerms") == ["everyday: Later: Cake", "everyday: Later: Pie"]
    assert (told["orders"]["total"], missing(told, "orders")) == (2, [])
    assert missing(told, "flags") == ["everyday: orderPickup", "everyday: supportCashPayment"]
    expected = "      expect: {tools: [order_pickup]}\n"
    resolved = "  - resolve:\n      store: main-street\n      expect:\n        values: [{field: FIELD, value: {}}]\n"
    field = "operationsConfig.featuresConfig.supportCashPayment"
    (tmp_path / "bakery.yaml").write_text(BAKERY + expected + resolved.replace("FIELD", field))
    assert missing(coverage(run), "flags") == []
    skipped = BAKERY.replace("    maxUpsellOffers: 1\n", "").replace(
        "        - customer: add Milk\n", "        - customer: add Cake\n        - customer: done\n"
    )
    (tmp_path / "bakery.yaml").write_text(skipped)
    assert missing(coverage(run), "skipTerms") == ["everyday: Later: Pie"]
