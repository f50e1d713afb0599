"""What a finding advises can be done, and then there is no finding at that place any more."""

import json

import pytest

from tests.cases import each_of
from tests.rules.test_one_mistake_one_finding import SOURCE, TEXTS, VIEW, condition, greeting
from trialrun.diagnostic import Diagnostic
from trialrun.fix import fixed_text
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule import session_types
from trialrun.lint.settings import Profiles, Settings
from trialrun.parser import parse


def diagnostics(text: str, path: str) -> list[Diagnostic]:
    linter = Linter(Profiles(Settings()).whole, now=EXAMPLE_TIME, session_types=lambda: session_types([]))
    return linter.lint(text.encode(), path, is_explicit=True).diagnostics


def fixed(text: str, path: str = "a.yaml") -> str:
    """A text after the fixes of its findings, none of which has one without."""
    found = [diagnostic for diagnostic in diagnostics(text, path) if diagnostic.rule != "cel-constant"]
    return fixed_text(parse(text.encode(), path).source, [diagnostic.fix for diagnostic in found if diagnostic.fix])


CONFIG = "kind: ChannelConfig\nname: projects/p/locations/l/brands/b/channelConfigs/c\ntype: UPSELL_STRATEGY\n"
SPELLINGS = ["1.10", "12e4", "0x1f", "00501", "-0", "0o17", "1.0", "+5", ".5", "1e400", ".inf", "12345678901234567890"]


@each_of(SPELLINGS)
def test_a_number_that_is_quoted_keeps_its_characters(spelling: str) -> None:
    text = VIEW + SOURCE + f"labels: {{a: {spelling}}}\n"
    (finding, *others) = diagnostics(text, "a.yaml")
    assert (finding.message, others) == (f"a must be text, not the number {spelling}; quote it", [])
    assert finding.fix is not None
    assert (finding.fix.title, finding.fix.safe) == (f'quote it: "{spelling}"', False)
    assert fixed(text) == VIEW + SOURCE + f'labels: {{a: "{spelling}"}}\n'


@pytest.mark.parametrize("spelling", ["1.10", "12e4", "-0", "1E+2"])
def test_a_number_of_json_keeps_its_characters_too(spelling: str) -> None:
    text = f'{{"kind": "Menu", "items": [{{"name": {spelling}, "categories": [{spelling}]}}]}}'
    assert fixed(text, "a.json") == text.replace(spelling, f'"{spelling}"')


def test_numbers_are_quoted_in_names_ids_and_lists() -> None:
    menu = "kind: Menu\nitems:\n  - name: 7.10\n    id: 00501\n    categories: [1.0, 007]\n"
    quoted = 'kind: Menu\nitems:\n  - name: "7.10"\n    id: "00501"\n    categories: ["1.0", "007"]\n'
    assert fixed(menu) == quoted
    assert diagnostics(quoted, "a.yaml") == []


def test_the_number_for_a_list_becomes_its_item() -> None:
    text = VIEW + "warehouseSource: {uri: bq://a.b.c, entityIdColumns: 007}\n"
    assert fixed(text) == text.replace("007", '["007"]')


TWO_READINGS = {
    VIEW + SOURCE + "labels: {a: True}\n": 'a must be text, not True; write "True", or write "true"',
    condition("order.subtotal > 1.0").replace("[Fries]", "Fries, Cola"): (
        'not the text "Fries, Cola"; write ["Fries", "Cola"], or write ["Fries, Cola"]'
    ),
    condition("order.subtotal > 1.0").replace("[Fries]", "Fries; Cola"): (
        'not the text "Fries; Cola"; write ["Fries", "Cola"], or write ["Fries; Cola"]'
    ),
}


@each_of([*TWO_READINGS])
def test_a_value_that_may_mean_two_things_is_left_to_a_person(text: str) -> None:
    (finding,) = diagnostics(text, "a.yaml")
    assert (finding.message.endswith(TWO_READINGS[text]), finding.fix) == (True, None)


LISTS = {
    "\n            -Fries\n            -Large Cola": '["Fries", "Large Cola"]',
    "\n            -Fries": '["Fries"]',
    "\n            – Fries\n            – Cola": '["Fries", "Cola"]',
    "• Fries": '["Fries"]',
    "|\n            - Fries\n            - Cola": '["Fries", "Cola"]',
    """'["Fries", "Mac & Cheese"]'""": '["Fries", "Mac & Cheese"]',
}


@each_of([*LISTS])
def test_a_text_with_the_marks_of_a_list_becomes_its_items(text: str) -> None:
    items = LISTS[text]
    before, after = condition("order.subtotal > 1.0").split("[Fries]")
    (finding,) = diagnostics(before + text + after, "a.yaml")
    assert finding.message.endswith(f"; write {items}")
    assert (finding.fix and finding.fix.safe, fixed(before + text + after).split()) == (
        False,
        (before + items + after).split(),
    )


ITEMS = {
    "Today: fries": 'a mapping; quote it if these are characters of the text: "Today: fries"',
    "Today only:": 'a mapping; quote it if these are characters of the text: "Today only:"',
    "{brand}": 'a mapping; quote it if these are characters of the text: "{brand}"',
    "": "null; write text, or remove it",
}


