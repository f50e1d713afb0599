"""Conditions are completed by the types of the session."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trialrun.lsp.features.completion.functions import GLOBAL, METHODS, Function
from trialrun.values import cel

Labels = Callable[..., list[str]]
After = Callable[..., str]

UPSELL = "kind: ChannelConfig\noperationsConfig:\n  upsellStrategy:\n    upsells:\n      - celUpsell:\n          "
SCHEMA = "kind: SessionSchema\ntypes:\n  Cart: {size: int, sort: 'enum(small, party-box)'}\nvariables:\n  cart: Cart\n"
ITEM = ["uid", "itemId", "displayName", "quantity", "basePrice", "modifierGroups"]
CALLS = {
    "string": "session.store",
    "list": "order.items",
    "map": "order.metadata",
    "timestamp": "session.startTime",
    "duration": "duration('1h')",
    "bytes": "b'a'",
}
GIVEN = {
    "": "",
    "text": "'a'",
    "regular expression": "'a'",
    "index": "0",
    "start, end": "0, 1",
    "text, other": "'a', 'b'",
    "separator": "','",
    "x, condition": "x, true",
    "x, value": "x, 1",
    "time zone": "'UTC'",
}


@pytest.fixture
def of_condition(labels: Labels) -> Labels:
    return lambda condition: labels(f"{UPSELL}conditionExpression: {condition}\n")


def test_the_variables_come_first(of_condition: Labels) -> None:
    assert of_condition("¦")[:3] == ["order", "session", "has"]


@pytest.mark.parametrize(
    "condition",
    [
        "order.items[0].¦",
        "order.items.exists(i, i.¦",
        "order.items.exists(i, i.¦quantity > 1)",
        "order.items.filter(i, i.quantity > 1)[0].¦",
        "order.items.all(a, order.items.exists(b, b.uid != a.¦",
        "(order.items[0]).¦",
        "order.subtotal > 1 &&\n            order.items[0].¦",
        "|\n            order.items[0].¦",
        ">-\n            order.subtotal > 1\n            && order.items[0].¦",
        "'order.orderType == ''a'' && order.items[0].¦'",
        '"order.orderType == \\"a\\" && order.items[0].¦',
    ],
)
def test_fields_follow_from_the_type_before_the_dot(of_condition: Labels, condition: str) -> None:
    assert of_condition(condition) == ITEM


def test_the_variable_of_a_macro_is_in_scope_while_its_bracket_is_open(of_condition: Labels) -> None:
    assert "item" in of_condition("order.items.exists(item, ¦")
    assert "item" not in of_condition("order.items.exists(item, true) && ¦")


def test_methods_follow_from_the_type(of_condition: Labels) -> None:
    assert "startsWith" in of_condition("session.store.¦")
    assert "exists" in of_condition("order.items.¦")
    assert of_condition("order.subtotal.¦") == []


def test_the_types_are_told(ask: Callable[..., list[object]]) -> None:
    found = {one.label: one.detail for one in ask(f"{UPSELL}conditionExpression: order.¦")}  # type: ignore[attr-defined]
    assert found["items"] == "list(Item)"


def test_the_types_are_those_of_the_workspace(labels: Labels) -> None:
    assert labels(f"{UPSELL}conditionExpression: cart.¦\n", schema=SCHEMA) == ["size", "sort"]


def test_the_values_of_an_enumeration_are_offered(labels: Labels, after: After) -> None:
    text = f"{UPSELL}conditionExpression: cart.sort == ¦\n"
    assert labels(text, schema=SCHEMA)[:2] == ["small", "party-box"]
    assert after(text, "small", schema=SCHEMA).endswith("cart.sort == 'small'\n")
    inside = f"{UPSELL}conditionExpression: cart.sort == 'party-¦'\n"
    assert after(inside, "party-box", schema=SCHEMA).endswith("cart.sort == 'party-box'\n")


def test_a_value_is_followed_by_no_value(of_condition: Labels) -> None:
    assert of_condition("order.items ¦") == []
    assert of_condition("order.orderType == 'a¦'") == []


def test_a_function_that_is_called_already_gets_no_second_bracket(after: After) -> None:
    text = f"{UPSELL}conditionExpression: session.startTime.get¦Hours('UTC')\n"
    assert after(text, "getMinutes").endswith("session.startTime.getMinutes('UTC')\n")


def test_a_long_chain_is_given_up(of_condition: Labels) -> None:
    assert of_condition("order" + ".a" * 10_000 + ".¦") == []


@pytest.mark.parametrize(
    ("of", "name", "function"), [(of, name, known) for of, table in METHODS.items() for name, known in table.items()]
)
def test_the_engine_has_every_method(of: str, name: str, function: Function) -> None:
    takes = "" if of == "duration" else GIVEN[function.takes]
    assert cel.check(f"{CALLS[of]}.{name}({takes}) == dyn(1)").problems == ()


@pytest.mark.parametrize("name", GLOBAL)
def test_the_engine_has_every_function(name: str) -> None:
    given = {"has": "order.items", "size": "'a'", "timestamp": "'2026-01-01T00:00:00Z'", "duration": "'1s'"}
    assert cel.check(f"{name}({given.get(name, '1')}) == dyn(1)").problems == ()
