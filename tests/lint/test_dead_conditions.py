"""Conditions that no session fulfils: those that are found, and that none that some order fulfils is called dead."""

from itertools import product
from random import Random
from typing import Any

import pytest

from tests.cases import each_of, number_of_cases
from tests.lint.workspace_findings import told
from trialrun.lint.rule import session_types
from trialrun.values import cel
from trialrun.values.cel import CelError, check_expression, compile

CASES, ORDERS = 4_000, 40
MENU = """\
kind: Menu
items:
  - {name: Burger, id: B, price: 6.49, modifierGroups: []}
  - {name: Fries, id: F, price: 2.99, modifierGroups: [Size]}
  - {name: Pie, id: P, price: 2.0, modifierGroups: []}
modifierGroups:
  - {name: Size, id: G1, modifiers: [{name: Large, id: M1}, {name: Small, id: M2}]}
"""
CONFIG = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/acme/channelConfigs/c
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - priority: 1
        disabled: {}
        celUpsell: {{conditionExpression: "{}", suggestedMenuItems: [Fries]}}
"""
BURGERS = "order.items.filter(i, i.displayName == 'Burger')"
DEAD_BY_TYPES = [
    "order.items.exists(i, i.quantity > 3 && i.quantity < 4)",
    "order.items.exists(i, i.quantity > 5 && i.quantity < 2)",
    "order.subtotal > 5.0 && order.subtotal < 2.0",
    "order.items.exists(i, i.quantity == 0)",
    "order.items.exists_one(i, i.displayName == 'Pie' && i.quantity < 1)",
    "order.items.size() > 2 && order.items.size() < 3",
    "order.items.exists(i, i.displayName == 'Burger' && i.displayName == 'Fries')",
    "session.upsellDeclines > session.upsellOffers",
    "session.upsellOffers < session.upsellDeclines && order.subtotal > 5.0",
    "session.upsellDeclines >= 3 && session.upsellOffers < 3",
    "session.languageCode == 'en-us'",
    "session.languageCode in ['EN', 'es-mx']",
    "session.turn == 0",
    "session.startTime.getHours('America/Chicago') > 22 && session.startTime.getHours('America/Chicago') < 5",
    "session.daypartId == 'breakfast' && session.daypartId == 'lunch'",
]
DEAD_BY_MENU = [
    "order.items.exists(i, i.displayName == 'Burger' && i.itemId == 'F')",
    "order.items.exists(i, i.displayName == 'Burger' && i.basePrice > 9.0 && i.quantity > 1)",
    "order.items.exists(i, i.basePrice > 20.0) && session.turn > 1",
    "order.items.exists(i, i.displayName.startsWith('Burger') && i.displayName.endsWith('ies'))",
    f"{BURGERS}.size() == 2",
    f"size({BURGERS}) > 1",
    f"2 <= {BURGERS}.size()",
    "order.items.filter(i, i.displayName in ['Burger', 'Pie'] && i.quantity > 1).size() == 3",
]
POSSIBLE = [
    "order.items.exists(i, i.quantity > 3 && i.quantity < 5)",
    "order.subtotal > 3.0 && order.subtotal < 4.0",
    "order.items.exists(i, i.quantity > 3) && order.items.exists(i, i.quantity < 2)",
    "session.upsellDeclines >= session.upsellOffers",
    "session.upsellDeclines == 2 && session.upsellOffers == 3",
    "session.languageCode == 'en-US' && session.turn == 1",
    "order.items.exists(i, i.displayName == 'Burger' || i.basePrice > 20.0)",
    "order.items.exists(i, i.basePrice > 20.0) || order.subtotal > 1.0",
    "!order.items.exists(i, i.basePrice > 20.0) && order.subtotal > 1.0",
    f"{BURGERS}.size() == 1",
    "order.items.filter(i, i.displayName == 'Fries').size() == 2",
    "order.items.filter(i, i.displayName in ['Burger', 'Pie']).size() == 2",
]
OPEN_MENUS = {
    "no list of items": "kind: Menu\n",
    "an item without a name": MENU.replace("name: Pie, ", ""),
    "no menu": "",
}


def findings(condition: str, menu: str = MENU, *, disabled: bool = False) -> list[str]:
    files = [("config.yaml", CONFIG.format(str(disabled).lower(), condition))]
    return told(("unknown-menu-item", "cel-constant"), [*files, *([("menu.yaml", menu)] if menu else [])])


@each_of([(condition, False) for condition in DEAD_BY_TYPES] + [(condition, None) for condition in POSSIBLE])
def test_what_types_and_counts_of_a_session_exclude(condition: str, value: bool | None) -> None:
    result = check_expression(condition)
    assert (result.problems, result.constant) == ((), value)


@each_of(DEAD_BY_MENU)
def test_what_no_order_of_the_menu_fulfils(condition: str) -> None:
    (text,) = findings(condition)
    assert "the condition is always false: " in text


@each_of(POSSIBLE)
def test_what_some_order_fulfils(condition: str) -> None:
    assert findings(condition) == []


@each_of(list(product(OPEN_MENUS, DEAD_BY_MENU)))
def test_an_open_menu_proves_nothing(menu: str, condition: str) -> None:
    assert findings(condition, OPEN_MENUS[menu]) == []


def test_without_a_list_of_modifiers_lines_of_one_item_may_differ() -> None:
    assert findings(f"{BURGERS}.size() == 2", MENU.partition("modifierGroups:\n")[0]) == []


ODD = [
    "size == 2",
    "size() == 2",
    "exists(order.items, i, false)",
    "order.items.exists(1, true)",
    "order.items.exists(i, j, i > 1)",
    "order.items.filter(i, i.basePrice > 20.0)",
    "order.items.filter(i).size() == 2",
    "order.items.exists(i, i.basePrice > 'x')",
    " && ".join(["order.subtotal > 1.0"] * 3_000),
    "order.items.exists(i, " + "(" * 60 + "i.basePrice > 20.0" + ")" * 60 + ")",
]


@each_of(ODD)
def test_odd_conditions_are_left_to_other_rules(condition: str) -> None:
    texts = findings(f"order.items.size() > 0 && {condition}")
    assert not [text for text in texts if "internal" in text or "fulfils" in text]


def test_a_misspelt_name_is_one_finding() -> None:
    (text,) = findings("order.items.exists(i, i.displayName == 'Burgers' && i.basePrice > 20.0)")
    assert 'the menu has no item "Burgers"' in text


def test_a_disabled_upsell_may_have_a_dead_condition() -> None:
    assert findings(DEAD_BY_MENU[0], disabled=True) == []


ITEMS = [("Burger", "B", 6.49, [[]]), ("Fries", "F", 2.99, [[], ["Large"], ["Small"]]), ("Pie", "P", 2.0, [[]])]
OF_LINE = [
    *(f"i.displayName == '{name}'" for name in ("Burger", "Fries", "Pie")),
    *(f"i.itemId != '{id_}'" for id_ in "BF"),
    *(f"i.basePrice {relation} {price}" for relation in ("<", ">=", "==") for price in (2.0, 2.99, 6.5)),
    *(f"i.quantity {relation} {number}" for relation in ("<", "<=", "==", ">") for number in (0, 1, 2, 2.5, 3)),
    "i.displayName.contains('ie')",
    "i.modifierGroups.size() == 0",
]
OF_SESSION = [
    *(f"session.{name} {relation} {number}" for name in ("turn", "upsellOffers", "upsellDeclines")
      for relation in ("<", "<=", "==", "!=", ">") for number in (0, 1, 2)),
    *(f"session.upsellDeclines {relation} session.upsellOffers" for relation in ("<", "<=", "==", ">", ">=")),
    *(f"session.upsellOffers {relation} session.upsellDeclines" for relation in ("<", "<=", "==", ">", ">=")),
    *(f"session.languageCode == '{code}'" for code in ("en-US", "es")),
    *(f"order.items.size() {relation} {number}" for relation in ("<", "==", ">") for number in (0, 1, 2.5)),
]  # fmt: skip


def drawn_condition(random: Random, depth: int = 2) -> str:
    if depth and random.random() < 0.7:
        parts = [drawn_condition(random, depth - 1) for _ in range(2)]
        return f"({random.choice([' && ', ' && ', ' || ']).join(parts)})"
    if random.random() < 0.4:
        return random.choice(["{}", "{}", "!({})"]).format(random.choice(OF_SESSION))
    body = random.choice([" && ", " && ", " || "]).join(random.sample(OF_LINE, random.randint(1, 2)))
    macro = random.choice(["exists", "exists", "exists_one", "all", "filter"])
    size = f".size() {random.choice(['==', '>', '<='])} {random.randint(0, 4)}" if macro == "filter" else ""
    return f"order.items.{macro}(i, {body}){size}"


def drawn_state(random: Random) -> dict[str, Any]:
    kinds = [(name, id_, price, each) for name, id_, price, modifiers in ITEMS for each in modifiers]
    lines = [
        {"displayName": name, "itemId": id_, "basePrice": price, "quantity": random.choice([1, 1, 2, 3, 4])}
        | {"modifierGroups": [{"displayName": "Size", "modifiers": [{"displayName": each}]} for each in modifiers]}
        for name, id_, price, modifiers in random.sample(kinds, random.randint(0, len(kinds)))
    ]
    offers = random.randint(0, 3)
    session = {"turn": random.randint(1, 4), "upsellOffers": offers, "upsellDeclines": random.randint(0, offers)}
    subtotal = sum(line["basePrice"] * line["quantity"] for line in lines)
    language = random.choice(["en-US", "es", ""])
    return {"order": {"items": lines, "subtotal": subtotal}, "session": {**session, "languageCode": language}}


def check_condition(seed: int) -> bool:
    """Whether a drawn condition is called always true or false; it is then in every order."""
    random = Random(seed)
    condition = drawn_condition(random)
    constant = check_expression(condition).constant
    if constant is None and not any("always false" in text for text in findings(condition)):
        return False
    program = compile(condition)
    for _ in range(ORDERS):
        state = drawn_state(random)
        try:
            value = program.evaluate(state)
        except CelError:
            value = None
        assert value is bool(constant), f"{condition} is {value}, not {bool(constant)}, of {state}"
    return True


@pytest.mark.generated
def test_no_drawn_condition_is_called_constant_that_is_not() -> None:
    cases = number_of_cases(CASES, share=32)
    assert sum(map(check_condition, range(cases))) > cases // 10


ORDER = {"order": "Order"}


@each_of(
    [
        ([{"variables": ORDER, "types": {"Order": {"total": "double"}}}], "order.total > 1"),
        ([{"variables": ORDER}, {"types": {"Order": {"items": "list(Item)"}, "Item": {}}}], "order.items.size() > 1"),
        ([{"variables": ORDER, "types": {"Order": {"total": "dubble"}}}], "order.total > 1"),
        ([{"variables": ORDER, "types": {"Order": {"total": 5}}}], "order.total > 1"),
        ([{"variables": ORDER, "types": {"Order": {"total": "double", "a-b": "int"}}}], "order.total > 1"),
        ([{"variables": {**ORDER, "if": "int"}, "types": {"Order": {"total": "double"}}}], "order.total > 1"),
        ([{"variables": ORDER, "types": {"Order": {"total": "double"}, "string": {}}}], "order.total > 1"),
        ([{"variables": {"order": "Ordr"}, "types": {"Order": {"total": "double"}}}], "order.anything > 1"),
    ]
)
def test_what_cannot_be_read_makes_no_condition_wrong(declarations: list[dict[str, Any]], condition: str) -> None:
    types = session_types(declarations)
    assert types.is_declared
    assert cel.check_expression(condition, schema=types.schema).problems == ()


def test_a_mistake_elsewhere_in_the_schema_hides_no_mistake() -> None:
    types = session_types([{"variables": ORDER, "types": {"Order": {"total": "double", "tip": "dubble"}}}])
    (found,) = cel.check_expression("order.totl > 1", schema=types.schema).problems
    assert (types.is_declared, found.replacement) == (True, "total")


@pytest.mark.parametrize("declarations", [[], [{}], [{"types": {"Order": {"total": "double"}}}]])
def test_without_variables_the_default_is_a_guess(declarations: list[dict[str, Any]]) -> None:
    types = session_types(declarations)
    assert (types.schema, types.is_declared) == (cel.DEFAULT_SCHEMA, False)
