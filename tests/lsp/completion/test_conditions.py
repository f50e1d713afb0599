"""Conditions are completed by the types of the session, and policies by those of their message."""

from collections.abc import Callable

import pytest

from tests.cases import each_of
from tests.lsp.completion.conftest import After, Labels
from trialrun.lint.settings import Settings
from trialrun.lsp.features.completion import completion
from trialrun.lsp.features.completion.conditions import BOUND
from trialrun.lsp.results import Completion
from trialrun.values import cel
from trialrun.values.cel.builtins import (
    EXTENSIONS,
    FUNCTIONS,
    METHODS,
    CelFunction,
    describe_function,
    global_functions,
    namespace_functions,
)
from trialrun.workspace.open_workspace import OpenWorkspace

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
    "optional": "optional.of(1)",
}
GIVEN = {
    "text": "'a'",
    "regular expression": "'a'",
    "other": "'b'",
    "index": "0",
    "start": "0",
    "end": "1",
    "count": "1",
    "integer": "1",
    "number": "1",
    "double": "1.0",
    "list": "[1]",
    "sublist": "[1]",
    "list of values": "[1]",
    "separator": "','",
    "condition": "true",
    "value": "1",
    "map": "{'a': 1}",
    "optional": "optional.of(1)",
    "time zone": "'UTC'",
    "field": "order.items",
}
OF_ITS_OWN = {
    "sort": "[1].sort()",
    "distinct": "[1].distinct()",
    "flatten": "[[1]].flatten()",
    "join": "['a'].join(',')",
    "timestamp": "timestamp('2026-01-01T00:00:00Z')",
    "duration": "duration('1s')",
    "bytes": "bytes('a')",
    "bool": "bool('true')",
    "size": "size('a')",
}
"""Functions that take only some values of their type."""


def call(function: CelFunction, before: str = "") -> str:
    given = [take if take in BOUND else GIVEN[take] for take in function.takes]
    return f"{before}{function.name}({', '.join(given)})"


@pytest.fixture
def offered(opened: Callable[..., OpenWorkspace]) -> Callable[..., list[str]]:
    """The labels of what is offered in a condition with some extension libraries on."""

    def labels(condition: str, *extensions: str) -> list[str]:
        text = f"{UPSELL}conditionExpression: {condition}\n"
        live = opened(text, settings=Settings(options={"cel-extensions": list(extensions)}))
        items = completion(live, "edited.yaml", text.index("¦"))["items"]
        return [item.label for item in sorted(items, key=lambda item: item.sort_text)]

    return labels


@pytest.fixture
def of_condition(offered: Callable[..., list[str]]) -> Labels:
    return lambda condition: offered(condition, *cel.EXTENSIONS)


@pytest.mark.parametrize(
    ("condition", "label", "library"),
    [
        ("session.store.¦", "lowerAscii", "strings"),
        ("session.store.¦", "reverse", "strings"),
        ("order.items.¦", "reverse", "lists"),
        ("order.items.¦", "exists(i, v)", "two-var-comprehensions"),
        ("order.items.¦", "transformList(i, v)", "two-var-comprehensions"),
        ("order.items.¦", "distinct", "lists"),
        ("¦", "math", "math"),
        ("math.¦", "greatest", "math"),
        ("¦", "cel", "bindings"),
        ("sets.¦", "contains", "sets"),
        ("optional.¦", "of", "optional"),
        ("order.?¦", "items", "optional"),
    ],
)
def test_a_function_of_an_extension_is_offered_where_it_is_on(
    offered: Callable[..., list[str]], condition: str, label: str, library: str
) -> None:
    text = f"|\n            {condition}"
    assert label not in offered(text)
    assert label in offered(text, library)


def test_the_standard_library_is_always_offered(offered: Callable[..., list[str]]) -> None:
    assert {"contains", "matches", "startsWith", "endsWith", "size"} == set(offered("session.store.¦"))
    assert {"exists", "all", "exists_one", "filter", "map", "size"} == set(offered("order.items.¦"))


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


MENU = """\
kind: Menu
items:
  - {name: Cheeseburger, id: b-1, modifierGroups: [Sides]}
  - {name: "Fish: the big one", id: b-2}
  - {name: Kid's meal}
modifierGroups: [{name: Sides, id: g-1, modifiers: [{name: Fries}, {name: Extra cheese}]}]
"""
DISHES = ["Cheeseburger", "Fish: the big one", "Kid's meal"]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ('|\n            order.items.exists(i, i.displayName == "¦")', DISHES),
        ('|\n            order.items.exists(i, i.displayName == "¦', DISHES),
        ("|\n            order.items.exists(i, i.displayName in [\"Tea\", 'Chee¦se'])", DISHES[:2]),
        ("order.items.exists(i, i.displayName == '¦')", ["Cheeseburger"]),
        ("'order.items.exists(i, i.displayName == \"¦\")'", DISHES[:2]),
        ("order.items.exists(i, i.itemId == '¦')", ["b-1", "b-2"]),
        ("order.items.exists(i, i.modifierGroups.exists(g, g.displayName == '¦", ["Sides"]),
        ("order.items.exists(i, i.displayName.lowerAscii() == '¦')", []),
        ("session.store == '¦'", []),
    ],
)
def test_a_text_is_completed_by_the_names_of_the_menu(labels: Labels, condition: str, found: list[str]) -> None:
    assert labels(f"{UPSELL}conditionExpression: {condition}\n", menu=MENU) == found


