"""One configuration over another: what results, as tables of the two and the one."""

from textwrap import dedent
from typing import Any

import pytest
import yaml

from tests.cases import each_of
from tests.runtime.channel_config.brands import at_store
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.node import Node, message_fields
from trialrun.runtime.channel_config.active_config import EffectiveConfig
from trialrun.runtime.channel_config.overlay import MERGE_KEYS, ONEOF, ListMerge, MergedTree, overlay
from trialrun.runtime.options import Options


def value_of(text: str) -> Any:
    return yaml.safe_load(dedent(text))


def laid(*texts: str, lists: ListMerge = "replace") -> Any:
    """The value of the texts, each laid over those before it."""
    tree: MergedTree[int] | None = None
    for by, text in enumerate(texts):
        tree = overlay(tree, by, value_of(text), lists=lists)
    assert tree is not None
    return tree.value


FIELDS = {
    "later-wins": ("a: 1", "a: 2", "a: 2"),
    "field-by-field": ("m: {a: 1, b: 2}", "m: {b: 3, c: 4}", "m: {a: 1, b: 3, c: 4}"),
    "zero-counts": ("a: 1", "a: 0", "a: 0"),
    "false-counts": ("a: true", "a: false", "a: false"),
    "empty-text-counts": ("a: x", "a: ''", "a: ''"),
    "empty-list-counts": ("phrases: [x]", "phrases: []", "phrases: []"),
    "empty-message-clears-nothing": ("m: {a: 1}", "m: {}", "m: {a: 1}"),
    "empty-message-is-there": ("{}", "m: {}", "m: {}"),
    "what-comes-over-an-empty-message": ("m: {}", "m: {a: 1}", "m: {a: 1}"),
    "list-is-a-value": ("mappings: [a, b]", "mappings: [c]", "mappings: [c]"),
}


UPSELLS = {
    "by-name": (
        "{displayName: A, priority: 1, disabled: false}",
        "{displayName: A, priority: 5, disabled: true}",
        "{displayName: A, priority: 5, disabled: true}",
    ),
    "disabled-alone": (
        "{displayName: A, priority: 1, celUpsell: {conditionExpression: x}}",
        "{displayName: A, disabled: true}",
        "{displayName: A, priority: 1, celUpsell: {conditionExpression: x}, disabled: true}",
    ),
    "inside-its-type": (
        "{displayName: A, celUpsell: {conditionExpression: x, priority: 1}}",
        "{displayName: A, celUpsell: {conditionExpression: y}}",
        "{displayName: A, celUpsell: {conditionExpression: y, priority: 1}}",
    ),
    "another-type-clears": (
        "{displayName: A, celUpsell: {conditionExpression: x}, disabled: true}",
        "{displayName: A, closingOffer: {closingMessages: [m]}}",
        "{displayName: A, closingOffer: {closingMessages: [m]}, disabled: true}",
    ),
    "other-names-of-one-priority": (
        "{displayName: A, priority: 1}",
        "{displayName: B, priority: 1}",
        "{displayName: A, priority: 1}, {displayName: B, priority: 1}",
    ),
    "no-name-over-a-name": (
        "{displayName: A, priority: 1}",
        "{priority: 1, disabled: true}",
        "{displayName: A, priority: 1, disabled: true}",
    ),
    "a-name-over-none": ("{priority: 1}", "{displayName: A, priority: 1}", "{displayName: A, priority: 1}"),
    "no-names": ("{priority: 1}", "{priority: 1, disabled: true}", "{priority: 1, disabled: true}"),
    "an-empty-name-is-none": ("{displayName: '', priority: 1}", "{priority: 1}", "{displayName: '', priority: 1}"),
    "nothing-to-match": ("{priority: 1}", "{disabled: true}", "{priority: 1}, {disabled: true}"),
    "a-name-before-a-priority": (
        "{displayName: A, priority: 1}, {displayName: B, priority: 2}",
        "{priority: 2, disabled: true}, {displayName: B, priority: 1}",
        "{displayName: A, priority: 1}, {displayName: B, priority: 1}, {priority: 2, disabled: true}",
    ),
    "two-over-one": (
        "{displayName: A, priority: 1}",
        "{displayName: A, priority: 2}, {displayName: A, priority: 3}",
        "{displayName: A, priority: 2}, {displayName: A, priority: 3}",
    ),
    "two-of-one-name": (
        "{displayName: A, priority: 1}, {displayName: A, priority: 2}",
        "{displayName: A, priority: 3}",
        "{displayName: A, priority: 3}, {displayName: A, priority: 2}",
    ),
    "order-stays": (
        "{displayName: A, priority: 1}, {displayName: B, priority: 2}",
        "{displayName: C, priority: 3}, {displayName: B, priority: 9}",
        "{displayName: A, priority: 1}, {displayName: B, priority: 9}, {displayName: C, priority: 3}",
    ),
    "none-clears-nothing": ("{priority: 1}", "", "{priority: 1}"),
}


