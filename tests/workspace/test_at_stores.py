"""What rules say of configurations as they are effective at stores: each place once, in any spelling and setting."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.program import Run
from trialrun.runtime.channel_config.store_findings import StoreCheck

RULES = ("field-of-other-type", "message-unused-at-store", "priority-tie-at-store", "upsell-unreachable-at-store")
Found = dict[tuple[str, str, str], str]
"""Messages by rule, file and JSON pointer."""


def cel(name: str, priority: int, **fields: Any) -> dict[str, Any]:
    offer = {"conditionExpression": "order.subtotal > 5.0", "suggestedMenuItems": [name]}
    return {"displayName": name, "priority": priority, "celUpsell": offer, **fields}


def message(name: str, **fields: Any) -> dict[str, Any]:
    texts = [{"languageCode": "en", "messageText": f"{name}?"}]
    return {"displayName": name, "upsoldItems": [name], "messageConfigs": texts, **fields}


def greeting(name: str, priority: int, *messages: Mapping[str, Any]) -> dict[str, Any]:
    return {"displayName": name, "priority": priority, "greetingOffer": {"messages": list(messages)}}


def config(name: str, *upsells: Mapping[str, Any], kind: str = "UPSELL_STRATEGY", **fields: Any) -> dict[str, Any]:
    strategy = {"upsellStrategy": {"upsells": list(upsells), **fields.pop("strategy", {})}} if upsells else {}
    return {"kind": "ChannelConfig", "name": name, "type": kind, "operationsConfig": {**strategy, **fields}}


def brand(stores: Sequence[Mapping[str, Any]], *, name: str = "acme") -> dict[str, Any]:
    return {"kind": "Brand", "name": name, "defaults": ["everyday"], "stores": list(stores)}


def store(name: str, *bound: str) -> dict[str, Any]:
    bindings = [{"rule": f"of-{config}", "channelConfig": config} for config in bound]
    return {"name": name, "bindings": bindings} if bound else {"name": name}


TWO_STORES = brand([store("austin", "night"), store("boston")])
PRIORITY = "/operationsConfig/upsellStrategy/upsells/0/priority"
TIE = {"brand": TWO_STORES, "everyday": config("everyday", cel("Fries", 1)), "night": config("night", cel("Combo", 1))}


def check(run: Run, root: Path, files: Mapping[str, Any], *arguments: str, settings: str = "") -> Found:
    for name, content in files.items():
        (root / f"{name}.yaml").write_text(content if isinstance(content, str) else json.dumps(content))
    (root / "trialrun.toml").write_text(settings)
    report = json.loads(run("check", "--no-cache", "--output-format", "json", *arguments).out)["diagnostics"]
    at_stores = [
        diagnostic for diagnostic in report if diagnostic["rule"] in RULES or "disable at" in diagnostic["message"]
    ]
    found = {(at_store["rule"], at_store["path"], at_store["pointer"]): at_store["message"] for at_store in at_stores}
    assert len(found) == len(at_stores), "a place is reported twice"
    return found


def test_the_place_is_the_value_of_the_later_level(run: Run, tmp_path: Path) -> None:
    assert check(run, tmp_path, TIE) == {
        ("priority-tie-at-store", "night.yaml", PRIORITY): '"Combo" and "Fries" both have priority 1 '
        "at 1 of 2 stores, such as austin; give each its own"
    }


def test_a_cause_at_many_stores_is_one_finding_that_counts_them(run: Run, tmp_path: Path) -> None:
    stores = [store(f"store-{number:02}", *(["night"] if number % 10 < 3 else [])) for number in range(40)]
    (text,) = check(run, tmp_path, TIE | {"brand": brand(stores)}).values()
    assert "at 12 of 40 stores, such as store-00;" in text


def test_the_only_store_is_named_as_such(run: Run, tmp_path: Path) -> None:
    (text,) = check(run, tmp_path, TIE | {"brand": brand([store("austin", "night")])}).values()
    assert "at the one store, austin;" in text


def test_stores_of_several_brands_are_counted_together(run: Run, tmp_path: Path) -> None:
    other = brand([store("calgary"), store("denver", "night"), store("elgin", "night")], name="beta")
    found = check(run, tmp_path, TIE | {"other": other})
    assert [text for text in found.values() if "at 3 of 5 stores, such as austin" in text] == [*found.values()] != []


def test_a_brand_without_the_cause_is_not_counted(run: Run, tmp_path: Path) -> None:
    found = check(run, tmp_path, TIE | {"other": brand([store("calgary"), store("denver")], name="beta")})
    assert all("at 1 of 2 stores, such as austin" in text for text in found.values())
    assert len(found) == 1


def test_snake_case_names_are_pointed_at_as_they_are_written(run: Run, tmp_path: Path) -> None:
    night = """\