@each_of([*ITEMS])
def test_what_to_do_about_an_item_that_is_no_text(item: str) -> None:
    text = condition("order.subtotal > 1.0").replace("[Fries]", f"\n            - {item}")
    (finding,) = diagnostics(text, "a.yaml")
    assert finding.message.endswith(f"must be text, not {ITEMS[item]}")


@each_of(
    [
        ("etag: [a]", 'write its item alone, or quote it if these are characters of the text: "[a]"'),
        ("serviceAgentType:\n- SERVICE_AGENT_TYPE_PROJECT", "write its item alone"),
        ("indexConfig: {embeddingColumn: e, embeddingDimension: [3]}", "write its item alone"),
    ]
)
def test_what_to_do_about_a_list_of_one_scalar(field: str, advice: str) -> None:
    (finding,) = diagnostics(f"{VIEW}{SOURCE}{field}\n", "a.yaml")
    assert finding.message.partition("; ")[2] == advice


def test_true_is_no_text_where_a_text_has_a_format() -> None:
    (finding,) = diagnostics(VIEW + SOURCE + "syncConfig: {cron: true}\n", "a.yaml")
    assert (finding.message, finding.fix) == ("cron must be text, not true", None)


CONDITIONS = {
    "has(session.metadata['loyalty-tier'])": "'loyalty-tier' in session.metadata",
    "!has(order.metadata['x'])": "!('x' in order.metadata)",
    "has(order.metadata['a']) == true": "('a' in order.metadata) == true",
    "(has(order.metadata['a'])) == true": "('a' in order.metadata) == true",
    "has(session.metadata['a b']) && order.subtotal > 1.0": "'a b' in session.metadata && order.subtotal > 1.0",
    "has(session.metadata[order.orderType])": "order.orderType in session.metadata",
    "has(session.metadata[order.orderType + 'a'])": "(order.orderType + 'a') in session.metadata",
    "has(order.items[0])": "size(order.items) > 0",
    "has(order.items[0].modifierGroups[1])": "size(order.items[0].modifierGroups) > 1",
    "has(session['turn'])": "has(session.turn)",
    "order.orderType == 'Ben's'": 'order.orderType == "Ben\'s"',
    "order.orderType == 'Ben's' || order.orderType == 'x'": "order.orderType == \"Ben's\" || order.orderType == 'x'",
    "order.orderType == 'a \"b\" isn't'": "order.orderType == 'a \"b\" isn\\'t'",
}


@each_of([*CONDITIONS])
def test_a_condition_is_right_after_its_fix(text: str) -> None:
    before, after = condition(json.dumps(text)), condition(json.dumps(CONDITIONS[text]))
    assert fixed(before) == after
    assert [d.rule for d in diagnostics(after, "a.yaml") if d.severity.word == "error"] == []


ZONES = {
    "Eastern Standard Time": "America/New_York",
    "W. Europe Standard Time": "Europe/Berlin",
    "Pacific Time (US & Canada)": "America/Los_Angeles",
    "America/New York": "America/New_York",
    "Pacific Standard Time (Mexico)": "America/Tijuana",
}


@each_of([*ZONES])
def test_a_zone_of_another_system_becomes_the_one_that_it_means(zone: str) -> None:
    text = VIEW + SOURCE + f'syncConfig: {{cron: "CRON_TZ={zone} 0 13 * * *"}}\n'
    assert fixed(text) == text.replace(zone, ZONES[zone])
    assert diagnostics(fixed(text), "a.yaml") == []


def test_a_decimal_comma_becomes_a_point() -> None:
    text = greeting(f'messageFrequency: "0,2", {TEXTS}')
    assert fixed(text) == text.replace('"0,2"', "0.2")


@each_of(["1.234567890123457e+18", '"1.234567890123457e+18"', "9007199254740993.0"])
def test_a_number_that_lost_digits_has_no_safe_fix(written: str) -> None:
    (finding,) = diagnostics(VIEW + f"ragSource: {{uri: 'bq://a.b.c', ragCorpusId: {written}}}\n", "a.yaml")
    assert finding.fix is not None
    assert (finding.rule, finding.fix.safe) == ("non-canonical-form", False)
    assert "digits may be lost" in finding.message


def test_a_number_as_text_is_written_with_all_its_digits() -> None:
    text = greeting("messageFrequency: '5e-05', ")
    (finding, *_) = (each for each in diagnostics(text, "a.yaml") if each.rule == "non-canonical-form")
    assert finding.message == '"5e-05" is a number as text; write 5.0e-05'


def test_an_upsell_whose_priority_was_refused_is_not_without_one() -> None:
    text = CONFIG + "operationsConfig: {upsellStrategy: {upsells: [{priority: 0}]}}\n"
    assert {finding.rule: finding.message for finding in diagnostics(text, "a.yaml")}[
        "missing-union-member"
    ] == "an upsell has no offer; add one of greetingOffer, closingOffer and celUpsell"


def test_a_comment_behind_a_name_is_one_finding() -> None:
    text = VIEW.replace("\n", " // note\n", 2).replace(" // note", "", 1) + SOURCE
    assert [finding.rule for finding in diagnostics(text, "a.yaml")] == ["invalid-resource-name"]