GREETINGS = {
    "by-language": (
        "{languageCode: en, greetingPhrases: [a, b]}",
        "{languageCode: en, greetingPhrases: [c]}",
        "{languageCode: en, greetingPhrases: [c]}",
    ),
    "canonical": (
        "{languageCode: iw, greetingPhrases: [a]}",
        "{languageCode: HE, greetingPhrases: [b]}",
        "{languageCode: HE, greetingPhrases: [b]}",
    ),
    "another-region": (
        "{languageCode: en-US, greetingPhrases: [a]}",
        "{languageCode: en, greetingPhrases: [b]}",
        "{languageCode: en-US, greetingPhrases: [a]}, {languageCode: en, greetingPhrases: [b]}",
    ),
    "no-language": ("{greetingPhrases: [a]}", "{greetingPhrases: [b]}", "{greetingPhrases: [b]}"),
    "no-tag": (
        "{languageCode: Klingonish!, greetingPhrases: [a]}",
        "{languageCode: klingonish!, greetingPhrases: [b]}",
        "{languageCode: klingonish!, greetingPhrases: [b]}",
    ),
}


def items(field: str, cases: dict[str, tuple[str, str, str]]) -> dict[str, tuple[str, ...]]:
    return {f"{field} {name}": tuple(f"{field}: [{text}]" for text in texts) for name, texts in cases.items()}


@each_of({**FIELDS, **items("upsells", UPSELLS), **items("greetings", GREETINGS)})
def test_fields_overwrite_by_presence_and_items_by_their_keys(under: str, over: str, expected: str) -> None:
    assert laid(under, over) == value_of(expected)


APPENDED = {
    "texts": ("phrases: [a, b]", "phrases: [b, c, c]", "phrases: [a, b, c]"),
    "messages": ("mappings: [{type: A}]", "mappings: [{type: B}, {type: A}]", "mappings: [{type: A}, {type: B}]"),
    "nothing": ("phrases: [a]", "phrases: []", "phrases: [a]"),
    "own-repeats-stay": ("phrases: [a, a]", "phrases: [b]", "phrases: [a, a, b]"),
    "inside-a-match": (
        "greetings: [{languageCode: en, greetingPhrases: [a]}]",
        "greetings: [{languageCode: en, greetingPhrases: [b]}]",
        "greetings: [{languageCode: en, greetingPhrases: [a, b]}]",
    ),
}


@each_of(APPENDED)
def test_lists_are_appended_without_repeats_where_that_is_chosen(under: str, over: str, expected: str) -> None:
    assert laid(under, over, lists="append") == value_of(expected)


def messages(model: type[Node]) -> list[type[Node]]:
    """The messages that are merged field by field: those inside messages, or in lists whose items are matched."""
    inside = [inner for name, listed, inner in message_fields(model) if not listed or name in MERGE_KEYS]
    return [model, *(further for inner in inside for further in messages(inner))]


def test_the_unions_are_those_of_the_messages_that_are_merged() -> None:
    assert [union for model in messages(ChannelConfig) for union in model.unions.values()] == [ONEOF]


def test_matched_lists_are_each_the_list_of_one_field() -> None:
    found = [name for model in messages(ChannelConfig) for name, listed, _ in message_fields(model) if listed]
    assert sorted(name for name in found if name in MERGE_KEYS) == sorted(MERGE_KEYS)


BRAND = "{kind: Brand, defaults: [one], stores: [{name: austin, defaults: [two]}]}"
ONE = """
    kind: ChannelConfig
    name: one
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 2
        upsells:
          - displayName: Fries
            priority: 1
            celUpsell:
              conditionExpression: "true"
              suggestedMenuItems: [Fries,
                                   Shake]
      greetings: [{languageCode: en, greetingPhrases: [Hello]}]
      featuresConfig: {orderPickup: {}}
"""
UPSELLS_POINTER = "/operationsConfig/upsellStrategy/upsells"


def of_store(two: str, *, one: str = ONE, options: Options | None = None) -> EffectiveConfig:
    return at_store("austin", BRAND, one, two, options=options or Options()).types["UPSELL_STRATEGY"]


def two(operations: str) -> str:
    return f"{{kind: ChannelConfig, name: two, type: UPSELL_STRATEGY, operationsConfig: {operations}}}"


def chain(effective: EffectiveConfig, pointer: str) -> list[str]:
    """The origin of a value, and those that it overrode."""
    origin = effective.origin(pointer)
    return [
        f"{overridden.level} {overridden.path}:{overridden.line} {overridden.value!r}"
        for overridden in (origin, *origin.overrode)
    ]