kind: ChannelConfig
name: night
type: UPSELL_STRATEGY
operations_config:
  upsell_strategy:
    upsells:
      - display_name: Combo
        priority: 1
        cel_upsell: {condition_expression: order.subtotal > 9.0, suggested_menu_items: [Combo]}
"""
    pointer = PRIORITY.replace("operationsConfig", "operations_config").replace("upsellStrategy", "upsell_strategy")
    assert [*check(run, tmp_path, TIE | {"night": night})] == [("priority-tie-at-store", "night.yaml", pointer)]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_several_processes_and_kept_verdicts_say_the_same(run: Run, tmp_path: Path, jobs: str) -> None:
    files = {name: f"# {'x' * 60_000}\n{json.dumps(content)}" for name, content in TIE.items()}
    found = check(run, tmp_path, files, "--jobs", jobs)
    assert len(found) == 1
    kept = [run("check", "--output-format", "json").out for _ in range(2)]
    assert kept[0] == kept[1]
    assert [load["message"] for load in json.loads(kept[1])["diagnostics"] if load["rule"] in RULES] == [
        *found.values()
    ]


@pytest.mark.parametrize(
    "broken",
    [
        "kind: ChannelConfig\nname: night\ntype: UPSELL_STRATEGY\noperationsConfig:\n  upsellStrategy:\n    upsells:\n"
        "      - {displayName: Combo, priority: 1, celUpsell: {conditionExpression: order.subtotal > 9.0,\n"
        "      - nothing: [here\n",
        json.dumps(config("night", cel("Combo", 1), cel("Shake", 2, disabled="perhaps"))),
        json.dumps(config("night", cel("Combo", 1), strategy={"maxUpsellOffers": "a few"})),
    ],
    ids=["lines that cannot be read", "a refused field of an upsell", "a refused limit"],
)
def test_nothing_is_said_of_stores_with_a_config_that_is_read_in_part(run: Run, tmp_path: Path, broken: str) -> None:
    assert check(run, tmp_path, TIE | {"night": broken}) == {}


def test_a_refused_type_leaves_open_what_a_config_takes_part_in(run: Run, tmp_path: Path) -> None:
    assert check(run, tmp_path, TIE | {"night": config("night", cel("Combo", 1), kind="UPSELLS")}) == {}


def test_nothing_is_said_of_a_brand_with_a_binding_that_is_read_in_part(run: Run, tmp_path: Path) -> None:
    boston = {"name": "boston", "bindings": [{"rule": "r", "channelConfig": 5}]}
    assert check(run, tmp_path, TIE | {"brand": brand([store("austin", "night"), boston])}) == {}


def test_configs_of_another_brand_apply_at_no_store(run: Run, tmp_path: Path) -> None:
    night = config("projects/p/locations/l/brands/other/channelConfigs/night", cel("Combo", 1))
    assert check(run, tmp_path, TIE | {"night": night}) == {}


OVERRIDE = {"displayName": "Fries", "priority": 1, "disabled": True}


def test_an_override_that_disables_by_name_and_priority_is_sound(run: Run, tmp_path: Path) -> None:
    assert check(run, tmp_path, TIE | {"night": config("night", OVERRIDE)}) == {}


def test_an_override_of_an_upsell_that_no_earlier_level_has_is_a_warning(run: Run, tmp_path: Path) -> None:
    night = config("night", OVERRIDE | {"displayName": "Frise"}, cel("Combo", 2))
    found = check(run, tmp_path, TIE | {"night": night})
    assert [rule for rule, _, _ in found] == ["missing-union-member"]
    assert 'there is no upsell "Frise" to disable at 1 of 2 stores, such as austin' in next(iter(found.values()))


def test_an_override_is_sound_where_some_store_has_what_it_disables(run: Run, tmp_path: Path) -> None:
    brands = brand([store("austin", "lunch", "night"), store("boston", "night")])
    files = {"everyday": config("everyday", cel("Combo", 2)), "lunch": config("lunch", cel("Fries", 1))}
    assert check(run, tmp_path, {"brand": brands, **files, "night": config("night", OVERRIDE)}) == {}


def test_an_override_is_left_alone_where_a_config_could_not_be_read(run: Run, tmp_path: Path) -> None:
    night = config("night", OVERRIDE | {"displayName": "Frise"})
    everyday = config("everyday", cel("Fries", 1), strategy={"maxUpsellOffers": "a few"})
    assert check(run, tmp_path, TIE | {"everyday": everyday, "night": night}) == {}


def test_an_override_of_no_effective_type_is_left_to_the_rule_on_files_without_brands(run: Run, tmp_path: Path) -> None:
    assert check(run, tmp_path, {"night": config("night", OVERRIDE)}) == {}


GREETINGS = {
    "brand": TWO_STORES,
    "everyday": config("everyday", greeting("Hello", 1, message("Fries", messageFrequency=1.0))),
    "night": config("night", greeting("Evening", 2, message("Shake"))),
}


@pytest.mark.parametrize(("draw", "rules"), [("offer", []), ("type", ["message-unused-at-store"])])
def test_offers_are_weighed_together_where_messages_are_drawn_by_type(
    run: Run, tmp_path: Path, draw: str, rules: list[str]
) -> None:
    found = check(run, tmp_path, GREETINGS, settings=f'[runtime]\nmessage-draw = "{draw}"\n')
    assert [rule for rule, _, _ in found if rule == "message-unused-at-store"] == rules


@pytest.mark.parametrize(("merge", "rules"), [("replace", []), ("append", ["message-unused-at-store"])])
def test_messages_of_one_offer_meet_where_lists_are_appended(
    run: Run, tmp_path: Path, merge: str, rules: list[str]
) -> None:
    files = GREETINGS | {"night": config("night", greeting("Hello", 1, message("Shake")))}
    found = check(run, tmp_path, files, settings=f'[runtime]\nlist-merge = "{merge}"\n')
    assert [rule for rule, _, _ in found] == rules


def test_a_field_of_the_other_type_is_pointed_at_with_both_values(run: Run, tmp_path: Path) -> None:
    night = config("night", kind="AGENT_CUSTOMIZATION", defaultLanguageCode="fr")
    everyday = config("everyday", cel("Fries", 1), defaultLanguageCode="en")
    ((rule, path, pointer), text), *others = check(run, tmp_path, TIE | {"night": night, "everyday": everyday}).items()
    assert (rule, path, pointer, others) == (
        "field-of-other-type",
        "everyday.yaml",
        "/operationsConfig/defaultLanguageCode",
        [],
    )
    assert (
        'at 1 of 2 stores, such as austin, take defaultLanguageCode from the type AGENT_CUSTOMIZATION: "fr", not'
        in text
    )


def closing(name: str, priority: int) -> dict[str, Any]:
    return {
        "displayName": name,
        "priority": priority,
        "closingOffer": {"closingMessages": [{"offerMessage": message(name)}]},
    }


@pytest.mark.parametrize("kind", ["greeting", "closing"])
@pytest.mark.parametrize("levels", ["one file", "two levels"])
def test_an_offer_behind_one_that_is_always_made_is_unreachable_where_each_is_drawn_by_itself(
    run: Run, tmp_path: Path, kind: str, levels: str
) -> None:
    first = closing("Pie", 1) if kind == "closing" else greeting("Pie", 1, message("Pie"))
    second = closing("Cookie", 2) if kind == "closing" else greeting("Cookie", 2, message("Cookie"))
    one = levels == "one file"
    everyday = config("everyday", first, *([second] if one else []), defaultLanguageCode="en")
    night = config("night", cel("Combo", 3) if one else second)
    files = TIE | {"everyday": everyday, "night": night}
    assert check(run, tmp_path, files) == {}, "each is drawn in half of the sessions"
    found = check(run, tmp_path, files, settings='[runtime]\nmessage-draw = "offer"\n')
    path, stores = ("everyday.yaml", "2 of 2") if one else ("night.yaml", "1 of 2")
    (((rule, file, _), text),) = found.items()
    assert (rule, file) == ("upsell-unreachable-at-store", path)
    assert f'"Cookie" is never attempted at {stores} stores, such as austin: "Pie" is attempted before it' in text


def test_an_offer_is_attempted_where_one_before_it_may_have_no_text(run: Run, tmp_path: Path) -> None:
    everyday = config("everyday", closing("Pie", 1), closing("Cookie", 2))
    assert check(run, tmp_path, TIE | {"everyday": everyday, "night": config("night", cel("Combo", 3))}) == {}


def test_what_one_file_says_alone_is_left_to_the_rule_on_that_file(run: Run, tmp_path: Path) -> None:
    always = {"displayName": "Fries", "priority": 1, "celUpsell": {"conditionExpression": "true"}}
    everyday = config("everyday", always, cel("Pie", 2), strategy={"maxUpsellOffers": 1})
    brands = brand([store("austin"), store("boston")])
    assert check(run, tmp_path, {"brand": brands, "everyday": everyday}) == {}


def test_equal_stores_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    laid: list[int] = []
    upsells = [{"displayName": "Fries", "priority": 1, "celUpsell": {"conditionExpression": "?"}}]
    outline = {"operationsConfig": {"upsellStrategy": {"upsells": upsells}}}
    own = StoreCheck._config_set_findings
    monkeypatch.setattr(StoreCheck, "_config_set_findings", lambda self, lineup: laid.append(1) or own(self, lineup))
    judged = StoreCheck(
        [([], [], [(f"store-{number}", [], [("store-default", number % 2, None)]) for number in range(100)])],
        lambda number: outline,
        lambda number: "UPSELL_STRATEGY",
        set(),
        {"list-merge": "replace", "message-draw": "offer"},
    )
    for _ in judged.steps():
        pass
    assert (len(laid), judged.findings) == (2, [])
