"""Names of the menu in conditions, skip terms and customer terms: exactly which are found, and what is left alone."""

import pytest

from tests.cases import each_of
from tests.lint.workspace_findings import judged, told
from trialrun.diagnostic import Severity
from trialrun.lint.rule_support.condition_names import compared_names

MENU = """\
kind: Menu
items:
  - {name: Fries, id: F1, modifierGroups: [Size]}
  - {name: Apple Pie, id: P1}
  - {name: Root Beer Float, id: R1}
modifierGroups:
  - {name: Size, id: G1, modifiers: [{name: Large, id: M1}, {name: Small, id: M2}]}
"""
UPSELLS = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/acme/channelConfigs/c
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - priority: 1
        {}
"""
MAPPING = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/acme/channelConfigs/c
type: AGENT_CUSTOMIZATION
operationsConfig:
  disambiguationStrategy:
    mappings:
      - {}
"""
RULE = "unknown-menu-item"


def condition(text: str, menu: str = MENU) -> list[tuple[str, str]]:
    quoted = text.replace("'", "''")
    upsell = f"celUpsell: {{conditionExpression: '{quoted}', suggestedMenuItems: [Fries]}}"
    return [("config.yaml", UPSELLS.format(upsell)), ("menu.yaml", menu)]


def findings(files: list[tuple[str, str]]) -> list[str]:
    """The messages in the order of the text; each is a warning."""
    assert {finding.severity for finding in judged(RULE, files)} <= {Severity.WARNING}
    return [line.split(" ", 1)[1] for line in told(RULE, files)]


def no_item(name: str, end: str = "; add it to the menu, or name another") -> str:
    return f'the menu has no item "{name}"{end}'


@each_of(
    [
        ("order.items.exists(i, i.displayName == 'Coke')", [no_item("Coke")]),
        ("order.items.exists(i, 'Fires' != i.displayName)", [no_item("Fires", '; did you mean "Fries"?')]),
        ("order.items.all(i, i.displayName in ['Fries', 'fries'])", [no_item("fries", '; did you mean "Fries"?')]),
        ("'Coke' in order.items.map(i, i.displayName)", [no_item("Coke")]),
        ("order.items.map(i, i.quantity > 1, i.displayName) == ['Coke']", [no_item("Coke")]),
        ("['Fries', 'Coke'].exists(n, order.items.exists(i, i.displayName == n))", [no_item("Coke")]),
        ("order.items[0].displayName == (order.subtotal > 5.0 ? 'Coke' : 'Fries')", [no_item("Coke")]),
        ("order.items.filter(i, i.quantity > 1)[0].displayName == 'Coke'", [no_item("Coke")]),
        ("order.items.exists(i, i.displayName in {'Coke': 1})", [no_item("Coke")]),
        ("{'Coke': 1, 'Fries': 2}[order.items[0].displayName] == 2", [no_item("Coke")]),
        (
            "order.items.exists(i, i.itemId == 'F9' || i.itemId == 'Fries')",
            [
                'the menu has no item with the id "F9"; add it to the menu, or name another',
                'the menu has no item with the id "Fries", which is a name; write "F1"',
            ],
        ),
        (
            "order.items.exists(i, i.modifierGroups.exists(g, g.displayName == 'Sizes'))",
            ['the menu has no modifier group "Sizes"; did you mean "Size"?'],
        ),
        (
            "order.items.exists(i, i.modifierGroups.exists(g, g.modifiers.exists(m, m.modifierId == 'M9')))",
            ['the menu has no modifier with the id "M9"; add it to the menu, or name another'],
        ),
        (
            "order.items.exists(i, i.displayName.contains('Pies'))",
            ['no item of the menu has a name that contains "Pies"; did you mean "Pie"?'],
        ),
        (
            "order.items.exists(i, i.displayName.startsWith('Pie'))",
            ['no item of the menu has a name that begins with "Pie"; look for another, or add it'],
        ),
        (
            "order.items.exists(i, i.itemId.endsWith('X'))",
            ['no item of the menu has an id that ends with "X"; look for another, or add it'],
        ),
        (
            "order.items.exists(i, i.displayName.matches('^Pie'))",
            ['no item of the menu has a name that matches "^Pie"; correct the pattern, or add it'],
        ),
    ]
)
def test_what_a_condition_names_is_on_the_menu(text: str, messages: list[str]) -> None:
    assert findings(condition(text)) == messages