def test_every_scalar_empty_message_and_whole_list_has_an_origin() -> None:
    upsell = f"{UPSELLS_POINTER}/0"
    assert [(pointer, one.line) for pointer, one in of_store(two("{}")).origins.items()] == [
        ("/operationsConfig/upsellStrategy/maxUpsellOffers", 6),
        (f"{upsell}/displayName", 8),
        (f"{upsell}/priority", 9),
        (f"{upsell}/celUpsell/conditionExpression", 11),
        (f"{upsell}/celUpsell/suggestedMenuItems", 12),
        (f"{upsell}/celUpsell/suggestedMenuItems/0", 12),
        (f"{upsell}/celUpsell/suggestedMenuItems/1", 13),
        ("/operationsConfig/greetings/0/languageCode", 14),
        ("/operationsConfig/greetings/0/greetingPhrases", 14),
        ("/operationsConfig/greetings/0/greetingPhrases/0", 14),
        ("/operationsConfig/featuresConfig/orderPickup", 15),
    ]


def test_a_list_that_is_replaced_has_what_it_overrode() -> None:
    found = of_store(two("{upsellStrategy: {upsells: [{displayName: Fries, celUpsell: {suggestedMenuItems: [Pie]}}]}}"))
    assert chain(found, f"{UPSELLS_POINTER}/0/celUpsell/suggestedMenuItems") == [
        "store-default 3.yaml:1 ['Pie']",
        "brand-default 2.yaml:12 ['Fries', 'Shake']",
    ]
    assert chain(found, f"{UPSELLS_POINTER}/0/celUpsell/suggestedMenuItems/0") == ["store-default 3.yaml:1 'Pie'"]


def test_an_appended_item_comes_from_its_own_file() -> None:
    second = two("{upsellStrategy: {upsells: [{displayName: Fries, celUpsell: {suggestedMenuItems: [Pie, Fries]}}]}}")
    found = of_store(second, options=Options(list_merge="append"))
    items = f"{UPSELLS_POINTER}/0/celUpsell/suggestedMenuItems"
    assert [chain(found, f"{items}/{index}") for index in range(3)] == [
        ["brand-default 2.yaml:12 'Fries'"],
        ["brand-default 2.yaml:13 'Shake'"],
        ["store-default 3.yaml:1 'Pie'"],
    ]
    assert items not in found.origins and found.conflicts == ()


def test_a_member_of_a_union_has_the_one_that_it_took_the_place_of() -> None:
    offer = "closingOffer: {closingMessages: [{skipTerms: [Pie]}]}"
    found = of_store(two(f"{{upsellStrategy: {{upsells: [{{displayName: Fries, {offer}}}]}}}}"))
    assert f"{UPSELLS_POINTER}/0/closingOffer" in found.origins
    assert [line.split()[:2] for line in chain(found, f"{UPSELLS_POINTER}/0/closingOffer")] == [
        ["store-default", "3.yaml:1"],
        ["brand-default", "2.yaml:10"],
    ]


def bound_in_turn(*operations: str) -> EffectiveConfig:
    """What configs make together that a store binds one after the other, each in a file of its own."""
    configs = [two(one).replace("two", f"c{number}") for number, one in enumerate(operations)]
    bindings = ", ".join(f"{{rule: r{number}, channelConfig: c{number}}}" for number in range(len(configs)))
    brand = f"{{kind: Brand, stores: [{{name: austin, bindings: [{bindings}]}}]}}"
    return at_store("austin", brand, *configs).types["UPSELL_STRATEGY"]


def test_empty_messages_leave_nothing_behind_under_one_with_fields() -> None:
    found = bound_in_turn("{featuresConfig: {}}", "{featuresConfig: {}}", "{featuresConfig: {orderPickup: {}}}")
    assert list(found.origins) == ["/operationsConfig/featuresConfig/orderPickup"]
    assert found.origin("/operationsConfig/featuresConfig").overrode == ()


def test_an_empty_member_of_a_union_still_has_what_it_took_the_place_of_when_it_gets_fields() -> None:
    members = (
        "greetingOffer: {messages: [{displayName: x}]}",
        "celUpsell: {}",
        "celUpsell: {}",
        "celUpsell: {priority: 1}",
    )
    found = bound_in_turn(*(f"{{upsellStrategy: {{upsells: [{{displayName: A, {member}}}]}}}}" for member in members))
    overrode = found.origin(f"{UPSELLS_POINTER}/0/celUpsell").overrode
    assert [(overridden.path, overridden.rule, overridden.name) for overridden in overrode] == [("2.yaml", "r0", "c0")]
    assert found.value["operationsConfig"]["upsellStrategy"]["upsells"] == [
        {"displayName": "A", "celUpsell": {"priority": 1}}
    ]


