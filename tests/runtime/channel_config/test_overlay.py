"""One configuration over another: what results, as tables of the two and the one."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest
import yaml

from tests.cases import each_of
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.node import Node, message_fields
from trialrun.runtime.channel_config.overlay import MERGE_KEYS, ONEOFS, ListMerge, MergedTree, overlay


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


@each_of(FIELDS)
def test_fields_overwrite_by_presence(under: str, over: str, expected: str) -> None:
    assert laid(under, over) == value_of(expected)


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


@each_of(UPSELLS)
def test_upsells_override_by_name_else_by_priority(under: str, over: str, expected: str) -> None:
    assert laid(f"upsells: [{under}]", f"upsells: [{over}]") == value_of(f"upsells: [{expected}]")


def test_an_upsell_is_matched_by_what_earlier_levels_made_of_it() -> None:
    renumbered = laid("upsells: [{displayName: A, priority: 1}]", "upsells: [{displayName: A, priority: 2}]", "{}")
    assert renumbered == {"upsells": [{"displayName": "A", "priority": 2}]}
    third = ("upsells: [{displayName: A, priority: 1}]", "upsells: [{displayName: A, priority: 2}]")
    assert laid(*third, "upsells: [{priority: 2, disabled: true}]") == {
        "upsells": [{"displayName": "A", "priority": 2, "disabled": True}]
    }
    assert len(laid(*third, "upsells: [{priority: 1, disabled: true}]")["upsells"]) == 2


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


@pytest.mark.parametrize(("under", "over", "expected"), GREETINGS.values(), ids=GREETINGS)
def test_greetings_override_by_language(under: str, over: str, expected: str) -> None:
    assert laid(f"greetings: [{under}]", f"greetings: [{over}]") == value_of(f"greetings: [{expected}]")


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


@pytest.mark.parametrize(("under", "over", "expected"), APPENDED.values(), ids=APPENDED)
def test_lists_are_appended_without_repeats_where_that_is_chosen(under: str, over: str, expected: str) -> None:
    assert laid(under, over, lists="append") == value_of(expected)


def test_a_union_that_changes_back_does_not_bring_back_what_was_cleared() -> None:
    first = "upsells: [{displayName: A, celUpsell: {conditionExpression: x, priority: 7}}]"
    second = "upsells: [{displayName: A, greetingOffer: {messages: [m]}}]"
    third = "upsells: [{displayName: A, celUpsell: {conditionExpression: y}}]"
    assert laid(first, second, third) == value_of("upsells: [{displayName: A, celUpsell: {conditionExpression: y}}]")


def messages(model: type[Node]) -> list[type[Node]]:
    """The messages that are merged field by field: those inside messages, or in lists whose items are matched."""
    inside = [inner for name, listed, inner in message_fields(model) if not listed or name in MERGE_KEYS]
    return [model, *(further for inner in inside for further in messages(inner))]


def test_the_unions_are_those_of_the_messages_that_are_merged() -> None:
    found = [union for model in messages(ChannelConfig) for union in model.unions.values()]
    assert list(ONEOFS) == found


def test_matched_lists_are_each_the_list_of_one_field() -> None:
    found = [name for model in messages(ChannelConfig) for name, listed, _ in message_fields(model) if listed]
    assert sorted(name for name in found if name in MERGE_KEYS) == sorted(MERGE_KEYS)