@each_of(
    [
        "session.languageCode == 'es' && session.daypartId in ['lunch', 'Coke']",
        "order.orderType == 'PICKUP' && order.metadata['Coke'] == 'Coke'",
        "order.items.exists(i, i.uid == 'Coke')",
        "order.items.exists(i, i.displayName.lowerAscii() == 'coke')",
        "order.items.exists(i, i.displayName + '!' == 'Coke!')",
        "order.items.exists(i, i.displayName == '')",
        "order.items.exists(i, i.displayName.contains('Pie') && i.displayName.endsWith('Float'))",
        "order.items.exists(i, i.displayName.matches('^(Apple|Peach) Pie$'))",
        "order.items.exists(i, i.displayName.matches('('))",
        "order.items.exists(i, i.displayName == '${ITEM}')",
        "order.items.exists(i, i.displayName == session.metadata['Coke'])",
        "order.items.exists(i, session.metadata['item'] == 'Coke' && i.displayName == 'Fries')",
        "[{'displayName': 'Coke'}].exists(i, i.displayName == 'Coke')",
        "order.items.exists(i, i.displayName < 'Coke')",
        "order.items.exists(i, i.displayName == 'Coke' ",
    ]
)
def test_other_texts_of_a_condition_name_nothing(text: str) -> None:
    assert findings(condition(text)) == []


def test_a_finding_points_at_the_text_in_the_condition() -> None:
    files = condition("order.items.exists(i, i.displayName in ['Fries', 'Coke', 'Tea'])")
    lines = files[0][1].splitlines()
    marked = [
        lines[finding.range.start.line - 1][finding.range.start.column - 1 : finding.range.end.column - 1]
        for finding in judged(RULE, files)
    ]
    assert marked == ["''Coke''", "''Tea''"]


@pytest.mark.parametrize("menu", ["kind: Menu\n", "kind: Menu\nitems: [{name: Fries}, 7]\n", "kind: Brand\nname: b\n"])
def test_a_menu_that_does_not_say_all_leaves_conditions_and_terms_alone(menu: str) -> None:
    assert findings(condition("order.items.exists(i, i.displayName == 'Coke')", menu)) == []
    assert findings([("config.yaml", closing("[Cake]")), ("menu.yaml", menu)]) == []


def test_a_condition_too_deep_to_read_names_nothing() -> None:
    deep = "(" * 300 + "order.items[0].displayName == 'Coke'" + ")" * 300
    assert compared_names(deep + " || " + "!" * 300 + "true") == ()
    assert compared_names("order.items[0].displayName == 'Coke' || " + "x" * 100_000) == ()


def closing(terms: str) -> str:
    offer = "offerMessage: {messageConfigs: [{languageCode: en, messageText: Pie?}]}"
    return UPSELLS.format(f"closingOffer: {{closingMessages: [{{{offer}, skipTerms: {terms}}}]}}")


def skips_nothing(term: str, advice: str) -> str:
    return f'no item of the menu has a name that contains "{term}", so the term skips nothing; {advice}'


@each_of(
    [
        ("[Pie, pie, FLOAT, root  beer, App]", []),
        ("[' ', '']", []),
        ("['${TERM}']", []),
        ("[Pie, Cake]", [skips_nothing("Cake", "look for another, or add it")]),
        ("[Floats]", [skips_nothing("Floats", 'did you mean "Float"?')]),
        ("[Large]", [skips_nothing("Large", "look for another, or add it")]),
    ]
)
def test_a_skip_term_is_in_the_name_of_an_item(terms: str, messages: list[str]) -> None:
    assert findings([("config.yaml", closing(terms)), ("menu.yaml", MENU)]) == messages


def hijack(term: str, target: str, name: str) -> str:
    said = f'"{term}" is an item of the menu, but a customer who says it gets "{target}"'
    return f'{said}; add "{name}" to the targets, or remove the term'


@each_of(
    [
        ("{type: SINGLE_TARGET, customerTerms: [chips, the usual], targets: [{itemName: Fries}]}", []),
        ("{type: SINGLE_TARGET, customerTerms: [Fries, fries], targets: [{itemName: Fries}]}", []),
        ("{type: DISAMBIGUATION, customerTerms: [Fries], targets: [{itemName: Apple Pie}, {itemName: Fries}]}", []),
        ("{type: INVALID_ITEM, customerTerms: [fries, nuggets], targets: [{itemName: Apple Pie}]}", []),
        ("{type: SINGLE_TARGET, customerTerms: [fries], targets: []}", []),
        ("{type: SINGLE_TARGET, customerTerms: [fries], targets: [{itemName: 7}]}", []),
        (
            "{type: SINGLE_TARGET, customerTerms: [chips, apple  pie], targets: [{itemName: Fries}]}",
            [hijack("apple  pie", "Fries", "Apple Pie")],
        ),
        (
            "{type: DISAMBIGUATION, customerTerms: [fries], targets: [{itemName: Apple Pie}, "
            "{itemName: Root Beer Float}]}",
            [hijack("fries", "Apple Pie", "Fries")],
        ),
    ]
)
def test_a_customer_term_that_names_an_item_leads_to_it(mapping: str, messages: list[str]) -> None:
    assert findings([("config.yaml", MAPPING.format(mapping)), ("menu.yaml", MENU)]) == messages