def test_a_name_with_control_characters_is_no_completion(labels: Labels) -> None:
    text = f"{UPSELL}conditionExpression: \"order.items.exists(i, i.displayName == '¦')\"\n"
    assert labels(
        text, menu='kind: Menu\nitems: [{name: "a\\tb"}, {name: "a\\Nb"}, {name: "a\\Lb"}, {name: "Açaí"}]\n'
    ) == ["Açaí"]


def test_a_name_of_the_menu_takes_the_place_of_the_whole_text(labels: Labels, after: After) -> None:
    start = f"{UPSELL}conditionExpression: order.items.exists(i, i.modifierGroups.exists(g, "
    text = f"{start}g.modifiers.exists(m, m.displayName == 'Extra ¦bacon')))\n"
    assert after(text, "Extra cheese", menu=MENU) == text.replace("Extra ¦bacon", "Extra cheese")
    assert labels(text.replace("'Extra ¦bacon'", "¦"), menu=MENU)[:2] == ["Fries", "Extra cheese"]
    parts = text.replace("¦bacon", "¦bacon (new/hot!)")
    assert after(parts, "Extra cheese", menu=MENU) == text.replace("Extra ¦bacon", "Extra cheese")
    listed = f"{UPSELL}conditionExpression: order.items.exists(i, i.displayName in ['Che¦, 'Tea'])\n"
    assert after(listed, "Cheeseburger", menu=MENU) == listed.replace("Che¦", "Cheeseburger")


def test_a_comment_in_a_condition_has_no_completions(labels: Labels) -> None:
    lines = f"{UPSELL}conditionExpression: |\n            // of the order.¦\n            // $\n            order.$"
    assert labels(lines.replace("$", "")) == []
    assert labels(lines.replace("¦", "").replace("// $", "// ¦").replace("$", "")) == []
    assert "subtotal" in labels(lines.replace("¦", "").replace("// $", "//").replace("$", "¦"))


def test_a_value_is_followed_by_no_value(of_condition: Labels) -> None:
    assert of_condition("order.items ¦") == []
    assert of_condition("order.orderType == 'a¦'") == []


def test_a_function_that_is_called_already_gets_no_second_bracket(after: After) -> None:
    text = f"{UPSELL}conditionExpression: session.startTime.get¦Hours('UTC')\n"
    assert after(text, "getMinutes").endswith("session.startTime.getMinutes('UTC')\n")


def test_a_long_chain_is_given_up(of_condition: Labels) -> None:
    assert of_condition("order" + ".a" * 10_000 + ".¦") == []


@each_of([(of, one) for of, table in METHODS.items() for one in table])
def test_the_engine_has_every_method(of: str, function: CelFunction) -> None:
    written = OF_ITS_OWN.get(function.name) if of == "list" and function.name != "size" else None
    assert cel.check_expression(f"{written or call(function, CALLS[of] + '.')} == dyn(1)").problems == ()


@each_of(global_functions(""))
def test_the_engine_has_every_function(function: CelFunction) -> None:
    assert cel.check_expression(f"{OF_ITS_OWN.get(function.name) or call(function)} == dyn(1)").problems == ()


@each_of([(name, one) for name, table in namespace_functions("").items() for one in table])
def test_the_engine_has_every_function_of_a_namespace(space: str, function: CelFunction) -> None:
    assert cel.check_expression(f"{call(function, f'{space}.')} == dyn(1)").problems == ()


def test_each_function_is_described_and_of_a_known_library() -> None:
    names = {".".join(filter(None, (function.namespace, function.name))) for function in FUNCTIONS}
    assert len(names) > 80
    assert [name for name in sorted(names) if describe_function(name) is None] == []
    assert {function.library for function in FUNCTIONS} == {"", *EXTENSIONS}