def test_a_message_is_from_the_last_config_that_has_a_part_in_it() -> None:
    found = of_store(two("{upsellStrategy: {maxItemsInCart: 0}}"))
    assert found.origin("/operationsConfig/upsellStrategy").level == "store-default"
    assert found.origin(UPSELLS_POINTER).level == "brand-default"
    assert found.origin("").value == found.value


def test_a_message_that_was_given_out_tells_where_its_parts_come_from() -> None:
    here = at_store("austin", BRAND, ONE, two("{}"))
    assert here.upsell_strategy is not None and here.upsell_strategy.upsells is not None
    (fries,) = here.upsell_strategy.upsells
    assert here.origin_of(fries, "priority").line == 9
    assert fries.celUpsell is not None
    assert here.origin_of(fries.celUpsell, "suggestedMenuItems", 1).line == 13


@pytest.mark.parametrize("pointer", ["/tone", "/operationsConfig/greetings/1", "/operationsConfig/0", "/x/y"])
def test_a_pointer_that_leads_nowhere_is_refused(pointer: str) -> None:
    with pytest.raises(KeyError):
        of_store(two("{}")).origin(pointer)


def test_aliases_and_merge_keys_lead_to_the_anchor() -> None:
    one = """
        kind: ChannelConfig
        name: one
        type: UPSELL_STRATEGY
        operationsConfig:
          upsellStrategy:
            upsells:
              - displayName: A
                priority: 1
                celUpsell: &rule
                  conditionExpression: "true"
                  suggestedMenuItems: &items [Fries]
              - displayName: B
                priority: 2
                celUpsell:
                  <<: *rule
                  conditionExpression: "false"
                  suggestedModifiers: *items
    """
    found = of_store(two("{}"), one=one)
    rule = f"{UPSELLS_POINTER}/1/celUpsell"
    lines = [found.origin(f"{rule}/{name}").line for name in ("conditionExpression", "suggestedMenuItems/0")]
    assert lines == [16, 11]
    assert found.origin(f"{rule}/suggestedModifiers/0").line == 11


def test_items_that_were_refused_do_not_shift_the_lines_of_the_others() -> None:
    one = """
        - kind: ChannelConfig
          name: zero
          type: UPSELL_STRATEGY
        - kind: ChannelConfig
          name: one
          type: UPSELL_STRATEGY
          operations_config:
            upsellStrategy:
              maxUpsellOffers: many
              upsells:
                - no upsell
                - displayName: A
                  priority: 1
                  celUpsell: {conditionExpression: "true", suggestedMenuItems: [1, Fries]}
                - displayName: B
                  priority: 0
    """
    found = of_store(two("{upsellStrategy: {upsells: [{displayName: B, disabled: true}]}}"), one=one)
    assert found.value["operationsConfig"]["upsellStrategy"] == {
        "upsells": [
            {
                "displayName": "A",
                "priority": 1,
                "celUpsell": {"conditionExpression": "true", "suggestedMenuItems": ["Fries"]},
            },
            {"displayName": "B", "disabled": True},
        ]
    }
    pointers = (
        f"{UPSELLS_POINTER}/0/displayName",
        f"{UPSELLS_POINTER}/0/celUpsell/suggestedMenuItems/0",
        f"{UPSELLS_POINTER}/1/displayName",
    )
    assert [found.origin(pointer).line for pointer in pointers] == [12, 14, 1]
    assert chain(found, pointers[2]) == ["store-default 3.yaml:1 'B'", "brand-default 2.yaml:15 'B'"]


def test_a_value_that_was_refused_overrides_nothing() -> None:
    found = of_store(two("{upsellStrategy: {maxUpsellOffers: many, maxItemsInCart: null}}"))
    assert chain(found, "/operationsConfig/upsellStrategy/maxUpsellOffers") == ["brand-default 2.yaml:6 2"]
    assert "maxItemsInCart" not in found.value["operationsConfig"]["upsellStrategy"]


def test_what_speaks_of_a_config_alone_is_not_effective() -> None:
    config = """
        kind: ChannelConfig
        name: two
        displayName: Two
        type: UPSELL_STRATEGY
        state: ACTIVE
        createTime: "2026-01-01T00:00:00Z"
        updateTime: "2026-01-01T00:00:00Z"
        configApplicationRules: [{name: x}]
        operationsConfig: {displayName: Strategy two}
    """
    found = of_store(config)
    assert "displayName" not in found.value and found.value["operationsConfig"]["displayName"] == "Strategy two"
    assert list(found.value) == ["operationsConfig"]