@pytest.mark.parametrize(
    ("condition", "first"),
    [
        ("order.items.exists(i, v, v.¦", "uid"),
        ("order.items.transformList(i, v, v)[0].¦", "uid"),
        ("order.items.map(i, i.displayName)[0].¦", "contains"),
        ("order.items.map(i, i.modifierGroups)[0][0].¦", "modifierGroupId"),
        ("cel.bind(first, order.items[0], first.¦", "uid"),
        ("order.items.first().¦", "hasValue"),
        ("order.items.first().value().¦", "uid"),
        ("order.?items.orValue([]).¦", "exists"),
        ("(order.subtotal > 1.0 ? session.store : '').¦", "contains"),
        ("('a' + session.store).¦", "contains"),
        ("['a', 'b'].¦", "exists"),
        ("{'a': order}['a'].¦", "items"),
        ("strings.quote('a').¦", "contains"),
        ("order.?¦", "items"),
        ("math.¦", "greatest"),
        ("sets.¦", "contains"),
        ("'b' in ¦", "order"),
    ],
)
def test_types_follow_from_calls(of_condition: Labels, condition: str, first: str) -> None:
    assert of_condition(f"|\n            {condition}")[0] == first


def test_the_names_of_a_macro_with_two_are_in_scope(ask: Callable[..., list[Completion]]) -> None:
    told = {one.label: one.detail for one in ask(f"{UPSELL}conditionExpression: order.metadata.all(k, value, ¦")}
    assert (told["k"], told["value"]) == ("string", "string")


def test_what_an_enumeration_is_looked_for_in_has_its_values(labels: Labels) -> None:
    found = labels(f"{UPSELL}conditionExpression: cart.sort in ['small', ¦\n", schema=SCHEMA)
    assert found[:2] == ["small", "party-box"]


def test_a_call_has_its_tab_stops(ask: Callable[..., list[Completion]]) -> None:
    (one,) = (one for one in ask(f"{UPSELL}conditionExpression: order.items.¦\n") if one.label == "exists")
    assert (one.text, one.is_snippet) == ("exists(${1:x}, $2)", True)


def test_many_calls_one_after_another_are_read_once(of_condition: Labels) -> None:
    assert "exists" in of_condition(f"order.items{'.map(x, x)' * 15}.¦")
    assert of_condition(f"order.items{'.map(x, x.map(y, y))' * 2_000}.¦") == []


POLICY = "id: views-name-their-owner\non: FeatureView\ncheck: has(self.labels)\nmessage: m\n"


def test_keys_that_are_required_come_first(labels: Labels) -> None:
    assert labels("id: a\non: FeatureView\n¦\ncheck: a") == [
        "message", "scope", "parameters", "at", "severity", "messageExpression", "once", "doc",
    ]  # fmt: skip


def test_a_policy_is_on_a_message(labels: Labels) -> None:
    assert {"FeatureView", "UpsellConfig"} <= set(labels(POLICY.replace("FeatureView", "¦")))


def test_a_finding_points_at_a_field(labels: Labels, after: After) -> None:
    assert "labels" in labels(f"{POLICY}at: ¦")
    assert after(f"{POLICY}at: syncConfig.c¦", "syncConfig.cron").endswith("at: syncConfig.cron")


def test_a_severity_is_one_of_three(labels: Labels) -> None:
    assert labels(f"{POLICY}severity: ¦") == ["error", "warning", "note"]


def test_a_condition_reads_the_message_and_its_document(labels: Labels) -> None:
    assert labels(POLICY.replace("has(self.labels)", "¦"))[:3] == ["self", "root", "document"]
    assert "cron" in labels(POLICY.replace("has(self.labels)", "self.syncConfig.¦"))
    assert labels(POLICY.replace("has(self.labels)", "document.¦"))[:3] == ["path", "kind", "name"]


PARAMETERS = "parameters:\n  max: {type: int, default: 4}\n"


def test_a_scope_is_one_of_two(labels: Labels) -> None:
    assert labels(f"{POLICY}scope: ¦") == ["document", "workspace"]


def test_functions_of_policies(labels: Labels) -> None:
    every = labels(POLICY.replace("has(self.labels)", "¦"))
    assert {"now", "texts", "documents", "cron", "language", "condition"} <= set(every)
    assert labels(POLICY.replace("has(self.labels)", "cron.¦")) == ["runs", "zone"]
    assert "getHours" in labels(POLICY.replace("has(self.labels)", "cron.runs(self.syncConfig.cron, 2)[0].¦"))


def test_parameters_are_completed(labels: Labels) -> None:
    text = PARAMETERS + POLICY
    assert labels(text.replace("has(self.labels)", "parameters.¦"))[:1] == ["max"]
    assert labels(text.replace("{type: int, default: 4}", "{¦}")) == ["type", "default", "description"]
    assert "list(string)" in labels(text.replace("type: int", "type: ¦"))


def test_other_documents_are_completed(labels: Labels) -> None:
    assert {"FeatureView", "Brand"} <= set(labels(POLICY.replace("has(self.labels)", "documents('¦')")))
    assert "defaults" in labels(POLICY.replace("has(self.labels)", "documents('Brand').exists(b, b.¦)"))
